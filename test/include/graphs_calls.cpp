// Calls of libraries in graphs: each kind captured and replayed with what its array holds by then; several together, with workspaces of
// the graph's own; one plan in two graphs at once; and what cannot be captured is refused in a sentence.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sinter/graph.hpp>

#include "test/include/every_call.hpp"
#include "test/include/ordering.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

constexpr std::int64_t rows = 36;

/// The same as outside of a graph, up to what another order of roundings makes of it.
bool is_right(const kind_of_call& k, const array<double>& got, const array<double>& of) {
  const array<double> wanted = k.of(of);
  const bool is_short = k.name.find("float16") != std::string::npos;
  if (!(got.shape() == wanted.shape())) return false;
  const double apart = max(abs(got - wanted) / (1 + abs(wanted))).item();
  if (!(apart <= (is_short ? 1e-2 : 1e-9))) MESSAGE(k.name, " is ", apart, " apart");
  return apart <= (is_short ? 1e-2 : 1e-9);
}

}  // namespace

TEST_CASE("graphs of calls: each kind is computed by every launch, of what its array holds by then") {
  for (const kind_of_call& k : every_call()) {
    if (k.waits) continue;
    CAPTURE(k.name);
    array<double> x = made_for_calls(rows), made, out = zeros<double>(k.of(x).shape());
    const graph g = capture([&] {
      made = k.of(x + 0.0);
      out(ellipsis) = k.of(x);
    });
    CHECK(!any(out != 0).item());
    for (int launch = 0; launch < 3; ++launch) {
      x(ellipsis) = made_for_calls(rows, launch);
      g.launch();
      CHECK(is_right(k, made, x));
      CHECK(is_right(k, out, x));
    }
  }
}

TEST_CASE(
    "graphs of calls: all kinds in one graph, which has workspaces of its own beside the streams that call meanwhile") {
  array<double> x = made_for_calls(rows);
  const std::vector<kind_of_call> kinds = every_call();
  std::vector<array<double>> made(kinds.size());
  for (const kind_of_call& k : kinds) static_cast<void>(k.of(x));  // what is found out once is found
  const auto all_of = [&] {
    for (std::size_t i = 0; i < made.size(); ++i)
      if (!kinds[i].waits) made[i] = kinds[i].of(x);
  };
  const graph g = capture(all_of);
  const stream other({.non_blocking = true});
  for (int launch = 0; launch < 3; ++launch) {
    x(ellipsis) = made_for_calls(rows, 3 + launch);
    g.launch();
    const array<double> y = made_for_calls(rows, 9 - launch);
    const std::vector<array<double>> beside = on(other, [&] {
      std::vector<array<double>> all;
      for (const kind_of_call& k : kinds) all.push_back(k.of(y));
      return all;
    });
    for (std::size_t i = 0; i < made.size(); ++i) {
      const kind_of_call& k = kinds[i];
      CAPTURE(k.name);
      CHECK(is_right(k, beside[i], y));
      if (!k.waits) CHECK(is_right(k, made[i], x));
    }
  }
}

TEST_CASE("graphs of calls: two graphs with the same plan, launched on two streams at once") {
  const stream first({.non_blocking = true}), second({.non_blocking = true});
  for (const kind_of_call& k : every_call()) {
    if (k.waits) continue;
    CAPTURE(k.name);
    array<double> x = made_for_calls(rows), y = made_for_calls(rows, 5), of_x, of_y;
    static_cast<void>(k.of(x));  // what is found out once is found
    const graph g = capture([&] { of_x = k.of(x); }), h = capture([&] { of_y = k.of(y); });
    for (int launch = 0; launch < 4; ++launch) {
      g.launch(first);
      h.launch(second);
    }
    CHECK(is_right(k, of_x, x));
    CHECK(is_right(k, of_y, y));
  }
}

TEST_CASE("graphs of calls: several results of one call, and calls stored over what they are made of") {
  array<double> x = made_for_calls(rows) / rows, values = zeros<double>({rows, 4});
  array<std::int64_t> places = zeros<std::int64_t>({rows, 4});
  const graph g = capture([&] {
    {
      const auto [v, p] = top_k(x, 4);
      places(ellipsis) = p;
      values(ellipsis) = v * 2;
    }
    x(_, 0) = sort(x * -1)(_, 3);
    x(ellipsis) = matmul(x, x);
    x += real(fft::fft(x)) / rows;
  });
  array<double> by_hand = made_for_calls(rows) / rows;
  CHECK(x.get() == by_hand.get());
  for (int launch = 0; launch < 3; ++launch) {
    const array<double> sorted = sort(by_hand, {.stable = true, .descending = true});
    const array<double> wanted = sorted(_, slice(0, 4)), column = sort(by_hand * -1)(_, 3);
    const array<std::int64_t> wanted_places = argsort(by_hand, {.stable = true, .descending = true})(_, slice(0, 4));
    by_hand(_, 0) = column;
    const array<double> product = matmul(by_hand, by_hand), spectrum = real(fft::fft(product));
    by_hand = product + spectrum / rows;
    g.launch();
    CHECK(values.get() == array<double>(wanted * 2).get());
    CHECK(places.get() == wanted_places.get());
    CHECK(all(abs(x - by_hand) < 1e-12).item());
    by_hand = x + 0.0;
  }
}

TEST_CASE("graphs of calls: an update takes other arrays and other shapes") {
  array<double> x = made_for_calls(rows), y = made_for_calls(rows + 4, 2), out;
  for (const kind_of_call& k : every_call()) {
    if (k.waits) continue;
    CAPTURE(k.name);
    static_cast<void>(k.of(x));
    graph g = capture([&] { out = k.of(x); });
    g.launch();
    CHECK(is_right(k, out, x));
    g.update([&] { out = k.of(y); });
    g.launch();
    CHECK(is_right(k, out, y));
  }
}

TEST_CASE("graphs of calls: a sparse array whose entries are not in order is put in order before, not in a graph") {
  const sparse::csc_array<double> a(every_call_of::mostly_zeros(12));
  const array<double> x = made_for_calls(12);
  array<double> out;
  if (!(device::current() == device::cpu())) {  // which takes them as they lie
    const std::string refused = refusal<device_error>([&] { capture([&] { out = matmul(a, x); }); });
    CHECK_MESSAGE(refused.find("putting a sparse array's entries in order, at their first use, waits") != refused.npos,
                  refused);
  }
  const array<double> wanted = matmul(a, x);
  const graph g = capture([&] { out = matmul(a, x); });
  g.launch();
  CHECK(out.get() == wanted.get());
}

TEST_CASE("graphs of calls: what waits for a value is refused, and the stream goes on") {
  const array<double> x = made_for_calls(rows);
  array<double> out;
  for (const kind_of_call& k : every_call()) {
    if (!k.waits) continue;
    CAPTURE(k.name);
    const array<double> wanted = k.of(x);
    const std::string refused = refusal<device_error>([&] {
      capture([&] {
        out = matmul(x, x);
        out = k.of(x);
      });
    });
    CHECK_MESSAGE(refused.find("captured") != std::string::npos, refused);
    CHECK(stream::current() == stream::null());
    CHECK(is_right(k, k.of(x), x));
    const graph g = capture([&] { out = matmul(x, x); });
    g.launch();
    CHECK(out.get() == array<double>(matmul(x, x)).get());
  }
}
