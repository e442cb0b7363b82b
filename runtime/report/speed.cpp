// What the host's memory gives, for the roofline: measured, since nobody states it.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <system_error>
#include <thread>

#include "runtime/device/device.hpp"
#include "runtime/report/record.hpp"

namespace sinter::runtime {
namespace {

constexpr std::size_t bytes = std::size_t{64} << 20;  // more than the caches of most processors have

/// Copies by as many threads as the device has; the best of a few times. Units: bytes read and written a second.
double copy_speed(int threads) {
  const std::unique_ptr<std::byte[]> from(new (std::nothrow) std::byte[bytes]), to(new (std::nothrow) std::byte[bytes]);
  if (!from || !to) return 0;
  std::memset(from.get(), 1, bytes);
  std::memset(to.get(), 1, bytes);
  const std::size_t share = bytes / static_cast<std::size_t>(threads);
  double best = 0;
  for (int turn = 0; turn < 4; ++turn) {
    const auto began = report_clock::now();
    std::vector<std::thread> others;
    for (int t = 1; t < threads; ++t) {
      const std::size_t at = static_cast<std::size_t>(t) * share;
      others.emplace_back([&, at] { std::memcpy(to.get() + at, from.get() + at, share); });
    }
    std::memcpy(to.get(), from.get(), share);
    for (std::thread& t : others) t.join();
    const double took = std::chrono::duration<double>(report_clock::now() - began).count();
    best = std::max(best, 2.0 * static_cast<double>(share) * threads / took);
  }
  return best;
}

}  // namespace

memory_speed speed_of(const device_impl& d) {
  if (d.stated_bandwidth() > 0) return {d.stated_bandwidth(), false};
  if (d.asynchronous()) return {};
  try {
    return {copy_speed(std::min(d.multiprocessors(), 64)), true};
  } catch (const std::system_error&) {
    return {copy_speed(1), true};  // no thread can be had
  }
}

}  // namespace sinter::runtime
