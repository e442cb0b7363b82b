// What the runtime asks of a device. Three answers: cpu.cpp, cuda.cpp and interpreter.cpp. Everything above this interface is
// the same on each; everything below it is known to that device alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <sinter/device.hpp>

#include "codegen/compile/compiler.hpp"
#include "codegen/ir/kernel.hpp"
#include "runtime/device/trouble.hpp"
#include "runtime/memory/source.hpp"
#include "runtime/stream/stream.hpp"

namespace sinter {
enum class driver_pool : unsigned char;
}

namespace sinter::runtime {

class stream_table;
class program_module;

inline constexpr unsigned most_gpus = 64;
inline constexpr unsigned most_devices = most_gpus + 2;

/// A loaded kernel. What it is depends on the device; the device owns it for the life of the process.
struct loaded_kernel {
  void* entry = nullptr;   // cuda: CUfunction; cpu: the kernel's address; interpreter: the kernel and its variant
  void* finish = nullptr;  // cpu: the second phase of a reduction in parts; of a scan in chunks all of the work
};

/// How a launch is laid out. cuda reads grid and block; cpu cuts [0, items) into ranges and then runs finish over
/// [0, finish_items).
struct geometry {
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  std::int64_t items = 0;
  std::int64_t finish_items = 0;
  double work_per_item = 1;  // estimated nanoseconds on one core: hand-off to threads only where it pays
  int note = -1;             // where the arguments have the address of an index note; -1: nowhere
};

/// What a compiler made of a kernel, where the device knows; else no registers.
struct compiled_facts {
  int registers = 0;      // of a thread
  int spilled_bytes = 0;  // of a thread, in memory for want of registers, or because they are indexed
  double occupancy = 0;   // the share of a multiprocessor's threads that can be there at once; 0: not known
};

class device_impl {
 public:
  device_impl(device which, unsigned place);
  virtual ~device_impl();
  device_impl(const device_impl&) = delete;
  device_impl& operator=(const device_impl&) = delete;

  const device id;       // what the user sees
  const unsigned index;  // in tables with an entry for each device there may be, below most_devices
  index_troubles troubles{*this};

  /// Where kernels that the calling thread launches note indices that are out of range. Errors: `out_of_memory`.
  virtual codegen::index_trouble* index_note() { return troubles.note(); }

  /// The device's streams: the default one, those in use, those to use again.
  stream_table& streams() const noexcept { return *streams_; }
  /// False: whatever is enqueued has finished when the call returns, so no stream ever waits for another.
  virtual bool asynchronous() const = 0;

  // ---- memory: what pools are made over

  virtual memory_source& memory(memory_kind) = 0;
  /// The driver's own pool; null where there is none.
  virtual stream_ordered_source* stream_ordered_memory(driver_pool) { return nullptr; }
  /// Units: bytes.
  virtual std::size_t total_memory() const = 0;
  virtual std::size_t free_memory() const = 0;

  // ---- work: enqueued on a stream of this device, of which the caller then counts one operation

  /// Returns once the host memory may be changed.
  virtual void copy_in(std::byte* to, const void* from_host, std::size_t size, stream_state& on) = 0;
  /// Waits for the copy.
  virtual void copy_out(void* to_host, const std::byte* from, std::size_t size, stream_state& on) = 0;
  /// From and to pinned memory, which the caller keeps until the stream has come past the copy.
  virtual void copy_in_pinned(std::byte* to, const void* from_pinned, std::size_t size, stream_state& on) = 0;
  virtual void copy_out_pinned(void* to_pinned, const std::byte* from, std::size_t size, stream_state& on) = 0;
  virtual void copy(std::byte* to, const std::byte* from, std::size_t size, stream_state& on) = 0;
  /// From another device of the same kind. Stream behaviour: enqueued on `on`, of this device.
  virtual void copy_from(device_impl& other, std::byte* to, const std::byte* from, std::size_t size,
                         stream_state& on) = 0;
  virtual void zero(std::byte* block, std::size_t size, stream_state& on) = 0;
  /// Runs a kernel. `arguments`: the packed argument block of codegen/source (one layout on every device).
  virtual void launch(const loaded_kernel&, const geometry&, const void* arguments, std::size_t size,
                      stream_state& on) = 0;
  /// Behind what a library enqueued. Stream behaviour: waits where SINTER_SYNC=1 asks for that, as `launch` does.
  virtual void wait_if_asked([[maybe_unused]] const stream_state& on) {}
  virtual void call_host(void (*call)(void*) noexcept, void* with, stream_state& on) = 0;

