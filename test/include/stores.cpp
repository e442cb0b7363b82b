// Stores through an index: they write what they name, copy only what a name would miss, and law 1 holds all the same.
#include <doctest/doctest.h>

#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using doubles = std::vector<double>;

constexpr int n = 40;
constexpr auto row_size = static_cast<std::int64_t>(n * sizeof(double));

array<double> square(int extent = n) {
  return (arange<double>(extent * extent) - extent).reshape({extent, extent}) + 0.0;
}

/// A statement that stores into rows or elements of x, and the values it gives those it stores into.
struct statement {
  std::string text;
  std::function<void(array<double>&)> run;
  std::int64_t launches;
  std::int64_t most_bytes;  // it may ask for
};

const statement statements[] = {
    {"x(0, 0) -= sum(x(0) * x(1))", [](auto& x) { x(0, 0) -= sum(x(0) * x(1)); }, 2, 512},
    {"x(0) = x.T()(0)", [](auto& x) { x(0) = x.T()(0); }, 2, row_size},
    {"x(0) = x.T()[0]", [](auto& x) { x(0) = x.T()[0]; }, 2, row_size},
    {"x(0) = f(x(0)), generic",
     [](auto& x) {
       const auto f = [](const auto& v) -> lazy<double> { return v * 2; };
       x(0) = f(x(0));
     },
     2, row_size},
    {"x(0) = f(x(0)), of an array",
     [](auto& x) {
       const auto f = [](array<double> v) -> lazy<double> { return v * 2; };
       x(0) = f(x(0));
     },
     2, row_size},
    {"x(0) = f(x(0)), of an expression",
     [](auto& x) {
       const auto f = [](lazy<double> v) { return v * 2; };
       x(0) = f(x(0));
     },
     2, row_size},
    {"where of a named mask",
     [](auto& x) {
       const auto m = x(0) < 0;
       x(0) = where(m, 0.0, x(0));
     },
     2, row_size},
    {"a named row into another row",
     [](auto& x) {
       const array<double> r = x(0);
       x(1) = r;
     },
     1, 0},
    {"a named row and its row",
     [](auto& x) {
       const array<double> r = x(0);
       x(0) = r * 2;
     },
     2, row_size},
    {"a row that is held beside one that is stored into",
     [](auto& x) {
       const array<double> r = x(0);
       const auto e = r + x(1);
       x(2) = 5;
     },
     1, 0},
    {"x(0) -= mean(x(0))", [](auto& x) { x(0) -= mean(x(0)); }, 3, row_size + 512},
    {"x(0) = sum(x, 1)", [](auto& x) { x(0) = sum(x, 1); }, 2, row_size* n},
    {"x(_, 0) = x(_, -2)", [](auto& x) { x(_, 0) = x(_, -2); }, 1, 0},
    {"a row of a temporary expression", [](auto& x) { x(0) = (x * 2)(0); }, 2, row_size},
    {"a row of a temporary's transpose", [](auto& x) { x(0) = (x * 2).T()(1); }, 2, row_size},
    {"a part of a flattened temporary", [](auto& x) { x(0) = (x * 2).ravel()(slice(0, n)); }, 2, row_size},
    {"a row of a roll", [](auto& x) { x(0) = roll(x, 1, 0)(0); }, 2, row_size},
    {"a row of a flip", [](auto& x) { x(0) = flip(x + 1)(0); }, 2, row_size},
    {"a row of a triangle", [](auto& x) { x(1) = tril(x)(1); }, 2, row_size},
    {"a row that is converted", [](auto& x) { x(1) = astype<float>(x)(0); }, 2, row_size},
    {"a temporary's sums", [](auto& x) { x(0) = (x * 2).sum(1); }, 2, row_size},
    {"a temporary's largest elements", [](auto& x) { x(0) = (x * 2).max({.axis = 1}); }, 2, row_size},
    {"where a temporary's largest elements are", [](auto& x) { x(0) = (x * 2).argmax(1); }, 2, row_size},
    {"a temporary's means", [](auto& x) { x(0) = (x * 2).mean(1); }, 2, row_size},
    {"a temporary's variances", [](auto& x) { x(0) = (x * 2).var(0); }, 2, row_size},
    {"a row of a temporary's running sums", [](auto& x) { x(0) = (x * 2).cumsum(1)(3); }, 3, (n + 1) * row_size},
    {"a row of a temporary's running sums in C order", [](auto& x) { x(0) = (x * 2).cumsum()(slice(0, n)); }, 3,
     n* row_size + 512},
    {"a row of a temporary that is converted", [](auto& x) { x(0) = (x * 2).template astype<float>()(3); }, 2,
     row_size},
    {"the sums of a view", [](auto& x) { x(0) = x.T().sum(1); }, 2, row_size},
    {"a part of what a generic function asked for its shape", [](auto& x) { x(0) = roll(x * 2, 1)(0); }, 2, row_size},
    {"rows by an array of indices",
     [](auto& x) {
       const array<int> k = arange<int>(3);
       x(k) = x(k + 1);
     },
     7, (n + 8) * row_size},
    {"rows of a transpose by an array of indices",
     [](auto& x) {
       const array<int> k = arange<int>(3);
       x(k) = x.T()(k);
     },
     7, (n + 8) * row_size},
    {"rows by an array of indices beside a row that is held",
     [](auto& x) {
       const array<double> r = x(3);
       const array<int> k = arange<int>(3);
       x(k) = 5;
     },
     7, (n + 8) * row_size},
    {"by indices that the array gives", [](auto& x) { x(0) = x(argmax(x, 0), 0); }, 2, 3 * row_size},
    {"take by indices that the array gives", [](auto& x) { x(0) = take(x, argmax(x, 0), 0)(0); }, 3, 3 * row_size},
    {"take_along_axis of where the largest are",
     [](auto& x) { x(_, slice(0, 1)) = take_along_axis(x, argmax(x, {.axis = 1, .keepdims = true}), 1); }, 2,
     3 * row_size},
    {"into where the largest are", [](auto& x) { x(0, argmax(x, 1)) = 5; }, 7, (n + 8) * row_size},
    {"an update of where the largest are", [](auto& x) { x(0, argmax(x, 1)) += 5; }, 7, (n + 8) * row_size},
    {"a sum into where the largest are", [](auto& x) { scatter_add(x(0, argmax(x, 1)), 1); }, 7, 3 * n* row_size},
    {"rows that are joined", [](auto& x) { x(slice(0, 2)) = stack(tuple(x(1), x(0))); }, 2, 2 * row_size},
    {"rows that are joined below each other", [](auto& x) { x(slice(0, 2)) = vstack(tuple(x(1), x(0))); }, 2,
     2 * row_size},
    {"elements under a mask", [](auto& x) { x(x < 0) = 0; }, 1, 0},
    {"elements under a mask, in brackets", [](auto& x) { x[x > x * 2] = 0; }, 1, 0},
    {"elements under a mask are updated", [](auto& x) { x(x < 0) *= 2; }, 1, 0},
    {"an expression under a mask", [](auto& x) { store_where(x, x < 0, x * 2); }, 1, 0},
    {"a part under a mask", [](auto& x) { [](array_ref<double> v) { v(v < 0) = 0; }(x(_, 0)); }, 1, 0},
    {"elements of a part by an array of indices",
     [](auto& x) {
       const array<int> k = arange<int>(3);
       [&](array_ref<double> v) { v(k) = v(k + 1); }(x(_, slice(1, 3)));
     },
     8, (n + 8) * row_size},
    {"rows that overlap", [](auto& x) { x(slice(1, 3)) = x(slice(0, 2)); }, 2, 2 * row_size},
};

}  // namespace

