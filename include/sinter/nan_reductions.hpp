// Reductions and scans of what is not NaN. Of integers and bool they are the plain ones.
#pragma once

#include <sinter/scan.hpp>

namespace sinter {

namespace detail {

/// The same with a mask of what is not NaN, and is under the mask there was.
SINTER_API reduce_options without_nan(node*, const reduce_options&);
/// What has a number in place of NaN.
SINTER_API node* make_replaced_nan(handle of, double by);
SINTER_API node* make_nan_extreme(handle of, reduction, const reduce_options&);
SINTER_API node* make_nan_position(handle of, reduction, const reduce_options&);
SINTER_API node* make_nan_variance(handle of, dtype, const reduce_options&, bool root);

template <class T, class E>
lazy<T> nan_reduce(E&& e, reduction what, const reduce_options& how) {
  handle of(take_node(std::forward<E>(e)));
  const reduce_options numbers = without_nan(of.get(), how);
  return lazy<T>(make_reduction(std::move(of), what, dtype_of<T>, numbers));
}
template <class R, class E>
using variance_of = chosen<R, variance_dtype(dtype_of<element_in<E>>)>;

}  // namespace detail

/// The sum of what is not NaN. Dtypes, options and errors: as sum. Source: numpy.nansum.
template <detail::choice R = void, detail::expression E>
auto nansum(E&& e, const reduce_options& how = {}) {
  return detail::nan_reduce<detail::total_of<R, E>>(std::forward<E>(e), detail::reduction::sum, how);
}
/// The product of what is not NaN. Source: numpy.nanprod.
template <detail::choice R = void, detail::expression E>
auto nanprod(E&& e, const reduce_options& how = {}) {
  return detail::nan_reduce<detail::total_of<R, E>>(std::forward<E>(e), detail::reduction::prod, how);
}
/// The mean of what is not NaN; NaN where all is. Dtypes: as mean. Source: numpy.nanmean.
template <detail::choice R = void, detail::expression E>
auto nanmean(E&& e, const reduce_options& how = {}) {
  using T = detail::chosen<R, detail::mean_dtype(dtype_of<detail::element_in<E>>)>;
  detail::handle of(detail::take_node(std::forward<E>(e)));
  const reduce_options numbers = detail::without_nan(of.get(), how);
  return lazy<T>(detail::make_mean(std::move(of), dtype_of<T>, numbers));
}
/// The variance of what is not NaN; NaN where there are no more than ddof. Dtypes: as var. Source: numpy.nanvar.
template <detail::choice R = void, detail::expression E>
auto nanvar(E&& e, const reduce_options& how = {}) {
  using T = detail::variance_of<R, E>;
  return lazy<T>(
      detail::make_nan_variance(detail::handle(detail::take_node(std::forward<E>(e))), dtype_of<T>, how, false));
}
/// Its square root. Source: numpy.nanstd.
template <detail::choice R = void, detail::expression E>
auto nanstd(E&& e, const reduce_options& how = {}) {
  using T = detail::variance_of<R, E>;
  return lazy<T>(
      detail::make_nan_variance(detail::handle(detail::take_node(std::forward<E>(e))), dtype_of<T>, how, true));
}

#define SINTER_NAN_FOLD(name, make, T, what)                                                                           \
  template <detail::expression E>                                                                                      \
  auto name(E&& e, const reduce_options& how = {}) {                                                                   \
    return lazy<T>(detail::make(detail::handle(detail::take_node(std::forward<E>(e))), detail::reduction::what, how)); \
  }
/// The largest of what is not NaN; NaN where all is. Errors: `shape_error` where there is no element, and no first value. Source:
/// numpy.nanmax.
SINTER_NAN_FOLD(nanmax, make_nan_extreme, detail::element_in<E>, max)
/// The smallest. Source: numpy.nanmin.
SINTER_NAN_FOLD(nanmin, make_nan_extreme, detail::element_in<E>, min)
/// The position of the largest; 0 where all is NaN. Dtypes and errors: as argmax. Source: numpy.nanargmax.
SINTER_NAN_FOLD(nanargmax, make_nan_position, std::int64_t, argmax)
/// The position of the smallest. Source: numpy.nanargmin.
SINTER_NAN_FOLD(nanargmin, make_nan_position, std::int64_t, argmin)
#undef SINTER_NAN_FOLD

/// The running sum, NaN counting as 0. Shapes and dtypes: as cumsum. Source: numpy.nancumsum.
template <detail::choice R = void, detail::expression E>
auto nancumsum(E&& e) {
  using T = detail::element_in<E>;
  return cumsum<R>(lazy<T>(detail::make_replaced_nan(detail::handle(detail::take_node(std::forward<E>(e))), 0)));
}
template <detail::choice R = void, detail::expression E>
auto nancumsum(E&& e, std::int64_t axis) {
  using T = detail::element_in<E>;
  return cumsum<R>(lazy<T>(detail::make_replaced_nan(detail::handle(detail::take_node(std::forward<E>(e))), 0)), axis);
}
/// The running product, NaN counting as 1. Source: numpy.nancumprod.
template <detail::choice R = void, detail::expression E>
auto nancumprod(E&& e) {
  using T = detail::element_in<E>;
  return cumprod<R>(lazy<T>(detail::make_replaced_nan(detail::handle(detail::take_node(std::forward<E>(e))), 1)));
}
template <detail::choice R = void, detail::expression E>
auto nancumprod(E&& e, std::int64_t axis) {
  using T = detail::element_in<E>;
  return cumprod<R>(lazy<T>(detail::make_replaced_nan(detail::handle(detail::take_node(std::forward<E>(e))), 1)), axis);
}

// The short form over one axis, and what is none.
#define SINTER_OVER_AXIS(name)                                        \
  template <detail::choice R = void, detail::expression E>            \
  auto name(E&& e, std::int64_t axis) {                               \
    return name<R>(std::forward<E>(e), reduce_options{.axis = axis}); \
  }                                                                   \
  template <detail::choice R = void, detail::expression E>            \
  auto name(E&& e, const axes& over, reduce_options how) {            \
    how.axis = over;                                                  \
    return name<R>(std::forward<E>(e), how);                          \
  }                                                                   \
  SINTER_REFUSE_CHOOSING(name)
SINTER_OVER_AXIS(nansum)
SINTER_OVER_AXIS(nanprod)
SINTER_OVER_AXIS(nanmean)
SINTER_OVER_AXIS(nanvar)
SINTER_OVER_AXIS(nanstd)
#undef SINTER_OVER_AXIS
#define SINTER_OVER_AXIS(name)                                     \
  template <detail::expression E>                                  \
  auto name(E&& e, std::int64_t axis) {                            \
    return name(std::forward<E>(e), reduce_options{.axis = axis}); \
  }                                                                \
  template <detail::expression E>                                  \
  auto name(E&& e, const axes& over, reduce_options how) {         \
    how.axis = over;                                               \
    return name(std::forward<E>(e), how);                          \
  }                                                                \
  SINTER_REFUSE(name)
SINTER_OVER_AXIS(nanmin)
SINTER_OVER_AXIS(nanmax)
SINTER_OVER_AXIS(nanargmin)
SINTER_OVER_AXIS(nanargmax)
#undef SINTER_OVER_AXIS
SINTER_REFUSE_CHOOSING(nancumsum)
SINTER_REFUSE_CHOOSING(nancumprod)

}  // namespace sinter
