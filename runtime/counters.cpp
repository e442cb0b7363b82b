// The threads' counters. What is kept is constant-initialised and never destroyed, so that it may be used before main and
// after it.
#include "runtime/counters.hpp"

#include <mutex>

#include "runtime/never_destroyed.hpp"

namespace sinter::runtime {

thread_local constinit thread_counters counters_of_thread{};

namespace {

struct all_threads {
  std::mutex busy;
  thread_counters* first = nullptr;
  std::uint64_t gone[counter_kinds] = {};  // of threads that have ended, and of what they did while they ended
};

constinit never_destroyed<all_threads> all;

/// A thread that has ended its listing is not listed again.
thread_local constinit bool at_its_end = false;

struct listing {
  listing() {
    thread_counters& mine = counters_of_thread;
    const std::lock_guard hold(all.object.busy);
    mine.next = all.object.first;
    all.object.first = &mine;
    mine.listed = true;
  }
  ~listing() {
    thread_counters& mine = counters_of_thread;
    const std::lock_guard hold(all.object.busy);
    thread_counters** at = &all.object.first;
    while (*at != &mine) at = &(*at)->next;
    *at = mine.next;
    for (unsigned c = 0; c < counter_kinds; ++c) all.object.gone[c] += mine.at[c];
    mine.listed = false;
    at_its_end = true;
  }
};

}  // namespace

void bump_elsewhere(counter c, std::uint64_t by) noexcept {
  if (!at_its_end) {
    thread_local const listing mine;
    (void)mine;
    return bump(c, by);
  }
  const std::lock_guard hold(all.object.busy);
  all.object.gone[static_cast<unsigned>(c)] += by;
}

std::uint64_t count_of(counter c) noexcept {
  const auto i = static_cast<unsigned>(c);
  const std::lock_guard hold(all.object.busy);
  std::uint64_t sum = all.object.gone[i];
  for (const thread_counters* t = all.object.first; t; t = t->next) sum += __atomic_load_n(&t->at[i], __ATOMIC_RELAXED);
  return sum;
}

}  // namespace sinter::runtime
