// Floating numbers of 16 bits. They are for storing; arithmetic on them is float's.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <sinter/detail/config.hpp>

namespace sinter::detail {

/// A double as a float whose last bit is set where it is not exact: rounded again to fewer bits it gives what rounding once does.
constexpr float rounded_to_odd(double a) {
  const float near = static_cast<float>(a);
  if (a != a || static_cast<double>(near) == a) return near;
  auto bits = __builtin_bit_cast(std::uint32_t, near);
  const bool larger = a < 0 ? static_cast<double>(near) < a : static_cast<double>(near) > a;
  if (bits % 2 == 0) bits += larger ? -1u : 1u;
  return __builtin_bit_cast(float, bits);
}

/// A float as 16 bits of which `fraction` are its fraction, rounded to the nearest, halves to even.
template <int fraction>
constexpr std::uint16_t shortened(float a) {
  constexpr int dropped = 23 - fraction, exponent = 15 - fraction;
  constexpr std::uint32_t rebias = (127u - ((1u << (exponent - 1)) - 1)) << 23, infinity = ((1u << exponent) - 1)
                                                                                           << fraction;
  const auto all = __builtin_bit_cast(std::uint32_t, a);
  const std::uint32_t sign = all >> 16 & 0x8000, size = all & 0x7fffffff;
  if (size > 0x7f800000) return static_cast<std::uint16_t>(sign | infinity | 1u << (fraction - 1));
  int drop = dropped;
  std::uint32_t kept = size - rebias;
  if (rebias != 0 && size < rebias + (1u << 23)) {  // below the normal numbers
    drop += static_cast<int>((rebias >> 23) + 1 - (size >> 23));
    kept = drop > 24 ? 0 : (size & 0x7fffff) | 0x800000;
    drop = drop > 24 ? 1 : drop;
  }
  const std::uint32_t whole = kept >> drop, rest = kept & ((1u << drop) - 1), middle = 1u << (drop - 1);
  const std::uint32_t rounded = whole + (rest > middle || (rest == middle && whole % 2 == 1) ? 1 : 0);
  return static_cast<std::uint16_t>(sign | (rounded < infinity ? rounded : infinity));
}

template <int fraction>
constexpr float lengthened(std::uint16_t a) {
  constexpr int dropped = 23 - fraction, exponent = 15 - fraction;
  constexpr std::uint32_t bias = 127u - ((1u << (exponent - 1)) - 1), smallest = 1u << fraction;
  const std::uint32_t sign = static_cast<std::uint32_t>(a & 0x8000) << 16, size = a & 0x7fff;
  if (size >= ((1u << exponent) - 1) << fraction)
    return __builtin_bit_cast(float, sign | 0x7f800000 | (size << dropped & 0x7fffff));
  if (bias != 0 && size < smallest) {  // a multiple of the smallest number, which float has among its normal ones
    const float unit = __builtin_bit_cast(float, (bias + 1 - static_cast<std::uint32_t>(fraction)) << 23);
    const float value = static_cast<float>(size) * unit;
    return sign ? -value : value;
  }
  return __builtin_bit_cast(float, sign | ((size << dropped) + (bias << 23)));
}

/// A number of 16 bits, `fraction` of them its fraction. It is made of any number, rounded once, and is a float wherever it is
/// used.
template <int fraction>
struct short_floating {
  std::uint16_t bits = 0;

  short_floating() = default;
  constexpr short_floating(float a) : bits(shortened<fraction>(a)) {}
  constexpr short_floating(double a) : bits(shortened<fraction>(rounded_to_odd(a))) {}
  template <class N>
    requires std::is_integral_v<N>
  constexpr short_floating(N a) : short_floating(static_cast<double>(a)) {}
  constexpr operator float() const { return lengthened<fraction>(bits); }

  static constexpr short_floating from_bits(std::uint16_t bits) {
    short_floating made;
    made.bits = bits;
    return made;
  }
};

}  // namespace sinter::detail

/// What a program asks of NumPy's finfo.
template <int fraction>
class std::numeric_limits<sinter::detail::short_floating<fraction>> {
  using number = sinter::detail::short_floating<fraction>;
  static constexpr int exponent = 15 - fraction;
  static constexpr std::uint16_t infinite = ((1 << exponent) - 1) << fraction;

 public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false, is_iec559 = true;
  static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = false;
  static constexpr bool is_bounded = true, is_modulo = false, traps = false;
  static constexpr int radix = 2, digits = fraction + 1, digits10 = fraction * 301 / 1000,
                       max_digits10 = 2 + (fraction + 1) * 301 / 1000;
  static constexpr int max_exponent = 1 << (exponent - 1), min_exponent = 3 - max_exponent,
                       max_exponent10 = max_exponent * 301 / 1000, min_exponent10 = (min_exponent - 1) * 301 / 1000;
  static constexpr auto round_style = std::round_to_nearest;
  static constexpr number min() { return number::from_bits(1 << fraction); }
  static constexpr number max() { return number::from_bits(infinite - 1); }
  static constexpr number lowest() { return number::from_bits(0x8000 | (infinite - 1)); }
  static constexpr number epsilon() { return number(1.0f / (1 << fraction)); }
  static constexpr number round_error() { return number(0.5f); }
  static constexpr number infinity() { return number::from_bits(infinite); }
  static constexpr number quiet_NaN() { return number::from_bits(infinite | 1 << (fraction - 1)); }
  static constexpr number denorm_min() { return number::from_bits(1); }
};
