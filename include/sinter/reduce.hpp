// Reductions as free functions. Each gives a lazy expression: the elementwise work before it and after it is fused with it.
#pragma once

#include <sinter/expr.hpp>
#include <sinter/functions.hpp>

namespace sinter {

namespace detail {

constexpr dtype mean_dtype(dtype t) { return is_inexact(t) ? t : dtype::float64; }
constexpr dtype variance_dtype(dtype t) { return real_part_of(mean_dtype(t)); }

/// The element type a caller chose, or void.
template <class R>
concept choice = std::is_void_v<R> || arithmetic<R>;

template <class R, dtype otherwise>
using chosen =
    typename element_of<std::is_void_v<R> ? otherwise : dtype_of<std::conditional_t<std::is_void_v<R>, bool, R>>>::type;

SINTER_API node* make_mean(handle of, dtype, const axis_list&, bool keepdims);
SINTER_API node* make_variance(handle of, dtype, const axis_list&, bool keepdims, int ddof, bool root);
SINTER_API node* make_reduction(handle of, reduction, dtype, const reduce_options&);
SINTER_API node* make_mean(handle of, dtype, const reduce_options&);
SINTER_API node* make_variance(handle of, dtype, const reduce_options&, bool root);

template <class T, class E>
lazy<T> reduce(E&& e, reduction what, const reduce_options& how) {
  return lazy<T>(make_reduction(handle(take_node(std::forward<E>(e))), what, dtype_of<T>, how));
}

/// What sums and products of the elements of E are, where the caller chooses R, or void.
template <class R, class E>
using total_of = chosen<R, reduced_dtype(reduction::sum, dtype_of<element_in<E>>)>;

}  // namespace detail

/// The sum over axes. Shapes: a mask, `.where`, broadcasts to the elements. Dtypes: small integers and bool give 64-bit integers;
/// `sum<double>(a)` chooses; a first value, `.initial`, becomes one of those. Errors: `shape_error` for a wrong or repeated axis,
/// or a mask that does not fit. Source: numpy.sum.
template <detail::choice R = void, detail::expression E>
auto sum(E&& e, const reduce_options& how = {}) {
  using T = detail::total_of<R, E>;
  return detail::reduce<T>(std::forward<E>(e), detail::reduction::sum, how);
}
/// The product over axes. Dtypes: as sum. Source: numpy.prod.
template <detail::choice R = void, detail::expression E>
auto prod(E&& e, const reduce_options& how = {}) {
  using T = detail::total_of<R, E>;
  return detail::reduce<T>(std::forward<E>(e), detail::reduction::prod, how);
}
/// The smallest element; NaN wins. Errors: `shape_error` where there is none, and no first value; `error` for a mask without
/// one. Source: numpy.min.
template <detail::expression E>
auto min(E&& e, const reduce_options& how = {}) {
  return detail::reduce<detail::element_in<E>>(std::forward<E>(e), detail::reduction::min, how);
}
/// The largest element; NaN wins. Errors: as min. Source: numpy.max.
template <detail::expression E>
auto max(E&& e, const reduce_options& how = {}) {
  return detail::reduce<detail::element_in<E>>(std::forward<E>(e), detail::reduction::max, how);
}
/// Is any element true? Source: numpy.any.
template <detail::expression E>
auto any(E&& e, const reduce_options& how = {}) {
  return detail::reduce<bool>(std::forward<E>(e), detail::reduction::any, how);
}
/// Are all elements true? Source: numpy.all.
template <detail::expression E>
auto all(E&& e, const reduce_options& how = {}) {
  return detail::reduce<bool>(std::forward<E>(e), detail::reduction::all, how);
}
/// The position of the smallest element, the first where several are; NaN wins. Shapes: positions lie along the axis; without one
/// they are those of the elements in C order. Dtypes: int64. Errors: `shape_error` where there is no element, or for several
/// axes. Source: numpy.argmin.
template <detail::expression E>
auto argmin(E&& e, const reduce_options& how = {}) {
  return detail::reduce<std::int64_t>(std::forward<E>(e), detail::reduction::argmin, how);
}
/// The position of the largest element, the first where several are; NaN wins. Shapes, dtypes and errors: as argmin. Source:
/// numpy.argmax.
template <detail::expression E>
auto argmax(E&& e, const reduce_options& how = {}) {
  return detail::reduce<std::int64_t>(std::forward<E>(e), detail::reduction::argmax, how);
}
/// How many elements are true; NaN is. Dtypes: int64. Source: numpy.count_nonzero.
template <detail::expression E>
auto count_nonzero(E&& e, const reduce_options& how = {}) {
  return detail::reduce<std::int64_t>(astype<bool>(std::forward<E>(e)), detail::reduction::sum, how);
}
/// The largest element less the smallest; NaN wins. Dtypes: those of the elements, in which integers wrap; no bool. Errors:
/// `shape_error` where there is none. Source: numpy.ptp.
template <detail::expression E>
auto ptp(E&& e, const reduce_options& how = {}) {
  const lazy<detail::element_in<E>> all(detail::take_node(std::forward<E>(e)));
  return subtract(max(all, how), min(all, how));
}
/// The arithmetic mean. Dtypes: integers give double; numbers of 16 bits are added up in float; `mean<double>(a)` chooses. Source:
/// numpy.mean.
template <detail::choice R = void, detail::expression E>
auto mean(E&& e, const reduce_options& how = {}) {
  using T = detail::chosen<R, detail::mean_dtype(dtype_of<detail::element_in<E>>)>;
  detail::handle child(detail::take_node(std::forward<E>(e)));
  return lazy<T>(detail::make_mean(std::move(child), dtype_of<T>, how));
}
/// The variance, in one pass and in double (docs/decisions/0005). Dtypes: as mean; of complex numbers it is that of their parts. Source: numpy.var.
template <detail::choice R = void, detail::expression E>
auto var(E&& e, const reduce_options& how = {}) {
  using T = detail::chosen<R, detail::variance_dtype(dtype_of<detail::element_in<E>>)>;
  detail::handle child(detail::take_node(std::forward<E>(e)));
  return lazy<T>(detail::make_variance(std::move(child), dtype_of<T>, how, false));
}
/// The standard deviation: the square root of var. Source: numpy.std.
template <detail::choice R = void, detail::expression E>
auto stddev(E&& e, const reduce_options& how = {}) {
  using T = detail::chosen<R, detail::variance_dtype(dtype_of<detail::element_in<E>>)>;
  detail::handle child(detail::take_node(std::forward<E>(e)));
  return lazy<T>(detail::make_variance(std::move(child), dtype_of<T>, how, true));
}

// What follows an axis has a name: NumPy's `sum(a, 0, keepdims=True)`.
#define SINTER_OVER_AXIS(name)                    \
  template <class R = void, detail::expression E> \
  lazy<double> name(E&&, detail::anything, detail::no_option);
SINTER_OVER_AXIS(sum)
SINTER_OVER_AXIS(prod)
SINTER_OVER_AXIS(mean)
SINTER_OVER_AXIS(var)
SINTER_OVER_AXIS(stddev)
SINTER_OVER_AXIS(min)
SINTER_OVER_AXIS(max)
SINTER_OVER_AXIS(any)
SINTER_OVER_AXIS(all)
SINTER_OVER_AXIS(argmin)
SINTER_OVER_AXIS(argmax)
SINTER_OVER_AXIS(count_nonzero)
SINTER_OVER_AXIS(ptp)
#undef SINTER_OVER_AXIS

// What is neither an axis nor an expression is refused in a sentence: by functions whose result's dtype can be chosen, and by
// others.
#define SINTER_REFUSE_CHOOSING(name)                                           \
  template <detail::choice R = void, detail::expression E, detail::not_axis X> \
  detail::no_axis<X> name(E&&, X);                                             \
  template <class R = void>                                                    \
  lazy<double> name(detail::no_expression, detail::anything = 0);              \
  template <class R, detail::expression E>                                     \
    requires(!detail::choice<R>)                                               \
  detail::no_element<R> name(E&&, detail::anything = 0);
#define SINTER_REFUSE(name)                           \
  template <detail::expression E, detail::not_axis X> \
  detail::no_axis<X> name(E&&, X);                    \
  lazy<double> name(detail::no_expression, detail::anything = 0);

// The short form over one axis: `sum(a, 1)`, `sum<double>(a, -1)`; with options behind the axes, `mean(a, 0, {.keepdims = true})`; then what
// is not one.
#define SINTER_OVER_AXIS(name)                             \
  template <detail::choice R = void, detail::expression E> \
  auto name(E&& e, std::int64_t axis) {                    \
    return name<R>(std::forward<E>(e), {.axis = axis});    \
  }                                                        \
  template <detail::choice R = void, detail::expression E> \
  auto name(E&& e, const axes& over, reduce_options how) { \
    how.axis = over;                                       \
    return name<R>(std::forward<E>(e), how);               \
  }                                                        \
  SINTER_REFUSE_CHOOSING(name)
SINTER_OVER_AXIS(sum)
SINTER_OVER_AXIS(prod)
SINTER_OVER_AXIS(mean)
SINTER_OVER_AXIS(var)
SINTER_OVER_AXIS(stddev)
#undef SINTER_OVER_AXIS
// Named with its namespace: std has a min and a max, which an array of std::complex would bring in.
#define SINTER_OVER_AXIS(name)                               \
  template <detail::expression E>                            \
  auto name(E&& e, std::int64_t axis) {                      \
    return sinter::name(std::forward<E>(e), {.axis = axis}); \
  }                                                          \
  template <detail::expression E>                            \
  auto name(E&& e, const axes& over, reduce_options how) {   \
    how.axis = over;                                         \
    return sinter::name(std::forward<E>(e), how);            \
  }                                                          \
  SINTER_REFUSE(name)
SINTER_OVER_AXIS(min)
SINTER_OVER_AXIS(max)
SINTER_OVER_AXIS(any)
SINTER_OVER_AXIS(all)
SINTER_OVER_AXIS(argmin)
SINTER_OVER_AXIS(argmax)
SINTER_OVER_AXIS(count_nonzero)
SINTER_OVER_AXIS(ptp)
#undef SINTER_OVER_AXIS

}  // namespace sinter
