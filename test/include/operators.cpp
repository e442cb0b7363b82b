// Operators and the functions behind them: every symbol in both orders, with scalars on either side, named and
// temporary, and the places where C++ and NumPy mean different things by one symbol.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using ints = std::vector<int>;
using doubles = std::vector<double>;
using bools = std::vector<bool>;

const array<int>& a() {
  static const array<int> x{7, -7, 3, 0};
  return x;
}
const array<int>& b() {
  static const array<int> x{2, 2, -2, 5};
  return x;
}
const array<double>& x() {
  static const array<double> v{1.5, -2.0, 0.0, 4.0};
  return v;
}
constexpr double inf = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("operators: arithmetic, of arrays") {
  CHECK((a() + b()).get() == ints{9, -5, 1, 5});
  CHECK((a() - b()).get() == ints{5, -9, 5, -5});
  CHECK((a() * b()).get() == ints{14, -14, -6, 0});
  CHECK((a() / b()).get() == doubles{3.5, -3.5, -1.5, 0});
  CHECK((-a()).get() == ints{-7, 7, -3, 0});
  CHECK((+a()).get() == a().get());
  CHECK(abs(a()).get() == ints{7, 7, 3, 0});
}

TEST_CASE("operators: scalars stand on either side") {
  CHECK((10 - a()).get() == ints{3, 17, 7, 10});
  CHECK((a() - 10).get() == ints{-3, -17, -7, -10});
  CHECK((2 * x()).get() == doubles{3, -4, 0, 8});
  CHECK((1 / x())(0).item() == 1 / 1.5);
  CHECK((x() / 2).get() == doubles{0.75, -1, 0, 2});
  CHECK((1 / (x() + x()))(3).item() == 0.125);
  CHECK((5 % a())(0).item() == 5);
  CHECK((1 << array<int>{0, 3}).get() == ints{1, 8});
  CHECK((6 & a()).get() == ints{6, 0, 2, 0});
  CHECK((true && x()).get() == bools{true, true, false, true});
  CHECK(pow(2, a() * 0 + 3).get() == ints{8, 8, 8, 8});
  CHECK(maximum(0, a()).get() == ints{7, 0, 3, 0});
}

TEST_CASE("operators: division of integers is true division, and by zero gives infinity") {
  CHECK((array<int>{1, 2, 3} / array<int>{2, 2, 2}).get() == doubles{0.5, 1, 1.5});
  CHECK((array<int>{1, -1} / 0).get() == doubles{inf, -inf});
  CHECK(std::isnan((array<int>{0} / 0).item()));
  CHECK(floor_divide(a(), b()).get() == ints{3, -4, -2, 0});
  CHECK(floor_divide(x(), 0.5).get() == doubles{3, -4, 0, 8});
  CHECK(floor_divide(a(), 0).get() == ints{0, 0, 0, 0});
  CHECK((a() % 0).get() == ints{0, 0, 0, 0});
  array<double> d{1, 2};
  d /= 2;
  CHECK(d.get() == doubles{0.5, 1});
}

TEST_CASE("operators: the remainder has the sign of the divisor, fmod that of the dividend") {
  const array<int> n{7, -7, 7, -7, 6, 0}, m{3, 3, -3, -3, 3, -3};
  CHECK((n % m).get() == ints{1, 2, -2, -1, 0, 0});
  CHECK(fmod(n, m).get() == ints{1, -1, 1, -1, 0, 0});
  const array<double> f{5.5, -5.5, 5.5, -5.5}, g{2, 2, -2, -2};
  CHECK((f % g).get() == doubles{1.5, 0.5, -0.5, -1.5});
  CHECK(fmod(f, g).get() == doubles{1.5, -1.5, 1.5, -1.5});
  CHECK(((n - (n % m)) % m).get() == ints(6, 0));
  CHECK((floor_divide(n, m) * m + n % m).get() == n.get());
  CHECK((array<double>{-1} % inf).item() == inf);
  CHECK(std::isnan((array<double>{1} % 0).item()));
  CHECK((array<std::int64_t>{std::numeric_limits<std::int64_t>::min()} % -1).item() == 0);
}

