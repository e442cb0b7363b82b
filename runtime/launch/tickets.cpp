// One allocation for each stream that reduces, and some for each that scans, past the pools: what a program sees of the pools
// is its own arrays. A graph's are the graph's, like its other temporaries.
#include "runtime/launch/tickets.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <mutex>

#include <sinter/error.hpp>

#include "codegen/source/geometry.hpp"
#include "runtime/device/device.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/order.hpp"
#include "runtime/stream/table.hpp"

namespace sinter::runtime {

namespace {

/// Not on the stream itself: if that is captured, every launch would zero them and none would before the first.
void zero_before(stream_state& on, std::byte* memory, std::size_t size) {
  stream_state& plain = on.device.streams().first();
  on.device.zero(memory, size, plain);
  order_after(on, plain, plain.enqueued());
}

/// A graph may run beside the streams it was captured on, so it has its own.
detail::storage* make_captured(capture_state& c, stream_state& on, std::size_t size) {
  storage_holder made(make_fresh_storage(size, c.origin, c.origin));
  zero_before(on, made.get()->data, size);
  pin(*made.get());  // no array holds it: it lives as long as the capture
  return made.get();
}

/// A stream's own, past the pools.
std::byte* make_own(stream_state& on, std::size_t size) {
  memory_source& from = on.device.memory(memory_kind::device);
  std::byte* mine = from.allocate(size);
  if (!mine && make_room(on.device)) mine = from.allocate(size);
  if (!mine)
    throw out_of_memory("sinter: the device has no room for what a kernel's blocks leave each other", size, 0, 0);
  try {
    zero_before(on, mine, size);
  } catch (...) {
    from.release(mine, size);
    throw;
  }
  return mine;
}

std::mutex& making() {
  static std::mutex* const one = new std::mutex;  // leaked: arrays with static storage may be evaluated late
  return *one;
}

counted_words captured_words(capture_state& c, stream_state& on, std::size_t size) {
  const auto [first, last] = c.words.equal_range(&on);
  for (auto at = first; at != last; ++at)
    if (at->second->size >= size) return {at->second->data, at->second->size / sizeof(std::uint64_t)};
  detail::storage* const made = make_captured(c, on, size);
  c.words.emplace(&on, made);
  return {made->data, size / sizeof(std::uint64_t)};
}

}  // namespace

std::byte* tickets(stream_state& on) {
  constexpr std::size_t size = codegen::most_tickets * sizeof(unsigned) + codegen::most_words * sizeof(std::uint64_t);
  if (capture_state* c = on.capture.load(std::memory_order_acquire)) [[unlikely]] {
    if (const auto at = c->tickets.find(&on); at != c->tickets.end()) return at->second->data;
    return c->tickets.emplace(&on, make_captured(*c, on, size)).first->second->data;
  }
  if (std::byte* mine = on.tickets.load(std::memory_order_acquire)) [[likely]]
    return mine;
  const std::lock_guard hold(making());
  if (std::byte* mine = on.tickets.load(std::memory_order_relaxed)) return mine;
  std::byte* const mine = make_own(on, size);
  on.tickets.store(mine, std::memory_order_release);
  return mine;
}

counted_words words(stream_state& on, std::size_t least) {
  constexpr std::size_t smallest = 64 * 1024;
  const std::size_t size = std::bit_ceil(std::max(least, smallest));
  if (capture_state* c = on.capture.load(std::memory_order_acquire)) [[unlikely]]
    return captured_words(*c, on, size);
  const auto enough = [&](const counted_words* w) { return w && w->room * sizeof(std::uint64_t) >= least; };
  if (const counted_words* mine = on.words.load(std::memory_order_acquire); enough(mine)) [[likely]]
    return *mine;
  const std::lock_guard hold(making());
  if (const counted_words* mine = on.words.load(std::memory_order_relaxed); enough(mine)) return *mine;
  // What they replace stays: kernels that are under way use it, and all of it together is no more than they are.
  auto made = std::make_unique<counted_words>();
  made->data = make_own(on, size);
  made->room = size / sizeof(std::uint64_t);
  on.words.store(made.get(), std::memory_order_release);
  return *made.release();
}

}  // namespace sinter::runtime
