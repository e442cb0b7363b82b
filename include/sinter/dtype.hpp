// Element types and how they combine: NumPy 2's promotion table as one constexpr function, used by the types of expressions,
// by the code generator and by the documents.
#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <type_traits>

#include <sinter/detail/complex_declared.hpp>
#include <sinter/detail/config.hpp>
#include <sinter/detail/short_floating.hpp>

namespace sinter {

/// The element types.
enum class dtype : std::uint8_t {
  bool_,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
};

/// IEEE's binary16: 11 significant bits, up to 65504. `bits` is its encoding. Source: numpy.float16.
using half = detail::short_floating<10>;
using float16 = half;
/// The upper 16 bits of a float: 8 significant bits, float's range. Source: ml_dtypes.bfloat16.
using bfloat16 = detail::short_floating<7>;

namespace detail {

/// NumPy's kinds, in the order in which a scalar of a higher one lifts an array of a lower one.
enum class kind : std::uint8_t { boolean, integer, floating, complex };

struct dtype_facts {
  const char* name;        // NumPy's
  const char* short_name;  // in kernel names and comments
  const char* text;  // in generated source: CUDA C++ and C spell them alike; of 16 bits and complex ones prelude.def's
  kind of;
  std::uint8_t size;  // bytes
  bool is_signed;
};

inline constexpr dtype_facts facts_of[] = {
    {"bool", "b1", "bool", kind::boolean, 1, false},
    {"int8", "i8", "signed char", kind::integer, 1, true},
    {"uint8", "u8", "unsigned char", kind::integer, 1, false},
    {"int16", "i16", "short", kind::integer, 2, true},
    {"uint16", "u16", "unsigned short", kind::integer, 2, false},
    {"int32", "i32", "int", kind::integer, 4, true},
    {"uint32", "u32", "unsigned int", kind::integer, 4, false},
    {"int64", "i64", "long long", kind::integer, 8, true},
    {"uint64", "u64", "unsigned long long", kind::integer, 8, false},
    {"float16", "f16", "float16", kind::floating, 2, true},
    {"bfloat16", "bf16", "bfloat16", kind::floating, 2, true},
    {"float32", "f32", "float", kind::floating, 4, true},
    {"float64", "f64", "double", kind::floating, 8, true},
    {"complex64", "c64", "complex64", kind::complex, 8, true},
    {"complex128", "c128", "complex128", kind::complex, 16, true},
};

constexpr const dtype_facts& facts(dtype t) { return facts_of[static_cast<int>(t)]; }
constexpr kind kind_of(dtype t) { return facts(t).of; }
constexpr bool is_integer(dtype t) { return kind_of(t) == kind::integer; }
constexpr bool is_floating(dtype t) { return kind_of(t) == kind::floating; }
constexpr bool is_complex(dtype t) { return kind_of(t) == kind::complex; }
/// NumPy's word for floating and complex numbers.
constexpr bool is_inexact(dtype t) { return is_floating(t) || is_complex(t); }
/// Numbers of 16 bits are computed with, and added up, as float.
constexpr bool is_short_floating(dtype t) { return is_floating(t) && facts(t).size == 2; }
constexpr dtype widened(dtype t) { return is_short_floating(t) ? dtype::float32 : t; }

constexpr dtype integer_of(int size, bool is_signed) {
  const int log2 = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
  return static_cast<dtype>(static_cast<int>(dtype::int8) + 2 * log2 + (is_signed ? 0 : 1));
}

/// The smallest floating type that holds an integer type's values as NumPy sees it: 8 bits in 16, 16 in 32, the rest in 64.
constexpr dtype floating_for_integer(dtype t) {
  return facts(t).size == 1 ? dtype::float16 : facts(t).size == 2 ? dtype::float32 : dtype::float64;
}

constexpr dtype wider_floating(dtype a, dtype b) {
  const bool sixteen_bits_apart = a != b && facts(a).size == 2 && facts(b).size == 2;
  return sixteen_bits_apart ? dtype::float32 : (facts(a).size >= facts(b).size ? a : b);
}

constexpr dtype promote_integers(dtype a, dtype b) {
  if (facts(a).is_signed == facts(b).is_signed) return facts(a).size >= facts(b).size ? a : b;
  const dtype s = facts(a).is_signed ? a : b, u = facts(a).is_signed ? b : a;
  if (facts(s).size > facts(u).size) return s;
  return facts(u).size == 8 ? dtype::float64 : integer_of(2 * facts(u).size, true);
}

/// Of what numbers a complex one is made; other dtypes are their own parts.
constexpr dtype real_part_of(dtype t) {
  return t == dtype::complex64 ? dtype::float32 : t == dtype::complex128 ? dtype::float64 : t;
}

/// NumPy 2's `result_type` of two dtypes.
constexpr dtype promote(dtype a, dtype b) {
  if (a == b || kind_of(b) == kind::boolean) return a;
  if (kind_of(a) == kind::boolean) return b;
  if (is_integer(a) && is_integer(b)) return promote_integers(a, b);
  if (kind_of(a) == kind::complex || kind_of(b) == kind::complex) {
    const dtype real = promote(real_part_of(a), real_part_of(b));
    return real == dtype::float64 ? dtype::complex128 : dtype::complex64;
  }
  const bool holds_it = (a == dtype::bfloat16 && facts(b).size == 1) || (b == dtype::bfloat16 && facts(a).size == 1);
  if (holds_it) return dtype::bfloat16;  // its significand has 8 bits
  return wider_floating(is_integer(a) ? floating_for_integer(a) : a, is_integer(b) ? floating_for_integer(b) : b);
}

/// NumPy 2's `result_type` of several. The first of the highest kind meets the others one by one: int8 and uint16 alone give
/// int32, which float32 does not hold, but each of the two fits it.
constexpr dtype promote(const dtype* types, int count) {
  int highest = 0;
  for (int i = 1; i < count; ++i)
    if (kind_of(types[i]) > kind_of(types[highest])) highest = i;
  dtype promoted = types[highest];
  for (int i = 0; i < count; ++i) promoted = promote(promoted, types[i]);
  return promoted;
}

/// The dtype a function of real numbers computes in: floating types stay, integers widen. NumPy gives float16 for 8-bit
/// operands; Sinter gives float32 (docs/decisions/0004).
constexpr dtype promote_to_floating(dtype t) {
  if (!is_integer(t) && kind_of(t) != kind::boolean) return t;
  return facts(t).size <= 2 ? dtype::float32 : dtype::float64;
}

/// An array's dtype meeting a C++ scalar of kind `s` (NEP 50): the scalar gives its kind, not its size.
constexpr dtype promote_weak(dtype t, kind s) {
  if (s <= kind_of(t)) return t;
  if (s == kind::integer) return dtype::int64;
  if (s == kind::floating) return dtype::float64;
  return t == dtype::float32 || (is_floating(t) && facts(t).size == 2) ? dtype::complex64 : dtype::complex128;
}

template <class T>
consteval dtype dtype_for() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, bool>) return dtype::bool_;
  else if constexpr (std::is_same_v<U, float>) return dtype::float32;
  else if constexpr (std::is_same_v<U, double>) return dtype::float64;
  else if constexpr (std::is_same_v<U, half>) return dtype::float16;
  else if constexpr (std::is_same_v<U, bfloat16>) return dtype::bfloat16;
  else if constexpr (std::is_same_v<U, std::complex<float>>) return dtype::complex64;
  else if constexpr (std::is_same_v<U, std::complex<double>>) return dtype::complex128;
  else return integer_of(sizeof(U), std::is_signed_v<U>);
}

