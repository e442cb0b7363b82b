// Where arrays get their memory: which resource the calling thread allocates from, counted references to resources, and
// the resources that come with Sinter. Between storages, which ask here, and the pools over a device's raw memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>

#include <sinter/detail/where.hpp>
#include <sinter/memory.hpp>
#include <sinter/memory_hooks.hpp>

#include "runtime/device/device.hpp"
#include "runtime/memory/pool.hpp"
#include "runtime/memory/source.hpp"

namespace sinter::runtime {

// ---- counting

/// The way to a resource's count. Below zero: it is never deleted, and nothing is counted.
struct resource_count {
  static constexpr int immortal = -1;
  static constexpr int& of(memory_resource& r) noexcept { return r.references_; }
};

/// One owner more. Any thread.
inline void retain(memory_resource& r) noexcept {
  int& count = resource_count::of(r);
  if (__atomic_load_n(&count, __ATOMIC_RELAXED) >= 0) __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
}
/// One owner less; the last one deletes the resource. Any thread, also while the process exits.
inline void release(memory_resource& r) noexcept {
  int& count = resource_count::of(r);
  if (__atomic_load_n(&count, __ATOMIC_RELAXED) >= 0 && __atomic_fetch_sub(&count, 1, __ATOMIC_ACQ_REL) == 1) delete &r;
}

/// A counted reference to a resource.
class resource_ref {
 public:
  /// Takes over a reference.
  explicit resource_ref(memory_resource& counted) noexcept : resource_(&counted) {}
  resource_ref(resource_ref&& other) noexcept : resource_(std::exchange(other.resource_, nullptr)) {}
  resource_ref& operator=(resource_ref&&) = delete;
  ~resource_ref() {
    if (resource_) release(*resource_);
  }
  memory_resource& operator*() const noexcept { return *resource_; }
  memory_resource* operator->() const noexcept { return resource_; }
  /// The reference becomes the caller's, who releases it.
  memory_resource& keep() noexcept { return *std::exchange(resource_, nullptr); }

 private:
  memory_resource* resource_;
};

// ---- which one

/// What scopes have set for a thread. One object, so that an allocation looks the thread's part of memory up once.
struct thread_memory {
  memory_resource* resource = nullptr;  // using_allocator's, whose scope owns a reference
  hook_scope* first_hook = nullptr;     // in the order of registration
  hook_scope* last_hook = nullptr;
  bool in_hook = false;
  const allocation_label* label = nullptr;  // the innermost one
  const detail::where* place = nullptr;     // of the statement that is evaluated; only kept while there are hooks
  const stream* growing_for = nullptr;      // whose arena a pool over an allocator is about to enlarge
};
extern constinit thread_local thread_memory memory_of_thread;

/// What set_allocator chose, where that is a resource that is never deleted; else null, and one has to ask.
extern constinit std::atomic<memory_resource*> immortal_choice;
resource_ref counted_choice() noexcept;

/// What the calling thread allocates from: its innermost using_allocator's resource, else set_allocator's, else the
/// default pool. Counted here, since another thread may replace it at any time.
inline resource_ref current_resource() noexcept {
  if (memory_resource* r = memory_of_thread.resource) [[unlikely]] {
    retain(*r);
    return resource_ref(*r);
  }
  if (memory_resource* r = immortal_choice.load(std::memory_order_acquire)) [[likely]]
    return resource_ref(*r);
  return counted_choice();
}

// ---- the pooled one

class pooled_resource;

/// Where a device's pool of a pooled_resource gets its segments: the device's memory, or an allocator. Hooks see the
/// requests.
class segment_source final : public memory_source {
 public:
  segment_source(device_impl& d, memory_kind kind) : device_(d), raw_(&d.memory(kind)) {}
  /// `releasing_on`: what segments go back on; by then nothing uses them.
  segment_source(device_impl& d, memory_resource& upstream, const stream& releasing_on)
      : device_(d), upstream_(&upstream), releasing_on_(releasing_on) {}
  std::byte* allocate(std::size_t size) override;
  void release(std::byte* segment, std::size_t size) noexcept override;
  void settle() noexcept override;
  bool over_allocator() const noexcept { return upstream_ != nullptr; }

 private:
  std::byte* take(std::size_t size);

