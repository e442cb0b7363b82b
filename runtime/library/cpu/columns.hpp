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

/// Turns a block over, as many rows and columns as a vector of 16 bytes has elements: element by element is two to three times as slow.
template <class T>
void turn_block(const T* from, std::int64_t from_down, T* to, std::int64_t to_across) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
  if constexpr (sizeof(T) == 4) {
    typedef float four __attribute__((vector_size(16), aligned(4), may_alias));
    const auto row = [&](std::int64_t r) { return *reinterpret_cast<const four*>(from + r * from_down); };
    const four a = row(0), b = row(1), c = row(2), d = row(3);
    const four low = __builtin_shufflevector(a, b, 0, 4, 1, 5), high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const four under = __builtin_shufflevector(c, d, 0, 4, 1, 5), over = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const auto column = [&](std::int64_t k, four v) { *reinterpret_cast<four*>(to + k * to_across) = v; };
    column(0, __builtin_shufflevector(low, under, 0, 1, 4, 5)),
        column(1, __builtin_shufflevector(low, under, 2, 3, 6, 7));
    column(2, __builtin_shufflevector(high, over, 0, 1, 4, 5)),
        column(3, __builtin_shufflevector(high, over, 2, 3, 6, 7));
  } else if constexpr (sizeof(T) == 8) {
    typedef double two __attribute__((vector_size(16), aligned(4), may_alias));
    const two a = *reinterpret_cast<const two*>(from), b = *reinterpret_cast<const two*>(from + from_down);
    *reinterpret_cast<two*>(to) = __builtin_shufflevector(a, b, 0, 2);
    *reinterpret_cast<two*>(to + to_across) = __builtin_shufflevector(a, b, 1, 3);
  } else {
    *to = *from;
  }
}

/// Turns `rows` x `columns` elements over, each row of them and each column of the result without gaps. By a tile that is near at
/// hand, since lines that lie a power of two apart would push each other out of the cache.
template <class T>
void copy_turned(const T* from, std::int64_t from_down, T* to, std::int64_t to_across, std::int64_t rows,
                 std::int64_t columns) {
  constexpr std::int64_t tile = place_tile, block = sizeof(T) < 16 ? 16 / sizeof(T) : 1;
  alignas(64) T kept[tile][tile];
  for (std::int64_t r0 = 0; r0 < rows; r0 += tile)
    for (std::int64_t c0 = 0; c0 < columns; c0 += tile) {
      const T* const first = from + r0 * from_down + c0;
      T* const made = to + c0 * to_across + r0;
      const std::int64_t high = std::min(tile, rows - r0), wide = std::min(tile, columns - c0);
      if (high == tile && wide == tile) {
        for (std::int64_t r = 0; r < tile; r += block)
          for (std::int64_t c = 0; c < tile; c += block)
            turn_block(first + r * from_down + c, from_down, &kept[c][r], tile);
        for (std::int64_t c = 0; c < tile; ++c) std::copy_n(kept[c], tile, made + c * to_across);
      } else {
        for (std::int64_t r = 0; r < high; ++r)
          for (std::int64_t c = 0; c < wide; ++c) kept[c][r] = first[r * from_down + c];
        for (std::int64_t c = 0; c < wide; ++c) std::copy_n(kept[c], high, made + c * to_across);
      }
    }
}

/// Copies `rows` x `columns` elements between any layouts.
template <class T>
void copy_places(const T* from, std::int64_t from_down, std::int64_t from_across, T* to, std::int64_t to_down,
                 std::int64_t to_across, std::int64_t rows, std::int64_t columns) {
  if (from_down == 1 && to_down == 1)
    for (std::int64_t c = 0; c < columns; ++c) std::copy_n(from + c * from_across, rows, to + c * to_across);
  else if (rows > 1 && columns > 1 && from_across == 1 && to_down == 1)
    copy_turned(from, from_down, to, to_across, rows, columns);
  else if (rows > 1 && columns > 1 && from_down == 1 && to_across == 1)
    copy_turned(from, from_across, to, to_down, columns, rows);
  else
    for_places(rows, columns, [&](std::int64_t r, std::int64_t c) {
      to[r * to_down + c * to_across] = from[r * from_down + c * from_across];
    });
}

}  // namespace sinter::runtime
