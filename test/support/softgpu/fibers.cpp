// Fibers, barriers and warps: fibers.hpp. A fiber that is left is not unwound: its stack is used again as it is, for
// kernel text owns nothing.
#include "fibers.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <boost/context/fiber.hpp>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <new>

namespace softgpu {
namespace {

namespace context = boost::context;

constexpr std::size_t stack_size = std::size_t{128} << 10;
constexpr std::size_t page = 4096;

/// Lends a stack that stays whose it is.
struct borrowed_stack {
  void* top;
  std::size_t size;

  context::stack_context allocate() const {
    context::stack_context made;
    made.sp = top;
    made.size = size;
    return made;
  }
  void deallocate(context::stack_context&) const {}
};

char* new_stack() {
  void* at =
      ::mmap(nullptr, stack_size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) {
    std::perror("softgpu: no memory for a stack");
    std::abort();
  }
  ::mprotect(at, page, PROT_NONE);
  return static_cast<char*>(at) + page;
}

}  // namespace

enum class fiber_state : unsigned char { ready, waiting, ended };

struct block_runner::fibers {
  // A fiber's handle while that stands somewhere. It is never destroyed, which would unwind the fiber.
  struct one {
    alignas(context::fiber) unsigned char handle[sizeof(context::fiber)];
    fiber_state state = fiber_state::ended;
  };

  template <class Body>
  void start(unsigned thread, Body&& body) {
    all[thread].state = fiber_state::ready;
    while (stacks.size() <= thread) stacks.push_back(new_stack());
    new (all[thread].handle)
        context::fiber(std::allocator_arg, borrowed_stack{stacks[thread] + stack_size, stack_size}, std::move(body));
  }
  /// Goes on in a fiber until it waits, ends or is left.
  void resume(one& f) {
    context::fiber going = std::move(*std::launder(reinterpret_cast<context::fiber*>(f.handle)));
    new (f.handle) context::fiber(std::move(going).resume());
  }
  void to_scheduler() { scheduler = std::move(scheduler).resume(); }

