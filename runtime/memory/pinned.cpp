// The pinned pool: on each device a list of free blocks for each power of two from 512 bytes on, and a table of all
// blocks by address, which also answers whether host memory is pinned. One mutex over all of it, never held across a
// call that makes or frees memory or waits: those take the driver milliseconds.
#include "runtime/memory/pinned.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <sinter/error.hpp>

#include "runtime/device/cuda_memory.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/memory/pool.hpp"
#include "runtime/never_destroyed.hpp"
#include "runtime/stream/order.hpp"

namespace sinter {
namespace runtime {
namespace {

/// A copy that a block was part of.
struct use {
  stream_state* on;
  std::uint64_t position;
};

enum class block_state : unsigned char { handed_out, waiting, free };

struct pinned_block {
  std::byte* data = nullptr;
  std::size_t size = 0;
  device_impl* device = nullptr;
  pinned_pool* owner = nullptr;
  std::vector<use> uses;         // the last one of each stream
  pinned_block* next = nullptr;  // in one of its pool's lists
  block_state state = block_state::handed_out;
  int graphs = 0;        // that copy from or to it
  bool dropped = false;  // handed out, but only for those any more
};

/// A list of blocks, taken from either of a pool's.
struct block_list {
  pinned_block* first = nullptr;
  void push(pinned_block& b) noexcept { b.next = std::exchange(first, &b); }
  pinned_block* pop() noexcept { return first ? std::exchange(first, first->next) : nullptr; }
};

struct block_map {
  std::mutex busy;
  std::map<const std::byte*, pinned_block*> blocks;

  /// The block that a range lies in, or null. Needs the lock.
  pinned_block* around(const void* memory, std::size_t size) const noexcept {
    const auto* const first = static_cast<const std::byte*>(memory);
    auto at = blocks.upper_bound(first);
    if (at == blocks.begin()) return nullptr;
    pinned_block* const b = std::prev(at)->second;
    const auto offset = static_cast<std::size_t>(first - b->data);
    return offset < b->size && size <= b->size - offset ? b : nullptr;
  }
};

/// Leaked: static arrays may outlive every destructor.
block_map& all() {
  static never_destroyed<block_map> map;
  return map.object;
}

constexpr std::size_t classes = 63;  // powers of two; larger ones do not exist

std::size_t class_of(std::size_t size) noexcept {
  return static_cast<std::size_t>(std::bit_width(std::max<std::size_t>(size, 512) - 1));
}

/// Have all copies finished? Never waits.
bool unused(pinned_block& b) noexcept {
  try {
    std::erase_if(b.uses, [](const use& u) { return reached(*u.on, u.position); });
  } catch (const device_lost&) {
    b.uses.clear();  // nothing runs any more
  } catch (...) {
    // No answer yet; it is asked again.
  }
  return b.uses.empty();
}

/// Deletes blocks that are in no table any more, when their copies have finished.
void destroy(block_list blocks) noexcept {
  while (pinned_block* b = blocks.pop()) {
    for (const use& u : b->uses) wait_surely(*u.on, u.position);
    b->device->memory(memory_kind::pinned).release(b->data, b->size);
    delete b;
  }
}

}  // namespace

struct pinned_pool::state {
  struct cache {
    block_list free[classes];
    block_list waiting;  // freed, but a copy still uses them
    std::size_t count = 0;
  };
  std::map<const device_impl*, cache> caches;

