// Sorting keys with vectors, by Highway's vqsort where it is there.
#pragma once

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

/// The sorts of one thread, with whatever has been found by then. Highway's memory is taken once for all of them: it takes longer than
/// to sort a short row. Nothing is thrown.
class key_sorter {
 public:
  key_sorter() noexcept;
  ~key_sorter();
  key_sorter(const key_sorter&) = delete;
  key_sorter& operator=(const key_sorter&) = delete;

  /// Rising.
  void sort(std::uint16_t*, std::size_t count) const noexcept;
  void sort(std::uint32_t*, std::size_t count) const noexcept;
  void sort(std::uint64_t*, std::size_t count) const noexcept;
  void sort(placed_key*, std::size_t count) const noexcept;

 private:
  const struct highway* library_;
  void* kept_ = nullptr;
};

}  // namespace sinter::runtime
