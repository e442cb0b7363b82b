// Vectors of the front end: where the host has no memory they throw what a user of the library catches.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <vector>

#include "runtime/frontend/message.hpp"

namespace sinter::runtime {

template <class T>
struct host_memory {
  using value_type = T;
  host_memory() = default;
  template <class U>
  host_memory(const host_memory<U>&) noexcept {}

  T* allocate(std::size_t count) {
    if (void* const block = std::malloc(count * sizeof(T))) return static_cast<T*>(block);
    detail::throw_host_is_full();
  }
  void deallocate(T* block, std::size_t) noexcept { std::free(block); }
  template <class U>
  bool operator==(const host_memory<U>&) const {
    return true;
  }
};

/// A vector. Errors: `out_of_memory`, where std::vector has std::bad_alloc.
template <class T>
using list = std::vector<T, host_memory<T>>;

}  // namespace sinter::runtime
