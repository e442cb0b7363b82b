// Differences, searches, convolutions, polynomials and the order of frequencies: NumPy's values and refusals, of arrays of every
// layout and several dtypes, alone and fused.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <sinter/differences.hpp>
#include <sinter/fft.hpp>
#include <sinter/polynomial.hpp>
#include <sinter/search.hpp>
#include <sinter/signal.hpp>
#include <sinter/sinter.hpp>

#include "test/support/statistics_cases.hpp"

namespace {

using namespace sinter;
using sinter::test::check_layouts_of, sinter::test::is_real, sinter::test::is_wide;

template <class T>
lazy<T> numbers(std::initializer_list<int> list) {
  return lazy<T>(astype<T>(asarray(std::vector<int>(list))));
}
template <class T>
lazy<T> kernel() {
  return numbers<T>({1, -2, 3});
}
template <class T>
lazy<T> long_kernel() {
  return lazy<T>(astype<T>(arange(40) % 5 - 2));
}
template <class T>
lazy<T> small() {
  return lazy<T>(astype<T>(array<int>{{1, 2}, {0, -1}, {3, 1}}));
}
array<double> rising(std::int64_t count) { return cumsum(arange(count) % 3 + 1.0); }
template <class T>
std::int64_t last_extent(const lazy<T>& x) {
  return x.ndim() == 0 ? 0 : x.shape()[x.ndim() - 1];
}

}  // namespace

#define OF(...) [](const lazy<T>& x) { return __VA_ARGS__; }
#define CASES(...) TEST_CASE_TEMPLATE(__VA_ARGS__, T, int, half, float, double, std::complex<double>)

CASES("differences: of neighbours") {
  check_layouts_of<T>("diff", OF(diff(x)));
  check_layouts_of<T>("diff 2", OF(diff(x, {.n = 2, .axis = 0})));
  check_layouts_of<T>("diff many", OF(diff(x, 9)));
  check_layouts_of<T>("diff ends", OF(diff(x, {.axis = 0, .prepend = 2, .append = x(slice(0, 1))})));
  check_layouts_of<T>("ediff1d", OF(ediff1d(x)));
  check_layouts_of<T>("ediff1d ends", OF(ediff1d(x, {.to_end = numbers<T>({3, 4}), .to_begin = -2})));
  check_layouts_of<T>("cumulative_sum", OF(cumulative_sum(x, {.axis = 0})));
  check_layouts_of<T>("cumulative_sum initial", OF(cumulative_sum(x, {.axis = -1, .include_initial = true})));
  check_layouts_of<T>("cumulative_prod initial",
                      OF(cumulative_prod(x(ellipsis, slice(0, 4)), {.axis = -1, .include_initial = true})));
}

CASES("differences: gradients and integrals") {
  check_layouts_of<T>("gradient", OF(gradient(x)));
  check_layouts_of<T>("gradient", OF(gradient(x, {}, {.axis = -1})));
  check_layouts_of<T>("gradient 2", OF(gradient(x, 0.5, {.axis = 0, .edge_order = 2})));
  if constexpr (sizeof(T) >= 8) check_layouts_of<T>("gradient places", OF(gradient(x, rising(last_extent(x)))));
  if constexpr (std::is_same_v<T, double>)
    check_layouts_of<T>("gradient places 2", OF(gradient(x, rising(x.shape()[0]), {.axis = 0, .edge_order = 2})));
  if constexpr (is_wide<T>) {
    check_layouts_of<T>("trapezoid", OF(trapezoid(x)));
    check_layouts_of<T>("trapezoid dx", OF(trapezoid(x, {.dx = 0.25, .axis = 0})));
  }
  if constexpr (is_wide<T> && !std::is_same_v<T, float>)
    check_layouts_of<T>("trapezoid places", OF(trapezoid(x, rising(last_extent(x)))));
}

TEST_CASE("differences: gradients of so many axes") {
  const array<double> a{{1, 2, 6}, {3, 5, 10}};
  const auto [down, across] = gradients<2>(a, 2);
  CHECK(down.get() == std::vector<double>{1, 1.5, 2, 1, 1.5, 2});
  CHECK(across.get() == std::vector<double>{0.5, 1.25, 2, 1, 1.75, 2.5});
  CHECK_THROWS_AS((void)gradients<1>(a), shape_error);
}

TEST_CASE_TEMPLATE("differences: angles without jumps", T, int, float, double) {
  check_layouts_of<T>("unwrap", OF(unwrap(x * 3)));
  if constexpr (!std::is_integral_v<T>)
    check_layouts_of<T>("unwrap period", OF(unwrap(x, {.axis = 0, .period = 4, .discont = 3})));
}

