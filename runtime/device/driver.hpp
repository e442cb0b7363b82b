// The CUDA driver as a table of entry points, opened at first use. No CUDA header is included anywhere: the
// declarations are our own, so the library builds without a toolkit and a program starts on a machine without a driver.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace sinter::runtime {

// The driver's types under names of ours: handles are opaque pointers, device addresses 64-bit numbers, enums ints.
using cu_result = int;
using cu_device = int;
using cu_address = unsigned long long;
using cu_context = struct cu_context_object*;
using cu_module = struct cu_module_object*;
using cu_function = struct cu_function_object*;
using cu_stream = struct cu_stream_object*;
using cu_event = struct cu_event_object*;

/// Every entry point in use: the exported name, with the version that has 64-bit sizes, and its parameters. A new call
/// is a new line; all of them are in drivers since CUDA 11.
#define SINTER_DRIVER_CALLS(X)                                                                                    \
  X(cuInit, (unsigned flags))                                                                                     \
  X(cuDriverGetVersion, (int* version))                                                                           \
  X(cuGetErrorName, (cu_result result, const char** text))                                                        \
  X(cuGetErrorString, (cu_result result, const char** text))                                                      \
  X(cuDeviceGetCount, (int* count))                                                                               \
  X(cuDeviceGet, (cu_device * device, int ordinal))                                                               \
  X(cuDeviceGetName, (char* name, int length, cu_device device))                                                  \
  X(cuDeviceGetAttribute, (int* value, int attribute, cu_device device))                                          \
  X(cuDeviceTotalMem_v2, (std::size_t * bytes, cu_device device))                                                 \
  X(cuDevicePrimaryCtxRetain, (cu_context * context, cu_device device))                                           \
  X(cuDevicePrimaryCtxRelease_v2, (cu_device device))                                                             \
  X(cuCtxSetCurrent, (cu_context context))                                                                        \
  X(cuCtxGetCurrent, (cu_context * context))                                                                      \
  X(cuCtxSynchronize, ())                                                                                         \
  X(cuStreamCreate, (cu_stream * stream, unsigned flags))                                                         \
  X(cuStreamSynchronize, (cu_stream stream))                                                                      \
  X(cuStreamDestroy_v2, (cu_stream stream))                                                                       \
  X(cuEventCreate, (cu_event * event, unsigned flags))                                                            \
  X(cuEventRecord, (cu_event event, cu_stream stream))                                                            \
  X(cuEventSynchronize, (cu_event event))                                                                         \
  X(cuEventElapsedTime, (float* milliseconds, cu_event begin, cu_event end))                                      \
  X(cuEventDestroy_v2, (cu_event event))                                                                          \
  X(cuMemGetInfo_v2, (std::size_t * free, std::size_t * total))                                                   \
  X(cuMemAlloc_v2, (cu_address * memory, std::size_t size))                                                       \
  X(cuMemFree_v2, (cu_address memory))                                                                            \
  X(cuMemAllocHost_v2, (void** memory, std::size_t size))                                                         \
  X(cuMemFreeHost, (void* memory))                                                                                \
  X(cuMemcpyHtoDAsync_v2, (cu_address to, const void* from, std::size_t size, cu_stream stream))                  \
  X(cuMemcpyDtoHAsync_v2, (void* to, cu_address from, std::size_t size, cu_stream stream))                        \
  X(cuMemcpyDtoDAsync_v2, (cu_address to, cu_address from, std::size_t size, cu_stream stream))                   \
  X(cuMemsetD8Async, (cu_address memory, unsigned char byte, std::size_t size, cu_stream stream))                 \
  X(cuModuleLoadDataEx, (cu_module * module, const void* image, unsigned options, int* names, void** values))     \
  X(cuModuleUnload, (cu_module module))                                                                           \
  X(cuModuleGetFunction, (cu_function * function, cu_module module, const char* name))                            \
  X(cuFuncGetAttribute, (int* value, int attribute, cu_function function))                                        \
  X(cuLaunchKernel,                                                                                               \
    (cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
     unsigned block_z, unsigned shared_bytes, cu_stream stream, void** parameters, void** extra))

// The few constants of the driver's that are needed.
inline constexpr cu_result cu_success = 0;
inline constexpr cu_result cu_error_out_of_memory = 2;
inline constexpr cu_result cu_error_deinitialized = 4;
inline constexpr int cu_attribute_multiprocessors = 16;
inline constexpr int cu_attribute_capability_major = 75;
inline constexpr int cu_attribute_capability_minor = 76;
inline constexpr unsigned cu_stream_non_blocking = 1;
inline constexpr unsigned cu_event_disable_timing = 2;
inline void* const cu_launch_end = nullptr;
inline void* const cu_launch_buffer = reinterpret_cast<void*>(1);
inline void* const cu_launch_buffer_size = reinterpret_cast<void*>(2);

struct driver {
#define SINTER_DRIVER_MEMBER(name, parameters) cu_result(*name) parameters = nullptr;
  SINTER_DRIVER_CALLS(SINTER_DRIVER_MEMBER)
#undef SINTER_DRIVER_MEMBER
  std::string file;  // what was opened
};

/// Opens a driver library and fills the table: `path`, or where null libcuda.so.1, then libcuda.so. The library stays
/// open for the life of the process. Null where there is none, or where it lacks an entry point; then `why` says what
/// was looked for.
std::unique_ptr<driver> open_driver(const char* path, std::string* why);

/// The process's driver, opened ($SINTER_CUDA_DRIVER names another library) and initialised by the first caller. Null
/// where there is none or it refuses to start, with `why` as above. Any thread.
const driver* find_driver(std::string* why);

/// "CUDA_ERROR_INVALID_VALUE: invalid argument".
std::string describe(const driver&, cu_result);

/// True once the process has begun to exit: the driver may be gone, and nobody may call it.
bool exiting() noexcept;

/// Is it one of the errors after which the context answers every call with an error until the process is started anew?
bool is_sticky(cu_result) noexcept;

/// What stands between a device and the driver's answers. A sticky error is kept, the first one for good: from then on
/// every call throws `device_lost` with that first cause, and destructors, who ask `usable()`, leave the driver alone.
class fault_latch {
 public:
  fault_latch(const driver& d, std::string device_name) : driver_(d), name_(std::move(device_name)) {}

  /// Errors: `device_lost` for a sticky error, `out_of_memory` where the driver had no room, else `device_error`, which
  /// reads "cuX(...) failed: CUDA_ERROR_Y: text".
  void check(cu_result result, const char* call) {
    if (result != cu_success) [[unlikely]]
      fail(result, call);
  }
  [[noreturn]] void fail(cu_result, const char* call, const std::string& arguments = "...");

  /// Errors: `device_lost` with the first cause.
  void raise_if_lost() const {
    if (lost_.load(std::memory_order_acquire)) [[unlikely]]
      repeat();
  }
  /// For what may not throw: keeps a sticky error for the next call that may.
  void note(cu_result, const char* call) noexcept;
  /// May a destructor still call the driver?
  bool usable() const noexcept { return !lost_.load(std::memory_order_acquire) && !exiting(); }

 private:
  [[noreturn]] void repeat() const;
  void latch(const std::string& cause);

  const driver& driver_;
  const std::string name_;
  std::mutex first_;
  std::string cause_;  // written once, before lost_
  std::atomic<bool> lost_{false};
};

}  // namespace sinter::runtime
