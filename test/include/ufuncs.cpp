// NumPy's functions that are several operations or have several results, against values that NumPy gave.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <sinter/bits.hpp>
#include <sinter/sinter.hpp>
#include <sinter/ufuncs.hpp>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
namespace sn = sinter;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The same values, NaN and the signs of zeros included, in an array of the same dtype.
template <class T, class E>
bool gives(const E& e, const std::vector<T>& wanted) {
  static_assert(std::is_same_v<typename E::sinter_element, T>);
  const std::vector<T> got = array<T>(lazy<T>(e.share())).get();
  if (got.size() != wanted.size()) return false;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto x = static_cast<double>(got[i]), y = static_cast<double>(wanted[i]);
    if (x != x && y != y) continue;
    if (x != y || std::signbit(x) != std::signbit(y)) return false;
  }
  return true;
}

using truths = std::vector<bool>;

truths truth(const lazy<bool>& e) {
  const auto all = e.get();
  return truths(all.begin(), all.end());
}

}  // namespace

TEST_CASE("ufuncs: isclose measures from the second, and knows infinities and NaN") {
  const array<double> a{1, 1, 1, inf, inf, not_a_number, 1, -inf, 1e-9},
      b{1 + 1e-6, 1.1, 1 + 2e-5, inf, -inf, not_a_number, inf, -inf, 0};
  CHECK(truth(sn::isclose(a, b)) == truths{true, false, false, true, false, false, false, true, true});
  CHECK(truth(sn::isclose(a, b, {.equal_nan = true})) ==
        truths{true, false, false, true, false, true, false, true, true});
  CHECK(truth(sn::isclose(a, b, {.rtol = 0.2, .atol = 0})) ==
        truths{true, true, true, true, false, false, false, true, false});
  CHECK(truth(sn::isclose(array<std::uint8_t>{3, 255}, array<std::uint8_t>{4, 255})) == truths{false, true});
  CHECK(truth(sn::isclose(array<float>{1, 2}, 1)) == truths{true, false});
  CHECK(truth(sn::isclose(2.0, array<float>{1, 2})) == truths{false, true});
  CHECK(bool(sn::allclose(a(sn::slice(1)), b(sn::slice(1)))));
  CHECK(truth(sn::isclose(array<double>{1, 2}, array<double>{1.1, 2.6}, 0.2, 0)) == truths{true, false});
  CHECK(bool(sn::allclose(array<double>{1, 2}, array<double>{1.1, 2.1}, 0.2)));
  CHECK_FALSE(bool(sn::allclose(a, b)));
  CHECK(counters_snapshot(moved_by([&] { sn::isclose(a * 2, b + 1).get(); })).launches == 1);
}

TEST_CASE("ufuncs: arrays are the same, or are once broadcast") {
  const array<double> a{1, not_a_number}, row{{1, 2}, {1, 2}}, two{1, 2}, three{1, 2, 3};
  CHECK_FALSE(bool(sn::array_equal(a, a)));
  CHECK(bool(sn::array_equal(a, a, true)));
  CHECK_FALSE(bool(sn::array_equal(row, two)));
  CHECK(bool(sn::array_equiv(row, two)));
  CHECK_FALSE(bool(sn::array_equiv(row, three)));
  CHECK(bool(sn::array_equal(two, array<int>{1, 2})));
}

TEST_CASE("ufuncs: nan_to_num") {
  const array<double> a{not_a_number, inf, -inf, -0.0, 3};
  constexpr double most = std::numeric_limits<double>::max();
  CHECK(gives<double>(sn::nan_to_num(a), {0, most, -most, -0.0, 3}));
  CHECK(gives<double>(sn::nan_to_num(a, {.nan = 7, .posinf = 1, .neginf = -1}), {7, 1, -1, -0.0, 3}));
  CHECK(gives<float>(sn::nan_to_num(a.astype<float>()),
                     {0, std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest(), -0.0f, 3}));
  CHECK(gives<int>(sn::nan_to_num(array<int>{1, -2}), {1, -2}));
}

TEST_CASE("ufuncs: round goes to even, and to tens of integers") {
  const array<double> a{0.5, 1.5, 2.5, -0.5, 1.25, 1234.5678, inf, not_a_number};
  CHECK(gives<double>(sn::round(a), {0, 2, 2, -0.0, 1, 1235, inf, not_a_number}));
  CHECK(gives<double>(sn::around(a, 1), {0.5, 1.5, 2.5, -0.5, 1.2, 1234.6, inf, not_a_number}));
  CHECK(gives<double>(sn::round(a, -2), {0, 0, 0, -0.0, 0, 1200, inf, not_a_number}));
  CHECK(gives<int>(sn::round(array<int>{15, 25, -15, 149}, -1), {20, 20, -20, 150}));
  CHECK(gives<int>(sn::round(array<int>{15}, 2), {15}));
  CHECK(gives<std::int8_t>(sn::round(array<std::int8_t>{127, -128, 125}, -1), {-126, 126, 120}));
  CHECK(sn::round(2.25, 1) == 2.2);  // of numbers too
  CHECK(sn::round(1250.0, -2) == 1200);
  CHECK(sn::round(-0.375f, 2) == -0.38f);
}

