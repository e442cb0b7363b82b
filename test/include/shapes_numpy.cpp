// Functions that move elements: NumPy's values and refusals, of arrays of every layout and several dtypes, alone and fused.
#include <doctest/doctest.h>

#include <array>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "test/support/layouts.hpp"

namespace sn = sinter;
using sn::_;
using sn::array;
using sn::axes;
using sn::lazy;
using sn::newaxis;
using sn::pad_mode;
using sn::slice;
using sn::tuple;
using sn::test::check_layouts;

#define CASES(...) TEST_CASE_TEMPLATE(__VA_ARGS__, T, bool, std::int16_t, float)
#define OF(...) [](const lazy<T>& x) -> lazy<T> { return __VA_ARGS__; }

CASES("shapes: axes") {
  check_layouts<T>("squeeze", OF(sn::squeeze(x)));
  check_layouts<T>("squeeze 0", OF(sn::squeeze(x, 0)));
  check_layouts<T>("squeeze several", OF(sn::squeeze(x, {0, -1})));
  check_layouts<T>("expand_dims", OF(sn::expand_dims(x, 0)));
  check_layouts<T>("expand_dims several", OF(sn::expand_dims(x, {1, -1})));
  check_layouts<T>("swapaxes", OF(sn::swapaxes(x, 0, -1)));
  check_layouts<T>("swapaxes same", OF(sn::swapaxes(x, 0, 0)));
  check_layouts<T>("moveaxis", OF(sn::moveaxis(x, 0, -1)));
  check_layouts<T>("moveaxis several", OF(sn::moveaxis(x, {0, 1}, {-1, 0})));
  check_layouts<T>("moveaxis twice", OF(sn::moveaxis(x, {0, 0}, {0, 1})));
  check_layouts<T>("rollaxis", OF(sn::rollaxis(x, 2)));
  check_layouts<T>("rollaxis to", OF(sn::rollaxis(x, 0, 2)));
  check_layouts<T>("rollaxis too far", OF(sn::rollaxis(x, 0, 9)));
  check_layouts<T>("matrix_transpose", OF(sn::matrix_transpose(x)));
  check_layouts<T>("atleast_1d", OF(sn::atleast_1d(x)));
  check_layouts<T>("atleast_2d", OF(sn::atleast_2d(x)));
  check_layouts<T>("atleast_3d", OF(sn::atleast_3d(x)));
  check_layouts<T>(
      "broadcast_arrays",
      OF(std::get<0>(sn::broadcast_arrays(x, array<T>{T(), T(), T(), T()}(_, newaxis, newaxis, newaxis)))));
}

CASES("shapes: parts") {
  check_layouts<T>("split", OF(sn::split(x, 2, -1).at(1)));
  check_layouts<T>("split at", OF(sn::split(x, {1, 3}, -1).at(1)));
  check_layouts<T>("split beyond", OF(sn::split(x, std::vector<std::int64_t>{1, 9}, -1).at(2)));
  check_layouts<T>("split backwards", OF(sn::split(x, {3, 1}, -1).at(1)));
  check_layouts<T>("split negative", OF(sn::split(x, {-2}, -1).at(1)));
  check_layouts<T>("split none", OF(sn::split(x, 0).at(0)));
  check_layouts<T>("array_split", OF(sn::array_split(x, 3, -1).at(0)));
  check_layouts<T>("array_split last", OF(sn::array_split(x, 3, -1).at(2)));
  check_layouts<T>("hsplit", OF(sn::hsplit(x, 3).at(1)));
  check_layouts<T>("vsplit", OF(sn::vsplit(x, {1}).at(1)));
  check_layouts<T>("dsplit", OF(sn::dsplit(x, 2).at(1)));
  check_layouts<T>("unstack", OF(sn::unstack(x, -1).at(0)));
}