  std::deque<one> all;
  std::vector<char*> stacks;
  context::fiber scheduler;  // where a fiber goes when it waits
};

/// Lanes that meet in one warp operation. Free to be used anew once it is done and every lane has read the answer.
struct block_runner::warp_group {
  unsigned mask = 0, arrived = 0, left_to_read = 0;
  collective what = collective::sync;
  bool done = true;
  unsigned long long values[32];
  unsigned long long answer = 0;
};

struct block_runner::warp_state {
  std::deque<warp_group> groups;  // stay where they are
  unsigned live = 0;
  unsigned first = 0;  // thread
};

block_runner::block_runner() : fibers_(std::make_unique<fibers>()) {}
block_runner::~block_runner() = default;

void block_runner::prepare(unsigned threads, const std::function<void(unsigned)>& body) {
  threads_ = live_ = threads;
  arrived_ = 0;
  count_ = 0;
  failed_ = alone_ = false;
  failure_[0] = '\0';
  if (fibers_->all.size() < threads) fibers_->all.resize(threads);
  const unsigned warps = (threads + 31) / 32;
  if (warps_.size() < warps) warps_.resize(warps);
  for (unsigned w = 0; w < warps; ++w) {
    warps_[w].first = 32 * w;
    const unsigned lanes = std::min(32u, threads - 32 * w);
    warps_[w].live = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    for (warp_group& g : warps_[w].groups) g.done = true, g.left_to_read = 0;
  }
  for (unsigned thread = 0; thread < threads; ++thread)
    fibers_->start(thread, [this, thread, &body](context::fiber&& back) {
      fibers_->scheduler = std::move(back);
      body(thread);
      thread_ended(thread);
      return std::move(fibers_->scheduler);
    });
}

std::string block_runner::run(unsigned threads, const std::function<void(unsigned)>& body,
                              const std::function<void(unsigned)>& enter, std::mt19937_64& random) {
  prepare(threads, body);
  // In any order and direction, so that a missing barrier does not always go well.
  while (live_ > 0 && !failed_) {
    bool any = false;
    const auto draw = random();
    const unsigned start = static_cast<unsigned>(draw >> 1) % threads;
    for (unsigned i = 0; i < threads && !failed_; ++i) {
      const unsigned thread = (start + (draw & 1 ? i : threads - i)) % threads;
      if (fibers_->all[thread].state != fiber_state::ready) continue;
      any = true;
      now_ = thread;
      enter(thread);
      fibers_->resume(fibers_->all[thread]);
    }
    if (any || live_ == 0 || failed_) continue;
    failed_ = true;
    std::snprintf(failure_, sizeof failure_,
                  "%u threads wait for each other: %u are at a barrier that the others do not reach", live_, arrived_);
  }
  return failure_;
}

std::string block_runner::run_alone(const std::function<void()>& body) {
  failed_ = false;
  alone_ = true;
  failure_[0] = '\0';
  now_ = 0;
  if (fibers_->all.empty()) fibers_->all.resize(1);
  fibers_->start(0, [this, &body](context::fiber&& back) {
    fibers_->scheduler = std::move(back);
    body();
    return std::move(fibers_->scheduler);
  });
  fibers_->resume(fibers_->all[0]);
  return failure_;
}

void block_runner::wait() {
  fibers_->all[now_].state = fiber_state::waiting;
  fibers_->to_scheduler();
}

void block_runner::leave(const char* why, ...) {
  failed_ = true;
  std::va_list arguments;
  va_start(arguments, why);
  std::vsnprintf(failure_, sizeof failure_, why, arguments);
  va_end(arguments);
  fibers_->all[now_].state = fiber_state::ended;
  fibers_->to_scheduler();
  std::abort();  // an ended fiber does not go on
}

void block_runner::release_barrier() {
  arrived_ = 0;
  counted_ = count_;
  count_ = 0;
  // Those in a warp operation wait for something else.
  for (unsigned thread = 0; thread < threads_; ++thread) {
    fibers::one& one = fibers_->all[thread];
    if (one.state != fiber_state::waiting) continue;
    const warp_state& w = warps_[thread / 32];
    const bool in_group = std::any_of(w.groups.begin(), w.groups.end(),
                                      [&](const warp_group& g) { return !g.done && (g.arrived >> (thread % 32) & 1); });
    if (!in_group) one.state = fiber_state::ready;
  }
}

int block_runner::barrier_count(int holds) {
  if (alone_) leave("a barrier in a kernel whose text has none");
  count_ += holds;
  if (++arrived_ == live_) release_barrier();
  else wait();
  return counted_;
}

void block_runner::thread_ended(unsigned thread) {
  fibers_->all[thread].state = fiber_state::ended;
  --live_;
  if (live_ > 0 && arrived_ == live_) release_barrier();
  warp_state& w = warps_[thread / 32];
  w.live &= ~(1u << (thread % 32));
  recheck(w);
}

bool block_runner::on_stack(unsigned long long address) const {
  const auto own = reinterpret_cast<unsigned long long>(fibers_->stacks[now_]);
  return address - own < stack_size;
}

unsigned block_runner::active_mask() const { return warps_[now_ / 32].live; }

/// All lanes of the mask that still run are there: answers, and lets them go on.
bool block_runner::complete(warp_state& w, warp_group& g) {
  if (g.arrived != (g.mask & w.live)) return false;
  g.done = true;
  g.left_to_read = g.arrived;
  unsigned holding = 0;
  for (unsigned rest = g.arrived; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (g.values[lane] != 0) holding |= 1u << lane;
    fibers_->all[w.first + lane].state = fiber_state::ready;
  }
  if (g.what == collective::all) g.answer = holding == g.arrived;
  if (g.what == collective::any) g.answer = holding != 0;
  if (g.what == collective::ballot) g.answer = holding;
  return true;
}

void block_runner::recheck(warp_state& w) {
  for (warp_group& g : w.groups)
    if (!g.done) complete(w, g);
}

/// The operation that this lane joins, or begins.
block_runner::warp_group& block_runner::meet(warp_state& w, collective what, unsigned mask) {
  warp_group* unused = nullptr;
  for (warp_group& g : w.groups) {
    if (!g.done && g.mask == mask && g.what == what) return g;
    if (!g.done && (g.mask & mask)) leave("lanes of a warp meet in different operations, or under different masks");
    if (g.done && g.left_to_read == 0) unused = &g;
  }
  if (!unused) unused = &w.groups.emplace_back();
  unused->done = false;
  unused->arrived = 0;
  unused->mask = mask;
  unused->what = what;
  return *unused;
}

unsigned long long block_runner::warp(collective what, unsigned mask, unsigned long long value, unsigned from) {
  if (alone_) leave("a warp operation in a kernel whose text has none");
  const unsigned lane = now_ % 32;
  warp_state& w = warps_[now_ / 32];
  if (!(mask >> lane & 1)) leave("lane %u is not in the mask it gives", lane);
  warp_group& mine = meet(w, what, mask);
  mine.arrived |= 1u << lane;
  mine.values[lane] = value;
  if (!complete(w, mine)) wait();
  mine.left_to_read &= ~(1u << lane);
  if (what == collective::shuffle)
    return mine.arrived >> (from % 32) & 1 ? mine.values[from % 32] : 0xFBFBFBFBFBFBFBFBull;
  if (what != collective::match) return mine.answer;
  unsigned same = 0;
  for (unsigned other = 0; other < 32; ++other)
    if ((mine.arrived >> other & 1) && mine.values[other] == value) same |= 1u << other;
  return same;
}

}  // namespace softgpu
