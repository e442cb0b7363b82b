// The pool: taking and cutting, merging, growing, giving back. Two locks: `growth` is held across calls to the source,
// `lock` over the bookkeeping for tens of nanoseconds; a function that needs both takes `growth` first.
#include "runtime/memory/pool.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sinter/error.hpp>

#include "runtime/frontend/message.hpp"
#include "runtime/memory/blocks.hpp"

namespace sinter::runtime {

static_assert(pool::unit == block_unit);

struct pool::state {
  memory_source& source;
  const pool_options options;

  std::recursive_mutex growth;  // a source may call back: an allocation hook that itself allocates
  mutable spin_lock lock;
  std::vector<std::unique_ptr<arena>> arenas;  // by number; null: not used yet
  block_table used;                            // by address, parked ones too
  records spare;
  block* segments = nullptr;
  std::size_t used_bytes = 0;
  std::size_t total_bytes = 0;
  std::atomic<std::size_t> limit;

  state(memory_source& from, pool_options with) : source(from), options(std::move(with)), limit(options.limit) {}

  void make_arena(unsigned number);
  arena* find_arena(unsigned number) const { return number < arenas.size() ? arenas[number].get() : nullptr; }
  std::byte* take(std::size_t size, unsigned arena);
  block& split(block& b, std::size_t size);
  block* cut(std::size_t size, arena& from);
  bool give(const std::byte* data, std::size_t rounded) noexcept;
  void make_free(block& b) noexcept;
  void unpark(arena& a) noexcept;
  void unpark_all() noexcept;
  void merge(block& b) noexcept;
  void add_segment(std::byte* memory, std::size_t size, arena& to);
  void unlink_segment(block& first) noexcept;
  std::size_t largest_free() noexcept;
};

/// Arenas are large and most streams never allocate, so one is made at its first use, before the lock is taken. Needs
/// `growth`.
void pool::state::make_arena(unsigned number) {
  if (find_arena(number)) return;
  auto made = std::make_unique<arena>();
  std::vector<std::unique_ptr<arena>> longer;
  if (number >= arenas.size()) longer.resize(std::max<std::size_t>(number + 1, 2 * arenas.size()));
  std::lock_guard hold(lock);
  if (!longer.empty()) {
    std::move(arenas.begin(), arenas.end(), longer.begin());
    arenas.swap(longer);
  }
  arenas[number] = std::move(made);
}

/// Hands out a cached block. Null where there is none. Needs the lock.
std::byte* pool::state::take(std::size_t size, unsigned number) {
  arena* from = find_arena(number);
  if (!from) return nullptr;
  block* b = from->parked.take(size);
  if (!b) b = cut(size, *from);
  if (!b) return nullptr;
  used_bytes += size;
  return b->data;
}

/// Leaves a block its first `size` bytes; the rest is one that is in no list. Needs the lock and a spare record.
block& pool::state::split(block& b, std::size_t size) {
  block& rest = spare.take();
  rest.data = b.data + size;
  rest.size = b.size - size;
  rest.home = b.home;
  rest.left = &b;
  rest.right = b.right;
  if (rest.right) rest.right->left = &rest;
  b.right = &rest;
  b.size = size;
  return rest;
}

/// The smallest free block that fits, its rest cut off and kept. Needs the lock.
block* pool::state::cut(std::size_t size, arena& from) {
  block* b = from.cached.find(size);
  if (!b || b->size != size) {
    unpark(from);  // a better one may be there, or come about
    b = from.cached.find(size);
  }
  if (!b) return nullptr;
  spare.reserve(1);
  used.reserve(1);
  from.cached.erase(*b);
  if (b->size > size) from.cached.insert(split(*b, size));
  used.insert(*b);
  return b;
}

/// Takes a block back. False where it is not one that was handed out. Needs the lock.
bool pool::state::give(const std::byte* data, [[maybe_unused]] std::size_t rounded) noexcept {
  block* b = used.find(data);
  if (!b || b->parked) return false;
  assert(b->size == rounded);
  used_bytes -= b->size;
  if (block* before = b->home->parked.put(*b)) make_free(*before);
  return true;
}

void pool::state::make_free(block& b) noexcept {
  used.erase(b.data);
  merge(b);
}

/// From here on every free block of the arena is in its index, and merged. Needs the lock.
void pool::state::unpark(arena& a) noexcept {
  a.parked.empty([this](block& b) { make_free(b); });
}

void pool::state::unpark_all() noexcept {
  for (const auto& a : arenas)
    if (a) unpark(*a);
}

/// Makes a block that is in no list a free one, together with its free neighbours. Needs the lock.
void pool::state::merge(block& b) noexcept {
  free_index& cached = b.home->cached;
  block* into = &b;
  const auto absorb_right = [&] {
    block& gone = *into->right;
    into->size += gone.size;
    into->right = gone.right;
    if (into->right) into->right->left = into;
    spare.put(gone);
  };
  if (b.right && b.right->free) {
    cached.erase(*b.right);
    absorb_right();
  }
  if (b.left && b.left->free) {
    cached.erase(*b.left);
    into = b.left;
    absorb_right();
  }
  cached.insert(*into);
}

/// A new segment as one free block. Needs the lock and a spare record.
void pool::state::add_segment(std::byte* memory, std::size_t size, arena& to) {
  block& first = spare.take();
  first.data = memory;
  first.size = size;
  first.home = &to;
  first.next_segment = segments;
  if (segments) segments->previous_segment = &first;
  segments = &first;
  total_bytes += size;
  to.cached.insert(first);
}

void pool::state::unlink_segment(block& first) noexcept {
  (first.previous_segment ? first.previous_segment->next_segment : segments) = first.next_segment;
  if (first.next_segment) first.next_segment->previous_segment = first.previous_segment;
  total_bytes -= first.size;
}

/// Needs the lock.
std::size_t pool::state::largest_free() noexcept {
  unpark_all();
  std::size_t largest = 0;
  for (const auto& a : arenas)
    if (a) largest = std::max(largest, a->cached.largest());
  return largest;
}

pool::pool(memory_source& source, pool_options options) : s_(std::make_unique<state>(source, std::move(options))) {}

pool::~pool() {
  if (!s_->segments) return;
  s_->source.settle();
  for (block* first = s_->segments; first; first = first->next_segment) {
    std::size_t size = 0;
    for (block* b = first; b; b = b->right) size += b->size;
    s_->source.release(first->data, size);
  }
}

std::byte* pool::allocate(std::size_t size, unsigned arena) {
  if (size == 0) return nullptr;
  const std::size_t rounded = rounded_to_unit(size);
  if (rounded == 0) refuse(size, "no device has that many");
  try {
    {
      std::lock_guard hold(s_->lock);
      if (std::byte* data = s_->take(rounded, arena)) return data;
    }
    return grow(size, rounded, arena);
  } catch (const std::bad_alloc&) {
    refuse(size, "the host has no room for the pool's own records");
  }
}

void pool::shorten(std::byte* data, std::size_t size) {
  const std::size_t left = rounded_to_unit(size);
  std::lock_guard hold(s_->lock);
  block* const b = s_->used.find(data);
  assert(b && !b->parked && left != 0 && left <= b->size);
  if (left == b->size) return;
  s_->spare.reserve(1);
  s_->used_bytes -= b->size - left;
  s_->merge(s_->split(*b, left));
}

void pool::deallocate(std::byte* data, std::size_t size) noexcept {
  if (!data) return;
  {
    std::lock_guard hold(s_->lock);
    if (s_->give(data, rounded_to_unit(size))) return;
  }
  std::fprintf(stderr, "sinter: %s was given a block back that it had not handed out (%p); ignored\n",
               s_->options.name.c_str(), static_cast<void*>(data));
}

/// The way of a request that no cached block serves: a new segment, if need be after everything cached has gone back.
std::byte* pool::grow(std::size_t size, std::size_t rounded, unsigned number) {
  state& s = *s_;
  std::lock_guard growing(s.growth);
  s.make_arena(number);
  for (const bool emptied : {false, true}) {
    if (emptied) release_cached(nullptr);
    {
      std::lock_guard hold(s.lock);
      if (std::byte* data = s.take(rounded, number)) return data;  // others freed while this thread waited
      const std::size_t limit = s.limit.load(std::memory_order_relaxed);
      if (limit && rounded > limit) break;
      if (limit && (s.total_bytes > limit || rounded > limit - s.total_bytes)) continue;
    }
    if (std::byte* data = add_segment(rounded, number)) return data;
  }
  refuse(size, s.limit.load(std::memory_order_relaxed) ? "the limit leaves no room" : "the device has no more");
}

/// A new segment as a used block; null where the source has no room. Needs `growth`.
std::byte* pool::add_segment(std::size_t rounded, unsigned number) {
  state& s = *s_;
  std::byte* memory = s.source.allocate(rounded);
  if (!memory) return nullptr;
  try {
    std::lock_guard hold(s.lock);
    const std::size_t limit = s.limit.load(std::memory_order_relaxed);
    if (!limit ||
        (s.total_bytes <= limit && rounded <= limit - s.total_bytes)) {  // a source that called back took some
      s.spare.reserve(2);  // all that may throw comes before the first change
      s.used.reserve(1);
      s.add_segment(memory, rounded, *s.find_arena(number));
      return s.take(rounded, number);
    }
  } catch (...) {
    s.source.release(memory, rounded);
    throw;
  }
  s.source.release(memory, rounded);
  return nullptr;
}

/// Needs `growth`, so that no other thread counts on what is about to go. Null: all arenas.
bool pool::release_cached(const arena* only) noexcept {
  state& s = *s_;
  block* gone = nullptr;
  {
    std::lock_guard hold(s.lock);
    s.unpark_all();
    for (block *b = s.segments, *after; b; b = after) {
      after = b->next_segment;
      if (!b->free || !b->whole_segment() || (only && b->home != only)) continue;
      b->home->cached.erase(*b);
      s.unlink_segment(*b);
      b->next = std::exchange(gone, b);
    }
  }
  if (!gone) return false;
  s.source.settle();
  for (const block* b = gone; b; b = b->next) s.source.release(b->data, b->size);
  std::lock_guard hold(s.lock);
  while (gone) s.spare.put(*std::exchange(gone, gone->next));
  return true;
}

bool pool::free_all_blocks() noexcept {
  std::lock_guard growing(s_->growth);
  return release_cached(nullptr);
}

bool pool::free_all_blocks_for_another() noexcept {
  std::unique_lock growing(s_->growth, std::defer_lock);
  for (int left = 50; !growing.try_lock(); --left) {
    if (left == 0) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return release_cached(nullptr);
}

bool pool::free_all_blocks(unsigned number) noexcept {
  std::lock_guard growing(s_->growth);
  const arena* only = s_->find_arena(number);
  return only && release_cached(only);
}

pool_usage pool::usage() const noexcept {
  std::lock_guard hold(s_->lock);
  pool_usage now{s_->used_bytes, 0, s_->total_bytes};
  for (const auto& a : s_->arenas)
    if (a) now.free += a->free_bytes();
  return now;
}

std::size_t pool::n_free_blocks() const noexcept {
  std::lock_guard hold(s_->lock);
  s_->unpark_all();
  std::size_t count = 0;
  for (const auto& a : s_->arenas)
    if (a) count += a->cached.count();
  return count;
}

std::size_t pool::largest_free_block() const noexcept {
  std::lock_guard hold(s_->lock);
  return s_->largest_free();
}

const void* pool::record_of(const std::byte* data) const noexcept {
  std::lock_guard hold(s_->lock);
  const block* b = s_->used.find(data);
  return b && !b->parked ? b : nullptr;
}

void pool::set_limit(std::size_t limit) noexcept { s_->limit.store(limit, std::memory_order_relaxed); }

std::size_t pool::limit() const noexcept { return s_->limit.load(std::memory_order_relaxed); }

void pool::refuse(std::size_t asked, const char* because) const try {
  const pool_usage now = usage();
  const std::size_t largest = largest_free_block();
  const std::size_t limit = s_->limit.load(std::memory_order_relaxed);
  const std::string message =
      "out of memory on " + s_->options.name + ": asked for " + with_commas(asked) + " bytes, " + because +
      "; in use " + with_commas(now.used) + " of " + with_commas(now.total) + " bytes held, limit " +
      (limit ? with_commas(limit) + " bytes" : "none") + ", largest free block " + with_commas(largest) + " bytes";
  throw out_of_memory(message.c_str(), asked, now.used, limit, largest);
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

std::size_t parse_memory_limit(const char* text, std::size_t total) try {
  if (!text || !*text) return 0;
  double number = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, failure] = std::from_chars(text, end, number, std::chars_format::fixed);
  const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  bool right = failure == std::errc{} && number >= 0 && number < 1e18;
  const bool nothing = number == 0;
  if (suffix == "%") {
    right = right && number <= 100;
    number = number / 100 * static_cast<double>(total);
  } else if (!suffix.empty()) {
    const std::size_t power = std::string_view("KMGTkmgt").find(suffix[0]);
    right = right && power != std::string_view::npos && suffix.size() == 1;
    if (right) number *= static_cast<double>(std::size_t{1} << 10 * (power % 4 + 1));
  }
  // 0.5 is neither a byte nor half of the memory; to take it for none would be no limit at all.
  if (right && number < 9e18 && (nothing || number >= 1)) return static_cast<std::size_t>(number);
  const std::string message = "SINTER_MEMORY_LIMIT=" + std::string(text) +
                              ": expected a number of bytes, with K, M, G or T for powers of 1024, or a share of the "
                              "device's memory from 0% to 100%";
  throw error(message.c_str());
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

std::string with_commas(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

}  // namespace sinter::runtime
