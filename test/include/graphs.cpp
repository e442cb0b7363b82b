// Graphs: what a capture records, what a launch does with it, whose memory it is, and what cannot be captured. Updates
// are in graphs_update.cpp, graphs and several streams in graphs_streams.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "test/include/ordering.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using doubles = std::vector<double>;

constexpr std::int64_t n = 4096;
constexpr std::int64_t long_n = 300'000;  // a sum of so many is split over the device

int plain_calls = 0;
array<double> plain_out;
void plain_function() {
  ++plain_calls;
  plain_out = ones({n}) * 3;
}

}  // namespace

TEST_CASE("graphs: a capture runs nothing and a launch runs it") {
  const array<double> x = ones({n});
  array<double> kept = full({n}, 5.0), out;
  bool called = false;
  const graph g = capture([&] {
    kept(ellipsis) = kept + x;
    out = kept * 2;
    stream::current().launch_host_func([&] { called = true; });
  });
  CHECK(out.shape() == shape{n});
  CHECK(holds(kept, 5));
  CHECK(!called);
  g.launch();
  CHECK(holds(kept, 6));
  CHECK(holds(out, 12));
  synchronize();
  CHECK(called);
  for (int i = 0; i < 3; ++i) g.launch();
  CHECK(holds(kept, 9));
  CHECK(holds(out, 18));
}

TEST_CASE("graphs 4.4: the thread's own stream may be the default one, and is current again after the capture") {
  static_assert(!std::is_default_constructible_v<graph>);
  CHECK(stream::current() == stream::null());
  const array<double> x = ones({n});
  array<double> out;
  const graph g = capture([&] {
    CHECK(!(stream::current() == stream::null()));
    out = x + 1;
  });
  CHECK(stream::current() == stream::null());
  const stream mine;
  const stream_scope in(mine);
  const graph h = capture([&] { out = out + x; });
  CHECK(stream::current() == mine);
  g.launch();
  h.launch();
  CHECK(holds(out, 3));
}

TEST_CASE("graphs: a launch sees what its inputs hold by then") {
  array<double> x = ones({n});
  array<double> out;
  const graph g = capture([&] { out = x * 10; });
  for (const double value : {3.0, 4.0, 5.0}) {
    x(ellipsis) = value;
    g.launch();
    CHECK(holds(out, value * 10));
  }
  x.set(doubles(n, 6));
  g.launch();
  CHECK(holds(out, 60));
  x = ones({n});  // another array: the graph keeps the one it was made with
  g.launch();
  CHECK(holds(out, 60));
}

TEST_CASE("graphs: a store into all of an array is into the elements a graph has, whatever else it reads of them") {
  array<double> x = arange<double>(n), y = zeros({n});
  const graph g = capture([&] { y(ellipsis) = x * 10; });
  x(ellipsis) = flip(x);
  x += roll(x, 1);
  g.launch();
  CHECK(y(0).item() == 10 * (n - 1));
  CHECK(y(1).item() == 10 * (2 * n - 3));
  array<double> across = arange<double>(n).reshape(2, n / 2).T();
  const graph of_rows = capture([&] { y(slice(0, 2)) = across(0) + 0; });
  across.set(doubles(n, 7));
  of_rows.launch();
  CHECK(holds(y(slice(0, 2)), 7));
}

TEST_CASE("graphs: a captured store goes on from where the last launch has come") {
  const array<double> rows = arange<double>(12).reshape(3, 4);
  const auto check = [&](const char* text, auto&& statement) {
    INFO(text);
    array<double> wanted = rows.copy(), x = rows.copy();
    const graph g = capture([&] { statement(x); });
    for (int i = 0; i < 3; ++i) {
      statement(wanted);
      g.launch();
    }
    CHECK(x.get() == wanted.get());
  };
  check("a roll", [](auto& x) { x(ellipsis) = roll(x, 1, 1) + 1; });
  check("a scan", [](auto& x) { x(ellipsis) = cumsum(x, 1); });
  check("a fold", [](auto& x) { x -= sum(x, {.axis = 1, .keepdims = true}); });
  check("a join", [](auto& x) { x(ellipsis) = concatenate(tuple(x(slice(1, _)), x(slice(0, 1)) * 2)); });
  check("indices that a row gives", [](auto& x) { x(0) = arange<double>(5)(astype<int>(x(0) + 1) % 5); });
  check("where the largest are", [&](auto& x) { x(0) = rows(argmax(x, 0), 0) + 1; });
  check("into where the largest are", [&](auto& x) { x(arange<int>(3), argmax(x, 1)) = 0; });
}

