// One element as another type: what a cast gives. Scalars are converted with it when they are captured; the interpreter runs
// it, and generated code is held to it.
#pragma once

#include <limits>
#include <type_traits>

#include <sinter/dtype.hpp>

namespace sinter::detail {

/// Real to integer drops the fraction and is held between the integer's ends, NaN giving 0, where C leaves the result open and
/// devices differ; integers wrap; anything to bool asks whether it is other than 0. Complex to real drops the imaginary part.
template <class To, class From>
constexpr To cast_element(From a) {
  if constexpr (complex_number<From> && complex_number<To>) {
    using R = typename To::value_type;
    return To(static_cast<R>(a.real()), static_cast<R>(a.imag()));
  } else if constexpr (complex_number<From>) {
    if constexpr (std::is_same_v<To, bool>) return a.real() != 0 || a.imag() != 0;
    else return cast_element<To>(a.real());
  } else if constexpr (complex_number<To>) {
    return To(cast_element<typename To::value_type>(a));
  } else if constexpr (short_number<From>) {
    return cast_element<To>(static_cast<float>(a));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && !std::is_same_v<To, bool>) {
    constexpr To lowest = std::numeric_limits<To>::min(), highest = std::numeric_limits<To>::max();
    constexpr From beyond = From(highest / 2 + 1) * 2;  // a power of two: exact, unlike `highest`
    return a >= beyond ? highest : a > From(lowest) ? static_cast<To>(a) : a == a ? lowest : To(0);
  } else {
    return static_cast<To>(a);
  }
}

}  // namespace sinter::detail
