// The array nodes that look at a storage. A store asks which of them would see it, so each node that begins or ceases to look
// is entered here. That costs what counting costs: the count's sign bit is the lock of the list.
#pragma once

#include <sched.h>

#include "codegen/ir/node.hpp"

namespace sinter::runtime {

/// Keeps a storage's list as it is until the end of the scope. From its first node on, a storage is counted under this lock only.
class holders_lock {
 public:
  explicit holders_lock(detail::storage& of) noexcept : of_(of) {
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

/// The first node over a new storage, whose reference it takes over.
inline void hold_first(detail::array_node& a, detail::storage& memory) noexcept {
  a.memory = &memory;
  a.newer = a.older = nullptr;
  memory.holders = &a;
}

/// One more node over a storage that has one; the node is complete but for the storage.
inline void hold(detail::array_node& a, detail::storage& memory) noexcept {
  holders_lock list(memory);
  a.memory = &memory;
  a.newer = nullptr;
  a.older = memory.holders;
  a.older->newer = &a;
  memory.holders = &a;
  ++list.count;
}

/// A node looks at its storage no more. The last one gives it up.
inline void let_go(detail::array_node& a) noexcept {
  detail::storage& memory = *a.memory;
  // A sole holder need not tell other threads, for none of them can begin to look. It saves a locked instruction.
  if (__atomic_load_n(&memory.references, __ATOMIC_ACQUIRE) != 1) {
    holders_lock list(memory);
    if (list.count != 1) {
      (a.newer ? a.newer->older : memory.holders) = a.older;
      if (a.older) a.older->newer = a.newer;
      --list.count;
      return;
    }
  }
  detail::release(&memory);
}

}  // namespace sinter::runtime
