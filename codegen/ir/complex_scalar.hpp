// The value of each operation for one complex element, as scalar.hpp has those of real ones. Functions have the names of their rows
// in ops.def. Invariant: NumPy 2's values; those of functions are the C library's.
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

/// a over its size. Of infinite parts the other one counts as nothing, but two have no direction.
template <class C>
C sign(C a) {
  using R = part_of<C>;
  const bool wide = std::isinf(a.real()), high = std::isinf(a.imag());
  const R size = absolute(a), none = std::numeric_limits<R>::quiet_NaN();
  if (size == 0) return a;
  if (wide && high) return {none, none};
  return {wide   ? std::copysign(R(1), a.real())
          : high ? R(0)
                 : a.real() / size,
          high   ? std::copysign(R(1), a.imag())
          : wide ? R(0)
                 : a.imag() / size};
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

}  // namespace sinter::codegen::complex_scalar
