// Maps over operands of any layout: permuted, at odd offsets, backwards, in steps, broadcast, of odd lengths and several
// itemsizes at once, stored into whole arrays and into views. Their schedules differ; what is computed does not. Values are
// small integers, so that every dtype holds them and no rounding hides a wrong element.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

using random_bits = std::mt19937_64;
int below(random_bits& r, int n) { return static_cast<int>(r() % static_cast<std::uint64_t>(n)); }

/// A view of some base array, and how a plain loop finds its elements.
template <class T>
struct operand {
  array<T> base;  // axes in memory's order
  std::vector<any_index> index;
  std::vector<std::int64_t> back;  // axis of the view -> axis in memory
  std::vector<T> elements;
  std::int64_t offset = 0;
  std::vector<std::int64_t> strides;  // by axis of the view

  array<T> view() const {
    const array<T> cut = std::as_const(base)(index);
    return array<T>(detail::make_transpose(cut.node(), back.data(), static_cast<int>(back.size())));
  }
  std::int64_t at(const std::vector<std::int64_t>& point) const {
    std::int64_t i = offset;
    for (std::size_t d = 0; d < point.size(); ++d) i += point[d] * strides[d];
    return i;
  }
};

/// An operand of `extents`: where `moves`, axes come in any order and some are broadcast.
template <class T>
operand<T> random_operand(random_bits& r, const std::vector<int>& extents, bool moves = true) {
  const std::size_t rank = extents.size();
  std::vector<std::size_t> order(rank);  // axis in memory -> axis of the view
  for (std::size_t d = 0; d < rank; ++d) order[d] = d;
  if (moves && below(r, 3)) std::shuffle(order.begin(), order.end(), r);
  operand<T> o;
  o.back.resize(rank), o.strides.assign(rank, 0);
  std::vector<std::int64_t> whole, starts, steps;
  const bool plain = below(r, 3) == 0;
  for (std::size_t m = 0; m < rank; ++m) {
    const std::size_t d = order[m];
    o.back[d] = static_cast<int>(m);
    const bool broadcast = moves && below(r, 8) == 0;
    const int n = broadcast ? 1 : extents[d];
    constexpr int some[] = {1, 1, 1, 1, 1, 1, 2, 3, 4, 8, -1, -2};
    const int step = plain ? 1 : some[below(r, 12)];
    const int before = plain ? 0 : below(r, 4), after = plain ? 0 : below(r, 4);
    const int reach = (n - 1) * std::abs(step) + 1, first = step > 0 ? before : before + reach - 1;
    whole.push_back(before + reach + after), starts.push_back(first), steps.push_back(broadcast ? 0 : step);
    const int stop = step > 0 ? before + reach : before - 1;
    if (stop < 0) o.index.push_back(slice(first, _, step));
    else o.index.push_back(slice(first, stop, step));
  }
  std::int64_t size = 1;
  for (std::size_t m = rank; m-- > 0; size *= whole[m]) {
    o.offset += starts[m] * size;
    o.strides[order[m]] = steps[m] * size;
  }
  for (std::int64_t i = 0; i < size; ++i) o.elements.push_back(static_cast<T>((i * 7 + below(r, 3)) % 9));
  o.base = asarray(o.elements, shape(whole));
  return o;
}

/// Calls f(point) in C order.
template <class F>
void each_point(const std::vector<int>& extents, F f) {
  std::vector<std::int64_t> point(extents.size(), 0);
  for (;;) {
    f(point);
    std::size_t d = extents.size();
    while (d > 0 && ++point[d - 1] == extents[d - 1]) point[--d] = 0;
    if (d == 0) return;
  }
}

