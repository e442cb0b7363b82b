// The array nodes that look at a storage. A store asks which of them would see it, so each node that begins or ceases to look
// is entered here. That costs what counting costs: the count's sign bit is the lock of the list, which the only onlooker does
// without.
#pragma once

#include <sched.h>

#include "codegen/ir/node.hpp"
#include "runtime/frontend/onlookers.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::runtime {

/// Keeps a storage's list as it is until the end of the scope, in which nothing else is counted. From its first node on, a storage
/// is counted under this lock only, or in a section of the only onlooker.
class holders_lock {
 public:
  explicit holders_lock(detail::storage& of) noexcept : of_(of) {
    count_among_threads();
    for (int spins = 0;; ++spins) {
      count = __atomic_load_n(&of.references, __ATOMIC_RELAXED) & ~taken;
      int expected = count;
      if (__atomic_compare_exchange_n(&of.references, &expected, count | taken, true, __ATOMIC_ACQUIRE,
                                      __ATOMIC_RELAXED))
        return;
      if (spins > 100) sched_yield();
    }
  }
  holders_lock(const holders_lock&) = delete;
  holders_lock& operator=(const holders_lock&) = delete;
  // One store sets the count and opens the lock: once others can let go of the storage, nothing here touches it any more.
  ~holders_lock() { __atomic_store_n(&of_.references, count, __ATOMIC_RELEASE); }

  int count;  // what it is from the end of the scope on

 private:
  static constexpr int taken = ~0x7fffffff;
  detail::storage& of_;
};

inline int arrays_over(const detail::storage& memory) noexcept {
  return __atomic_load_n(&memory.references, __ATOMIC_ACQUIRE);
}

/// The first node over a new storage, whose reference it takes over.
inline void hold_first(detail::array_node& a, detail::storage& memory) noexcept {
  a.memory = &memory;
  a.newer = a.older = nullptr;
  memory.holders = &a;
}

/// Enters a node, and takes one out: for the thread that has the list to itself.
inline void enter(detail::array_node& a, detail::storage& memory) noexcept {
  a.newer = nullptr;
  a.older = memory.holders;
  a.older->newer = &a;
  memory.holders = &a;
}
inline void take_out(detail::array_node& a, detail::storage& memory) noexcept {
  (a.newer ? a.newer->older : memory.holders) = a.older;
  if (a.older) a.older->newer = a.newer;
}

void hold_among_threads(detail::array_node&, detail::storage&) noexcept;
/// True: it was the last.
bool let_go_among_threads(detail::array_node&, detail::storage&) noexcept;

/// One more node over a storage that has one; the node is complete but for the storage.
inline void hold(detail::array_node& a, detail::storage& memory) noexcept {
  a.memory = &memory;
  {
    const sole_section alone;
    if (alone) {
      enter(a, memory);
      return __atomic_store_n(&memory.references, arrays_over(memory) + 1, __ATOMIC_RELAXED);
    }
  }
  hold_among_threads(a, memory);
}

/// A node looks at its storage no more. The last one gives it up.
inline void let_go(detail::array_node& a) noexcept {
  detail::storage& memory = *a.memory;
  // A sole holder need not tell other threads, for none of them can begin to look. It saves a locked instruction.
  if (arrays_over(memory) == 1) return detail::release(&memory);
  {
    const sole_section alone;
    if (alone) {
      take_out(a, memory);
      return __atomic_store_n(&memory.references, arrays_over(memory) - 1, __ATOMIC_RELEASE);
    }
  }
  if (let_go_among_threads(a, memory)) detail::release(&memory);
}

}  // namespace sinter::runtime
