// Making, finding and reusing stream states. A retired one keeps a mark behind its last work; its number, and with it its
// arena in the pools, goes to the next stream once the device has come past that mark.
#include "runtime/stream/table.hpp"

#include <new>
#include <utility>

#include <sinter/error.hpp>

#include "runtime/device/process.hpp"
#include "runtime/stream/order.hpp"

namespace sinter::runtime {
namespace {

constexpr std::size_t most_spare_events = 256;  // of one kind

std::size_t kind(event_options how) { return (how.timing ? 1u : 0u) + (how.blocking_sync ? 2u : 0u); }

/// The default streams of one thread, where each thread has its own. What is evaluated in the destructors of its other
/// thread-local objects, once these are gone, goes to the device's.
struct thread_defaults {
  stream_state* of_device[most_devices] = {};
};
thread_local constinit thread_defaults defaults;
thread_local constinit bool defaults_gone = false;

struct at_thread_end {
  ~at_thread_end() {
    defaults_gone = true;
    for (stream_state*& s : defaults.of_device)
      if (s) release(*std::exchange(s, nullptr));
  }
};

}  // namespace

stream_table::stream_table(device_impl& d) : device_(d), per_thread_(set_to_one("SINTER_PER_THREAD_DEFAULT_STREAM")) {
  first_ = &vacant();
  first_->immortal = true;
}

stream_table::~stream_table() {
  for (const stream_state* s : states_) delete s;
}

void stream_table::close() noexcept {
  for (stream_state* s : states_) {
    forget_marks(*s);
    if (!s->external && !s->immortal && s->handle) device_.destroy_stream(std::exchange(s->handle, nullptr));
  }
  for (auto& spare : spare_events_)
    for (void* native : std::exchange(spare, {})) device_.destroy_event(native);
}

/// A state without an owner: a retired one whose work is over, or a new one. Needs the lock, but for the constructor.
stream_state& stream_table::vacant() {
  for (auto at = retired_.begin(); at != retired_.end(); ++at) {
    stream_state& s = **at;
    try {
      if (!reached(s, s.position())) continue;
    } catch (...) {
      continue;  // another one will do
    }
    retired_.erase(at);
    if (s.handle && !s.external) device_.destroy_stream(s.handle);  // it could not be marked when it retired
    s.handle = nullptr;
    forget_waits(s);
    return s;
  }
  retired_.reserve(states_.size() + 1);  // so that retiring cannot fail
  states_.reserve(states_.size() + 1);
  states_.push_back(new stream_state(device_, static_cast<unsigned>(states_.size())));
  return *states_.back();
}

stream_state& stream_table::make(stream_options how) {
  void* const native = device_.create_stream(how);
  try {
    const std::lock_guard hold(busy_);
    stream_state& s = vacant();
    s.handle = native;
    s.priority = how.priority;
    s.non_blocking = how.non_blocking;
    s.external = false;
    s.lent.store(false, std::memory_order_relaxed);
    s.references.store(1, std::memory_order_relaxed);
    return s;
  } catch (...) {
    device_.destroy_stream(native);
    throw;
  }
}

stream_state& stream_table::adopt(void* native) {
  // The driver's names for two queues that it makes itself: the legacy default stream, and one for each thread.
  if (native == first_->handle || (device_.asynchronous() && native == reinterpret_cast<void*>(1))) return *first_;
  if (device_.asynchronous() && native == reinterpret_cast<void*>(2))
    throw device_error(
        "sinter: CU_STREAM_PER_THREAD names another stream in each thread; make one with stream(), or set "
        "SINTER_PER_THREAD_DEFAULT_STREAM=1");
  const std::lock_guard hold(busy_);
  for (stream_state* s : states_) {
    if (s->handle != native || s->immortal) continue;
    // Its last reference may be going just now, in a thread that waits for the lock: then it is not this one any more.
    if (try_retain(*s)) return *s;
  }
  const bool non_blocking = device_.is_non_blocking(native);
  stream_state& s = vacant();
  s.handle = native;
  s.priority = 0;
  s.non_blocking = non_blocking;
  s.external = true;
  s.lent.store(false, std::memory_order_relaxed);
  s.references.store(1, std::memory_order_relaxed);
  return s;
}

void stream_table::retire(stream_state& s) noexcept {
  if (exiting()) return;
  try {
    s.count_lent_work();
    mark(s);  // what it wrote may still be waited for
  } catch (const device_lost&) {
    return;  // nothing runs any more: the state is in no list and is not used again
  } catch (...) {
    // No memory, or a refusal: vacant() asks again, and closes the handle then.
    const std::lock_guard hold(busy_);
    retired_.push_back(&s);
    return;
  }
  const std::lock_guard hold(busy_);
  if (!s.external) device_.destroy_stream(s.handle);
  s.handle = nullptr;
  retired_.push_back(&s);
}

template <class F>
void stream_table::each(F visit) {
  for (std::size_t i = 0;; ++i) {
    stream_state* s = nullptr;
    {
      const std::lock_guard hold(busy_);
      if (i >= states_.size()) return;
      s = states_[i];
    }
    visit(*s);
  }
}

namespace {

/// Waits for what has been enqueued on a stream, of one that is captured for what came before.
void wait_in(stream_state& s) {
  if (s.capture.load(std::memory_order_acquire)) wait_for_marks(s);
  else wait_until_reached(s, s.position());
}

}  // namespace

void stream_table::settle() noexcept {
  each([](stream_state& s) {
    if (!s.capture.load(std::memory_order_acquire)) return wait_surely(s, s.position());
    try {
      wait_for_marks(s);
    } catch (...) {
      // The device is lost, or says what else is wrong at the next call that can throw.
    }
  });
}

stream_state& stream_table::of_this_thread() {
  if (defaults_gone) return *first_;
  thread_local at_thread_end guard;
  (void)guard;
  stream_state*& s = defaults.of_device[device_.index];
  if (!s) s = &make({});
  return *s;
}

void stream_table::synchronize() {
  {
    const std::shared_lock together(capturing_);
    if (captures_ == 0) return device_.synchronize();
  }
  each([](stream_state& s) { wait_in(s); });
}

void* stream_table::take_event(event_options how) {
  {
    const std::lock_guard hold(events_busy_);
    auto& spare = spare_events_[kind(how)];
    if (!spare.empty()) {
      void* const native = spare.back();
      spare.pop_back();
      return native;
    }
  }
  return device_.create_event(how);
}

void stream_table::give_event(void* native, event_options how) noexcept {
  {
    const std::lock_guard hold(events_busy_);
    auto& spare = spare_events_[kind(how)];
    if (spare.capacity() == 0) {
      try {
        spare.reserve(most_spare_events);
      } catch (...) {
      }
    }
    if (spare.size() < spare.capacity()) {
      spare.push_back(native);
      return;
    }
  }
  device_.destroy_event(native);
}

void retain(stream_state& s) noexcept {
  if (!s.immortal) s.references.fetch_add(1, std::memory_order_relaxed);
}

bool try_retain(stream_state& s) noexcept {
  if (s.immortal) return true;
  int now = s.references.load(std::memory_order_relaxed);
  while (now > 0)
    if (s.references.compare_exchange_weak(now, now + 1, std::memory_order_relaxed)) return true;
  return false;
}

void release(stream_state& s) noexcept {
  if (s.immortal || s.references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  s.device.streams().retire(s);
}

event_ref make_event(device_impl& d, event_options how) {
  void* const native = d.streams().take_event(how);
  auto* state = new (std::nothrow) event_state(d, native, how);
  if (state) return event_ref(state);
  d.streams().give_event(native, how);
  throw std::bad_alloc();
}

void retain(event_state* e) noexcept {
  if (e) e->references.fetch_add(1, std::memory_order_relaxed);
}

void release(event_state* e) noexcept {
  if (!e || e->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (!exiting()) e->device.streams().give_event(e->handle, e->options);
  delete e;
}

}  // namespace sinter::runtime
