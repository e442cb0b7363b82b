// The rows of codegen/ir/special.def as templates: what the interpreter runs, and what plain numbers are given. The same
// text is in generated kernels, so that a function has one algorithm. Invariant: a template's T is float or double.
#pragma once

#include <math.h>  // the Bessel functions, which <cmath> does not promise

#include <cmath>
#include <initializer_list>
#include <type_traits>

namespace sinter::codegen::scalar {

namespace special {

// Before the rows, so that their unqualified calls are those of std for either type.
using std::atanh, std::copysign, std::cos, std::erfc, std::exp, std::expm1, std::fabs, std::floor, std::fma, std::log,
    std::log1p, std::pow, std::rint, std::sin, std::sqrt, std::tan, std::tgamma;

template <class T>
constexpr T polynomial(T x, std::initializer_list<T> numbers) {
  T r = 0;
  for (const T number : numbers) r = r * x + number;
  return r;
}

// The library's functions that rows are named as.
#define SINTER_OF_LIBRARY(name)                            \
  inline float name##_of(float x) { return ::name##f(x); } \
  inline double name##_of(double x) { return ::name(x); }
SINTER_OF_LIBRARY(j0)
SINTER_OF_LIBRARY(j1)
SINTER_OF_LIBRARY(y0)
SINTER_OF_LIBRARY(y1)
#undef SINTER_OF_LIBRARY

#define SINTER_NUMBERS(...) \
  { __VA_ARGS__ }
#define SINTER_POLYNOMIAL(name, single, twice)                                                  \
  template <class T>                                                                            \
  constexpr T name(T x) {                                                                       \
    if constexpr (std::is_same_v<T, float>) return polynomial<float>(x, SINTER_NUMBERS single); \
    else return polynomial<double>(x, SINTER_NUMBERS twice);                                    \
  }
#include "codegen/ir/special_series.def"
#undef SINTER_POLYNOMIAL
#undef SINTER_NUMBERS

#define SINTER_SPECIAL(name, parameters, ...) \
  template <class T>                          \
  T name parameters {                         \
    __VA_ARGS__                               \
  }
#include "codegen/ir/special.def"
#undef SINTER_SPECIAL

}  // namespace special

}  // namespace sinter::codegen::scalar
