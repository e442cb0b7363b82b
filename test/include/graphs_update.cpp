// Graphs that change and end: updates in place and anew, updates that fail, exceptions and lack of memory in a capture,
// and what a graph leaves behind when it goes.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "test/include/ordering.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using doubles = std::vector<double>;

constexpr std::int64_t n = 4096;
constexpr std::int64_t long_n = 300'000;  // a sum of so many is split over the device

}  // namespace

TEST_CASE("graphs: graphs and arrays outlive each other") {
  array<double> out;
  std::optional<graph> g;
  {
    const array<double> x = full({n}, 3.0);
    g = capture([&] { out = x * 2; });
  }  // x has gone, but not for the graph
  const array<double> other = full({n}, 100.0);
  g->launch();
  CHECK(holds(out, 6));
  const array<double> kept = out;
  out = array<double>();
  g->launch();
  g.reset();
  const array<double> next = full({n}, 200.0);
  CHECK(holds(kept, 6));
  CHECK(holds(next, 200));
  CHECK(holds(other, 100));
}

TEST_CASE("graphs: a graph may go while its launch is still to come") {
  rehearsed([] {
    const array<double> x = ones({n});
    const stream s;
    array<double> out;
    std::optional<graph> g = capture([&] {
      array<double> a = x + 1;
      for (int i = 0; i < 10; ++i) a = a + x;
      out = a * 2;
    });
    gate closed(s);
    g->launch(s);
    g.reset();
    std::vector<array<double>> others;
    for (int i = 0; i < 8; ++i) others.push_back(full({n}, -1.0));
    const stream fresh;
    others.push_back(on(fresh, [&] { return full({n}, -1.0); }));
    closed.open();
    CHECK(holds(out, 24));
    for (const array<double>& other : others) CHECK(holds(other, -1));
  });
}

TEST_CASE("graphs: an exception of the function's ends the capture and gives its memory back") {
  memory_pool pool;
  const using_allocator from(pool);
  array<double> x = ones({n}), out;
  const std::size_t before = pool.used_bytes();
  for (int i = 0; i < 3; ++i) {
    CHECK_THROWS_WITH_AS(capture([&] {
                           out = x + 1;
                           x(ellipsis) = out * 5;
                           throw std::runtime_error("mine");
                         }),
                         "mine", std::runtime_error);
    out = array<double>();
    CHECK(pool.used_bytes() == before);
  }
  CHECK(holds(x, 1));
  out = x + 1;
  CHECK(holds(out, 2));
  CHECK_THROWS_AS(capture([&] { out = x + ones({n + 1}); }), shape_error);
  CHECK(holds(x + out, 3));
}

TEST_CASE("graphs: update changes a graph in place where only scalars, arrays or shapes are others") {
  array<double> x = ones({n}), out;
  double scale = 2;
  const auto work = [&] {
    const array<double> total = sum(x);
    out = x * scale + total;
  };
  graph g = capture(work);
  g.launch();
  CHECK(holds(out, 2 + n));
  scale = 3;
  CHECK(g.update(work));
  g.launch();
  CHECK(holds(out, 3 + n));
  x = full({n}, 2.0);
  CHECK(g.update(work));
  g.launch();
  CHECK(holds(out, 6 + 2 * n));
  CHECK(!g.update([&] { out = sqrt(x + 2); }));
  g.launch();
  CHECK(holds(out, 2));
  CHECK(!g.update([&] {
    out = sqrt(x + 2);
    out = sqrt(out * 8);
  }));
  g.launch();
  CHECK(holds(out, 4));
}

TEST_CASE("graphs: an update that fails leaves the graph as it was") {
  array<double> x = ones({n}), out;
  graph g = capture([&] { out = x * 2; });
  const array<double> first = out;
  CHECK_THROWS_AS(g.update([&] {
    out = x * 3;
    throw std::runtime_error("mine");
  }),
                  std::runtime_error);
  CHECK_THROWS_AS(g.update([&] { out.get(); }), device_error);
  x(ellipsis) = 7.0;
  g.launch();
  CHECK(holds(first, 14));
}

TEST_CASE("graphs: arrays of an update that failed are not the graph's temporaries") {
  const array<double> x = ones({n});
  array<double> out, made;
  graph g = capture([&] {
    array<double> a = x + 1;
    for (int i = 0; i < 3; ++i) a = a + x;
    out = a;
  });
  const array<double> kept = out;
  CHECK_THROWS_AS(g.update([&] {
    made = x * 100;
    throw std::runtime_error("mine");
  }),
                  std::runtime_error);
  made(ellipsis) = -7.0;
  g.launch();
  CHECK(holds(kept, 5));
  CHECK(holds(made, -7));
}