TEST_CASE("stores: what the statement itself reads is not copied, and needs memory of the stored size at most") {
  for (const statement& s : statements) {
    INFO(s.text);
    array<double> x = square();
    const void* const place = place_of(x);
    const auto moved = moved_by([&] { s.run(x); });
    CHECK(moved.bytes_copied == 0);
    CHECK(moved.bytes_allocated <= s.most_bytes);
    CHECK(moved.launches <= s.launches);
    CHECK(place_of(x) == place);
    CHECK(holders_of(x) == 1);
  }
}

TEST_CASE("stores: the values are those of everything read before anything is written") {
  const doubles old = square().get();
  const auto at = [&](int i, int j) { return old[static_cast<std::size_t>(i * n + j)]; };
  const auto row_of = [](const array<double>& x, int i) { return array<double>(x(i)).get(); };
  array<double> x = square();
  statements[0].run(x);
  double dot = 0;
  for (int j = 0; j < n; ++j) dot += at(0, j) * at(1, j);
  CHECK(x(0, 0).item() == at(0, 0) - dot);
  x = square();
  statements[1].run(x);
  for (int j = 0; j < n; ++j) CHECK(x(0, j).item() == at(j, 0));
  for (int i = 3; i < 6; ++i) {
    x = square();
    statements[i].run(x);
    for (int j = 0; j < n; ++j) CHECK(row_of(x, 0)[static_cast<std::size_t>(j)] == 2 * at(0, j));
  }
  x = square();
  statements[6].run(x);
  for (int j = 0; j < n; ++j) CHECK(row_of(x, 0)[static_cast<std::size_t>(j)] == std::max(0.0, at(0, j)));
}

