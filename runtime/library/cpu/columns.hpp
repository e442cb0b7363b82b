// Matrices in columns, as LAPACK has them, in scratch memory, and the copies into them and out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <sinter/shape.hpp>

#include "runtime/library/solvers.hpp"

namespace sinter::runtime {

/// Scratch memory, handed out from one end. Without any it counts what is asked for.
class arena {
 public:
  explicit arena(std::byte* at) : at_(at) {}
  template <class T>
  T* take(std::int64_t count) {
    std::byte* const here = at_ ? at_ + used_ : nullptr;
    used_ += (static_cast<std::size_t>(std::max<std::int64_t>(count, 1)) * sizeof(T) + 63) / 64 * 64;
    return reinterpret_cast<T*>(here);
  }
  bool counts() const { return !at_; }
  std::size_t used() const { return used_; }

 private:
  std::byte* at_;
  std::size_t used_ = 0;
};

/// A matrix in columns, one after the other.
template <class T>
struct columns_of {
  T* at;
  std::int64_t rows, columns;
  std::int64_t leading() const { return std::max<std::int64_t>(rows, 1); }
  T& operator()(std::int64_t row, std::int64_t column) const { return at[column * leading() + row]; }
};
template <class T>
columns_of<T> take(arena& from, std::int64_t rows, std::int64_t columns) {
  return {from.take<T>(rows * columns), rows, columns};
}

/// The first element of a matrix of a batch.
template <class T>
T* place(const solver_array& a, const shape& batch, std::int64_t i) {
  T* at = reinterpret_cast<T*>(a.data);
  for (int d = batch.size() - 1; d >= 0; --d) {
    at += i % batch[d] * a.steps[d];
    i /= batch[d];
  }
  return at;
}

inline constexpr std::int64_t place_tile = 32;

/// Calls with every place of a matrix, in tiles, so that lines of both sides stay in the cache.
template <class F>
void for_places(std::int64_t rows, std::int64_t columns, F with) {
  constexpr std::int64_t tile = place_tile;
  for (std::int64_t c0 = 0; c0 < columns; c0 += tile)
    for (std::int64_t r0 = 0; r0 < rows; r0 += tile)
      for (std::int64_t c = c0, c1 = std::min(c0 + tile, columns); c < c1; ++c)
        for (std::int64_t r = r0, r1 = std::min(r0 + tile, rows); r < r1; ++r) with(r, c);
}

/// Copies `rows` x `columns` elements between any layouts.
template <class T>
void copy_places(const T* from, std::int64_t from_down, std::int64_t from_across, T* to, std::int64_t to_down,
                 std::int64_t to_across, std::int64_t rows, std::int64_t columns) {
  if (from_down == 1 && to_down == 1) {
    for (std::int64_t c = 0; c < columns; ++c) std::copy_n(from + c * from_across, rows, to + c * to_across);
    return;
  }
  if (rows == 1 || columns == 1 || (from_down == 1 ? to_across : from_across) != 1 ||
      (from_down != 1 && to_down != 1)) {
    for_places(rows, columns, [&](std::int64_t r, std::int64_t c) {
      to[r * to_down + c * to_across] = from[r * from_down + c * from_across];
    });
    return;
  }
  // Turned over: by a tile that is near at hand, since lines that lie a power of two apart would push each other out of the cache.
  if (from_down == 1) std::swap(rows, columns), std::swap(from_down, from_across), std::swap(to_down, to_across);
  constexpr std::int64_t tile = place_tile;
  T kept[tile][tile];
  for (std::int64_t r0 = 0; r0 < rows; r0 += tile)
    for (std::int64_t c0 = 0; c0 < columns; c0 += tile) {
      const std::int64_t high = std::min(tile, rows - r0), wide = std::min(tile, columns - c0);
      for (std::int64_t r = 0; r < high; ++r) {
        const T* const line = from + (r0 + r) * from_down + c0;
        for (std::int64_t c = 0; c < wide; ++c) kept[c][r] = line[c];
      }
      for (std::int64_t c = 0; c < wide; ++c) std::copy_n(kept[c], high, to + (c0 + c) * to_across + r0);
    }
}

}  // namespace sinter::runtime