TEST_CASE("graphs: updates in a loop take no more memory and no more of the driver's objects") {
  memory_pool pool;
  const using_allocator from(pool);
  const array<double> x = ones({n});
  array<double> out;
  double scale = 1;
  const auto work = [&] {
    array<double> a = x * scale;
    for (int i = 0; i < 5; ++i) a = a + x;
    out = a + asarray(doubles(n, scale));
  };
  graph g = capture(work);
  const auto rounds = [&] {
    for (int i = 0; i < 20; ++i) {
      scale = i;
      CHECK(g.update(work));
      g.launch();
      CHECK(holds(out, 2.0 * i + 5));
    }
    synchronize();
  };
  rounds();
  const std::size_t total = pool.total_bytes();
  const softgpu::controls* const soft = softgpu_controls();
  const softgpu_counts before = soft ? soft->softgpu_live() : softgpu_counts{};
  rounds();
  CHECK(pool.total_bytes() <= total + n * sizeof(double));
  if (!soft) return;
  const softgpu_counts after = soft->softgpu_live();
  CHECK(after.graphs == before.graphs);
  CHECK(after.graph_execs == before.graph_execs);
  CHECK(after.streams == before.streams);
  CHECK(after.pinned <= before.pinned + 1);
  CHECK(after.modules == before.modules);
}

TEST_CASE("a capture that the driver does not end" * doctest::skip()) {
  const softgpu::controls* const soft = softgpu_controls();
  REQUIRE(soft);
  const array<double> x = ones({n});
  const auto broken_off = [&](int for_ever) {
    constexpr int calls_before = 1, invalid_value = 1;
    CHECK_THROWS_AS(capture([&] {
                      const array<double> y = x + 1;
                      soft->softgpu_fail(calls_before, invalid_value, for_ever);
                      throw std::runtime_error("mine");
                    }),
                    std::runtime_error);
    CHECK(std::string(soft->softgpu_call_name()) == "cuStreamEndCapture");
    soft->softgpu_fail(-1, 0, 0);
  };
  broken_off(0);
  CHECK(holds(array<double>(x + 2), 3));
  synchronize();
  broken_off(1);
  const std::string first = refusal<device_lost>([&] { array<double>(x + 3).get(); });
  CHECK(times_in(first, "cuStreamEndCapture") == 1);
  CHECK(refusal<device_lost>([] { synchronize(); }) == first);
}

TEST_CASE("a capture at whose end the driver refuses everything" * doctest::skip()) {
  const softgpu::controls* const soft = softgpu_controls();
  REQUIRE(soft);
  const array<double> x = ones({n});
  constexpr int invalid_value = 1, every_call = 2;
  CHECK_THROWS_AS(capture([&] {
                    const array<double> y = x + 1;
                    soft->softgpu_fail(0, invalid_value, every_call);
                  }),
                  device_error);
  soft->softgpu_fail(-1, 0, 0);
  CHECK(times_in(refusal<device_lost>([] { synchronize(); }), "cuStreamEndCapture") == 1);
}

TEST_CASE("graphs: a capture that the driver does not end is tried once more, and then the device is lost") {
  if (!softgpu_controls()) return;  // a GPU cannot be told to fail
  for (const char* const name :
       {"a capture that the driver does not end", "a capture at whose end the driver refuses everything"}) {
    const rerun c(name);
    CHECK_MESSAGE(c.ok, c.output);
  }
}

TEST_CASE("graphs: a capture that runs out of memory leaves everything working") {
  memory_pool pool;
  const using_allocator from(pool);
  const array<double> x = ones({long_n});
  array<double> out;
  const auto work = [&] { out = sum(x) + 1; };  // a GPU counts its blocks in memory of the graph's
  pool.set_limit({.bytes = pool.total_bytes() + 65'536});
  const std::string refused = refusal<out_of_memory>([&] { capture(work); });
  if (asynchronous()) CHECK(!refused.empty());
  CHECK(stream::current() == stream::null());
  pool.set_limit();
  graph g = capture(work);
  pool.set_limit({.bytes = pool.total_bytes() + 65'536});
  CHECK_THROWS_AS(g.update([&] { out = ones({long_n}); }), out_of_memory);
  pool.set_limit();
  CHECK(g.update(work));
  g.launch();
  CHECK(out.item() == double(long_n) + 1);
}
