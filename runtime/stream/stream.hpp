// A stream and an event as the runtime sees them. Stream states are never freed but used again, so a storage may name the
// stream that wrote it without holding it. A place in a stream's work is a position: the number of operations enqueued.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <sinter/stream.hpp>

#include "runtime/never_destroyed.hpp"

namespace sinter::runtime {

class capture_state;
class device_impl;
class stream_state;
struct counted_words;

/// What a capture became: a device's own form of a graph, ready to be launched.
class executable_graph {
 public:
  virtual ~executable_graph() = default;
};

/// A native event, counted.
class event_state {
 public:
  event_state(device_impl& d, void* native, event_options how) : device(d), handle(native), options(how) {}
  device_impl& device;
  void* const handle;
  const event_options options;
  std::atomic<int> references{1};

  /// Where it was recorded last: behind some of a stream's work, or in the capture of that number.
  struct record {
    stream_state* on = nullptr;  // null: nowhere
    std::uint64_t position = 0;
    std::uint64_t capture = 0;
  };
  record last() const {
    const std::lock_guard hold(recording_);
    return last_;
  }
  void set_last(record now) {
    const std::lock_guard hold(recording_);
    last_ = now;
  }

 private:
  mutable std::mutex recording_;
  record last_;
};
void retain(event_state*) noexcept;
/// The last reference hands the native event to the device's spare ones, or destroys it.
void release(event_state*) noexcept;

class event_ref {
 public:
  event_ref() = default;
  explicit event_ref(event_state* owned) noexcept : state_(owned) {}
  event_ref(const event_ref& other) noexcept : state_(other.state_) { retain(state_); }
  event_ref(event_ref&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  event_ref& operator=(event_ref other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~event_ref() { release(state_); }
  event_state* get() const noexcept { return state_; }
  event_state* operator->() const noexcept { return state_; }
  explicit operator bool() const noexcept { return state_ != nullptr; }

 private:
  event_state* state_ = nullptr;
};

class stream_state {
 public:
  stream_state(device_impl& d, unsigned n) : device(d), number(n) {
    marks_.reserve(4);
    waited_for_.reserve(n + 4);  // what a state has does not depend on which streams it has been
  }
  stream_state(const stream_state&) = delete;
  stream_state& operator=(const stream_state&) = delete;

  device_impl& device;
  /// Of its arena in the pools: one for each state of a device, from 0, the default stream.
  const unsigned number;
  void* handle = nullptr;  // CUstream
  int priority = 0;
  bool non_blocking = false;          // has nothing to do with the legacy default stream
  bool external = false;              // Sinter did not make the handle
  bool immortal = false;              // a default stream: not counted
  std::atomic<bool> of_graph{false};  // a graph's own: nothing but its captures is made there
  std::atomic<int> references{1};

  /// The program may enqueue work of its own, which has no position, on arrays whose addresses it has.
  std::atomic<bool> lent{false};

  /// The capture this stream is part of, or null.
  std::atomic<capture_state*> capture{nullptr};

  /// What a capture that began here has recorded so far, where the driver does not do that.
  std::unique_ptr<executable_graph> recording;

  /// Of runtime/launch/tickets; null until a kernel needs them.
  std::atomic<std::byte*> tickets{nullptr};
  std::atomic<const counted_words*> words{nullptr};

  /// How many operations have been enqueued. Call after each one; one that was captured has not been enqueued.
  std::uint64_t enqueued() noexcept {
    if (capture.load(std::memory_order_relaxed)) [[unlikely]]
      return position();
    return submitted_.fetch_add(1, std::memory_order_acq_rel) + 1;
  }
  /// What the program has enqueued here by itself counts as one more operation from now on.
  void count_lent_work() noexcept {
    if (lent.load(std::memory_order_relaxed)) [[unlikely]]
      enqueued();
  }
  std::uint64_t position() const noexcept { return submitted_.load(std::memory_order_acquire); }

  /// It has no owner left, and its native handle is gone.
  bool retired() const noexcept { return references.load(std::memory_order_acquire) == 0; }
  /// For functions of resources, which want a public stream: this one, uncounted.
  const stream& handle_of() const noexcept { return self_.object; }

 private:
  friend struct stream_order;
  struct mark {
    std::uint64_t position;
    event_ref event;
  };

  std::atomic<std::uint64_t> submitted_{0};
  std::mutex ordering_;                       // over what follows
  std::uint64_t finished_ = 0;                // the device is known to have come this far
  std::vector<mark> marks_;                   // points beyond, ascending
  std::vector<std::uint64_t> waited_for_;     // by stream number: how far this stream has waited for that one
  const never_destroyed<stream> self_{this};  // it holds nothing
};

void retain(stream_state&) noexcept;
/// Counts a user unless the last one has gone.
bool try_retain(stream_state&) noexcept;
/// The last reference retires the stream; its native handle goes if Sinter made it.
void release(stream_state&) noexcept;

}  // namespace sinter::runtime
