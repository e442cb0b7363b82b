// Numbers of things met before, found by a hash and a comparison.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sinter::codegen {

/// Spreads a few words over all bits of a hash.
constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t with) {
  hash = (hash ^ with) * 0x9E3779B97F4A7C15ull;
  return hash ^ hash >> 32;
}

/// Open addressing over a power of two. Emptying it counts up an epoch, so that a table which is used in every evaluation
/// costs nothing there.
class number_table {
 public:
  void clear() {
    if (++epoch_ == 0) slots_.assign(slots_.size(), {}), epoch_ = 1;
    used_ = 0;
  }

  /// The number of the thing for which `same(number)` holds; -1 where there is none.
  template <class Same>
  int find(std::uint64_t hash, Same same) const {
    for (std::size_t i = hash;; ++i) {
      const slot& s = slots_[i & (slots_.size() - 1)];
      if (s.epoch != epoch_) return -1;
      if (s.hash == hash && same(s.number)) return static_cast<int>(s.number);
    }
  }

  /// Of a thing that is not there.
  void insert(std::uint64_t hash, std::size_t number) {
    if (++used_ * 2 > slots_.size()) grow();
    place({hash, epoch_, static_cast<unsigned>(number)});
  }

 private:
  struct slot {
    std::uint64_t hash = 0;
    unsigned epoch = 0;
    unsigned number = 0;
  };
  void place(const slot& s) {
    std::size_t i = s.hash;
    while (slots_[i & (slots_.size() - 1)].epoch == epoch_) ++i;
    slots_[i & (slots_.size() - 1)] = s;
  }
  void grow() {
    std::vector<slot> before(slots_.size() * 2);
    before.swap(slots_);
    for (const slot& s : before)
      if (s.epoch == epoch_) place(s);
  }
  std::vector<slot> slots_ = std::vector<slot>(64);
  unsigned epoch_ = 1;
  std::size_t used_ = 0;
};

}  // namespace sinter::codegen
