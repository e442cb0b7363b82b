// Arenas: memory.hpp.
#include "memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace softgpu {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t spread = 16;  // addresses per byte of memory, so that they are used again late

std::size_t whole_pages(std::size_t size) { return (size + page - 1) / page * page; }

void* reserve(std::size_t size, int protection) {
  void* at = ::mmap(nullptr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at != MAP_FAILED) return at;
  std::perror("softgpu: cannot reserve address space");
  std::abort();
}

template <class T>
T* reserve_array(std::size_t count) {
  return static_cast<T*>(reserve(count * sizeof(T), PROT_READ | PROT_WRITE));
}

}  // namespace

arena::arena(memory_kind kind_, int device_, address base_, std::size_t span_, std::size_t limit_, unsigned unit_shift_)
    : kind(kind_),
      device(device_),
      base(base_),
      span(span_),
      limit(limit_),
      unit_shift(unit_shift_),
      units(reserve_array<shadow_unit>((span_ >> unit_shift_) + 1)),
      written(reserve_array<unsigned char>(span_ / 8)),
      cursor_(base_) {}

/// The first gap after the last block that was given out, so that a freed address comes back last.
address arena::find_room(std::size_t size) {
  const std::size_t wanted = size + page;  // a page that is never mapped follows every block
  for (int round = 0; round < 2; ++round) {
    address at = round == 0 ? cursor_ : base;
    auto next = blocks.lower_bound(at);
    if (next != blocks.begin()) {
      const block& before = std::prev(next)->second;
      at = std::max(at, before.at + before.mapped + page);
    }
    for (; next != blocks.end() && at + wanted > next->first; ++next) at = next->first + next->second.mapped + page;
    if (at + wanted <= base + span) return at;
  }
  return 0;
}

block* arena::allocate(std::size_t size) {
  const std::size_t mapped = whole_pages(std::max<std::size_t>(size, 1));
  if (size > limit || mapped > span || used + size > limit) return nullptr;
  const address at = find_room(mapped);
  if (at == 0 || ::mprotect(pointer(at), mapped, PROT_READ | PROT_WRITE) != 0) return nullptr;
  std::memset(pointer(at), poison, mapped);
  used += size;
  cursor_ = at + mapped + page;
  block& made = blocks[at];
  made.at = at;
  made.size = size;
  made.mapped = mapped;
  return &made;
}

void arena::release(block* gone) {
  invalidate(gone->at, gone->size);
  ::madvise(pointer(gone->at), gone->mapped, MADV_DONTNEED);
  ::mprotect(pointer(gone->at), gone->mapped, PROT_NONE);
  used -= gone->size;
  blocks.erase(gone->at);
}

block* arena::last_before(address at) {
  const auto next = blocks.upper_bound(at);
  return next == blocks.begin() ? nullptr : &std::prev(next)->second;
}

block* arena::containing(address at) {
  block* const found = last_before(at);
  return found && at - found->at < found->size ? found : nullptr;
}

void arena::validate(address at, std::size_t size) {
  const std::size_t each = std::size_t{1} << unit_shift;
  for (std::size_t done = 0; done < size; done += each) {
    shadow_unit& one = unit(at + done);
    one = {};
    one.valid = static_cast<std::uint16_t>(std::min(each, size - done));
  }
  std::memset(written_bits(at), 0, (size + 7) / 8);
}

void arena::invalidate(address at, std::size_t size) {
  const std::size_t each = std::size_t{1} << unit_shift;
  for (std::size_t done = 0; done < size; done += each) unit(at + done).valid = 0;
}

memory_map::memory_map(int devices, std::size_t bytes_each) {
  const std::size_t each = std::bit_ceil(std::max<std::size_t>(bytes_each * spread, std::size_t{1} << 34));
  const std::size_t count = static_cast<std::size_t>(devices) + 2;
  each_shift_ = static_cast<unsigned>(std::countr_zero(each));
  span_ = each * count;
  base_ = reinterpret_cast<address>(reserve(span_, PROT_NONE));
  for (std::size_t i = 0; i < count; ++i) {
    const memory_kind kind = i + 2 < count   ? memory_kind::device
                             : i + 1 < count ? memory_kind::managed
                                             : memory_kind::pinned;
    // The host has more memory than a device. Pinned memory is handed around by the cache line.
    const bool is_device = kind == memory_kind::device;
    arenas_.push_back(std::make_unique<arena>(kind, is_device ? static_cast<int>(i) : -1, base_ + i * each, each,
                                              is_device ? bytes_each : each / 2,
                                              kind == memory_kind::pinned ? 6u : 9u));
  }
}

}  // namespace softgpu
