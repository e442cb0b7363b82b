// Memory: the pools arrays come from, their limits and statistics, what to put in their place, pinned host memory, and
// hooks that see every allocation. A program that never includes this gets the default pool, which is what it wants.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <utility>

#include <sinter/device.hpp>
#include <sinter/dtype.hpp>
#include <sinter/shape.hpp>
#include <sinter/stream.hpp>

namespace sinter {

namespace runtime {
struct resource_count;
struct device_pool;
class pinned_pool;
}  // namespace runtime

// ---- resources and allocators

/// Where blocks of memory come from. Derive from it to bring an allocator of your own. Any thread may call it. Hold what
/// it needs by value or counted: a block that a stream still uses comes back after its array has gone.
class SINTER_API memory_resource {
 public:
  constexpr memory_resource() noexcept = default;
  memory_resource(const memory_resource&) = delete;
  memory_resource& operator=(const memory_resource&) = delete;
  virtual ~memory_resource();

  /// A block of on.device()'s memory that may be used in the order of `on`; its address is a multiple of 256. Units:
  /// bytes, never 0. Errors: `out_of_memory`.
  virtual void* allocate(std::size_t size, const stream& on) = 0;
  /// Takes a block back. `on` is the stream it was allocated on, and what was enqueued there before may still use it;
  /// every other stream is done with it. Where none uses it any more, `on` may be any stream of the device.
  virtual void deallocate(void* block, std::size_t size, const stream& on) noexcept = 0;

 private:
  friend struct runtime::resource_count;
  int references_ = 0;
};

/// A counted handle to a memory resource. Arrays hold one to the resource their memory came from, so it lives as long
/// as they do.
class SINTER_API allocator {
 public:
  /// Shares a resource that was made by `new`; the last handle deletes it.
  explicit allocator(memory_resource* shared) noexcept;
  allocator(const allocator&) noexcept;
  allocator& operator=(const allocator&) noexcept;
  ~allocator();
  memory_resource& resource() const noexcept { return *resource_; }
  friend bool operator==(const allocator&, const allocator&) = default;

 private:
  memory_resource* resource_;
};
/// An allocator over a new R(arguments...).
template <std::derived_from<memory_resource> R, class... A>
allocator make_allocator(A&&... arguments) {
  return allocator(new R(std::forward<A>(arguments)...));
}

/// The device's memory without a pool: every request is a call to the driver, and freeing waits for the block's stream.
SINTER_API allocator device_memory();
/// Memory that host and device share, without a pool; `memory_pool(managed_memory())` is one over it. A request beyond
/// the device's free memory is refused, though the driver would page. Source: cupy.cuda.malloc_managed.
SINTER_API allocator managed_memory();

/// What arrays are allocated from, on all threads; nullptr: device_memory(), so no pool. Arrays keep what they have.
/// Errors: `error` inside using_allocator. Source: cupy.cuda.set_allocator.
SINTER_API void set_allocator(const allocator&);
SINTER_API void set_allocator(std::nullptr_t);
/// What the calling thread allocates from. Source: cupy.cuda.get_allocator.
SINTER_API allocator get_allocator();

/// Chooses what the calling thread allocates from until the end of the scope; scopes nest. nullptr: as set_allocator's.
/// Source: cupy.cuda.using_allocator.
class [[nodiscard]] SINTER_API using_allocator {
 public:
  explicit using_allocator(const allocator&);
  explicit using_allocator(std::nullptr_t);
  using_allocator(const using_allocator&) = delete;
  using_allocator& operator=(const using_allocator&) = delete;
  ~using_allocator();

