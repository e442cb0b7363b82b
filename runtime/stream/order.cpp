// Marks and waits. Each stream keeps the events recorded behind its work, ascending, and how far it has waited for each
// other stream; both under its own mutex, never two of them at once.
#include "runtime/stream/order.hpp"

#include <algorithm>

#include <sinter/error.hpp>

#include "runtime/device/device.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/table.hpp"

namespace sinter::runtime {

/// The functions that look into a stream state's marks.
struct stream_order {
  struct point {
    std::uint64_t position = 0;
    event_ref event;  // empty: the device has come past it
  };

  /// The first event at or behind a position, recorded now where there is none.
  static point cover(stream_state& of, std::uint64_t position) {
    const std::lock_guard hold(of.ordering_);
    if (of.finished_ >= position) return {position, {}};
    auto at = first(of, position);
    if (at == of.marks_.end()) {
      // While it is captured an event would become a part of the capture; the last mark is in front of that.
      const bool captured = of.capture.load(std::memory_order_acquire) != nullptr;
      if (captured && of.marks_.empty()) return {position, {}};
      at = captured ? of.marks_.end() - 1 : record(of);
    }
    const point found{at->position, at->event};
    if (!of.device.done(found.event->handle)) return found;
    passed(of, at);
    return {found.position, {}};
  }

  static void mark(stream_state& of) {
    const std::lock_guard hold(of.ordering_);
    mark_locked(of);
  }

  static void join(stream_state& s, capture_state& c, stream_state& fork_of) {
    const std::lock_guard hold(s.ordering_);
    mark_locked(s);
    const event_ref fork = make_event(s.device, {.timing = false});
    s.device.record(fork->handle, fork_of);
    s.device.wait(s, fork->handle);
    s.capture.store(&c, std::memory_order_release);
  }

  static void mark_locked(stream_state& of) {
    if (of.finished_ >= of.position() || first(of, of.position()) != of.marks_.end()) return;
    // A stream that marks every copy must not gather events for ever.
    while (of.marks_.size() >= most_marks && of.device.done(of.marks_.front().event->handle))
      passed(of, of.marks_.begin());
    record(of);
  }

  static point last_mark(stream_state& of) {
    const std::lock_guard hold(of.ordering_);
    if (of.marks_.empty()) return {};
    return {of.marks_.back().position, of.marks_.back().event};
  }

  static bool waited(stream_state& waiting, const stream_state& of, std::uint64_t position) {
    if (&waiting.device != &of.device) return false;  // stream numbers are a device's own
    const std::lock_guard hold(waiting.ordering_);
    return of.number < waiting.waited_for_.size() && waiting.waited_for_[of.number] >= position;
  }

  static void note_wait(stream_state& waiting, const stream_state& of, std::uint64_t position) {
    if (&waiting.device != &of.device) return;
    const std::lock_guard hold(waiting.ordering_);
    if (waiting.waited_for_.size() <= of.number) waiting.waited_for_.resize(of.number + 1);
    waiting.waited_for_[of.number] = std::max(waiting.waited_for_[of.number], position);
  }

  static void forget_waits(stream_state& s) {
    const std::lock_guard hold(s.ordering_);
    s.waited_for_.clear();
  }

  static void forget_marks(stream_state& s) noexcept {
    const std::lock_guard hold(s.ordering_);
    s.marks_.clear();
  }

  static void note_finished(stream_state& of, std::uint64_t position) {
    const std::lock_guard hold(of.ordering_);
    const auto at = first(of, position + 1);
    of.marks_.erase(of.marks_.begin(), at);
    of.finished_ = std::max(of.finished_, position);
  }

 private:
  using marks = std::vector<stream_state::mark>;
  static constexpr std::size_t most_marks = 16;

  static marks::iterator first(stream_state& of, std::uint64_t position) {
    return std::lower_bound(of.marks_.begin(), of.marks_.end(), position,
                            [](const stream_state::mark& m, std::uint64_t p) { return m.position < p; });
  }

  static marks::iterator record(stream_state& of) {
    // The count is read first: what was enqueued by then is in front of the event.
    const std::uint64_t position = of.position();
    event_ref event = make_event(of.device, {.timing = false});
    of.marks_.reserve(of.marks_.size() + 1);
    of.device.record(event->handle, of);
    of.marks_.push_back({position, std::move(event)});
    return of.marks_.end() - 1;
  }

  static void passed(stream_state& of, marks::iterator last) {
    of.finished_ = std::max(of.finished_, last->position);
    of.marks_.erase(of.marks_.begin(), last + 1);
  }
};

void order_after(stream_state& waiting, stream_state& of, std::uint64_t position) {
  if (&waiting == &of || !of.device.asynchronous()) return;
  if (!waiting.device.asynchronous()) return wait_until_reached(of, position);
  if (capture_state* const c = waiting.capture.load(std::memory_order_acquire)) {
    if (of.capture.load(std::memory_order_acquire) != c) return depend(*c, of, position);
    const event_ref event = make_event(of.device, {.timing = false});
    of.device.record(event->handle, of);
    return waiting.device.wait(waiting, event->handle);
  }
  if (stream_order::waited(waiting, of, position)) return;
  const stream_order::point p = stream_order::cover(of, position);
  if (p.event) {
    waiting.device.wait(waiting, p.event->handle);
    waiting.enqueued();  // it has something to finish now
  }
  stream_order::note_wait(waiting, of, p.position);
}

void mark(stream_state& of) {
  if (of.device.asynchronous() && !of.capture.load(std::memory_order_acquire)) stream_order::mark(of);
}

bool reached(stream_state& of, std::uint64_t position) {
  return !of.device.asynchronous() || !stream_order::cover(of, position).event;
}

namespace {

void wait_for(stream_state& of, const stream_order::point& p) {
  if (!p.event) return;
  of.device.synchronize(p.event->handle);
  stream_order::note_finished(of, p.position);
}

}  // namespace

void wait_until_reached(stream_state& of, std::uint64_t position) {
  if (of.device.asynchronous()) wait_for(of, stream_order::cover(of, position));
}

void wait_surely(stream_state& of, std::uint64_t position) noexcept {
  try {
    return wait_until_reached(of, position);
  } catch (const device_lost&) {
    return;
  } catch (...) {
  }
  // To wait for all of a stream that is captured, or for the default one in place of a stream that has gone, is no help.
  if (of.capture.load(std::memory_order_acquire) || (of.retired() && !of.handle)) return;
  try {
    of.device.synchronize(of);
  } catch (...) {
  }
}

void join(stream_state& s, capture_state& c, stream_state& fork_of) { stream_order::join(s, c, fork_of); }

void forget_waits(stream_state& s) { stream_order::forget_waits(s); }

void forget_marks(stream_state& s) noexcept { stream_order::forget_marks(s); }

void wait_for_marks(stream_state& of) { wait_for(of, stream_order::last_mark(of)); }

}  // namespace sinter::runtime
