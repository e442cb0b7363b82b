// NumPy's elementwise functions that are several operations, or have several results. Each is an expression over rows of ops.def,
// and fuses like any other. Shapes: operands broadcast. Errors: at evaluation.
#pragma once

#include <limits>
#include <utility>

#include <sinter/array.hpp>
#include <sinter/create.hpp>
#include <sinter/error.hpp>
#include <sinter/reduce.hpp>

namespace sinter {

/// How far numbers may be apart: by atol, and by rtol times the size of the second.
struct close_options {
  double rtol = 1e-5, atol = 1e-8;
  bool equal_nan = false;
};

/// What counts as equal.
struct equal_options {
  detail::truth equal_nan = false;  ///< a NaN and a NaN
};

/// What NaN and the infinities become. The largest double and the lowest, which they become by default, stand for those of the dtype.
struct nan_options {
  double nan = 0, posinf = std::numeric_limits<double>::max(), neginf = std::numeric_limits<double>::lowest();
};

namespace detail {

/// An operand that is used more than once: an expression by its node, a number as it is.
template <expression E>
lazy<element_in<E>> named(E&& e) {
  return lazy<element_in<E>>(take_node(std::forward<E>(e)));
}
template <scalar_operand X>
X named(X x) {
  return x;
}

/// What functions of real numbers compute elements of T in.
template <class T>
using real_of = typename element_of<compute_dtype(rule::real, dtype_of<T>)>::type;

/// The operand with its elements, or itself, as a T.
template <class T, expression E>
lazy<T> named_as(E&& e) {
  if constexpr (std::same_as<element_in<E>, T>) return named(std::forward<E>(e));
  else return astype<T>(std::forward<E>(e));
}
template <class T, scalar_operand X>
T named_as(X x) {
  return static_cast<T>(value_in(x));
}

/// Integers as double, as NumPy has them where it measures a distance.
template <class X>
auto named_real(X&& x) {
  if constexpr (scalar_operand<std::remove_cvref_t<X>>) return named_as<double>(x);
  else return named_as<typename element_of<mean_dtype(dtype_of<element_in<X>>)>::type>(std::forward<X>(x));
}

}  // namespace detail

/// Are two numbers as good as equal, |a - b| <= atol + rtol |b|? Infinities are where they are the same. Source: numpy.isclose.
template <class A, class B = array<detail::element_in<A>>>
  requires detail::any_expression<A, B>
auto isclose(A&& a, B&& b, close_options how = {}) {
  const auto x = detail::named(std::forward<A>(a));
  const auto y = detail::named_real(std::forward<B>(b));
  return (abs(x - y) <= how.atol + how.rtol * abs(y) && isfinite(y)) || x == y ||
         (isnan(x) && isnan(y) && how.equal_nan);
}

/// Are all elements close? A 0-d expression: `if (allclose(a, b))` evaluates it. Source: numpy.allclose.
template <class A, class B = array<detail::element_in<A>>>
  requires detail::any_expression<A, B>
auto allclose(A&& a, B&& b, close_options how = {}) {
  return all(isclose(std::forward<A>(a), std::forward<B>(b), how));
}

template <class A, class B = array<detail::element_in<A>>>
  requires detail::any_expression<A, B>
auto isclose(A&& a, B&& b, double rtol, double atol = close_options().atol) {
  return isclose(std::forward<A>(a), std::forward<B>(b), close_options{.rtol = rtol, .atol = atol});
}
template <class A, class B = array<detail::element_in<A>>>
  requires detail::any_expression<A, B>
auto allclose(A&& a, B&& b, double rtol, double atol = close_options().atol) {
  return all(isclose(std::forward<A>(a), std::forward<B>(b), rtol, atol));
}

/// Are shapes and elements the same? `equal_nan`: NaN is the same as NaN. Source: numpy.array_equal.
template <detail::expression A, detail::expression B = array<detail::element_in<A>>>
lazy<bool> array_equal(A&& a, B&& b, const equal_options& how = {}) {
  const auto x = detail::named(std::forward<A>(a));
  const auto y = detail::named(std::forward<B>(b));
  if (!(x.shape() == y.shape())) return detail::number_array(false);
  return all(x == y || (isnan(x) && isnan(y) && bool(how.equal_nan)));
}
template <detail::expression A, detail::expression B = array<detail::element_in<A>>>
lazy<bool> array_equal(A&& a, B&& b, bool equal_nan) {
  return array_equal(std::forward<A>(a), std::forward<B>(b), equal_options{.equal_nan = equal_nan});
}

/// Are the elements the same, once broadcast? Of shapes that do not broadcast: no. Source: numpy.array_equiv.
template <detail::expression A, detail::expression B>
lazy<bool> array_equiv(A&& a, B&& b) {
  const auto x = detail::named(std::forward<A>(a));
  const auto y = detail::named(std::forward<B>(b));
  try {
    return all(x == y);
  } catch (const shape_error&) {
    return detail::number_array(false);
  }
}

/// NaN and infinities replaced by numbers; integers as they are. Source: numpy.nan_to_num.
template <detail::expression E>
auto nan_to_num(E&& e, const nan_options& by = {}) {
  using T = detail::element_in<E>;
  const auto x = detail::named(std::forward<E>(e));
  if constexpr (detail::is_complex(dtype_of<T>)) {
    return make_complex(nan_to_num(real(x), by), nan_to_num(imag(x), by));
  } else if constexpr (!detail::is_floating(dtype_of<T>)) {
    return x;
  } else {
    using limits = std::numeric_limits<T>;
    const T low = by.neginf == nan_options().neginf ? limits::lowest() : static_cast<T>(by.neginf);
    const T high = by.posinf == nan_options().posinf ? limits::max() : static_cast<T>(by.posinf);
    return where(isnan(x), strong(static_cast<T>(by.nan)),
                 where(x == limits::infinity(), strong(high), where(x == -limits::infinity(), strong(low), x)));
  }
}

namespace detail {
inline double ten_to(int decimals) {
  double scale = 1;
  for (int d = decimals < 0 ? -decimals : decimals; d > 0; --d) scale *= 10;
  return scale;
}
}  // namespace detail

/// To so many decimals, halves to even; below 0, to tens, hundreds and so on. Dtypes: integers stay. Source: numpy.round.
template <detail::expression E>
auto round(E&& e, int decimals = 0) {
  using T = detail::element_in<E>;
  const auto x = detail::named(std::forward<E>(e));
  const double scale = detail::ten_to(decimals);
  if constexpr (detail::is_complex(dtype_of<T>)) {
    return make_complex(round(real(x), decimals), round(imag(x), decimals));
  } else if constexpr (detail::is_integer(dtype_of<T>)) {
    if (decimals >= 0) return x;
    const auto tens = rint(astype<double>(x) / scale) * scale;
    if constexpr (sizeof(T) == 8) return lazy<T>(astype<T>(tens));
    else return lazy<T>(astype<T>(astype<std::int64_t>(tens)));  // past the last integer of a dtype it wraps
  } else {
    using R = detail::real_of<T>;
    const lazy<R> real = detail::named_as<R>(x);
    if (decimals == 0) return lazy<R>(rint(real));
    if (decimals > 0) return lazy<R>(rint(real * scale) / scale);
    return lazy<R>(rint(real / scale) * scale);
  }
}
/// Of a number.
template <std::floating_point V>
V round(V x, int decimals) {
  const V scale = static_cast<V>(detail::ten_to(decimals));
  return decimals < 0 ? rint(x / scale) * scale : rint(x * scale) / scale;
}
/// round under its other name. Source: numpy.around.
template <detail::expression E>
auto around(E&& e, int decimals = 0) {
  return round(std::forward<E>(e), decimals);
}

/// floor_divide and remainder: `auto [q, r] = divmod(a, b);`. Source: numpy.divmod.
template <class A, class B>
  requires detail::any_expression<A, B>
auto divmod(A&& a, B&& b) {
  const auto x = detail::named(std::forward<A>(a));
  const auto y = detail::named(std::forward<B>(b));
  return std::pair(floor_divide(x, y), remainder(x, y));
}

/// The fraction and the whole part, both with the sign of the element: `auto [part, whole] = modf(a);`. Source: numpy.modf.
template <detail::expression E>
auto modf(E&& e) {
  const auto x = detail::named_as<detail::real_of<detail::element_in<E>>>(std::forward<E>(e));
  return std::pair(copysign(where(isinf(x), 0, x - trunc(x)), x), trunc(x));
}

/// A number in [1/2, 1), and the power of two that the element is that times: `auto [m, n] = frexp(a);`. Dtypes: the power is
/// int32. Source: numpy.frexp.
template <detail::expression E>
auto frexp(E&& e) {
  const auto x = detail::named_as<detail::real_of<detail::element_in<E>>>(std::forward<E>(e));
  return std::pair(detail::apply<op::frexp_mantissa>(x), astype<int>(detail::apply<op::frexp_exponent>(x)));
}

/// a times 2 to the n. Dtypes: that of a; n is whole. Source: numpy.ldexp.
template <class A, class N>
  requires detail::any_expression<A, N>
auto ldexp(A&& a, N&& n) {
  if constexpr (detail::expression<A>) {
    using T = detail::real_of<detail::element_in<A>>;
    return detail::apply<op::ldexp>(detail::named_as<T>(std::forward<A>(a)), detail::named_as<T>(std::forward<N>(n)));
  } else {
    return detail::apply<op::ldexp>(a, detail::named_as<double>(std::forward<N>(n)));
  }
}

/// a to the power b, computed in double whatever the operands are. Source: numpy.float_power.
template <class A, class B>
  requires detail::any_expression<A, B>
auto float_power(A&& a, B&& b) {
  return power(detail::named_as<double>(std::forward<A>(a)), detail::named_as<double>(std::forward<B>(b)));
}

SINTER_METHOD_OF(round)

}  // namespace sinter
