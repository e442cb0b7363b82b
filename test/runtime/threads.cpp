// Threads inside of the runtime: marks, waits, readers and dead storages of a device whose work is never over at once,
// used by many threads. The work itself is done on the host when it is enqueued, so the thread sanitizer sees it all,
// which it cannot where a driver stands in between. The order of work is looked at in stream/order.cpp and on softgpu.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sinter/sinter.hpp>

#include "runtime/device/host.hpp"
#include "runtime/device/interpreter.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/order.hpp"
#include "runtime/stream/table.hpp"

namespace {

using namespace sinter;
using runtime::stream_state;

/// Interprets kernels at once, and yet says of its work for a while that it is under way.
class late_device final : public runtime::host_device {
 public:
  explicit late_device(unsigned place) : host_device(device::cuda(static_cast<int>(place) - 2), place) {}

  std::atomic<int> streams_alive{0}, events_alive{0};
  std::atomic<std::int64_t> waits{0};

  bool asynchronous() const override { return true; }
  bool idle(const stream_state&) override { return false; }

  void* create_stream(stream_options& how) override {
    ++streams_alive;
    return host_device::create_stream(how);
  }
  void destroy_stream(void* gone) noexcept override {
    --streams_alive;
    host_device::destroy_stream(gone);
  }
  void* create_event(event_options) override {
    ++events_alive;
    return new std::atomic<int>(0);
  }
  void destroy_event(void* gone) noexcept override {
    --events_alive;
    delete &questions(gone);
  }
  void record(void* event, const stream_state&) override { questions(event) = 3; }
  void wait(const stream_state&, void*) override { ++waits; }
  /// Not before it has been asked a few times.
  bool done(void* event) override {
    int left = questions(event);
    while (left > 0 && !questions(event).compare_exchange_weak(left, left - 1)) {
    }
    return left == 0;
  }
  using host_device::synchronize;
  void synchronize(void* event) override { questions(event) = 0; }

  const codegen::compiler* compiler() const override { return nullptr; }
  codegen::dialect dialect() const override { return codegen::dialect::none; }
  runtime::loaded_kernel load(const codegen::bytes*, const codegen::kernel& source,
                              const codegen::variant& layout) override {
    return {programs_.load(source, layout, id), nullptr};
  }
  int multiprocessors() const override { return 1; }
  std::string description() const override { return "a device of a test's"; }

 protected:
  void run(const runtime::loaded_kernel& kernel, const runtime::geometry& how, const void* arguments,
           std::size_t) override {
    programs_.run(kernel.entry, how, arguments);
  }
  std::string name() const override { return "late"; }

 private:
  static std::atomic<int>& questions(void* event) { return *static_cast<std::atomic<int>*>(event); }

  runtime::interpreted_kernels programs_;
};

constexpr std::int64_t length = 8;

/// An array all of whose elements are one small integer.
struct same {
  array<double> what;
  double value = 0;
};

/// For one scope the thread's current stream of its device.
class working_on {
 public:
  explicit working_on(stream_state& s)
      : place_(runtime::chosen.of_device[s.device.index]), before_(std::exchange(place_, &s)) {}
  working_on(const working_on&) = delete;
  working_on& operator=(const working_on&) = delete;
  ~working_on() { place_ = before_; }

 private:
  stream_state*& place_;
  stream_state* const before_;
};

struct common {
  struct box {
    std::mutex busy;
    same left;
  };

  explicit common(late_device& d) : on(d) {
    for (stream_state*& s : streams) s = &d.streams().make({});
    shared = filled(1);
    clear();
  }
  ~common() {
    for (stream_state* s : streams) runtime::release(*s);
  }
  same filled(double value) {
    array<double> a(runtime::new_array(dtype_of<double>, shape{length}, runtime::current_stream(on)));
    a.set(std::vector<double>(length, value));
    return {std::move(a), value};
  }
  void clear() {
    for (box& b : boxes) b.left = shared;
  }

  late_device& on;
  std::array<stream_state*, 6> streams;
  std::array<box, 24> boxes;
  same shared;
  std::atomic<std::int64_t> evaluations{0};
  std::atomic<int> wrong{0};
};

class worker {
 public:
  worker(common& c, unsigned seed) : all_(c), random_(seed) {
    for (same& s : mine_) s = c.shared;
  }
  void run(std::int64_t count) {
    while (made_ < count) {
      const working_on here(*all_.streams[random_() % all_.streams.size()]);
      step(mine_[random_() % mine_.size()], mine_[random_() % mine_.size()]);
    }
    all_.evaluations += made_;
  }

 private:
  void step(same& x, const same& y) {
    ++made_;
    switch (random_() % 8) {
      case 0: x = {array<double>(x.what + y.what), x.value + y.value}; break;
      case 1: x = {array<double>(all_.shared.what - x.what * 2), all_.shared.value - 2 * x.value}; break;
      case 2:
        x.what += 1;  // in its place, or away from the threads that share it
        x.value += 1;
        break;
      case 3:
        if (sum(x.what).item() != x.value * double(length)) ++all_.wrong;
        break;
      case 4: on_new_stream(x); break;
      case 5:
        if (x.what(3).item() != x.value) ++all_.wrong;
        break;
      default: exchange(x); break;
    }
    if (std::abs(x.value) > 1e6) x = all_.shared;
  }
  void on_new_stream(same& x) {
    stream_state& fresh = all_.on.streams().make({});
    {
      const working_on here(fresh);
      x = {array<double>(x.what * -1.0), -x.value};
    }
    runtime::release(fresh);
  }
  void exchange(same& x) {
    common::box& b = all_.boxes[random_() % all_.boxes.size()];
    const std::lock_guard hold(b.busy);
    std::swap(b.left, x);
  }

  common& all_;
  std::mt19937 random_;
  std::array<same, 3> mine_;
  std::int64_t made_ = 0;
};

void phase(common& c, int threads, std::int64_t evaluations, unsigned seed) {
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&, i] {
      try {
        worker w(c, seed * 1'000 + static_cast<unsigned>(i));
        w.run(evaluations / threads);
      } catch (const std::exception& e) {
        ++c.wrong;
        MESSAGE(e.what());
      }
    });
  for (std::thread& t : all) t.join();
  c.clear();
  c.on.streams().settle();
  while (runtime::wait_for_pending_frees(c.on)) {
  }
}

}  // namespace

TEST_CASE("threads: 32 of them on the streams of a device that is always late, all right and nothing kept") {
  const char* const asked = std::getenv("SINTER_STRESS");
  const std::int64_t evaluations = asked ? std::atoll(asked) : 12'000;
  constexpr int threads = 32;
  // Its streams' states are never freed, and neither is it.
  static late_device& late = *new late_device(runtime::most_devices - 9);
  const auto used = [] { return runtime::default_pools().of(late).blocks.usage().used; };
  {
    common c(late);
    phase(c, threads, evaluations / 10, 1);
    const int streams = late.streams_alive, events = late.events_alive;
    const std::size_t bytes = used();
    phase(c, threads, evaluations, 2);
    CHECK(c.wrong == 0);
    CHECK(c.evaluations >= evaluations);
    CHECK(late.waits > 0);
    CHECK(late.streams_alive == streams);
    CHECK(late.events_alive <= events + 1'024);  // those kept to be used again, and each stream's marks
    CHECK(used() == bytes);
  }
  while (runtime::wait_for_pending_frees(late)) {
  }
  CHECK(used() == 0);
}
