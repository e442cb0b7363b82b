// New arrays. The default dtype is NumPy's: `zeros({2, 3})` is double, `arange(5)` is int64; a template argument chooses.
#pragma once

#include <sinter/views.hpp>

namespace sinter {

namespace detail {
/// a * b rounded by itself: a device that has a multiplication and an addition in one would join a bare one to what is added.
template <class A, class B>
auto rounded_product(A&& a, B&& b) {
  return fma(std::forward<A>(a), std::forward<B>(b), -0.0);
}

/// So many numbers of int64, lazily: `first + i * step`, which wraps.
SINTER_API node* make_progression(std::int64_t count, std::int64_t first, std::int64_t step);
/// Where column - row is k.
SINTER_API node* make_diagonal_mask(std::int64_t rows, std::int64_t columns, std::int64_t k);

/// What arange makes: how many numbers, and the first two.
template <class R>
struct progression {
  std::int64_t count;
  R first, second;
};
template <class R, class A, class B, class C>
progression<R> progression_of(A start, B stop, C step) {
  constexpr bool whole = std::is_integral_v<A> && std::is_integral_v<B> && std::is_integral_v<C>;
  using bound = std::conditional_t<whole, std::int64_t, double>;
  const bound by = convert_scalar<bound>(step);
  if constexpr (whole && std::same_as<R, std::uint64_t>) {
    if (!(start < A()) && !(stop < B())) {  // less 2^63 they are all int64, and as far apart
      const auto lower = [](auto x) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) - (std::uint64_t{1} << 63));
      };
      const auto first = static_cast<std::uint64_t>(start);
      return {arange_length(lower(start), lower(stop), by), first, first + static_cast<std::uint64_t>(by)};
    }
  }
  const bound low = convert_scalar<bound>(start);
  const std::int64_t n = arange_length(low, convert_scalar<bound>(stop), by);
  const R first = n > 0 ? convert_scalar<R>(low) : R();
  return {n, first, n > 1 ? convert_scalar<R>(low + by) : first};
}

/// The type of a container's elements.
template <class Span>
using held = std::remove_cvref_t<decltype(*std::declval<const Span&>().data())>;
/// What memory of X, which are no elements, gives.
template <class X>
using no_elements_in = std::conditional_t<host_range<X>, refused<double, fault::rows, X>, array<X>>;
}  // namespace detail

/// An array whose elements have no value yet. Errors: `out_of_memory`. Source: numpy.empty.
template <element T = double>
array<T> empty(const shape& s, detail::where at = detail::where::current()) {
  return array<T>(detail::make_array(dtype_of<T>, s, at));
}
/// All elements 0. Errors: `out_of_memory`. Source: numpy.zeros.
template <element T = double>
array<T> zeros(const shape& s, detail::where at = detail::where::current()) {
  return array<T>(detail::make_zeros(dtype_of<T>, s, at));
}
/// All elements `value`. Dtypes: the default of the value's kind (int64, double), where none is chosen. Source: numpy.full.
template <class T = void, arithmetic V>
auto full(const shape& s, V value, detail::where at = detail::where::current()) {
  using R = detail::chosen<T, detail::default_of(detail::kind_of(dtype_of<V>))>;
  array<R> a(detail::make_array(dtype_of<R>, s, at));
  a(ellipsis) = value;
  return a;
}
/// An array or an expression, repeated along new or length-one axes. Dtypes: its own, where none is chosen. Errors: `shape_error`.
template <class T = void, detail::expression E>
auto full(const shape& s, E&& e, detail::where at = detail::where::current()) {
  using R = detail::chosen<T, dtype_of<detail::element_in<E>>>;
  return array<R>(broadcast_to(astype<R>(std::forward<E>(e)), s), at);
}
/// All elements 1. Source: numpy.ones.
template <element T = double>
array<T> ones(const shape& s, detail::where at = detail::where::current()) {
  return full<T>(s, T(1), at);
}
/// An array of the shape of another. Dtypes: its own, or as chosen: `zeros_like<int>(a)`. Source: numpy.empty_like, zeros_like,
/// ones_like.
template <detail::choice T = void, detail::expression E>
auto empty_like(const E& e, detail::where at = detail::where::current()) {
  return empty<detail::chosen<T, dtype_of<detail::element_in<E>>>>(e.shape(), at);
}
template <detail::choice T = void, detail::expression E>
auto zeros_like(const E& e, detail::where at = detail::where::current()) {
  return zeros<detail::chosen<T, dtype_of<detail::element_in<E>>>>(e.shape(), at);
}
template <detail::choice T = void, detail::expression E>
auto ones_like(const E& e, detail::where at = detail::where::current()) {
  return ones<detail::chosen<T, dtype_of<detail::element_in<E>>>>(e.shape(), at);
}
/// All elements `value`, as one of the dtype. Source: numpy.full_like.
template <detail::choice T = void, detail::expression E, detail::scalar_operand V>
auto full_like(const E& e, V value, detail::where at = detail::where::current()) {
  using R = detail::chosen<T, dtype_of<detail::element_in<E>>>;
  return full<R>(e.shape(), detail::stored_scalar<R>(value), at);
}

