// The value of each operation for one complex element, as scalar.hpp has those of real ones. Functions have the names of their rows
// in ops.def. Invariant: NumPy 2's values, and where a formula of NumPy's loses digits more of them.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

namespace sinter::codegen::complex_scalar {

template <class C>
using part_of = typename C::value_type;

template <class C>
bool is_no_number(C a) {
  return std::isnan(a.real()) || std::isnan(a.imag());
}

// Arithmetic. Not the library's products and quotients, which put infinities right that NumPy leaves.

template <class C>
C add(C a, C b) {
  return {a.real() + b.real(), a.imag() + b.imag()};
}
template <class C>
C subtract(C a, C b) {
  return {a.real() - b.real(), a.imag() - b.imag()};
}
template <class C>
C multiply(C a, C b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
template <class C>
C divide(C a, C b) {
  using R = part_of<C>;
  const R x = std::fabs(b.real()), y = std::fabs(b.imag());
  if (x == 0 && y == 0) return {a.real() / x, a.imag() / x};
  if (x >= y) {
    const R ratio = b.imag() / b.real(), scale = 1 / (b.real() + b.imag() * ratio);
    return {(a.real() + a.imag() * ratio) * scale, (a.imag() - a.real() * ratio) * scale};
  }
  const R ratio = b.real() / b.imag(), scale = 1 / (b.imag() + b.real() * ratio);
  return {(a.real() * ratio + a.imag()) * scale, (a.imag() * ratio - a.real()) * scale};
}
template <class C>
C reciprocal(C a) {
  using R = part_of<C>;
  if (std::fabs(a.imag()) <= std::fabs(a.real())) {
    const R ratio = a.imag() / a.real(), scale = a.real() + a.imag() * ratio;
    return {1 / scale, -ratio / scale};
  }
  const R ratio = a.real() / a.imag(), scale = a.imag() + a.real() * ratio;
  return {ratio / scale, -1 / scale};
}
template <class C>
C negative(C a) {
  return {-a.real(), -a.imag()};
}
template <class C>
C positive(C a) {
  return a;
}
template <class C>
C square(C a) {
  return multiply(a, a);
}
template <class C>
part_of<C> absolute(C a) {
  return std::hypot(a.real(), a.imag());
}
template <class C>
part_of<C> real(C a) {
  return a.real();
}
template <class C>
part_of<C> imag(C a) {
  return a.imag();
}
template <class C>
C conjugate(C a) {
  return {a.real(), -a.imag()};
}
template <class C>
part_of<C> angle(C a) {
  return std::atan2(a.imag(), a.real());
}

/// a over its size. Of infinite parts the other one counts as nothing, but two have no direction, nor has one beside NaN.
template <class C>
C sign(C a) {
  using R = part_of<C>;
  const bool wide = std::isinf(a.real()), high = std::isinf(a.imag());
  const R by = std::fabs(a.real()) > 1 || std::fabs(a.imag()) > 1 ? R(0.5) : R(0x1p60);  // to no end of the range
  const R size = std::hypot(a.real() * by, a.imag() * by), none = std::numeric_limits<R>::quiet_NaN();
  if (size == 0) return C(0);
  if ((wide && high) || a != a) return {none, none};
  return {wide   ? std::copysign(R(1), a.real())
          : high ? R(0)
                 : a.real() * by / size,
          high   ? std::copysign(R(1), a.imag())
          : wide ? R(0)
                 : a.imag() * by / size};
}

// Order: by real parts, then by imaginary ones.

template <class C>
bool equal(C a, C b) {
  return a.real() == b.real() && a.imag() == b.imag();
}
template <class C>
bool not_equal(C a, C b) {
  return !equal(a, b);
}
template <class C>
bool less(C a, C b) {
  if (a.real() == b.real()) return a.imag() < b.imag();
  return a.real() < b.real() && !std::isnan(a.imag()) && !std::isnan(b.imag());
}
template <class C>
bool less_equal(C a, C b) {
  if (a.real() == b.real()) return a.imag() <= b.imag();
  return less(a, b);
}
template <class C>
bool greater(C a, C b) {
  return less(b, a);
}
template <class C>
bool greater_equal(C a, C b) {
  return less_equal(b, a);
}
template <class C>
C maximum(C a, C b) {
  return is_no_number(a) || (!is_no_number(b) && greater_equal(a, b)) ? a : b;
}
template <class C>
C minimum(C a, C b) {
  return is_no_number(a) || (!is_no_number(b) && less_equal(a, b)) ? a : b;
}
template <class C>
C fmax(C a, C b) {
  return is_no_number(b) || (!is_no_number(a) && greater_equal(a, b)) ? a : b;
}
template <class C>
C fmin(C a, C b) {
  return is_no_number(b) || (!is_no_number(a) && less_equal(a, b)) ? a : b;
}
template <class C>
C clip(C a, C low, C high) {
  return minimum(maximum(a, low), high);
}
template <class C>
bool is_first_largest(C a, std::int64_t i, C b, std::int64_t j) {
  if (equal(a, b) || (is_no_number(a) && is_no_number(b))) return i < j;
  return is_no_number(a) || (!is_no_number(b) && greater(a, b));
}
template <class C>
bool is_first_smallest(C a, std::int64_t i, C b, std::int64_t j) {
  if (equal(a, b) || (is_no_number(a) && is_no_number(b))) return i < j;
  return is_no_number(a) || (!is_no_number(b) && less(a, b));
}

template <class C>
bool truth(C a) {
  return a.real() != 0 || a.imag() != 0;
}
template <class C>
bool isnan(C a) {
  return is_no_number(a);
}
template <class C>
bool isinf(C a) {
  return std::isinf(a.real()) || std::isinf(a.imag());
}
template <class C>
bool isfinite(C a) {
  return std::isfinite(a.real()) && std::isfinite(a.imag());
}
template <class C>
C rint(C a) {
  return {std::nearbyint(a.real()), std::nearbyint(a.imag())};
}

// Functions are the C library's, and what it has not is made of them, in double.

#define SINTER_LIBRARY(name, function) \
  template <class C>                   \
  C name(C a) {                        \
    return std::function(a);           \
  }
SINTER_LIBRARY(exp, exp)
SINTER_LIBRARY(log, log)
SINTER_LIBRARY(sqrt, sqrt)
SINTER_LIBRARY(sin, sin)
SINTER_LIBRARY(cos, cos)
SINTER_LIBRARY(tan, tan)
SINTER_LIBRARY(arcsin, asin)
SINTER_LIBRARY(arccos, acos)
SINTER_LIBRARY(arctan, atan)
SINTER_LIBRARY(sinh, sinh)
SINTER_LIBRARY(cosh, cosh)
SINTER_LIBRARY(tanh, tanh)
SINTER_LIBRARY(arcsinh, asinh)
SINTER_LIBRARY(arccosh, acosh)
SINTER_LIBRARY(arctanh, atanh)
#undef SINTER_LIBRARY

using twice = std::complex<double>;

/// Each part times a real number: an infinite one makes none of the other.
inline twice scaled(twice a, double by) { return {a.real() * by, a.imag() * by}; }

template <class C>
C log2(C a) {
  return C(scaled(std::log(twice(a)), 1.4426950408889634074));
}
template <class C>
C log10(C a) {
  return C(scaled(std::log(twice(a)), 0.43429448190325182765));
}

/// Near 0 the size is that of a sum that has no 1 in it.
template <class C>
C log1p(C a) {
  const double x = a.real(), y = a.imag();
  const bool near = std::fabs(x) < 0.5 && std::fabs(y) < 0.5;
  const double size = near ? 0.5 * std::log1p(x * (2 + x) + y * y) : std::log(twice(1 + x, y)).real();
  return C(twice(size, std::atan2(y, 1 + x)));
}

/// e to the a, less one: far from 0 one of the two is all there is.
template <class C>
C expm1(C a) {
  const double x = a.real(), y = a.imag();
  if (std::fabs(x) > 40) return C(std::exp(twice(a)) - 1.0);
  const double half = std::sin(0.5 * y);
  return C(twice(std::expm1(x) * std::cos(y) - 2 * half * half, y == 0 ? y : std::exp(x) * std::sin(y)));
}

/// 2 to the a. The angle is a product in two numbers, but of so large ones that a period is lost in rounding.
template <class C>
C exp2(C a) {
  constexpr double unit = 0.69314718055994530942, more = 2.319046813846299558e-17;
  const double x = a.real(), y = a.imag(), angle = y * unit;
  const double left = std::fma(y, unit, -angle) + y * more, rest = std::fabs(left) < 0.0009765625 ? left : 0;
  if (y == 0) return C(twice(std::exp2(x), y));
  if (std::isinf(x) && !std::isfinite(y)) return C(std::exp(twice(x, y)));
  const double size = std::exp2(0.5 * x), cosine = std::cos(angle), sine = std::sin(angle);
  return C(twice(size * (cosine - rest * sine) * size, size * (sine + rest * cosine) * size));
}

/// sin(pi a) over pi a, the sine with the digits of a; 0 at whole numbers. Far from the real axis it is an exponential, in three factors
/// that are each within the range.
template <class C>
C sinc(C a) {
  constexpr double pi = 3.14159265358979323846, less = 1.2246467991473531772e-16, most = 1416;
  if (std::fabs(a.real()) + std::fabs(a.imag()) < 0x1p-30) return C(1, 0 - a.real() * a.imag());
  const double x = a.real(), y = pi * a.imag(), height = std::fabs(y), over = height - most;
  const bool far = height > 700, beyond = over > 0 && !std::isinf(a.imag());
  const double rest = beyond ? 0 : std::fma(pi, double(a.imag()), -y) + less * a.imag();
  const double turn = x - 2 * std::nearbyint(0.5 * x), size = std::fabs(turn);
  const double sine = std::sin(pi * (size > 0.5 ? std::copysign(1.0, turn) - turn : turn));
  const double cosine = std::sin(pi * (0.5 - size));
  const double again = far ? std::exp(0.5 * (beyond ? most : height)) : 1;
  const double last = beyond ? std::exp(over > 0.5 * most ? 0.5 * most : over) : 1;
  const double odd = far ? std::copysign(0.5 * again, y) : std::sinh(y), even = far ? 0.5 * again : std::cosh(y);
  const twice z = divide(twice(sine * (even + rest * odd), cosine * (odd + rest * even)), twice(a));
  return C(twice(z.real() / pi * again * last, z.imag() / pi * again * last));
}

/// The power of a whole number is made of products, as in NumPy; of zero it is zero where the exponent's real part is above zero.
template <class C>
C power(C a, C b) {
  using R = part_of<C>;
  constexpr R none = std::numeric_limits<R>::quiet_NaN();
  if (b == C(0)) return C(1);
  if (a == C(0)) return b.real() > 0 ? C(0) : C(none, none);
  if (b.imag() != 0 || !(std::fabs(b.real()) < 100) || std::nearbyint(b.real()) != b.real())
    return C(std::exp(multiply(twice(b), std::log(twice(a)))));
  auto n = static_cast<unsigned>(std::fabs(b.real()));
  C factor = a;
  for (; n % 2 == 0; n /= 2) factor = square(factor);
  C result = factor;
  for (n /= 2; n > 0; n /= 2) {
    factor = square(factor);
    if (n % 2 == 1) result = multiply(result, factor);
  }
  return b.real() < 0 ? divide(C(1), result) : result;
}

}  // namespace sinter::codegen::complex_scalar
