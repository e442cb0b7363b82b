// Logarithms of sums of exponentials, and softmax, without overflow on the way.
#pragma once

#include <sinter/reduce.hpp>

namespace sinter::detail {
enum class softmax_of : unsigned char { exponentials, logarithms };
SINTER_API node* make_logsumexp(handle, handle weights, dtype,
                                const reduce_options&);  // weights: null where there are none
SINTER_API node* make_softmax(handle, dtype, softmax_of, const axis_list&);

/// Floating, and for integers double.
template <class E>
using exponential_of = typename element_of<mean_dtype(dtype_of<element_in<E>>)>::type;
}  // namespace sinter::detail

namespace sinter::special {

/// The logarithm of the sum of the exponentials over axes. Dtypes: integers give double; numbers of 16 bits are computed with as
/// floats; no complex ones. Errors: `shape_error` where there is no element. Source: scipy.special.logsumexp.
template <sinter::detail::expression E>
auto logsumexp(E&& e, const reduce_options& how = {}) {
  using R = sinter::detail::exponential_of<E>;
  sinter::detail::handle of(sinter::detail::take_node(std::forward<E>(e)));
  return lazy<R>(sinter::detail::make_logsumexp(std::move(of), {}, dtype_of<R>, how));
}
/// Over one axis: `logsumexp(a, 1)`.
template <sinter::detail::expression E, std::integral Axis>
auto logsumexp(E&& e, Axis axis) {
  return logsumexp(std::forward<E>(e), reduce_options{.axis = axis});
}
/// Of exponentials that are multiplied by `b`, which broadcasts with the elements; where it is 0 nothing is added.
template <sinter::detail::expression E, sinter::detail::expression B>
auto logsumexp(E&& e, B&& b, const reduce_options& how = {}) {
  using R = result_type<sinter::detail::exponential_of<E>, sinter::detail::element_in<B>>;
  sinter::detail::handle of(sinter::detail::take_node(std::forward<E>(e))),
      by(sinter::detail::take_node(std::forward<B>(b)));
  return lazy<R>(sinter::detail::make_logsumexp(std::move(of), std::move(by), dtype_of<R>, how));
}
/// Exponentials as parts of their sum over axes; one kernel along rows. Dtypes: as logsumexp. Source: scipy.special.softmax.
template <sinter::detail::expression E>
auto softmax(E&& e, const axes& along = axes::all()) {
  using R = sinter::detail::exponential_of<E>;
  sinter::detail::handle of(sinter::detail::take_node(std::forward<E>(e)));
  return lazy<R>(
      sinter::detail::make_softmax(std::move(of), dtype_of<R>, sinter::detail::softmax_of::exponentials, along.list()));
}
/// Its logarithm. Source: scipy.special.log_softmax.
template <sinter::detail::expression E>
auto log_softmax(E&& e, const axes& along = axes::all()) {
  using R = sinter::detail::exponential_of<E>;
  sinter::detail::handle of(sinter::detail::take_node(std::forward<E>(e)));
  return lazy<R>(
      sinter::detail::make_softmax(std::move(of), dtype_of<R>, sinter::detail::softmax_of::logarithms, along.list()));
}

}  // namespace sinter::special
