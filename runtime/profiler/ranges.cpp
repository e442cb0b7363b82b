// Ranges, marks and profiles. A range goes to a tool outside, through NVTX, and to the profiles that are alive.
// Where there are none of either, a range costs a few tests and no lock.
#include <sinter/profiler.hpp>

#include <atomic>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>

#include <sinter/error.hpp>

#include "runtime/device/device.hpp"
#include "runtime/device/driver.hpp"
#include "runtime/device/process.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/profiler/nvtx.hpp"
#include "runtime/profiler/range_tree.hpp"
#include "runtime/report/recording.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/current.hpp"

namespace sinter {
namespace runtime {

class profile_state {
 public:
  profile_state(device_impl& d, profiler_clock::time_point since) : device(d), ranges(since) {}
  device_impl& device;
  range_tree ranges;
  profile_state* next = nullptr;
};

namespace {

thread_local constinit open_range* innermost = nullptr;

/// The profiles that are alive. Nothing here needs a destructor: a range may end while the process does.
struct {
  std::atomic<int> count{0};  // read by every range
  std::mutex mutex;           // over what follows, and the trees
  profile_state* first = nullptr;
  int of_device[most_devices] = {};
} constinit profiles;

bool any_profile() { return profiles.count.load(std::memory_order_acquire) > 0; }

template <class Add>
void for_each_profile(Add&& add) {
  const std::lock_guard hold(profiles.mutex);
  for (profile_state* p = profiles.first; p; p = p->next) add(p->ranges);
}

/// What the standard library says where there is no memory, in our words.
template <class Work>
auto with_room(Work&& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    throw out_of_memory("sinter: the host has no room for the ranges of a profile", 0, 0, 0);
  }
}

/// Ranges end in the reverse order of their beginnings, unless the program keeps them elsewhere than in a scope.
void unlink(const open_range& ended) {
  for (open_range** at = &innermost; *at; at = &(*at)->outer) {
    if (*at != &ended) continue;
    *at = ended.outer;
    return;
  }
}

/// Eight colours that people who see fewer of them tell apart too (Okabe and Ito's), the green first as in CuPy.
constexpr std::uint32_t palette[] = {0xFF009E73, 0xFF56B4E9, 0xFFCC79A7, 0xFFD55E00,
                                     0xFFF0E442, 0xFF0072B2, 0xFFE69F00, 0xFF999999};

std::optional<std::uint32_t> colour(const char* who, const char* message, int id, std::int64_t argb) {
  const auto refuse = [&](const std::string& what) { throw error(("sinter: " + std::string(who) + what).c_str()); };
  if (!message) refuse(" without a message; it needs a name to be seen by");
  if (id != -1 && argb != -1) refuse(" with color_id and argb_color; give one of them");
  if (id < -1) refuse(": color_id is " + std::to_string(id) + "; colours are counted from 0");
  if (argb < -1 || argb > 0xFFFFFFFF)
    refuse(": argb_color is " + std::to_string(argb) + "; a colour has 32 bits, such as 0xFF00FF00");
  if (id >= 0) return palette[static_cast<std::size_t>(id) % std::size(palette)];
  if (argb >= 0) return static_cast<std::uint32_t>(argb);
  return std::nullopt;
}

void wait_for(device_impl& d) {
  refuse_while_capturing(current_stream(d), "time_range with sync");
  d.synchronize();
}

}  // namespace
}  // namespace runtime

using runtime::open_range;
using runtime::profiler_clock;
using runtime::profiles;
using runtime::range_tree;
namespace nvtx = runtime::nvtx;

time_range::time_range(const char* message, time_range_options how)
    : open_(nullptr), device_(how.sync ? device::current() : device::cpu()), sync_(how.sync) {
  const std::optional<std::uint32_t> argb = runtime::colour("time_range", message, how.color_id, how.argb_color);
  if (sync_) runtime::wait_for(runtime::implementation(device_));
  if (runtime::any_profile() || runtime::recorded()) {
    open_ = runtime::with_room([&] { return new open_range{message, {}, runtime::innermost}; });
    runtime::innermost = open_;
  }
  nvtx::push(message, argb ? &*argb : nullptr);
  if (open_) open_->began = profiler_clock::now();
}

time_range::~time_range() {
  if (sync_ && !runtime::exiting()) {
    try {
      runtime::wait_for(runtime::implementation(device_));
    } catch (...) {
      // A device that is lost says so again; a capture that began meanwhile has nothing to wait for.
    }
  }
  const profiler_clock::time_point now = open_ ? profiler_clock::now() : profiler_clock::time_point();
  nvtx::pop();
  if (!open_) return;
  const std::unique_ptr<open_range> mine(open_);
  runtime::unlink(*mine);
  if (runtime::recorded()) runtime::note_range(mine->name, mine->began, now);
  try {
    runtime::for_each_profile([&](range_tree& t) { t.add(*mine, now); });
  } catch (...) {
    // No memory for a line of the report.
  }
}

void mark(const char* message, mark_options how) {
  const std::optional<std::uint32_t> argb = runtime::colour("mark", message, how.color_id, how.argb_color);
  nvtx::mark(message, argb ? &*argb : nullptr);
  if (!runtime::any_profile()) return;
  runtime::with_room(
      [&] { runtime::for_each_profile([&](range_tree& t) { t.add_mark(message, runtime::innermost); }); });
}

profile::profile() {
  auto made = runtime::with_room(
      [] { return std::make_unique<runtime::profile_state>(runtime::current_device(), profiler_clock::now()); });
  const std::lock_guard hold(profiles.mutex);
  int& same = profiles.of_device[made->device.index];
  if (same == 0) made->device.collect_profile(true);
  ++same;
  made->next = profiles.first;
  profiles.first = state_ = made.release();
  profiles.count.fetch_add(1, std::memory_order_release);
}

profile::~profile() {
  const std::lock_guard hold(profiles.mutex);
  profiles.count.fetch_sub(1, std::memory_order_release);
  runtime::profile_state** at = &profiles.first;
  while (*at != state_) at = &(*at)->next;
  *at = state_->next;
  const std::unique_ptr<runtime::profile_state> mine(state_);
  if (--profiles.of_device[mine->device.index] > 0 || runtime::exiting() || runtime::forked()) return;
  try {
    mine->device.collect_profile(false);
  } catch (...) {
    // The tool has stopped collecting by itself, or the device is lost and says so again.
  }
}

text profile::report() const try {
  const std::lock_guard hold(profiles.mutex);
  return text(state_->ranges.report().c_str());
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

}  // namespace sinter
