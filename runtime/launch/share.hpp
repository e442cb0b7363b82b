// Arithmetic of sharing kernels out.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "codegen/source/geometry.hpp"
#include "runtime/launch/bind.hpp"

namespace sinter::runtime {

inline std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
inline unsigned power_of_two(std::int64_t least, unsigned most) {
  return static_cast<unsigned>(std::bit_ceil(static_cast<std::uint64_t>(std::clamp<std::int64_t>(least, 1, most))));
}

inline std::int64_t extent(const binding& b, int from, int to) {
  std::int64_t product = 1;
  for (int d = from; d < to; ++d) product *= b.extents[d];
  return product;
}

/// Rows, or tiles of `tile` columns: what a core takes at a time.
inline std::int64_t cpu_groups(const binding& b, int tile) {
  if (!b.variant.columns) return b.kept;
  const int f = codegen::fastest_axis(b.variant);
  return divide_up(b.extents[f], tile) * extent(b, 0, f);
}

/// The lanes in which a core folds a row: enough additions under way, but not so many that there is more to do at the row's end
/// than in it. By the length alone, since the order of folding follows from it.
inline std::uint8_t cpu_lanes(std::int64_t length) { return length < 512 ? 16 : length < 2048 ? 32 : 64; }

}  // namespace sinter::runtime
