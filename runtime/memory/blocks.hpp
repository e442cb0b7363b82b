// The pieces of a pool's bookkeeping: block records, arenas with an index of their free ones by size, a table of the
// used ones by address, and the lock over them. Only pool.cpp includes this. None of it lives in the memory it
// describes, which the host may be unable to touch.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <boost/intrusive/set.hpp>

namespace sinter::runtime {

inline constexpr std::size_t block_unit = 512;  // sizes are multiples of this

/// Held for some tens of nanoseconds, never across a call to the source. Waiters yield soon: the holder may be
/// descheduled.
class spin_lock {
 public:
  void lock() noexcept {
    for (int turns = 0; taken_.exchange(true, std::memory_order_acquire);)
      while (taken_.load(std::memory_order_relaxed))
        if (++turns % 32 == 0) std::this_thread::yield();
        else pause();
  }
  void unlock() noexcept { taken_.store(false, std::memory_order_release); }

 private:
  static void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  std::atomic<bool> taken_{false};
};

struct arena;

/// A piece of a segment. Neighbours by address are linked, so that a freed one finds those it merges with.
struct block : boost::intrusive::set_base_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>> {
  std::byte* data = nullptr;
  std::size_t size = 0;
  arena* home = nullptr;  // the same for all blocks of a segment
  block* left = nullptr;
  block* right = nullptr;
  block* next = nullptr;              // in its bin, or among the spare records
  block* previous = nullptr;          // in its bin
  block* next_segment = nullptr;      // from one segment's first block to another's: a first block stays one,
  block* previous_segment = nullptr;  // since merging keeps the record on the left
  bool free = false;                  // in the index
  bool parked = false;                // waiting to be handed out again as it is, see parking

  bool whole_segment() const { return !left && !right; }
};

struct by_size {
  bool operator()(const block& a, const block& b) const { return a.size != b.size ? a.size < b.size : a.data < b.data; }
};
struct size_below {
  bool operator()(const block& a, std::size_t size) const { return a.size < size; }
};

/// The free blocks: a stack for every size up to 2 MiB with a bitmap over the stacks, a tree above. Finding the
/// smallest block that fits is two bit scans below, O(log n) above.
class free_index {
 public:
  void insert(block& b) {
    b.free = true;
    bytes_ += b.size;
    ++count_;
    if (b.size > largest_bin) {
      large_.insert(b);
      return;
    }
    const std::size_t i = bin(b.size);
    b.previous = nullptr;
    b.next = bins_[i];
    if (b.next) b.next->previous = &b;
    bins_[i] = &b;
    words_[i / 64] |= bit(i);
    summary_ |= bit(i / 64);
  }

  void erase(block& b) {
    b.free = false;
    bytes_ -= b.size;
    --count_;
    if (b.size > largest_bin) {
      large_.erase(large_.iterator_to(b));
      return;
    }
    const std::size_t i = bin(b.size);
    (b.previous ? b.previous->next : bins_[i]) = b.next;
    if (b.next) b.next->previous = b.previous;
    if (bins_[i]) return;
    words_[i / 64] &= ~bit(i);
    if (!words_[i / 64]) summary_ &= ~bit(i / 64);
  }

  /// The smallest block of at least `size` bytes; the one freed last where several of up to 2 MiB are equal.
  block* find(std::size_t size) {
    if (size <= largest_bin) {
      const std::size_t i = bin(size);
      if (const std::uint64_t here = words_[i / 64] & (~std::uint64_t{0} << i % 64)) return first(i / 64, here);
      const std::uint64_t later = i / 64 == 63 ? 0 : summary_ & (~std::uint64_t{0} << (i / 64 + 1));
      if (later) return first(static_cast<std::size_t>(std::countr_zero(later)), words_[std::countr_zero(later)]);
    }
    const auto found = large_.lower_bound(size, size_below{});
    return found == large_.end() ? nullptr : &*found;
  }

  std::size_t largest() const {
    if (!large_.empty()) return large_.rbegin()->size;
    if (!summary_) return 0;
    const std::size_t word = std::bit_width(summary_) - 1;
    return (word * 64 + std::bit_width(words_[word])) * block_unit;
  }
  std::size_t bytes() const { return bytes_; }
  std::size_t count() const { return count_; }

 private:
  static constexpr std::size_t bins = 64 * 64;
  static constexpr std::size_t largest_bin = bins * block_unit;
  static std::size_t bin(std::size_t size) { return size / block_unit - 1; }
  static std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << i % 64; }
  block* first(std::size_t word, std::uint64_t bits) const {
    return bins_[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
  }

  boost::intrusive::set<block, boost::intrusive::compare<by_size>, boost::intrusive::constant_time_size<false>> large_;
  block* bins_[bins] = {};
  std::uint64_t words_[64] = {};
  std::uint64_t summary_ = 0;
  std::size_t bytes_ = 0;
  std::size_t count_ = 0;
};

/// The used blocks by address: open addressing, at most half full, no tombstones.
class block_table {
 public:
  block_table() : entries_(1024) {}

