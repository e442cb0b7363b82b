// What the tests of many random operations share: memory that is nothing but addresses, and cheap random numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/memory/pool.hpp"

namespace sinter::test {

/// A device's memory of so many units that are never touched: what a pool does with it is its own bookkeeping.
class address_space : public runtime::memory_source {
 public:
  static constexpr std::size_t unit = runtime::pool::unit;

  explicit address_space(std::size_t units) : taken_(units) {}

  std::byte* allocate(std::size_t size) override {
    const std::size_t n = size / unit;
    for (std::size_t tries = 0, at = next_; tries < 2; ++tries, at = 0)
      for (std::size_t run = 0; at < taken_.size(); ++at) {
        run = taken_[at] ? 0 : run + 1;
        if (run < n) continue;
        std::fill(taken_.begin() + static_cast<long>(at + 1 - n), taken_.begin() + static_cast<long>(at + 1), true);
        next_ = at + 1;
        return base() + (at + 1 - n) * unit;
      }
    return nullptr;
  }
  void release(std::byte* segment, std::size_t size) noexcept override {
    const auto at = static_cast<long>(first(segment));
    std::fill(taken_.begin() + at, taken_.begin() + at + static_cast<long>(size / unit), false);
  }

  static std::byte* base() { return reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40); }
  /// The units of a block: from first to first + count.
  static std::size_t first(const std::byte* block) { return static_cast<std::size_t>(block - base()) / unit; }
  static std::size_t count(std::size_t size) { return (size + unit - 1) / unit; }

 private:
  std::vector<bool> taken_;
  std::size_t next_ = 0;
};

/// xorshift: the random numbers shall not cost more than what they choose.
struct quick_random {
  std::uint64_t state;
  std::uint64_t operator()() {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
  }
};

}  // namespace sinter::test