TEST_CASE("operators: comparisons, in every order of operands") {
  const array<int> p{1, 2, 3}, q{3, 2, 1};
  CHECK((p == q).get() == bools{false, true, false});
  CHECK((p != q).get() == bools{true, false, true});
  CHECK((p < q).get() == bools{true, false, false});
  CHECK((p <= q).get() == bools{true, true, false});
  CHECK((p > q).get() == bools{false, false, true});
  CHECK((p >= q).get() == bools{false, true, true});
  CHECK((p < 2).get() == bools{true, false, false});
  CHECK((2 < p).get() == bools{false, false, true});
  CHECK((2 >= p).get() == bools{true, true, false});
  CHECK((2 == p).get() == bools{false, true, false});
  CHECK((p + 0 == 2).get() == bools{false, true, false});
  CHECK((2 != p + 0).get() == bools{true, false, true});
  CHECK((p == p + 0).get() == bools(3, true));  // an array and an expression, and the other way round
  CHECK((p + 0 == p).get() == bools(3, true));
  CHECK((p + 0 != q + 0).get() == bools{true, false, true});
  CHECK((p < 2.5).get() == bools{true, true, false});
  CHECK(((0 < p) && (p < 3)).get() == bools{true, true, false});
  CHECK((array<double>{NAN} == array<double>{NAN}).item() == false);
  CHECK((array<double>{NAN} != array<double>{NAN}).item() == true);
  CHECK((array<bool>{true, false} < array<bool>{true, true}).get() == bools{false, true});
  CHECK((array<std::uint64_t>{~std::uint64_t{0}} > array<std::uint64_t>{1}).item());
  CHECK((array<std::int8_t>{-1} < array<std::uint8_t>{1}).item());
}

TEST_CASE("operators: truth of one element, and of all") {
  const array<int> p{1, 2, 3};
  CHECK(bool(all(p == p)));
  CHECK_FALSE(bool(any(p > 3)));
  CHECK(bool(sum(p)));
  CHECK(static_cast<bool>(array<int>{5}));
  CHECK_THROWS_AS(static_cast<void>(static_cast<bool>(p == p)), shape_error);
  if (all(p > 0) && any(p > 2).item()) CHECK(true);
  else CHECK(false);
}

TEST_CASE("operators: logic takes operands as truth values, and evaluates both") {
  CHECK((x() && a()).get() == bools{true, true, false, false});
  CHECK((x() || a()).get() == bools{true, true, true, true});
  CHECK((!x()).get() == bools{false, false, true, false});
  CHECK(logical_xor(x(), a()).get() == bools{false, false, true, true});
  CHECK((array<double>{NAN} && true).item());
  CHECK((array<bool>{true, false} && array<bool>{true, true}).get() == bools{true, false});
  CHECK((array<double>{0.25} && 0.25).item());  // a scalar is taken as a truth value too, and not cut to 0
}

TEST_CASE("operators: arithmetic of bool is logic, as in NumPy") {
  const array<bool> p{true, true, false, false}, q{true, false, true, false};
  CHECK((p + q).get() == bools{true, true, true, false});
  CHECK((p * q).get() == bools{true, false, false, false});
  CHECK((p & q).get() == bools{true, false, false, false});
  CHECK((p | q).get() == bools{true, true, true, false});
  CHECK((p ^ q).get() == bools{false, true, true, false});
  CHECK((~p).get() == bools{false, false, true, true});
  CHECK(maximum(p, q).get() == bools{true, true, true, false});
  CHECK((p + 1).get() == std::vector<std::int64_t>{2, 2, 1, 1});
  CHECK((p / q).get()[1] == inf);
  CHECK((p - 0.5).get() == doubles{0.5, 0.5, -0.5, -0.5});
  CHECK(sum(p + q).item() == 3);
  array<bool> r = p;
  r |= q;
  CHECK(r.get() == bools{true, true, true, false});
  r &= p;
  CHECK(r.get() == p.get());
  r ^= true;
  CHECK(r.get() == bools{false, false, true, true});
}

