// The C++ type of a dtype's elements, for loops that run on the host: each function calls `f(std::type_identity<T>{})`.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <sinter/dtype.hpp>

namespace sinter::runtime {

/// Of integers; bool is std::uint8_t.
template <class F>
auto with_integer(dtype t, F&& f) {
  switch (t) {
    case dtype::bool_:
    case dtype::uint8: return f(std::type_identity<std::uint8_t>{});
    case dtype::int8: return f(std::type_identity<std::int8_t>{});
    case dtype::uint16: return f(std::type_identity<std::uint16_t>{});
    case dtype::int16: return f(std::type_identity<std::int16_t>{});
    case dtype::uint32: return f(std::type_identity<std::uint32_t>{});
    case dtype::int32: return f(std::type_identity<std::int32_t>{});
    case dtype::uint64: return f(std::type_identity<std::uint64_t>{});
    default: return f(std::type_identity<std::int64_t>{});
  }
}

/// Of those, float and double.
template <class F>
auto with_real(dtype t, F&& f) {
  if (t == dtype::float32) return f(std::type_identity<float>{});
  if (t == dtype::float64) return f(std::type_identity<double>{});
  return with_integer(t, std::forward<F>(f));
}

/// Of what BLAS and LAPACK compute in: float, double and their complex numbers.
template <class F>
auto with_inexact(dtype t, F&& f) {
  switch (t) {
    case dtype::float32: return f(std::type_identity<float>{});
    case dtype::float64: return f(std::type_identity<double>{});
    case dtype::complex64: return f(std::type_identity<std::complex<float>>{});
    default: return f(std::type_identity<std::complex<double>>{});
  }
}

/// Of all but the two short floats; bool is bool, whose sums are unions.
template <class F>
auto with_number(dtype t, F&& f) {
  if (t == dtype::bool_) return f(std::type_identity<bool>{});
  if (t == dtype::complex64 || t == dtype::complex128) return with_inexact(t, std::forward<F>(f));
  return with_real(t, std::forward<F>(f));
}

}  // namespace sinter::runtime
