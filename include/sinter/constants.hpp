// NumPy's constants, as doubles: a number beside an array takes the array's dtype. e is exp(1), or std::numbers::e: one letter is a
// name that programs have for something else.
#pragma once

#include <sinter/detail/config.hpp>

namespace sinter {

inline constexpr double pi = 3.14159265358979323846;           ///< Source: numpy.pi.
inline constexpr double euler_gamma = 0.57721566490153286061;  ///< Source: numpy.euler_gamma.
inline constexpr double inf = __builtin_inf();                 ///< Source: numpy.inf.
inline constexpr double nan = __builtin_nan("");               ///< Source: numpy.nan.

}  // namespace sinter
