// A device's raw memory for tests of the pools: it has a size, counts what it is asked for, and can be told to refuse.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>

#include <doctest/doctest.h>

#include <sinter/error.hpp>

#include "runtime/memory/pool.hpp"

namespace sinter::test {

class fake_memory final : public runtime::memory_source {
 public:
  explicit fake_memory(std::size_t capacity = SIZE_MAX) : capacity_(capacity) {}
  ~fake_memory() override { CHECK(held == 0); }

  std::byte* allocate(std::size_t size) override {
    const std::lock_guard hold(busy_);
    ++asked;
    if (throw_next) {
      throw_next = false;
      throw device_error("the device says no");
    }
    if (size > capacity_ - held) return nullptr;
    held += size;
    largest = std::max(largest, size);
    return static_cast<std::byte*>(std::aligned_alloc(runtime::pool::unit, runtime::rounded_to_unit(size)));
  }
  void release(std::byte* segment, std::size_t size) noexcept override {
    const std::lock_guard hold(busy_);
    held -= size;
    if (!settled) ++unsettled;
    std::free(segment);
  }
  void settle() noexcept override { settled = true; }

  std::size_t held = 0;
  std::size_t largest = 0;
  int asked = 0;
  int unsettled = 0;  // releases without a wait before them
  bool settled = false;
  bool throw_next = false;

 private:
  std::mutex busy_;
  const std::size_t capacity_;
};

}  // namespace sinter::test
