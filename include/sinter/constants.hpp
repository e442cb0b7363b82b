// NumPy's constants, as doubles: a number beside an array takes the array's dtype. inf, nan and e have no name here, since programs
// that say `using namespace sinter` have their own: INFINITY, NAN and std::numbers::e serve.
#pragma once

#include <sinter/detail/config.hpp>

namespace sinter {

inline constexpr double pi = 3.14159265358979323846;           ///< Source: numpy.pi.
inline constexpr double euler_gamma = 0.57721566490153286061;  ///< Source: numpy.euler_gamma.

}  // namespace sinter
