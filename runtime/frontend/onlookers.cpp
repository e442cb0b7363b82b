#include "runtime/frontend/onlookers.hpp"

#include "runtime/never_destroyed.hpp"

namespace sinter::runtime {

thread_local constinit bool is_onlooker = false;

namespace {

struct onlooking_threads {
  std::recursive_mutex door;
  int inside = 0;
};

onlooking_threads& all() {
  static never_destroyed<onlooking_threads> threads;
  return threads.object;
}

// What the thread's other thread-local objects do after this one has gone makes it an onlooker again, which then stays one.
struct thread_guard {
  thread_guard() = default;
  ~thread_guard() {
    const std::lock_guard hold(all().door);
    --all().inside;
    is_onlooker = false;
  }
};

}  // namespace

void become_onlooker() {
  thread_local thread_guard guard;
  (void)guard;
  const std::lock_guard hold(all().door);
  ++all().inside;
  is_onlooker = true;
}

only_onlooker::only_onlooker() : door_(all().door) {
  if (all().inside != 1 || !is_onlooker) door_.unlock();
}

}  // namespace sinter::runtime
