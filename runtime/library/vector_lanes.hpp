// Sorting many short rows at once: each lane of a vector has a row, and all go through one network of comparisons.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sinter::runtime {

/// Bytes of the vectors, whatever the processor's are.
constexpr std::size_t lane_bytes = 64;
/// Rows that are sorted at once.
template <class K>
constexpr std::size_t lanes_of = lane_bytes / sizeof(K);
/// Longer rows are as quickly sorted one by one.
constexpr std::size_t most_in_lanes = 256;

/// Are they quicker here than rows one by one? Not on an x86 without AVX2, which compares 64-bit integers in many steps.
bool has_lanes();

// Rows of `length` keys, at most `most_in_lanes`, that lie beside each other: first those with which each row begins. At a multiple of
// `lane_bytes`. Nothing is thrown.
void sort_lanes(std::uint16_t*, std::size_t length) noexcept;
void sort_lanes(std::uint32_t*, std::size_t length) noexcept;
void sort_lanes(std::uint64_t*, std::size_t length) noexcept;
/// With a place for each key, which decides between equal ones.
void sort_lanes(std::uint64_t* keys, std::uint64_t* places, std::size_t length) noexcept;

}  // namespace sinter::runtime