TEST_CASE("operators: bits and shifts") {
  const array<std::uint8_t> u{0b1100, 0xff};
  CHECK((u & 0b0101).get() == std::vector<std::uint8_t>{0b0100, 0b0101});
  CHECK((u | 0b0011).get() == std::vector<std::uint8_t>{0b1111, 0xff});
  CHECK((u ^ 0xff).get() == std::vector<std::uint8_t>{0b11110011, 0});
  CHECK((~u).get() == std::vector<std::uint8_t>{0b11110011, 0});
  CHECK((u << 1).get() == std::vector<std::uint8_t>{0b11000, 0xfe});
  CHECK((u >> 2).get() == std::vector<std::uint8_t>{0b11, 0b111111});
  CHECK((array<int>{-8, 8} >> 1).get() == ints{-4, 4});
  CHECK((array<int>{-8, 8} >> 40).get() ==
        ints{-1, 0});  // once all bits have left, and not what the processor makes of it
  CHECK((array<int>{1, 3} << 32).get() == ints{0, 0});
  CHECK((~array<int>{0, -1}).get() == ints{-1, 0});
}

TEST_CASE("operators: updates in place") {
  array<int> n{7, -7, 3};
  n += 1;
  CHECK(n.get() == ints{8, -6, 4});
  n -= array<int>{1, 1, 1};
  n *= n;
  CHECK(n.get() == ints{49, 49, 9});
  n %= 10;
  CHECK(n.get() == ints{9, 9, 9});
  n <<= 2;
  n >>= 1;
  n |= 1;
  n &= 0x1f;
  n ^= 2;
  CHECK(n.get() == ints{17, 17, 17});
  n(slice(1, _)) -= n(0) + 1;
  CHECK(n.get() == ints{17, -1, -1});
  ((n += 1) += 1) *= 2;
  CHECK(n.get() == ints{38, 2, 2});
  array<float> f{1, 2};
  f += 0.5;                  // a double scalar is weak
  f *= array<double>{2, 4};  // a wider operand of the same kind is converted, as NumPy's same_kind rule has it
  CHECK(f.get() == std::vector<float>{3, 10});
  array<std::int8_t> s{1, 2};
  s += array<int>{1000, 1};
  CHECK(s.get() == std::vector<std::int8_t>{-23, 3});
}

TEST_CASE("operators: stores convert as NumPy's do") {
  array<int> n{1, 2, 3};
  n(0) = 3.99;
  n(1) = array<double>{-2.5}(0);
  n(2) = true;
  CHECK(n.get() == ints{3, -2, 1});
  n(ellipsis) = array<double>{1e99, -1e99, 0.5};
  CHECK(n.get() == ints{2147483647, -2147483647 - 1, 0});
  array<bool> p{false, false, false};
  p(ellipsis) = array<double>{0, 0.5, NAN};
  CHECK(p.get() == bools{false, true, true});
  array<float> f = zeros<float>({2});
  f(0) = 1;
  f(1) = 16'777'217;
  CHECK(f.get() == std::vector<float>{1, 16'777'216});
}

TEST_CASE("operators: a floating number stored into integers saturates, as a cast does") {
  using limits = std::numeric_limits<int>;
  array<int> n = zeros<int>({6});
  n(0) = 1e20;
  n(1) = -1e20f;
  n(2) = NAN;
  n(3) = -0.9;
  n(4) = 2147483647.5;
  n(5) = -inf;
  CHECK(n.get() == ints{limits::max(), limits::lowest(), 0, 0, limits::max(), limits::lowest()});
  array<std::uint8_t> u{1, 2, 3};
  u(0) = -5.0;
  u(1) = 255.9f;
  u(2) = 256.0;
  CHECK(u.get() == std::vector<std::uint8_t>{0, 255, 255});
  array<std::int64_t> wide = full<std::int64_t>({2}, 1e19);
  wide(1) = -9.3e18;
  CHECK(wide.get() == std::vector<std::int64_t>{INT64_MAX, INT64_MIN});
  CHECK(full<std::uint64_t>({1}, 1.9e19).item() == UINT64_MAX);
  CHECK(full<std::int8_t>({1}, -1000.0).item() == -128);
  CHECK(full<bool>({1}, static_cast<double>(NAN)).item());
  CHECK_THROWS_AS(full<std::int8_t>({1}, 1000), dtype_error);
  static_assert(detail::cast_element<int>(1e20) == limits::max() && detail::cast_element<std::uint8_t>(-5.0) == 0);
}