  // ---- streams and events, by their native handles

  /// `how.priority` is clipped to what the device has.
  virtual void* create_stream(stream_options& how) = 0;
  /// Of a stream that Sinter did not make: is it never in order with the legacy default stream?
  virtual bool is_non_blocking(void*) { return true; }
  virtual void destroy_stream(void* native) noexcept = 0;
  virtual void synchronize(const stream_state&) = 0;
  virtual bool idle(const stream_state&) = 0;
  /// Waits for all work of this device. Errors: `device_lost` with the first cause.
  virtual void synchronize() = 0;

  virtual void* create_event(event_options) = 0;
  virtual void destroy_event(void* native) noexcept = 0;
  virtual void record(void* event, const stream_state&) = 0;
  virtual void wait(const stream_state& waiting, void* event) = 0;
  virtual bool done(void* event) = 0;
  virtual void synchronize(void* event) = 0;
  virtual double elapsed_milliseconds(void* start, void* end) = 0;

  // ---- graphs

  virtual void begin_capture(stream_state&) = 0;
  /// Makes `graph`, which may be null, what was enqueued since begin_capture, without an effect so far. True: it has been
  /// changed in place. Where it throws, it is as before.
  virtual bool end_capture(stream_state&, std::unique_ptr<executable_graph>& graph) = 0;
  /// Ends a capture and drops what it holds.
  virtual void drop_capture(stream_state&) noexcept = 0;
  virtual void launch(executable_graph&, stream_state&) = 0;

  /// Tells an attached profiler to begin or to end collecting. Nothing where there can be none.
  virtual void collect_profile(bool) {}

  // ---- kernels

  /// The compiler for this device's kernels; null where kernels are interpreted, or where it was given up.
  virtual const codegen::compiler* compiler() const = 0;
  /// What its compiled kernels are written in: the same for good, also when the compiler is given up.
  virtual codegen::dialect dialect() const = 0;
  /// The compiler gives no answer: from now on, kernels that are not there yet are interpreted. False: not on this device.
  virtual bool do_without_compiler([[maybe_unused]] const char* why) { return false; }
  /// Makes an image's kernel callable. `source` is the kernel it was made from, for the interpreter and for messages.
  virtual loaded_kernel load(const codegen::bytes* image, const codegen::kernel& source,
                             const codegen::variant& of) = 0;
  virtual compiled_facts facts_of(const loaded_kernel&, const geometry&) { return {}; }
  /// Loads an image of a program's own module; null where CUDA text does not run. Errors: `device_error`, `out_of_memory`.
  virtual std::unique_ptr<program_module> load_module(const void* image, std::size_t size);

  /// Makes the device current for what the calling thread asks of its vendor's libraries.
  virtual void use() {}

  // ---- facts

  virtual int multiprocessors() const = 0;          // cuda: SM count; cpu: threads
  virtual int capability() const { return 0; }      // cuda: 90 for 9.0
  virtual std::int64_t cache() const { return 0; }  // cuda: bytes of the cache that all SMs share
  /// What its maker states of memory and of float operations. Units: bytes, operations a second; 0: nothing is stated.
  virtual double stated_bandwidth() const { return 0; }
  virtual double stated_operations() const { return 0; }
  virtual std::string description() const = 0;  // for SINTER_LOG and reports: "NVIDIA H200 (sm_90, ...)"
  virtual device_properties properties() const = 0;

 private:
  const std::unique_ptr<stream_table> streams_;
};

/// The device's implementation. Errors: `device_error` saying what was looked for.
device_impl& implementation(device);

/// The calling thread's current device.
device_impl& current_device();

/// `cpu`, `cuda:0`, `interpreter`.
std::string to_text(device);

/// The device a word of SINTER_DEVICE means: `cpu`, `cuda`, `cuda:1`, `interpreter`; null or empty: the first GPU, else
/// the CPU. Errors: `error` for another word, `device_error` for a device that is not there, saying what was looked for.
device device_named(const char* word);

/// Makes the devices (each in its own file). Null where the machine has none.
std::unique_ptr<device_impl> make_cpu_device();
std::unique_ptr<device_impl> make_interpreter_device();
std::unique_ptr<device_impl> make_cuda_device(int ordinal);
/// The number of CUDA devices; 0 where the driver is absent, with `why` saying what was looked for.
int cuda_device_count(std::string* why);

}  // namespace sinter::runtime