template <dtype>
struct element_of;
#define SINTER_ELEMENT(of, T) \
  template <>                 \
  struct element_of<of> {     \
    using type = T;           \
  };
SINTER_ELEMENT(dtype::bool_, bool)
SINTER_ELEMENT(dtype::int8, std::int8_t)
SINTER_ELEMENT(dtype::uint8, std::uint8_t)
SINTER_ELEMENT(dtype::int16, std::int16_t)
SINTER_ELEMENT(dtype::uint16, std::uint16_t)
SINTER_ELEMENT(dtype::int32, std::int32_t)
SINTER_ELEMENT(dtype::uint32, std::uint32_t)
SINTER_ELEMENT(dtype::int64, std::int64_t)
SINTER_ELEMENT(dtype::uint64, std::uint64_t)
SINTER_ELEMENT(dtype::float16, half)
SINTER_ELEMENT(dtype::bfloat16, bfloat16)
SINTER_ELEMENT(dtype::float32, float)
SINTER_ELEMENT(dtype::float64, double)
SINTER_ELEMENT(dtype::complex64, std::complex<float>)
SINTER_ELEMENT(dtype::complex128, std::complex<double>)
#undef SINTER_ELEMENT

}  // namespace detail

namespace detail {
template <class T>
concept complex_number = std::same_as<std::remove_cvref_t<T>, std::complex<float>> ||
    std::same_as<std::remove_cvref_t<T>, std::complex<double>>;
template <class T>
concept short_number = std::same_as<std::remove_cvref_t<T>, half> || std::same_as<std::remove_cvref_t<T>, bfloat16>;
/// Real numbers of any size.
template <class T>
concept floating_number = std::is_floating_point_v<std::remove_cvref_t<T>> || short_number<T>;
}  // namespace detail

/// A C++ type whose values fit an array: bool, the integers, float, double, half, bfloat16, std::complex of float and double.
/// `long long` counts as `std::int64_t`.
template <class T>
concept arithmetic = (std::is_arithmetic_v<std::remove_cvref_t<T>> &&
                      !std::is_same_v<std::remove_cvref_t<T>, long double>) ||
                     detail::short_number<T> || detail::complex_number<T>;

/// The element type an array of `T` has: itself, but for types that are one of the fixed-width integers under another name.
template <arithmetic T>
using element_type = typename detail::element_of<detail::dtype_for<std::remove_cvref_t<T>>()>::type;

/// The types `array<T>` takes.
template <class T>
concept element = arithmetic<T> && std::same_as<T, element_type<T>>;

/// The dtype of a C++ type.
template <arithmetic T>
inline constexpr dtype dtype_of = detail::dtype_for<T>();

/// The element type two arrays give together. Source: `numpy.result_type`.
template <element A, element B>
using result_type = typename detail::element_of<detail::promote(dtype_of<A>, dtype_of<B>)>::type;

/// A dtype's NumPy name.
constexpr const char* name(dtype t) { return detail::facts(t).name; }
/// Bytes of one element.
constexpr int itemsize(dtype t) { return detail::facts(t).size; }

SINTER_API std::ostream& operator<<(std::ostream&, dtype);

}  // namespace sinter
