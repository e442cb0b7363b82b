// What the process has done so far, for counters() and for tests that assert on it. Each thread adds to numbers of its own,
// which costs an evaluation no locked instruction; a thread that reads adds them up.
#pragma once

#include <cstdint>

namespace sinter::runtime {

/// The things worth counting. Units: events, and bytes where the name says so.
enum class counter : unsigned {
  launches,         // kernels started on any device
  compiles,         // kernel texts compiled
  memory_hits,      // evaluations whose kernels were all at hand
  disk_hits,        // images found on disk
  bytes_allocated,  // asked of the pools for arrays
  bytes_copied,     // moved by copies: host to device, device to host, device to device
  library_calls,    // products, transforms, sorts
};
inline constexpr unsigned counter_kinds = 7;

/// One thread's numbers. Written by the thread, read by any.
struct thread_counters {
  std::uint64_t at[counter_kinds];
  thread_counters* next;  // among those of all threads
  bool listed;
};
extern thread_local constinit thread_counters counters_of_thread;

/// For a thread that is not listed: new, or at its end.
void bump_elsewhere(counter, std::uint64_t by) noexcept;

/// Adds to a counter. Any thread, any time.
inline void bump(counter c, std::uint64_t by = 1) noexcept {
  thread_counters& mine = counters_of_thread;
  if (!mine.listed) [[unlikely]]
    return bump_elsewhere(c, by);
  std::uint64_t& n = mine.at[static_cast<unsigned>(c)];
  __atomic_store_n(&n, n + by, __ATOMIC_RELAXED);
}

/// The sum over all threads there are and were.
std::uint64_t count_of(counter) noexcept;

}  // namespace sinter::runtime
