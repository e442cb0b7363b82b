// The ways of an operation on which streams meet. Readers of a storage are a list that only grows until there is a write: the
// thread that writes is the only one that uses the storage then, on a device with streams, so no other walks the list.
#include "runtime/stream/operation.hpp"

#include <new>

#include <sinter/error.hpp>

#include "runtime/stream/capture.hpp"
#include "runtime/stream/order.hpp"

namespace sinter::runtime {

using detail::reader;
using detail::storage;

namespace {

reader* find(storage& memory, const stream_state& on) noexcept {
  for (reader* r = __atomic_load_n(&memory.readers, __ATOMIC_ACQUIRE); r; r = r->next)
    if (r->on == &on) return r;
  return nullptr;
}

/// The entry of a stream, made where there is none. It covers nothing yet.
void add_reader(storage& memory, stream_state& on) {
  if (find(memory, on)) return;
  auto* fresh = new (std::nothrow) reader{&on, 0, __atomic_load_n(&memory.readers, __ATOMIC_ACQUIRE)};
  if (!fresh) throw out_of_memory("sinter: the host has no room for bookkeeping", sizeof(reader), 0, 0);
  // Two threads on one stream may both add it: then it is there twice, which does no harm.
  while (!__atomic_compare_exchange_n(&memory.readers, &fresh->next, fresh, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
  }
}

/// It is a capture's own, and this is not an operation of that capture.
bool is_being_captured(const storage& memory) noexcept {
  return memory.home->of_graph.load(std::memory_order_acquire) && memory.home->capture.load(std::memory_order_acquire);
}

void raise_to(std::uint64_t& position, std::uint64_t at_least) noexcept {
  std::uint64_t now = __atomic_load_n(&position, __ATOMIC_RELAXED);
  while (now < at_least &&
         !__atomic_compare_exchange_n(&position, &now, at_least, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
  }
}

}  // namespace

void operation::read_elsewhere(storage& memory) {
  if (capture_state* c = capture_of(on_)) {
    if (read_captured(*c, memory, on_)) return;
  } else if (is_being_captured(memory)) {
    refuse_captured_storage();
  }
  if (!on_.device.asynchronous() || memory.stream == &on_) return;
  count_lent_work(memory);
  add_reader(memory, on_);
  if (!chosen.unordered) order_after(on_, *memory.stream, memory.written);
}

void operation::written_elsewhere(storage& memory) {
  if (capture_state* c = capture_of(on_)) {
    if (write_captured(*c, memory, on_)) return;
  } else if (is_being_captured(memory)) {
    refuse_captured_storage();
  }
  if (!on_.device.asynchronous()) return;
  count_lent_work(memory);
  if (chosen.unordered) {
    // It may still be at work, and must be waited for before the block is handed out again.
    if (memory.stream == &on_) return;
    add_reader(memory, *memory.stream);
    raise_to(find(memory, *memory.stream)->position, memory.stream->position());
    return;
  }
  // What the writing stream has read since it wrote is not counted: all of its work has to be over.
  if (memory.stream != &on_) order_after(on_, *memory.stream);
  for (const reader* r = load(memory.readers); r; r = r->next)
    order_after(on_, *r->on, __atomic_load_n(&r->position, __ATOMIC_ACQUIRE));
}

void operation::note_reader(storage& memory) noexcept {
  if (reader* r = find(memory, on_)) raise_to(r->position, position_);
}

void operation::note_writer(storage& memory) noexcept {
  if (const capture_state* c = on_.capture.load(std::memory_order_acquire); c && !is_own(*c, memory)) return;
  if (!chosen.unordered && load(memory.readers)) forget_readers(memory);
  __atomic_store_n(&memory.written, position_, __ATOMIC_RELAXED);
  __atomic_store_n(&memory.stream, &on_, __ATOMIC_RELAXED);
}

void lend(storage& memory, stream_state& on, bool to_write) {
  operation op(on);
  to_write ? op.writes(&memory) : op.reads(&memory);
  op.done();
  to_write ? op.has_written(&memory) : op.has_read(&memory);
  on.lent.store(true, std::memory_order_relaxed);
  __atomic_store_n(&memory.lent, true, __ATOMIC_RELAXED);
}

void count_lent_work(storage& memory) noexcept {
  if (!__atomic_load_n(&memory.lent, __ATOMIC_RELAXED)) [[likely]]
    return;
  const auto count = [](stream_state& on, std::uint64_t& position) {
    if (on.retired() || !on.lent.load(std::memory_order_relaxed)) return;
    raise_to(position, on.enqueued());
  };
  count(*memory.stream, memory.written);
  for (reader* r = __atomic_load_n(&memory.readers, __ATOMIC_ACQUIRE); r; r = r->next)
    count(*const_cast<stream_state*>(r->on), r->position);
}

void forget_readers(storage& memory) noexcept {
  for (reader* r = std::exchange(memory.readers, nullptr); r;) delete std::exchange(r, r->next);
}

}  // namespace sinter::runtime