TEST_CASE("stores: a name that outlives the statement keeps its elements, and only them") {
  array<double> x = square();
  const doubles old = square().get();
  const doubles first(old.begin(), old.begin() + n);
  const void* const place = place_of(x);

  const auto mask = x(0) < 0;
  const array<double> row = x(0);
  const lazy<double> twice = row * 2;
  const auto moved = moved_by([&] { x(0) = where(mask, 0.0, x(0)); });
  CHECK(moved.bytes_copied == 0);
  CHECK(moved.bytes_allocated <= 3 * row_size);
  CHECK(place_of(x) == place);
  CHECK(row.get() == first);
  for (std::size_t j = 0; j < first.size(); ++j) {
    CHECK(mask.get()[j] == (first[j] < 0));
    CHECK(twice.get()[j] == 2 * first[j]);
  }
  // They look elsewhere now, so that later stores have none to ask.
  CHECK(moved_by([&] {
          x(0) = 1;
          x(0, slice(3, 5)) += 1;
        }).bytes_allocated == 0);
  CHECK(row.get() == first);

  // All of it is kept by moving the name that is stored into.
  const array<double> all = x;
  CHECK(moved_by([&] { x(1) = 2; }).bytes_copied == row_size * n);
  CHECK(moved_by([&] { x(2) = 2; }).bytes_copied == 0);
  CHECK(all(1, 0).item() == old[n]);
}

TEST_CASE("stores: a view's copy on write copies the view, not the array it came from") {
  array<double> x = square();
  const doubles old = x.get();
  const std::vector<array<double>> views{x(_, 3), x(slice(_, _, -2), 3), x(slice(5, 9), slice(_, _, 7)),
                                         x.T()(slice(2, 4)), x(7)};
  for (const array<double>& view : views) {
    array<double> c = view;
    const auto bytes = static_cast<std::int64_t>(c.size() * 8);
    doubles expected = c.get();
    expected.back() = 5;
    expected[1] = 7;
    const auto moved = moved_by([&] {
      if (c.ndim() == 1) {
        c(-1) = 5;
        c(1) = 7;
      } else {
        c(-1, -1) = 5;
        c(slice(0, 1), slice(1, 2)) = 7;
      }
    });
    CHECK(moved.bytes_copied == bytes);
    CHECK(moved.bytes_allocated == bytes);
    CHECK(c.get() == expected);
  }
  CHECK(x.get() == old);
}

TEST_CASE("stores: what the log shows" * doctest::skip()) {
  array<double> x = square();
  const array<double> row = x(0);
  x(0) = 1;
  const array<double> all = x;
  x(1, 1) = 2;
  array<double> column = x(_, 3);
  column(0) = 3;
}

TEST_CASE("stores: SINTER_LOG=1 says what was copied or kept, how much, and for whom") {
  const rerun logged("stores: what the log shows", {{"SINTER_LOG", "1"}});
  INFO(logged.output);
  REQUIRE(logged.ok);
  CHECK(times_in(logged.output, "kept 40 elements (320 bytes)") == 1);
  CHECK(times_in(logged.output, "into () of an array of shape (40, 40) copied it, 12800 bytes: another name") == 1);
  CHECK(times_in(logged.output,
                 "into () of an array of shape (40,) copied it, 320 bytes: an array of shape (40, 40)") == 1);
  CHECK(times_in(logged.output, "a store into") == 3);
}