  device_impl& device_;
  memory_source* raw_ = nullptr;
  memory_resource* upstream_ = nullptr;
  std::optional<stream> releasing_on_;
};

/// One device's pool of a pooled_resource.
struct device_pool {
  device_pool(device_impl&, const pooled_resource&);
  device_impl& device;
  segment_source source;
  pool blocks;
  device_pool* next = nullptr;  // of another device with the same index: tests make some
};

/// A pool for each device, made at its first use, its limit then read from SINTER_MEMORY_LIMIT. Its arenas are the
/// device's streams. Always counted or immortal, never on a stack. Source: cupy.cuda.MemoryPool.
class pooled_resource final : public memory_resource {
 public:
  struct never_deleted {};
  constexpr explicit pooled_resource(never_deleted) noexcept { resource_count::of(*this) = resource_count::immortal; }
  explicit pooled_resource(memory_kind kind) noexcept : kind_(kind) {}
  /// Takes its segments from an allocator, of which it keeps a reference.
  explicit pooled_resource(memory_resource& upstream) noexcept;
  ~pooled_resource() override;

  void* allocate(std::size_t size, const stream& on) override {
    stream_state& s = on.state();
    device_pool& p = of(s.device);
    if (memory_of_thread.first_hook || p.source.over_allocator()) [[unlikely]]
      return allocate_observed(p, size, on);
    return allocate(p, size, s.number);
  }
  void deallocate(void* block, std::size_t size, const stream& on) noexcept override;
  /// Leaves a block of the device's pool its first `size` bytes.
  void shorten(std::byte* block, std::size_t size, device_impl& device) { of(device).blocks.shorten(block, size); }

  /// The pool of a device. Errors: `error` for a SINTER_MEMORY_LIMIT that cannot be read.
  device_pool& of(device_impl& device) {
    if (device_pool* p = find(device)) [[likely]]
      return *p;
    return make(device);
  }
  /// Null where nothing has asked for the pool of this device yet.
  device_pool* find(const device_impl& device) const noexcept {
    device_pool* p = pools_[device.index].load(std::memory_order_acquire);
    while (p && &p->device != &device) p = p->next;
    return p;
  }
  memory_kind kind() const noexcept { return kind_; }
  memory_resource* upstream() const noexcept { return upstream_; }

 private:
  friend struct pool_registry;
  void* allocate(device_pool&, std::size_t size, unsigned arena);
  void* allocate_observed(device_pool&, std::size_t size, const stream& on);
  device_pool& make(device_impl&);

  memory_kind kind_ = memory_kind::device;
  memory_resource* upstream_ = nullptr;
  std::atomic<device_pool*> pools_[most_devices] = {};
  pooled_resource* before_ = nullptr;  // among the resources that have a pool
  pooled_resource* after_ = nullptr;
  bool registered_ = false;
};

pooled_resource& default_pools() noexcept;

/// Does a resource look at nothing of a stream but its number? Then it can take a block back when the stream is gone.
bool goes_by_arena(const memory_resource&) noexcept;

/// What set_limit is given, in bytes; 0: none. Errors: `error` for both at once, a negative number, a fraction above 1.
std::size_t limit_in_bytes(const memory_limit&, const device_impl&);

/// Gives the unused memory of this device that pools of any kind keep back to the device, for a call that found no room.
/// Waits for the device where there is any. True where something went back.
bool give_back_cached(device_impl&) noexcept;

/// Deletes all pools over this device's memory, and what pinned pools keep for it. Comes first in the destruction of a
/// device, which only tests do; none of its memory may be in use.
void drop_pools(device_impl&) noexcept;

// ---- the ones without a pool

/// Every request goes to the device, every block back at once, after its stream has finished. One object of each kind,
/// never deleted.
class raw_resource final : public memory_resource {
 public:
  constexpr explicit raw_resource(memory_kind kind) noexcept : kind_(kind) {
    resource_count::of(*this) = resource_count::immortal;
  }
  void* allocate(std::size_t size, const stream& on) override;
  void deallocate(void* block, std::size_t size, const stream& on) noexcept override;
  memory_kind kind() const noexcept { return kind_; }

 private:
  const memory_kind kind_;
};
/// Of device or managed memory.
raw_resource& raw_memory(memory_kind) noexcept;

}  // namespace sinter::runtime
