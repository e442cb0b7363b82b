// Scans as free functions: what a reduction comes to at every element along an axis. Each gives a lazy expression: the
// elementwise work before it and after it is fused with it.
#pragma once

#include <sinter/reduce.hpp>

namespace sinter {

namespace detail {

template <class T, class E>
lazy<T> scan(E&& e, reduction what, std::int64_t axis) {
  handle child(take_node(std::forward<E>(e)));
  return lazy<T>(make_scan(child.get(), what, dtype_of<T>, axis));
}
template <class T, class E>
lazy<T> scan_flat(E&& e, reduction what) {
  handle child(take_node(std::forward<E>(e)));
  return lazy<T>(make_flat_scan(child.get(), what, dtype_of<T>));
}

}  // namespace detail

/// The sums of all elements up to each one, in C order. Shapes: one axis. Dtypes: small integers and bool give 64-bit
/// integers; `cumsum<double>(a)` chooses. Source: numpy.cumsum.
template <detail::choice R = void, detail::expression E>
auto cumsum(E&& e) {
  return detail::scan_flat<detail::total_of<R, E>>(std::forward<E>(e), detail::reduction::sum);
}
/// The same along an axis. Shapes: that of the operand. Errors: `shape_error` for an axis that is not there.
template <detail::choice R = void, detail::expression E>
auto cumsum(E&& e, std::int64_t axis) {
  return detail::scan<detail::total_of<R, E>>(std::forward<E>(e), detail::reduction::sum, axis);
}
template <detail::choice R = void, detail::expression E>
auto cumsum(E&& e, axis_options how) {
  return cumsum<R>(std::forward<E>(e), detail::axis_of(how));
}
/// The products of all elements up to each one, in C order. Shapes, dtypes: as cumsum. Source: numpy.cumprod.
template <detail::choice R = void, detail::expression E>
auto cumprod(E&& e) {
  return detail::scan_flat<detail::total_of<R, E>>(std::forward<E>(e), detail::reduction::prod);
}
/// The same along an axis. Errors: `shape_error` for an axis that is not there.
template <detail::choice R = void, detail::expression E>
auto cumprod(E&& e, std::int64_t axis) {
  return detail::scan<detail::total_of<R, E>>(std::forward<E>(e), detail::reduction::prod, axis);
}
template <detail::choice R = void, detail::expression E>
auto cumprod(E&& e, axis_options how) {
  return cumprod<R>(std::forward<E>(e), detail::axis_of(how));
}
/// The largest element up to each one along an axis; NaN wins. Shapes: that of the operand. Errors: `shape_error` for an
/// axis that is not there. Source: numpy.maximum.accumulate.
template <detail::expression E>
auto cummax(E&& e, std::int64_t axis = 0) {
  return detail::scan<detail::element_in<E>>(std::forward<E>(e), detail::reduction::max, axis);
}
template <detail::expression E>
auto cummax(E&& e, axis_options how) {
  return cummax(std::forward<E>(e), detail::axis_of(how));
}
/// The smallest element up to each one along an axis; NaN wins. Shapes, errors: as cummax. Source: numpy.minimum.accumulate.
template <detail::expression E>
auto cummin(E&& e, std::int64_t axis = 0) {
  return detail::scan<detail::element_in<E>>(std::forward<E>(e), detail::reduction::min, axis);
}
template <detail::expression E>
auto cummin(E&& e, axis_options how) {
  return cummin(std::forward<E>(e), detail::axis_of(how));
}
/// The logarithm of the sum of the exponentials of the elements up to each one along an axis. Shapes, errors: as cummax.
/// Dtypes: integers give double; `logcumsumexp<float>(a)` chooses. Source: numpy.logaddexp.accumulate.
template <detail::choice R = void, detail::expression E>
auto logcumsumexp(E&& e, std::int64_t axis = 0) {
  using T = detail::chosen<R, detail::mean_dtype(dtype_of<detail::element_in<E>>)>;
  static_assert(std::is_floating_point_v<T>, "sinter: logarithms are floating: logcumsumexp<double>(a)");
  return detail::scan<T>(std::forward<E>(e), detail::reduction::logaddexp, axis);
}
template <detail::choice R = void, detail::expression E>
auto logcumsumexp(E&& e, axis_options how) {
  return logcumsumexp<R>(std::forward<E>(e), detail::axis_of(how));
}

SINTER_REFUSE_CHOOSING(cumsum)
SINTER_REFUSE_CHOOSING(cumprod)
SINTER_REFUSE_CHOOSING(logcumsumexp)
SINTER_REFUSE(cummax)
SINTER_REFUSE(cummin)

}  // namespace sinter
