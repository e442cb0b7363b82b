// Counting calls, making them fail, and what tests ask: softgpu.hpp and entry.hpp.
#include "softgpu.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "entry.hpp"

namespace softgpu {
namespace {

struct fault_plan {
  std::mutex lock;
  long long calls = 0;
  long long at = -1;  // in calls from the first
  result with = 0;
  int for_ever = 0;
  long long failed = 0;
  std::string function;
};

fault_plan& plan() {
  static auto* const made = new fault_plan;
  return *made;
}

std::atomic<bool> is_forked{false};

/// A child has the parent's memory but not its device: calls fail there, and none may wait for a lock that a thread of
/// the parent holds.
void watch_forks() {
  ::pthread_atfork([] { the_machine().lock.lock(), plan().lock.lock(); },
                   [] { plan().lock.unlock(), the_machine().lock.unlock(); },
                   [] {
                     is_forked = true;
                     plan().lock.unlock();
                     the_machine().lock.unlock();
                   });
}

}  // namespace

bool forked() { return is_forked.load(std::memory_order_relaxed); }

bool& initialised() {
  static bool done = false;
  if (!done) {
    static std::once_flag once;
    std::call_once(once, watch_forks);
  }
  return done;
}

context*& current_context() {
  thread_local context* now = nullptr;
  return now;
}

live_objects& alive() {
  static auto* const made = new live_objects;
  return *made;
}

result planned_fault(const char* name, result plausible) {
  fault_plan& p = plan();
  std::lock_guard hold(p.lock);
  const long long index = p.calls++;
  if (p.at < 0 || index < p.at) return 0;
  if (index > p.at && (p.for_ever == 0 || (p.for_ever == 1 && p.function != name))) return 0;
  p.function = name;
  ++p.failed;
  return p.with != 0 ? p.with : plausible;
}

bool is_sticky(result code) {
  for (const result sticky : {214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 911})
    if (code == sticky) return true;
  return false;
}

}  // namespace softgpu

using softgpu::plan;
using softgpu::the_machine;

extern "C" {

#define SOFTGPU_DECLARE(type, name, parameters) __attribute__((visibility("default"))) type name parameters;
SOFTGPU_CONTROLS(SOFTGPU_DECLARE)
#undef SOFTGPU_DECLARE

long long softgpu_races() { return the_machine().races; }

std::size_t softgpu_reports(char* to, std::size_t size) {
  std::lock_guard hold(the_machine().lock);
  const std::string& text = the_machine().reports;
  if (to) std::memcpy(to, text.data(), std::min(size, text.size()));
  return text.size();
}

void softgpu_reset_reports() {
  std::lock_guard hold(the_machine().lock);
  the_machine().races = 0;
  the_machine().reports.clear();
  the_machine().checker.forget_pairs();
}

long long softgpu_calls() {
  std::lock_guard hold(plan().lock);
  return plan().calls;
}

const char* softgpu_call_name() {
  std::lock_guard hold(plan().lock);
  return plan().function.c_str();
}

void softgpu_fail(long long at, int result, int for_ever) {
  std::lock_guard hold(plan().lock);
  plan().at = at < 0 ? -1 : plan().calls + at;
  plan().with = result;
  plan().for_ever = for_ever;
  plan().failed = 0;
  plan().function.clear();
}

long long softgpu_failed() {
  std::lock_guard hold(plan().lock);
  return plan().failed;
}

void softgpu_revive() {
  std::lock_guard hold(the_machine().lock);
  the_machine().revive();
}

softgpu_counts softgpu_live() {
  std::lock_guard hold(the_machine().lock);
  softgpu_counts counts{};
  for (const auto& arena : the_machine().memory.all()) {
    const bool pinned = arena->kind == softgpu::memory_kind::pinned;
    for (const auto& [at, block] : arena->blocks) {
      if (pinned) ++counts.pinned;
      else if (block.use != softgpu::block_use::waiting)
        ++counts.allocations, counts.bytes += static_cast<long long>(block.size);
    }
  }
  const softgpu::live_objects& live = softgpu::alive();
  counts.streams = live.streams;
  counts.events = live.events;
  counts.graphs = live.graphs;
  counts.graph_execs = live.graph_execs;
  counts.modules = live.modules;
  counts.staged = the_machine().staged;
  return counts;
}

}  // extern "C"

namespace {

/// Runs after everything else that a program registered: what it says is about the whole run.
[[gnu::destructor]] void at_exit() {
  if (softgpu::forked() || !softgpu::initialised()) return;
  const softgpu::machine& on = the_machine();
  if (on.races == 0 || !on.config.fatal) return;
  std::fprintf(stderr, "softgpu: %lld races in this run\n", on.races.load());
  std::fflush(nullptr);
  ::_exit(66);
}

}  // namespace
