// Raw memory of a CUDA device: the device's own, managed, pinned, and the driver's stream-ordered pools. Between the
// pools, which ask seldom and for large pieces, and the driver; cpu_memory is the twin.
#pragma once

#include <atomic>

#include <sinter/memory.hpp>

#include "runtime/device/cuda_context.hpp"
#include "runtime/memory/source.hpp"

namespace sinter::runtime {

/// One kind of a device's memory. Errors of allocate: as fault_latch::check, but for out of memory, which is null.
class cuda_memory_source final : public memory_source {
 public:
  cuda_memory_source(cuda_context& c, memory_kind kind) : context_(c), kind_(kind) {}
  std::byte* allocate(std::size_t size) override;
  /// Nothing that is enqueued may still use it: cuMemFree may wait for the device or may not.
  void release(std::byte* segment, std::size_t size) noexcept override;

 private:
  cuda_context& context_;
  const memory_kind kind_;
};

/// A pool of the driver's. It is asked for at its first use: another library may choose the current one until then.
class cuda_stream_ordered_source final : public stream_ordered_source {
 public:
  cuda_stream_ordered_source(cuda_context& c, driver_pool which) : context_(c), which_(which) {}
  std::byte* allocate(std::size_t size, stream_state& on) override;
  void release(std::byte* block, stream_state& on) noexcept override;
  std::size_t used() const override;
  std::size_t reserved() const override;
  void keep(std::uint64_t bytes) override;
  void trim(std::size_t to) override;
  /// Another device may read the pool's memory from now on. Nothing as long as the pool has not been used.
  void let_in(cu_device) noexcept;

 private:
  cu_mem_pool pool() const;
  std::uint64_t attribute(int which) const;

  cuda_context& context_;
  const driver_pool which_;
  mutable std::atomic<cu_mem_pool> pool_{nullptr};
  std::atomic<std::uint64_t> let_in_{0};  // a bit for each device
};

/// All memory of one device.
class cuda_memory {
 public:
  explicit cuda_memory(cuda_context&);
  cuda_memory(const cuda_memory&) = delete;
  cuda_memory& operator=(const cuda_memory&) = delete;
  ~cuda_memory();

  memory_source& of(memory_kind kind) noexcept { return sources_[static_cast<unsigned>(kind)]; }
  stream_ordered_source& stream_ordered(driver_pool which = driver_pool::current) noexcept {
    return stream_ordered_[static_cast<unsigned>(which)];
  }
  /// Other memory a device can read as soon as its context has access to this one's.
  void let_in(cu_device other) noexcept {
    for (cuda_stream_ordered_source& s : stream_ordered_) s.let_in(other);
  }

 private:
  cuda_context& context_;
  cuda_memory_source sources_[3];  // in the order of memory_kind
  cuda_stream_ordered_source stream_ordered_[2];
};

/// Does the driver of some CUDA device know this as pinned host memory, pinned by Sinter or not? Any thread.
bool pinned_for_cuda(const void* memory, std::size_t size) noexcept;

}  // namespace sinter::runtime
