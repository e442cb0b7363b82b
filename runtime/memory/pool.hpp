// The caching pool behind every device's allocate and deallocate. Memory comes from the device in segments, is handed
// out in blocks that are multiples of 512 bytes, and comes back at once: freed neighbours are one block again before
// anyone can tell. used_bytes() + free_bytes() == total_bytes() whenever the pool's lock is free.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace sinter::runtime {

/// Where a pool's segments come from: the device's raw memory. Calls are never concurrent.
class memory_source {
 public:
  virtual ~memory_source() = default;

  /// A segment whose address is a multiple of 512, or null where there is no room. Errors: what else went wrong is
  /// thrown.
  virtual std::byte* allocate(std::size_t size) = 0;
  virtual void release(std::byte* segment, std::size_t size) noexcept = 0;
  /// Comes before a batch of releases: waits until the device no longer uses what has been freed.
  virtual void settle() noexcept {}
};

struct pool_options {
  std::string name = "this pool";              // in messages
  std::size_t segment = std::size_t{2} << 20;  // what requests under half of it share; 0: each has its own
  std::size_t limit = 0;                       // on total_bytes(); 0: none
};

/// A thread-safe best-fit pool. Any thread may free what another allocated. Stream behaviour: one stream per device, so
/// a freed block may be handed out at once; what the stream still does to it comes before what the next owner asks for.
/// Source: cupy.cuda.MemoryPool.
class pool {
 public:
  static constexpr std::size_t unit = 512;  // sizes are multiples of this

  pool(memory_source&, pool_options);
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;
  /// Gives every segment back, used or not.
  ~pool();

  /// The smallest cached block that is large enough, what is left of it cut off; else memory from the source, if need
  /// be after giving back all that is cached. Errors: `out_of_memory`, and then no block has moved. Units: bytes; 0
  /// gives null.
  std::byte* allocate(std::size_t size);
  /// Gives a block back. Null is allowed. A block that is not of this pool is reported on stderr and left alone.
  void deallocate(std::byte* block, std::size_t size) noexcept;

  /// Returns the segments that no block of is in use to the source. A segment that is still split stays.
  void free_all_blocks() noexcept;

  std::size_t used_bytes() const noexcept;
  std::size_t free_bytes() const noexcept;
  std::size_t total_bytes() const noexcept;
  std::size_t n_free_blocks() const noexcept;
  std::size_t largest_free_block() const noexcept;

  /// Units: bytes; 0: none. What is held already may be more; then the pool does not grow.
  void set_limit(std::size_t limit) noexcept;
  std::size_t limit() const noexcept;

 private:
  struct state;
  std::byte* grow(std::size_t size, std::size_t rounded);
  std::byte* add_segment(std::size_t segment, std::size_t rounded);
  void release_cached() noexcept;
  [[noreturn]] void refuse(std::size_t asked, const char* because) const;

  std::unique_ptr<state> s_;
};

/// Reads a memory limit as SINTER_MEMORY_LIMIT spells it: bytes, with K, M, G or T for powers of 1024, or a share of
/// `total` such as `50%`. Null, empty or 0: none. Errors: `error` for anything else. Units: bytes.
std::size_t parse_memory_limit(const char* text, std::size_t total);

/// 1234567 as "1,234,567".
std::string with_commas(std::size_t number);

}  // namespace sinter::runtime
