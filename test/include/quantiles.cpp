// Medians, quantiles and modes: NumPy's and SciPy's values for every method, several dtypes and every layout, and what they refuse.
#include <doctest/doctest.h>

#include <cmath>

#include <limits>
#include <span>

#include <sinter/quantiles.hpp>
#include <sinter/sinter.hpp>

#include "test/include/looking.hpp"
#include "test/support/order_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

constexpr double nan_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
lazy<T> finite(const lazy<T>& x) {
  if constexpr (!std::is_integral_v<T>) return lazy<T>(where(isinf(x), T(9), x));
  else return x;
}
/// How far a result may be from NumPy's, which has float16 where Sinter has float.
template <class T>
constexpr double tolerance = std::is_same_v<T, half>    ? 4e-3
                             : std::is_same_v<T, float> ? 4e-6
                                                        : 1e-14;

constexpr const char* method_names[] = {"inverted_cdf",
                                        "averaged_inverted_cdf",
                                        "closest_observation",
                                        "interpolated_inverted_cdf",
                                        "hazen",
                                        "weibull",
                                        "linear",
                                        "median_unbiased",
                                        "normal_unbiased",
                                        "lower",
                                        "higher",
                                        "midpoint",
                                        "nearest"};

}  // namespace

#define OF(...) [](const lazy<T>& x) { return __VA_ARGS__; }

TEST_CASE_TEMPLATE("quantiles: medians and percentiles", T, std::uint8_t, int, std::int64_t, half, float, double) {
  constexpr double near = tolerance<T>;
  check_order_of<T>("median", OF(median(finite(x), -1)), near);
  check_order_of<T>("median all", OF(median(finite(x))), near);
  check_order_of<T>("median keepdims", OF(median(finite(x), {.axis = {0, -1}, .keepdims = true})), near);
  check_order_of<T>("nanmedian", OF(nanmedian(finite(x), 0)), near);
  check_order_of<T>("nanmedian all", OF(nanmedian(finite(x))), near);
  check_order_of<T>("percentile", OF(percentile(finite(x), 30)), near);
  check_order_of<T>("nanpercentile", OF(nanpercentile(finite(x), 70, -1)), near);
  if constexpr (sizeof(T) >= 4 && !std::is_same_v<T, std::int64_t>)
    check_order_of<T>("percentile keepdims", OF(percentile(finite(x), {25, 75}, {.axis = 0, .keepdims = true})), near);
}

TEST_CASE("quantiles: medians of bool and of complex numbers") {
  check_order_of<bool>("median", [](const lazy<bool>& x) { return median(x, -1); });
  using complex = std::complex<double>;
  check_order_of<complex>(
      "median", [](const lazy<complex>& x) { return median(finite(x), -1); }, 1e-15);
  check_order_of<complex>(
      "nanmedian", [](const lazy<complex>& x) { return nanmedian(finite(x), 0); }, 1e-15);
}

TEST_CASE_TEMPLATE("quantiles: every method", T, int, float, double) {
  if (device::current() != device::interpreter() && !std::is_same_v<T, double>) return;
  static constexpr double fractions[] = {0, 0.1, 0.25, 0.5, 0.83, 1};
  for (int m = 0; m < 13; ++m) {
    const auto method = static_cast<quantile_method>(m);
    const std::string name = method_names[m];
    check_order_of<T>(
        ("quantile " + name).c_str(),
        [&](const lazy<T>& x) { return quantile(finite(x), std::span(fractions), {.axis = -1, .method = method}); },
        tolerance<T>);
    check_order_of<T>(
        ("nanquantile " + name).c_str(),
        [&](const lazy<T>& x) { return nanquantile(finite(x), std::span(fractions), {.axis = 0, .method = method}); },
        tolerance<T>);
  }
}

