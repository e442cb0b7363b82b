// Sorting many short rows at once: each lane of a vector has a row, and all go through one network of comparisons.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "runtime/library/key_rule.hpp"

namespace sinter::runtime {

/// Bytes of the vectors, whatever the processor's are.
constexpr std::size_t lane_bytes = 64;
/// Rows that are sorted at once.
template <class K>
constexpr std::size_t lanes_of = lane_bytes / sizeof(K);
/// Of longer ones vectors would lie outside of the nearest cache.
constexpr std::size_t most_in_lanes = 512, most_in_lanes_with_places = most_in_lanes / 2;

/// Are they quicker here than rows one by one? Not on an x86 without AVX2, which compares 64-bit integers in many steps.
bool has_lanes();

/// How many parts of a row of so many elements are sorted as rows of their own, and then merged: a power of two.
constexpr std::size_t runs_of_row(std::size_t length) {
  return std::bit_ceil((length + most_in_lanes - 1) / most_in_lanes);
}
/// Are they quicker than rows one by one? Not where lanes are several of the processor's vectors.
bool merges_runs();
/// The longest rows of elements that `sort_rows` takes. Two of these fill the lanes, since runs of two rows are merged in turn.
template <class K>
std::size_t longest_row() {
  return merges_runs() ? lanes_of<K> / 2 * most_in_lanes : most_in_lanes;
}

// Rows of `length` keys, at most `most_in_lanes`, that lie beside each other: first those with which each row begins. At a multiple of
// `lane_bytes`. Nothing is thrown.
void sort_lanes(std::uint16_t*, std::size_t length) noexcept;
void sort_lanes(std::uint64_t*, std::size_t length) noexcept;

// Rows of elements that follow each other, and what is written of them: the elements in order, or their places, of which rows have at
// most `most_in_lanes_with_places`.
void sort_rows(const std::uint16_t* from, std::uint16_t* to, std::size_t rows, std::size_t length,
               const key_rule<std::uint16_t>&) noexcept;
void sort_rows(const std::uint32_t* from, std::uint32_t* to, std::size_t rows, std::size_t length,
               const key_rule<std::uint32_t>&) noexcept;
void sort_rows(const std::uint64_t* from, std::uint64_t* to, std::size_t rows, std::size_t length,
               const key_rule<std::uint64_t>&) noexcept;
void sort_rows(const std::uint64_t* from, std::int64_t* places, std::size_t rows, std::size_t length,
               const equal_rule<std::uint64_t>&) noexcept;

}  // namespace sinter::runtime
