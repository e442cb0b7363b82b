// Streams and events: the order in which a device works. A program that never names one still gets the right order: an
// array used on another stream than the one that wrote it makes that stream wait.
#pragma once

#include <type_traits>
#include <utility>

#include <sinter/device.hpp>

namespace sinter {

namespace runtime {
class stream_state;
class event_state;
class event_ref;
}  // namespace runtime

class stream;

/// How an event is made.
struct event_options {
  bool timing = true;          ///< elapsed_time needs it; without it recording is cheaper
  bool blocking_sync = false;  ///< a thread that waits sleeps instead of spinning
};

/// A point in a stream's work. Copies are the same event. Source: cupy.cuda.Event.
class SINTER_API event {
 public:
  /// An event of the current device that nothing has recorded yet; it counts as done.
  explicit event(event_options = {});
  explicit event(runtime::event_ref) noexcept;  // library use
  event(const event&) noexcept;
  event& operator=(const event&) noexcept;
  ~event();

  /// Marks the end of what is enqueued so far. Errors: `device_error` for a stream of another device. Stream behaviour:
  /// enqueued on `on`; without an argument on the current stream.
  void record(const stream& on);
  void record();
  /// Has the device come this far? Never waits.
  bool done() const;
  /// Stream behaviour: waits until the device has come this far. Errors: `device_lost`.
  void synchronize() const;

  /// The native handle, a CUevent; on the CPU an address that means nothing outside.
  void* handle() const;
  runtime::event_state* state() const { return state_; }

 private:
  runtime::event_state* state_;
};

/// The time between two recorded events. Units: milliseconds. Errors: `device_error` where one of them was made without
/// timing or is not done. Source: cupy.cuda.get_elapsed_time.
SINTER_API double elapsed_time(const event& start, const event& end);

/// How a stream is made.
struct stream_options {
  bool non_blocking = true;  ///< does not wait for the legacy default stream, nor that one for it
  int priority = 0;          ///< lower is more urgent; clipped to what the device has
};

/// A queue of a device's work. Copies are the same stream; equal where the native handles are. The last copy's end lets
/// the work finish. Source: cupy.cuda.Stream.
class SINTER_API stream {
 public:
  /// A new stream of the current device. Errors: `device_error`, `out_of_memory`.
  explicit stream(stream_options = {});
  /// The default stream of the current device: everything that names no stream runs there. Source: Stream.null.
  static stream null();
  /// The calling thread's current stream on the current device.
  static stream current();
  /// A stream that other CUDA code made, on the current device. That code destroys it, after the last copy of this has
  /// gone. Source: Stream.from_external.
  static stream from_external(void* handle);

  stream(const stream&) noexcept;
  stream& operator=(const stream&) noexcept;
  ~stream();

  /// Stream behaviour: waits for what is enqueued here. Errors: `device_lost`; `device_error` while it is captured.
  void synchronize() const;
  /// Has all work finished? Never waits.
  bool done() const;
  /// A new event at the end of what is enqueued. Source: Stream.record.
  event record(event_options = {}) const;
  /// What is enqueued from now on waits for the event, or for what is enqueued on another stream so far; the host does
  /// not wait. Source: Stream.wait_event.
  void wait(const event&) const;
  void wait(const stream&) const;
  /// Calls f on a thread of the driver's once everything before it has finished. f may not evaluate anything and not
  /// throw. Source: Stream.launch_host_func.
  template <class F>
  void launch_host_func(F&& f) const {
    using callable = std::decay_t<F>;
    host_func([](void* made) noexcept { (*static_cast<callable*>(made))(); },
              [](void* made) noexcept { delete static_cast<callable*>(made); }, new callable(std::forward<F>(f)));
  }
  /// Makes it the thread's current stream from now on; stream_scope does so for a scope. Errors: `device_error` for a
  /// stream of another device than the current one. Source: Stream.use.
  void use() const;

  /// The native handle, a CUstream, null for the default stream; on the CPU a number that no other stream has.
  void* handle() const;
  sinter::device device() const;
  int priority() const;

  /// Library use: takes over a reference.
  explicit stream(runtime::stream_state* owned) noexcept : state_(owned) {}
  runtime::stream_state& state() const { return *state_; }

 private:
  void host_func(void (*call)(void*) noexcept, void (*destroy)(void*) noexcept, void* with) const;

  runtime::stream_state* state_;
};

SINTER_API bool operator==(const stream&, const stream&);

/// Makes a stream the calling thread's current one until the end of the scope. Errors: `device_error` for a stream of
/// another device than the current one. Source: `with cupy.cuda.Stream():`.
class [[nodiscard]] SINTER_API stream_scope {
 public:
  explicit stream_scope(stream);
  stream_scope(const stream_scope&) = delete;
  stream_scope& operator=(const stream_scope&) = delete;
  ~stream_scope();

 private:
  stream mine_;
  runtime::stream_state* before_;
};

/// Until the end of the scope the calling thread's evaluations and copies do not wait for the streams that wrote or read
/// their arrays: the program orders them itself, with events. Memory stays safe: a block is still not handed out again
/// before every stream is done with it.
class [[nodiscard]] SINTER_API unordered {
 public:
  unordered();
  unordered(const unordered&) = delete;
  unordered& operator=(const unordered&) = delete;
  ~unordered();

 private:
  bool before_;
};

}  // namespace sinter
