// Streams and events at work: waiting for each other and for the host, host functions, timing, the CPU's beside a
// GPU's. The numbers are those of CuPy's documented behaviours.
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "test/include/ordering.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using doubles = std::vector<double>;

constexpr std::int64_t n = 4096;

}  // namespace

TEST_CASE("streams: done() does not wait and synchronize() does") {
  rehearsed([] {
    const stream s;
    CHECK(s.done());
    gate closed(s);
    const array<double> a = on(s, [&] { return slowly(zeros({n})); });
    if (gates_stand()) CHECK(!s.done());
    CHECK(!closed.gave_up());
    closed.open();
    s.synchronize();
    CHECK(s.done());
    CHECK(holds(a, 8));
    gate again(s);
    again.open();
    synchronize();  // the whole device
    CHECK(s.done());
  });
}

TEST_CASE("streams: a stream waits for another's work and for an event, not for what comes later") {
  rehearsed([] {
    const stream a, b, c;
    int order = 0, first = 0, second = 0, third = 0;
    gate before(a);
    a.launch_host_func([&] { first = ++order; });
    const event passed = a.record();
    b.wait(passed);
    b.launch_host_func([&] { second = ++order; });
    c.wait(b);
    c.launch_host_func([&] { third = ++order; });
    if (gates_stand()) CHECK(!c.done());
    before.open();
    c.synchronize();
    CHECK(first == 1);
    CHECK(second == 2);
    CHECK(third == 3);
    gate after(a);  // no stream waits for this one
    b.wait(passed);
    c.wait(b);
    const array<double> x = on(c, [&] { return slowly(zeros({n})); });
    c.synchronize();
    CHECK(!after.gave_up());
    after.open();
    a.wait(a);
    a.synchronize();
    CHECK(holds(x, 8));
  });
}

// A stream that only waits has nothing to show for it; the next one that gets its place has not waited.
TEST_CASE("streams: a new stream has not waited for what a former one waited for") {
  rehearsed([] {
    const stream x;
    for (int round = 0; round < 3; ++round) {
      gate closed(x);
      const array<double> a = on(x, [&] { return slowly(zeros({n})); });
      for (const stream& gone : std::vector<stream>(24)) gone.wait(x);
      const std::vector<stream> fresh(24);
      std::vector<array<double>> read;
      for (const stream& s : fresh) read.push_back(on(s, [&] { return array<double>(a * 2); }));
      closed.open();
      for (const array<double>& b : read) CHECK(holds(b, 16));
    }
  });
}

TEST_CASE("streams: host functions run in order, with what they hold, and go") {
  const stream s;
  const auto token = std::make_shared<int>(7);
  std::vector<int> seen;
  for (int i = 0; i < 20; ++i) s.launch_host_func([&seen, i, token] { seen.push_back(i * *token); });
  s.synchronize();
  REQUIRE(seen.size() == 20);
  for (int i = 0; i < 20; ++i) CHECK(seen[static_cast<std::size_t>(i)] == 7 * i);
  for (int i = 0; i < 2000 && token.use_count() > 1; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(token.use_count() == 1);
  const array<double> a = on(s, [&] { return slowly(zeros({n})); });
  bool late = false;
  s.launch_host_func([&] { late = true; });
  CHECK(on(s, [&] { return holds(a, 8); }));
  s.synchronize();
  CHECK(late);
}

TEST_CASE("events 4.3: an event marks the current stream's work so far") {
  rehearsed([] {
    const stream s;
    gate closed(s);
    event e({.timing = false});
    CHECK(e.done());  // nothing has recorded it
    e.synchronize();
    {
      const stream_scope in(s);
      e.record();
    }
    if (gates_stand()) CHECK(!e.done());
    const event copy = e;
    closed.open();
    copy.synchronize();
    CHECK(e.done());
    CHECK(copy.done());
    gate again(s);
    CHECK(e.done());  // what comes later is not marked
    e.record(s);
    if (gates_stand()) CHECK(!copy.done());  // the same event
    again.open();
    e.synchronize();
    CHECK(copy.done());
    CHECK(s.record({.blocking_sync = true}).state() != e.state());
  });
}

TEST_CASE("events 4.3: elapsed_time is in milliseconds and says what is wrong") {
  rehearsed([] {
    const stream s;
    const event start = s.record();
    s.launch_host_func([] { std::this_thread::sleep_for(std::chrono::milliseconds(12)); });
    const event end = s.record();
    end.synchronize();
    CHECK(elapsed_time(start, end) >= 12);
    CHECK(elapsed_time(start, end) < 5000);
    CHECK(elapsed_time(start, start) == 0);
    const event untimed = s.record({.timing = false});
    untimed.synchronize();
    CHECK(refusal<device_error>([&] { elapsed_time(start, untimed); }).find("timing") != std::string::npos);
    CHECK_THROWS_AS(elapsed_time(untimed, end), device_error);
    CHECK_THROWS_AS(elapsed_time(start, event()), device_error);  // never recorded
    gate closed(s);
    const event later = s.record();
    if (gates_stand()) CHECK_THROWS_AS(elapsed_time(start, later), device_error);  // the device has not come there
    closed.open();
    later.synchronize();
    CHECK(elapsed_time(start, later) >= 12);
  });
}

// Native events are used again, their records are not.
TEST_CASE("events: a new event has no past") {
  rehearsed([] {
    const stream s, other;
    gate closed(s);
    for (int i = 0; i < 20; ++i) {
      const event recorded = s.record();
    }
    const event fresh;
    CHECK(fresh.done());
    fresh.synchronize();  // would wait for the gate
    other.wait(fresh);
    other.synchronize();
    CHECK(!closed.gave_up());
    closed.open();
    s.synchronize();
    CHECK_THROWS_AS(elapsed_time(event(), event()), device_error);
  });
}

TEST_CASE("events: events and streams of the CPU and of a GPU wait for each other") {
  if (!asynchronous()) return;
  const stream gpu;
  std::optional<stream> host;
  std::optional<event> on_host;
  {
    const device_scope in(device::cpu());
    host.emplace();
    on_host.emplace(host->record());
  }
  gpu.wait(*on_host);  // has happened
  gpu.wait(*host);
  bool ran = false;
  gpu.launch_host_func([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ran = true;
  });
  host->wait(gpu);  // what the CPU evaluates next comes after it: the host waits
  CHECK(ran);
  ran = false;
  gpu.launch_host_func([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ran = true;
  });
  host->wait(gpu.record());
  CHECK(ran);
  CHECK_THROWS_AS(elapsed_time(*on_host, gpu.record()), device_error);
}
