// The memory of the devices and the pinned memory of the host: address ranges reserved once, out of which blocks are
// mapped. An address says by itself to which device it belongs, a block is never next to another, and an address that
// was freed is used again as late as possible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "clocks.hpp"

namespace softgpu {

using address = unsigned long long;

inline constexpr unsigned char poison = 0xFB;  // -2.6e36 as float, -2.5e288 as double, -67372037 as int

enum class memory_kind { device, managed, pinned };

/// Who may use a block: its owner; in a stream-ordered pool its owner, or none at the moment; or a graph.
enum class block_use { owned, pooled, waiting, captured };

struct block {
  address at = 0;
  std::size_t size = 0;    // as asked for
  std::size_t mapped = 0;  // whole pages
  int context = 0;
  block_use use = block_use::owned;
};

/// What is known about one unit of an arena: who touched it last, and which of its bytes.
struct shadow_unit {
  epoch writer;
  epoch reader;  // or an index into the shadow's lists of several readers
  std::uint16_t write_low, write_high;
  std::uint16_t read_low, read_high;
  std::uint16_t valid;  // bytes that are part of a block; 0: none
  bool atomic;          // the writes of `writer` were atomic
  bool shared_read;     // `reader` is such an index
};

class arena {
 public:
  arena(memory_kind kind, int device, address base, std::size_t span, std::size_t limit, unsigned unit_shift);

  /// Null where the limit or the range does not allow it. The block is mapped and poisoned, and not yet valid memory.
  block* allocate(std::size_t size);
  void release(block*);

  bool contains(address at) const { return at - base < span; }
  block* containing(address at);
  block* last_before(address at);  // that begins there or before
  shadow_unit& unit(address at) { return units[(at - base) >> unit_shift]; }
  unsigned char* written_bits(address at) { return &written[(at - base) / 8]; }
  /// Marks [at, at + size) as memory that work may use.
  void validate(address at, std::size_t size);
  void invalidate(address at, std::size_t size);

  const memory_kind kind;
  const int device;
  const address base;
  const std::size_t span;
  const std::size_t limit;
  const unsigned unit_shift;
  shadow_unit* const units;
  unsigned char* const written;  // a bit for each byte
  std::size_t used = 0;
  std::map<address, block> blocks;

 private:
  address find_room(std::size_t size);
  address cursor_;
};

/// All arenas, in one reserved range.
class memory_map {
 public:
  memory_map(int devices, std::size_t bytes_each);

  arena* find(address at) {
    const address offset = at - base_;
    return offset < span_ ? arenas_[offset >> each_shift_].get() : nullptr;
  }
  arena& of_device(int device) { return *arenas_[static_cast<std::size_t>(device)]; }
  arena& managed() { return *arenas_[arenas_.size() - 2]; }
  arena& pinned() { return *arenas_.back(); }
  const std::vector<std::unique_ptr<arena>>& all() const { return arenas_; }

 private:
  address base_ = 0;
  std::size_t span_ = 0;
  unsigned each_shift_ = 0;
  std::vector<std::unique_ptr<arena>> arenas_;
};

inline void* pointer(address at) { return reinterpret_cast<void*>(at); }

}  // namespace softgpu
