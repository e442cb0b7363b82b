// The verdicts. Of a plan that fails memory only out_of_memory may come out; of one that fails files what suits files and
// compilers; where the C library had no memory for its own work the library under test sees a call that failed, for whatever
// reason. What is interrupted is tried again, and the caller does not notice.
#include "trial.hpp"

#include <dirent.h>
#include <dlfcn.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <stdexcept>
#include <typeinfo>

#include <sinter/detail/seam.hpp>
#include <sinter/device.hpp>
#include <sinter/error.hpp>
#include <sinter/memory.hpp>

#include "driver.hpp"

namespace fault {
namespace {

bool library_used = false;

/// A sample has use for a dozen; what is left behind each time comes to more in a batch.
constexpr long most_events = 40;
constexpr int most_runs_until_settled = 6;
constexpr long blocks_of_a_state = 4;  // of a stream: itself, its marks, its waits, and the table's longer list

template <class... E>
bool is_one_of(const char* type) {
  return ((std::strcmp(type, typeid(E).name()) == 0) || ...);
}

bool suits(const plan& p, const char* type) {
  if (p.how == manner::interrupted) return false;
  switch (p.which) {
    case kind::memory: return is_one_of<sinter::out_of_memory>(type);
    case kind::system_memory:
    case kind::files: return is_one_of<sinter::out_of_memory, sinter::device_error, sinter::io_error>(type);
    case kind::driver:
      return is_one_of<sinter::out_of_memory, sinter::device_error, sinter::device_lost, sinter::compile_error>(type);
  }
  return false;
}

long open_files() {
  long count = 0;
  DIR* const folder = opendir("/proc/self/fd");
  if (!folder) return -1;
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}

/// Until streams are done with it, an array's memory is in use after the array.
void settle() {
  try {
    sinter::detail::forget_evaluations();
    sinter::synchronize();
    sinter::default_memory_pool().free_all_blocks();
    sinter::default_pinned_memory_pool().free_all_blocks();
  } catch (const sinter::error&) {
    // A device that is lost gives nothing back.
  }
}

/// With everything that is cached given back: how much that is depends on the order of what happened. Not before the library
/// has been used in this process, which is a first use itself.
levels levels_now() {
  if (library_used) settle();
  // The loader keeps the text of its last error until it is asked again.
  for (int i = 0; i < 2; ++i) dlerror();
  return {live_blocks(), mapped_bytes(), open_files(), driver::objects()};
}

[[gnu::format(printf, 2, 3)]] void complain(verdict& v, const char* format, ...) {
  if (v.wrong) return;  // the first is what matters
  v.wrong = true;
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(v.problem, sizeof v.problem, format, arguments);
  va_end(arguments);
}

/// Did the sample do what it does without a fault?
bool is_right(const ending& e, const reference& right) {
  return !e.type && !e.threw && e.returned == right.returned && e.printed == right.printed;
}

void judge(const ending& e, const plan& p, const reference& right, verdict& v) {
  v.absorbed = is_right(e, right);
  if (v.absorbed) return;
  std::snprintf(v.said, sizeof v.said, "%s: %s", e.type ? e.type : "", e.said.c_str());
  if (!e.type) return complain(v, "no exception, and it returned %d after printing: %s", e.returned, e.printed.c_str());
  if (v.faults.failed == 0) return complain(v, "%s though no call failed: %s", e.type, e.said.c_str());
  if (!suits(p, e.type)) return complain(v, "an exception of type %s: %s", e.type, e.said.c_str());
  if (e.said.empty()) complain(v, "%s says nothing", e.type);
}

/// A device that is lost stays so, and says each time why. `before`: how the run before this one ended, which may have met
/// another device.
bool is_lost_again(const ending& e, const ending& before) {
  if (!e.type || !is_one_of<sinter::device_lost>(e.type)) return false;
  const bool said_so = before.type && is_one_of<sinter::device_lost>(before.type);
  const auto device = [](const ending& of) { return of.said.substr(0, of.said.find(' ')); };
  return !said_so || before.said == e.said || device(before) != device(e);
}

void judge_afterwards(const ending& e, const ending& before, const plan& p, const reference& right, const char* when,
                      verdict& v) {
  if (is_right(e, right)) return;
  if (p.which == kind::driver && is_lost_again(e, before)) return void(v.lost = true);
  complain(v, "%s: %s, returned %d: %s %s", when, e.type ? e.type : "no exception", e.returned, e.said.c_str(),
           e.printed.c_str());
}

/// Holding less than usual is no fault: what failed may not have been tried again.
void judge_growth(const levels& more, const char* since, verdict& v) {
  if (!grows(more)) return;
  v.leak = !v.wrong;
  complain(v, "%s: %+ld blocks, %+ld bytes mapped, %+ld files, %+ld objects of the driver", since, more.blocks,
           more.mapped, more.files, more.device);
}

/// A call of the driver that frees or destroys, or without which nothing can be.
bool is_giving_back(const char* name) {
  for (const char* word : {"Free", "Destroy", "Unload", "Release", "CtxSetCurrent"})
    if (std::strncmp(name, "cu", 2) == 0 && std::strstr(name, word)) return true;
  return false;
}

void judge_pool(verdict& v) {
  settle();
  try {
    if (const std::size_t used = sinter::default_memory_pool().used_bytes())
      complain(v, "%zu bytes are in use when no array is left", used);
  } catch (const sinter::error& e) {
    complain(v, "asking the pool: %s", e.what());
  }
}

/// What is there in the end and would not be without the fault.
void judge_left(levels more, const plan& p, verdict& v) {
  // glibc's loader forgets some blocks of its own where it runs out of memory half-way. A lost device gives nothing back,
  // and a driver that refuses to free a thing keeps it.
  if (v.faults.in_loader || v.lost) return;
  if (p.which == kind::driver && (p.how == manner::for_ever || is_giving_back(v.faults.name))) more.device = 0;
  // Without libmvec the process has other kernels than usual from then on, and the loader other records.
  if (v.faults.of_dlopen) more.blocks = 0;
  // A stream that cannot be marked when it goes is not used again before the driver answers: then there is one state more,
  // which stays; or streams come to be others of the states that are kept, which have an arena in a pool from then on. Once in a
  // process; what is left each time is not that.
  static bool state_more = false;
  if (p.which == kind::driver && more.blocks > 0 && more.blocks <= blocks_of_a_state && !state_more) {
    state_more = true;
    more.blocks = 0;
  }
  judge_growth(more, "the fault has left", v);
}

ending run_with(const plan& p, const sample& s, record& into) {
  library_used = true;
  start(p, into);
  driver::start(p);
  ending e = s.run();
  driver::stop(into);
  stop();
  return e;
}

}  // namespace

bool grows(const levels& more) noexcept {
  return more.blocks > 0 || more.mapped > 0 || more.files > 0 || more.device > 0;
}

reference measure(const sample& s, int before_it) {
  reference r;
  r.printed.reserve(most_printed);
  const levels before = levels_now();
  for (int i = 0; i < before_it; ++i) s.run();
  {
    record counted;
    const ending first = run_with({}, s, counted);
    if (first.type || first.threw || first.returned != 0)
      throw std::runtime_error(s.name() + " fails by itself: " + first.said);
    std::memcpy(r.calls, counted.calls, sizeof r.calls);
    r.returned = first.returned;
    r.printed = first.printed;
  }
  levels second;
  for (levels* l : {&second, &r.third, &r.fourth}) {
    if (const ending next = s.run(); !is_right(next, r))
      throw std::runtime_error(s.name() + " prints something else each time: " + next.printed);
    *l = levels_now() - before;
  }
  return r;
}

void try_fault(const sample& s, int before_it, const plan& p, const reference& right, const levels& growth,
               verdict& v) {
  const levels before = levels_now();
  for (int i = 0; i < before_it; ++i) s.run();
  const ending first = run_with(p, s, v.faults);
  judge(first, p, right, v);
  const ending second = s.run();
  judge_afterwards(second, first, p, right, "without a fault", v);
  if (!v.lost) judge_pool(v);
  // What a program meets twice or three times is kept: a part that the first run did not come to is met so in a later one. A leak grows
  // with each run, what is kept does not.
  levels settled = levels_now(), more;
  for (int run = 0; run < most_runs_until_settled; ++run) {
    judge_afterwards(s.run(), second, p, right, "without a fault, again", v);
    const levels now = levels_now();
    more = now - settled;
    settled = now;
    if (!grows(more)) break;
  }
  if (const long events = driver::events(); events > most_events) complain(v, "%ld events pile up", events);
  judge_growth(more, "each further run takes", v);
  judge_left(settled - before - growth, p, v);
  v.over = true;
}

const char* word(kind k) noexcept {
  switch (k) {
    case kind::memory: return "memory";
    case kind::system_memory: return "system-memory";
    case kind::files: return "files";
    case kind::driver: return "driver";
  }
  return "";
}

const char* word(manner m) noexcept {
  switch (m) {
    case manner::once: return "once";
    case manner::for_ever: return "for-ever";
    case manner::interrupted: return "interrupted";
    case manner::refused: return "refused";
    case manner::lost: return "lost";
  }
  return "";
}

}  // namespace fault
