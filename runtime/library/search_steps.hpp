// The steps of searches in sorted arrays on a CPU: some values at once go through the same ones, so that none waits for another's loads;
// and through as few as the least and the largest of them leave: of values that rise, which most programs search for, next to none.
// Where those two are is found from where they were of the values before.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace sinter::runtime {

/// How many elements come before each of some values, or with `or_equal` do not come behind it.
template <class T, bool or_equal>
class searching {
 public:
  static constexpr int at_once = 64;  // values

  searching(const T* sorted, std::int64_t n) : sorted_(sorted), n_(n), numbers_(numbers()) {}

  /// Of `at_once` values.
  void find(const T* values, std::int64_t* counts) {
    bool has_nan = false;
    T least = values[0], most = values[0];
    for (int i = 0; i < at_once; ++i) {
      least = values[i] < least ? values[i] : least;
      most = values[i] > most ? values[i] : most;
      has_nan |= is_nan(values[i]);
    }
    if (has_nan) return find_each(values, counts, at_once);
    least_ = from(least_, least);
    most_ = from(std::max(least_, most_), most);
    find_between(least_, most_, values, counts);
  }
  /// The same of fewer, or of some that are NaN.
  void find_each(const T* values, std::int64_t* counts, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (is_nan(values[i])) counts[i] = or_equal ? n_ : numbers_;
      else counts[i] = least_ = from(least_, values[i]);
    }
  }

 private:
  static bool is_nan(T x) {
    if constexpr (std::is_floating_point_v<T>) return x != x;
    return false;
  }
  static bool passes(T element, T value) { return or_equal ? !(value < element) : element < value; }

  // Those before the first NaN, which come last.
  std::int64_t numbers() const {
    if (n_ == 0 || !is_nan(sorted_[n_ - 1])) return n_;
    return std::partition_point(sorted_, sorted_ + n_, [](T x) { return !is_nan(x); }) - sorted_;
  }

  // A search that begins at a place, with steps that double.
  std::int64_t from(std::int64_t place, T value) const {
    std::int64_t low = 0, high = numbers_;
    if (place < numbers_ && passes(sorted_[place], value)) {
      low = place + 1;
      for (std::int64_t by = 1; low + by <= numbers_; by *= 2) {
        if (!passes(sorted_[low + by - 1], value)) {
          high = low + by - 1;
          break;
        }
        low += by;
      }
    } else {
      high = place;
      for (std::int64_t by = 1; by <= high; by *= 2) {
        if (passes(sorted_[high - by], value)) {
          low = high - by + 1;
          break;
        }
        high -= by;
      }
    }
    return std::partition_point(sorted_ + low, sorted_ + high, [&](T x) { return passes(x, value); }) - sorted_;
  }

  // All counts lie from `low` to `high`. No step depends on a comparison: that would be guessed wrong half of the time.
  void find_between(std::int64_t low, std::int64_t high, const T* values, std::int64_t* counts) const {
    std::fill_n(counts, at_once, low);
    if (low >= high) return;  // above it only where nothing is sorted
    for (std::int64_t left = high - low, half; left > 1; left -= half) {
      half = left / 2;
      const T* const at = sorted_ + half - 1;
      for (int i = 0; i < at_once; ++i) counts[i] += half & -std::int64_t{passes(at[counts[i]], values[i])};
    }
    for (int i = 0; i < at_once; ++i) counts[i] += passes(sorted_[counts[i]], values[i]);
  }

  const T* const sorted_;
  const std::int64_t n_, numbers_;
  std::int64_t least_ = 0, most_ = 0;
};

}  // namespace sinter::runtime