CASES("shapes: windows") {
  check_layouts<T>("sliding", OF(sn::sliding_window_view(x, 2, -1)));
  check_layouts<T>("sliding twice", OF(sn::sliding_window_view(x, {2, 2}, {-1, -1})));
  check_layouts<T>("sliding two axes", OF(sn::sliding_window_view(x, {1, 3}, {-2, -1})));
  check_layouts<T>("sliding all", OF(sn::sliding_window_view(x, {1, 2, 3})));
  check_layouts<T>("sliding none", OF(sn::sliding_window_view(x, 0, -1)));
  check_layouts<T>("sliding summed", OF(sn::max(sn::sliding_window_view(x, 2, -1), -1)));
}

CASES("shapes: joins and diagonals") {
  check_layouts<T>("block", OF(sn::block(tuple(x, x), tuple(x, x))));
  check_layouts<T>("block", OF(sn::block({{array<T>(x), array<T>(x)}, {array<T>(x), array<T>(x)}})));
  check_layouts<T>("block row", OF(sn::block(tuple(x, x))));
  check_layouts<T>("block parts",
                   OF(sn::block(tuple(x, sn::concat(tuple(x, x), -1)), tuple(sn::concat(tuple(x, x, x), -1)))));
  check_layouts<T>("dstack", OF(sn::dstack(tuple(x, x))));
  check_layouts<T>("concat", OF(sn::concat(tuple(x, x), -1)));
  check_layouts<T>("diag", OF(sn::diag(x)));
  check_layouts<T>("diag 1", OF(sn::diag(x, 1)));
  check_layouts<T>("diag -2", OF(sn::diag(x, -2)));
  check_layouts<T>("diagflat", OF(sn::diagflat(x(sn::ellipsis, slice(2)), 1)));
}

TEST_CASE("shapes: many elements left out, and a pad of two numbers") {
  const array<int> x(sn::arange<int>(20));
  const std::vector<std::int64_t> odd{19, 1, 3, 5, 7, 9, 11, 13, -3, 15, 1};
  CHECK(array<int>(sn::delete_(x, odd)).get() == std::vector<int>{0, 2, 4, 6, 8, 10, 12, 14, 16, 18});
  CHECK(array<int>(sn::delete_(x, slice(_, _, 2))).get() == std::vector<int>{1, 3, 5, 7, 9, 11, 13, 15, 17, 19});
  std::vector<std::int64_t> all(20);
  std::iota(all.begin(), all.end(), 0);
  CHECK(sn::delete_(x, all).size() == 0);
  CHECK(array<int>(sn::delete_(x, x % 3 != 0)).get() == std::vector<int>{0, 3, 6, 9, 12, 15, 18});
  CHECK(array<int>(sn::delete_(x(slice(5)), array<int>{3, -5, 3})).get() == std::vector<int>{1, 2, 4});
  CHECK(array<int>(sn::delete_(x.reshape(2, 10), array{true, false}, 0)).get() == x(slice(10, 20)).get());
  CHECK(sn::delete_(x.reshape(2, 10), sn::zeros<std::int64_t>({0}), 1).shape() == sn::shape{2, 10});
  CHECK_THROWS_WITH_AS(sn::delete_(x, array{true}),
                       "sinter: a mask of shape (1,) for delete along an axis of 20 elements", sn::shape_error);
  CHECK_THROWS_AS((void)array<int>(sn::delete_(x, array<int>{20})).get(), sn::index_error);
  CHECK(sn::delete_(x(slice(5)), slice(_)).size() == 0);
  const std::vector<std::int64_t> nine(all.begin(), all.begin() + 9);
  CHECK(array<int>(sn::delete_(x.reshape(2, 10), nine, 1)).get() == std::vector<int>{9, 19});
  CHECK(array<int>(sn::pad(x(slice(2, 4)), {1, 2}, 7)).get() == std::vector<int>{7, 2, 3, 7, 7});
  CHECK(array<int>(sn::pad(x(slice(2, 4)), {2, 0}, pad_mode::edge)).get() == std::vector<int>{2, 2, 2, 3});
}

