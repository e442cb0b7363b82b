// New arrays: lists, and the values of arange and linspace to NumPy's last bit, in every mode and on every device.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using doubles = std::vector<double>;
using floats = std::vector<float>;
using ints = std::vector<int>;

}  // namespace

TEST_CASE("create: linspace has NumPy's bits") {
  CHECK(linspace(-1, 2, 10).get() == doubles{-1.0, -0x1.5555555555556p-1, -0x1.5555555555556p-2, 0.0,
                                             0x1.5555555555554p-2, 0x1.5555555555554p-1, 1.0, 0x1.5555555555554p+0,
                                             0x1.aaaaaaaaaaaaap+0, 2.0});
  CHECK(linspace(0.1, 0.9, 7).get() == doubles{0x1.999999999999ap-4, 0x1.ddddddddddddep-3, 0x1.7777777777778p-2,
                                               0x1.0000000000000p-1, 0x1.4444444444444p-1, 0x1.8888888888888p-1,
                                               0x1.ccccccccccccdp-1});
  CHECK(linspace<float>(0.1, 0.7, 7).get() == floats{0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f});
  CHECK(linspace<int>(-2.5, 2.5, 6).get() == ints{-3, -2, -1, 0, 1, 2});  // the floor
  CHECK(linspace(1, 5, 1).get() == doubles{1});
  CHECK(linspace(1, 5, 0).get().empty());
  CHECK(std::isnan(linspace(0, std::numeric_limits<double>::infinity(), 1).item()));
  CHECK(linspace(0, 1, 1 << 16)(-1).item() == 1);
}

TEST_CASE("create: an extent may be named from the last axis on") {
  const array<double> a = zeros({4, 6});
  CHECK(a.shape()[-1] == 6);
  CHECK(a.shape()[-2] == 4);
  CHECK(zeros({2, a.shape()[-1]}).shape() == shape{2, 6});
  static_assert(std::is_same_v<float16, half>);
}

TEST_CASE("create: arange has NumPy's bits") {
  CHECK(arange(0.1, 1.5, 0.2).get() == doubles{0x1.999999999999ap-4, 0x1.3333333333334p-2, 0x1.0000000000001p-1,
                                               0x1.6666666666667p-1, 0x1.ccccccccccccep-1, 0x1.199999999999bp+0,
                                               0x1.4cccccccccccep+0});
  CHECK(arange(1, 0, -0.15).get() == doubles{1.0, 0x1.b333333333333p-1, 0x1.6666666666666p-1, 0x1.1999999999999p-1,
                                             0x1.9999999999998p-2, 0x1.ffffffffffffcp-3, 0x1.9999999999990p-4});
  CHECK(arange(1e-3, 9e-3, 1e-3).get() == doubles{0x1.0624dd2f1a9fcp-10, 0x1.0624dd2f1a9fcp-9, 0x1.89374bc6a7efap-9,
                                                  0x1.0624dd2f1a9fcp-8, 0x1.47ae147ae147bp-8, 0x1.89374bc6a7efap-8,
                                                  0x1.cac083126e979p-8, 0x1.0624dd2f1a9fcp-7});
  CHECK(arange<float>(0.3, 1.0, 0.1).get() == floats{0x1.333334p-2f, 0x1.99999ap-2f, 0x1.000000p-1f, 0x1.333334p-1f,
                                                     0x1.666666p-1f, 0x1.999998p-1f, 0x1.ccccccp-1f});
  const doubles from_minus_zero = arange(-0.0, 3).get();
  CHECK(from_minus_zero == doubles{0, 1, 2});
  CHECK(std::signbit(from_minus_zero[0]));
  CHECK(arange(1.0, 2.0, std::numeric_limits<double>::infinity()).get() == doubles{1});
  CHECK(arange(0, 5e-324, 1e300).get() == doubles{0});
}