TEST_CASE("stores: a periodic boundary is one kernel, in one, two and three dimensions") {
  array<double> u = arange<double>(10) + 0.0;
  CHECK(launches_of([&] { u(0) = u(-2); }) == 1);
  CHECK(launches_of([&] { u(-1) = u(1); }) == 1);
  CHECK(u.get() == doubles{8, 1, 2, 3, 4, 5, 6, 7, 8, 1});
  CHECK(launches_of([&] { u(slice(_, _, 2)) = u(slice(1, _, 2)); }) == 1);
  CHECK(u.get() == doubles{1, 1, 3, 3, 5, 5, 7, 7, 1, 1});

  array<double> v = square(6);
  CHECK(launches_of([&] { v(_, 0) = v(_, -2); }) == 1);
  CHECK(launches_of([&] { v(_, -1) = v(_, 1); }) == 1);
  CHECK(launches_of([&] { v(0, _) = v(-2, _); }) == 1);
  CHECK(launches_of([&] { v(slice(1, -1), slice(0, 2)) = v(slice(1, -1), slice(-4, -2)); }) == 1);
  CHECK(launches_of([&] { v(0) = v(_, 0); }) == 2);  // a corner is in both

  array<double> w = (arange<double>(4 * 5 * 6) + 0.0).reshape({4, 5, 6});
  doubles expected = w.get();
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 5; ++j) {
      const auto line = static_cast<std::size_t>((i * 5 + j) * 6);
      expected[line] = expected[line + 4];
    }
  CHECK(launches_of([&] { w(_, _, 0) = w(_, _, -2); }) == 1);
  CHECK(w.get() == expected);
  CHECK(launches_of([&] { w(_, 0, _) = w(_, -2, _); }) == 1);
  CHECK(launches_of([&] { w(0) = w(-2); }) == 1);
  CHECK(launches_of([&] { w(slice(1, -1), slice(1, -1), -1) = w(slice(1, -1), slice(1, -1), 1); }) == 1);
  CHECK(launches_of([&] { w(ellipsis, 0) = w(ellipsis, 0) + w(ellipsis, 1); }) == 1);
}

TEST_CASE("stores: a Cholesky factorisation, element by element and row by row, copies nothing") {
  const int size = 12;
  doubles values(static_cast<std::size_t>(size * size));
  std::mt19937 random(13);
  for (double& v : values) v = static_cast<double>(random() % 1000) / 1000;
  const array<double> b = asarray(values, {size, size});
  const auto at = [](const array<double>& a, int i, int j) { return a(i, j); };
  array<double> a = sum(b(_, newaxis, _) * b(newaxis, _, _), 2);
  for (int i = 0; i < size; ++i) a(i, i) += size;

  array<double> l = zeros({size, size});
  const auto moved = moved_by([&] {
    for (int i = 0; i < size; ++i) {
      const array<double> row = l(i, slice(0, i));
      for (int j = 0; j <= i; ++j) {
        const auto left = at(a, i, j) - sum(l(i, slice(0, j)) * l(j, slice(0, j)));
        if (i == j) l(i, j) = sqrt(left);
        else l(i, j) = left / l(j, j);
      }
    }
  });
  CHECK(moved.bytes_copied == 0);
  const doubles back = array<double>(sum(l(_, newaxis, _) * l(newaxis, _, _), 2)).get(), given = a.get();
  for (std::size_t i = 0; i < given.size(); ++i) CHECK(back[i] == doctest::Approx(given[i]).epsilon(1e-12));

  array<double> r = a;
  r(0, 0) += 0;  // its own storage
  CHECK(moved_by([&] {
          for (int k = 0; k < size; ++k) {
            r(slice(k, _), k) /= sqrt(r(k, k));
            for (int j = k + 1; j < size; ++j) r(slice(j, _), j) -= r(slice(j, _), k) * r(j, k);
          }
        }).bytes_copied == 0);
  for (int i = 0; i < size; ++i)
    for (int j = 0; j <= i; ++j) CHECK(r(i, j).item() == doctest::Approx(l(i, j).item()).epsilon(1e-9));
}

