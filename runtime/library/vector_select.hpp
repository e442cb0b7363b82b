// Selecting keys: the smallest ones, those in the middle, without putting all in order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/library/vector_sort.hpp"

namespace sinter::runtime {

/// Of fewer keys all are as quickly sorted.
constexpr std::size_t least_selected_from = 1000;
/// How many keys `select_keys` takes for itself beside so many.
constexpr std::size_t room_to_select(std::size_t count) { return 2 * count; }

// The keys whose ranks are from `first` to before `end` come to their places, in order; lower ones before them and higher ones behind, in
// any order. Each goes through all keys once, and sorts few. Keys of 16 bits are as quickly sorted. Nothing is thrown.
void select_keys(std::uint32_t*, std::size_t count, std::size_t first, std::size_t end, std::uint32_t* room) noexcept;
void select_keys(std::uint64_t*, std::size_t count, std::size_t first, std::size_t end, std::uint64_t* room) noexcept;
void select_keys(placed_key*, std::size_t count, std::size_t first, std::size_t end, placed_key* room) noexcept;

}  // namespace sinter::runtime