CASES("shapes: padding") {
  check_layouts<T>("pad empty none", OF(sn::pad(x, 0, pad_mode::empty)));
  check_layouts<T>("pad constants", OF(sn::pad(x, {{1, 2}}, pad_mode::constant, {.constant_values = {{5, 6}}})));
  check_layouts<T>("pad edge", OF(sn::pad(x, 1, pad_mode::edge)));
  check_layouts<T>("pad maximum", OF(sn::pad(x, 2, pad_mode::maximum)));
  check_layouts<T>("pad maximum 2", OF(sn::pad(x, {{1, 2}}, pad_mode::maximum, {.stat_length = 2})));
  check_layouts<T>("pad minimum", OF(sn::pad(x, {{0, 1}}, pad_mode::minimum, {.stat_length = {{2, 1}}})));
  check_layouts<T>("pad minimum 0", OF(sn::pad(x, 1, pad_mode::minimum, {.stat_length = 0})));
  check_layouts<T>("pad reflect", OF(sn::pad(x, 3, pad_mode::reflect)));
  check_layouts<T>("pad symmetric", OF(sn::pad(x, {{3, 2}}, pad_mode::symmetric)));
  check_layouts<T>("pad wrap", OF(sn::pad(x, {{2, 3}}, pad_mode::wrap)));
}

CASES("shapes: edits") {
  check_layouts<T>("delete", OF(sn::delete_(x, 1)));
  check_layouts<T>("delete -1", OF(sn::delete_(x, -1, -1)));
  check_layouts<T>("delete far", OF(sn::delete_(x, 9, -1)));
  check_layouts<T>("delete several", OF(sn::delete_(x, {0, -1, 0}, -1)));
  check_layouts<T>("delete none", OF(sn::delete_(x, std::vector<std::int64_t>(), -1)));
  check_layouts<T>("delete slice", OF(sn::delete_(x, slice(1, 3), -1)));
  check_layouts<T>("delete steps", OF(sn::delete_(x, slice(_, _, 2))));
  check_layouts<T>("delete backwards", OF(sn::delete_(x, slice(_, _, -2), -1)));
  check_layouts<T>("insert", OF(sn::insert(x, 1, T(8))));
  check_layouts<T>("insert -1", OF(sn::insert(x, -1, T(8), -1)));
  check_layouts<T>("insert end", OF(sn::insert(x, x.ndim() == 0 ? 0 : x.shape()[x.ndim() - 1], T(8), -1)));
  check_layouts<T>("insert far", OF(sn::insert(x, 9, T(8), -1)));
  const array<int> three{8, 9, 10};
  check_layouts<T>("insert values", [&](const lazy<T>& x) { return sn::insert(x, 1, three, 0); });
  check_layouts<T>("insert listed", OF(sn::insert(x, {1}, array<float>{8, 9, 10, 11}, 0)));
  check_layouts<T>("insert several", [&](const lazy<T>& x) { return sn::insert(x, {1, 0, 1}, three, -1); });
  check_layouts<T>("insert several 8", OF(sn::insert(x, {0, 0, -1}, T(8))));
  check_layouts<T>("resize", OF(sn::resize(x, {3, 5})));
  check_layouts<T>("resize less", OF(sn::resize(x, 2)));
  check_layouts<T>("resize none", OF(sn::resize(x, {2, 0})));
  check_layouts<T>("trim_zeros", OF(sn::trim_zeros(x)));
  check_layouts<T>("trim_zeros f", OF(sn::trim_zeros(x, "f")));
  check_layouts<T>("trim_zeros b", OF(sn::trim_zeros(x, "B", -1)));
  check_layouts<T>("trim_zeros none", OF(sn::trim_zeros(lazy<T>(astype<T>(x * T(0))))));
  check_layouts<T>("trim_zeros letters", OF(sn::trim_zeros(x, "x")));
}
#undef CASES

