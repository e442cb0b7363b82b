// Pools: pool.hpp. A block goes to the next request at once where that comes after the free in the order of streams and
// events, whether or not either has happened yet; so addresses are used again as early as the driver may.
#include "pool.hpp"

#include <algorithm>
#include <memory>

#include "graph.hpp"

namespace softgpu {
namespace {

constexpr std::size_t unit = 512;

block* take_waiting(machine&, memory_pool& from, const vector_clock& now, std::size_t size) {
  auto best = from.waiting.end();
  for (auto at = from.waiting.begin(); at != from.waiting.end(); ++at)
    if (at->what->size >= size && at->what->size <= 2 * size && now.covers(at->slot, at->count) &&
        (best == from.waiting.end() || at->what->size < best->what->size))
      best = at;
  if (best == from.waiting.end()) return nullptr;
  block* const taken = best->what;
  from.waiting.erase(best);
  return taken;
}

}  // namespace

result allocate_from(machine& on, std::unique_lock<std::mutex>& held, memory_pool& from, stream& s, std::size_t size,
                     address* to) {
  const std::size_t whole = (size + unit - 1) / unit * unit;
  arena& memory = on.memory.of_device(from.device);
  vector_clock now = s.queue->now;
  now.join(on.host);
  block* made = take_waiting(on, from, now, whole);
  const bool fresh = !made;
  if (fresh) made = memory.allocate(whole);
  if (!made) {
    // What has been freed is given back once it has happened.
    const vector_clock upto = on.everything(&on.of_device(from.device));
    on.run_until(held, [&] { return on.is_done(upto); });
    trim(on, from, 0);
    made = memory.allocate(whole);
  }
  if (!made) return out_of_memory;
  if (fresh) from.reserved += made->size;
  made->use = block_use::pooled;
  from.used += made->size;
  from.reserved_high = std::max(from.reserved_high, from.reserved);
  from.used_high = std::max(from.used_high, from.used);
  on.submit(s, std::make_shared<begin_memory>(made->at, made->size));
  *to = made->at;
  return 0;
}

result free_in(machine& on, stream& s, address at) {
  arena* const where = on.memory.find(at);
  block* const found = where && where->kind == memory_kind::device ? where->containing(at) : nullptr;
  if (!found || found->at != at || found->use != block_use::pooled) return invalid_value;
  memory_pool& pool = on.of_device(where->device).pool;
  const tick count = on.submit(s, std::make_shared<end_memory>(at, found->size));
  found->use = block_use::waiting;
  pool.used -= found->size;
  pool.waiting.push_back({found, s.queue->slot, count});
  return 0;
}

result allocate_captured(machine& on, memory_pool& from, stream& s, std::size_t size, address* to) {
  arena& memory = on.memory.of_device(from.device);
  block* const made = memory.allocate((size + unit - 1) / unit * unit);
  if (!made) return out_of_memory;
  made->use = block_use::captured;
  // Gone with the last launch and the last graph that has it.
  const std::shared_ptr<void> holder(static_cast<void*>(made),
                                     [&memory](void* b) { memory.release(static_cast<block*>(b)); });
  if (const result no = submit(on, s, std::make_shared<begin_memory>(made->at, made->size, holder))) return no;
  *to = made->at;
  return 0;
}

result free_captured(machine& on, stream& s, address at) {
  arena* const where = on.memory.find(at);
  block* const found = where ? where->containing(at) : nullptr;
  if (!found || found->at != at || found->use != block_use::captured) return invalid_value;
  return submit(on, s, std::make_shared<end_memory>(at, found->size));
}

void trim(machine& on, memory_pool& pool, std::uint64_t least) {
  arena& memory = on.memory.of_device(pool.device);
  for (std::size_t i = pool.waiting.size(); i-- > 0 && pool.reserved > least;) {
    const memory_pool::free_block one = pool.waiting[i];
    if (!on.is_done(one.slot, one.count)) continue;
    pool.reserved -= one.what->size;
    memory.release(one.what);
    pool.waiting.erase(pool.waiting.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace softgpu
