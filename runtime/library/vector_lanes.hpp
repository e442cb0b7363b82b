// Sorting many short rows at once: each lane of a vector has a row, and all go through one network of comparisons.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/library/key_rule.hpp"

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
void sort_lanes(std::uint64_t*, std::size_t length) noexcept;

// Rows of elements that follow each other, and what is written of them: the elements in order, or their places.
void sort_rows(const std::uint16_t* from, std::uint16_t* to, std::size_t rows, std::size_t length,
               const key_rule<std::uint16_t>&) noexcept;
void sort_rows(const std::uint32_t* from, std::uint32_t* to, std::size_t rows, std::size_t length,
               const key_rule<std::uint32_t>&) noexcept;
void sort_rows(const std::uint64_t* from, std::uint64_t* to, std::size_t rows, std::size_t length,
               const key_rule<std::uint64_t>&) noexcept;
void sort_rows(const std::uint64_t* from, std::int64_t* places, std::size_t rows, std::size_t length,
               const equal_rule<std::uint64_t>&) noexcept;

}  // namespace sinter::runtime
