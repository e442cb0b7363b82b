// Convolutions and correlations in their direct form: each result is a sum of products in the kernel of what uses it. Not in
// sinter.hpp.
#pragma once

#include <sinter/array.hpp>

namespace sinter {

/// What a convolution keeps: all results; as many as the longer or first operand has, from the middle; those that no edge is in.
enum class convolve_mode : unsigned char { full, same, valid };

namespace detail {

/// What NumPy calls them, whose `same` is of the longer operand, and what SciPy does, whose `same` is of the first.
enum class convolution : unsigned char { numpy, scipy };
SINTER_API node* make_convolved(handle a, handle v, convolve_mode, convolution);
SINTER_API node* make_correlated(handle a, handle v, convolve_mode, convolution);

template <class A, class V>
auto convolved(A&& a, V&& v, convolve_mode mode, convolution as) {
  handle x(take_node(std::forward<A>(a))), y(take_node(std::forward<V>(v)));
  return lazy<result_type<element_in<A>, element_in<V>>>(make_convolved(std::move(x), std::move(y), mode, as));
}
template <class A, class V>
auto correlated(A&& a, V&& v, convolve_mode mode, convolution as) {
  handle x(take_node(std::forward<A>(a))), y(take_node(std::forward<V>(v)));
  return lazy<result_type<element_in<A>, element_in<V>>>(make_correlated(std::move(x), std::move(y), mode, as));
}

}  // namespace detail

/// The discrete convolution of two sequences; a list, `convolve(a, {1, 2, 1})`, has a's element type. Shapes: one axis each, not
/// empty; n + m - 1 results, or the longer's, or |n - m| + 1. Dtypes: what the two promote to, in which integers wrap. Errors:
/// `shape_error`. Source: numpy.convolve.
template <detail::expression A, detail::expression V = array<detail::element_in<A>>>
auto convolve(A&& a, V&& v, convolve_mode mode = convolve_mode::full) {
  return detail::convolved(std::forward<A>(a), std::forward<V>(v), mode, detail::convolution::numpy);
}
/// The cross-correlation: the sums of a(n + k) conj(v(n)). Shapes, dtypes and errors: as convolve. Source: numpy.correlate.
template <detail::expression A, detail::expression V = array<detail::element_in<A>>>
auto correlate(A&& a, V&& v, convolve_mode mode = convolve_mode::valid) {
  return detail::correlated(std::forward<A>(a), std::forward<V>(v), mode, detail::convolution::numpy);
}

namespace signal {

/// The convolution of arrays of any number of axes. Shapes: as many axes in both; `same` is the first's. Dtypes: what the two
/// promote to. Errors: `shape_error`, also for `valid` where neither fits into the other. Source: scipy.signal.convolve of method
/// direct.
template <sinter::detail::expression A, sinter::detail::expression V = array<sinter::detail::element_in<A>>>
auto convolve(A&& a, V&& v, convolve_mode mode = convolve_mode::full) {
  return sinter::detail::convolved(std::forward<A>(a), std::forward<V>(v), mode, sinter::detail::convolution::scipy);
}
/// The cross-correlation of such arrays. Source: scipy.signal.correlate of method direct.
template <sinter::detail::expression A, sinter::detail::expression V = array<sinter::detail::element_in<A>>>
auto correlate(A&& a, V&& v, convolve_mode mode = convolve_mode::full) {
  return sinter::detail::correlated(std::forward<A>(a), std::forward<V>(v), mode, sinter::detail::convolution::scipy);
}

}  // namespace signal
}  // namespace sinter