TEST_CASE("graphs: a loop of a thousand statements is one graph and a few blocks of memory") {
  memory_pool pool;
  const using_allocator from(pool);
  const array<double> x = full({n}, 1024.0);
  array<double> out;
  const std::size_t before = pool.used_bytes();
  const graph g = capture([&] {
    array<double> a = x + 0;
    for (int i = 0; i < 1000; ++i) a = a * 0.5 + 1;
    out = a;
  });
  CHECK(pool.used_bytes() <= before + 4 * n * sizeof(double));
  g.launch();
  double expected = 1024;
  for (int i = 0; i < 1000; ++i) expected = expected * 0.5 + 1;
  CHECK(holds(out, expected));
}

TEST_CASE("graphs: temporaries belong to the graph as long as it lives") {
  memory_pool pool;
  const using_allocator from(pool);
  const array<double> x = ones({n});
  const std::size_t before = pool.used_bytes();
  array<double> out;
  {
    const graph g = capture([&] {
      const array<double> a = x + 1;
      out = a + sum(a);  // a, and what the sum needs
    });
    CHECK(pool.used_bytes() >= before + 2 * n * sizeof(double));
    std::vector<array<double>> others;
    for (int i = 0; i < 8; ++i) others.push_back(full({n}, -1.0));
    g.launch();
    CHECK(holds(out, 2 + 2.0 * n));
    for (const array<double>& other : others) CHECK(holds(other, -1));
  }
  CHECK(pool.used_bytes() == before + n * sizeof(double));  // out
  out = array<double>();
  synchronize();
  out = empty({1});  // an allocation looks at what was about to be free
  out = array<double>();
  CHECK(pool.used_bytes() == before);
}

TEST_CASE("graphs 1.15: copies from the host, zeros, reductions, views and stores are captured") {
  const array<double> x = arange<double>(long_n);
  array<double> a, b, c, d;
  array<double> stored = zeros({6});
  doubles host{1, 2, 3};
  const graph g = capture([&] {
    a = asarray(host) + 1;
    b = zeros({6});
    b(slice(_, _, 2)) = 7.0;
    c = sum(x) + mean(x);
    d = sum(x.reshape({3, long_n / 3}), {.axis = 0})(slice(_, _, -1));
    stored(slice(0, 3)) = a;
    stored.set(doubles{5, 5, 5, 5, 5, 5});
    stored(1) = 0.0;
  });
  host = {9, 9, 9};  // has been read
  for (int i = 0; i < 2; ++i) {
    stored(ellipsis) = -1.0;
    g.launch();
    CHECK(a.get() == doubles{2, 3, 4});
    CHECK(b.get() == doubles{7, 0, 7, 0, 7, 0});
    CHECK(c.item() == double(long_n) * (long_n - 1) / 2 + (long_n - 1) / 2.0);
    CHECK(d.get()[0] == 3 * (long_n / 3 - 1) + double(long_n));
    CHECK(stored.get() == doubles{5, 0, 5, 5, 5, 5});
    b(ellipsis) = 100.0;  // the next launch begins anew
  }
}

TEST_CASE("graphs: pinned memory is read and written at every launch") {
  pinned_array<double> from = zeros_pinned({n}), to = zeros_pinned({n});
  array<double> a = zeros({n});
  const graph g = capture([&] {
    a.set(from, {.blocking = false});
    array<double>(a * 2).get(to, {.blocking = false});
  });
  for (const double value : {1.0, 2.0}) {
    std::fill(from.begin(), from.end(), value);
    g.launch();
    synchronize();
    CHECK(to[0] == 2 * value);
    CHECK(to[n - 1] == 2 * value);
    CHECK(holds(a, value));
  }
}

