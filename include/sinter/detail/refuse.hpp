// What is refused, and the sentence that says so. A constraint alone would be reported by listing every overload that did
// not fit, so what fits none of them meets one of these types instead. A program that compiles makes nothing of them.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <type_traits>

#include <sinter/dtype.hpp>

namespace sinter {

template <element T>
class lazy;

namespace detail {

/// False, but not before X is known.
template <class... X>
inline constexpr bool never = false;

/// An integer; of anything else 0, so that the sentence that refuses it is the only error.
template <class X>
constexpr std::int64_t integer_or_0(X x) {
  if constexpr (std::is_integral_v<X>) return static_cast<std::int64_t>(x);
  else return 0;
}

/// An argument that nothing is said about.
struct anything {
  template <class X>
  anything(const X&);
};

/// Stands where an operand was wanted. As a conversion it comes after every other function of the same name.
struct no_operand {
  template <class X>
  no_operand(const X&) {
    static_assert(never<X>, "sinter: an operand must be an array, an expression or an arithmetic scalar");
  }
};

/// Stands where an array or an expression was wanted. Those are what has a sinter_element: the concept comes later.
struct no_expression {
  template <class X>
    requires(!requires { typename X::sinter_element; })
  no_expression(const X&) {
    static_assert(never<X>, "sinter: this takes an array or an expression; asarray(v) makes an array of a vector");
  }
  template <class X>
  no_expression(std::initializer_list<X>) {
    static_assert(never<X>, "sinter: this takes an array or an expression; array{1.0, 2.0} is one of these numbers");
  }
};

// A function of an array, or of two, called with what is none.
#define SINTER_OF_AN_ARRAY(name) \
  template <class... X>          \
  lazy<double> name(sinter::detail::no_expression, const X&...);
#define SINTER_OF_TWO_ARRAYS(name) \
  SINTER_OF_AN_ARRAY(name)         \
  lazy<double> name(sinter::detail::anything, sinter::detail::no_expression, sinter::detail::anything = 0);

/// Stands where contiguous host memory was wanted.
struct no_memory {
  template <class X>
    requires(!requires { typename X::sinter_element; })
  no_memory(const X&) {
    static_assert(
        never<X>,
        "sinter: host memory is a std::vector or a std::span of the element type, no std::vector<bool> and no "
        "bare pointer");
  }
  template <class X>
  no_memory(std::initializer_list<X>) {
    static_assert(never<X>, "sinter: an array of a few numbers is array{1.0, 2.0}; host memory is a std::vector");
  }
};

/// Stands where NumPy has a dtype: behind a shape, among the options of a reduction.
struct no_dtype {
  constexpr no_dtype() = default;
  template <class X>
  no_dtype(const X&) {
    static_assert(never<X>, "sinter: the element type is a template argument: zeros<float>({2, 3}), sum<double>(a)");
  }
};

/// Stands where what is meant by another name is written so.
struct no_axes {
  constexpr no_axes() = default;
  template <class X>
  no_axes(const X&) {
    static_assert(never<X>, "sinter: the axes are named axis: sum(a, {.axis = {0, 2}})");
  }
  template <class X>
  no_axes(std::initializer_list<X>) {
    static_assert(never<X>, "sinter: the axes are named axis: sum(a, {.axis = {0, 2}})");
  }
};
struct no_keep_dims {
  constexpr no_keep_dims() = default;
  template <class X>
  no_keep_dims(const X&) {
    static_assert(never<X>, "sinter: this is named keepdims: sum(a, {.axis = 0, .keepdims = true})");
  }
};

/// Stands where NumPy has an array for the result.
struct no_out {
  constexpr no_out() = default;
  template <class X>
  no_out(const X&) {
    static_assert(never<X>, "sinter: a result is assigned, r = sum(a, 0), or stored, r(ellipsis) = sum(a, 0)");
  }
};

/// Stands where something to store was wanted and a list in braces is given.
struct no_list {
  template <class... X>
  no_list(const X&...) {
    static_assert(never<X...>, "sinter: a list is stored as an array: a(0) = array{1.0, 2.0}");
  }
};

/// Stands where a shape was wanted and its first extent is given.
struct no_shape {
  template <class X>
  no_shape(const X&) {
    static_assert(never<X>, "sinter: a shape is one argument: zeros({2, 3})");
  }
};

/// Stands where the parts of a join were wanted.
struct no_parts {
  template <class... X>
  no_parts(const X&...) {
    static_assert(never<X...>,
                  "sinter: a join takes a list of arrays, concatenate({a, b}), or a tuple of any expressions, "
                  "concatenate(tuple(a, b + 1)); of arrays beside parts of arrays, or of several element types, "
                  "concatenate<double>({a, n})");
  }
};

/// Stands after an axis.
struct no_option {
  template <class X>
  no_option(const X&) {
    static_assert(never<X>, "sinter: what follows the axis is named: sum(a, {.axis = 0, .keepdims = true})");
  }
};

/// The right side of `e += x` where e cannot be changed.
struct no_change {
  template <class X>
  no_change(const X&) {
    static_assert(never<X>, "sinter: only a named array that is not const, or a view of one, is changed in place");
  }
};

/// Stands behind what is scattered into.
struct no_scatter {
  template <class X>
  no_scatter(const X&) {
    static_assert(never<X>,
                  "sinter: scatter_add(a, n, x) and put(a, n, x) take a named array that is not const, an array of "
                  "integers, and an array, an expression or a number");
  }
};

/// Stands where a condition has one value.
struct no_value {
  template <class X>
  no_value(const X&) {
    static_assert(never<X>, "sinter: where takes a condition and two values, where(a > 0, a, 0), or a mask alone");
  }
};

/// Of a text in quotes. A list in braces is none, which would be one where a parameter were an array of char.
template <class T>
inline constexpr bool is_quoted = false;
template <std::size_t n>
inline constexpr bool is_quoted<char[n]> = true;

// A function of an array with a text somewhere behind it. Declared where `refused` is.
#define SINTER_WITHOUT_TEXT(name)                                 \
  template <class A, class... X>                                  \
    requires(sinter::detail::is_quoted<X> || ...)                 \
  &&requires { typename std::remove_cvref_t<A>::sinter_element; } \
  sinter::detail::refused<double, sinter::detail::fault::text, A> name(const A&, const X&...);

/// What is wrong with a call.
enum class fault : std::uint8_t {
  none,
  operand,
  boolean,
  floating,
  complex,
  chain,
  kind,
  stored,
  element,
  axis,
  index,
  mask,
  memory,
  no_mask,
  target,
  real_draw,
  whole_draw,
  draw_shape,
  untyped,
  function,
  part,
  growth,
  cast,
  extents,
  no_elements,
  several_arrays,
  one_operand,
  text,
  keys,
  whole_axis,
  converted,
  rows,
  bytes
};

/// What a call with a fault gives. It goes on as an expression of element type T, made from anything, so that nothing else
/// is wrong with the statement. As the type of a result it is looked into where the call stands, not somewhere in Sinter.
template <class T, fault of, class... Of>
class refused : public lazy<T> {
 public:
  template <class... X>
  refused(const X&...) : lazy<T>(nullptr) {}

