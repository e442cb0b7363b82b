// Graphs and streams: several streams inside of a capture, launches on several streams and threads, and the order
// between what a graph does and what goes on beside it.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
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
constexpr std::int64_t long_n = 300'000;

}  // namespace

TEST_CASE("graphs: streams fork and join inside of a capture") {
  array<double> x = ones({n}), out, left;
  const stream s1, s2;
  const graph g = capture([&] {
    const stream here = stream::current();
    const array<double> a = x + 1;
    s1.wait(here);
    s2.wait(here);
    left = on(s1, [&] { return slowly(a); });
    const array<double> right = on(s2, [&] { return slowly(a * 2); });
    here.wait(s1);
    here.wait(s2);
    out = left + right;
  });
  CHECK(holds(on(s1, [&] { return array<double>(x + 1); }), 2));  // ordinary streams again
  for (const double value : {1.0, 5.0}) {
    x(ellipsis) = value;
    g.launch();
    CHECK(holds(out, 3 * (value + 1) + 16));
    CHECK(holds(left, value + 9));
  }
}

TEST_CASE("graphs: streams that a capture uses are part of it, whether it waits or not") {
  array<double> x = ones({n}), out, alone;
  const stream s1, s2;
  bool called = false;
  const graph g = capture([&] {
    const array<double> a = on(s1, [&] { return slowly(x); });
    const array<double> b = on(s2, [&] { return array<double>(a + x); });
    out = a + b;
    alone = on(s1, [&] { return array<double>(b * 2); });  // nothing waits for it
    s2.launch_host_func([&] { called = true; });
  });
  CHECK(!called);
  x(ellipsis) = 2.0;
  g.launch();
  CHECK(holds(out, 22));
  CHECK(holds(alone, 24));
  synchronize();
  CHECK(called);
  s1.synchronize();
  CHECK(s2.done());
}

TEST_CASE("graphs: streams inside of a capture share arrays from outside and temporaries' memory in order") {
  array<double> x = ones({n}), read, again;
  const stream s1, s2;
  const graph g = capture([&] {
    on(s1, [&] { x(ellipsis) = slowly(x); });
    read = on(s2, [&] { return slowly(x); });  // after the store
    x(ellipsis) = x * 2;                       // after the read, and the store
    on(s1, [&] { const array<double> gone = x + 1; });
    again = zeros({n});  // in the memory of one that went on another stream
    again(slice(0, 1)) = 5.0;
  });
  double expected = 1;
  for (int i = 0; i < 3; ++i) {
    g.launch();
    CHECK(holds(read, expected + 16));
    expected = 2 * (expected + 8);
    CHECK(holds(x, expected));
    CHECK(again.get()[0] == 5);
    CHECK(again.get()[1] == 0);
  }
}

TEST_CASE("graphs: streams made inside of a capture may end there") {
  array<double> x = ones({n}), out;
  const graph g = capture([&] {
    array<double> a;
    {
      const stream s;
      s.wait(stream::current());
      a = on(s, [&] { return slowly(x); });
    }
    out = a + x;
  });
  for (int i = 0; i < 2; ++i) {
    g.launch();
    CHECK(holds(out, 10));
    x(ellipsis) = 1.0;
  }
  const stream fresh;
  CHECK(holds(on(fresh, [&] { return slowly(x); }), 9));
}

TEST_CASE("graphs: a capture depends on what other streams did before it, and a launch on what they do before that") {
  rehearsed([] {
    const stream s;
    gate closed(s);
    array<double> x = on(s, [&] { return slowly(zeros({n})); });
    array<double> out;
    const graph g = capture([&] { out = x * 2; });
    g.launch();
    closed.open();
    CHECK(holds(out, 16));
    gate again(s);
    on(s, [&] { x(ellipsis) = x + 1; });
    g.launch();
    again.open();
    CHECK(holds(out, 18));
  });
}

TEST_CASE("graphs: a captured store is no store before the launch") {
  rehearsed([] {
    const stream s, reader;
    gate closed(s);
    array<double> a = on(s, [&] { return slowly(zeros({n})); });
    const graph g = capture([&] { a(ellipsis) = a * 2; });
    const array<double> b = on(reader, [&] { return array<double>(a + 1); });  // after s, which stands still
    closed.open();
    CHECK(holds(b, 9));
    g.launch();
    CHECK(holds(a, 16));
  });
}

TEST_CASE("graphs: launches on several streams come one after the other") {
  array<double> count = zeros({n});
  const graph g = capture([&] {
    array<double> a = count + 1;  // a temporary that all launches share
    for (int i = 0; i < 5; ++i) a = a * 1;
    count(ellipsis) = a;
  });
  const std::vector<stream> streams(4);
  for (int i = 0; i < 20; ++i) g.launch(streams[static_cast<std::size_t>(i % 4)]);
  CHECK(holds(count, 20));
  {
    const stream_scope in(streams[2]);
    g.launch();
  }
  count += 1;
  g.launch();
  CHECK(holds(count, 23));
}

TEST_CASE("graphs: a launch waits for those who read what the one before made") {
  rehearsed([] {
    array<double> x = ones({n}), out;
    const graph g = capture([&] { out = x * 2; });
    g.launch();
    const stream reader;
    gate closed(reader);
    const array<double> first = on(reader, [&] { return array<double>(out + 1); });
    x(ellipsis) = 10.0;
    g.launch();
    const array<double> second = on(reader, [&] { return array<double>(out + 1); });
    closed.open();
    CHECK(holds(first, 3));
    CHECK(holds(second, 21));
  });
}