namespace {

template <class T>
lazy<T> numbers();
template <>
lazy<std::uint8_t> numbers() {
  return array<std::uint8_t>{{3, 200, 7}, {250, 0, 9}};
}
template <>
lazy<std::int16_t> numbers() {
  return array<std::int16_t>{{3, -200, 7}, {250, 0, 9}};
}
template <>
lazy<float> numbers() {
  return array<float>{{3, 0.1f, 7.5f}, {-2.25f, 0, 1e6f}};
}
template <>
lazy<double> numbers() {
  return array<double>{{3, 0.1, 7.5}, {-2.25, 0, 1e6}};
}
template <>
lazy<bool> numbers() {
  return array<bool>{{true, false, false}, {false, true, false}};
}

}  // namespace

TEST_CASE_TEMPLATE("shapes: padding with what is computed", T, bool, std::uint8_t, std::int16_t, float, double) {
  const auto computed = [](const char* name, auto f) {
    sn::test::check_operand<T>(name, sn::name(sn::dtype_of<T>), numbers<T>(), f);
  };
  const sn::pad_options odd{.reflect_type = sn::reflect_type::odd};
  computed("pad mean", OF(sn::pad(x, {{1, 2}}, pad_mode::mean)));
  computed("pad mean 2", OF(sn::pad(x, 1, pad_mode::mean, {.stat_length = 2})));
  computed("pad linear_ramp", OF(sn::pad(x, {{4, 3}}, pad_mode::linear_ramp, {.end_values = {{1, 7}}})));
  computed("pad linear_ramp 0", OF(sn::pad(x, 5, pad_mode::linear_ramp)));
  computed("pad odd reflect", [&](const lazy<T>& x) { return sn::pad(x, 1, pad_mode::reflect, odd); });
  computed("pad odd reflect far", [&](const lazy<T>& x) { return sn::pad(x, {{7, 5}}, pad_mode::reflect, odd); });
  computed("pad odd symmetric", [&](const lazy<T>& x) { return sn::pad(x, {{3, 8}}, pad_mode::symmetric, odd); });
  computed("pad odd one", [&](const lazy<T>& x) {
    return sn::pad(x(slice(1), slice(1)), {{3, 8}}, pad_mode::symmetric, odd);
  });
}

// The numbers are NumPy's.
TEST_CASE("shapes: padding with medians") {
  CHECK(array_equal(sn::pad(array<int>{1, 2, 4, 9}, 3, pad_mode::median), array<int>{3, 3, 3, 1, 2, 4, 9, 3, 3, 3}));
  CHECK(array_equal(sn::pad(array<double>{1.5, 2, 4, 9}, 2, pad_mode::median, {.stat_length = 3}),
                    array<double>{2, 2, 1.5, 2, 4, 9, 4, 4}));
  CHECK(array_equal(sn::pad(array<int>{{3, 1, 3}, {2, 0, 2}}, 1, pad_mode::median),
                    array<int>{{2, 2, 0, 2, 2}, {3, 3, 1, 3, 3}, {2, 2, 0, 2, 2}, {2, 2, 0, 2, 2}}));
}

TEST_CASE("shapes: views of arrays are arrays, and nothing is copied") {
  const array<float> x = sn::arange<float>(24).reshape(2, 1, 12);
  static_assert(std::is_same_v<decltype(sn::squeeze(x)), array<float>>);
  static_assert(std::is_same_v<decltype(sn::split(x, 2)), std::vector<array<float>>>);
  static_assert(std::is_same_v<decltype(sn::swapaxes(x + 1, 0, 1)), lazy<float>>);
  const array<float> squeezed = sn::squeeze(x), moved = sn::moveaxis(x, 0, 2);
  CHECK(squeezed.data() == x.data());
  CHECK(moved.data() == x.data());
  const std::vector<array<float>> parts = sn::split(x, 3, 2), rows = sn::unstack(x);
  CHECK(parts[1].data() == x.data() + 4);
  CHECK(rows[1].data() == x.data() + 12);
  CHECK(sn::broadcast_shapes(sn::shape{3, 1}, 4, sn::shape()) == sn::shape{3, 4});
  CHECK(sn::broadcast_shapes() == sn::shape());
  CHECK_THROWS_AS((void)sn::broadcast_shapes(sn::shape{3}, sn::shape{4}), sn::shape_error);
  const auto [a, b] = sn::broadcast_arrays(array<int>{{1}, {2}}, array<double>{0.5, 1.5, 2.5});
  CHECK(a.shape() == sn::shape{2, 3});
  CHECK((a + b).get() == std::vector<double>{1.5, 2.5, 3.5, 2.5, 3.5, 4.5});
}