  static void keep(cache&, pinned_block&) noexcept;
  static void poll(cache&) noexcept;
  static block_list empty(cache&, bool waiting_too) noexcept;
  void take_back(pinned_block&) noexcept;
  block_list forget(const device_impl&) noexcept;
};

// All of these need the lock.

/// Puts an unused block among the free ones.
void pinned_pool::state::keep(cache& c, pinned_block& b) noexcept {
  b.state = block_state::free;
  c.free[class_of(b.size)].push(b);
  ++c.count;
}

void pinned_pool::state::poll(cache& c) noexcept {
  block_list waiting = std::exchange(c.waiting, {});
  while (pinned_block* b = waiting.pop()) {
    if (unused(*b)) keep(c, *b);
    else c.waiting.push(*b);
  }
}

/// Takes what is cached out of the lists and out of the table.
block_list pinned_pool::state::empty(cache& c, bool waiting_too) noexcept {
  block_list gone;
  const auto move_all = [&](block_list& from) {
    while (pinned_block* b = from.pop()) {
      all().blocks.erase(b->data);
      gone.push(*b);
    }
  };
  for (block_list& list : c.free) move_all(list);
  if (waiting_too) move_all(c.waiting);
  c.count = 0;
  return gone;
}

void pinned_pool::state::take_back(pinned_block& b) noexcept {
  cache& c = caches.find(b.device)->second;
  if (unused(b)) return keep(c, b);
  b.state = block_state::waiting;
  c.waiting.push(b);
}

block_list pinned_pool::state::forget(const device_impl& device) noexcept {
  const auto at = caches.find(&device);
  if (at == caches.end()) return {};
  const block_list gone = empty(at->second, true);
  caches.erase(at);
  return gone;
}

namespace {

[[noreturn]] void refuse(std::size_t size, const device_impl& device, const char* because) try {
  const std::string on = to_text(device.id), asked = with_commas(size);
  throw out_of_memory(
      detail::message("out of pinned memory for %s: asked for %s bytes, %s", on.c_str(), asked.c_str(), because)
          .c_str(),
      size, 0, 0);
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

/// A new block; null where there is no pinned memory to be had.
void* add(std::size_t size, device_impl& device, pinned_pool& owner) {
  memory_source& source = device.memory(memory_kind::pinned);
  auto made = std::make_unique<pinned_block>();
  made->data = source.allocate(size);
  if (!made->data) return nullptr;
  made->size = size;
  made->device = &device;
  made->owner = &owner;
  try {
    const std::lock_guard hold(all().busy);
    all().blocks.emplace(made->data, made.get());
  } catch (...) {
    source.release(made->data, size);
    throw;
  }
  owner.retain();
  return made.release()->data;
}

}  // namespace

pinned_pool::pinned_pool() : s_(std::make_unique<state>()) {}

pinned_pool::~pinned_pool() {
  block_list gone;
  {
    const std::lock_guard hold(all().busy);
    for (auto& [device, c] : s_->caches) {
      block_list blocks = state::empty(c, true);
      while (pinned_block* b = blocks.pop()) gone.push(*b);
    }
  }
  destroy(gone);
}

void pinned_pool::retain() noexcept { __atomic_fetch_add(&references_, 1, __ATOMIC_RELAXED); }
void pinned_pool::release() noexcept {
  if (__atomic_fetch_sub(&references_, 1, __ATOMIC_ACQ_REL) == 1) delete this;
}

void* pinned_pool::allocate(std::size_t size, device_impl& device) {
  if (size == 0) return nullptr;
  const std::size_t index = class_of(size);
  if (index >= classes) refuse(size, device, "no host has that many");
  try {
    {
      const std::lock_guard hold(all().busy);
      state::cache& c = s_->caches[&device];
      state::poll(c);
      if (pinned_block* b = c.free[index].pop()) {
        --c.count;
        b->state = block_state::handed_out;
        retain();
        return b->data;
      }
    }
    for (const bool emptied : {false, true}) {
      if (emptied) {
        block_list gone;
        {
          const std::lock_guard hold(all().busy);
          gone = state::empty(s_->caches[&device], true);
        }
        destroy(gone);
      }
      if (void* memory = add(std::size_t{1} << index, device, *this)) return memory;
    }
  } catch (const std::bad_alloc&) {
    refuse(size, device, "the host has no room for the pool's own records");
  }
  refuse(size, device, "the host has no more");
}

void pinned_pool::deallocate(void* memory) noexcept {
  if (!memory) return;
  pinned_pool* owner = nullptr;
  {
    const std::lock_guard hold(all().busy);
    const auto at = all().blocks.find(static_cast<std::byte*>(memory));
    if (at != all().blocks.end() && at->second->state == block_state::handed_out && !at->second->dropped) {
      pinned_block& b = *at->second;
      b.dropped = b.graphs > 0;
      if (b.dropped) return;
      owner = b.owner;
      owner->s_->take_back(b);
    }
  }
  if (owner) owner->release();
  else std::fprintf(stderr, "sinter: %p is no pinned block in use; not freed\n", memory);
}

std::size_t pinned_pool::n_free_blocks(const device_impl& device) const {
  const std::lock_guard hold(all().busy);
  const auto at = s_->caches.find(&device);
  return at == s_->caches.end() ? 0 : at->second.count;
}

void pinned_pool::free_all_blocks(device_impl& device) noexcept {
  block_list gone;
  {
    const std::lock_guard hold(all().busy);
    const auto at = s_->caches.find(&device);
    if (at == s_->caches.end()) return;
    state::poll(at->second);
    gone = state::empty(at->second, false);
  }
  destroy(gone);
}

bool is_pinned(const void* memory, std::size_t size, const device_impl& target) noexcept {
  {
    const std::lock_guard hold(all().busy);
    const pinned_block* const b = all().around(memory, size);
    if (b && (b->device->asynchronous() || !target.asynchronous())) return true;
  }
  return pinned_for_cuda(memory, size);
}

void* pinned_pool::hold_for_graph(const void* memory) noexcept {
  const std::lock_guard hold(all().busy);
  pinned_block* const b = all().around(memory, 1);
  if (!b) return nullptr;
  ++b->graphs;
  return b->data;
}

void pinned_pool::release_of_graph(void* block) noexcept {
  pinned_pool* owner = nullptr;
  {
    const std::lock_guard hold(all().busy);
    pinned_block& b = *all().blocks.find(static_cast<std::byte*>(block))->second;
    if (--b.graphs > 0 || !b.dropped) return;
    b.dropped = false;
    owner = b.owner;
    owner->s_->take_back(b);
  }
  owner->release();
}

void note_use(const void* memory, stream_state& on, std::uint64_t position) {
  const std::lock_guard hold(all().busy);
  pinned_block* const b = all().around(memory, 1);
  if (!b) return;
  for (use& u : b->uses)
    if (u.on == &on) {
      u.position = std::max(u.position, position);
      return;
    }
  try {
    b->uses.push_back({&on, position});
  } catch (const std::bad_alloc&) {
    throw out_of_memory("out of memory: the host has no room to note the use of pinned memory", sizeof(use), 0, 0);
  }
}

void drop_pinned(device_impl& device) noexcept {
  for (bool found = true; found;) {
    found = false;
    block_list gone;
    {
      const std::lock_guard hold(all().busy);
      for (const auto& [data, b] : all().blocks)
        if (b->device == &device && b->state != block_state::handed_out) {
          found = true;
          gone = b->owner->s_->forget(device);
          break;  // the table has changed
        }
    }
    destroy(gone);
  }
}

}  // namespace runtime

using runtime::current_device;

pinned_memory_pool::pinned_memory_pool() try : pool_(new runtime::pinned_pool) {
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}
pinned_memory_pool::pinned_memory_pool(const pinned_memory_pool& other) noexcept : pool_(other.pool_) {
  pool_->retain();
}
pinned_memory_pool& pinned_memory_pool::operator=(const pinned_memory_pool& other) noexcept {
  other.pool_->retain();
  std::exchange(pool_, other.pool_)->release();
  return *this;
}
pinned_memory_pool::~pinned_memory_pool() { pool_->release(); }

void* pinned_memory_pool::allocate(std::size_t size) { return pool_->allocate(size, current_device()); }
void pinned_memory_pool::deallocate(void* block) noexcept { runtime::pinned_pool::deallocate(block); }
std::size_t pinned_memory_pool::n_free_blocks() const { return pool_->n_free_blocks(current_device()); }
void pinned_memory_pool::free_all_blocks() { pool_->free_all_blocks(current_device()); }

pinned_memory_pool& default_pinned_memory_pool() {
  static runtime::never_destroyed<pinned_memory_pool> pool;  // static pinned arrays may go later
  return pool.object;
}

namespace detail {

void* allocate_pinned(const shape& s, std::size_t itemsize, bool zeroed) {
  s.check();
  const std::size_t size = static_cast<std::size_t>(s.elements()) * itemsize;
  void* const memory = default_pinned_memory_pool().allocate(size);
  if (zeroed && size) std::memset(memory, 0, size);
  return memory;
}

void free_pinned(void* memory) noexcept { runtime::pinned_pool::deallocate(memory); }

}  // namespace detail
}  // namespace sinter
