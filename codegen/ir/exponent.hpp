// The classes of scalar exponents: which of them have kernels of their own. resolve.cpp writes them into the signature,
// decode.cpp reads them back, and pass/powers.cpp makes the cheap forms.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "codegen/ir/buffer.hpp"
#include "codegen/ir/node.hpp"

namespace sinter::codegen {

/// Twice an exponent's value, if its class has that one value: whole numbers from -3 to 8, and halves from -5/2 to 5/2.
struct exponent_class {
  static constexpr int lowest = -6, highest = 16, general = highest + 1, most_halves = 5;
  int twice = general;

  static exponent_class of(dtype t, detail::scalar_bits s) {
    if (t == dtype::float32) return of(static_cast<double>(s.as_float));
    if (t == dtype::float64) return of(s.as_double);
    if (detail::is_short_floating(t)) return of(static_cast<double>(lengthened(t, s)));
    if (t == dtype::complex64) return of_parts<float>(s);
    if (t == dtype::complex128) return of_parts<double>(s);
    if (!detail::facts(t).is_signed) return of(s.as_unsigned > highest ? 0.1 : static_cast<double>(s.as_unsigned));
    return of(static_cast<double>(s.as_signed));
  }

 private:
  static float lengthened(dtype t, const detail::scalar_bits& s) {
    const auto bits = static_cast<std::uint16_t>(s.as_unsigned);
    return t == dtype::float16 ? float(half::from_bits(bits)) : float(bfloat16::from_bits(bits));
  }
  template <class R>
  static exponent_class of_parts(const detail::scalar_bits& s) {
    R parts[2];
    std::memcpy(parts, s.bytes, sizeof parts);
    return parts[1] == 0 ? of(static_cast<double>(parts[0])) : exponent_class{};
  }
  static exponent_class of(double exponent) {
    const double twice = 2 * exponent;
    if (!(twice >= lowest && twice <= highest)) return {};
    const int whole = static_cast<int>(twice);
    return {whole == twice && (whole % 2 == 0 || std::abs(whole) <= most_halves) ? whole : general};
  }
};

/// The words that hold the classes of a fragment's scalar exponents, in the order of its code: a byte for each.
struct exponent_words {
  static int count(const detail::fragment& f) { return (f.scalar_powers + 7) / 8; }

  static void append(const detail::fragment& f, const detail::scalar_bits* scalars, buffer<std::uint64_t>& to) {
    const auto length = static_cast<std::size_t>(count(f));
    std::uint64_t* const words = to.add(length);
    std::fill(words, words + length, 0);
    std::size_t power = 0;
    for (int i = 0, scalar = 0; i < f.length; ++i) {
      if (f.code[i].code == detail::instruction::take_scalar) ++scalar;
      if (!detail::is_scalar_power(f.code, i)) continue;
      const int twice = exponent_class::of(f.code[i - 1].type, scalars[scalar - 1]).twice;
      words[power / 8] |= std::uint64_t(static_cast<unsigned>(twice - exponent_class::lowest)) << power % 8 * 8;
      ++power;
    }
  }

  static exponent_class at(const std::uint64_t* words, int power) {
    return {static_cast<int>(words[power / 8] >> power % 8 * 8 & 0xff) + exponent_class::lowest};
  }
};

}  // namespace sinter::codegen
