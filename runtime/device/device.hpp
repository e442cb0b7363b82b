// What the runtime asks of a device. Three answers: cpu.cpp, cuda.cpp and interpreter.cpp. Everything above this interface is
// the same on each; everything below it is nobody else's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <sinter/device.hpp>

#include "codegen/compile/compiler.hpp"
#include "codegen/ir/kernel.hpp"

namespace sinter::runtime {

/// A loaded kernel. What it is depends on the device; the device owns it for the life of the process.
struct loaded_kernel {
  void* entry = nullptr;   // cuda: CUfunction; cpu: the kernel's address; interpreter: the kernel and its variant
  void* finish = nullptr;  // cpu: the second phase of a reduction
};

/// How a launch is laid out. cuda reads grid and block; cpu cuts [0, items) into ranges and then runs finish over
/// [0, finish_items).
struct geometry {
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  std::int64_t items = 0;
  std::int64_t finish_items = 0;
  double work_per_item = 1;  // estimated nanoseconds on one core: hand-off to threads only where it pays
};

class device_impl {
 public:
  virtual ~device_impl() = default;

  device id;  // what the user sees
  int alignment_of_blocks = 512;

  /// A block from the pool. Errors: `out_of_memory`. Units: bytes; 0 bytes gives null.
  virtual std::byte* allocate(std::size_t size) = 0;
  /// Gives a block back. In stream order: the block may be handed out again at once.
  virtual void deallocate(std::byte* block, std::size_t size) noexcept = 0;

  /// Copies; `copy_out` waits, `copy_in` may return once the host memory has been read.
  virtual void copy_in(std::byte* to, const void* from_host, std::size_t size) = 0;
  virtual void copy_out(void* to_host, const std::byte* from, std::size_t size) = 0;
  virtual void copy(std::byte* to, const std::byte* from, std::size_t size) = 0;
  virtual void zero(std::byte* block, std::size_t size) = 0;

  /// Waits for all work of this device. Errors: `device_lost` with the first cause.
  virtual void synchronize() = 0;

  /// The compiler for this device's kernels; null where kernels are interpreted.
  virtual const codegen::compiler* compiler() const = 0;
  virtual codegen::dialect dialect() const = 0;
  /// Makes an image's kernel callable. `source` is the kernel it was made from, for the interpreter and for messages.
  virtual loaded_kernel load(const codegen::bytes* image, const codegen::kernel& source,
                             const codegen::variant& of) = 0;
  /// Runs a kernel. `arguments`: the packed argument block of codegen/source (one layout on every device).
  virtual void launch(const loaded_kernel&, const geometry&, const void* arguments, std::size_t size) = 0;

  virtual int multiprocessors() const = 0;      // cuda: SM count; cpu: threads
  virtual std::string description() const = 0;  // for SINTER_LOG and reports: "NVIDIA H200 (sm_90, ...)"
};

/// The device's implementation. Errors: `device_error` saying what was looked for.
device_impl& implementation(device);

/// The calling thread's current device.
device_impl& current_device();

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
