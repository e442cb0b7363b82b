// A network that sorts: comparisons and exchanges whose places do not depend on what is sorted.
#pragma once

#include <bit>
#include <cstddef>

namespace sinter::codegen {

/// Calls `exchange(i, j)` for places i < j whose elements are to be put in order, one pair after the other: then all are. Inlined,
/// to be compiled for each kind of processor. Source: Batcher's merge exchange; Knuth, The Art of Computer Programming 3, 5.2.2,
/// algorithm M.
template <class Exchange>
[[gnu::always_inline]] inline void merge_exchange(Exchange exchange, std::size_t length) {
  const std::size_t top = std::bit_ceil(length) / 2;
  for (std::size_t p = top; p > 0; p /= 2) {
    std::size_t side = 0, distance = p;
    for (std::size_t q = top;; q /= 2) {
      for (std::size_t i = side; i + distance < length; i += 2 * p)
        for (std::size_t k = i; k < i + p && k + distance < length; ++k) exchange(k, k + distance);
      if (q == p) break;
      distance = q - p, side = p;
    }
  }
}

}  // namespace sinter::codegen
