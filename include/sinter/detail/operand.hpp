// What may stand beside an operator, what it is captured as, and the dtype that operands give together. The rule is "names
// share, temporaries inline": an rvalue expression moves into the new type, a named one becomes a counted node.
#pragma once

#include <concepts>
#include <initializer_list>
#include <limits>
#include <utility>

#include <sinter/detail/cast.hpp>
#include <sinter/detail/refuse.hpp>
#include <sinter/detail/seam.hpp>

namespace sinter {

template <class T>
class array;
template <element T>
class lazy;
template <op O, class T, class... A>
class expr;

/// A scalar that keeps its own dtype instead of being weak: `a + strong(2.0)` is double whatever `a` is.
template <arithmetic T>
struct strong_scalar {
  T value;
};
template <arithmetic T>
constexpr strong_scalar<T> strong(T value) {
  return {value};
}

namespace detail {

template <class X>
concept expression = requires {
  typename std::remove_cvref_t<X>::sinter_element;
};

template <class E>
using element_in = typename std::remove_cvref_t<E>::sinter_element;

template <class X>
struct is_strong : std::false_type {};
template <class T>
struct is_strong<strong_scalar<T>> : std::true_type {};

template <class X>
concept scalar_operand = arithmetic<X> || is_strong<std::remove_cvref_t<X>>::value;
template <class X>
concept operand = expression<X> || scalar_operand<X>;

constexpr bool is_ordering(op o) {
  return o == op::less || o == op::less_equal || o == op::greater || o == op::greater_equal;
}

/// Is X an ordering comparison?
template <class X>
inline constexpr bool ordering = false;
template <op O, class T, class... A>
inline constexpr bool ordering<expr<O, T, A...>> = is_ordering(O);

/// A dtype on its way through promotion: weak operands only give their kind.
struct weight {
  dtype type;
  bool weak;
  fault why = fault::none;  // it is no operand
  bool ordering = false;
};

template <class X>
consteval weight weight_of() {
  using U = std::remove_cvref_t<X>;
  constexpr bool named = std::is_lvalue_reference_v<X>;  // `auto m = a < b; m > 0` is no chain
  if constexpr (expression<U>) return {dtype_of<typename U::sinter_element>, false, fault::none, !named && ordering<U>};
  else if constexpr (arithmetic<U>) return {dtype_of<U>, true};
  else if constexpr (is_strong<U>::value) return {dtype_of<decltype(U::value)>, false};
  else return {dtype::bool_, false, fault::operand};
}

constexpr dtype default_of(kind k) {
  return k == kind::boolean    ? dtype::bool_
         : k == kind::integer  ? dtype::int64
         : k == kind::floating ? dtype::float64
                               : dtype::complex128;
}

/// NEP 50: strong dtypes promote among themselves, then every weak kind lifts the result.
template <std::size_t most = 3>
constexpr dtype promote_all(const weight* w, int count) {
  dtype strong[most] = {};
  int strong_count = 0;
  kind weakest = kind::boolean;
  for (int i = 0; i < count; ++i) {
    if (!w[i].weak) strong[strong_count++] = w[i].type;
    else if (kind_of(w[i].type) > weakest) weakest = kind_of(w[i].type);
  }
  return strong_count == 0 ? default_of(weakest) : promote_weak(promote(strong, strong_count), weakest);
}

/// What comes of an operation over operands.
struct outcome {
  fault why;
  dtype computed = dtype::float64, result = dtype::float64;
};
constexpr outcome outcome_of(op o, std::initializer_list<weight> operands) {
  for (const weight& w : operands)
    if (w.why != fault::none) return {w.why};
  if (is_ordering(o) && operands.begin()->ordering) return {fault::chain};  // `0 < a < 1` would be `(0 < a) < 1`
  const rule r = facts(o).of;
  const int skip = r == rule::choice ? 1 : 0;
  const dtype promoted = promote_all(operands.begin() + skip, static_cast<int>(operands.size()) - skip);
  if (!accepts(r, promoted))
    return {is_complex(promoted) ? fault::complex : r == rule::number_not_bool ? fault::boolean : fault::floating};
  const dtype computed = compute_dtype(r, promoted);
  return {fault::none, computed, result_dtype(r, computed)};
}
template <op O, class... X>
inline constexpr outcome outcome_for = outcome_of(O, {weight_of<X>()...});

/// A weak scalar as a W: an integer has to fit an integer, whatever else is cast.
template <class W, class S>
constexpr W convert_scalar(S value) {
  static_assert(!complex_number<S> || complex_number<W> || std::is_same_v<W, bool>,
                "sinter: a complex number where a real one is wanted; write z.real() for its real part");
  if constexpr (std::is_integral_v<S> && std::is_integral_v<W> && !std::is_same_v<W, bool> &&
                !std::is_same_v<S, bool>) {
    if (!std::in_range<W>(static_cast<element_type<S>>(value))) {
      if constexpr (std::is_signed_v<S>) throw_scalar_does_not_fit(dtype_of<W>, static_cast<std::int64_t>(value));
      else throw_scalar_does_not_fit(dtype_of<W>, static_cast<std::uint64_t>(value));
    }
  }
  return cast_element<W>(value);
}

/// A scalar that is stored as a W, as NumPy's setitem has it: a strong one is cast as an array's element is.
template <class W, class X>
constexpr W stored_scalar(const X& x) {
  if constexpr (is_strong<X>::value) return cast_element<W>(x.value);
  else return convert_scalar<W>(x);
}

template <class W>
scalar_bits to_bits(W value) {
  scalar_bits bits = {};
  if constexpr (std::is_same_v<W, float>) bits.as_float = value;
  else if constexpr (std::is_same_v<W, double>) bits.as_double = value;
  else if constexpr (std::is_same_v<W, bool>) bits.as_bool = value;
  else if constexpr (complex_number<W> || short_number<W>) __builtin_memcpy(bits.bytes, &value, sizeof value);
  else bits.as_signed = static_cast<std::int64_t>(value);
  return bits;
}

/// A captured node of known element type.
template <class T>
struct leaf {
  static constexpr int node_count = 1, scalar_count = 0, length = 1;
  static constexpr void append_code(instruction*& at) { *at++ = {instruction::take_node, dtype_of<T>}; }
  explicit leaf(node* taken) noexcept : owned(taken) {}
  leaf(const leaf&) = delete;
  ~leaf() {
    if (owned) release(owned);  // only where capturing a later operand threw
  }
  void move_into(node**& nodes, scalar_bits*&) noexcept {
    *nodes++ = owned;
    owned = nullptr;
  }
  node* owned;
};

/// A captured scalar, already converted.
template <class T>
struct constant {
  static constexpr int node_count = 0, scalar_count = 1, length = 1;
  static constexpr void append_code(instruction*& at) { *at++ = {instruction::take_scalar, dtype_of<T>}; }
  void move_into(node**&, scalar_bits*& scalars) noexcept { *scalars++ = bits; }
  scalar_bits bits;
};

/// Captures an operand. W: the element type a scalar is converted to.
template <class W, class X>
decltype(auto) capture(X&& x) {
  using U = std::remove_cvref_t<X>;
  if constexpr (arithmetic<U>) {
    static_assert(
        requires { sizeof(W); }, "sinter: complex elements beside a number need its header: #include <complex>");
    return constant<W>{to_bits<W>(convert_scalar<W>(x))};
  } else if constexpr (is_strong<U>::value) {
    return constant<decltype(U::value)>{to_bits(x.value)};
  } else if constexpr (std::is_lvalue_reference_v<X> || std::is_const_v<std::remove_reference_t<X>>) {
    return leaf<typename U::sinter_element>(x.share());
  } else if constexpr (requires { x.release_node(); }) {
    return leaf<typename U::sinter_element>(x.release_node());
  } else if constexpr (requires { x.nodes; }) {
    if (!x.nodes[0]) [[unlikely]]  // of most temporaries the compiler knows that they were not moved from
      throw_moved_from();
    return static_cast<X&&>(x);
  } else {  // refused, of which clang then knows no base: one error is enough
    return leaf<typename U::sinter_element>(nullptr);
  }
}
/// Captures a bound of clip: an integer that lies beyond all elements of W is the last of them on that side, as NumPy drops it.
template <class W, class X>
decltype(auto) capture_bound(X&& x, bool is_lower) {
  using V = std::remove_cvref_t<X>;
  if constexpr (std::is_integral_v<V> && std::is_integral_v<W> && !std::is_same_v<V, bool> &&
                !std::is_same_v<W, bool>) {
    using limits = std::numeric_limits<W>;
    const auto value = static_cast<element_type<V>>(x);
    if (is_lower && std::cmp_less(value, limits::min())) return capture<W>(limits::min());
    if (!is_lower && std::cmp_greater(value, limits::max())) return capture<W>(limits::max());
    return capture<W>(x);
  } else {
    return capture<W>(std::forward<X>(x));
  }
}

template <class W, class X>
using captured = std::remove_cvref_t<decltype(capture<W>(std::declval<X>()))>;

/// Would one object be moved from twice, as by `std::move(e) + std::move(e)`? Of temporaries the compiler knows that not.
template <class A>
constexpr bool moved_twice(const A&) {
  return false;
}
template <class A, class B, class... More>
bool moved_twice(A&& a, B&& b, More&&... more) {
  if constexpr (std::same_as<A, B> && !std::is_lvalue_reference_v<A> && requires { a.nodes; })
    if (&a == &b) return true;
  return moved_twice(static_cast<A&&>(a), static_cast<More&&>(more)...) ||
         moved_twice(static_cast<B&&>(b), static_cast<More&&>(more)...);
}

/// An owned reference to an operand's node. A temporary keeps nothing back: what it looks at may be stored into at the end of
/// its statement.
template <class X>
node* take_node(X&& x) {
  using U = std::remove_reference_t<X>;
  if constexpr (std::is_lvalue_reference_v<X> || std::is_const_v<U>) {
    return x.share();
  } else if constexpr (requires { x.release_node(); }) {
    return x.release_node();
  } else if constexpr (requires { x.hand_over(); }) {
    return x.hand_over();
  } else {
    return U(static_cast<X&&>(x)).share();
  }
}

}  // namespace detail
}  // namespace sinter
