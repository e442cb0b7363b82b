// Streams as objects: which one is the thread's current stream, what compares equal, priorities, foreign handles, and
// that making and dropping any number of them leaves nothing behind. The numbers are those of CuPy's documented
// behaviours.
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/device/driver.hpp"
#include "test/include/ordering.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using doubles = std::vector<double>;

constexpr std::int64_t n = 4096;

/// A stream that other code made, and work that it puts there, of which Sinter hears nothing.
class foreign_stream {
 public:
  explicit foreign_stream(bool default_one) {
    synchronize();  // the context is this thread's
    if (!default_one) REQUIRE(api_.cuStreamCreateWithPriority(&handle_, runtime::cu_stream_non_blocking, 0) == 0);
  }
  foreign_stream(const foreign_stream&) = delete;
  foreign_stream& operator=(const foreign_stream&) = delete;
  ~foreign_stream() {
    if (handle_) api_.cuStreamDestroy_v2(handle_);
  }
  stream wrapped() const { return stream::from_external(handle_); }
  /// Fills after a while.
  void fill(const array<std::uint8_t>& a, unsigned char with) const {
    const auto rest = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
    const auto address = reinterpret_cast<runtime::cu_address>(place_of(a));
    CHECK(api_.cuLaunchHostFunc(handle_, rest, nullptr) == 0);
    CHECK(api_.cuMemsetD8Async(address, with, static_cast<std::size_t>(a.size()), handle_) == 0);
  }

 private:
  const runtime::driver& api_ = *runtime::find_driver(nullptr);
  runtime::cu_stream handle_ = nullptr;
};

bool all_are(const array<std::uint8_t>& a, unsigned char value) {
  return a.get() == std::vector<std::uint8_t>(static_cast<std::size_t>(a.size()), value);
}

}  // namespace

TEST_CASE("streams 4.1: scopes nest and put the stream before back") {
  const stream first = stream::current(), a, b;
  CHECK(first == stream::null());
  {
    const stream_scope outer(a);
    CHECK(stream::current() == a);
    {
      const stream_scope inner(b);
      CHECK(stream::current() == b);
      const stream_scope again(a);
      CHECK(stream::current() == a);
    }
    CHECK(stream::current() == a);
    try {
      const stream_scope inner(b);
      throw std::runtime_error("through the scope");
    } catch (const std::runtime_error&) {
    }
    CHECK(stream::current() == a);
  }
  CHECK(stream::current() == first);
}

TEST_CASE("streams 4.1: use() sets the thread's stream, and a scope around it puts back what was there") {
  const stream a, b;
  a.use();
  CHECK(stream::current() == a);
  {
    const stream_scope in(b);
    CHECK(stream::current() == b);
  }
  CHECK(stream::current() == a);
  CHECK(holds(slowly(zeros({n})), 8));
  stream::null().use();
  CHECK(stream::current() == stream::null());
  stream().use();  // the thread alone holds it
  const void* const held = stream::current().handle();
  {
    const stream_scope in(a);
    b.use();
    CHECK(stream::current() == b);
  }
  CHECK(stream::current().handle() == held);  // the scope's end is its beginning
  CHECK(holds(slowly(zeros({n})), 8));
  stream::null().use();
}

TEST_CASE("streams 4.1: each thread has its own current stream") {
  const stream a;
  const stream_scope in(a);
  const device here = device::current();
  bool others = false, ended = false;
  std::thread other([&] {
    const device_scope on_device(here);
    others = stream::current() == stream::null();
    const stream mine;
    mine.use();
    ended = stream::current() == mine && holds(slowly(zeros({n})), 8);
  });  // it ends with a stream in use
  other.join();
  CHECK(others);
  CHECK(ended);
  CHECK(stream::current() == a);
}

TEST_CASE("streams 4.1: streams are equal where their handles are") {
  const stream a, b;
  const stream copy = a;
  CHECK(copy == a);
  CHECK(!(a == b));
  CHECK(a.handle() == copy.handle());
  CHECK(a.device() == device::current());
  stream other = b;
  other = a;
  CHECK(other == a);
  other = static_cast<const stream&>(other);
  CHECK(other == a);
  CHECK(!(a == stream::null()));
  if (asynchronous()) CHECK(stream::null().handle() == nullptr);
}

TEST_CASE("streams 4.1: a stream of another device is refused") {
  const std::optional<device> second = second_gpu();
  const device elsewhere = second                                          ? *second
                           : device::current().type() == device::kind::cpu ? device::interpreter()
                                                                           : device::cpu();
  std::optional<stream> there;
  {
    const device_scope in(elsewhere);
    there.emplace();
    CHECK(there->device() == elsewhere);
  }
  const std::string text = refusal<device_error>([&] { there->use(); });
  CHECK(text.find(name_of(elsewhere)) != std::string::npos);
  CHECK(text.find(name_of(device::current())) != std::string::npos);
  CHECK(refusal<device_error>([&] { const stream_scope in(*there); }) != "");
  CHECK(stream::current() == stream::null());
  event mine;
  CHECK_THROWS_AS(mine.record(*there), device_error);
  CHECK(mine.done());
  const device_scope in(elsewhere);
  there->use();
  CHECK(stream::current() == *there);
  stream::null().use();
}

TEST_CASE("streams 4.2: the default stream is one for all threads") {
  const stream mine = stream::null();
  const device here = device::current();
  std::optional<stream> other;
  std::thread([&] {
    const device_scope in(here);
    other = stream::null();
  }).join();
  CHECK(*other == mine);
}

