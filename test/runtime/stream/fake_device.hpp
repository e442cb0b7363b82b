// A device that does nothing by itself, for tests of the order between streams: its streams are counts, its events are
// clocks that say what has to come first, and the test says how far the device has come. It counts what it is asked to
// do.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sinter/error.hpp>

#include "runtime/device/device.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/stream/order.hpp"
#include "runtime/stream/table.hpp"

namespace sinter::test {

/// For each native stream, by its place: how much of its work comes first.
class clock {
 public:
  std::uint64_t of(std::size_t place) const { return place < counts_.size() ? counts_[place] : 0; }
  void set(std::size_t place, std::uint64_t count) {
    if (counts_.size() <= place) counts_.resize(place + 1);
    counts_[place] = count;
  }
  void join(const clock& other) {
    for (std::size_t i = 0; i < other.counts_.size(); ++i) set(i, std::max(of(i), other.of(i)));
  }
  bool within(const clock& other) const {
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if (counts_[i] > other.of(i)) return false;
    return true;
  }

 private:
  std::vector<std::uint64_t> counts_;
};

class fake_device final : public runtime::device_impl {
 public:
  /// A new one, which stays for ever, as devices do: storages and streams may name it at any time. `queues`: whether
  /// work is still under way when a call returns. `memory`: what its pools grow from; null: the host's.
  static fake_device& make(unsigned place = runtime::most_devices - 1, bool queues = true,
                           std::unique_ptr<runtime::memory_source> memory = nullptr) {
    static auto* const all = new std::vector<std::unique_ptr<fake_device>>;
    all->emplace_back(new fake_device(place, queues, std::move(memory)));
    return *all->back();
  }
  ~fake_device() override {
    runtime::drop_pools(*this);
    streams().close();
  }

  // ---- what the test does and sees

  /// Enqueues one operation, as a kernel would be, and gives its place among the stream's positions; `count`: its place
  /// among the native operations.
  std::uint64_t work(runtime::stream_state& on, std::uint64_t* count = nullptr) {
    const std::uint64_t mine = step(on);
    if (count) *count = mine;
    return on.enqueued();
  }
  /// The native operations of a stream so far; a wait is none of them.
  std::uint64_t enqueued(const runtime::stream_state& on) {
    const std::lock_guard hold(busy_);
    return at(on).count;
  }
  /// Does all that is enqueued on `on` from now on come after the first `count` native operations of `of`?
  bool ordered(const runtime::stream_state& on, const runtime::stream_state& of, std::uint64_t count) {
    const std::lock_guard hold(busy_);
    return at(on).now.of(at(of).place) >= count;
  }
  /// Enqueues one operation and calls look(place, count, precedes) for it: its stream's place and its own count there,
  /// and whether what has these of another one comes before it. One after the other, whatever threads there are.
  template <class F>
  void enqueue(const runtime::stream_state& on, F look) {
    const std::lock_guard hold(busy_);
    queue& q = at(on);
    look(q.place, ++q.count, [&](std::size_t place, std::uint64_t count) {
      return place == q.place || q.now.of(place) >= count || finished_.of(place) >= count;
    });
  }
  /// Has the device come past that operation?
  bool past(std::size_t place, std::uint64_t count) {
    const std::lock_guard hold(busy_);
    return finished_.of(place) >= count;
  }
  /// The device comes past everything.
  void finish() {
    const std::lock_guard hold(busy_);
    for (const auto& q : native_) finished_.set(q->place, q->count);
  }
  /// The device comes past a stream's work so far, and what that needs.
  void finish(const runtime::stream_state& on) {
    const std::lock_guard hold(busy_);
    finished_.join(at(on).now);
    finished_.set(at(on).place, at(on).count);
  }

  int records = 0, waits = 0, questions = 0, host_waits = 0;  // what the driver was asked
  int streams_alive = 0, events_alive = 0;
  int fail_records = 0;  // so many fail
  int fail_waits = 0;
  int fail_events = 0;

  // ---- device_impl

  bool asynchronous() const override { return waits_; }
  runtime::memory_source& memory(runtime::memory_kind) override { return *memory_; }
  std::size_t total_memory() const override { return std::size_t{1} << 30; }
  std::size_t free_memory() const override { return std::size_t{1} << 30; }

  void copy_in(std::byte*, const void*, std::size_t, runtime::stream_state& on) override { step(on); }
  void copy_out(void*, const std::byte*, std::size_t, runtime::stream_state& on) override { step(on); }
  void copy_in_pinned(std::byte*, const void*, std::size_t, runtime::stream_state& on) override { step(on); }
  void copy_out_pinned(void*, const std::byte*, std::size_t, runtime::stream_state& on) override { step(on); }
  void copy(std::byte*, const std::byte*, std::size_t, runtime::stream_state& on) override { step(on); }
  void copy_from(device_impl&, std::byte*, const std::byte*, std::size_t, runtime::stream_state& on) override {
    step(on);
  }
  void zero(std::byte*, std::size_t, runtime::stream_state& on) override { step(on); }
  void launch(const runtime::loaded_kernel&, const runtime::geometry&, const void*, std::size_t,
              runtime::stream_state& on) override {
    step(on);
  }
  void call_host(void (*)(void*) noexcept, void*, runtime::stream_state& on) override { step(on); }