TEST_CASE("graphs: a joined stream's reductions and the stream's own do not count in the same tickets") {
  rehearsed([] {
    const array<double> x = ones({long_n});
    const stream s, other;
    array<double> inside;
    std::optional<graph> g = capture([&] {
      s.wait(stream::current());
      inside = on(s, [&] { return array<double>(sum(x * 2)); });
    });
    for (int i = 0; i < 5; ++i) {
      g->launch(other);
      const array<double> beside = on(s, [&] { return array<double>(sum(x * 3)); });
      CHECK(beside.item() == 3.0 * long_n);
      CHECK(inside.item() == 2.0 * long_n);
    }
    // Nor does the stream that gets the place of the graph's own.
    g = capture([&] { inside = sum(x * 5); });
    gate closed(other);
    g->launch(other);
    g.reset();
    const stream fresh;
    const array<double> beside = on(fresh, [&] { return array<double>(sum(x * 7)); });
    closed.open();
    CHECK(beside.item() == 7.0 * long_n);
    CHECK(inside.item() == 5.0 * long_n);
  });
}

TEST_CASE("graphs: an event of a capture joins streams inside, and marks nothing outside") {
  const array<double> x = ones({n});
  array<double> out;
  const stream s, other;
  std::optional<event> inside;
  const graph g = capture([&] {
    const array<double> a = x + 1;
    inside.emplace(stream::current().record());
    s.wait(*inside);
    const array<double> b = on(s, [&] { return array<double>(a * 3); });
    stream::current().wait(s.record());
    out = b + 1;
  });
  g.launch();
  CHECK(holds(out, 7));
  CHECK_THROWS_AS(inside->done(), device_error);
  CHECK_THROWS_AS(inside->synchronize(), device_error);
  CHECK_THROWS_AS(other.wait(*inside), device_error);
  CHECK_THROWS_AS(elapsed_time(*inside, *inside), device_error);
  CHECK(holds(on(other, [&] { return slowly(x); }), 9));
  other.synchronize();
  inside->record(other);
  inside->synchronize();
  CHECK(inside->done());
}

TEST_CASE("graphs: an event from outside is waited for by every launch") {
  rehearsed([] {
    const array<double> x = ones({n});
    array<double> out;
    const stream s;
    gate closed(s);
    bool before = false, seen = false;
    s.launch_host_func([&] { before = true; });
    const event e = s.record();
    const graph g = capture([&] {
      stream::current().wait(e);
      stream::current().launch_host_func([&] { seen = before; });
      out = x + 1;
    });
    g.launch();
    closed.open();
    CHECK(holds(out, 2));
    synchronize();
    CHECK(seen);
  });
}

TEST_CASE("graphs: other threads launch, capture and evaluate meanwhile") {
  const array<double> x = ones({n});
  array<double> out;
  const device here = device::current();
  const graph g = capture([&] { out = slowly(x) * 2; });
  std::thread([&] {
    const device_scope in(here);
    g.launch();
  }).join();
  CHECK(holds(out, 18));

  std::vector<std::thread> threads;
  std::vector<char> right(4, 0);
  for (std::size_t t = 0; t < right.size(); ++t)
    threads.emplace_back([&, t] {
      const device_scope in(here);
      bool good = true;
      for (int i = 0; i < 5; ++i) {
        if (t == 0) {  // one that does not capture
          good = good && holds(slowly(x), 9);
          synchronize();
          default_memory_pool().free_all_blocks();
          continue;
        }
        array<double> mine;
        const graph own = capture([&] { mine = slowly(x) + double(t) + sum(x); });
        own.launch();
        good = good && holds(mine, 9 + double(t) + double(n));
      }
      right[t] = good;
    });
  for (std::thread& t : threads) t.join();
  for (const char good : right) CHECK(good);
}

TEST_CASE("graphs: what is being captured is no other thread's business") {
  const array<double> x = ones({n});
  const device here = device::current();
  array<double> out;
  std::string refused;
  const graph g = capture([&] {
    out = x + 1;
    std::thread([&] {
      const device_scope in(here);
      refused = refusal<device_error>([&] { const array<double> early = out + 1; });
    }).join();
  });
  CHECK(refused.find("capture") != std::string::npos);
  g.launch();
  CHECK(holds(out, 2));
}

TEST_CASE("graphs: arrays of a stream that is captured may be used by all threads") {
  const device here = device::current();
  const stream s;
  const array<double> x = on(s, [&] { return slowly(zeros({n})); });
  array<double> out;
  doubles read;
  const graph g = capture([&] {
    out = on(s, [&] { return array<double>(x + 1); });
    std::thread([&] {
      const device_scope in(here);
      read = array<double>(x * 2).get();
    }).join();
  });
  CHECK(read == doubles(n, 16));
  g.launch();
  CHECK(holds(out, 9));
}

TEST_CASE("graphs: a launch on another device's stream is refused") {
  const std::optional<device> second = second_gpu();
  const device elsewhere = second ? *second : asynchronous() ? device::cpu() : device::interpreter();
  if (elsewhere == device::current()) return;
  const array<double> x = ones({n});
  array<double> out;
  const graph g = capture([&] { out = x + 1; });
  std::optional<stream> there;
  {
    const device_scope in(elsewhere);
    there.emplace();
    g.launch();  // on the graph's own device
  }
  CHECK(holds(out, 2));
  const std::string text = refusal<device_error>([&] { g.launch(*there); });
  CHECK(text.find(name_of(elsewhere)) != std::string::npos);
  CHECK_THROWS_AS(capture([&] { array<double>(x + 1).to(elsewhere); }), device_error);
  CHECK(holds(array<double>(x + 1), 2));
}
