// Plans of Fourier transforms: how many a device keeps, and lengths that are fast. Not in sinter.hpp.
#pragma once

#include <cstdint>
#include <iosfwd>

#include <sinter/device.hpp>
#include <sinter/options.hpp>

namespace sinter::fft {

/// The plans that a device keeps for transforms to come: those used last. They hold no work areas, which come from the pool with each
/// call. Any thread may use it. Stream behaviour: nothing waits; a plan goes once its last transform is done. Source:
/// cupy.fft.config.get_plan_cache.
class plan_cache {
 public:
  /// Most plans, 64 unless said otherwise; -1: any number; 0: none is kept. Source: PlanCache.get_size, set_size.
  SINTER_API std::int64_t get_size() const;
  SINTER_API void set_size(detail::integer);
  /// Plans that are kept now. Source: PlanCache.get_curr_size.
  SINTER_API std::int64_t get_curr_size() const;
  /// Transforms that found a plan, and that had to make one, since the last `clear`.
  SINTER_API std::int64_t get_hits() const;
  SINTER_API std::int64_t get_misses() const;
  /// Source: PlanCache.clear.
  SINTER_API void clear();
  /// All of this as text. Source: PlanCache.show_info.
  friend std::ostream& operator<<(std::ostream&, const plan_cache&);

  /// Errors: `device_error` for a device that is not there.
  SINTER_API explicit plan_cache(device);

 private:
  void* plans_;
};
SINTER_API std::ostream& operator<<(std::ostream&, const plan_cache&);

namespace config {
inline plan_cache get_plan_cache(device of = device::current()) { return plan_cache(of); }
/// Source: cupy.fft.config.set_plan_cache_size, clear_plan_cache.
inline void set_plan_cache_size(sinter::detail::integer size, device of = device::current()) {
  plan_cache(of).set_size(size);
}
inline void clear_plan_cache(device of = device::current()) { plan_cache(of).clear(); }
}  // namespace config

/// The next length from n on that libraries transform fast: a product of 2, 3, 5, 7 and 11; `real`: of 2, 3 and 5. Errors:
/// `shape_error` below 1. Source: scipy.fft.next_fast_len.
SINTER_API std::int64_t next_fast_len(sinter::detail::integer n, bool real = false);

}  // namespace sinter::fft
