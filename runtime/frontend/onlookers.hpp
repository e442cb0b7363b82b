// Which threads use nodes: look at where arrays have their elements, and count references. While the calling thread is the only
// one, a store may have an array that others hold move its elements, and may write beside elements that others hold; and its
// counting takes no locked instruction (decisions 0017 and 0026).
#pragma once

#include <atomic>
#include <mutex>

namespace sinter::runtime {

/// What a thread knows of itself.
struct onlooker {
  std::atomic<bool> counts{false};  // as the only one, by plain loads and stores: it is in a section
  bool is_one = false;
  bool stays = false;   // one when it is gone, as far as is known: it never counts alone
  unsigned number = 0;  // no two threads ever have the same; 0: it has not been one yet
};
extern thread_local constinit onlooker this_onlooker;
void become_onlooker();

/// Before a thread reads a node's storage, offset or strides, or counts. Costs a load after the first time.
inline void look() {
  if (!this_onlooker.is_one) [[unlikely]]
    become_onlooker();
}

/// Until the end of the scope no other thread becomes an onlooker, if the calling thread is the only one. Scopes may nest.
class only_onlooker {
 public:
  only_onlooker();
  explicit operator bool() const noexcept { return door_.owns_lock(); }

 private:
  std::unique_lock<std::recursive_mutex> door_;
};

/// The thread that counts alone, as the only onlooker; null: there is none.
extern constinit std::atomic<onlooker*> sole_counter;

/// A few instructions in which the only onlooker counts by plain loads and stores. Another thread that becomes an onlooker waits
/// for their end, so nothing in them waits, calls a function of the program's or begins a section.
class sole_section {
 public:
  [[gnu::always_inline]] sole_section() noexcept {
    // The processor may do the load before this store. A thread that ends this one's being alone has the processors put such
    // things in order (end_being_alone), so that not both go on.
    this_onlooker.counts.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    alone_ = sole_counter.load(std::memory_order_relaxed) == &this_onlooker;
    if (!alone_) [[unlikely]]
      this_onlooker.counts.store(false, std::memory_order_relaxed);
  }
  sole_section(const sole_section&) = delete;
  sole_section& operator=(const sole_section&) = delete;
  [[gnu::always_inline]] ~sole_section() {
    if (alone_) [[likely]]
      this_onlooker.counts.store(false, std::memory_order_release);
  }
  explicit operator bool() const noexcept { return __builtin_expect(alone_, true); }

 private:
  bool alone_;
};

/// One onlooker is left, and counts among threads still.
extern constinit std::atomic<bool> may_count_alone;
void count_alone_again() noexcept;
/// Before a locked instruction counts. Where the other onlookers have gone, the calling thread's next counts are alone.
inline void count_among_threads() {
  look();
  if (may_count_alone.load(std::memory_order_relaxed)) [[unlikely]]
    count_alone_again();
}

}  // namespace sinter::runtime