 private:
  allocator mine_;
  memory_resource* before_;
};

// ---- the pools

namespace detail {
/// Numbers that may be absent or wrong, which set_limit finds out.
struct given_bytes {
  constexpr given_bytes() = default;
  template <std::integral Int>
  constexpr given_bytes(Int n) : value(static_cast<std::size_t>(n)), given(true), negative(n < Int(0)) {}
  std::size_t value = 0;
  bool given = false;
  bool negative = false;
};
struct given_fraction {
  constexpr given_fraction() = default;
  template <arithmetic F>
  constexpr given_fraction(F f) : value(static_cast<double>(f)), given(true) {}
  double value = 0;
  bool given = false;
};
}  // namespace detail

/// A limit on what a pool holds of a device's memory: bytes, or a fraction of all the device has. Neither, or 0: none.
struct memory_limit {
  detail::given_bytes bytes = {};
  detail::given_fraction fraction = {};
};

class memory_pool;
/// What arrays come from unless set_allocator says otherwise. Source: cupy.get_default_memory_pool.
SINTER_API memory_pool& default_memory_pool();

/// A pool for each device; everything here is about the current device's. Sizes are multiples of 512 bytes; the
/// smallest cached block that fits is used, its rest kept; freed neighbours merge. Each stream has its own blocks. A
/// new pool's limit on a device is SINTER_MEMORY_LIMIT (bytes, or a percentage of that device's memory). Copies are the
/// same pool; it lives as long as they and its arrays do. Source: cupy.cuda.MemoryPool.
class SINTER_API memory_pool : public allocator {
 public:
  /// Over plain device memory.
  memory_pool();
  /// Over another allocator. Source: MemoryPool(malloc_managed).
  explicit memory_pool(const allocator& upstream);

  /// Units: bytes, after rounding. used_bytes() + free_bytes() == total_bytes() while no other thread allocates.
  std::size_t used_bytes() const;
  std::size_t free_bytes() const;
  std::size_t total_bytes() const;
  /// The cached pieces of all streams, and the size of the largest.
  std::size_t n_free_blocks() const;
  std::size_t largest_free_block() const;

  /// Gives what is cached back to the device; with a stream only what was allocated for it. A piece of a block that is
  /// partly in use stays. Stream behaviour: waits for the device.
  void free_all_blocks();
  void free_all_blocks(const stream&);

  /// Errors: `error` for both at once, a negative number, a fraction above 1. What is held already may be more; then
  /// the pool does not grow. Source: MemoryPool.set_limit, get_limit.
  void set_limit(const memory_limit& = {});
  /// Units: bytes; 0: none.
  std::size_t get_limit() const;

  /// A block for the current stream, without an array around it. Units: bytes; 0 gives null. Errors: `out_of_memory`.
  /// Source: MemoryPool.malloc.
  void* allocate(std::size_t size);
  /// Takes it back, for the stream it was allocated on; its device is current. What other streams still do with it is
  /// the caller's to wait for.
  void deallocate(void* block, std::size_t size) noexcept;

 private:
  friend memory_pool& default_memory_pool();
  explicit memory_pool(memory_resource*);
  runtime::device_pool& here() const;
};

/// Which of a device's driver pools: the one the driver uses for cuMemAllocAsync now, or the one the device began with.
enum class driver_pool : unsigned char { current, default_ };

/// The CUDA driver's stream-ordered pool, which other libraries in the process may use too; everything here is about
/// the current device's. Its first use on a device makes the driver keep freed memory up to the limit. On the CPU,
/// which has none, it is a memory_pool. The driver does not say how many blocks are free, and tells no hooks. Source:
/// cupy.cuda.MemoryAsyncPool.
class SINTER_API async_memory_pool : public allocator {
 public:
  explicit async_memory_pool(driver_pool = driver_pool::current);

  /// Units: bytes. The driver chooses how much it holds; only used + free == total is promised.
  std::size_t used_bytes() const;
  std::size_t free_bytes() const;
  std::size_t total_bytes() const;

  /// Waits for the stream, or the current one, and gives what is free back to the device.
  void free_all_blocks();
  void free_all_blocks(const stream&);

