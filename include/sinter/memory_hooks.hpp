// Hooks that see every allocation of the pools: to log them, to count them, to find the statements they come from. A
// hook is registered for a thread and a scope; where there is none, it costs a load.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>

#include <sinter/device.hpp>

namespace sinter {

namespace runtime {
struct hook_list;
}

/// What a hook is told. Units: bytes.
struct memory_event {
  sinter::device device;
  std::size_t size;      ///< asked for; as mem_size where memory is got for a pool
  std::size_t mem_size;  ///< as the pool counts it: a multiple of 512
  void* mem_ptr;         ///< null before there is any, and afterwards where there was no room
  const void* pmem_id;   ///< the same from malloc to free, and no other block's in between; null where mem_ptr is
};

/// Derive from it to observe the pools. In the order of an allocation: malloc_preprocess; where the pool has nothing
/// cached that fits, alloc_preprocess and alloc_postprocess around getting memory from the device; malloc_postprocess.
/// Of a release: free_preprocess, free_postprocess. What a function throws is reported on stderr and goes no further.
/// While one runs, the thread's hooks do not see what it allocates itself. Source: cupy.cuda.MemoryHook.
class SINTER_API memory_hook {
 public:
  memory_hook() = default;
  memory_hook(const memory_hook&) = delete;
  memory_hook& operator=(const memory_hook&) = delete;
  virtual ~memory_hook();

  /// Only one hook of a name can be registered in a thread.
  virtual const char* name() const = 0;
  virtual void alloc_preprocess(const memory_event&) {}
  virtual void alloc_postprocess(const memory_event&) {}
  virtual void malloc_preprocess(const memory_event&) {}
  virtual void malloc_postprocess(const memory_event&) {}
  virtual void free_preprocess(const memory_event&) {}
  virtual void free_postprocess(const memory_event&) {}
};

/// Registers a hook for the calling thread until the end of the scope, which is on the same thread. Hooks are called in
/// the order they were registered in. Errors: `error` where the thread has one of that name. Source: `with hook:`.
class [[nodiscard]] SINTER_API hook_scope {
 public:
  explicit hook_scope(memory_hook&);
  hook_scope(const hook_scope&) = delete;
  hook_scope& operator=(const hook_scope&) = delete;
  ~hook_scope();

 private:
  friend struct runtime::hook_list;
  memory_hook& hook_;
  hook_scope* before_;
  hook_scope* after_;
};

/// Prints one JSON object a line for each alloc, malloc and free. May be registered in several threads at once. Source:
/// cupy.cuda.memory_hooks.DebugPrintHook.
class SINTER_API debug_print_hook : public memory_hook {
 public:
  /// To standard output.
  debug_print_hook();
  /// Each line is flushed unless `flush` is false.
  explicit debug_print_hook(std::ostream&, bool flush = true);
  const char* name() const override;
  void alloc_postprocess(const memory_event&) override;
  void malloc_postprocess(const memory_event&) override;
  void free_postprocess(const memory_event&) override;

 private:
  std::ostream& out_;
  const bool flush_;
};

/// What memory_statistics_hook has seen. Units: bytes, and counts where no byte is named.
struct memory_statistics {
  std::uint64_t mallocs = 0;          ///< blocks handed out
  std::uint64_t frees = 0;            ///< blocks taken back
  std::uint64_t allocs = 0;           ///< times memory was got from a device: the pool had nothing that fitted
  std::uint64_t failures = 0;         ///< mallocs for which there was no room
  std::uint64_t requested_bytes = 0;  ///< asked for in all
  std::uint64_t used_bytes = 0;       ///< handed out in all, after rounding
  std::uint64_t acquired_bytes = 0;   ///< got from devices in all
  std::int64_t live_bytes = 0;        ///< handed out and not taken back; below zero where older blocks came back
  std::int64_t peak_bytes = 0;        ///< the most there were
};

/// Counts. May be registered in several threads at once and then counts for all of them.
class SINTER_API memory_statistics_hook : public memory_hook {
 public:
  memory_statistics_hook();
  ~memory_statistics_hook() override;
  const char* name() const override;
  void alloc_postprocess(const memory_event&) override;
  void malloc_postprocess(const memory_event&) override;
  void free_postprocess(const memory_event&) override;

  memory_statistics statistics() const;
  /// Begins anew; what is live stays.
  void reset();

 private:
  struct state;
  state* state_;
};

/// Adds up allocations by where they come from: the statement that evaluates or makes an array, beneath the thread's
/// allocation labels; what cannot say where it stands, like a store into a view, is `(no statement)`. May be registered in
/// several threads at once. Source: cupy.cuda.memory_hooks.LineProfileHook.
class SINTER_API line_profile_hook : public memory_hook {
 public:
  line_profile_hook();
  ~line_profile_hook() override;
  const char* name() const override;
  void alloc_postprocess(const memory_event&) override;
  void malloc_postprocess(const memory_event&) override;

  /// A tree, two spaces a level: `where (bytes handed out, bytes got from the device), allocations`.
  void print_report(std::ostream&) const;
  /// Forgets everything.
  void reset();

 private:
  struct state;
  state* state_;
};

/// A name for what the calling thread allocates until the end of the scope; scopes nest. The text has to live as long.
class [[nodiscard]] SINTER_API allocation_label {
 public:
  explicit allocation_label(const char* text) noexcept;
  allocation_label(const allocation_label&) = delete;
  allocation_label& operator=(const allocation_label&) = delete;
  ~allocation_label();

  /// Library use: this label, and the one around it.
  const char* text() const noexcept { return text_; }
  const allocation_label* outer() const noexcept { return outer_; }

 private:
  const char* text_;
  const allocation_label* outer_;
};

}  // namespace sinter
