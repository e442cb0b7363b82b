// The value of each operation for one element, in plain C++: what the interpreter runs and what every device is held
// to. ops.def names these functions in its interpreter column. Invariant: NumPy 2's values for every input, and no
// undefined behaviour for any (integer overflow wraps, nothing traps).
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <sinter/detail/cast.hpp>

#include "codegen/ir/special.hpp"

namespace sinter::codegen::scalar {

template <class T>
inline constexpr bool real = std::is_floating_point_v<T>;

/// Where integers are computed so that overflow wraps: unsigned, and never narrower than int, because narrower operands
/// are promoted to (signed) int and the product of two uint16 overflows that.
template <class T>
using modular = std::conditional_t<(sizeof(T) <= 4), std::uint32_t, std::uint64_t>;

/// f(a, b), wrapping round where integers overflow. For bool: is the sum, product... other than 0?
template <class T, class F>
constexpr T wrap(T a, T b, F f) {
  if constexpr (real<T>) return f(a, b);
  else return static_cast<T>(f(static_cast<modular<T>>(a), static_cast<modular<T>>(b)));
}

/// |a| of an integer as an unsigned number, which holds that of the lowest one too.
template <class T>
constexpr modular<T> magnitude(T a) {
  const auto u = static_cast<modular<T>>(a);
  return a < T(0) ? 0 - u : u;
}

template <class T>
constexpr T negative(T a) {
  if constexpr (real<T>) return -a;
  else return static_cast<T>(0 - static_cast<modular<T>>(a));
}

/// |a|; the lowest integer has no counterpart and stays itself.
template <class T>
T absolute(T a) {
  if constexpr (real<T>) return std::fabs(a);
  else return static_cast<T>(magnitude(a));
}

/// 1 / a; integers give 1, -1 or 0. Of the integer 0 it is 0, as every division by it (NumPy's value depends on the
/// width).
template <class T>
constexpr T reciprocal(T a) {
  if constexpr (real<T>) return 1 / a;
  else return static_cast<T>((a == T(1)) - (a < T(0) && a == static_cast<T>(-1)));
}

/// -1, 0 or 1; NaN stays, and both zeros give +0.
template <class T>
constexpr T sign(T a) {
  if constexpr (real<T>) return a > 0 ? T(1) : a < 0 ? T(-1) : a == 0 ? T(0) : a;
  else return static_cast<T>((a > T(0)) - (a < T(0)));
}

/// The neighbour of a number of 16 bits towards another one, by their bits; `infinity` are its. Of equal ones the first, as NumPy's.
constexpr std::uint16_t next_of_16_bits(std::uint16_t a, std::uint16_t b, unsigned infinity) {
  const unsigned x = a & 0x7fffu, y = b & 0x7fffu;
  if (x > infinity || y > infinity) return x > infinity ? a : b;
  const int m = a & 0x8000u ? -static_cast<int>(x) : static_cast<int>(x);
  const int n = b & 0x8000u ? -static_cast<int>(y) : static_cast<int>(y);
  if (m == n) return a;
  if (m == 0) return static_cast<std::uint16_t>((b & 0x8000u) | 1u);
  return static_cast<std::uint16_t>((m < n) == (m > 0) ? a + 1 : a - 1);
}

template <class T>
constexpr T heaviside(T a, T b) {
  return a < 0 ? T(0) : a > 0 ? T(1) : a == 0 ? b : a;
}

// Division of integers. A divisor of 0 would trap, and so would the lowest number over -1: both are divided by 1
// instead, and the quotient is put right afterwards (the remainder, 0, already is).

template <class T>
constexpr bool minus_one(T b) {
  return b < T(0) && b == static_cast<T>(-1);
}

template <class T>
constexpr T safe_divisor(T b) {
  return b == T(0) || minus_one(b) ? T(1) : b;
}

/// Remainder with the sign of the dividend; integers modulo 0 give 0.
template <class T>
T fmod(T a, T b) {
  if constexpr (real<T>) return std::fmod(a, b);
  else return static_cast<T>(a % safe_divisor(b));
}

/// Remainder with the sign of the divisor, also where it is 0; integers modulo 0 give 0.
template <class T>
T remainder(T a, T b) {
  const T r = fmod(a, b);
  if constexpr (real<T>) {
    if (r == 0) return std::copysign(T(0), b);
    return (r < 0) != (b < 0) ? r + b : r;
  } else {
    return r != T(0) && (r < T(0)) != (b < T(0)) ? static_cast<T>(r + b) : r;
  }
}

/// The quotient made whole: a less its remainder is a multiple of b up to rounding, so the nearest whole number to that
/// quotient is meant, not its floor, unless rounding already made it whole.
template <class T>
T floor_divide_real(T a, T b) {
  if (b == 0) return a / b;
  const T r = std::fmod(a, b);
  T q = (a - r) / b;
  if (r != 0 && (r < 0) != (b < 0)) q -= 1;
  if (q == 0) return std::copysign(T(0), a / b);
  const T whole = std::floor(q);
  return q - whole > T(0.5) ? whole + 1 : whole;
}

/// The largest whole number not above a / b; integers over 0 give 0.
template <class T>
T floor_divide(T a, T b) {
  if constexpr (real<T>) {
    return floor_divide_real(a, b);
  } else {
    if (b == T(0)) return T(0);
    if (minus_one(b)) return negative(a);
    const T q = static_cast<T>(a / b), r = static_cast<T>(a % b);
    return static_cast<T>(q - (r != T(0) && (r < T(0)) != (b < T(0))));
  }
}

/// a to the b. Integers wrap; a negative power is 1 over the positive one made whole towards 0: 1, -1 or 0 (of 0: 0).
template <class T>
T power(T a, T b) {
  if constexpr (real<T>) {
    return std::pow(a, b);
  } else {
    if (b < T(0)) return a == T(1) ? T(1) : minus_one(a) ? static_cast<T>(b & 1 ? -1 : 1) : T(0);
    modular<T> result = 1, factor = static_cast<modular<T>>(a);
    for (auto n = static_cast<modular<T>>(b); n != 0; n >>= 1) {
      if (n & 1) result *= factor;
      factor *= factor;
    }
    return static_cast<T>(result);
  }
}

template <class T>
constexpr modular<T> gcd_of_magnitudes(T a, T b) {
  modular<T> x = magnitude(a), y = magnitude(b);
  while (y != 0) {
    const modular<T> r = x % y;
    x = y;
    y = r;
  }
  return x;
}

template <class T>
constexpr T gcd(T a, T b) {
  return static_cast<T>(gcd_of_magnitudes(a, b));
}

template <class T>
constexpr T lcm(T a, T b) {
  const modular<T> divisor = gcd_of_magnitudes(a, b);
  return divisor == 0 ? T(0) : static_cast<T>(magnitude(a) / divisor * magnitude(b));
}

// Extremes. Of two equal operands (zeros of either sign) the second, as NumPy's vector loops on x86 have it.

template <class T>
constexpr T maximum(T a, T b) {
  return a > b || a != a ? a : b;
}
template <class T>
constexpr T minimum(T a, T b) {
  return a < b || a != a ? a : b;
}

/// Of two elements and their positions, does the first stand in for the second? NaN wins; of equal ones the one before.
template <class T>
constexpr bool is_first_largest(T a, std::int64_t i, T b, std::int64_t j) {
  const bool both = a != a && b != b;
  return a == b || both ? i < j : a > b || a != a;
}
template <class T>
constexpr bool is_first_smallest(T a, std::int64_t i, T b, std::int64_t j) {
  const bool both = a != a && b != b;
  return a == b || both ? i < j : a < b || a != a;
}

template <class T>
constexpr T fmax(T a, T b) {
  return a > b || b != b ? a : b;
}
template <class T>
constexpr T fmin(T a, T b) {
  return a < b || b != b ? a : b;
}

// Bits

template <class T>
constexpr T invert(T a) {
  if constexpr (std::is_same_v<T, bool>) return !a;
  else return static_cast<T>(~a);
}

/// A count that is negative or not below the width shifts every bit out.
template <class T>
constexpr T left_shift(T a, T b) {
  const bool some_stay = static_cast<modular<T>>(b) < 8 * sizeof(T);
  return some_stay ? static_cast<T>(static_cast<modular<T>>(a) << b) : T(0);
}
template <class T>
constexpr T right_shift(T a, T b) {
  const bool some_stay = static_cast<modular<T>>(b) < 8 * sizeof(T);
  return some_stay ? static_cast<T>(a >> b) : static_cast<T>(a < T(0) ? -1 : 0);
}

/// How many bits of |a| are set.
template <class T>
constexpr int bit_count(T a) {
  return std::popcount(magnitude(a));
}

/// f(a) of real numbers; integers are whole already.
template <class T, class F>
constexpr T whole(T a, F f) {
  if constexpr (real<T>) return f(a);
  else return a;
}

// Compositions. The helpers of prelude.def have the same steps in the same order.

template <class T>
T logaddexp(T a, T b) {
  if (a == b) return a + T(0.69314718055994530942);  // also keeps infinities from becoming NaN
  return (a > b ? a : b) + std::log1p(std::exp(-std::fabs(a - b)));
}

template <class T>
T logaddexp2(T a, T b) {
  if (a == b) return a + 1;
  return (a > b ? a : b) + T(1.4426950408889634074) * std::log1p(std::exp2(-std::fabs(a - b)));
}

/// sin(pi a) / (pi a). The sine's argument is first brought into [-1/2, 1/2], exactly, so that whole numbers give 0 and
/// the neighbourhood of the zeros keeps its digits.
template <class T>
T sinc(T a) {
  const T pi = T(3.14159265358979323846);
  const T turn = a - 2 * std::nearbyint(a * T(0.5));
  const T near = std::fabs(turn) > T(0.5) ? std::copysign(T(1), turn) - turn : turn;
  return a == 0 ? T(1) : std::sin(pi * near) / (pi * a);
}

/// 10 to the a, which C++ does not have.
inline double exp10(double a) { return ::exp10(a); }
inline float exp10(float a) { return ::exp10f(a); }

/// log |gamma(a)|. The C library's lgamma also writes a global sign, which threads would race for.
inline double gammaln(double a) {
  int sign;
  return ::lgamma_r(a, &sign);
}
inline float gammaln(float a) {
  int sign;
  return ::lgammaf_r(a, &sign);
}

/// a times 2 to the b, rounded once.
template <class T>
T ldexp(T a, T b) {
  return b == b ? std::ldexp(a, static_cast<int>(b > 5000 ? 5000 : b < -5000 ? -5000 : b)) : b;
}
/// What frexp gives; of infinities and NaN themselves, and no power.
template <class T>
T frexp_mantissa(T a) {
  int power;
  return a - a == 0 ? std::frexp(a, &power) : a;
}
template <class T>
T frexp_exponent(T a) {
  int power = 0;
  if (a - a == 0) std::frexp(a, &power);
  return static_cast<T>(power);
}

template <class T>
std::complex<T> complex_of(T a, T b) {
  return {a, b};
}

// Looking at a number

/// The distance to the next value away from 0; of zeros the smallest there is.
template <class T>
T spacing(T a) {
  return std::nextafter(a, a < 0 ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity()) - a;
}

template <class T>
constexpr bool isnan(T a) {
  return a != a;
}
template <class T>
constexpr bool isinf(T a) {
  if constexpr (real<T>) return a == std::numeric_limits<T>::infinity() || a == -std::numeric_limits<T>::infinity();
  else return false;
}
template <class T>
constexpr bool isfinite(T a) {
  if constexpr (real<T>) return a - a == 0;
  else return true;
}
template <class T>
bool signbit(T a) {
  if constexpr (real<T>) return std::signbit(a);
  else return a < T(0);
}

using detail::cast_element;

}  // namespace sinter::codegen::scalar
