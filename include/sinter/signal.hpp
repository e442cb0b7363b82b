// Convolutions and correlations: each result a sum of products in the kernel of what uses it, or all of them by transforms. Not in
// sinter.hpp.
#pragma once

#include <sinter/array.hpp>

namespace sinter {

/// What a convolution keeps: all results; as many as the longer or first operand has, from the middle; those that no edge is in.
enum class convolve_mode : unsigned char { full, same, valid };
/// How: by sums of products; by Fourier transforms, whose results are as near as the largest one's last digits; or as is quicker for
/// floating and complex elements.
enum class convolve_method : unsigned char { automatic, direct, fft };

namespace detail {

/// What NumPy calls them, whose `same` is of the longer operand, and what SciPy does, whose `same` is of the first.
enum class convolution : unsigned char { numpy, scipy };
SINTER_API node* make_convolved(handle a, handle v, convolve_mode, convolution, convolve_method);
SINTER_API node* make_correlated(handle a, handle v, convolve_mode, convolution, convolve_method);

template <class A, class V>
auto convolved(A&& a, V&& v, convolve_mode mode, convolution as, convolve_method how) {
  handle x(take_node(std::forward<A>(a))), y(take_node(std::forward<V>(v)));
  return lazy<result_type<element_in<A>, element_in<V>>>(make_convolved(std::move(x), std::move(y), mode, as, how));
}
template <class A, class V>
auto correlated(A&& a, V&& v, convolve_mode mode, convolution as, convolve_method how) {
  handle x(take_node(std::forward<A>(a))), y(take_node(std::forward<V>(v)));
  return lazy<result_type<element_in<A>, element_in<V>>>(make_correlated(std::move(x), std::move(y), mode, as, how));
}

}  // namespace detail

/// The discrete convolution of two sequences; a list, `convolve(a, {1, 2, 1})`, has a's element type. Shapes: one axis each, not
/// empty; n + m - 1 results, or the longer's, or |n - m| + 1. Dtypes: what the two promote to, in which integers wrap. Errors:
/// `shape_error`. Stream behaviour: on a CPU operands that both have more than 512 elements are evaluated at the call. Source:
/// numpy.convolve.
template <detail::expression A, detail::expression V = array<detail::element_in<A>>>
auto convolve(A&& a, V&& v, convolve_mode mode = convolve_mode::full) {
  return detail::convolved(std::forward<A>(a), std::forward<V>(v), mode, detail::convolution::numpy,
                           convolve_method::direct);
}
/// The cross-correlation: the sums of a(n + k) conj(v(n)). Shapes, dtypes and errors: as convolve. Source: numpy.correlate.
template <detail::expression A, detail::expression V = array<detail::element_in<A>>>
auto correlate(A&& a, V&& v, convolve_mode mode = convolve_mode::valid) {
  return detail::correlated(std::forward<A>(a), std::forward<V>(v), mode, detail::convolution::numpy,
                            convolve_method::direct);
}
SINTER_WITHOUT_TEXT(convolve)
SINTER_WITHOUT_TEXT(correlate)

namespace signal {

/// The convolution of arrays of any number of axes. Shapes: as many axes in both; `same` is the first's. Dtypes: what the two
/// promote to; only floating and complex ones are transformed. Errors: `shape_error`, also for `valid` where neither fits into the
/// other; `dtype_error` for other ones by transforms. Stream behaviour: as `fft::fft` by transforms. Source: scipy.signal.convolve.
template <sinter::detail::expression A, sinter::detail::expression V = array<sinter::detail::element_in<A>>>
auto convolve(A&& a, V&& v, convolve_mode mode = convolve_mode::full,
              convolve_method how = convolve_method::automatic) {
  return sinter::detail::convolved(std::forward<A>(a), std::forward<V>(v), mode, sinter::detail::convolution::scipy,
                                   how);
}
/// The cross-correlation of such arrays. Source: scipy.signal.correlate.
template <sinter::detail::expression A, sinter::detail::expression V = array<sinter::detail::element_in<A>>>
auto correlate(A&& a, V&& v, convolve_mode mode = convolve_mode::full,
               convolve_method how = convolve_method::automatic) {
  return sinter::detail::correlated(std::forward<A>(a), std::forward<V>(v), mode, sinter::detail::convolution::scipy,
                                    how);
}

}  // namespace signal
}  // namespace sinter