TEST_CASE("operators: a strong scalar is stored as its array's element would be") {
  array<double> d{1, 2, 3};
  d(0) = strong(2.5f);
  d(1) = strong(std::int8_t{-3});
  d(slice(2, _)) = strong(true);
  CHECK(d.get() == doubles{2.5, -3, 1});
  array<float> f{1, 2};
  f(ellipsis) = strong(0.1);
  CHECK(f.get() == std::vector<float>{0.1f, 0.1f});
  array<std::uint8_t> u{1, 2, 3, 4};
  u(0) = strong(300);  // NumPy wraps what has a dtype, and refuses a number of Python's
  u(1) = strong(std::int8_t{-1});
  u(2) = strong(300.5);
  CHECK_THROWS_AS(u(3) = 300, dtype_error);
  CHECK(u.get() == std::vector<std::uint8_t>{44, 255, 255, 4});
  array<std::int64_t> n{1, 2};
  n(0) = strong(1e20f);
  n(1) = strong(std::uint64_t{UINT64_MAX});
  CHECK(n.get() == std::vector<std::int64_t>{INT64_MAX, -1});
  array<bool> p{false, true};
  p(0) = strong(0.5f);
  p(1) = strong(0);
  CHECK(p.get() == bools{true, false});
  d += strong(1.5f);  // a wider place keeps the value, here too
  CHECK(d.get() == doubles{4, -1.5, 2.5});
  CHECK(where(array<bool>{true, false}, array<double>{7, 7}, strong(1.5f)).get() == doubles{7, 1.5});
}

TEST_CASE("operators: where, clip, extremes") {
  CHECK(where(a() > 0, a(), -1).get() == ints{7, -1, 3, -1});
  CHECK(where(x(), 1, 0).get() == std::vector<std::int64_t>{1, 1, 0, 1});  // a condition of any type
  CHECK(where(true, a(), b()).get() == a().get());
  CHECK(where(a() > 0, array<int>{5}, b()(_, newaxis)).shape() == shape{4, 4});
  CHECK(where(array<bool>{true, false}, 1 / array<double>{0, 0}, 0).get() == doubles{inf, 0});
  CHECK(clip(a(), -1, 4).get() == ints{4, -1, 3, 0});
  CHECK(clip(x(), b(), 3).get() == doubles{2, 2, 0, 3});  // NumPy: the upper bound wins where they cross
  CHECK(clip(array<int>{5}, 10, 1).item() == 1);
  // A bound that no element can pass is none; one that all pass does not fit.
  const array<std::uint8_t> bytes{0, 5, 200};
  CHECK(clip(bytes, -3, 4).get() == std::vector<std::uint8_t>{0, 4, 4});
  CHECK(clip(bytes, 3, 300).get() == std::vector<std::uint8_t>{3, 5, 200});
  CHECK(clip(bytes, -1, 1000).dtype() == dtype::uint8);
  CHECK(clip(array<std::uint64_t>{7}, std::int8_t{-1}, 5).item() == 5);
  CHECK_THROWS_AS((void)clip(bytes, 300, 400), dtype_error);
  CHECK_THROWS_AS((void)clip(bytes, -5, -1), dtype_error);
  CHECK(clip(a(), 0).get() == maximum(a(), 0).get());
  CHECK(clip(x(), b()).get() == maximum(x(), b()).get());
  CHECK(clip(-2, 0) == 0);
  CHECK(std::isnan(clip(array<double>{NAN}, 0).item()));
  CHECK(std::isnan(maximum(array<double>{NAN}, 1).item()));
  CHECK(std::isnan(minimum(1, array<double>{NAN}).item()));
  CHECK(fmax(array<double>{NAN}, 1).item() == 1);
  CHECK(std::isnan(clip(array<double>{NAN}, 0, 1).item()));
}