TEST_CASE("graphs 1.15: what waits for the device is refused by name and leaves everything working") {
  const array<double> x = ones({n});
  array<double> out;
  std::ostringstream text;
  double value = 0;
  const std::string file = "graphs.cpp:";
  const int line = __LINE__ + 1;
  const auto item = [&] { value = array<double>(sum(x)).item(); };
  const std::vector<std::pair<std::string, std::function<void()>>> waiting{
      {file + std::to_string(line), item},
      {file, [&] { out.get(); }},
      {file, [&] { out.get(doubles(n), {.blocking = false}); }},
      {"captured", [&] { text << out; }},
      {"captured", [&] { value = static_cast<double>(sum(out)); }},
      {"captured", [&] { save("/nowhere/a.npy", out); }},
      {"stream::synchronize", [&] { stream::current().synchronize(); }},
      {"stream::done", [&] { stream::current().done(); }},
      {"synchronize", [&] { synchronize(); }},
  };
  for (const auto& [named, call] : waiting) {
    CAPTURE(named);
    const std::string refused = refusal<device_error>([&] {
      capture([&] {
        out = x + 1;
        call();
      });
    });
    CHECK_MESSAGE(refused.find(named) != std::string::npos, refused);
    CHECK(stream::current() == stream::null());
    CHECK(holds(x + 1, 2));
    const graph g = capture([&] { out = x + 4; });
    g.launch();
    CHECK(holds(out, 5));
  }
  CHECK(text.str().empty());
}

TEST_CASE("graphs: a reduction's tickets are never a temporary's memory") {
  const array<double> x = ones({long_n}), t = ones({32'768});  // as large as the tickets
  array<double> total, other;
  const graph g = capture([&] {
    { const array<double> temporary = t * 0.1; }
    total = sum(x);
    other = t * 5;
  });
  for (int i = 0; i < 3; ++i) {
    g.launch();
    CHECK(total.item() == double(long_n));
    CHECK(holds(other, 5));
  }
}

TEST_CASE("graphs: a capture inside of a capture is refused, and so is a launch") {
  const array<double> x = ones({n});
  array<double> out;
  graph g = capture([&] { out = x + 1; });
  const array<double> first = out;
  const std::vector<std::function<void()>> nested{
      [&] { capture([&] { out = x + 1; }); },
      [&] { g.launch(); },
      [&] { g.update([&] { out = x + 1; }); },
  };
  for (const auto& call : nested) {
    CHECK_THROWS_AS(capture([&] { call(); }), device_error);
    CHECK_THROWS_AS(g.update([&] { call(); }), device_error);
  }
  g.launch();
  CHECK(holds(first, 2));
}

TEST_CASE("graphs: copies are the same graph; a plain function can be captured") {
  array<double> count = zeros({n});
  std::optional<graph> g = capture([&] { count(ellipsis) = count + 1; });
  graph copy = *g;
  g->launch();
  g.reset();
  copy.launch();
  plain_calls = 0;
  const graph other = capture(plain_function);
  CHECK(plain_calls == 1);
  copy = other;
  copy = static_cast<const graph&>(copy);
  copy.launch();
  CHECK(holds(count, 2));
  CHECK(holds(plain_out, 3));
  plain_out = array<double>();
}

TEST_CASE("graphs: an empty capture can be launched") {
  const graph g = capture([] {});
  g.launch();
  synchronize();
}

TEST_CASE("graphs 4.4: host functions run at every launch and live as long as the graph") {
  const auto token = std::make_shared<int>(0);
  {
    const graph g = capture([&] { stream::current().launch_host_func([token] { ++*token; }); });
    CHECK(*token == 0);
    for (int i = 0; i < 3; ++i) g.launch();
    synchronize();
    CHECK(*token == 3);
    CHECK(token.use_count() == 2);
    g.launch();
  }
  synchronize();
  CHECK(*token == 4);
  CHECK(token.use_count() == 1);
}
