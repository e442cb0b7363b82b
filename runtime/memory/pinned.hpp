// Pinned host memory: the pool behind pinned_memory_pool, and what copies need to know about host memory. A block that
// a copy still reads or writes is not handed out again before the copy has finished, whichever thread freed it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <sinter/memory.hpp>

#include "runtime/stream/stream.hpp"

namespace sinter::runtime {

/// Pinned blocks for copies with any device. Counted: by its handles, and by each block that is in use. Any thread.
/// Source: cupy.cuda.PinnedMemoryPool.
class pinned_pool {
 public:
  pinned_pool();
  pinned_pool(const pinned_pool&) = delete;
  pinned_pool& operator=(const pinned_pool&) = delete;
  void retain() noexcept;
  void release() noexcept;

  /// A block of the next power of two from 512 bytes on. Units: bytes; 0 gives null. Errors: `out_of_memory`, after
  /// what is cached for the device has gone back.
  void* allocate(std::size_t size, device_impl&);
  /// Takes a block back, of whichever pool it is. Null is allowed; what is not a block in use is reported on stderr.
  static void deallocate(void* block) noexcept;
  /// A graph copies from or to the block around an address: it is not handed out again before release_of_graph, even if
  /// its owner frees it. Null: it is not ours, and its owner's business.
  static void* hold_for_graph(const void* memory) noexcept;
  static void release_of_graph(void* block) noexcept;
  /// Free blocks for a device, without those that a copy still used when the pool looked last.
  std::size_t n_free_blocks(const device_impl&) const;
  void free_all_blocks(device_impl&) noexcept;

 private:
  friend void drop_pinned(device_impl&) noexcept;
  struct state;
  ~pinned_pool();

  const std::unique_ptr<state> s_;
  int references_ = 1;
};

/// Is all of it pinned for copies with a device: inside one block of ours (of the CPU's, which are ordinary memory, only for
/// the CPU), or pinned according to the CUDA driver? Any thread.
bool is_pinned(const void* memory, std::size_t size, const device_impl& target) noexcept;

/// A copy from or to host memory was the operation of `on` that made its position `position`. Memory that is not ours
/// is its owner's business. Errors: `out_of_memory`: then the caller has to wait for the copy.
void note_use(const void* memory, stream_state& on, std::uint64_t position);

/// Gives what pinned pools keep for a device back. A part of drop_pools.
void drop_pinned(device_impl&) noexcept;

}  // namespace sinter::runtime
