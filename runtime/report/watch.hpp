// Does anything look at launches one by one: SINTER_LOG from 2 on, a report or a history? An evaluation that nothing watches pays for
// one load here; one that is watched goes the long way (runtime/eval.cpp), where all is known of what it launches.
#pragma once

#include <atomic>

namespace sinter::runtime {

namespace watching {

/// `not_asked`: the environment has not been looked at yet, which the first question does.
enum : unsigned { not_asked = 1, by_log = 2, by_report = 4, by_history = 8 };
extern constinit std::atomic<unsigned> now;
unsigned ask() noexcept;

}  // namespace watching

/// Who watches, as bits.
inline unsigned watchers() noexcept {
  const unsigned found = watching::now.load(std::memory_order_relaxed);
  return found == 0 ? 0 : watching::ask();
}
inline bool watched() noexcept { return watchers() != 0; }
/// Is a report being recorded, or the last work remembered?
inline bool recorded() noexcept { return (watchers() & (watching::by_report | watching::by_history)) != 0; }

}  // namespace sinter::runtime
