// Sorting keys with vectors, by Highway's vqsort where it is there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sinter::runtime {

/// A key of 64 bits and where it comes from: sorted by the key, and then by the place. As Highway has them.
struct alignas(16) placed_key {
  std::uint64_t place, key;
  friend bool operator<(const placed_key& a, const placed_key& b) {
    return a.key < b.key || (a.key == b.key && a.place < b.place);
  }
};

/// Opens Highway, once. False: it is not there, and sorts are std::sort's. Errors: `device_error` where it is there and cannot be opened.
bool find_vector_sort();

/// Are keys in order? What is takes a look, which ends soon where it is not: blocks of keys, as a loop that may end anywhere waits for
/// each.
template <class K>
bool rises(const K* keys, std::size_t count) {
  constexpr std::size_t block = 64;
  for (std::size_t i = 1; i < count;) {
    bool falls = false;
    for (const std::size_t end = std::min(i + block, count); i < end; ++i) falls |= keys[i] < keys[i - 1];
    if (falls) return false;
  }
  return true;
}

/// Of so many keys each one's place is counted, which no processor has to guess.
constexpr std::size_t most_counted = 24;

// Rising, with whatever has been found by then. Nothing is thrown.
void sort_keys(std::uint16_t*, std::size_t count) noexcept;
void sort_keys(std::uint32_t*, std::size_t count) noexcept;
void sort_keys(std::uint64_t*, std::size_t count) noexcept;
void sort_keys(placed_key*, std::size_t count) noexcept;

}  // namespace sinter::runtime