  static_assert(of != fault::operand, "sinter: an operand must be an array, an expression or an arithmetic scalar");
  static_assert(of != fault::boolean, "sinter: this operation does not take bool; a ^ b is true where they differ");
  static_assert(of != fault::floating,
                "sinter: this operation takes integers and bool, no floating-point elements, which an unsigned integer "
                "of 64 bits beside a signed one becomes as well");
  static_assert(of != fault::complex,
                "sinter: this operation does not take complex numbers; abs(z) and real(z) are real");
  static_assert(of != fault::chain, "sinter: write (0 < a) && (a < 1) for 0 < a < 1");
  static_assert(
      of != fault::kind,
      "sinter: an in-place operation cannot change the kind of its target (integer to floating, unsigned to signed)");
  static_assert(of != fault::stored, "sinter: only an array, an expression or an arithmetic scalar can be stored");
  static_assert(of != fault::index,
                "sinter: an index is an integer, a slice, _, newaxis or ellipsis; those of a list made at run time are "
                "any_index; a bool is none");
  static_assert(of != fault::mask,
                "sinter: an array that indexes is of integers, or of bool: a(n), a(a > 0); take is by integers");
  static_assert(of != fault::memory,
                "sinter: a vector is no index; asarray(v) makes an array of it: a(asarray(v)), take(a, asarray(v), 1)");
  static_assert(of != fault::no_mask, "sinter: a mask is an array or an expression of bool: a > 0");
  static_assert(of != fault::target,
                "sinter: only a named array that is not const, or a view of one, can be stored into");
  static_assert(
      of != fault::draw_shape,
      "sinter: the shape of random numbers comes first, in braces where more follows: rng.normal({2, 3}, 10, 2)");
  static_assert(of != fault::element,
                "sinter: the elements of an array are bool, std::int8_t to std::int64_t, std::uint8_t to "
                "std::uint64_t, half, bfloat16, float, double or std::complex of float or double");
  static_assert(of != fault::converted,
                "sinter: asarray(v) has the element type of v; astype<double>(asarray(v)) converts");
  static_assert(of != fault::rows,
                "sinter: vectors in a vector do not lie together; asarray(v, {2, 3}) makes rows of one vector");
  static_assert(of != fault::real_draw, "sinter: these random numbers are float or double: rng.normal<float>({2, 3})");
  static_assert(of != fault::whole_draw,
                "sinter: random integers are of an integer type or bool: rng.integers<int>({2, 3}, 10)");
  static_assert(of != fault::untyped,
                "sinter: what a file has is known when it is read, the element type when the program is compiled; say "
                "which to convert to: load<double>(\"a.npy\")");
  static_assert(of != fault::function,
                "sinter: this is a function of the array: sqrt(a), matmul(a, b), sort(a), stddev(a), linalg::norm(a)");
  static_assert(of != fault::part,
                "sinter: parts are indexed: a(i), a(_, j), a(slice(0, 2), _); extents are those of a.shape()");
  static_assert(of != fault::bytes,
                "sinter: an expression has no bytes to look at; an array made of it has: array(e).view<T>()");
  static_assert(of != fault::growth,
                "sinter: an array keeps its shape: a = append(a, e), concatenate({a, b}), resize(a, {2, 3})");
  static_assert(of != fault::cast, "sinter: the element type is a template argument: a.astype<float>()");
  static_assert(of != fault::extents, "sinter: extents and axes are integers: a.reshape(2, 3), a.transpose(1, 0)");
  static_assert(
      of != fault::axis,
      "sinter: an axis is an integer; several are written {.axis = {0, 2}}; the larger of two is maximum(a, b)");
  static_assert(of != fault::no_elements, "sinter: an array without elements needs its element type: array<float> r");
  static_assert(
      of != fault::several_arrays,
      "sinter: this gives several arrays: auto [w, v] = eigh(a) takes them apart, eigh(a).eigenvalues is one");
  static_assert(of != fault::text,
                "sinter: what NumPy names by a text is here an enumerator, convolve(a, v, convolve_mode::same), "
                "pad(a, 2, pad_mode::edge), an option in braces or a function of its own, which the reference has");
  static_assert(of != fault::keys, "sinter: the keys are one list: lexsort({minor, major})");
  static_assert(of != fault::whole_axis, "sinter: a whole axis is _: a(_, 0); all(m) is true where all elements are");
  static_assert(
      of != fault::one_operand,
      "sinter: this takes two operands, maximum(a, b), maximum(a, maximum(b, c)); the largest element is max(a)");
};

template <class T>
concept not_element = !element<T>;

/// The element type of an array that is made of nothing which has one.
struct no_elements {};
/// The same, where there is more than one array.
struct several_arrays {};
/// What is there instead where T is no element type.
template <class T>
using no_element = refused<double,
                           std::is_same_v<T, no_elements>      ? fault::no_elements
                           : std::is_same_v<T, several_arrays> ? fault::several_arrays
                                                               : fault::element,
                           T>;
/// What a reduction over X, which is no axis, gives.
template <class X>
using no_axis = refused<double, fault::axis, X>;

}  // namespace detail
}  // namespace sinter
