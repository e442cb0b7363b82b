// The public events over native ones.
#include <sinter/stream.hpp>

#include <sinter/error.hpp>

#include <new>

#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/order.hpp"

namespace sinter {

using runtime::capture_state;
using runtime::chosen;
using runtime::device_impl;
using runtime::event_state;
using runtime::stream_state;

namespace {

/// What is to be asked of the device about an event: nothing where nothing was recorded.
bool has_work(const event_state& e) {
  const event_state::record r = e.last();
  if (r.capture)
    throw device_error(
        "sinter: an event that was recorded while a graph was captured marks no time; record it outside");
  return r.on != nullptr;
}

}  // namespace

event::event(event_options how) try : event(runtime::make_event(runtime::current_device(), how)) {
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}
event::event(runtime::event_ref made) noexcept : state_(made.get()) { runtime::retain(state_); }
event::event(const event& other) noexcept : state_(other.state_) { runtime::retain(state_); }

event& event::operator=(const event& other) noexcept {
  runtime::retain(other.state_);
  runtime::release(state_);
  state_ = other.state_;
  return *this;
}

event::~event() { runtime::release(state_); }

void event::record(const stream& on) try {
  stream_state& s = on.state();
  if (&s.device != &state_->device) {
    throw device_error(("sinter: an event of " + runtime::to_text(state_->device.id) +
                        " cannot be recorded on a stream of " + runtime::to_text(s.device.id))
                           .c_str());
  }
  const capture_state* const c = runtime::capture_of(s);
  s.device.record(state_->handle, s);
  // The record counts: in front of it there may be work of other code's, which nothing else has counted.
  state_->set_last({&s, s.enqueued(), c ? c->number : 0});
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

void event::record() try {
  record(runtime::current_stream(state_->device).handle_of());
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

bool event::done() const { return !has_work(*state_) || state_->device.done(state_->handle); }

void event::synchronize() const {
  if (!has_work(*state_)) return;
  state_->device.synchronize(state_->handle);
  state_->device.troubles.report();
}

void* event::handle() const { return state_->handle; }

double elapsed_time(const event& start, const event& end) {
  for (const event* e : {&start, &end}) {
    if (!e->state()->options.timing)
      throw device_error("sinter: elapsed_time needs events made with timing: event({.timing = true})");
    if (!has_work(*e->state())) throw device_error("sinter: elapsed_time of an event that was never recorded");
  }
  device_impl& d = start.state()->device;
  if (&d != &end.state()->device) throw device_error("sinter: elapsed_time between events of different devices");
  return d.elapsed_milliseconds(start.state()->handle, end.state()->handle);
}

void stream::wait(const event& e) const try {
  const event_state& marked = *e.state();
  const event_state::record r = marked.last();
  if (!r.on) return;
  if (r.capture) {
    if (!chosen.capture || chosen.capture->number != r.capture) has_work(marked);  // says so
    runtime::join_capture(*chosen.capture, *state_);
  }
  if (!marked.device.asynchronous()) return;  // its work is over
  if (!r.capture)
    if (capture_state* const into = runtime::capture_of(*state_)) return runtime::depend(*into, *r.on, r.position);
  if (!state_->device.asynchronous()) return marked.device.synchronize(marked.handle);
  state_->device.wait(*state_, marked.handle);
  state_->enqueued();  // it has something to finish now
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

}  // namespace sinter
