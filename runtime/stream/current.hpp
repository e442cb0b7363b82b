// The calling thread's current stream of each device. Looked up in every evaluation.
#pragma once

#include "runtime/device/device.hpp"
#include "runtime/stream/table.hpp"

namespace sinter::runtime {

class capture_state;

/// What a thread has chosen; null: the default stream. Each is held. Constant-initialised, so reading it is one load.
struct chosen_streams {
  stream_state* of_device[most_devices] = {};
  capture_state* capture = nullptr;  // what the thread is capturing
  bool unordered = false;
};
extern thread_local constinit chosen_streams chosen;

inline stream_state& current_stream(device_impl& on) {
  if (stream_state* mine = chosen.of_device[on.index]) return *mine;
  return on.streams().default_stream();
}

}  // namespace sinter::runtime