TEST_CASE("shapes: strides that a program gives stay within the array") {
  const array<int> x(sn::arange<int>(12));
  CHECK(sn::as_strided(x, {3, 4}, {2, 1}).get() == std::vector<int>{0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7});
  CHECK(sn::as_strided(x * 2, {3}, {5}).get() == std::vector<int>{0, 10, 20});
  CHECK(sn::as_strided(x, {2, 2}, {0, 0}).get() == std::vector<int>{0, 0, 0, 0});
  CHECK(sn::as_strided(sn::flip(x), {3}, {-4}).get() == std::vector<int>{11, 7, 3});
  CHECK(sn::as_strided(x, {0, 9}, {100, 100}).shape() == sn::shape{0, 9});
  const array<int> square = x.reshape(3, 4);
  CHECK(sn::as_strided(square.T(), {4}, square.strides().size() == 2 ? 3 : 0).get() == std::vector<int>{0, 3, 6, 9});
  CHECK_THROWS_AS((void)sn::as_strided(x, {3, 4}, {4, 2}), sn::index_error);
  CHECK_THROWS_AS((void)sn::as_strided(x, {2}, {-1}), sn::index_error);
  CHECK_THROWS_AS((void)sn::as_strided(x, {3}, {std::int64_t{1} << 62}), sn::index_error);
  CHECK_THROWS_AS((void)sn::as_strided(x, {3, 4}, {1}), sn::shape_error);
  CHECK_THROWS_AS((void)sn::as_strided(square(_, slice(1, 3)), {3}, {1}), sn::shape_error);
}

TEST_CASE("shapes: an array made of windows has its elements for itself") {
  array<int> x(sn::arange<int>(6));
  array<int> w = sn::sliding_window_view(x, 3);
  w(0, 1) = 50;
  CHECK(w.get() == std::vector<int>{0, 50, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5});
  CHECK(x.get() == std::vector<int>{0, 1, 2, 3, 4, 5});
  array<int> alone = sn::as_strided(array<int>{7, 8, 9}, {2, 2}, {1, 1});
  alone(0, 1) = 0;
  CHECK(alone.get() == std::vector<int>{7, 0, 8, 9});
  x(slice(1, -1)) = sn::sum(sn::sliding_window_view(x, 3), -1);  // what is read is what was there before
  CHECK(x.get() == std::vector<int>{0, 3, 6, 9, 12, 5});
}

TEST_CASE("shapes: they are one launch with their user") {
  const array<float> x = sn::linspace<float>(0, 1, 600).reshape(20, 30);
  const auto is_one_launch = [](auto f) { CHECK(sn::test::kept_launches_of(f) == 1); };
  is_one_launch([&] { array<float> r = sn::squeeze(sn::expand_dims(x + 1, 0)) * 2; });
  is_one_launch([&] { array<float> r = sn::moveaxis(x * 2, 0, 1) + 1; });
  is_one_launch([&] { array<float> r = sn::split(x + 1, 2)[1] * 2; });
  is_one_launch([&] { array<float> r = sn::mean(sn::sliding_window_view(x + 1, 3, 1), -1) * 2; });
  is_one_launch([&] { array<float> r = sn::block(tuple(x, x + 1), tuple(x * 2, x)) + 1; });
  is_one_launch([&] { array<float> r = sn::diag(x(0) * 2, 1) + 1; });
  is_one_launch([&] { array<float> r = sn::delete_(x * 2, 3, 1) + 1; });
  is_one_launch([&] { array<float> r = sn::insert(x * 2, 3, x(_, 0), 1) + 1; });
  is_one_launch([&] { array<float> r = sn::resize(x * 2, {50, 50}) + 1; });
  is_one_launch(
      [&] { array<float> r = sn::pad(x * 2, 3, pad_mode::reflect, {.reflect_type = sn::reflect_type::odd}); });
  is_one_launch([&] { array<float> r = sn::pad(x * 2, 3, pad_mode::constant, {.constant_values = {{1, 2}}}) + 1; });
}

