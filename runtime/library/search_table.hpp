// Places in sorted integers that lie near each other, for every number from the least to the largest: one load in place of a search.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sinter::runtime {

/// How many of the sorted elements come before each number.
template <class T>
class search_table {
 public:
  /// Can it be worth it? Few elements are found in few steps.
  static bool is_useful(std::int64_t n, std::int64_t values) { return n >= 16 && n <= most(values); }
  /// The memory of one for so many values that are searched for; more of them are worth a larger table.
  static std::size_t bytes(std::int64_t values) {
    return sizeof(head) + static_cast<std::size_t>(most(values) + 1) * sizeof(std::int32_t);
  }

  explicit search_table(std::byte* memory)
      : head_(reinterpret_cast<head*>(memory)), before_(reinterpret_cast<std::int32_t*>(head_ + 1)) {}

  /// Makes it of elements from which it is useful, if they lie near each other. Those that are not in order have none, as they could be
  /// outside of it.
  void fill(const T* sorted, std::int64_t n, std::int64_t values, bool or_equal) const {
    head_->is_made = false;
    head_->least = sorted[0], head_->largest = sorted[n - 1];
    if (head_->largest < head_->least || from_least(head_->largest) >= static_cast<std::uint64_t>(most(values))) return;
    head_->is_made = or_equal ? fill_up_to(sorted, n) : fill_below(sorted, n);
  }
  bool is_made() const { return head_->is_made; }
  /// The same as a search in `n` elements gives.
  std::int64_t before(T value, std::int64_t n) const {
    return value < head_->least ? 0 : value > head_->largest ? n : before_[from_least(value)];
  }

 private:
  struct head {
    alignas(8) T least;
    T largest;
    bool is_made;
  };

  static std::int64_t most(std::int64_t values) { return std::min<std::int64_t>(4 * values, 1 << 20); }
  std::uint64_t from_least(T value) const {
    return static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(head_->least);
  }

  // Each number from one element, without it, to the next one.
  bool fill_below(const T* sorted, std::int64_t n) const {
    before_[0] = 0;
    for (std::int64_t i = 1; i < n; ++i) {
      if (sorted[i] < sorted[i - 1] || sorted[i] > head_->largest) return false;
      std::fill(at(sorted[i - 1]) + 1, at(sorted[i]) + 1, static_cast<std::int32_t>(i));
    }
    return true;
  }
  bool fill_up_to(const T* sorted, std::int64_t n) const {
    for (std::int64_t i = 1; i < n; ++i) {
      if (sorted[i] < sorted[i - 1] || sorted[i] > head_->largest) return false;
      std::fill(at(sorted[i - 1]), at(sorted[i]), static_cast<std::int32_t>(i));
    }
    *at(head_->largest) = static_cast<std::int32_t>(n);
    return true;
  }
  std::int32_t* at(T value) const { return before_ + from_least(value); }

  head* const head_;
  std::int32_t* const before_;
};

}  // namespace sinter::runtime
