// Graphs: a capture around the user's function, and the launches of what came of it. A graph keeps the stream it was captured
// on, whose arena its memory is from, and every storage that its operations use.
#include <sinter/graph.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include <sinter/error.hpp>

#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/report/recording.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/operation.hpp"
#include "runtime/stream/order.hpp"
#include "runtime/stream/table.hpp"

namespace sinter::runtime {

using detail::storage;

class graph_state {
 public:
  explicit graph_state(device_impl& d) : device_(d), origin_(d.streams().make({})) {
    origin_.of_graph.store(true, std::memory_order_release);
  }
  ~graph_state();

  /// Errors: as sinter::capture. True: the graph that was there has been changed in place.
  bool record(void (*work)(void*), void* with);
  void launch(stream_state& on);
  device_impl& device() const noexcept { return device_; }

  std::atomic<int> references{1};

 private:
  void run_captured(capture_state&, void (*work)(void*), void* with);
  void leave(capture_state&) noexcept;

  device_impl& device_;
  stream_state& origin_;
  std::mutex busy_;  // one launch or update at a time
  std::unique_ptr<capture_state> work_;
  std::unique_ptr<executable_graph> executable_;
  stream_state* last_ = nullptr;  // where it was launched last; a launch waits for the one before
  std::uint64_t last_position_ = 0;
};

namespace {

/// For one scope, a capture is the thread's, and its origin the thread's current stream.
class capturing {
 public:
  explicit capturing(capture_state& c) : place_(chosen.of_device[c.origin.device.index]), before_(place_) {
    place_ = &c.origin;
    retain(c.origin);
    chosen.capture = &c;
  }
  capturing(const capturing&) = delete;
  capturing& operator=(const capturing&) = delete;
  ~capturing() {
    chosen.capture = nullptr;
    if (place_) release(*place_);  // the function may have chosen another one
    place_ = before_;
  }

 private:
  stream_state*& place_;
  stream_state* const before_;
};

/// Counts a device's captures under way.
class counted_capture {
 public:
  explicit counted_capture(device_impl& d) : streams_(d.streams()) { streams_.capture_begins(); }
  counted_capture(const counted_capture&) = delete;
  counted_capture& operator=(const counted_capture&) = delete;
  ~counted_capture() { streams_.capture_ends(); }

 private:
  stream_table& streams_;
};

}  // namespace

graph_state::~graph_state() {
  if (work_) leave(*work_);
  try {
    // The next owner of the stream's state, and with it of its arena, comes after the last launch.
    if (last_) order_after(origin_, *last_, last_position_);
  } catch (...) {
    // The device is lost.
  }
  origin_.of_graph.store(false, std::memory_order_release);
  release(origin_);
}

/// Before a capture's memory goes: the last launch may still be at work on it.
void graph_state::leave(capture_state& work) noexcept {
  if (!last_) return;
  // What lived on after the capture was noted at each launch; what died in it was not.
  const auto note = [this](storage& memory) {
    memory.stream = last_;
    memory.written = last_position_;
  };
  for (const auto& [bytes, memory] : work.spare) note(*memory);
  for (const auto& [on, memory] : work.tickets) note(*memory);
  for (const auto& [on, memory] : work.words) note(*memory);
  if (work.held.empty()) return;
  wait_surely(*last_, last_position_);  // host functions and host memory have no such list to wait in
}

void graph_state::run_captured(capture_state& c, void (*work)(void*), void* with) {
  mark(origin_);  // what it has done so far can be waited for while it is captured
  // A program can have it, and work there, as the current stream inside of a capture; its arena's memory may be in use.
  if (origin_.position() > 0) depend(c, origin_, origin_.position());
  device_.begin_capture(origin_);
  origin_.capture.store(&c, std::memory_order_release);
  try {
    const capturing in(c);
    work(with);
    for (stream_state* s : c.joined) order_after(origin_, *s, 0);
  } catch (...) {
    device_.drop_capture(origin_);
    throw;
  }
}

bool graph_state::record(void (*work)(void*), void* with) {
  if (chosen.capture)
    throw device_error(
        "sinter: a capture inside of a capture; call the function itself, it becomes a part of the graph");
  const std::lock_guard hold(busy_);
  auto fresh = std::make_unique<capture_state>(origin_);
  const counted_capture counted(device_);
  try {
    run_captured(*fresh, work, with);
    const bool in_place = device_.end_capture(origin_, executable_);
    leave_capture(*fresh);
    if (work_) leave(*work_);
    work_ = std::move(fresh);
    return in_place;
  } catch (...) {
    leave_capture(*fresh);
    throw;
  }
}

void graph_state::launch(stream_state& on) {
  if (on.capture.load(std::memory_order_acquire))
    throw device_error("sinter: a graph cannot be launched inside of a capture; call what it was captured from");
  const std::lock_guard hold(busy_);
  if (&on.device != &device_) {
    throw device_error(
        ("sinter: a graph of " + to_text(device_.id) + " cannot be launched on a stream of " + to_text(on.device.id))
            .c_str());
  }
  if (last_) order_after(on, *last_, last_position_);
  for (const capture_state::dependency& d : work_->dependencies) order_after(on, *d.on, d.position);
  operation op(on);
  for (const auto& [memory, use] : work_->uses) use.written ? op.writes(memory) : op.reads(memory);
  for (storage* memory : work_->own) op.writes(memory);
  noted(other_work::graph, "graph", 0, on, [&] { device_.launch(*executable_, on); });
  op.done();
  for (const auto& [memory, use] : work_->uses) use.written ? op.has_written(memory) : op.has_read(memory);
  for (storage* memory : work_->own) op.has_written(memory);
  last_ = &on;
  last_position_ = on.position();
}

}  // namespace sinter::runtime

namespace sinter {

using runtime::graph_state;

runtime::graph_state* detail::capture(void (*work)(void*), void* with) try {
  auto made = std::make_unique<graph_state>(runtime::current_device());
  made->record(work, with);
  return made.release();
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

graph::graph(const graph& other) noexcept : state_(other.state_) {
  state_->references.fetch_add(1, std::memory_order_relaxed);
}

graph& graph::operator=(const graph& other) noexcept {
  graph copy(other);
  std::swap(state_, copy.state_);
  return *this;
}

graph::~graph() {
  if (state_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete state_;
}

void graph::launch() const try {
  state_->launch(runtime::current_stream(state_->device()));
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}
void graph::launch(const stream& on) const try { state_->launch(on.state()); } catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}
bool graph::update(void (*work)(void*), void* with) try {
  return state_->record(work, with);
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

}  // namespace sinter