std::vector<int> random_extents(random_bits& r) {
  constexpr int some[] = {2, 3, 4, 5, 8, 16, 17, 31, 33, 40, 64, 70, 130, 300};
  std::vector<int> extents;
  std::int64_t points = 1;
  for (int rank = 1 + below(r, 5); rank > 0; --rank) {
    const int n = rank == 1 && below(r, 8) == 0 ? 9001 : some[below(r, 14)];
    extents.push_back(points * n > 60'000 ? 2 : n);
    points *= extents.back();
  }
  if (below(r, 2)) std::shuffle(extents.begin(), extents.end(), r);
  return extents;
}

struct trial {
  std::int64_t wrong = 0;
  std::string what;
};

/// One random program over operands of three dtypes: (a + b, where a < b: c, else a), fresh or stored into a view, which may be
/// what is read as well.
template <class A, class B, class C>
trial try_once(std::uint64_t seed) {
  random_bits r(seed);
  const std::vector<int> extents = random_extents(r);
  const auto a = random_operand<A>(r, extents);
  const auto b = random_operand<B>(r, extents);
  auto c = random_operand<C>(r, extents, false);
  const array<A> x = a.view();
  const array<B> y = b.view();
  trial t;
  t.what = "seed " + std::to_string(seed) + ":";
  for (int n : extents) t.what += " " + std::to_string(n);
  const int way = below(r, 3);
  if (way == 0) {
    const auto [sums, chosen] = eval(x + y + zeros<A>(shape(extents)), where(x < y, c.view(), C(5)));
    const auto both = sums.get();
    const auto some = chosen.get();
    std::size_t at = 0;
    each_point(extents, [&](const auto& p) {
      const int u = static_cast<int>(a.elements[static_cast<std::size_t>(a.at(p))]),
                v = static_cast<int>(b.elements[static_cast<std::size_t>(b.at(p))]);
      t.wrong += static_cast<int>(both[at]) != u + v;
      t.wrong += some[at] != (u < v ? c.elements[static_cast<std::size_t>(c.at(p))] : C(5));
      ++at;
    });
    return t;
  }
  const bool in_place = way == 1;
  if (in_place) c.base(c.index) += astype<C>(x + y);
  else c.base(c.index) = astype<C>(x + 2 * y);
  each_point(extents, [&](const auto& p) {
    const int u = static_cast<int>(a.elements[static_cast<std::size_t>(a.at(p))]),
              v = static_cast<int>(b.elements[static_cast<std::size_t>(b.at(p))]);
    C& to = c.elements[static_cast<std::size_t>(c.at(p))];
    to = static_cast<C>(in_place ? static_cast<int>(to) + u + v : u + 2 * v);
  });
  const auto stored = c.base.get();
  for (std::size_t i = 0; i < stored.size(); ++i) t.wrong += stored[i] != c.elements[i];
  return t;
}

template <class A, class B, class C>
void try_some(std::uint64_t first) {
  const char* const more = std::getenv("SINTER_TEST_LAYOUTS");  // how many, for a longer search by hand
  const int count = more ? std::atoi(more) : 8;
  for (int n = 0; n < count; ++n) {
    const trial t = try_once<A, B, C>(first + static_cast<std::uint64_t>(n));
    INFO(t.what);
    CHECK(t.wrong == 0);
  }
}

}  // namespace

