// How the machine does work: late, one piece at a time, in any order that streams, events and graphs allow. What that
// order is says a vector clock that every piece carries: it may run once all that its clock names has run.
#include <algorithm>
#include <cstdlib>

#include "machine.hpp"

namespace softgpu {
namespace {

// Not a thread-local: leak checkers of gcc 12 fall over those that a thread of a loaded library has.
std::atomic<std::thread::id> host_thread_is{};

}  // namespace

bool in_host_function() { return std::this_thread::get_id() == host_thread_is.load(std::memory_order_relaxed); }

tick machine::enqueue(lane& into, work_pointer what) {
  into.now.join(host);
  into.now.set(into.slot, ++into.issued);
  operation made;
  made.count = into.issued;
  made.before = into.now;
  made.self = epochs.add({static_cast<std::uint32_t>(into.slot), made.count, label(what->label), into.number});
  if (made.self % 1024 == 0) forget_epochs();
  if (what->kind == work_kind::host_call) {
    ++host_calls_pending_;
    host_work_.notify_one();  // so that it runs even if the program does not wait for the stream
  }
  made.what = std::move(what);
  into.pending.push_back(std::move(made));
  waiting_.insert(&into);
  ++pending_;
  return into.issued;
}

/// What the host knows, and so does all work that waits, comes before everything that is still to be checked.
void machine::forget_epochs() {
  vector_clock known = host;
  for (const lane* one : waiting_)
    if (!one->pending.empty()) known.meet(one->pending.front().before);
  epochs.forget(known);
}

void machine::order_with_legacy(stream& s) {
  if (s.legacy) {
    for (stream* other : s.in->streams)
      if (other->blocking) s.queue->now.join(other->queue->now);
    for (auto& [thread, other] : s.in->per_thread) s.queue->now.join(other->queue->now);
  } else if (s.blocking) {
    s.queue->now.join(s.in->legacy.queue->now);
  }
}

tick machine::submit(stream& s, work_pointer what) {
  order_with_legacy(s);
  const tick count = enqueue(*s.queue, std::move(what));
  while (pending_ > config.queue_length && step()) continue;
  if (config.eager > 0 && random(100) < config.eager) some_progress();
  return count;
}

bool machine::runnable(const lane& one) const {
  if (one.pending.empty() || one.busy) return false;
  const operation& next = one.pending.front();
  for (std::size_t slot = 0; slot < next.before.size(); ++slot)
    if (slot != one.slot && !done_.covers(slot, next.before.of(slot))) return false;
  return true;
}

bool machine::step() {
  candidates_.clear();
  for (lane* one : waiting_)
    if (runnable(*one)) candidates_.push_back(one);
  if (candidates_.empty()) return false;
  // By slot, so that a seed means the same order in every run.
  std::sort(candidates_.begin(), candidates_.end(), [](lane* a, lane* b) { return a->slot < b->slot; });
  lane& chosen = *candidates_[random(candidates_.size())];
  operation now = std::move(chosen.pending.front());
  chosen.pending.pop_front();
  --pending_;
  if (now.what->kind == work_kind::host_call && chosen.in->lost == 0) {
    chosen.busy = true;
    host_tasks_.emplace_back(&chosen, std::move(now));
    host_work_.notify_one();
    return true;
  }
  result outcome = 0;
  // A context that is lost does nothing any more, but what memory there is has to stay true: see revive().
  const bool keeps_books = now.what->kind == work_kind::allocation || now.what->kind == work_kind::release;
  if (chosen.in->lost == 0 || keeps_books) {
    execution run{*this, *chosen.in, {now.self, &now.before, chosen.in->device}};
    outcome = now.what->run(run);
  }
  if (now.what->kind == work_kind::host_call) --host_calls_pending_;
  finish(chosen, now, outcome);
  return true;
}

void machine::finish(lane& of, const operation& over, result outcome) {
  of.done = over.count;
  of.busy = false;
  done_.set(of.slot, over.count);
  if (outcome != 0) lose(*of.in, outcome);
  if (of.pending.empty()) {
    waiting_.erase(&of);
    if (of.closing) retire(of);
  }
}

/// The context answers every call with this error from now on; what it had still to do is dropped.
void machine::lose(context& gone, result why) {
  if (gone.lost == 0) gone.lost = why;
}

void machine::advance(std::unique_lock<std::mutex>& held) {
  if (step()) return;
  if (host_calls_pending_ == 0) {  // nothing runs that could make something else runnable
    report("work waits for what was never enqueued: something has written over a clock");
    std::abort();
  }
  progress.wait_for(held, std::chrono::milliseconds(50));
}

void machine::wait(std::unique_lock<std::mutex>& held, const vector_clock& what) {
  const vector_clock upto = what;  // what it was at the call: more may come while this waits
  run_until(held, [&] { return is_done(upto); });
  host.join(upto);
}

vector_clock machine::everything(const context* in) const {
  vector_clock all;
  for (const auto& one : lanes_)
    if (!in || one->in == in) all.join(one->now);
  return all;
}

void machine::some_progress() {
  for (std::uint64_t n = 1 + random(3); n > 0 && step(); --n) continue;
}

/// What was still to be done when the contexts ended is dropped before they work again.
void machine::revive() {
  while (step()) continue;
  for (context& c : contexts_) c.lost = 0;
}

void machine::start_host_thread() {
  if (host_thread_started_) return;
  host_thread_started_ = true;
  std::thread([this] { host_thread(); }).detach();
}

/// Host functions run here, as the driver's do on a thread of its own. Streams that are not waited for move too, but
/// slowly, if there is a host function in them: a thread may wait for what it does.
void machine::host_thread() {
  host_thread_is = std::this_thread::get_id();
  std::unique_lock held(lock);
  for (;;) {
    if (host_tasks_.empty()) {
      if (host_calls_pending_ == 0) {
        host_work_.wait(held);
      } else if (host_work_.wait_for(held, std::chrono::milliseconds(2)) == std::cv_status::timeout) {
        while (host_tasks_.empty() && step()) continue;
      }
      continue;
    }
    auto [of, task] = std::move(host_tasks_.front());
    host_tasks_.pop_front();
    const auto& function = static_cast<const host_call&>(*task.what);
    held.unlock();
    function.call(function.data);
    held.lock();
    --host_calls_pending_;
    host.join(task.before);
    finish(*of, task, 0);
    progress.notify_all();
  }
}

}  // namespace softgpu