TEST_CASE_TEMPLATE("differences: searches", T, int, half, float, double) {
  static const array<double> edges{-4.0, -1.5, -1.5, 0.0, 2.0, 3.5};
  static const array<double> xp{-4.0, -2.5, 0.0, 1.0, 4.0}, fp{1.0, 3.0, -2.0, 0.5, 2.0};
  check_layouts_of<T>("searchsorted", OF(searchsorted(edges, x)), true);
  check_layouts_of<T>("searchsorted right", OF(searchsorted(edges, x, {.side = search_side::right})), true);
  check_layouts_of<T>("digitize", OF(digitize(x, edges)), true);
  check_layouts_of<T>("digitize right", OF(digitize(x, edges, true)));
  check_layouts_of<T>("digitize falling", OF(digitize(x, flip(edges))));
  check_layouts_of<T>("digitize falling right", OF(digitize(x, flip(edges), true)));
  check_layouts_of<T>("interp", OF(interp(x, xp, fp)), true);
  check_layouts_of<T>("interp ends", OF(interp(x, xp, fp, {.left = -7, .right = 9})));
  check_layouts_of<T>("interp one", OF(interp(x, xp(slice(0, 1)), fp(slice(0, 1)))));
}

CASES("differences: convolutions") {
  check_layouts_of<T>("convolve", OF(convolve(x, kernel<T>())));
  check_layouts_of<T>("convolve same", OF(convolve(x, kernel<T>(), convolve_mode::same)));
  check_layouts_of<T>("convolve valid", OF(convolve(kernel<T>(), x, convolve_mode::valid)));
  check_layouts_of<T>("correlate", OF(correlate(x, kernel<T>())));
  check_layouts_of<T>("correlate same", OF(correlate(x, numbers<T>({1, -2}), convolve_mode::same)));
  check_layouts_of<T>("correlate same turned", OF(correlate(numbers<T>({1, -2}), x, convolve_mode::same)));
  check_layouts_of<T>("correlate full", OF(correlate(x(slice(0, 2)), x, convolve_mode::full)));
  if constexpr (is_wide<T>) {
    check_layouts_of<T>("convolve long", OF(convolve(x, long_kernel<T>(), convolve_mode::same)));
    check_layouts_of<T>("convolve folded", OF(convolve(tile(x, 6), long_kernel<T>())));
  }
  if constexpr (is_wide<T>) check_layouts_of<T>("signal convolve", OF(signal::convolve(x, small<T>())));
  if constexpr (std::is_same_v<T, int> || std::is_same_v<T, double>) {
    check_layouts_of<T>("signal convolve same", OF(signal::convolve(x, small<T>(), convolve_mode::same)));
    check_layouts_of<T>("signal convolve valid", OF(signal::convolve(x, small<T>(), convolve_mode::valid)));
    check_layouts_of<T>("signal convolve folded",
                        OF(signal::convolve(tile(x, {2, 2}), tile(small<T>(), {2, 3}), convolve_mode::same)));
  }
  if constexpr (std::is_same_v<T, int> || !is_real<T>)
    check_layouts_of<T>("signal correlate", OF(signal::correlate(x, small<T>(), convolve_mode::same)));
}

CASES("differences: polynomials") {
  check_layouts_of<T>("polyval", OF(polyval(numbers<T>({2, -1, 3}), x)));
  check_layouts_of<T>("polyadd", OF(polyadd(x, numbers<T>({2, -1, 3}))));
  check_layouts_of<T>("polysub", OF(polysub(numbers<T>({2, -1, 3}), x)));
  check_layouts_of<T>("polymul", OF(polymul(x, numbers<T>({2, -1, 3}))));
  check_layouts_of<T>("polyder", OF(polyder(x, 2)));
  const array<T> by = astype<T>(array<int>{2, -1, 3}), factor = astype<T>(array<int>{1, 2});
  if constexpr (is_wide<T>) {
    check_layouts_of<T>("polydiv quotient", [&](const lazy<T>& x) { return polydiv(x, by).first; });
    check_layouts_of<T>("polydiv rest", [&](const lazy<T>& x) { return polydiv(x, by).second; });
  }
  if constexpr (sizeof(T) >= 8) {
    check_layouts_of<T>("polydiv exact", [&](const lazy<T>& x) { return polydiv(polymul(x, factor), factor).second; });
    check_layouts_of<T>("polydiv by longer", [&](const lazy<T>& x) { return polydiv(factor, x).second; });
  }
  if constexpr (is_wide<T>) check_layouts_of<T>("polyint", OF(polyint(x, 2, {3, 1})));
}

CASES("differences: the order of frequencies") {
  check_layouts_of<T>("fftshift", OF(fft::fftshift(x)));
  check_layouts_of<T>("ifftshift", OF(fft::ifftshift(x, -1)));
}

TEST_CASE("differences: frequencies are NumPy's to the bit") {
  const auto check = [](const char* name, const lazy<double>& e) {
    const auto* want = test::statistics_line(name, dtype::float64, "created");
    REQUIRE(want);
    CHECK(e.get() == want->elements);
  };
  check("fftfreq", fft::fftfreq(7, 0.1));
  check("fftfreq even", fft::fftfreq(8));
  check("rfftfreq", fft::rfftfreq(7, 0.1));
  check("rfftfreq even", fft::rfftfreq(8));
  CHECK_THROWS_AS(fft::fftfreq(0), shape_error);
}

