// Polynomials fitted to points, and where they are zero. Not in sinter.hpp.
#pragma once

#include <sinter/array.hpp>
#include <sinter/complex.hpp>
#include <sinter/detail/linalg.hpp>

namespace sinter {

/// How to fit: `polyfit(x, y, 2, {.w = 1 / sigma})`. `rcond`: singular values up to that times the largest count as zero; negative: the
/// precision times the points. `w`: what each distance is multiplied by. `unscaled`: of the covariance, as the weights have it.
struct polyfit_options {
  double rcond = -1;
  detail::optional_expression w = {};
  detail::truth unscaled = false;
};

template <class T, class R>
struct polyfit_result {
  lazy<T> coefficients;
  lazy<R> residuals;
  lazy<std::int64_t> rank;
  lazy<R> singular_values;
  double rcond;
};
template <class T>
struct polyfit_covariance {
  lazy<T> coefficients, covariance;
};

namespace detail {
/// Coefficients, residuals, rank, singular values; `covariance`: coefficients and that. Gives rcond.
SINTER_API double make_polyfit(handle x, handle y, std::int64_t degree, dtype, polyfit_options, node** made);
SINTER_API void make_polyfit_covariance(handle x, handle y, std::int64_t degree, dtype, polyfit_options, node** made);
SINTER_API node* make_roots(handle p, dtype);
}  // namespace detail

/// The coefficients as `polyfit` gives them, and what is known of the fit. Source: numpy.polyfit, with `full`.
template <detail::expression X = array<double>, detail::expression Y = array<double>>
auto polyfit_full(X&& x, Y&& y, detail::integer degree, polyfit_options how = {}) {
  using namespace detail;
  using T = solved<X, Y>;
  using R = solved_real<X, Y>;
  handle at = node_in(std::forward<X>(x)), to = node_in(std::forward<Y>(y));
  node* made[4];
  const double rcond = make_polyfit(std::move(at), std::move(to), degree, dtype_of<T>, std::move(how), made);
  return polyfit_result<T, R>{lazy<T>(made[0]), lazy<R>(made[1]), lazy<std::int64_t>(made[2]), lazy<R>(made[3]), rcond};
}
/// The coefficients, from the highest power on, of the polynomial that goes closest to points: by least squares, through singular values.
/// Shapes: x and w have one axis; y one, or two, whose columns are fitted each. Dtypes: float32, float64 and complex; others become
/// double. Errors: `shape_error`; `error` for a degree below 0. Source: numpy.polyfit.
template <detail::expression X = array<double>, detail::expression Y = array<double>>
auto polyfit(X&& x, Y&& y, detail::integer degree, polyfit_options how = {}) {
  return polyfit_full(std::forward<X>(x), std::forward<Y>(y), degree, std::move(how)).coefficients;
}
/// The coefficients and how they vary together: `auto [p, v] = polyfit_cov(x, y, 2);`. Shapes: (n, n), of several columns (n, n, k).
/// Errors: `shape_error` where there are not more points than coefficients, unless unscaled. Source: numpy.polyfit, with `cov`.
template <detail::expression X = array<double>, detail::expression Y = array<double>>
auto polyfit_cov(X&& x, Y&& y, detail::integer degree, polyfit_options how = {}) {
  using namespace detail;
  using T = solved<X, Y>;
  handle at = node_in(std::forward<X>(x)), to = node_in(std::forward<Y>(y));
  node* made[2];
  make_polyfit_covariance(std::move(at), std::move(to), degree, dtype_of<T>, std::move(how), made);
  return polyfit_covariance<T>{lazy<T>(made[0]), lazy<T>(made[1])};
}
/// Where a polynomial is zero, in no order: the eigenvalues of its companion matrix. Evaluates, as how many there are depends on zeros at
/// both ends of the coefficients. Dtypes: always complex, as nobody knows before whether they are. Errors: `shape_error`. Stream
/// behaviour: waits. Source: numpy.roots.
template <detail::expression P = array<double>>
auto roots(P&& p) {
  using C = detail::solved_complex<P>;
  return array<C>(detail::make_roots(detail::node_in(std::forward<P>(p)), dtype_of<detail::solved<P>>));
}

}  // namespace sinter
