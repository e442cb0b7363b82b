// One allocation for each stream that reduces, past the pools: what a program sees of those is its own arrays. A graph's are
// the graph's, like its other temporaries.
#include "runtime/launch/tickets.hpp"

#include <mutex>

#include <sinter/error.hpp>

#include "runtime/device/device.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/order.hpp"
#include "runtime/stream/table.hpp"

namespace sinter::runtime {

namespace {

constexpr std::size_t size = most_tickets * sizeof(unsigned);

/// Not on the stream itself: if that is captured, every launch would zero them and none would before the first.
void zero_before(stream_state& on, std::byte* tickets) {
  stream_state& plain = on.device.streams().first();
  on.device.zero(tickets, size, plain);
  order_after(on, plain, plain.enqueued());
}

/// A graph may run beside the streams it was captured on, so it has its own.
std::byte* captured_tickets(capture_state& c, stream_state& on) {
  if (const auto at = c.tickets.find(&on); at != c.tickets.end()) return at->second->data;
  const storage_holder made(make_fresh_storage(size, c.origin, c.origin));
  zero_before(on, made.get()->data);
  c.tickets.emplace(&on, made.get());
  pin(*made.get());  // no array holds it: it lives as long as the capture
  return made.get()->data;
}

}  // namespace

std::byte* tickets(stream_state& on) {
  if (capture_state* c = on.capture.load(std::memory_order_acquire)) [[unlikely]]
    return captured_tickets(*c, on);
  if (std::byte* mine = on.tickets.load(std::memory_order_acquire)) [[likely]]
    return mine;
  static std::mutex* const making = new std::mutex;  // leaked: arrays with static storage may be evaluated late
  const std::lock_guard hold(*making);
  if (std::byte* mine = on.tickets.load(std::memory_order_relaxed)) return mine;
  memory_source& from = on.device.memory(memory_kind::device);
  std::byte* mine = from.allocate(size);
  if (!mine && make_room(on.device)) mine = from.allocate(size);
  if (!mine) throw out_of_memory("sinter: the device has no room for a reduction's tickets", size, 0, 0);
  try {
    zero_before(on, mine);
  } catch (...) {
    from.release(mine, size);
    throw;
  }
  on.tickets.store(mine, std::memory_order_release);
  return mine;
}

}  // namespace sinter::runtime
