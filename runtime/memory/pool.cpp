// The pool: taking and cutting, merging, growing, giving back. Two locks: `growth` is held across calls to the source,
// `lock` over the bookkeeping for tens of nanoseconds; whoever needs both takes `growth` first.
#include "runtime/memory/pool.hpp"

#include <atomic>
#include <cassert>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <string_view>
#include <utility>

#include <sinter/error.hpp>

#include "runtime/memory/blocks.hpp"

namespace sinter::runtime {

static_assert(pool::unit == block_unit);

namespace {

/// 0 where the sum overflows.
std::size_t round_up(std::size_t size) { return (size + (block_unit - 1)) & ~(block_unit - 1); }

}  // namespace

struct pool::state {
  memory_source& source;
  const pool_options options;

  std::mutex growth;
  mutable spin_lock lock;
  free_index cached;
  block_table used;  // by address, those in `parked` too
  parking parked;
  records spare;
  block* segments = nullptr;
  std::size_t used_bytes = 0;
  std::size_t total_bytes = 0;
  std::atomic<std::size_t> limit;

  state(memory_source& from, pool_options with) : source(from), options(std::move(with)), limit(options.limit) {}

  std::byte* take(std::size_t size);
  block* cut(std::size_t size);
  bool give(const std::byte* data, std::size_t rounded) noexcept;
  void make_free(block& b) noexcept;
  void unpark() noexcept;
  void merge(block& b) noexcept;
  void add_segment(std::byte* memory, std::size_t size);
  void unlink_segment(block& first) noexcept;
};

/// Hands out a cached block. Null where there is none. Needs the lock.
std::byte* pool::state::take(std::size_t size) {
  block* b = parked.take(size);
  if (!b) b = cut(size);
  if (!b) return nullptr;
  used_bytes += size;
  return b->data;
}

/// The smallest free block that fits, its rest cut off and kept. Needs the lock.
block* pool::state::cut(std::size_t size) {
  block* b = cached.find(size);
  if (!b || b->size != size) {
    unpark();  // a better one may be there, or come about
    b = cached.find(size);
  }
  if (!b) return nullptr;
  spare.reserve(1);
  used.reserve(1);
  cached.erase(*b);
  if (b->size > size) {
    block& rest = spare.take();
    rest.data = b->data + size;
    rest.size = b->size - size;
    rest.left = b;
    rest.right = b->right;
    if (rest.right) rest.right->left = &rest;
    b->right = &rest;
    b->size = size;
    cached.insert(rest);
  }
  used.insert(*b);
  return b;
}

/// Takes a block back. False where it is not one that was handed out. Needs the lock.
bool pool::state::give(const std::byte* data, [[maybe_unused]] std::size_t rounded) noexcept {
  block* b = used.find(data);
  if (!b || b->parked) return false;
  assert(b->size == rounded);
  used_bytes -= b->size;
  if (block* before = parked.put(*b)) make_free(*before);
  return true;
}

void pool::state::make_free(block& b) noexcept {
  used.erase(b.data);
  merge(b);
}

/// From here on every free block is in the index, and merged. Needs the lock.
void pool::state::unpark() noexcept {
  parked.empty([this](block& b) { make_free(b); });
}

/// Makes a block that is in no list a free one, together with its free neighbours. Needs the lock.
void pool::state::merge(block& b) noexcept {
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
void pool::state::add_segment(std::byte* memory, std::size_t size) {
  block& first = spare.take();
  first.data = memory;
  first.size = size;
  first.next_segment = segments;
  if (segments) segments->previous_segment = &first;
  segments = &first;
  total_bytes += size;
  cached.insert(first);
}

void pool::state::unlink_segment(block& first) noexcept {
  (first.previous_segment ? first.previous_segment->next_segment : segments) = first.next_segment;
  if (first.next_segment) first.next_segment->previous_segment = first.previous_segment;
  total_bytes -= first.size;
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

std::byte* pool::allocate(std::size_t size) {
  if (size == 0) return nullptr;
  const std::size_t rounded = round_up(size);
  if (rounded == 0) refuse(size, "no device has that many");
  try {
    {
      std::lock_guard hold(s_->lock);
      if (std::byte* data = s_->take(rounded)) return data;
    }
    return grow(size, rounded);
  } catch (const std::bad_alloc&) {
    refuse(size, "the host has no room for the pool's own records");
  }
}

void pool::deallocate(std::byte* data, std::size_t size) noexcept {
  if (!data) return;
  {
    std::lock_guard hold(s_->lock);
    if (s_->give(data, round_up(size))) return;
  }
  std::fprintf(stderr, "sinter: %s was given a block back that it had not handed out (%p); ignored\n",
               s_->options.name.c_str(), static_cast<void*>(data));
}

/// The way of a request that no cached block serves: a new segment, if need be after everything cached has gone back.
std::byte* pool::grow(std::size_t size, std::size_t rounded) {
  state& s = *s_;
  std::lock_guard growing(s.growth);
  const bool small = rounded < s.options.segment / 2;
  for (const bool emptied : {false, true}) {
    if (emptied) release_cached();
    std::size_t room = SIZE_MAX;
    {
      std::lock_guard hold(s.lock);
      if (std::byte* data = s.take(rounded)) return data;  // others freed, or grew, while this thread waited
      const std::size_t limit = s.limit.load(std::memory_order_relaxed);
      if (limit && rounded > limit) break;
      if (limit) room = limit > s.total_bytes ? limit - s.total_bytes : 0;
    }
    if (small && s.options.segment <= room)
      if (std::byte* data = add_segment(s.options.segment, rounded)) return data;
    // Also for a small request near the limit, or where the device is nearly full: a segment of just its size.
    if (rounded <= room)
      if (std::byte* data = add_segment(rounded, rounded)) return data;
  }
  refuse(size, s.limit.load(std::memory_order_relaxed) ? "the limit leaves no room" : "the device has no more");
}

/// A new segment and a block of it; null where the source has no room. Needs `growth`.
std::byte* pool::add_segment(std::size_t segment, std::size_t rounded) {
  state& s = *s_;
  std::byte* memory = s.source.allocate(segment);
  if (!memory) return nullptr;
  try {
    std::lock_guard hold(s.lock);
    s.spare.reserve(2);  // all that may throw comes before the first change
    s.used.reserve(1);
    s.add_segment(memory, segment);
    return s.take(rounded);
  } catch (...) {
    s.source.release(memory, segment);
    throw;
  }
}

/// Needs `growth`, so that no other thread counts on what is about to go.
void pool::release_cached() noexcept {
  state& s = *s_;
  block* gone = nullptr;
  {
    std::lock_guard hold(s.lock);
    s.unpark();
    for (block *b = s.segments, *after; b; b = after) {
      after = b->next_segment;
      if (!b->free || !b->whole_segment()) continue;
      s.cached.erase(*b);
      s.unlink_segment(*b);
      b->next = std::exchange(gone, b);
    }
  }
  if (!gone) return;
  s.source.settle();
  for (const block* b = gone; b; b = b->next) s.source.release(b->data, b->size);
  std::lock_guard hold(s.lock);
  while (gone) s.spare.put(*std::exchange(gone, gone->next));
}

void pool::free_all_blocks() noexcept {
  std::lock_guard growing(s_->growth);
  release_cached();
}

std::size_t pool::used_bytes() const noexcept {
  std::lock_guard hold(s_->lock);
  return s_->used_bytes;
}

std::size_t pool::free_bytes() const noexcept {
  std::lock_guard hold(s_->lock);
  return s_->cached.bytes() + s_->parked.bytes();
}

std::size_t pool::total_bytes() const noexcept {
  std::lock_guard hold(s_->lock);
  return s_->total_bytes;
}

std::size_t pool::n_free_blocks() const noexcept {
  std::lock_guard hold(s_->lock);
  s_->unpark();
  return s_->cached.count();
}

std::size_t pool::largest_free_block() const noexcept {
  std::lock_guard hold(s_->lock);
  s_->unpark();
  return s_->cached.largest();
}

void pool::set_limit(std::size_t limit) noexcept { s_->limit.store(limit, std::memory_order_relaxed); }

std::size_t pool::limit() const noexcept { return s_->limit.load(std::memory_order_relaxed); }

void pool::refuse(std::size_t asked, const char* because) const {
  std::size_t used = 0, total = 0, largest = 0;
  {
    std::lock_guard hold(s_->lock);
    used = s_->used_bytes;
    total = s_->total_bytes;
    s_->unpark();
    largest = s_->cached.largest();
  }
  const std::size_t limit = s_->limit.load(std::memory_order_relaxed);
  const std::string message = "out of memory on " + s_->options.name + ": asked for " + with_commas(asked) +
                              " bytes, " + because + "; in use " + with_commas(used) + " of " + with_commas(total) +
                              " bytes held, limit " + (limit ? with_commas(limit) + " bytes" : "none") +
                              ", largest free block " + with_commas(largest) + " bytes";
  throw out_of_memory(message.c_str(), asked, used, limit);
}

std::size_t parse_memory_limit(const char* text, std::size_t total) {
  if (!text || !*text) return 0;
  double number = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, failure] = std::from_chars(text, end, number, std::chars_format::fixed);
  const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  bool right = failure == std::errc{} && number >= 0 && number < 1e18;
  if (suffix == "%") {
    right = right && number <= 100;
    number = number / 100 * static_cast<double>(total);
  } else if (!suffix.empty()) {
    const std::size_t power = std::string_view("KMGTkmgt").find(suffix[0]);
    right = right && power != std::string_view::npos && suffix.size() == 1;
    if (right) number *= static_cast<double>(std::size_t{1} << 10 * (power % 4 + 1));
  }
  if (right && number < 9e18) return static_cast<std::size_t>(number);
  const std::string message = "SINTER_MEMORY_LIMIT=" + std::string(text) +
                              ": expected a number of bytes, with K, M, G or T for powers of 1024, or a share of the "
                              "device's memory from 0% to 100%";
  throw error(message.c_str());
}

std::string with_commas(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

}  // namespace sinter::runtime