  /// Room for `count` more, so that insert cannot fail. Errors: std::bad_alloc.
  void reserve(std::size_t count) {
    if ((used_ + count) * 2 <= entries_.size()) return;
    block_table larger(entries_.size() * 2);
    for (const entry& e : entries_)
      if (e.key) larger.insert(*e.value);
    *this = std::move(larger);
  }

  void insert(block& b) noexcept {
    std::size_t i = home(b.data);
    while (entries_[i].key) i = next(i);
    entries_[i] = {b.data, &b};
    ++used_;
  }

  /// Null where the address is not in the table.
  block* find(const std::byte* key) const noexcept { return entries_[place(key)].value; }

  void erase(const std::byte* key) noexcept {
    close_gap(place(key));
    --used_;
  }

 private:
  struct entry {
    const std::byte* key = nullptr;
    block* value = nullptr;
  };

  explicit block_table(std::size_t size) : entries_(size) {}
  /// Where the key is, or the gap that ends its search.
  std::size_t place(const std::byte* key) const noexcept {
    std::size_t i = home(key);
    while (entries_[i].key && entries_[i].key != key) i = next(i);
    return i;
  }
  std::size_t next(std::size_t i) const { return (i + 1) & (entries_.size() - 1); }
  std::size_t home(const std::byte* key) const {
    const auto mixed = (reinterpret_cast<std::uintptr_t>(key) / block_unit) * 0x9E3779B97F4A7C15u;
    return (mixed >> 32) & (entries_.size() - 1);
  }
  /// Moves later entries of the run back where their search passes the gap.
  void close_gap(std::size_t gap) noexcept {
    const std::size_t mask = entries_.size() - 1;
    for (std::size_t i = next(gap); entries_[i].key; i = next(i)) {
      if (((i - home(entries_[i].key)) & mask) < ((i - gap) & mask)) continue;
      entries_[gap] = entries_[i];
      gap = i;
    }
    entries_[gap] = {};
  }

  std::vector<entry> entries_;
  std::size_t used_ = 0;
};

/// The blocks freed last, one for each size that comes by, uncut and unmerged: programs ask for the sizes they have
/// just freed, and cutting and merging is most of what an allocation costs. A function that must see them as free blocks
/// empties it first.
class parking {
 public:
  /// The block parked under exactly this size, out of its place; null where there is none.
  block* take(std::size_t size) noexcept {
    block*& here = place(size);
    if (!here || here->size != size) return nullptr;
    return leave(here);
  }
  /// Parks a block and returns the one that had to go for it, or null.
  block* put(block& b) noexcept {
    block*& here = place(b.size);
    block* before = here ? leave(here) : nullptr;
    here = &b;
    b.parked = true;
    bytes_ += b.size;
    return before;
  }
  /// Calls `out` with each block after it has left.
  template <class F>
  void empty(F out) {
    if (bytes_ == 0) return;
    for (block*& here : places_)
      if (here) out(*leave(here));
  }
  std::size_t bytes() const { return bytes_; }

 private:
  block*& place(std::size_t size) { return places_[(size / block_unit * 0x9E3779B97F4A7C15u) >> 59]; }
  block* leave(block*& here) noexcept {
    block* b = std::exchange(here, nullptr);
    b->parked = false;
    bytes_ -= b->size;
    return b;
  }

  block* places_[32] = {};
  std::size_t bytes_ = 0;
};

/// One stream's part of a pool: what was allocated for the stream and is free again.
struct arena {
  free_index cached;
  parking parked;

  std::size_t free_bytes() const { return cached.bytes() + parked.bytes(); }
};

/// Block records, made in slabs and used again; never given back before the pool goes.
class records {
 public:
  /// At least `count` spare ones, so that take cannot fail. Errors: std::bad_alloc.
  void reserve(std::size_t count) {
    if (spares_ >= count) return;
    slabs_.push_back(std::make_unique<block[]>(slab));
    for (std::size_t i = slab; i-- > 0;) put(slabs_.back()[i]);
  }
  block& take() noexcept {
    block& b = *spare_;
    spare_ = b.next;
    --spares_;
    return b;
  }
  void put(block& b) noexcept {
    b.left = b.right = b.previous = b.next_segment = b.previous_segment = nullptr;
    b.next = spare_;
    spare_ = &b;
    ++spares_;
  }

 private:
  static constexpr std::size_t slab = 128;
  std::vector<std::unique_ptr<block[]>> slabs_;
  block* spare_ = nullptr;
  std::size_t spares_ = 0;
};

}  // namespace sinter::runtime
