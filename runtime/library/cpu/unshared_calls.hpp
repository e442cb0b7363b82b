// Calls of OpenBLAS that it does not share out among its threads: of small matrices that takes ten times as long as the work, and more
// where several threads make such calls.
#pragma once

#include <mutex>

#include "runtime/library/cpu/lapack.hpp"

namespace sinter::runtime {

/// While there are any, every call of the process stays on its thread; the last one gives OpenBLAS back its threads. Any thread.
class unshared_calls {
 public:
  explicit unshared_calls(const lapack& by) : by_(by), can_(can_change(by)) {
    if (!can_) return;
    const std::lock_guard hold(counting());
    if (count()++ > 0) return;
    kept() = by_.threads();
    by_.set_threads(1);
  }
  ~unshared_calls() {
    if (!can_) return;
    const std::lock_guard hold(counting());
    if (--count() == 0) by_.set_threads(kept());
  }
  unshared_calls(const unshared_calls&) = delete;
  unshared_calls& operator=(const unshared_calls&) = delete;

 private:
  // With OpenMP a number that changes takes away what calls on other threads work in.
  static bool can_change(const lapack& by) { return by.threads && by.set_threads && by.parallel && by.parallel() == 1; }
  static std::mutex& counting() {
    static auto& one = *new std::mutex;
    return one;
  }
  static int& count() {
    static int of_all = 0;
    return of_all;
  }
  static int& kept() {
    static int before = 1;
    return before;
  }

  const lapack& by_;
  const bool can_;
};

}  // namespace sinter::runtime
