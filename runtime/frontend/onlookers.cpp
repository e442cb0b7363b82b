#include "runtime/frontend/onlookers.hpp"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/never_destroyed.hpp"

namespace sinter::runtime {

thread_local constinit onlooker this_onlooker;
constinit std::atomic<onlooker*> sole_counter{nullptr};
constinit std::atomic<bool> may_count_alone{false};

namespace {

void cease_to_look(void*);

struct onlooking_threads {
  std::recursive_mutex door;
  int inside = 0;
  unsigned numbered = 0;
  // Its destructor runs at a thread's end behind those of thread-local objects, which may still use nodes.
  pthread_key_t at_end;
  const bool has_key = pthread_key_create(&at_end, cease_to_look) == 0;
};

onlooking_threads& all() {
  static never_destroyed<onlooking_threads> threads;
  return threads.object;
}

long membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0); }

// Does the kernel put the processors' loads and stores in order on request? If not, no thread ever counts alone.
bool can_order_processors() noexcept {
  static const bool can = [] {
    constexpr long needed = MEMBARRIER_CMD_PRIVATE_EXPEDITED | MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED;
    const long commands = membarrier(MEMBARRIER_CMD_QUERY);
    return commands > 0 && (commands & needed) == needed;
  }();
  return can;
}

// The kernel wants to be told once that it will be asked. That takes no time while the process has one thread, later some
// milliseconds.
[[maybe_unused]] const bool told_early =
    __libc_single_threaded && membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;

// What each thread of the process has stored before is seen by those that load afterwards.
void order_processors() noexcept {
  if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0) return;
  if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0 && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0)
    return;
  membarrier(MEMBARRIER_CMD_GLOBAL);
}

void end_being_alone() noexcept {
  const onlooker* const before = sole_counter.exchange(nullptr);
  if (!before) return;
  order_processors();
  while (before->counts.load(std::memory_order_acquire)) sched_yield();
}

// Needs the door.
void count_alone_if_only(const onlooking_threads& threads) noexcept {
  may_count_alone.store(false, std::memory_order_relaxed);
  if (threads.inside == 1 && !this_onlooker.stays && can_order_processors())
    sole_counter.store(&this_onlooker, std::memory_order_relaxed);
}

void cease_to_look(void*) {
  onlooking_threads& threads = all();
  const std::lock_guard hold(threads.door);
  this_onlooker.is_one = false;
  this_onlooker.stays = true;  // what else comes at the thread's end
  if (sole_counter.load(std::memory_order_relaxed) == &this_onlooker) sole_counter = nullptr;
  may_count_alone.store(--threads.inside == 1, std::memory_order_relaxed);
}

}  // namespace

void become_onlooker() {
  onlooking_threads& threads = all();
  const std::lock_guard hold(threads.door);
  end_being_alone();
  ++threads.inside;
  this_onlooker.is_one = true;
  if (this_onlooker.number == 0) this_onlooker.number = ++threads.numbered;
  if (!threads.has_key || pthread_setspecific(threads.at_end, &this_onlooker) != 0) this_onlooker.stays = true;
  count_alone_if_only(threads);
}

void count_alone_again() noexcept {
  const std::lock_guard hold(all().door);
  count_alone_if_only(all());
}

only_onlooker::only_onlooker() : door_(all().door) {
  if (all().inside != 1 || !this_onlooker.is_one) door_.unlock();
}

}  // namespace sinter::runtime