TEST_CASE("shapes: axes, orders and counts that are known at run time") {
  const array<double> a{{1, 2, 3}, {4, 5, 6}};
  const array<float> f{1, 2, 3};
  const std::vector<std::int64_t> wide{1, 0};
  const std::vector<int> axes_of{1, 0};
  const std::array<std::int16_t, 2> fixed{1, 0};
  const auto same = [](const auto& x, const auto& y) { return sn::array_equal(x, y).item(); };
  CHECK(sn::sum(a, {.axis = wide}).item() == 21);
  CHECK(a.sum({.axis = axes_of}).item() == 21);
  CHECK(same(sn::max(a, {.axis = std::span<const int>(axes_of).first(1)}), array<double>{3, 6}));
  CHECK(sn::sum(a, {.axis = std::vector<int>{}}).shape() == a.shape());
  CHECK_THROWS_AS((void)sn::sum(a, {.axis = std::vector<int>(9)}), sn::shape_error);
  CHECK(same(sn::transpose(a, wide), a.T()));
  CHECK(same(a.transpose(axes_of), a.T()));
  CHECK(same((a + 1).transpose(fixed), a.T() + 1));
  CHECK(same(sn::permute_dims(a, fixed), a.T()));
  CHECK(a.reshape(std::vector<int>{-1, 2}).shape() == sn::shape{3, 2});
  CHECK(sn::reshape(a, std::vector<std::int64_t>{3, 2}).shape() == sn::shape{3, 2});
  CHECK(same(sn::flip(a, axes_of), sn::flip(a)));
  CHECK(sn::expand_dims(a, axes_of).shape() == sn::shape{1, 1, 2, 3});
  CHECK(sn::squeeze(a(newaxis, newaxis), fixed).shape() == a.shape());
  CHECK(sn::moveaxis(a, wide, std::vector<int>{0, 1}).shape() == sn::shape{3, 2});
  CHECK(sn::split(f, std::vector<int>{1, 2}).size() == 3);
  CHECK(sn::repeat(f, std::vector<std::int16_t>{1, 0, 2}).get() == std::vector<float>{1, 3, 3});
  CHECK(sn::tile(f, axes_of).shape() == sn::shape{1, 0});
  CHECK(sn::roll(f, axes_of, 0).get() == std::vector<float>{3, 1, 2});
}

TEST_CASE("shapes: turned in the plane of other axes, and rolled several times along one") {
  const array<double> a{{1, 2, 3}, {4, 5, 6}};
  CHECK(sn::array_equal(sn::rot90(a, 1, {1, 0}), sn::rot90(a, -1)).item());
  CHECK(sn::array_equal(sn::rot90(a, 3, {0, 1}), sn::rot90(a, 3)).item());
  CHECK(sn::array_equal(sn::rot90(a(newaxis), 1, {1, 2}), sn::rot90(a)(newaxis)).item());
  CHECK_THROWS_AS((void)sn::rot90(a, 1, {0, 0}), sn::shape_error);
  CHECK(sn::array_equal(sn::roll(a, {1, 1}, 1), sn::roll(a, 2, 1)).item());
  CHECK_THROWS_AS((void)sn::roll(a, {1, 2, 3}, {0, 1}), sn::shape_error);
}
