// How elements become keys, which unsigned integers order, and keys elements.
#pragma once

#include <cstdint>
#include <type_traits>

#include <sinter/dtype.hpp>

namespace sinter::runtime {

/// The bits of plus infinity.
template <class U>
U infinity_of(dtype floating) {
  switch (floating) {
    case dtype::float16: return static_cast<U>(0x7c00);
    case dtype::bfloat16: return static_cast<U>(0x7f80);
    case dtype::float32: return static_cast<U>(0x7f800000);
    default: return static_cast<U>(0x7ff0000000000000);
  }
}

/// What makes a key of the bits of an element of the size of `U`: what is turned round of negative numbers, and of all, what is
/// taken off, and what is turned round at last, for falling order. Without conditions, as vectors have it.
template <class U>
struct key_rule {
  static constexpr U sign = static_cast<U>(U{1} << (sizeof(U) * 8 - 1));

  U of_negative = 0, of_all = 0, lowest = 0, at_last = 0;

  key_rule() = default;  // keys of keys
  key_rule(dtype t, bool falling) : at_last(falling ? static_cast<U>(~U{0}) : U{0}) {
    if (!detail::is_floating(t) && !detail::facts(t).is_signed) return;
    of_all = sign;
    if (!detail::is_floating(t)) return;
    of_negative = static_cast<U>(~U{0});
    lowest = static_cast<U>(~(sign | infinity_of<U>(t)));  // minus infinity comes to 0
  }

  /// Of a negative number all bits, of others none.
  static constexpr U negative(U bits) {
    return static_cast<U>(static_cast<std::make_signed_t<U>>(bits) >> (sizeof(U) * 8 - 1));
  }

  /// Every number of bits has a key of its own: NaN of either sign comes behind plus infinity.
  U key(U bits) const {
    return static_cast<U>(((bits ^ ((negative(bits) & of_negative) | of_all)) - lowest) ^ at_last);
  }
  U bits(U key) const {
    const U turned = static_cast<U>((key ^ at_last) + lowest);
    return static_cast<U>(turned ^ ((~negative(turned) & of_negative) | of_all));
  }
};

/// Keys of which those of elements that compare equal are equal.
template <class U>
struct equal_rule {
  key_rule<U> whole;
  U minus_zero = 0, most = static_cast<U>(~U{0});  // whose magnitude is more is NaN

  equal_rule() = default;  // keys of keys
  equal_rule(dtype t, bool falling) : whole(t, falling) {
    if (detail::is_floating(t)) minus_zero = whole.sign, most = infinity_of<U>(t);
  }

  U key(U bits) const {
    const bool is_nan = static_cast<U>(bits & ~whole.sign) > most;
    const U k = whole.key(bits == minus_zero ? U{0} : bits);
    return is_nan ? static_cast<U>(~whole.at_last) : k;
  }
};

}  // namespace sinter::runtime
