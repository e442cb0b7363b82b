// One element as another type: what a cast gives. Scalars are converted with it when they are captured; the interpreter runs
// it, and generated code is held to it.
#pragma once

#include <limits>
#include <type_traits>

namespace sinter::detail {

/// Real to integer drops the fraction and is held between the integer's ends, NaN giving 0, where C leaves the result open and
/// devices differ; integers wrap; anything to bool asks whether it is other than 0.
template <class To, class From>
constexpr To cast_element(From a) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && !std::is_same_v<To, bool>) {
    constexpr To lowest = std::numeric_limits<To>::min(), highest = std::numeric_limits<To>::max();
    constexpr From beyond = From(highest / 2 + 1) * 2;  // a power of two: exact, unlike `highest`
    return a >= beyond ? highest : a > From(lowest) ? static_cast<To>(a) : a == a ? lowest : To(0);
  } else {
    return static_cast<To>(a);
  }
}

}  // namespace sinter::detail