  void* create_stream(stream_options&) override {
    const std::lock_guard hold(busy_);
    native_.push_back(std::make_unique<queue>());
    native_.back()->place = native_.size() - 1;
    ++streams_alive;
    return native_.back().get();
  }
  void destroy_stream(void* gone) noexcept override {
    const std::lock_guard hold(busy_);
    if (static_cast<queue*>(gone)->closed) std::abort();
    static_cast<queue*>(gone)->closed = true;
    --streams_alive;
  }
  void synchronize(const runtime::stream_state& on) override { finish(on); }
  bool idle(const runtime::stream_state& on) override {
    const std::lock_guard hold(busy_);
    return finished_.of(at(on).place) >= at(on).count;
  }
  void synchronize() override { finish(); }

  void* create_event(event_options) override {
    const std::lock_guard hold(busy_);
    maybe_fail(fail_events);
    ++events_alive;
    return new point;
  }
  void destroy_event(void* gone) noexcept override {
    const std::lock_guard hold(busy_);
    --events_alive;
    delete static_cast<point*>(gone);
  }
  void record(void* event, const runtime::stream_state& on) override {
    const std::lock_guard hold(busy_);
    maybe_fail(fail_records);
    ++records;
    *static_cast<point*>(event) = at(on).now;
    static_cast<point*>(event)->set(at(on).place, at(on).count);
  }
  void wait(const runtime::stream_state& waiting, void* event) override {
    const std::lock_guard hold(busy_);
    maybe_fail(fail_waits);
    ++waits;
    at(waiting).now.join(*static_cast<point*>(event));
  }
  bool done(void* event) override {
    const std::lock_guard hold(busy_);
    ++questions;
    return static_cast<point*>(event)->within(finished_);
  }
  void synchronize(void* event) override {
    const std::lock_guard hold(busy_);
    ++host_waits;
    finished_.join(*static_cast<point*>(event));
  }
  double elapsed_milliseconds(void*, void*) override { return 0; }

  void begin_capture(runtime::stream_state&) override {}
  bool end_capture(runtime::stream_state&, std::unique_ptr<runtime::executable_graph>&) override { return false; }
  void drop_capture(runtime::stream_state&) noexcept override {}
  void launch(runtime::executable_graph&, runtime::stream_state&) override {}

  const codegen::compiler* compiler() const override { return nullptr; }
  codegen::dialect dialect() const override { return codegen::dialect::none; }
  runtime::loaded_kernel load(const codegen::bytes*, const codegen::kernel&, const codegen::variant&) override {
    return {};
  }
  int multiprocessors() const override { return 1; }
  std::string description() const override { return "a device of a test's"; }
  device_properties properties() const override { return {}; }

 private:
  using point = clock;
  fake_device(unsigned place, bool queues, std::unique_ptr<runtime::memory_source> memory)
      : device_impl(device::cuda(static_cast<int>(place) - 2), place),
        waits_(queues),
        memory_(memory ? std::move(memory) : std::make_unique<host_memory>()) {
    native_.push_back(std::make_unique<queue>());  // the default stream's
  }

  struct queue {
    std::size_t place = 0;
    std::uint64_t count = 0;
    clock now;  // of others
    bool closed = false;
  };
  struct host_memory final : runtime::memory_source {
    std::byte* allocate(std::size_t size) override { return static_cast<std::byte*>(std::aligned_alloc(512, size)); }
    void release(std::byte* segment, std::size_t) noexcept override { std::free(segment); }
  };

  queue& at(const runtime::stream_state& s) {
    queue& q = s.handle ? *static_cast<queue*>(s.handle) : *native_[0];
    // A retired stream has nothing to be enqueued on.
    if (q.closed || (!s.handle && s.number != 0)) throw std::logic_error("a stream that has gone was used");
    return q;
  }
  std::uint64_t step(const runtime::stream_state& on) {
    const std::lock_guard hold(busy_);
    return ++at(on).count;
  }
  static void maybe_fail(int& times) {
    if (times == 0) return;
    --times;
    throw device_error("the driver says no");
  }

  const bool waits_;
  std::mutex busy_;
  std::vector<std::unique_ptr<queue>> native_;
  clock finished_;
  const std::unique_ptr<runtime::memory_source> memory_;
};

}  // namespace sinter::test
