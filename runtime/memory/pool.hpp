// The caching pool over a device's memory. Memory comes in segments, one for each request that nothing cached serves,
// is handed out in blocks that are multiples of 512 bytes, and comes back at once: freed neighbours are one block again
// before a caller can tell. Every stream has an arena of its own. used + free == total whenever the pool's lock is free.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "runtime/memory/source.hpp"

namespace sinter::runtime {

struct pool_options {
  std::string name = "this pool";  // in messages
  std::size_t limit = 0;           // on total_bytes(); 0: none
};

/// Units: bytes.
struct pool_usage {
  std::size_t used = 0;
  std::size_t free = 0;
  std::size_t total = 0;
};

/// A thread-safe best-fit pool. Any thread may free what another allocated. Stream behaviour: a block is handed out
/// again to the arena it was first allocated for only, so on a stream whose number is the arena's, what is still
/// enqueued for the previous owner comes before what the next one asks for. Source: cupy.cuda.MemoryPool.
class pool {
 public:
  static constexpr std::size_t unit = 512;  // sizes are multiples of this

  pool(memory_source&, pool_options);
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;
  /// Gives every segment back, used or not.
  ~pool();

  /// The arena's smallest cached block that is large enough, what is left of it cut off; else memory from the source,
  /// if need be after giving back all that any arena has cached. Errors: `out_of_memory`, and then no block has moved.
  /// Units: bytes; 0 gives null.
  std::byte* allocate(std::size_t size, unsigned arena);
  /// Leaves a used block its first `size` bytes, at least one; from now on it is one of that size. Errors: std::bad_alloc, and
  /// then it is as it was.
  void shorten(std::byte* block, std::size_t size);
  /// Gives a block back to the arena it was allocated from. Null is allowed. A block that is not of this pool is
  /// reported on stderr and left alone.
  void deallocate(std::byte* block, std::size_t size) noexcept;

  /// Returns the segments that no block of is in use to the source. A segment that is still split stays. True where one
  /// went.
  bool free_all_blocks() noexcept;
  bool free_all_blocks(unsigned arena) noexcept;
  /// The same for the sake of another pool, which may be growing, and so may this one for that one's: if it does not come to
  /// an end it is left alone.
  bool free_all_blocks_for_another() noexcept;

  /// All three as they were at one moment.
  pool_usage usage() const noexcept;
  std::size_t n_free_blocks() const noexcept;
  std::size_t largest_free_block() const noexcept;
  /// Identifies a used block until it is freed. Null where it is not the pool's.
  const void* record_of(const std::byte* block) const noexcept;

  /// Units: bytes; 0: none. What is held already may be more; then the pool does not grow.
  void set_limit(std::size_t limit) noexcept;
  std::size_t limit() const noexcept;

 private:
  struct state;
  std::byte* grow(std::size_t size, std::size_t rounded, unsigned arena);
  std::byte* add_segment(std::size_t rounded, unsigned arena);
  bool release_cached(const struct arena* only) noexcept;
  [[noreturn]] void refuse(std::size_t asked, const char* because) const;

  std::unique_ptr<state> s_;
};

/// A request as the pool counts it: the next multiple of 512; 0 where there is none.
constexpr std::size_t rounded_to_unit(std::size_t size) { return (size + (pool::unit - 1)) & ~(pool::unit - 1); }

/// Reads a memory limit as SINTER_MEMORY_LIMIT spells it: bytes, with K, M, G or T for powers of 1024, or a share of
/// `total` such as `50%`. Null, empty or 0: none. Errors: `error` for anything else. Units: bytes.
std::size_t parse_memory_limit(const char* text, std::size_t total);

/// 1234567 as "1,234,567".
std::string with_commas(std::size_t number);

}  // namespace sinter::runtime