TEST_CASE("ufuncs: functions of two results") {
  const array<std::int64_t> i{7, -7, 5};
  const auto [q, r] = sn::divmod(i, 3);
  CHECK(gives<std::int64_t>(q, {2, -3, 1}));
  CHECK(gives<std::int64_t>(r, {1, 2, 2}));
  const array<double> a{-0.0, inf, -inf, -2, 1.5, not_a_number, 5e-324, -3};
  const auto [part, whole] = sn::modf(a);
  CHECK(gives<double>(part, {-0.0, 0, -0.0, -0.0, 0.5, not_a_number, 5e-324, -0.0}));
  CHECK(gives<double>(whole, {-0.0, inf, -inf, -2, 1, not_a_number, 0, -3}));
  const auto [mantissa, power] = sn::frexp(a);
  CHECK(gives<double>(mantissa, {-0.0, inf, -inf, -0.5, 0.75, not_a_number, 0.5, -0.75}));
  CHECK(gives<int>(power, {0, 0, 0, 2, 1, 0, -1073, 2}));
  CHECK(gives<double>(sn::ldexp(mantissa, power), a.get()));
  CHECK(gives<float>(sn::ldexp(array<float>{1, 3}, array<int>{3, -160}), {8, 3 * 0x1p-149f * 0}));
  CHECK(gives<float>(sn::ldexp(array<float>{1}, -149), {0x1p-149f}));
  CHECK(gives<double>(sn::ldexp(1.5, array<int>{4, 5000}), {24, inf}));
  CHECK(counters_snapshot(moved_by([&] { sn::eval(part, whole); })).launches == 1);
}

TEST_CASE("ufuncs: spacing, float_power, bitwise_count") {
  CHECK(gives<double>(sn::spacing(array<double>{0, -0.0, 1, -1, inf, not_a_number, 5e-324}),
                      {5e-324, 5e-324, 0x1p-52, -0x1p-52, not_a_number, not_a_number, 5e-324}));
  CHECK(gives<float>(sn::spacing(array<float>{1}), {0x1p-23f}));
  CHECK(gives<double>(sn::float_power(array<int>{2, 3}, -1), {0.5, std::pow(3.0, -1.0)}));
  CHECK(gives<std::uint8_t>(sn::bitwise_count(array<std::int8_t>{-128, -1, 7, 0}), {1, 1, 3, 0}));
  CHECK(gives<std::uint8_t>(sn::bitwise_count(array<std::uint64_t>{~std::uint64_t{0}}), {64}));
  CHECK(gives<std::uint8_t>(sn::bitwise_count(array<bool>{true, false}), {1, 0}));
}

TEST_CASE("ufuncs: truth as bits of bytes, and back") {
  using bytes = std::vector<std::uint8_t>;
  const array<int> a = astype<int>(arange(22)).reshape(2, 11) % 3;
  CHECK(packbits(a).get() == bytes{109, 182, 216});
  CHECK(packbits(a, bit_order::little).get() == packbits(a.ravel(), 0, bit_order::little).get());
  CHECK(unpackbits(packbits(a, bit_order::little), bit_order::little).get() ==
        unpackbits(packbits(a.ravel(), 0)).get());
  CHECK(packbits(a, 1).get() == bytes{109, 160, 182, 192});
  CHECK(packbits(a(_, slice(_, _, -1)) * 2.5, -1).get() == bytes{182, 192, 109, 160});
  CHECK(packbits(a, 0, bit_order::little).get() == bytes{2, 1, 3, 2, 1, 3, 2, 1, 3, 2, 1});
  CHECK(packbits(array<bool>()).shape() == shape{0});
  for (const bit_order order : {bit_order::big, bit_order::little})
    for (const int axis : {0, 1}) {
      const lazy<std::uint8_t> all = unpackbits(packbits(a, axis, order), axis, order);
      CHECK(all.shape() == (axis == 0 ? shape{8, 11} : shape{2, 16}));
      CHECK(sinter::all((all(slice(2), slice(11)) != 0) == (a != 0)).item());
    }
  CHECK(unpackbits(array<std::uint8_t>{{5}, {255}}).get() == bytes{0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  const shape eight{1, 1, 2, 1, 1, 1, 1, 2};  // as many axes as there can be
  CHECK(unpackbits(packbits(a, 1).reshape(eight), -1).get() == unpackbits(packbits(a, 1), 1).get());
  CHECK_THROWS_AS((void)packbits(a, 2), shape_error);
}

TEST_CASE("ufuncs: NaN counts as equal where that is said") {
  const array<double> a{1, not_a_number};
  CHECK(array_equal(a, a, {.equal_nan = true}).item());
  CHECK(array_equal(a, a, true).item());
  CHECK_FALSE(array_equal(a, a, {.equal_nan = false}).item());
}

TEST_CASE_TEMPLATE("ufuncs: sums of exponentials of equal numbers are exact", T, float, double) {
  const array<T> a = linspace<T>(-50, 50, 4099), inf = full<T>({4}, std::numeric_limits<T>::infinity());
  CHECK(all(logaddexp2(a, +a) == a + 1).item());
  CHECK(all(logaddexp2(inf, +inf) == inf).item());
  CHECK(all(logaddexp2(-inf, -inf) == -inf).item());
  CHECK(all(logaddexp(-inf, -inf) == -inf).item());
  CHECK(all(logaddexp(inf, -inf) == inf).item());
}