TEST_CASE("layouts: float32") { try_some<float, float, float>(1'000); }
TEST_CASE("layouts: float64 and int8") { try_some<double, std::int8_t, double>(2'000); }
TEST_CASE("layouts: int16 and float32") { try_some<std::int16_t, float, float>(3'000); }
TEST_CASE("layouts: int64, int32 and int8") { try_some<std::int64_t, std::int32_t, std::int8_t>(4'000); }
TEST_CASE("layouts: uint8") { try_some<std::uint8_t, std::uint8_t, std::uint8_t>(5'000); }

TEST_CASE("layouts: an array and its mirror image, of sizes around a tile's") {
  for (const int n : {16, 31, 32, 33, 64, 65, 96, 128, 161}) {
    const array<int> a = arange<int>(2 * n * n).reshape({2, n, n});
    const std::vector<int> sums = array<int>(a + 3 * a.transpose(0, 2, 1)).get();
    int wrong = 0, at = 0;
    for (int k = 0; k < 2; ++k)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          wrong += sums[static_cast<std::size_t>(at++)] != 4 * k * n * n + i * n + j + 3 * (j * n + i);
    CHECK(wrong == 0);
    const array<int> b = a(1);
    CHECK(all(b + b.T() == (b + b.T()).T()).item());
    array<int> c = b.copy();
    c(ellipsis) = c + c.T();
    CHECK(all(c == b + b.T()).item());
    const array<int> beside = array<int>(b.T() * 5 + b + a(0)), steps = array<int>(b.T() * 5),
                     more = array<int>(b + a(0));
    CHECK(all(beside == steps + more).item());
    const array<std::int8_t> bytes = b.astype<std::int8_t>(), turned = bytes.T().copy();
    CHECK(all(bytes.T() - bytes == turned - bytes).item());
  }
}

namespace {

// Of what lies apart the same as of its copy: rows of every short length, backwards, and beside elements of other sizes.
template <class T>
void check_functions(const array<T>& x) {
  const array<T> copied = x.copy();
  const auto is_near = [](const auto& a, const auto& b) {
    return a.shape() == b.shape() && bool(all(abs(astype<double>(a) - astype<double>(b)) <= 1e-5));
  };
  const array<T> scale = T(1) / (copied + T(1));
  CHECK(is_near(array<T>(exp(-x) * scale), array<T>(exp(-copied) * scale)));
  CHECK(is_near(array<float>(astype<float>(tanh(x) + scale)), array<float>(astype<float>(tanh(copied) + scale))));
  CHECK(array<bool>(x * T(2) < T(3)).get() == array<bool>(copied * T(2) < T(3)).get());
  CHECK(array<std::uint8_t>(astype<std::uint8_t>(x * T(50))).get() ==
        array<std::uint8_t>(astype<std::uint8_t>(copied * T(50))).get());
  auto [both, whole] = eval(sinh(x), astype<std::int16_t>(x * T(100)));
  CHECK(is_near(both, array<T>(sinh(copied))));
  CHECK(whole.get() == array<std::int16_t>(astype<std::int16_t>(copied * T(100))).get());
  array<T> target = zeros<T>({2 * x.shape()[0], x.shape()[1] + 3});
  const auto rows = slice(_, _, 2), columns = slice(1, x.shape()[1] + 1);
  target(rows, columns) = exp(x) + T(1);
  CHECK(is_near(array<T>(target(rows, columns)), array<T>(exp(copied) + T(1))));
  CHECK(sum(target).item() == doctest::Approx(static_cast<double>(sum(exp(copied) + T(1)).item())).epsilon(1e-4));
}

}  // namespace

TEST_CASE_TEMPLATE("layouts: functions of what lies apart", T, float, double) {
  const auto whole = [](std::int64_t rows, std::int64_t columns) {
    return array<T>(astype<T>(arange<double>(static_cast<double>(rows * columns)) % 37 / 16).reshape({rows, columns}));
  };
  for (const std::int64_t columns : {1, 2, 3, 4, 5, 7, 8, 9})
    for (const std::int64_t rows : {1, 16, 200}) {
      INFO(rows << " x " << columns);
      const array<T> all = whole(rows, columns + 2);
      check_functions<T>(all(_, slice(1, columns + 1)));
      check_functions<T>(all(slice(_, _, -1), slice(1, columns + 1)));
      check_functions<T>(all(_, slice(columns, 0, -1)));
      check_functions<T>(whole(rows, 2 * columns)(_, slice(_, _, 2)));
    }
  for (const std::int64_t length : {100, 127, 129, 5'000}) {
    check_functions<T>(whole(2, length)(_, slice(_, _, -1)));
    check_functions<T>(whole(1, length)(_, slice(_, _, -1)));
  }
}