TEST_CASE("per-thread default streams" * doctest::skip()) {
  const stream mine = stream::null();
  const device here = device::current();
  std::optional<stream> other;
  array<double> made;
  bool worked = false;
  std::thread([&] {
    const device_scope in(here);
    other = stream::null();
    CHECK(stream::current() == *other);
    made = slowly(zeros({n}));
    worked = holds(made + 1, 9);
  }).join();
  CHECK(!(*other == mine));
  CHECK(stream::null() == mine);
  CHECK(worked);
  CHECK(holds(array<double>(made * 2), 16));  // what a thread that has ended made
  other.reset();
  made = array<double>();
  for (int i = 0; i < 30; ++i) {
    std::thread([&] {
      const device_scope in(here);
      CHECK(static_cast<double>(sum(slowly(zeros({n})))) == 8.0 * n);
    }).join();
  }
}

TEST_CASE("streams 4.2: SINTER_PER_THREAD_DEFAULT_STREAM=1 gives each thread its own") {
  const rerun with("per-thread default streams", {{"SINTER_PER_THREAD_DEFAULT_STREAM", "1"}});
  CHECK_MESSAGE(with.ok, with.output);
}

TEST_CASE("streams 4.5: a foreign handle is wrapped, used and left to its owner") {
  const stream owner;
  const stream wrapped = stream::from_external(owner.handle());
  CHECK(wrapped == owner);
  CHECK(wrapped.handle() == owner.handle());
  if (asynchronous()) CHECK(stream::from_external(nullptr) == stream::null());
  array<double> a;
  {
    const stream_scope in(wrapped);
    a = slowly(zeros({n}));
  }
  owner.synchronize();
  CHECK(holds(a, 8));
}

TEST_CASE("streams 4.5: what other code put on its stream is waited for") {
  if (!asynchronous()) return;
  for (const bool default_one : {false, true}) {
    const foreign_stream theirs(default_one);
    const stream wrapped = theirs.wrapped(), mine;
    const array<std::uint8_t> x = zeros<std::uint8_t>({n});
    const auto next = [&] { return on(mine, [&] { return array<std::uint8_t>(x + std::uint8_t{1}); }); };
    array<std::uint8_t> y = next();
    CHECK(all_are(y, 1));

    theirs.fill(x, 1);
    mine.wait(wrapped);
    CHECK(all_are(next(), 2));
    theirs.fill(x, 2);
    mine.wait(wrapped);
    CHECK(all_are(next(), 3));

    event e;
    theirs.fill(x, 3);
    e.record(wrapped);
    mine.wait(e);
    CHECK(all_are(next(), 4));

    theirs.fill(x, 4);
    e.record(wrapped);
    const graph after_event = on(mine, [&] {
      return capture([&] {
        mine.wait(e);
        y = x + std::uint8_t{1};
      });
    });
    after_event.launch(mine);
    CHECK(all_are(y, 5));

    theirs.fill(x, 5);
    const graph after_stream = on(mine, [&] {
      return capture([&] {
        mine.wait(wrapped);
        y = x + std::uint8_t{1};
      });
    });
    after_stream.launch(mine);
    CHECK(all_are(y, 6));
    synchronize();
  }
}

TEST_CASE("streams: what enters one stream first runs first") {
  const stream one;
  array<double> x = on(one, [] { return zeros({n}); });
  std::mutex turn;
  int last = -1, entered = 0;
  double expected = 0;
  const auto work = [&](int thread) {
    const stream_scope in(one);
    for (int i = 0; i < 200;) {
      const std::lock_guard hold(turn);
      if (last == thread) continue;
      last = thread;
      ++i, ++entered;
      x(ellipsis) = thread == 0 ? array<double>(x + 1) : array<double>(x * 0.5);
      expected = thread == 0 ? expected + 1 : expected * 0.5;
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  CHECK(entered == 400);
  CHECK(holds(x, expected));
}

TEST_CASE("streams: priorities are clipped to what the device has") {
  const stream most({.priority = -1000}), least({.priority = 1000}), plain;
  CHECK(most.priority() > -1000);
  CHECK(least.priority() < 1000);
  CHECK(most.priority() <= plain.priority());
  CHECK(plain.priority() <= least.priority());
  CHECK(plain.priority() == 0);
}

TEST_CASE("streams: one that is not non-blocking works too") {
  const stream blocking({.non_blocking = false});
  const array<double> x = slowly(zeros({n}));
  const array<double> a = on(blocking, [&] { return slowly(x); });
  const array<double> b = slowly(a);
  CHECK(holds(b, 24));
}

TEST_CASE("streams: making and dropping many streams and events leaves nothing behind") {
  array<double> kept = zeros({n});
  const auto round = [&] {
    const stream a, b({.priority = -1});
    const array<double> x = on(a, [&] { return array<double>(kept + 1); });
    const event e = a.record();
    b.wait(e);
    kept = on(b, [&] { return array<double>(x + sum(x) * 0.0); });
    on(a, [&] { return array<double>(kept * 2); });
  };
  const auto rounds = [&](int count) {
    for (int i = 0; i < count; ++i) {
      round();
      if (i % 10 == 9) synchronize();
    }
  };
  rounds(300);
  const softgpu::controls* const soft = softgpu_controls();
  const softgpu_counts before = soft ? soft->softgpu_live() : softgpu_counts{};
  const std::size_t total = default_memory_pool().total_bytes();
  rounds(600);
  CHECK(holds(kept, 900));
  // What is made between two waits may all be under way at once on a device that others use, too; what stayed would be 600 arrays.
  constexpr std::size_t of_rounds = 10 * 5 * n * sizeof(double);
  CHECK(default_memory_pool().total_bytes() <= 2 * total + of_rounds);
  if (!soft) return;
  const softgpu_counts after = soft->softgpu_live();
  CHECK(after.streams <= before.streams);
  CHECK(after.events <= before.events + 300);  // a few hundred are kept to be used again
  CHECK(after.allocations <= 2 * before.allocations);
}