/// start, start + step, ... below stop: NumPy's values to the bit, which are two of the dtype and then multiples of their
/// distance. Dtypes: int64 for integers, double for floating bounds, or as chosen. Errors: `shape_error` for a step of zero;
/// `dtype_error` where the start or what comes after it does not fit. Source: numpy.arange.
template <class T = void, arithmetic A, arithmetic B, arithmetic C = int>
auto arange(A start, B stop, C step = 1, detail::where at = detail::where::current()) {
  constexpr bool whole = std::is_integral_v<A> && std::is_integral_v<B> && std::is_integral_v<C>;
  using R = std::conditional_t<std::is_void_v<T>, std::conditional_t<whole, std::int64_t, double>, T>;
  using parts = typename detail::element_of<detail::real_part_of(dtype_of<R>)>::type;
  const auto [n, first, second] = detail::progression_of<parts>(start, stop, step);
  if constexpr (detail::floating_number<parts>) {
    lazy<std::int64_t> i(detail::make_iota(shape{n}, 0));
    using W = typename detail::element_of<detail::widened(dtype_of<parts>)>::type;
    const W low = first, next = second;
    auto further = detail::rounded_product(astype<W>(i), next - low) + low;
    return array<R>(astype<R>(where(i > 1, std::move(further), where(i == 1, strong(next), strong(low)))), at);
  } else {
    const auto distance = static_cast<std::uint64_t>(second) - static_cast<std::uint64_t>(first);
    lazy<std::int64_t> all(
        detail::make_progression(n, static_cast<std::int64_t>(first), static_cast<std::int64_t>(distance)));
    return array<R>(astype<R>(std::move(all)), at);
  }
}
template <class T = void, arithmetic B>
auto arange(B stop, detail::where at = detail::where::current()) {
  return arange<T>(B(0), stop, 1, at);
}

/// How numbers are spaced.
struct spaced_options {
  bool endpoint = true;      ///< is the last one the stop?
  detail::integer axis = 0;  ///< of bounds that are arrays: where the new axis is
  double base = 10;          ///< logspace
};
namespace detail {
/// Between nodes of one floating dtype, which broadcast.
SINTER_API node* make_linspace(node* start, node* stop, std::int64_t count, const spaced_options&);
}  // namespace detail
/// `count` values from start to stop, both included unless `{.endpoint = false}`: NumPy's to the bit. Dtypes: double, or as chosen;
/// integers are the floor. Errors: `shape_error` for a negative count. Source: numpy.linspace.
template <element T = double>
array<T> linspace(double start, double stop, detail::integer count = 50, spaced_options how = {},
                  detail::where at = detail::where::current()) {
  const detail::handle low = detail::part_of<double>(start), high = detail::part_of<double>(stop);
  lazy<double> values(detail::make_linspace(low.get(), high.get(), count, how));
  if constexpr (std::is_integral_v<T>) return array<T>(astype<T>(floor(std::move(values))), at);
  else return array<T>(astype<T>(std::move(values)), at);
}
/// The same between arrays or expressions, lazily. Shapes: both broadcast, with the new axis where `{.axis = ...}` says. Dtypes: that
/// of `start / stop`. Errors: `shape_error`.
template <class A, class B>
  requires detail::any_expression<A, B>
auto linspace(A&& start, B&& stop, detail::integer count = 50, spaced_options how = {}) {
  using T = typename detail::element_of<detail::outcome_for<op::divide, A, B>.result>::type;
  const detail::handle low = detail::part_of<T>(std::forward<A>(start)),
                       high = detail::part_of<T>(std::forward<B>(stop));
  return lazy<T>(detail::make_linspace(low.get(), high.get(), count, how));
}
/// The powers of a base, 10 unless `{.base = 2}`, whose exponents are evenly spaced. Dtypes: as linspace. Source: numpy.logspace.
template <class A, class B>
auto logspace(A&& start, B&& stop, detail::integer count = 50, spaced_options how = {}) {
  return power(how.base, linspace(std::forward<A>(start), std::forward<B>(stop), count, how));
}
/// Numbers from start to stop, each the one before times the same. Dtypes: double. Errors: `error` where a bound is zero, or the
/// bounds differ in sign. Source: numpy.geomspace.
SINTER_API array<double> geomspace(double start, double stop, detail::integer count = 50, spaced_options how = {});

/// Ones on a diagonal (`k` above the main one), zeros elsewhere. Source: numpy.eye.
template <element T = double>
array<T> eye(std::int64_t rows, std::int64_t columns = -1, std::int64_t k = 0,
             detail::where at = detail::where::current()) {
  return array<T>(astype<T>(lazy<bool>(detail::make_diagonal_mask(rows, columns < 0 ? rows : columns, k))), at);
}

/// Copies contiguous host memory to the current device: a vector, a span, a `std::array`, an array of C++. Dtypes: the elements'.
/// Errors: `shape_error` where the shape does not fit. Stream behaviour: the host memory has been read on return. Source:
/// cupy.asarray.
template <class Span>
  requires(detail::host_memory<const Span&, const void*>&& arithmetic<detail::held<Span>>)