TEST_CASE("create: a list of numbers of several types has the type that C++ computes in") {
  const array mixed{1, -0.8, 2.5f};
  const array narrow{1.5f, 2};
  const array whole{1, 2};
  static_assert(std::is_same_v<decltype(mixed), const array<double>>);
  static_assert(std::is_same_v<decltype(narrow), const array<float>>);
  static_assert(std::is_same_v<decltype(whole), const array<int>>);
  CHECK(mixed.get() == std::vector<double>{1, -0.8, 2.5});
  CHECK(tile(whole, whole.shape()).get() == std::vector<int>{1, 2, 1, 2});
}

TEST_CASE("create: arange of integers") {
  CHECK(arange<int>(0.5, 5, 0.7).get() == ints{0, 1, 2, 3, 4, 5, 6});  // the first two are 0 and 1, as in NumPy
  CHECK(arange(INT64_MIN, INT64_MAX, std::int64_t{1} << 62).get() ==
        std::vector<std::int64_t>{INT64_MIN, INT64_MIN / 2, 0, -(INT64_MIN / 2)});
  CHECK(arange(INT64_MAX, INT64_MIN, INT64_MIN).get() == std::vector<std::int64_t>{INT64_MAX, -1});
  CHECK(arange<std::uint64_t>(10, 6, -1).get() == std::vector<std::uint64_t>{10, 9, 8, 7});
  constexpr std::uint64_t most = ~std::uint64_t{0}, half = std::uint64_t{1} << 63;
  CHECK(arange<std::uint64_t>(most - 2, most).get() == std::vector<std::uint64_t>{most - 2, most - 1});
  CHECK(arange<std::uint64_t>(most, most - 5, -2).get() == std::vector<std::uint64_t>{most, most - 2, most - 4});
  CHECK(arange<std::uint64_t>(0, most, std::int64_t{1} << 62).get() ==
        std::vector<std::uint64_t>{0, half / 2, half, half + half / 2});
  CHECK(arange<std::uint64_t>(half - 1, half + 2).get() == std::vector<std::uint64_t>{half - 1, half, half + 1});
  CHECK(arange<std::uint64_t>(2, -1, -1).get() == std::vector<std::uint64_t>{2, 1, 0});
  CHECK(arange<std::uint64_t>(most, 5).get().empty());
  CHECK_THROWS_AS(arange<std::uint64_t>(most), shape_error);
  CHECK_THROWS_AS(arange<std::uint64_t>(2, -9, -5), dtype_error);
  CHECK(arange<std::int8_t>(0, 300)(299).item() == 43);  // further ones wrap
  CHECK(arange<std::int8_t>(0, 1, 300).get() == std::vector<std::int8_t>{0});
  CHECK(arange<std::int8_t>(300, 300).get().empty());
  CHECK_THROWS_AS(arange<std::int8_t>(300, 310), dtype_error);
  CHECK_THROWS_AS(arange<std::int8_t>(0, 400, 300), dtype_error);
  CHECK_THROWS_AS(arange<std::uint8_t>(-3, 5), dtype_error);
  CHECK_THROWS_AS(arange(~std::uint64_t{0}), dtype_error);
}

TEST_CASE("create: full of an array repeats it") {
  const array<int> row{1, 2, 3};
  array<int> r = full({2, 3}, row);
  CHECK(r.get() == ints{1, 2, 3, 1, 2, 3});
  CHECK(r.is_contiguous());
  r(0, 0) = 7;  // its elements are its own
  CHECK(row.get() == ints{1, 2, 3});
  CHECK(r(1, 0).item() == 1);
  CHECK(full<float>({2, 2}, array<double>{{0.5}, {1.5}} + 1).get() == floats{1.5, 1.5, 2.5, 2.5});
  CHECK_THROWS_AS(full({2, 2}, row), shape_error);
}