TEST_CASE("stores: two threads store into copies and views of one array, and neither sees the other") {
  const array<double> x = square();
  const doubles old = x.get();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t, mine = array<double>(x), row = array<double>(x(t))]() mutable {
      for (int round = 0; round < 50; ++round) {
        const array<double> before = mine(t);
        const auto negated = -mine(t);
        const double known = before(3).item();
        mine(t) = where(negated < 0, mine(t) + 1, mine(t) - 1);
        if (before(3).item() != known || (-negated)(3).item() != known) ++wrong;
        if (row(5).item() != old[static_cast<std::size_t>(t * n + 5)]) ++wrong;
        row(4) += 1;
        if (row(4).item() != old[static_cast<std::size_t>(t * n + 4)] + round + 1) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
  CHECK(x.get() == old);
}

TEST_CASE("stores: threads store into different parts of one storage, each in its own order") {
  std::vector<array<double>> parts;
  {
    const array<double> x = square();
    for (int t = 0; t < 4; ++t) parts.push_back(x(slice(10 * t, 10 * t + 10)));
  }
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&mine = parts[t]] {
      const stream own;
      for (int round = 0; round < 100; ++round) {
        const stream_scope in(round % 2 ? own : stream::null());
        mine(round % 10) = mine((round + 1) % 10) + 1;
        mine(_, 0) -= mean(mine(_, slice(1, _)), 1);
      }
      synchronize();
    });
  for (std::thread& t : threads) t.join();
  for (int t = 0; t < 4; ++t) {
    array<double> expected = square()(slice(10 * t, 10 * t + 10));
    for (int round = 0; round < 100; ++round) {
      expected(round % 10) = array<double>(expected((round + 1) % 10) + 1);
      expected(_, 0) -= array<double>(mean(expected(_, slice(1, _)), 1));
    }
    CHECK(parts[static_cast<std::size_t>(t)].get() == expected.get());
  }
}

namespace {

/// Arrays, views and expressions under names, each beside the values it has to have.
struct world {
  static constexpr int extent = 6;
  struct named_array {
    array<double> value;
    doubles expected;
  };
  struct named_expression {
    lazy<double> value;
    doubles expected;
  };
  std::mt19937 random;
  std::vector<named_array> arrays;
  std::vector<named_expression> expressions;

  explicit world(unsigned seed) : random(seed) {
    for (int i = 0; i < 2; ++i) {
      array<double> a = square(extent) * (i + 1);
      arrays.push_back({a, a.get()});
    }
  }
  int below(int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); }

  /// Some line of an array of one or two axes: where it starts, what it steps by, how long it is.
  struct line {
    int start, step, length, index;  // index: of the row or column; -1: the array has one axis
    bool column;
  };
  line some_line(const named_array& of) {
    const shape s = of.value.shape();
    line l{0, 1, 0, -1, false};
    if (s.size() == 2) {
      l.column = below(2) == 0;
      l.index = below(static_cast<int>(s[l.column ? 1 : 0]));
    }
    const int all = static_cast<int>(s[s.size() == 2 && !l.column ? 1 : 0]);
    l.length = 1 + below(all);
    l.start = below(all - l.length + 1);
    return l;
  }
  static auto part(const line& l) { return slice(l.start, l.start + l.length); }
  static std::size_t place(const named_array& of, const line& l, int k) {
    const auto columns = static_cast<int>(of.value.ndim() == 2 ? of.value.shape()[1] : 1);
    if (l.index < 0) return static_cast<std::size_t>(l.start + k);
    return static_cast<std::size_t>(l.column ? (l.start + k) * columns + l.index : l.index * columns + l.start + k);
  }
  static lazy<double> read(const named_array& of, const line& l) {
    const array<double>& a = of.value;
    return l.index < 0 ? a(part(l)) : l.column ? a(part(l), l.index) : a(l.index, part(l));
  }

  struct value {
    lazy<double> e;
    doubles expected;  // one, or as many as are stored
  };
  value some_value(int length) {
    const named_array& from = arrays[static_cast<std::size_t>(below(static_cast<int>(arrays.size())))];
    line l = some_line(from);
    doubles read_values;
    for (int k = 0; k < l.length; ++k) read_values.push_back(from.expected[place(from, l, k)]);
    value v{read(from, l), read_values};
    if (l.length != length || below(4) == 0) {
      double total = 0;
      for (double x : read_values) total += x;
      v = {sum(v.e), {total}};
    }
    if (below(3) == 0) {
      for (const named_expression& e : expressions)
        if (static_cast<int>(e.expected.size()) == length) {
          v.expected.resize(static_cast<std::size_t>(length), v.expected[0]);
          for (int k = 0; k < length; ++k)
            v.expected[static_cast<std::size_t>(k)] -= e.expected[static_cast<std::size_t>(k)];
          v.e = v.e - e.value;
          break;
        }
    }
    v.e = v.e / 2;
    for (double& x : v.expected) x /= 2;
    return v;
  }

