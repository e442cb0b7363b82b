// Joins, and reshapes of expressions: NumPy's values, in the kernel of their user.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <sinter/sinter.hpp>

#include "test/support/numpy_cases.hpp"

namespace sn = sinter;
using sn::_;
using sn::array;
using sn::slice;
using sn::tuple;
using sn::test::check_case;
using sn::test::kept_launches_of;
using namespace sn::test::operands;

TEST_CASE("joins: concatenate") {
  check_case("concatenate", sn::concatenate(tuple(m(), m() + 1)));
  check_case("concatenate 1", sn::concatenate(tuple(m(), column(), m() * 2), 1));
  check_case("concatenate dtypes", sn::concatenate(tuple(v(), v() > 2, v() / 2)));
  check_case("concatenate empty", sn::concatenate({v()(slice(0, 0)), v(), v()(slice(0, 0))}));
  check_case("concatenate one", sn::concatenate({v()}));
  check_case("concatenate of gathers", sn::concatenate(tuple(m()(i()), m()(one())), 0));
  check_case("concatenate of a concatenate", sn::concatenate(tuple(sn::concatenate(tuple(v(), v() + 1)), v())));
  check_case("concatenate reshaped", sn::concatenate(tuple(m().T() + 1, m().T()), 1).reshape(3, 8));
  check_case("concatenate summed", sn::sum(sn::concatenate(tuple(m(), m() + 1)), 1));
  check_case("concatenate of sums", sn::concatenate(tuple(sn::sum(m(), 0), sn::sum(m(), 1))));
  const std::vector<array<int>> several{m(), m()};
  CHECK(sn::concatenate(several, 1).shape() == sn::shape{3, 8});
  static_assert(std::is_same_v<decltype(sn::concatenate(tuple(v(), v() > 2))), sn::lazy<int>>);
  CHECK_THROWS_AS((void)sn::concatenate({m(), v()}), sn::shape_error);
  CHECK_THROWS_AS((void)sn::concatenate({m(), m()}, 2), sn::shape_error);
  CHECK_THROWS_AS((void)sn::concatenate(std::vector<array<int>>()), sn::shape_error);
}

TEST_CASE("joins: stack, hstack, vstack, column_stack, append") {
  check_case("stack", sn::stack(tuple(v(), v() + 1)));
  check_case("stack -1", sn::stack(tuple(m(), m() + 1, m()), -1));
  check_case("hstack", sn::hstack({m(), column()}));
  check_case("hstack 1", sn::hstack({v(), v()}));
  check_case("vstack", sn::vstack({row(), m()}));
  check_case("vstack 1", sn::vstack({v(), v()}));
  check_case("column_stack", sn::column_stack(tuple(v(), v() + 1)));
  check_case("append", sn::append(m(), v()));
  check_case("append 0", sn::append(m(), m(), 0));
  CHECK(sn::append(array<int>{{1, 2}, {3, 4}}, 5).get() == std::vector<int>{1, 2, 3, 4, 5});
  CHECK(sn::append(array<int>{1, 2} + 1, 2.5).get() == std::vector<double>{2, 3, 2.5});
  CHECK(sn::append(array<float>{1, 2}.T(), sn::strong(0.1)).get() == std::vector<double>{1, 2, 0.1});
  static_assert(std::is_same_v<decltype(sn::append(array<float>(), 2.5)), sn::lazy<float>>);
  CHECK_THROWS_AS((void)sn::append(array<std::int8_t>{1}, 300), sn::dtype_error);
  CHECK_THROWS_AS((void)sn::stack({m(), v()}), sn::shape_error);
}

TEST_CASE("joins: a list of several element types names the result's") {
  const array<int> n{1, 2};
  const array<float> f{0.5f, 2.5f};
  CHECK(sn::concatenate<float>({n, f}).get() == std::vector<float>{1, 2, 0.5, 2.5});
  CHECK(sn::stack<double>({n, f, n > 1}, 1).get() == std::vector<double>{1, 0.5, 0, 2, 2.5, 1});
  CHECK(sn::vstack<std::int64_t>({n + 1, f}).get() == std::vector<std::int64_t>{2, 3, 0, 2});
  CHECK(sn::hstack<int>({n}).get() == std::vector<int>{1, 2});
  static_assert(std::is_same_v<decltype(sn::concatenate<double>({n, f})), sn::lazy<double>>);
}

