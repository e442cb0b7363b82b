// Pinned memory that a library's call, or a host function, uses in the order of a stream.
#pragma once

#include <cstddef>

#include <sinter/memory.hpp>

#include "runtime/device/device.hpp"
#include "runtime/memory/pinned.hpp"
#include "runtime/memory/transfer.hpp"
#include "runtime/stream/capture.hpp"

namespace sinter::runtime {

/// Handed out from one end. The stream comes past it before it is handed out again; a graph keeps it.
class pinned_room {
 public:
  static constexpr std::size_t aligned(std::size_t size) { return (size + 63) / 64 * 64; }

  /// Errors: `out_of_memory`.
  pinned_room(std::size_t size, stream_state& on) : on_(on), is_kept_(capture_of(on) != nullptr) {
    if (is_kept_) {
      at_ = pinned_for_graph(*capture_of(on), size, on);
    } else {
      const device_scope here(on.device.id);
      at_ = static_cast<std::byte*>(default_pinned_memory_pool().allocate(size));
    }
  }
  pinned_room(const pinned_room&) = delete;
  ~pinned_room() {
    if (is_kept_) return;
    try {
      on_.enqueued();
      keep_pinned(at_, on_);
    } catch (...) {  // it has been waited for
    }
    pinned_pool::deallocate(at_);
  }
  std::byte* take(std::size_t size) {
    std::byte* const here = at_ + used_;
    used_ += aligned(size);
    return here;
  }

 private:
  stream_state& on_;
  const bool is_kept_;
  std::byte* at_ = nullptr;
  std::size_t used_ = 0;
};

}  // namespace sinter::runtime
