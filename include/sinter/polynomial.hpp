// Polynomials as arrays of coefficients, the highest power first. Lengths are known when an expression is written, so all are
// expressions. Not in sinter.hpp.
#pragma once

#include <utility>

#include <sinter/signal.hpp>

namespace sinter {

namespace detail {
SINTER_API node* make_poly(handle zeros, dtype);
SINTER_API node* make_polyval(handle p, handle x, dtype);
SINTER_API node* make_polysum(handle a, handle b, bool subtracts);
SINTER_API node* make_polyder(handle p, std::int64_t times, dtype);
/// Quotient and remainder.
SINTER_API std::pair<handle, handle> make_polydiv(handle u, handle v, dtype);
SINTER_API node* make_polyint(handle p, std::int64_t times, const double* constants, std::size_t count, dtype);
}  // namespace detail

/// The polynomial that is zero at these places, with 1 in front. Evaluates, and is computed on the host. Dtypes: those of the zeros,
/// double for integers; of complex ones complex, also where they are conjugates. Errors: `shape_error` for other than one axis. Stream
/// behaviour: waits. Source: numpy.poly.
template <detail::expression Z = array<double>>
auto poly(Z&& zeros) {
  using E = detail::element_in<Z>;
  using T = std::conditional_t<std::is_integral_v<E>, double, E>;
  return array<T>(detail::make_poly(detail::handle(detail::take_node(std::forward<Z>(zeros))), dtype_of<T>));
}
/// The polynomial's values, by Horner's rule, in one kernel: `polyval({1, 0, 2}, x)`, where a list has x's element type. Shapes: p
/// has one axis; that of x. Dtypes: what the two promote to. Errors: `shape_error`. Source: numpy.polyval.
template <detail::expression_or_number X, detail::expression P = array<detail::element_as_expression<X>>>
auto polyval(P&& p, X&& x) {
  using R = result_type<detail::element_in<P>, detail::element_as_expression<X>>;
  detail::handle of(detail::take_node(std::forward<P>(p)));
  detail::handle at(detail::take_node(detail::as_expression(std::forward<X>(x))));
  return lazy<R>(detail::make_polyval(std::move(of), std::move(at), dtype_of<R>));
}
/// The coefficients of the sum. Dtypes: what the two promote to. Source: numpy.polyadd.
template <detail::expression A = array<double>, detail::expression B = array<double>>
auto polyadd(A&& a, B&& b) {
  detail::handle x(detail::take_node(std::forward<A>(a))), y(detail::take_node(std::forward<B>(b)));
  return lazy<result_type<detail::element_in<A>, detail::element_in<B>>>(
      detail::make_polysum(std::move(x), std::move(y), false));
}
/// Of the difference. Source: numpy.polysub.
template <detail::expression A = array<double>, detail::expression B = array<double>>
auto polysub(A&& a, B&& b) {
  detail::handle x(detail::take_node(std::forward<A>(a))), y(detail::take_node(std::forward<B>(b)));
  return lazy<result_type<detail::element_in<A>, detail::element_in<B>>>(
      detail::make_polysum(std::move(x), std::move(y), true));
}
/// Of the product. Zeros in front stay. Source: numpy.polymul.
template <detail::expression A = array<double>, detail::expression B = array<double>>
auto polymul(A&& a, B&& b) {
  return convolve(std::forward<A>(a), std::forward<B>(b));
}
/// The quotient of two polynomials and what remains, without the zeros in front of it: `auto [q, r] = polydiv(u, v);`. Evaluates, as
/// how long the remainder is depends on values; each coefficient needs those before it, and they are computed on the host. Dtypes:
/// what the two promote to, double for integers. Errors: `shape_error`, also where there is no coefficient. Stream behaviour: waits.
/// Source: numpy.polydiv.
template <detail::expression U = array<double>, detail::expression V = array<double>>
auto polydiv(U&& u, V&& v) {
  using P = result_type<detail::element_in<U>, detail::element_in<V>>;
  using T = std::conditional_t<std::is_integral_v<P>, double, P>;
  detail::handle of(detail::take_node(std::forward<U>(u))), by(detail::take_node(std::forward<V>(v)));
  auto [quotient, rest] = detail::make_polydiv(std::move(of), std::move(by), dtype_of<T>);
  return std::pair(array<T>(quotient.take()), array<T>(rest.take()));
}
/// Of the m-th derivative. Dtypes: what the coefficients and int64 promote to, so that float gives double. Errors: `error` for m below 0.
/// Source: numpy.polyder.
template <detail::expression P = array<double>>
auto polyder(P&& p, detail::integer m = 1) {
  using T = result_type<detail::element_in<P>, std::int64_t>;
  return lazy<T>(detail::make_polyder(detail::handle(detail::take_node(std::forward<P>(p))), m, dtype_of<T>));
}
/// Of the m-th integral, whose constants are 0, or `k` of m numbers. Dtypes: double, or complex128. Errors: `error`. Source:
/// numpy.polyint.
template <detail::expression P = array<double>>
auto polyint(P&& p, detail::integer m = 1, std::initializer_list<double> k = {}) {
  using R = result_type<double, detail::element_in<P>>;
  return lazy<R>(
      detail::make_polyint(detail::handle(detail::take_node(std::forward<P>(p))), m, k.begin(), k.size(), dtype_of<R>));
}

}  // namespace sinter