TEST_CASE("joins: a list in braces is of parts of arrays, or of expressions of one type, as well") {
  array<int> a{{1, 2}, {3, 4}};
  const std::vector<int> turned{3, 4, 1, 2};
  CHECK(sn::concatenate({a(1), a(0)}).get() == turned);
  CHECK(sn::stack({a(1), a(0)}).get() == turned);
  CHECK(sn::vstack({sn::roll(a, 1, 0), sn::roll(a, 2, 0)})(slice(2)).get() == turned);
  CHECK(sn::hstack({a(1) + 1, a(0) + 1}).get() == std::vector<int>{4, 5, 2, 3});
  CHECK(sn::block({{a(1)}, {a(0)}}).get() == turned);
  CHECK(sn::choose(array<int>{1, 0}, {a(0), a(1)}).get() == std::vector<int>{3, 2});
  // An index is looked at where all it may choose is the same.
  CHECK_THROWS_AS((void)sn::choose(array<int>{1, 2}, {a(0), a(0)}).get(), sn::index_error);
  CHECK_THROWS_AS((void)sn::choose(array<int>{0, 1}, {a(0)}).get(), sn::index_error);
  CHECK(sn::select({a(0) > 1, a(0) > 0}, {a(1), a(0)}).get() == std::vector<int>{1, 4});
  CHECK(sn::select({a(0) > 1, a(0) > 0}, {10, 20}, 30).get() == std::vector<std::int64_t>{20, 10});
  CHECK(sn::select({a > 3}, {0.5}).shape() == a.shape());
  // What is there otherwise takes part in the dtype.
  const array<std::uint8_t> bytes{250, 3};
  const array<bool> first{true, false};
  CHECK(sn::select({first}, sn::tuple(bytes), 2.5).get() == std::vector<double>{250, 2.5});
  CHECK(sn::select({first}, sn::tuple(bytes), 7).get() == std::vector<std::uint8_t>{250, 7});
  CHECK(sn::select({first}, sn::tuple(bytes), array<float>{1.5f, -2.5f}).get() == std::vector<float>{250, -2.5f});
  CHECK(sn::select({first}, sn::tuple(first), 5).get() == std::vector<std::int64_t>{1, 5});
  CHECK(sn::select({first}, {1}, 0.5).get() == std::vector<double>{1, 0.5});
  CHECK(sn::ravel_multi_index({a(0), a(1)}, {3, 5}).get() == std::vector<std::int64_t>{8, 14});
}

TEST_CASE("joins: many parts are written one by one, however they are made") {
  std::vector<array<float>> parts;
  for (int i = 0; i < 300; ++i) parts.push_back(sn::full<float>({i % 3, 2}, i));
  const auto joined = sn::concatenate(parts);
  CHECK(joined.shape() == sn::shape{300, 2});
  const auto before = sn::counters();
  std::vector<float> expected;
  for (int i = 0; i < 300; ++i)
    expected.insert(expected.end(), static_cast<std::size_t>(i % 3) * 2, static_cast<float>(i));
  CHECK(array<float>(joined.ravel()).get() == expected);
  CHECK(sn::counters().compiles - before.compiles <= 1);
  std::vector<array<int>> columns(40, v());
  CHECK(sn::all(sn::stack(columns, 1) == v()(_, sn::newaxis)).item());
  columns.emplace_back(sn::zeros<int>({7}));
  CHECK_THROWS_AS((void)sn::stack(columns, 1), sn::shape_error);
}

TEST_CASE("joins: no node of theirs stays") {
  array<float> x = sn::linspace<float>(0, 1, 100);
  const array<float> joined = sn::concatenate(tuple(x, x * 2)), padded = sn::pad(x, 1);
  const auto before = sn::counters();
  x(0) = 3;  // would be a copy while anything else held the storage of x
  CHECK(sn::counters().bytes_copied == before.bytes_copied);
}

TEST_CASE("joins: rows of few elements, whatever is computed of them") {
  const auto expect = [](auto part) {
    using T = typename decltype(part)::sinter_element;
    for (int width : {2, 3, 5, 6, 7}) {
      const array<T> a = sn::astype<T>((sn::arange(2 * width) * 7 + 3).reshape(2, width)), b = a + static_cast<T>(40);
      const array<T> whole = sn::concatenate({a, b});
      CAPTURE(width);
      CHECK(sn::all((sn::concatenate({a, b}) * 3 + 1) % 109 == (whole * 3 + 1) % 109).item());
      CHECK(sn::all(sn::floor_divide(sn::concatenate({a, b}), 3) == sn::floor_divide(whole, 3)).item());
      CHECK(sn::all(sn::pad(a, 1) % 5 == array<T>(sn::pad(a, 1)) % 5).item());
    }
  };
  expect(array<std::int16_t>());
  expect(array<std::int32_t>());
  expect(array<std::int64_t>());
  expect(array<std::uint64_t>());
  expect(array<double>());
}

TEST_CASE("joins: they are one launch with their user") {
  const array<float> x = sn::linspace<float>(0, 1, 500), y = sn::linspace<float>(1, 2, 1000);
  CHECK(kept_launches_of([&] { array<float> r = sn::concatenate(tuple(x * 2, x + 1)) * y; }) == 1);
  CHECK(kept_launches_of([&] { array<float> r = sn::sqrt(sn::stack(tuple(x, x + 1), 1)); }) == 1);
}

