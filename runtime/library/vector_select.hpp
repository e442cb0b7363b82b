// Selecting elements by their keys: the smallest ones, those in the middle, without putting all in order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/library/key_rule.hpp"
#include "runtime/library/vector_sort.hpp"

namespace sinter::runtime {

/// Of fewer keys all are as quickly sorted, those with places sooner than others.
constexpr std::size_t least_selected_from = 513, least_places_selected_from = 1000;
/// How many keys `select_elements` takes for itself beside so many, and `select_places`.
constexpr std::size_t room_to_select(std::size_t count) { return 2 * count; }
constexpr std::size_t in_fours(std::size_t count) { return (count + 3) / 4 * 4; }
constexpr std::size_t room_to_select_places(std::size_t count) {
  return in_fours(count) + room_to_select(in_fours(count));
}

// The elements whose keys have the ranks from `first` to before `end` come to their places, in order; lower ones before them and
// higher ones behind, in any order. Most are looked at and moved once, and few sorted. Nothing is thrown.
void select_elements(const std::uint16_t* from, std::uint16_t* to, std::size_t count, std::size_t first,
                     std::size_t end, const key_rule<std::uint16_t>&, std::uint16_t* room) noexcept;
void select_elements(const std::uint32_t* from, std::uint32_t* to, std::size_t count, std::size_t first,
                     std::size_t end, const key_rule<std::uint32_t>&, std::uint32_t* room) noexcept;
void select_elements(const std::uint64_t* from, std::uint64_t* to, std::size_t count, std::size_t first,
                     std::size_t end, const key_rule<std::uint64_t>&, std::uint64_t* room) noexcept;

// Where the elements of those ranks come from: of equal ones the first is the lower. Fewer than an eighth of all ranks. The
// room is at a multiple of 16 bytes.
void select_places(const std::uint32_t* from, std::size_t count, std::size_t first, std::size_t end,
                   const equal_rule<std::uint32_t>&, std::uint32_t* room, std::int64_t* places) noexcept;
void select_places(const std::uint64_t* from, std::size_t count, std::size_t first, std::size_t end,
                   const equal_rule<std::uint64_t>&, std::uint64_t* room, std::int64_t* places) noexcept;

}  // namespace sinter::runtime