  void store() {
    named_array& to = arrays[static_cast<std::size_t>(below(static_cast<int>(arrays.size())))];
    const line l = some_line(to);
    {
      const value v = some_value(l.length);
      array<double>& a = to.value;
      if (l.index < 0) a(part(l)) = v.e;
      else if (l.column) a(part(l), l.index) = v.e;
      else a(l.index, part(l)) = v.e;
      for (int k = 0; k < l.length; ++k)
        to.expected[place(to, l, k)] = v.expected[v.expected.size() == 1 ? 0 : static_cast<std::size_t>(k)];
    }
  }
  void name_something() {
    const named_array from = arrays[static_cast<std::size_t>(below(static_cast<int>(arrays.size())))];
    const line l = some_line(from);
    doubles expected;
    for (int k = 0; k < l.length; ++k) expected.push_back(from.expected[place(from, l, k)]);
    switch (below(5)) {
      case 0: arrays.push_back(from); break;
      case 1: arrays.push_back({array<double>(read(from, l)), expected}); break;
      case 2: expressions.insert(expressions.begin(), {read(from, l), expected}); break;
      case 3: {
        doubles all = from.expected;
        for (double& x : all) x += 1;
        expressions.insert(expressions.begin(), {from.value + 1, all});
        break;
      }
      default:
        for (double& x : expected) x *= 2;
        expressions.insert(expressions.begin(), {read(from, l) * 2, expected});
    }
  }
  void forget_something() {
    if (below(2) == 0 && arrays.size() > 2) arrays.erase(arrays.begin() + below(static_cast<int>(arrays.size())));
    else if (!expressions.empty()) expressions.erase(expressions.begin() + below(static_cast<int>(expressions.size())));
  }
  bool right() const {
    for (const named_array& a : arrays)
      if (a.value.get() != a.expected) return false;
    for (const named_expression& e : expressions)
      if (e.value.get() != e.expected) return false;
    return true;
  }
};

}  // namespace

TEST_CASE("stores: random programs of names, views, expressions and stores, every name worth what it was") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    world w(seed);
    for (int step = 0; step < 40; ++step) {
      const int what = w.below(10);
      if (what < 6) w.store();
      else if (what < 9 && w.arrays.size() + w.expressions.size() < 10) w.name_something();
      else w.forget_something();
      INFO("seed ", seed, ", step ", step);
      REQUIRE(w.right());
    }
  }
}

TEST_CASE("stores: a number or a named array goes into several parts in one statement") {
  array<double> a = zeros({3, 4}), before = a;
  const array<double> row{1, 2, 3, 4};
  a(0) = a(-1) = 1;
  CHECK(a.get() == array<double>{{1, 1, 1, 1}, {0, 0, 0, 0}, {1, 1, 1, 1}}.get());
  a(1) = a(2) = row;
  CHECK(a.get() == array<double>{{1, 1, 1, 1}, {1, 2, 3, 4}, {1, 2, 3, 4}}.get());
  CHECK(before.get() == zeros<double>({3, 4}).get());
  array<int> n{1, 2};
  array<double> x{0, 0};
  x(0) = n(0) = 2.5;  // the value, as in Python, and not what became of it
  CHECK(n.get() == std::vector<int>{2, 2});
  CHECK(x.get() == std::vector<double>{2.5, 0});
}

TEST_CASE("stores: values of which there are none leave an array alone") {
  array<float> a{1, 2, 3}, square{{1, 2}, {3, 4}};
  const array<float> none = zeros<float>({0});
  put(a, array<int>{1}, none);
  put(a, array<int>{7}, none, index_mode::clip);
  putmask(a, a > 1, none);
  fill_diagonal(square, none);
  CHECK(a.get() == std::vector<float>{1, 2, 3});
  CHECK(square.get() == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("views: copies of parts, unsigned bounds, and axes of no extent") {
  array<float> a{{1, 2}, {3, 4}};
  array<float> part = a(0).copy();
  part(0) = 9;
  CHECK(a(0).get() == std::vector<float>{1, 2});
  CHECK((a + 1).copy().get() == std::vector<float>{2, 3, 4, 5});
  constexpr std::uint64_t far = ~std::uint64_t{0};
  CHECK(a(slice(_, far)).shape() == shape{2, 2});
  CHECK(a(slice(far, _)).shape() == shape{0, 2});
  CHECK_THROWS_AS((void)a(far), index_error);
  CHECK_THROWS_WITH_AS((void)flip(a, {1, -1}), "sinter: flip names axis 1 twice", shape_error);
  const array<float> none = zeros<float>({0, 3});
  CHECK(none(array<int>{0}, zeros<int>({0})).shape() == shape{0});
  CHECK_THROWS_AS((void)none(array<int>{0}), index_error);
}