TEST_CASE("shapes: reshapes of expressions") {
  check_case("ravel", (m() + 1).ravel());
  check_case("ravel of a broadcast", (column() + row()).ravel());
  check_case("ravel and more", (column() + row()).ravel() * sn::arange<int>(12));
  check_case("split", (six() + 1).reshape(2, 3) + column().reshape(3));
  check_case("split and merge", (column() + row()).reshape(6, 2));
  check_case("split and merge transposed", (column() + row()).T().reshape(2, 6));
  check_case("no common parts", (column() + row()).T().reshape(3, 4));
  check_case("no common parts 2", (sn::arange<int>(60).reshape(6, 10) + 1).reshape(4, 15));
  check_case("reversed", (column() + row()).ravel()(slice(_, _, -1)));
  check_case("reversed and split", (column() + row())(slice(_, _, -1), slice(_, _, -1)).reshape(2, 6));
  check_case("sliced", (column() + row()).ravel()(slice(1, 11, 3)));
  check_case("axes of one", (column() + row()).reshape(1, 3, 1, 4, 1).reshape(12, 1));
  check_case("three dimensions", (a() + row()).reshape(6, 4).reshape(2, 12));
  check_case("three to two", (a() + row()).reshape(4, 6));
  check_case("reshaped twice", (a() + row()).reshape(4, 6).reshape(3, 8));
}

TEST_CASE("shapes: reshapes, reductions and gathers") {
  check_case("summed ravel", sn::sum((column() + row()).ravel()));
  check_case("summed reshape", sn::sum((a() + row()).reshape(4, 6), 0));
  check_case("summed reshape 1", sn::sum((a() + row()).reshape(4, 6), 1));
  check_case("reshaped sum", sn::sum(a() + row(), 1).reshape(4, 2));
  check_case("sum of a split", sn::sum((six() + 1).reshape(2, 3), 1));
  check_case("empty", (m()(slice(0, 0)) + 1).reshape(4, 0));
  check_case("empty summed", sn::sum((m()(slice(0, 0)) + 1).reshape(4, 0), 1));
  check_case("scalar", (m()(slice(0, 1), slice(0, 1)) + 1).reshape(sn::shape{}));
  check_case("a gather reshaped", m()(i()).reshape(2, 6));
  check_case("a gather of a reshape", (m() + 1).reshape(2, 6)(i()(slice(0, 2)), i()(slice(0, 2))));
  check_case("a roll reshaped", sn::roll(m(), 1, 1).reshape(2, 6));
  check_case("a reshape rolled", sn::roll((m() + 1).reshape(2, 6), 1, 1));
}

TEST_CASE("shapes: reshapes of expressions take no kernel of their own") {
  CHECK(kept_launches_of([&] { array<int> r = (m() + 1).ravel(); }) == 1);
  CHECK(kept_launches_of([&] { array<int> r = (column() + row()).ravel() * sn::arange<int>(12); }) ==
        2);  // and arange's
  CHECK(kept_launches_of([&] { array<int> r = (column() + row()).T().reshape(3, 4) + 1; }) == 1);
  CHECK(kept_launches_of([&] { array<std::int64_t> r = sn::sum((a() + row()).reshape(4, 6), 1); }) == 1);
  array<int> into = sn::zeros<int>({24});
  into(slice(_, _, 2)) = (column() + row()).ravel();
  CHECK(into(2).item() == 12);
  CHECK(into(22).item() == 34);
  CHECK(into(23).item() == 0);
}

TEST_CASE("joins: insertions before few places and before many") {
  const array<std::int64_t> a = sn::arange(12);
  for (const std::size_t count : {1, 2, 3, 8, 9, 20}) {
    std::vector<std::int64_t> places, values, want = a.get();
    for (std::size_t k = 0; k < count; ++k) {
      places.push_back(static_cast<std::int64_t>(k * 7 % 13));
      values.push_back(100 + static_cast<std::int64_t>(k));
    }
    // As numpy.insert has it: places are those of the elements before anything is inserted.
    std::vector<std::size_t> order(count);
    for (std::size_t k = 0; k < count; ++k) order[k] = k;
    std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return places[x] < places[y]; });
    for (std::size_t k = 0; k < count; ++k)
      want.insert(want.begin() + places[order[k]] + static_cast<std::ptrdiff_t>(k), values[order[k]]);
    CHECK(sn::insert(a, places, sn::asarray(values)).get() == want);
    const array<std::int64_t> rows = sn::stack(tuple(a, a + 50)),
                              both = sn::insert(rows, places, sn::asarray(values), 1);
    CHECK(both(0).get() == want);
    CHECK(sn::insert(a + 0, places, 7).size() == 12 + static_cast<std::int64_t>(count));
  }
}

