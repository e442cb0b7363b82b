// What the devices whose memory is the host's have in common: the pool over mmap, and copies. Between device_impl and
// the CPU and interpreter devices; a launch there has finished when it returns, so nothing here ever waits.
#pragma once

#include "runtime/device/device.hpp"
#include "runtime/memory/pool.hpp"

namespace sinter::runtime {

/// Segments from the operating system, at addresses that suit huge pages.
class host_memory final : public memory_source {
 public:
  std::byte* allocate(std::size_t size) override;
  void release(std::byte* segment, std::size_t size) noexcept override;
};

class host_device : public device_impl {
 public:
  std::byte* allocate(std::size_t size) override { return pool_.allocate(size); }
  void deallocate(std::byte* block, std::size_t size) noexcept override { pool_.deallocate(block, size); }
  void copy_in(std::byte* to, const void* from_host, std::size_t size) override;
  void copy_out(void* to_host, const std::byte* from, std::size_t size) override;
  void copy(std::byte* to, const std::byte* from, std::size_t size) override;
  void zero(std::byte* block, std::size_t size) override;
  void synchronize() override {}

 protected:
  /// Errors: `error` for a SINTER_MEMORY_LIMIT that cannot be read.
  host_device(device id, const char* name);

 private:
  host_memory memory_;
  pool pool_;  // after what it takes from
};

}  // namespace sinter::runtime
