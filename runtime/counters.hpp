// What the process has done so far, for counters() and for tests that assert on it. Every stage adds to its own field;
// nothing in the runtime reads them back, so relaxed order is enough.
#pragma once

#include <atomic>
#include <cstdint>

namespace sinter::runtime {

/// One number for each thing worth counting. Units: events, and bytes where the name says so.
struct live_counters {
  std::atomic<std::uint64_t> launches{0};         // kernels started on any device
  std::atomic<std::uint64_t> compiles{0};         // kernel texts compiled
  std::atomic<std::uint64_t> memory_hits{0};      // plans found in memory
  std::atomic<std::uint64_t> disk_hits{0};        // images found on disk
  std::atomic<std::uint64_t> bytes_allocated{0};  // asked of the pools for arrays
  std::atomic<std::uint64_t> bytes_copied{0};     // moved by copies: host to device, device to host, device to device
  std::atomic<std::uint64_t> library_calls{0};    // BLAS, FFT, sort, ...
};

extern constinit live_counters counters_now;

/// Adds to a counter. Any thread, any time.
inline void bump(std::atomic<std::uint64_t>& counter, std::uint64_t by = 1) noexcept {
  counter.fetch_add(by, std::memory_order_relaxed);
}

}  // namespace sinter::runtime
