// Raw memory of the host, for the CPU and interpreter devices: the operating system's pages for what is large, malloc
// for what is small. The twin of cuda_memory; all three kinds of memory are the same here.
#pragma once

#include "runtime/memory/source.hpp"

namespace sinter::runtime {

class host_memory final : public memory_source {
 public:
  /// Below this a segment is malloc's, which cuts pages up; from here on it is mapped.
  static constexpr std::size_t mapped_from = std::size_t{1} << 20;

  std::byte* allocate(std::size_t size) override;
  void release(std::byte* segment, std::size_t size) noexcept override;
};

}  // namespace sinter::runtime
