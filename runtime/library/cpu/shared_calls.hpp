// Calls of OpenBLAS that it shares out among its threads, and whether that is worth it. The threads wait for each other by offering their
// core: where other programs want it, a call may take a hundred times as long as on one thread.
#pragma once

#include <time.h>

#include <atomic>
#include <cstdint>

namespace sinter::runtime {

/// A call that is shared out, and looked at: where all threads together got less than one core, cores are taken for a time. Any thread.
class shared_call {
 public:
  /// Did other programs have the cores lately? A call is better not shared out then.
  static bool cores_are_taken() { return now(CLOCK_MONOTONIC) < taken_until().load(std::memory_order_relaxed); }

  shared_call() : began_(now(CLOCK_MONOTONIC)), used_(now(CLOCK_PROCESS_CPUTIME_ID)) {}
  ~shared_call() {
    // Trying again costs a twentieth at most.
    constexpr std::int64_t times_as_long = 20;
    const std::int64_t ended = now(CLOCK_MONOTONIC), took = ended - began_;
    if (now(CLOCK_PROCESS_CPUTIME_ID) - used_ >= took) return;
    taken_until().store(ended + times_as_long * took, std::memory_order_relaxed);
  }
  shared_call(const shared_call&) = delete;
  shared_call& operator=(const shared_call&) = delete;

 private:
  static std::int64_t now(clockid_t of) {
    timespec t{};
    ::clock_gettime(of, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
  }
  static std::atomic<std::int64_t>& taken_until() {
    static std::atomic<std::int64_t> at{0};
    return at;
  }

  const std::int64_t began_, used_;  // nanoseconds
};

}  // namespace sinter::runtime