// The numbers are NumPy's.
TEST_CASE("differences: functions that repeat, and functions of a number") {
  const array<double> xp{190, -190, 350, -350}, fp{5, 10, 3, 4};
  CHECK(interp(array<double>{-180, -170, -185, 185, -10, -5, 0, 365}, xp, fp, {.period = 360}).get() ==
        std::vector<double>{7.5, 5, 8.75, 6.25, 3, 3.25, 3.5, 3.75});
  CHECK(interp(array<double>{-180}, xp, fp, {.period = -360}).item() == 7.5);
  CHECK(interp(7, array<double>{3}, array<double>{2}, {.period = 5}).item() == 2);
  CHECK_THROWS_WITH((void)interp(1, xp, fp, {.period = 0}), "sinter: interp with a period of 0");
  const array<double> a{1, 2, 3}, b{2, 4, 9};
  CHECK(interp(1.5, a, b).item() == 3);
  CHECK(digitize(2.5, a).item() == 2);
  CHECK(digitize(2, a, true).item() == 1);
  CHECK(polyval(a, 2.0).item() == 11);
  static_assert(std::is_same_v<decltype(polyval(array<int>{1, 2}, 3)), lazy<std::int64_t>>);
  CHECK(polyval(array<int>{1, 2}, 3).item() == 5);
}

// A value is the same whether those beside it lie within the places, which takes no branch, or not.
bool is_each_alone(const array<double>& x, const array<double>& xp, const array<double>& fp) {
  const std::vector<double> at = x.get(), together = interp(x, xp, fp).get(),
                            outside = interp(x, xp, fp, {.left = 8, .right = 9}).get();
  const auto equal = [](double a, double b) { return a == b ? std::signbit(a) == std::signbit(b) : a != a && b != b; };
  bool same = true;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double alone = interp(at[i], xp, fp).item();
    same = same && equal(together[i], alone) && equal(outside[i], at[i] < -2 ? 8 : at[i] > 4 ? 9 : alone);
  }
  return same;
}

TEST_CASE("differences: interp of many values is that of each") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const array<double> xp{-2, -1, 0, 0.5, 3, 4}, fp{1, -0.0, 5, inf, inf, -7};
  CHECK(is_each_alone(arange(700) % 96 / 16.0 - 2, xp, {1, -0.0, 5, 2, 3, -7}));
  array<double> x = sin(arange(700) * 2.3) * 4.5;
  x(slice(200, 640, 40)) = asarray(std::vector<double>{-2, -1, 0, 0.5, 3, 4, nan, inf, -inf, 4.25, -2.25});
  CHECK(is_each_alone(x, xp, fp));
  CHECK(is_each_alone(sort(x), xp, fp));
  CHECK(interp(array<double>{-1.5, 0.25, 1, 3.5}, xp, fp).get() == std::vector<double>{0.5, inf, inf, inf});
}

TEST_CASE("differences: what is around them is in their launch") {
  const array<float> a = arange<float>(0, 4000) % 17, bins = arange<float>(0, 1000);
  const array<float> k{1, 2, 1}, warm = convolve(a * 2, k) + 1;
  const auto one = [](auto work) { CHECK(test::launches_of(work) == 1); };
  one([&] { const array<float> r = convolve(a * 2, k, convolve_mode::same) + 1; });
  if (device::current() == device::cpu()) return;  // where a search is a call
  one([&] { const array<std::int64_t> r = searchsorted(bins, a * 3) * 2; });
  one([&] { const array<double> r = interp(a + 1, bins, bins * 2) - 1; });
  one([&] { const array<float> r = diff(a * a, 2) + 1; });
  one([&] { const array<float> r = gradient(a * a) + 1; });
  one([&] { const array<float> r = polyval(k, a + 1) * 2; });
  one([&] { const array<float> r = trapezoid(a * a) * 2; });
  const array<float> few = a(slice(600)), wide = arange<float>(0, 100);
  one([&] { const array<float> r = convolve(few * 2, wide, convolve_mode::same) + 1; });
}

TEST_CASE("convolve: long sequences by long kernels, whose ends are folded apart from what lies inside") {
  std::vector<std::int64_t> a(20'000), v(40);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::int64_t>(i * i % 101) - 50;
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = static_cast<std::int64_t>(k * 7 % 11) - 5;
  std::vector<std::int64_t> all(a.size() + v.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < v.size(); ++k) all[i + k] += a[i] * v[k];
  const auto x = asarray(a), kernel = asarray(v), wanted = asarray(all);
  const std::int64_t n = x.size(), m = kernel.size();
  CHECK(array_equal(convolve(x, kernel), wanted).item());
  CHECK(array_equal(convolve(kernel, x, convolve_mode::same), wanted(slice((m - 1) / 2, (m - 1) / 2 + n))).item());
  CHECK(array_equal(convolve(x, kernel, convolve_mode::valid), wanted(slice(m - 1, n))).item());
  CHECK(array_equal(correlate(x, flip(kernel), convolve_mode::full) * 2, wanted * 2).item());
  // What is not there is not multiplied: an infinite coefficient is no NaN at the ends.
  array<double> infinite = kernel.astype<double>();
  infinite(0) = infinite(-1) = INFINITY;
  CHECK(!any(isnan(convolve(x.astype<double>() * 0 + 1, infinite))).item());
}
