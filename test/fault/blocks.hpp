// The blocks that the library under test holds. A stand-in for a driver keeps books of its own, and so do thread pools: what
// they hold is no leak, so only blocks that were allocated for the library are entered here.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace fault {

/// A set of addresses in static memory: a replacement of malloc cannot ask for any. Threads may share it.
class block_set {
 public:
  void add(const void* block) noexcept {
    const hold_lock hold(busy_);
    if (count_ >= most) return;
    std::size_t at = home(block);
    while (slots_[at]) at = (at + 1) % slots;
    slots_[at] = block;
    ++count_;
  }

  /// Was it there?
  bool remove(const void* block) noexcept {
    const hold_lock hold(busy_);
    std::size_t at = home(block);
    while (slots_[at] && slots_[at] != block) at = (at + 1) % slots;
    if (!slots_[at]) return false;
    close_gap(at);
    --count_;
    return true;
  }

  long count() const noexcept { return static_cast<long>(count_); }

 private:
  static constexpr std::size_t slots = 1 << 19, most = slots / 2;

  struct hold_lock {
    explicit hold_lock(std::atomic_flag& f) noexcept : flag(f) {
      while (flag.test_and_set(std::memory_order_acquire)) {
      }
    }
    ~hold_lock() { flag.clear(std::memory_order_release); }
    hold_lock(const hold_lock&) = delete;
    hold_lock& operator=(const hold_lock&) = delete;
    std::atomic_flag& flag;
  };

  static std::size_t home(const void* block) noexcept {
    return (reinterpret_cast<std::uintptr_t>(block) >> 4) * 0x9E3779B97F4A7C15ull >> 45;
  }

  /// Moves what was put behind an address that is gone, so that it is found again.
  void close_gap(std::size_t gap) noexcept {
    for (std::size_t at = (gap + 1) % slots; slots_[at]; at = (at + 1) % slots) {
      const std::size_t from_home = (at - home(slots_[at])) % slots, from_gap = (at - gap) % slots;
      if (from_home < from_gap) continue;
      slots_[gap] = slots_[at];
      gap = at;
    }
    slots_[gap] = nullptr;
  }

  std::atomic_flag busy_;
  std::size_t count_ = 0;
  const void* slots_[slots] = {};
};

}  // namespace fault