auto asarray(const Span& elements, const shape& s, detail::where at = detail::where::current()) {
  using V = detail::held<Span>;
  detail::check_elements(s, elements.size());
  return array<element_type<V>>(detail::make_from_host(dtype_of<V>, s, elements.data(), at));
}
template <class Span>
  requires(detail::host_memory<const Span&, const void*>&& arithmetic<detail::held<Span>>)
auto asarray(const Span& elements, detail::where at = detail::where::current()) {
  return asarray(elements, shape(elements.size()), at);
}
template <arithmetic T, auto count>
  requires(!std::same_as<T, char>)
auto asarray(const T (&elements)[count], detail::where at = detail::where::current()) {
  return array<element_type<T>>(detail::make_from_host(dtype_of<T>, shape(count), elements, at));
}

template <arithmetic T, auto rows, auto columns>
  requires(!std::same_as<T, char>)
auto asarray(const T (&elements)[rows][columns], detail::where at = detail::where::current()) {
  return array<element_type<T>>(detail::make_from_host(dtype_of<T>, shape{rows, columns}, elements, at));
}

/// An array is itself, an expression the array of its elements. Source: numpy.asarray.
template <detail::expression E>
auto asarray(E&& e, detail::where at = detail::where::current()) {
  using A = array<detail::element_in<E>>;
  if constexpr (std::same_as<std::remove_cvref_t<E>, A>) return A(std::forward<E>(e));
  else return A(std::forward<E>(e), at);
}

/// The elements, or a number, repeated along new or length-one axes; lazy, so nothing is copied until an array is made of it.
/// Errors: `shape_error`. Source: numpy.broadcast_to.
template <detail::expression_or_number E>
auto broadcast_to(E&& e, const shape& s) {
  const detail::handle child = detail::node_of(detail::as_expression(std::forward<E>(e)));
  return lazy<detail::element_as_expression<E>>(detail::make_broadcast(child.get(), s));
}
template <detail::expression E, class... More>
lazy<double> broadcast_to(E&&, detail::no_shape, detail::anything, const More&...);
lazy<double> broadcast_to(detail::no_expression, detail::anything);
lazy<double> broadcast_to(detail::no_expression, const shape&);
/// The methods of the same names as functions. Source: numpy.reshape, numpy.transpose.
template <detail::expression E>
auto reshape(E&& e, const shape& s) {
  return std::forward<E>(e).reshape(s);
}
template <detail::expression E, detail::numbers_in_a_row Extents = std::initializer_list<std::int64_t>>
auto reshape(E&& e, const Extents& extents) {
  return std::forward<E>(e).reshape(extents);
}
template <detail::expression E, detail::numbers_in_a_row Order = std::initializer_list<std::int64_t>>
auto transpose(E&& e, const Order& order = {}) {
  return std::forward<E>(e).transpose(order);
}

// Of what is no element type there is nothing but the sentence that says so.
template <detail::not_element T>
array<T> empty(const shape&);
template <detail::not_element T>
array<T> zeros(const shape&);
template <detail::not_element T>
array<T> ones(const shape&);
#define SINTER_LIKE(name)                  \
  template <class T, detail::expression E> \
    requires(!detail::choice<T>)           \
  detail::no_element<T> name(const E&, detail::anything = 0);
SINTER_LIKE(empty_like)
SINTER_LIKE(zeros_like)
SINTER_LIKE(ones_like)
SINTER_LIKE(full_like)
#undef SINTER_LIKE
template <class Span>
  requires(!arithmetic<detail::held<Span>>)
detail::no_elements_in<detail::held<Span>> asarray(const Span&);
template <class Span>
  requires(!arithmetic<detail::held<Span>>)
detail::no_elements_in<detail::held<Span>> asarray(const Span&, const shape&);
template <arithmetic T, detail::host_range Span>
detail::refused<double, detail::fault::converted, T> asarray(const Span&, detail::anything = 0);
array<double> asarray(detail::no_memory, detail::anything = 0, detail::anything = 0);
// Nor of a shape that is written as several arguments.
template <class T = double, class... More>
array<T> empty(detail::no_shape, detail::anything, const More&...);
template <class T = double, class... More>
array<T> zeros(detail::no_shape, detail::anything, const More&...);
template <class T = double, class... More>
array<T> ones(detail::no_shape, detail::anything, const More&...);
template <class T = double, class... More>
array<T> full(detail::no_shape, detail::anything, detail::anything, const More&...);
template <class T = double>
array<T> full(const shape&, detail::no_operand);
// Nor of a dtype that is an argument.
template <class T = double>
array<T> empty(std::initializer_list<std::int64_t>, detail::no_dtype);
template <class T = double>
array<T> zeros(std::initializer_list<std::int64_t>, detail::no_dtype);
template <class T = double>
array<T> ones(std::initializer_list<std::int64_t>, detail::no_dtype);
template <detail::not_element T>
array<T> linspace(double, double, std::int64_t = 50);
template <detail::not_element T>
array<T> eye(std::int64_t, std::int64_t = -1, std::int64_t = 0);

}  // namespace sinter
