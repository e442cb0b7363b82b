#include "runtime/library/fft_plans.hpp"

#include <algorithm>
#include <bit>
#include <ostream>
#include <span>

#include <sinter/device.hpp>
#include <sinter/error.hpp>
#include <sinter/fft_plans.hpp>

#include "runtime/device/device.hpp"
#include "runtime/stream/order.hpp"

namespace sinter::runtime {

fft_plan_list& fft_plans_of(const device_impl& on) {
  static auto* const all = new fft_plan_list[most_devices];
  return all[on.index];
}

shared_plan fft_plan_list::find(const key& k) {
  plans gone;
  const std::lock_guard hold(changing_);
  gone = take_done();
  const auto at = places_.find(k);
  if (at == places_.end()) return ++misses_, nullptr;
  ++hits_;
  all_.splice(all_.begin(), all_, at->second);
  return at->second->plan;
}

shared_plan fft_plan_list::keep(const key& k, const shared_plan& made) {
  plans gone, fresh;
  fresh.push_front({k, made});
  const std::lock_guard hold(changing_);
  if (const auto [at, is_new] = places_.try_emplace(k, fresh.begin()); !is_new) return at->second->plan;
  all_.splice(all_.begin(), fresh);
  gone = leave_out();
  return made;
}

fft_plan_list::plans fft_plan_list::leave_out() {
  plans gone;
  while (size_ >= 0 && static_cast<std::int64_t>(all_.size()) > size_) {
    const auto last = std::prev(all_.end());
    places_.erase(last->of);
    plans& to = last->of.on ? leaving_ : gone;
    to.splice(to.end(), all_, last);
  }
  return gone;
}

fft_plan_list::plans fft_plan_list::take_done() {
  plans gone;
  for (auto at = leaving_.begin(); at != leaving_.end();) {
    const auto next = std::next(at);
    // No thread is given it any more: once the list alone holds it, no work is added.
    if (at->plan.use_count() == 1) {
      stream_state& on = *at->of.on;
      if (at->last == 0) at->last = on.position();
      if (reached(on, at->last)) gone.splice(gone.end(), leaving_, at);
    }
    at = next;
  }
  return gone;
}

std::int64_t fft_plan_list::size() const {
  const std::lock_guard hold(changing_);
  return size_;
}
void fft_plan_list::set_size(std::int64_t most) {
  plans gone;
  const std::lock_guard hold(changing_);
  size_ = most;
  gone = leave_out();
}
void fft_plan_list::clear() {
  plans gone;
  const std::lock_guard hold(changing_);
  const std::int64_t kept = std::exchange(size_, 0);
  gone = leave_out();
  size_ = kept;
  hits_ = misses_ = 0;
}
fft_plan_list::counts fft_plan_list::count() const {
  const std::lock_guard hold(changing_);
  return {static_cast<std::int64_t>(all_.size()), hits_, misses_};
}

}  // namespace sinter::runtime

namespace sinter::fft {

namespace {

runtime::fft_plan_list& list(void* plans) { return *static_cast<runtime::fft_plan_list*>(plans); }

std::int64_t power_of_two_from(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
}

// The least of `best` and the products of `made`, powers of the primes and a power of two that are n or more.
constexpr std::int64_t odd_primes[] = {3, 5, 7, 11};
void shorten(std::int64_t n, std::int64_t made, std::span<const std::int64_t> primes, std::int64_t& best) {
  best = std::min(best, made * power_of_two_from((n + made - 1) / made));
  for (std::size_t i = 0; i < primes.size(); ++i)
    if (made <= (best - 1) / primes[i]) shorten(n, made * primes[i], primes.subspan(i), best);
}

}  // namespace

plan_cache::plan_cache(device of) : plans_(&runtime::fft_plans_of(runtime::implementation(of))) {}
std::int64_t plan_cache::get_size() const { return list(plans_).size(); }
void plan_cache::set_size(sinter::detail::integer most) { list(plans_).set_size(most); }
std::int64_t plan_cache::get_curr_size() const { return list(plans_).count().plans; }
std::int64_t plan_cache::get_hits() const { return list(plans_).count().hits; }
std::int64_t plan_cache::get_misses() const { return list(plans_).count().misses; }
void plan_cache::clear() { list(plans_).clear(); }

std::ostream& operator<<(std::ostream& out, const plan_cache& of) {
  const auto now = list(of.plans_).count();
  const std::int64_t most = of.get_size();
  out << "plans of Fourier transforms: " << now.plans << " of ";
  if (most < 0) out << "any number";
  else out << most;
  return out << "; " << now.hits << " found, " << now.misses << " made";
}

std::int64_t next_fast_len(sinter::detail::integer n, bool real) {
  if (n < 1) throw shape_error("sinter: next_fast_len of a length below 1");
  std::int64_t best = power_of_two_from(n);
  shorten(n, 1, real ? std::span(odd_primes).first(2) : std::span(odd_primes), best);
  return best;
}

}  // namespace sinter::fft
