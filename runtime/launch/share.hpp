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

/// Columns that a core goes along side by side, each in an order of its own: the more, the longer are the pieces of memory that it
/// reads, but each thread should have some, and what they are folded into should stay near. A power of two, so that kernels are
/// few: the next one, where that is little more.
inline std::uint16_t cpu_columns(const binding& b, int threads, std::int64_t widest) {
  const std::int64_t wanted = std::min(b.kept / threads, b.extents[codegen::fastest_axis(b.variant)]);
  const auto across = static_cast<std::uint64_t>(std::clamp<std::int64_t>(wanted + wanted / 8, 64, widest));
  return static_cast<std::uint16_t>(std::bit_floor(across));
}

/// Rows of so few elements, one after the other in memory, gcc takes apart into vectors of neighbours, if the text names their length:
/// groups of powers of two, and of three. Others take longer than steps of any length do.
inline bool is_taken_apart(std::int64_t length) { return (length >= 1 && length <= 4) || length == 8; }

/// Does the order change what is folded? It does of sums and products that are rounded.
inline bool depends_on_order(const codegen::accumulator& a) {
  const bool rounds = a.what == detail::reduction::sum || a.what == detail::reduction::prod;
  return a.called || (rounds && detail::is_inexact(a.type));
}

/// The lanes in which a core folds a row: enough additions under way, but not so many that there is more to do at the row's end
/// than in it; of bytes, as a mask is, so many that they fill a vector, or gcc makes none. By the length and the dtypes that a kernel reads,
/// since the order of folding follows from it; in the strict mode by the length alone, where the order changes what is folded: there it is
/// to be the same whatever else is in the kernel.
inline std::uint8_t cpu_lanes(const codegen::kernel& k, const codegen::variant& v, std::int64_t length) {
  const auto is_byte = [](const codegen::input& i) { return i.is_element() && itemsize(i.type) == 1; };
  const bool may_be_wide = !v.in_order || std::none_of(k.accumulators.begin(), k.accumulators.end(), depends_on_order);
  const bool wide = may_be_wide && length > 16 && std::any_of(k.inputs.begin(), k.inputs.end(), is_byte);
  return length < 512 && !wide ? 16 : length < 2048 ? 32 : 64;
}

}  // namespace sinter::runtime
