// The pooled resource and the ones without a pool, over whatever memory a device has. Pools of different resources on
// one device know of each other: before a request fails, all of them give back what they only keep.
#include "runtime/memory/resources.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>

#include <sinter/error.hpp>

#include "runtime/device/driver.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/memory/hooks.hpp"
#include "runtime/memory/pinned.hpp"
#include "runtime/never_destroyed.hpp"
#include "runtime/stream/order.hpp"
#include "runtime/stream/table.hpp"

namespace sinter::runtime {

constinit thread_local thread_memory memory_of_thread;

namespace {

constinit never_destroyed<pooled_resource> default_one{pooled_resource::never_deleted{}};
constinit never_destroyed<raw_resource> raw_device{memory_kind::device};
constinit never_destroyed<raw_resource> raw_managed{memory_kind::managed};

pool_options options_for(const device_impl& device, memory_kind kind) {
  pool_options o;
  o.name = to_text(device.id) + (kind == memory_kind::managed ? " (managed memory)" : "");
  o.limit = parse_memory_limit(std::getenv("SINTER_MEMORY_LIMIT"), device.total_memory());
  return o;
}

/// Is the resource one of those without a pool? Then a pool takes its memory from the device directly: nothing else
/// would be gained but a wait for each segment.
const raw_resource* as_raw(const memory_resource& r) noexcept {
  for (const raw_resource* raw : {&raw_device.object, &raw_managed.object})
    if (raw == &r) return raw;
  return nullptr;
}

/// Counts an owner unless the last one has just gone.
bool try_retain(memory_resource& r) noexcept {
  int& count = resource_count::of(r);
  int now = __atomic_load_n(&count, __ATOMIC_RELAXED);
  while (now > 0)
    if (__atomic_compare_exchange_n(&count, &now, now + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return true;
  return now == resource_count::immortal;
}

}  // namespace

// ---- segments

std::byte* segment_source::take(std::size_t size) {
  if (raw_) return raw_->allocate(size);
  try {
    return static_cast<std::byte*>(upstream_->allocate(size, *memory_of_thread.growing_for));
  } catch (const out_of_memory&) {
    return nullptr;  // the pool tries again with what it has cached given back, and says how much is in use
  }
}

std::byte* segment_source::allocate(std::size_t size) {
  if (!hooks::any()) [[likely]]
    return take(size);
  memory_event e{device_.id, size, size, nullptr, nullptr};
  hooks::call(&memory_hook::alloc_preprocess, e);
  const hooks::at_end after(&memory_hook::alloc_postprocess, e);
  std::byte* const memory = take(size);
  e.mem_ptr = memory;
  return memory;
}

void segment_source::release(std::byte* segment, std::size_t size) noexcept {
  if (raw_) raw_->release(segment, size);
  else upstream_->deallocate(segment, size, *releasing_on_);
}

/// By streams and not by the context: waiting for that while a stream is captured would invalidate the capture.
void segment_source::settle() noexcept {
  if (!exiting()) device_.streams().settle();
}

device_pool::device_pool(device_impl& d, const pooled_resource& r)
    : device(d),
      source(r.upstream() ? segment_source(d, *r.upstream(), d.streams().default_stream().handle_of())
                          : segment_source(d, r.kind())),
      blocks(source, options_for(d, r.kind())) {}

// ---- the pooled one

/// The pooled resources that have pools.
struct pool_registry {
  std::mutex busy;
  pooled_resource* first = nullptr;

  void add(pooled_resource& r) noexcept {
    r.after_ = first;
    if (first) first->before_ = &r;
    first = &r;
    r.registered_ = true;
  }

  void remove(pooled_resource& r) noexcept {
    (r.before_ ? r.before_->after_ : first) = r.after_;
    if (r.after_) r.after_->before_ = r.before_;
  }

  /// The next one that is not being deleted, counted. Null where there is none. Needs the lock.
  static pooled_resource* retained(pooled_resource* r) noexcept {
    while (r && !try_retain(*r)) r = r->after_;
    return r;
  }

  bool give_back(device_impl& device) noexcept {
    bool any = false;
    std::unique_lock hold(busy);
    pooled_resource* r = retained(first);
    while (r) {
      device_pool* p = r->find(device);
      // A pool has locks of its own, and an upstream that may come here: nothing is held but a reference.
      hold.unlock();
      if (p && p->blocks.free_all_blocks_for_another()) any = true;
      hold.lock();
      pooled_resource* const next = retained(r->after_);
      hold.unlock();
      release(*r);
      hold.lock();
      r = next;
    }
    return any;
  }

  void drop(const device_impl& device) noexcept {
    const std::lock_guard hold(busy);
    for (pooled_resource* r = first; r; r = r->after_) {
      device_pool* before = nullptr;
      device_pool* p = r->pools_[device.index].load(std::memory_order_relaxed);
      for (; p && &p->device != &device; p = p->next) before = p;
      if (!p) continue;
      if (before) before->next = p->next;
      else r->pools_[device.index].store(p->next, std::memory_order_release);
      delete p;
    }
  }

  device_pool& make(pooled_resource& r, device_impl& device) {
    const std::lock_guard hold(busy);
    if (device_pool* p = r.find(device)) return *p;
    auto* made = new device_pool(device, r);
    if (!r.registered_) add(r);
    made->next = r.pools_[device.index].load(std::memory_order_relaxed);
    r.pools_[device.index].store(made, std::memory_order_release);
    return *made;
  }
};

namespace {
constinit pool_registry registry;
}  // namespace

pooled_resource::pooled_resource(memory_resource& upstream) noexcept {
  if (const raw_resource* raw = as_raw(upstream)) {
    kind_ = raw->kind();
    return;
  }
  retain(upstream);
  upstream_ = &upstream;
}

pooled_resource::~pooled_resource() {
  if (registered_) {
    const std::lock_guard hold(registry.busy);
    registry.remove(*this);
  }
  for (auto& place : pools_)
    for (device_pool* p = place.load(std::memory_order_relaxed); p;) delete std::exchange(p, p->next);
  if (upstream_) release(*upstream_);
}

device_pool& pooled_resource::make(device_impl& device) try {
  return registry.make(*this, device);
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

void* pooled_resource::allocate(device_pool& p, std::size_t size, unsigned arena) {
  try {
    return p.blocks.allocate(size, arena);
  } catch (const out_of_memory& refused) {
    const bool by_limit = refused.limit && refused.asked > refused.limit - std::min(refused.limit, refused.in_use);
    if (by_limit || !give_back_cached(p.device)) throw;
  }
  return p.blocks.allocate(size, arena);
}

/// The way of a thread with hooks, and of pools over an allocator, which wants to know the stream.
void* pooled_resource::allocate_observed(device_pool& p, std::size_t size, const stream& on) {
  struct growing {
    const stream* const before;
    explicit growing(const stream& now) : before(std::exchange(memory_of_thread.growing_for, &now)) {}
    ~growing() { memory_of_thread.growing_for = before; }
  } const scope(on);
  const unsigned arena = on.state().number;
  if (!hooks::any()) return allocate(p, size, arena);
  memory_event e{p.device.id, size, rounded_to_unit(size), nullptr, nullptr};
  hooks::call(&memory_hook::malloc_preprocess, e);
  const hooks::at_end after(&memory_hook::malloc_postprocess, e);
  e.mem_ptr = allocate(p, size, arena);
  e.pmem_id = p.blocks.record_of(static_cast<std::byte*>(e.mem_ptr));
  return e.mem_ptr;
}

void pooled_resource::deallocate(void* block, std::size_t size, const stream& on) noexcept {
  device_pool* const p = find(on.state().device);
  const auto data = static_cast<std::byte*>(block);
  if (!p) {
    std::fprintf(stderr, "sinter: a pool was given a block back on a device that it has no memory of (%p); ignored\n",
                 block);
    return;
  }
  if (!hooks::any() || !block) [[likely]]
    return p->blocks.deallocate(data, size);
  const memory_event e{p->device.id, size, rounded_to_unit(size), block, p->blocks.record_of(data)};
  hooks::call(&memory_hook::free_preprocess, e);
  p->blocks.deallocate(data, size);
  hooks::call(&memory_hook::free_postprocess, e);
}

pooled_resource& default_pools() noexcept { return default_one.object; }

bool give_back_cached(device_impl& device) noexcept { return registry.give_back(device); }
void drop_pools(device_impl& device) noexcept {
  registry.drop(device);
  drop_pinned(device);
}

std::size_t limit_in_bytes(const memory_limit& asked, const device_impl& device) try {
  const auto& [bytes, fraction] = asked;
  if (bytes.given && fraction.given) throw error("sinter: set_limit takes bytes or a fraction, not both");
  if (bytes.negative) throw error("sinter: set_limit with a negative number of bytes");
  if (!fraction.given) return bytes.value;
  if (!(fraction.value >= 0 && fraction.value <= 1))
    throw error(
        ("sinter: set_limit with a fraction of " + std::to_string(fraction.value) + "; it is from 0 to 1").c_str());
  return static_cast<std::size_t>(fraction.value * static_cast<double>(device.total_memory()));
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

// ---- the ones without a pool

void* raw_resource::allocate(std::size_t size, const stream& on) try {
  device_impl& device = on.state().device;
  memory_source& from = device.memory(kind_);
  std::byte* memory = from.allocate(size);
  if (!memory && give_back_cached(device)) memory = from.allocate(size);
  if (memory) return memory;
  const std::size_t total = device.total_memory(), available = std::min(total, device.free_memory());
  const std::string message = "out of memory on " + to_text(device.id) + ": asked for " + with_commas(size) +
                              " bytes, without a pool; the device has " + with_commas(available) + " of its " +
                              with_commas(total) + " bytes free";
  throw out_of_memory(message.c_str(), size, total - available, 0, available);
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

void raw_resource::deallocate(void* block, std::size_t size, const stream& on) noexcept {
  stream_state& s = on.state();
  memory_source& to = s.device.memory(kind_);
  if (s.device.asynchronous() && !exiting()) {
    if (s.capture.load(std::memory_order_acquire)) s.device.streams().settle();
    else wait_surely(s, s.position());
  }
  to.release(static_cast<std::byte*>(block), size);
}

raw_resource& raw_memory(memory_kind kind) noexcept {
  return kind == memory_kind::managed ? raw_managed.object : raw_device.object;
}

bool goes_by_arena(const memory_resource& r) noexcept {
  return &r == &default_pools() || dynamic_cast<const pooled_resource*>(&r);
}

}  // namespace sinter::runtime