  /// Soft: looked at before the driver's pool would grow for an array, and how much it keeps. Errors: as memory_pool's.
  void set_limit(const memory_limit& = {});
  /// Units: bytes; the largest std::size_t where there is none.
  std::size_t get_limit() const;
};

// ---- pinned host memory

/// Host memory that the device reads and writes without the driver's help; copies to and from it are asynchronous.
/// Sizes are powers of two from 512 bytes. On the CPU it is ordinary memory. Copies are the same pool. Source:
/// cupy.cuda.PinnedMemoryPool.
class SINTER_API pinned_memory_pool {
 public:
  pinned_memory_pool();
  pinned_memory_pool(const pinned_memory_pool&) noexcept;
  pinned_memory_pool& operator=(const pinned_memory_pool&) noexcept;
  ~pinned_memory_pool();

  /// A block. Units: bytes; 0 gives null. Errors: `out_of_memory`, after giving back what is cached. Source: malloc.
  void* allocate(std::size_t size);
  /// Takes a block back; it is not handed out again before the copies that use it have finished.
  void deallocate(void* block) noexcept;
  /// Cached blocks of the current device. One that a copy still used when it was freed counts from the next allocation
  /// or free_all_blocks on.
  std::size_t n_free_blocks() const;
  void free_all_blocks();

 private:
  runtime::pinned_pool* pool_;
};
/// What pinned arrays come from. Source: cupy.get_default_pinned_memory_pool.
SINTER_API pinned_memory_pool& default_pinned_memory_pool();

namespace detail {
SINTER_API void* allocate_pinned(const shape&, std::size_t itemsize, bool zeroed);
SINTER_API void free_pinned(void*) noexcept;
}  // namespace detail

/// Elements in pinned host memory, in C order: a span that owns them. Its memory is not used for anything else before
/// the copies from and to it have finished.
template <element T>
class pinned_array {
 public:
  using value_type = T;

  pinned_array() = default;
  pinned_array(pinned_array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), shape_(std::exchange(other.shape_, sinter::shape{0})) {}
  pinned_array& operator=(pinned_array&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(shape_, other.shape_);
    return *this;
  }
  ~pinned_array() { detail::free_pinned(data_); }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return static_cast<std::size_t>(shape_.elements()); }
  const sinter::shape& shape() const noexcept { return shape_; }
  int ndim() const noexcept { return shape_.size(); }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size(); }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size(); }
  /// In C order, whatever the shape.
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }

  /// Library use: takes over a block of allocate_pinned's.
  pinned_array(void* owned, const sinter::shape& s) noexcept : data_(static_cast<T*>(owned)), shape_(s) {}

 private:
  T* data_ = nullptr;
  sinter::shape shape_{0};
};

/// Errors: `out_of_memory`. Source: cupyx.empty_pinned, zeros_pinned, empty_like_pinned, zeros_like_pinned.
template <element T = double>
pinned_array<T> empty_pinned(const shape& s) {
  return pinned_array<T>(detail::allocate_pinned(s, sizeof(T), false), s);
}
template <element T = double>
pinned_array<T> zeros_pinned(const shape& s) {
  return pinned_array<T>(detail::allocate_pinned(s, sizeof(T), true), s);
}
/// Of the shape and element type of an array or an expression.
template <class E>
  requires requires { typename E::sinter_element; }
auto empty_like_pinned(const E& e) { return empty_pinned<typename E::sinter_element>(e.shape()); }
template <class E>
  requires requires { typename E::sinter_element; }
auto zeros_like_pinned(const E& e) { return zeros_pinned<typename E::sinter_element>(e.shape()); }
/// Of those of a pinned array.
template <element T>
auto empty_like_pinned(const pinned_array<T>& a) {
  return empty_pinned<T>(a.shape());
}
template <element T>
auto zeros_like_pinned(const pinned_array<T>& a) {
  return zeros_pinned<T>(a.shape());
}

}  // namespace sinter
