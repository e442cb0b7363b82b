// The public streams over their states, and the thread's choice among them.
#include <sinter/stream.hpp>

#include <memory>
#include <new>
#include <utility>

#include <sinter/error.hpp>

#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/order.hpp"

namespace sinter {
namespace runtime {

thread_local constinit chosen_streams chosen;

namespace {

/// Makes a stream a thread's choice, or none, and gives up the one before. The choice is held.
stream_state* exchange_choice(const device_impl& of, stream_state* now) noexcept {
  if (now) retain(*now);
  return std::exchange(chosen.of_device[of.index], now);
}

/// Gives up, at the thread's end, what it chose with use().
struct at_thread_end {
  ~at_thread_end() {
    for (stream_state*& s : chosen.of_device)
      if (s) release(*std::exchange(s, nullptr));
  }
};

/// Whatever becomes current while the thread captures becomes a part of the capture: nothing may run for real.
void join_if_capturing(stream_state& s) {
  if (chosen.capture && &chosen.capture->origin.device == &s.device) join_capture(*chosen.capture, s);
}

void check_is_current(const device_impl& d) {
  const device_impl& now = current_device();
  if (&now == &d) return;
  throw device_error(("sinter: a stream of " + to_text(d.id) + " cannot be the current one while the device is " +
                      to_text(now.id) + "; make its device current first (device_scope)")
                         .c_str());
}

/// A host function and what it needs, freed once it has run.
struct host_call {
  void (*call)(void*) noexcept;
  void (*destroy)(void*) noexcept;
  void* with;
  void run() const noexcept { call(with); }
  ~host_call() { destroy(with); }
};

}  // namespace
}  // namespace runtime

using runtime::chosen;
using runtime::current_device;
using runtime::stream_state;

stream::stream(stream_options how) try : state_(&current_device().streams().make(how)) {
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

stream stream::null() try {
  stream_state& s = current_device().streams().default_stream();
  runtime::retain(s);
  return stream(&s);
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

stream stream::current() try {
  stream_state& s = runtime::current_stream(current_device());
  runtime::retain(s);
  return stream(&s);
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

stream stream::from_external(void* handle) try {
  return stream(&current_device().streams().adopt(handle));
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

stream::stream(const stream& other) noexcept : state_(other.state_) { runtime::retain(*state_); }

stream& stream::operator=(const stream& other) noexcept {
  runtime::retain(*other.state_);
  runtime::release(*state_);
  state_ = other.state_;
  return *this;
}

stream::~stream() { runtime::release(*state_); }

void stream::synchronize() const {
  runtime::refuse_while_capturing(*state_, "stream::synchronize");
  state_->device.synchronize(*state_);
  state_->device.troubles.report();
}

bool stream::done() const {
  runtime::refuse_while_capturing(*state_, "stream::done");
  return state_->device.idle(*state_);
}

event stream::record(event_options how) const try {
  event e(runtime::make_event(state_->device, how));
  e.record(*this);
  return e;
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

void stream::wait(const stream& other) const try {
  runtime::capture_of(*state_);
  if (runtime::capture_state* const c = runtime::capture_of(*other.state_)) runtime::join_capture(*c, *state_);
  // Other code may have put work there; to be counted makes that a part of what is waited for.
  runtime::order_after(*state_, *other.state_, other.state_->enqueued());
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

void stream::host_func(void (*call)(void*) noexcept, void (*destroy)(void*) noexcept, void* with) const try {
  struct destroyer {
    void (*destroy)(void*) noexcept;
    void operator()(void* made) const noexcept { destroy(made); }
  };
  std::unique_ptr<void, destroyer> guard(with, {destroy});
  runtime::capture_state* const c = runtime::capture_of(*state_);
  std::unique_ptr<runtime::host_call> packed(new (std::nothrow) runtime::host_call{call, destroy, with});
  if (!packed)
    throw out_of_memory("sinter: the host has no room for a host function", sizeof(runtime::host_call), 0, 0);
  guard.release();
  runtime::host_call* const made = packed.get();
  if (c) {
    // A graph runs it at every launch; none knows that it is the last, so the graph keeps it.
    runtime::hold(*c, packed.release(), [](void* held) noexcept { delete static_cast<runtime::host_call*>(held); });
    state_->device.call_host([](void* kept) noexcept { static_cast<runtime::host_call*>(kept)->run(); }, made, *state_);
  } else {
    state_->device.call_host(
        [](void* once) noexcept { std::unique_ptr<runtime::host_call>(static_cast<runtime::host_call*>(once))->run(); },
        made, *state_);
    packed.release();
  }
  state_->enqueued();
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

void stream::use() const try {
  thread_local runtime::at_thread_end guard;
  (void)guard;
  runtime::check_is_current(state_->device);
  runtime::join_if_capturing(*state_);
  if (stream_state* before = runtime::exchange_choice(state_->device, state_)) runtime::release(*before);
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

void* stream::handle() const { return state_->handle; }
device stream::device() const { return state_->device.id; }
int stream::priority() const { return state_->priority; }

bool operator==(const stream& a, const stream& b) { return &a.state() == &b.state(); }

stream_scope::stream_scope(stream s) : mine_(static_cast<stream&&>(s)) {
  runtime::check_is_current(mine_.state().device);
  runtime::join_if_capturing(mine_.state());
  before_ = runtime::exchange_choice(mine_.state().device, &mine_.state());
}

stream_scope::~stream_scope() {
  // before_ is still held from when it was the choice.
  if (stream_state* now = std::exchange(chosen.of_device[mine_.state().device.index], before_)) runtime::release(*now);
}

unordered::unordered() : before_(chosen.unordered) { chosen.unordered = true; }
unordered::~unordered() { chosen.unordered = before_; }

}  // namespace sinter