TEST_CASE_TEMPLATE("quantiles: modes", T, std::uint8_t, int, std::int64_t, half, float, double) {
  check_order_of<T>("mode", OF(stats::mode(x).mode));
  check_order_of<T>("mode count", OF(stats::mode(x).count));
  check_order_of<T>("mode rows", OF(stats::mode(x, {.axis = -1, .keepdims = true}).mode));
}

TEST_CASE("quantiles: without NaN they are those that skip NaN, whatever the number of elements") {
  for (const std::int64_t n : {3, 5, 6, 9, 10, 20, 47}) {
    const array<double> x = sin(arange<double>(n) * 3);
    for (int m = 0; m <= static_cast<int>(quantile_method::nearest); ++m)
      for (int f = 0; f <= 20; ++f) {
        const quantile_options how{.method = static_cast<quantile_method>(m)};
        INFO(n, ", method ", m, ", of ", f, "/20");
        CHECK(std::abs(nanquantile(x, f / 20.0, how).item() - quantile(x, f / 20.0, how).item()) < 1e-14);
      }
  }
}

TEST_CASE("quantiles: infinities, one fraction, and what is refused") {
  const array<double> x{1.0, infinity, 3.0, infinity, -2.0};
  CHECK(quantile(x, 1).item() == infinity);
  CHECK(quantile(x, 0.75).item() == infinity);
  CHECK(median(x).item() == 3);
  CHECK(quantile(x, 0.5, {.keepdims = true}).shape() == shape{1});
  CHECK(quantile(x, {0.5}).shape() == shape{1});
  CHECK(std::isnan(nanquantile(array<double>{nan_number, nan_number}, 0.5).item()));
  CHECK(std::isnan(median(zeros<float>({0})).item()));
  CHECK(nanmedian(zeros<float>({0, 2}), 0).shape() == shape{2});
  const array<std::int64_t> axes_of_three = arange(24).reshape(2, 3, 4);
  CHECK(median(axes_of_three, {.axis = {0, 2}}).get() == std::vector<double>{7.5, 11.5, 15.5});
  CHECK(quantile(axes_of_three, {0.0, 1.0}, {.axis = {2, 0}, .keepdims = true}).shape() == shape{2, 1, 3, 1});
  const array<double> rising = arange(11.0);
  CHECK(percentile(rising, array{25, 75}).get() == std::vector<double>{2.5, 7.5});
  CHECK(quantile(rising, linspace(0, 1, 3)(slice(_, _, -1))).get() == std::vector<double>{10, 5, 0});
  CHECK(quantile(rising, full({}, 0.5F), 0).shape() == shape{});
  CHECK(quantile(rising, zeros<double>({0})).shape() == shape{0});
  CHECK_THROWS_AS(static_cast<void>(quantile(x, zeros<double>({1, 1}))), shape_error);
  CHECK_THROWS_WITH(static_cast<void>(quantile(x, 1.5)), "sinter: a quantile of 1.5, which is not between 0 and 1");
  CHECK_THROWS_WITH(static_cast<void>(percentile(x, {50, 101})),
                    "sinter: a quantile of 101, which is not between 0 and 100");
  CHECK_THROWS_AS(static_cast<void>(quantile(x, nan_number)), error);
  CHECK_THROWS_WITH(static_cast<void>(quantile(zeros<double>({2, 0}), 0.5, 1)),
                    "sinter: a quantile of no elements, of an array of shape (2, 0)");
  CHECK_THROWS_AS(static_cast<void>(median(x, 1)), shape_error);
  const array<double> many = zeros<double>({5, 1, 1, 1, 1, 1, 1, 1});
  CHECK_THROWS_AS(static_cast<void>(median(many, {.axis = {}})), shape_error);
  CHECK(median(many, {.axis = 0}).shape() == shape{1, 1, 1, 1, 1, 1, 1});
  CHECK_THROWS_WITH(static_cast<void>(stats::mode(zeros<int>({0, 2}))),
                    "sinter: the mode of no elements, of an array of shape (0, 2)");
}

