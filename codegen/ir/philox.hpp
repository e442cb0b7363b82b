// Random numbers as functions of a counter, in plain C++: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as
// easy as 1, 2, 3; SC 2011), and what its words become. The helpers of prelude.def have the same steps.
//
// A block of four words is Philox of the counter (block, draw), 64 bits each, under the key `seed`. Element i of a draw takes,
// of 32 bits, word i % 4 of block i / 4; of 64 bits, half i % 2 of block i / 2. So four neighbours share a block, and no two
// draws of a generator do.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace sinter::codegen::scalar {

using philox_block = std::array<std::uint32_t, 4>;

constexpr philox_block philox(std::uint64_t block, std::uint64_t draw, std::uint64_t seed) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  philox_block c = {low(block), high(block), low(draw), high(draw)};
  std::uint32_t k0 = low(seed), k1 = high(seed);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p = c[0] * std::uint64_t{0xD2511F53}, q = c[2] * std::uint64_t{0xCD9E8D57};
    c = {high(q) ^ c[1] ^ k0, low(q), high(p) ^ c[3] ^ k1, low(p)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

constexpr std::uint32_t random_uint32(std::uint64_t i, std::uint64_t draw, std::uint64_t seed) {
  return philox(i / 4, draw, seed)[i % 4];
}
constexpr std::uint64_t random_uint64(std::uint64_t i, std::uint64_t draw, std::uint64_t seed) {
  const philox_block w = philox(i / 2, draw, seed);
  return std::uint64_t{w[i % 2 * 2 + 1]} << 32 | w[i % 2 * 2];
}

/// The upper bits, as many as the type has: every value is as likely as any other.
constexpr float random_float32(std::uint64_t i, std::uint64_t draw, std::uint64_t seed) {
  return static_cast<float>(random_uint32(i, draw, seed) >> 8) * 0x1p-24f;
}
constexpr double random_float64(std::uint64_t i, std::uint64_t draw, std::uint64_t seed) {
  return static_cast<double>(random_uint64(i, draw, seed) >> 11) * 0x1p-53;
}

// Box and Muller: two neighbours are the cosine and the sine of one angle, times one radius. The radius is of a number in
// (0, 1] with every bit of its word, so that the tail goes as far as the word does: to 6.7 and 9.5 deviations. The sine is the
// cosine a quarter of a turn on, which a whole number of 2^-32 or 2^-64 of a turn gives exactly.

inline float normal_float32(std::uint64_t i, std::uint64_t draw, std::uint64_t seed) {
  const philox_block w = philox(i / 4, draw, seed);
  const std::uint32_t a = w[i % 4 / 2 * 2], b = w[i % 4 / 2 * 2 + 1];
  const auto turn = static_cast<std::int32_t>(b - static_cast<std::uint32_t>(i % 2) * 0x40000000u);
  const float radius = std::sqrt(-2 * std::log(static_cast<float>(a) * 0x1p-32f + 0x1p-33f));
  return radius * std::cos(static_cast<float>(turn) * 1.46291807926715968e-9f);  // pi 2^-31
}
inline double normal_float64(std::uint64_t i, std::uint64_t draw, std::uint64_t seed) {
  const philox_block w = philox(i / 2, draw, seed);
  const std::uint64_t a = std::uint64_t{w[1]} << 32 | w[0], b = std::uint64_t{w[3]} << 32 | w[2];
  const auto turn = static_cast<std::int64_t>(b - i % 2 * 0x4000000000000000u);
  const double radius = std::sqrt(-2 * std::log(static_cast<double>(a) * 0x1p-64 + 0x1p-65));
  return radius * std::cos(static_cast<double>(turn) * 3.40612158008655459e-19);  // pi 2^-63
}

/// The upper 64 bits of a * b.
constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t low = 0xffffffff;
  const std::uint64_t middle = (a >> 32) * (b & low) + ((a & low) * (b & low) >> 32);
  const std::uint64_t other = (a & low) * (b >> 32) + (middle & low);
  return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
}

}  // namespace sinter::codegen::scalar
