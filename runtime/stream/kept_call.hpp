// Work of the host on a stream, with what it works on: also where the stream is being captured, and the graph does it again.
#pragma once

#include <memory>

#include "runtime/device/device.hpp"
#include "runtime/stream/capture.hpp"

namespace sinter::runtime {

/// Calls with a W in the order of a stream. A graph that is being made keeps a copy. Errors: `out_of_memory`, `device_error`.
template <class W>
void call_with(void (*call)(void*) noexcept, const W& work, stream_state& on) {
  capture_state* const c = capture_of(on);
  if (!c) {
    W now = work;
    return on.device.call_host(call, &now, on);
  }
  W* const kept = std::make_unique<W>(work).release();
  hold(*c, kept, [](void* held) noexcept { delete static_cast<W*>(held); });  // also where it throws
  on.device.call_host(call, kept, on);
}

}  // namespace sinter::runtime