// The numbers are NumPy's.
TEST_CASE("quantiles: by weight") {
  const array<double> x{10, 3, 7, 1, 9, 4}, w{1, 0, 2, 0, 3, 1};
  constexpr auto inverted = quantile_method::inverted_cdf;
  CHECK(quantile(x, {0.0, 0.1, 0.25, 0.5, 0.9, 1.0}, w).get() == std::vector<double>{4, 4, 7, 9, 10, 10});
  CHECK(quantile(x, 0.5, w).item() == 9);
  CHECK(percentile(x, 30, astype<int>(w)).item() == 7);
  const array<double> m = x.reshape(2, 3), of_m = w.reshape(2, 3);
  CHECK(array_equal(quantile(m, {0.2, 0.7}, of_m, {.axis = 1, .method = inverted}), array<double>{{7, 4}, {10, 9}}));
  CHECK(array_equal(quantile(m, 0.4, array<double>{1, 2, 0.5}, {.axis = 1, .method = inverted}), array<double>{3, 4}));
  CHECK(array_equal(quantile(m, 0.4, array<double>{1, 2}, {.axis = 0, .keepdims = true, .method = inverted}),
                    array<double>{{1, 9, 4}}));
  const array<double> with_nan = where(x == 3, nan_number, x);
  CHECK(std::isnan(quantile(with_nan, 0.5, w).item()));
  CHECK(nanquantile(with_nan, 0.5, w).item() == 9);
  CHECK(nanpercentile(with_nan, {0, 50, 100}, w).get() == std::vector<double>{4, 9, 10});
  CHECK(std::isnan(nanquantile(array<double>{nan_number}, 0.5, array<double>{1}).item()));
  for (const array<double>& none : {array<double>{0, 0}, array<double>{1, nan_number}}) {
    CHECK(std::isnan(quantile(array<int>{1, 2}, 0.5, none).item()));
    CHECK(std::isnan(nanquantile(array<int>{1, 2}, 0.5, none).item()));
  }
  CHECK_THROWS_WITH(static_cast<void>(quantile(x, 0.5, w, {})), "sinter: weights go with the method inverted_cdf");
  CHECK_THROWS_WITH(static_cast<void>(quantile(m, 0.5, array<double>{1, 2}, {.axis = 1, .method = inverted})),
                    "sinter: quantiles of an array of shape (2, 3) with weights of shape (2,)");
}

TEST_CASE("quantiles: of long rows, whose other elements are in no order") {
  const array<float> x = astype<float>(arange(3 * 9001) * 7919 % 27011).reshape(3, 9001), sorted = sort(x);
  CHECK(array_equal(median(x, 1), sorted(_, 4500)));
  CHECK(array_equal(quantile(x, 0.25, 1), sorted(_, 2250)));
  CHECK(array_equal(quantile(x * 2, 1, 1), max(x, 1) * 2));
  CHECK(median(x(slice(0, 2))).item() == quantile(x(slice(0, 2)).ravel(), {0.5}).get()[0]);
  array<float> with_nan = x + 0;
  with_nan(1, 7) = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> got = median(with_nan, 1).get(), least = quantile(with_nan, 0, 1).get();
  CHECK(got[0] == sorted(0, 4500).item());
  CHECK(std::isnan(got[1]));
  CHECK(std::isnan(least[1]));
  CHECK(got[2] == sorted(2, 4500).item());
  CHECK(least[2] == sorted(2, 0).item());
}

TEST_CASE("quantiles: part of an expression") {
  const array<double> x = astype<double>(arange(3000) * 7919 % 3001).reshape(3, 1000);
  array<double> centred;
  const counters_snapshot moved =
      moved_by([&] { centred = abs(x - median(x, {.axis = 1, .keepdims = true})) / quantile(x, 0.9); });
  CHECK(median(centred, 1).shape() == shape{3});
  CHECK(centred.get() == array<double>(abs(x - median(x, 1)(_, newaxis)) / quantile(x.ravel(), 0.9)).get());
  if (!(device::current() == device::interpreter())) CHECK(moved.library_calls == 2);
}
