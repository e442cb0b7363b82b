// A device's streams and spare events: the default stream, those in use, and those whose last user has gone, to be used
// again once their work is over. So neither streams nor events grow with the number a program makes.
#pragma once

#include <mutex>
#include <shared_mutex>
#include <vector>

#include "runtime/device/device.hpp"
#include "runtime/stream/stream.hpp"

namespace sinter::runtime {

class stream_table {
 public:
  explicit stream_table(device_impl&);
  ~stream_table();
  /// Comes last but one in the destruction of a device, which only tests do: no stream or event of it is left.
  void close() noexcept;

  /// Where everything runs that names no stream: one of the device, or with SINTER_PER_THREAD_DEFAULT_STREAM=1 one of
  /// the calling thread.
  stream_state& default_stream() {
    if (!per_thread_) [[likely]]
      return *first_;
    return of_this_thread();
  }
  /// The device's own default stream. Never captured on a device that works asynchronously.
  stream_state& first() noexcept { return *first_; }
  /// A stream with one reference.
  stream_state& make(stream_options);
  /// The stream of a handle that Sinter did not make, with one reference more.
  stream_state& adopt(void* native);
  /// The last reference has gone.
  void retire(stream_state&) noexcept;

  /// Waits for what is enqueued on any of the streams, but never for what is captured. Unlike the driver's own
  /// synchronisation it leaves captures whole.
  void settle() noexcept;
  /// The same for a caller who can be told what went wrong; also for streams that this table does not know, unless
  /// something is captured. Errors: `device_lost`.
  void synchronize();
  void capture_begins() {
    const std::lock_guard alone(capturing_);
    ++captures_;
  }
  void capture_ends() {
    const std::lock_guard alone(capturing_);
    --captures_;
  }

  /// A native event; and one that is no longer needed.
  void* take_event(event_options);
  void give_event(void* native, event_options) noexcept;

 private:
  stream_state& of_this_thread();
  stream_state& vacant();
  template <class F>
  void each(F visit);

  device_impl& device_;
  const bool per_thread_;
  std::shared_mutex capturing_;  // the driver's own synchronisation would spoil a capture that begins meanwhile
  int captures_ = 0;             // under way
  std::mutex busy_;
  std::vector<stream_state*> states_;   // by number
  std::vector<stream_state*> retired_;  // their work may not be over
  std::mutex events_busy_;
  std::vector<void*> spare_events_[4];  // by options
  stream_state* first_;
};

}  // namespace sinter::runtime