TEST_CASE("joins: parts side by side along an axis of few, however these lie") {
  const array<float> a = sn::astype<float>(sn::arange(60 * 47).reshape(60, 47)),
                     wide = sn::astype<float>(sn::arange(60 * 94)).reshape(60, 94);
  const array<float> b = wide(_, slice(_, _, -2)), column = sn::astype<float>(sn::arange(60).reshape(60, 1)) * 3;
  const std::vector<float> of_a = a.get(), of_b = b.get(), of_column = column.get();
  const auto at = [&](std::size_t i, std::size_t j) { return i * 47 + j; };
  const array<float> three = sn::stack(tuple(a, b + 1, sn::broadcast_to(column, {60, 47})), -1);
  const array<float> turned = sn::stack(tuple(a.T(), b.T() * 2), -1);
  const array<float> joined = sn::concatenate(tuple(a(_, slice(0, 1)), b(_, slice(3, 5)), column), 1);
  const std::vector<float> threes = three.get(), turns = turned.get(), joins = joined.get();
  bool is_right = true;
  for (std::size_t i = 0; i < 60; ++i) {
    for (std::size_t j = 0; j < 47; ++j) {
      const float* const one = &threes[3 * at(i, j)];
      is_right = is_right && one[0] == of_a[at(i, j)] && one[1] == of_b[at(i, j)] + 1 && one[2] == of_column[i];
      const float* const two = &turns[2 * (j * 60 + i)];
      is_right = is_right && two[0] == of_a[at(i, j)] && two[1] == of_b[at(i, j)] * 2;
    }
    const float* const four = &joins[4 * i];
    is_right = is_right && four[0] == of_a[at(i, 0)] && four[1] == of_b[at(i, 3)] && four[2] == of_b[at(i, 4)] &&
               four[3] == of_column[i];
  }
  CHECK(is_right);
  // A guard that depends on the row, beside borders that do not.
  const array<float> padded = sn::pad(sn::stack(tuple(a, b), -1), {{1, 2}, {0, 3}, {1, 0}});
  CHECK(sn::sum(padded, {.axis = {0, 1, 2}}).item() == sn::sum(a + b).item());
  CHECK(sn::array_equal(padded(slice(1, -2), slice(_, 47), slice(1, _)), sn::stack(tuple(a, b), -1)));
  const array<int> rows = sn::astype<int>(sn::arange(60) * 7 % 60);
  const array<float> picked = sn::stack(tuple(sn::take(a, rows, 0), sn::roll(b, 5, 0)), -1);
  CHECK(sn::array_equal(picked(_, _, 0), sn::take(a, rows, 0)));
  CHECK(sn::array_equal(picked(_, _, 1), sn::roll(b, 5, 0)));
}

// What is moved along an axis of short rows, of an array and of an expression, which is moved in another way.
template <class T>
void moves_short_rows(const sn::shape& s) {
  const array<T> a = sn::astype<T>(sn::arange(s.elements()).reshape(s));
  const array<T> part = a(slice(1, sn::_), slice(sn::_, -1));
  for (const array<T>& x : {a, part}) {
    const auto same = x + T(0);
    for (int axis = 0; axis < s.size(); ++axis) {
      CAPTURE(axis);
      const array<T> twice = sn::concatenate({x, x, x}, axis), rolled = sn::roll(x, 2, axis),
                     back = sn::roll(x, -5, axis);
      CHECK(sn::array_equal(twice, sn::concatenate(tuple(same, same, x), axis)));
      CHECK(sn::array_equal(rolled, sn::roll(same, 2, axis)));
      CHECK(sn::array_equal(back, sn::roll(same, -5, axis)));
    }
    const array<T> both = sn::roll(x, {1, 2, -1}, {1, 0, 1}), padded = sn::pad(x, {{1, 2}, {3, 0}, {0, 0}}, 7);
    CHECK(sn::array_equal(both, sn::roll(same, 2, 0)));
    CHECK(sn::array_equal(padded, sn::pad(same, {{1, 2}, {3, 0}, {0, 0}}, 7)));
    const array<T> rows = sn::pad(x, {{0, 1}, {0, 0}, {0, 0}});
    CHECK(sn::array_equal(rows(slice(sn::_, -1)), x));
    const array<T> turned = sn::concatenate({x, x}, 1).transpose(2, 0, 1);
    CHECK(sn::array_equal(turned, sn::concatenate(tuple(same, same), 1).transpose(2, 0, 1)));
  }
}

TEST_CASE("joins: along an axis of short rows") {
  for (const sn::shape& s : {sn::shape{5, 4, 3}, sn::shape{6, 7, 1}, sn::shape{2, 40, 4}, sn::shape{3, 0, 2}}) {
    moves_short_rows<std::uint8_t>(s);
    moves_short_rows<double>(s);
  }
}
