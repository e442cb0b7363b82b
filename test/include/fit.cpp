// Polynomials fitted to points, and their roots: what NumPy gives, weighted and not, with what it says of the fit.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include <sinter/fit.hpp>
#include <sinter/polynomial.hpp>
#include <sinter/sinter.hpp>

#include "test/support/numpy_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

template <class E>
void check(const std::string& name, const E& e) {
  static const auto all = read_numpy_cases("linalg.txt", 3);
  CAPTURE(name);
  const auto at = all.find(name + "|real|points");
  REQUIRE(at != all.end());
  using T = typename E::sinter_element;
  const array<T> got = lazy<T>(e.share());
  CHECK(got.shape() == shape(at->second.extents));
  std::vector<double> parts;
  for (const T& x : got.get()) {
    if constexpr (detail::complex_number<T>) parts.push_back(x.real()), parts.push_back(x.imag());
    else parts.push_back(static_cast<double>(x));
  }
  const std::vector<double>& want = at->second.elements;
  REQUIRE(parts.size() == want.size());
  const bool is_single = std::is_same_v<T, float> || std::is_same_v<T, std::complex<float>>;
  double largest = 1;
  for (const double w : want) largest = std::max(largest, std::abs(w));
  for (std::size_t i = 0; i < want.size(); ++i)
    CHECK(std::abs(parts[i] - want[i]) <= largest * (is_single ? 1e-4 : 1e-11));
}

// As golden_linalg.py has them.
template <class C>
array<C> in_order(const array<C>& values) {
  std::vector<C> all = values.get();
  const auto key = [](const C& z) { return std::pair(std::round(z.real() * 1e3), z.imag()); };
  std::sort(all.begin(), all.end(), [&](const C& a, const C& b) { return key(a) < key(b); });
  return asarray(all);
}

template <class T>
array<T> numbers(const shape& s) {
  const array<std::int64_t> i = arange(s.elements());
  return (astype<T>((i * i * 13 + i * 29 + 17) % 37 - 18) / 8).reshape(s);
}

}  // namespace

TEST_CASE_TEMPLATE("fit: polynomials as NumPy fits them", T, float, double) {
  const array<T> x = (arange<T>(12) - 5) / 4, y = numbers<T>({12}), ys = numbers<T>({12, 2});
  const array<T> w = 1 / astype<T>(1 + arange(12) % 3);
  for (const int degree : {0, 1, 3, 5}) {
    const std::string d = std::to_string(degree);
    check("polyfit " + d, polyfit(x, y, degree));
    check("polyfit columns " + d, polyfit(x, ys, degree));
    check("polyfit weighted " + d, polyfit(x, ys, degree, {.w = w}));
  }
  const auto full = polyfit_full(x, ys, 3, {.w = w});
  check("polyfit full coefficients", full.coefficients);
  check("polyfit full residuals", full.residuals);
  check("polyfit full rank", full.rank.reshape({}));
  check("polyfit full singular values", full.singular_values);
  if (std::is_same_v<T, double>) CHECK(full.rcond == doctest::Approx(12 * 2.220446049250313e-16));
  check("polyfit rcond", polyfit(x, y, 5, {.rcond = 0.3}));
  check("polyfit covariance", polyfit_cov(x, y, 2).covariance);
  check("polyfit covariance columns", polyfit_cov(x, ys, 2, {.w = w}).covariance);
  check("polyfit covariance unscaled", polyfit_cov(x, ys, 2, {.w = w, .unscaled = true}).covariance);
  check("polyfit 3", lazy<T>(polyfit_cov(x, y, 3).coefficients));
}

TEST_CASE("fit: roots as NumPy has them") {
  const auto of = [](std::vector<double> p) { return in_order(roots(asarray(p))); };
  check("roots none", of({0, 0}));
  check("roots constant", of({3}));
  check("roots line", of({2, -3}));
  check("roots zeros", of({0, 0, 1, -3, 2, 0, 0}));
  check("roots complex", of({1, 0, 0, 8}));
  check("roots quintic", of({2, -1, 3, 0.5, -4, 1}));
  check("roots line", roots(array<float>{2, -3}));
  const array<std::complex<double>> p = make_complex(array<double>{1, 0, -1}, array<double>{0, 2, 0});
  CHECK(max(abs(polyval(p, roots(p)))).item() < 1e-12);
}

TEST_CASE("fit: numbers in a list are doubles") {
  CHECK(polymul({1, 2}, {1, 3}).get() == std::vector<double>{1, 5, 6});
  CHECK(polyadd({1, 2}, {3}).get() == std::vector<double>{1, 5});
  CHECK(polyder({1, 2, 3}).get() == std::vector<double>{2, 2});
  static_assert(std::is_same_v<decltype(polyder(array<float>{1, 2}))::sinter_element, double>);
  CHECK(polyint({2, 2}).get() == std::vector<double>{1, 2, 0});
  CHECK(poly({1, 2, 3}).get() == std::vector<double>{1, -6, 11, -6});
  CHECK(allclose(polyfit({0, 1, 2}, {1, 3, 5}, 1), {2, 1}));
  CHECK(allclose(sort(real(roots({1, -3, 2}))), {1, 2}));
}

TEST_CASE("fit: the polynomial of its zeros") {
  CHECK(poly(zeros<double>({0})).get() == std::vector<double>{1});
  CHECK(poly(array<std::int32_t>{0, 0, -2}).get() == std::vector<double>{1, 2, 0, 0});
  CHECK(poly(array<float>{0.5f, -1.5f}).get() == std::vector<float>{1, 1, -0.75f});
  const array<double> p{1, -3, 0.5, 7};
  CHECK(allclose(poly(roots(p)), astype<std::complex<double>>(p)));
  CHECK(polyval(poly(array<double>{3, -4, 0.5}), array<double>{3, -4, 0.5}).get() == std::vector<double>{0, 0, 0});
  CHECK_THROWS_AS((void)poly(ones<double>({2, 2})), shape_error);
}

TEST_CASE("fit: what it refuses") {
  const array<double> x{1, 2, 3}, y{2, 3, 4};
  CHECK_THROWS_WITH(static_cast<void>(polyfit(x, y(slice(2)), 1)), "sinter: polyfit of points of shapes (3,) and (2,)");
  CHECK_THROWS_AS(static_cast<void>(polyfit(x, y, -1)), error);
  CHECK_THROWS_AS(static_cast<void>(polyfit(x, y, 1, {.w = array<double>{1, 2}})), shape_error);
  CHECK_THROWS_AS(static_cast<void>(polyfit_cov(x, y, 2)), shape_error);
  CHECK_THROWS_AS(static_cast<void>(roots(zeros<double>({2, 2}))), shape_error);
  CHECK(polyfit_cov(x, y, 2, {.unscaled = true}).covariance.shape() == shape{3, 3});
}