TEST_CASE("create: lists of any depth") {
  CHECK(array<double>{{1}, {2}}.shape() == shape{2, 1});
  const array<double> three{{{1, 2}, {3, 4}}};
  CHECK(three.shape() == shape{1, 2, 2});
  CHECK(three.get() == doubles{1, 2, 3, 4});
  const array four{{{{1.f}, {2.f}, {3.f}}, {{4.f}, {5.f}, {6.f}}}};
  static_assert(std::is_same_v<decltype(four), const array<float>>);
  CHECK(four.shape() == shape{1, 2, 3, 1});
  CHECK(four.get() == floats{1, 2, 3, 4, 5, 6});
  static_assert(std::is_same_v<decltype(array{{1}, {2}}), array<int>> &&
                std::is_same_v<decltype(array{{{true}}}), array<bool>>);
  CHECK(array{{{1, 2}}, {{3, 4}}}.shape() == shape{2, 1, 2});
  CHECK(array<int>{{{{{{{{7, 8}}}}}}}}.shape() == shape{1, 1, 1, 1, 1, 1, 1, 2});
  CHECK(array<bool>{{true, false}, {false, true}}.get() == std::vector<bool>{true, false, false, true});
  CHECK(array<double>{{}, {}}.shape() == shape{2, 0});
  CHECK(array<double>{}.shape() == shape{0});
  CHECK(array<double>({3, 4}).get() == doubles{3, 4});  // parentheses make no shape of it
  enum { red = 3 };
  const int number = 4;
  CHECK(array<float>{red, number, 0.5}.get() == floats{3, 4, 0.5f});
  array<int> a{1};
  a = {{1, 2}, {3, 4}};
  CHECK(a.shape() == shape{2, 2});
  CHECK_THROWS_AS((array<int>{{1, 2}, {3}}), shape_error);
  CHECK_THROWS_AS((array<int>{{1, 2}, 3}), shape_error);
  CHECK_THROWS_AS((array<int>{1, {2}}), shape_error);
  CHECK_THROWS_AS((array<int>{{{1}, {2}}, {{3}, {}}}), shape_error);
  CHECK_THROWS_AS((array<int>{{{{{{{{{1}}}}}}}}}), shape_error);  // nine axes
  CHECK_THROWS_AS((array<std::uint8_t>{1, 300}), dtype_error);
}

TEST_CASE("create: arrays like another one have its dtype or a chosen one") {
  const array<double> a{{1, 2, 3}, {4, 5, 6}};
  static_assert(std::is_same_v<decltype(zeros_like(a)), array<double>>);
  static_assert(std::is_same_v<decltype(empty_like<float>(a)), array<float>>);
  const array<int> z = zeros_like<int>(a);
  CHECK(z.shape() == a.shape());
  CHECK(z.get() == ints(6));
  CHECK(ones_like<bool>(a + 1).get() == std::vector<bool>(6, true));
  CHECK(full_like<int>(a, 2).get() == ints(6, 2));
  CHECK(full_like(a, 2).get() == doubles(6, 2));
  CHECK_THROWS_AS((void)full_like<std::uint8_t>(a, 300), dtype_error);
}

TEST_CASE("create: asarray of shapes in braces, of arrays of C++ and of lists") {
  const doubles none, two{1, 2};
  CHECK(asarray(none, {0, 3}).shape() == shape{0, 3});
  CHECK(asarray(none, {0}).shape() == shape{0});
  CHECK(asarray(two, {two.size()}).get() == two);
  CHECK(asarray(two, {2, 1}).shape() == shape{2, 1});
  const double c[] = {1, 2, 3};
  CHECK(asarray(c).get() == doubles{1, 2, 3});
  const int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
  CHECK(asarray(grid).shape() == shape{2, 3});
  CHECK(asarray(grid).get() == ints{1, 2, 3, 4, 5, 6});
  CHECK(asarray({1, 2, 3}).get() == ints{1, 2, 3});
}

TEST_CASE("create: a number is broadcast as an array without axes is") {
  CHECK(broadcast_to(1.5, {2, 2}).get() == doubles(4, 1.5));
  static_assert(std::is_same_v<decltype(broadcast_to(1, {2}))::sinter_element, std::int64_t>);
}
