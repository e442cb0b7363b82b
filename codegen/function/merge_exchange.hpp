// A network that sorts: comparisons and exchanges whose places do not depend on what is sorted.
#pragma once

#include <bit>
#include <cstddef>

namespace sinter::codegen {

/// Of pairs that are `distance` apart those that begin in each second stretch of `p` places: so many at once as the compiler knows.
template <std::size_t known, class Exchange>
[[gnu::always_inline]] inline void exchange_stretches(Exchange exchange, std::size_t side, std::size_t p,
                                                      std::size_t distance, std::size_t length) {
  const std::size_t whole = known > 0 ? known : p;
  std::size_t i = side;
  for (; i + whole + distance <= length; i += 2 * whole)
    for (std::size_t k = 0; k < whole; ++k) exchange(i + k, i + k + distance);
  for (; i + distance < length; ++i) exchange(i, i + distance);
}

/// Calls `exchange(i, j)` for places i < j whose elements are to be put in order, one pair after the other: then all are. Inlined,
/// to be compiled for each kind of processor. Source: Batcher's merge exchange; Knuth, The Art of Computer Programming 3, 5.2.2,
/// algorithm M.
template <class Exchange>
[[gnu::always_inline]] inline void merge_exchange(Exchange exchange, std::size_t length) {
  const std::size_t top = std::bit_ceil(length) / 2;
  for (std::size_t p = top; p > 0; p /= 2) {
    std::size_t side = 0, distance = p;
    for (std::size_t q = top;; q /= 2) {
      if (p == 1) exchange_stretches<1>(exchange, side, p, distance, length);
      else if (p == 2) exchange_stretches<2>(exchange, side, p, distance, length);
      else if (p == 4) exchange_stretches<4>(exchange, side, p, distance, length);
      else exchange_stretches<0>(exchange, side, p, distance, length);
      if (q == p) break;
      distance = q - p, side = p;
    }
  }
}

}  // namespace sinter::codegen
