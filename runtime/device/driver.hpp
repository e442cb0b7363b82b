// The CUDA driver as a table of entry points, opened at first use. No CUDA header is included anywhere: the
// declarations are our own, so the library builds without a toolkit and a program starts on a machine without a driver.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "runtime/device/process.hpp"

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
using cu_graph = struct cu_graph_object*;
using cu_graph_exec = struct cu_graph_exec_object*;
using cu_mem_pool = struct cu_mem_pool_object*;

/// Who may use a memory pool.
struct cu_mem_access {
  struct {
    int type;
    int id;
  } location;
  int flags;
};
/// What came of an update of an executable graph.
struct cu_graph_update {
  int result;
  void* node;
  void* from_node;
};

/// Every entry point in use: the exported name, with the version that has 64-bit sizes, and its parameters. A new call
/// is a new line; all of them are in drivers since CUDA 12.
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
  X(cuDeviceGetPCIBusId, (char* id, int length, cu_device device))                                                \
  X(cuDeviceCanAccessPeer, (int* can, cu_device from, cu_device to))                                              \
  X(cuDevicePrimaryCtxRetain, (cu_context * context, cu_device device))                                           \
  X(cuDevicePrimaryCtxRelease_v2, (cu_device device))                                                             \
  X(cuCtxSetCurrent, (cu_context context))                                                                        \
  X(cuCtxGetCurrent, (cu_context * context))                                                                      \
  X(cuCtxSynchronize, ())                                                                                         \
  X(cuCtxEnablePeerAccess, (cu_context to, unsigned flags))                                                       \
  X(cuCtxGetStreamPriorityRange, (int* least, int* greatest))                                                     \
  X(cuStreamCreateWithPriority, (cu_stream * stream, unsigned flags, int priority))                               \
  X(cuStreamSynchronize, (cu_stream stream))                                                                      \
  X(cuStreamQuery, (cu_stream stream))                                                                            \
  X(cuStreamGetFlags, (cu_stream stream, unsigned* flags))                                                        \
  X(cuStreamWaitEvent, (cu_stream stream, cu_event event, unsigned flags))                                        \
  X(cuStreamDestroy_v2, (cu_stream stream))                                                                       \
  X(cuLaunchHostFunc, (cu_stream stream, void (*call)(void*), void* with))                                        \
  X(cuEventCreate, (cu_event * event, unsigned flags))                                                            \
  X(cuEventRecord, (cu_event event, cu_stream stream))                                                            \
  X(cuEventQuery, (cu_event event))                                                                               \
  X(cuEventSynchronize, (cu_event event))                                                                         \
  X(cuEventElapsedTime, (float* milliseconds, cu_event begin, cu_event end))                                      \
  X(cuEventDestroy_v2, (cu_event event))                                                                          \
  X(cuStreamBeginCapture_v2, (cu_stream stream, int mode))                                                        \
  X(cuStreamEndCapture, (cu_stream stream, cu_graph * graph))                                                     \
  X(cuGraphInstantiateWithFlags, (cu_graph_exec * executable, cu_graph graph, unsigned long long flags))          \
  X(cuGraphExecUpdate_v2, (cu_graph_exec executable, cu_graph graph, cu_graph_update * outcome))                  \
  X(cuGraphLaunch, (cu_graph_exec executable, cu_stream stream))                                                  \
  X(cuGraphExecDestroy, (cu_graph_exec executable))                                                               \
  X(cuGraphDestroy, (cu_graph graph))                                                                             \
  X(cuMemGetInfo_v2, (std::size_t * free, std::size_t * total))                                                   \
  X(cuMemAlloc_v2, (cu_address * memory, std::size_t size))                                                       \
  X(cuMemAllocManaged, (cu_address * memory, std::size_t size, unsigned flags))                                   \
  X(cuMemFree_v2, (cu_address memory))                                                                            \
  X(cuMemAllocHost_v2, (void** memory, std::size_t size))                                                         \
  X(cuMemFreeHost, (void* memory))                                                                                \
  X(cuMemAllocFromPoolAsync, (cu_address * memory, std::size_t size, cu_mem_pool pool, cu_stream stream))         \
  X(cuMemFreeAsync, (cu_address memory, cu_stream stream))                                                        \
  X(cuDeviceGetDefaultMemPool, (cu_mem_pool * pool, cu_device device))                                            \
  X(cuDeviceGetMemPool, (cu_mem_pool * pool, cu_device device))                                                   \
  X(cuMemPoolTrimTo, (cu_mem_pool pool, std::size_t least))                                                       \
  X(cuMemPoolSetAttribute, (cu_mem_pool pool, int attribute, void* value))                                        \
  X(cuMemPoolGetAttribute, (cu_mem_pool pool, int attribute, void* value))                                        \
  X(cuMemPoolSetAccess, (cu_mem_pool pool, const cu_mem_access* access, std::size_t count))                       \
  X(cuPointerGetAttributes, (unsigned count, int* attributes, void** values, cu_address memory))                  \
  X(cuMemcpyHtoDAsync_v2, (cu_address to, const void* from, std::size_t size, cu_stream stream))                  \
  X(cuMemcpyDtoHAsync_v2, (void* to, cu_address from, std::size_t size, cu_stream stream))                        \
  X(cuMemcpyDtoDAsync_v2, (cu_address to, cu_address from, std::size_t size, cu_stream stream))                   \
  X(cuMemcpyPeerAsync, (cu_address to, cu_context to_context, cu_address from, cu_context from_context,           \
                        std::size_t size, cu_stream stream))                                                      \
  X(cuMemsetD8Async, (cu_address memory, unsigned char byte, std::size_t size, cu_stream stream))                 \
  X(cuModuleLoadDataEx, (cu_module * module, const void* image, unsigned options, int* names, void** values))     \
  X(cuModuleUnload, (cu_module module))                                                                           \
  X(cuModuleGetFunction, (cu_function * function, cu_module module, const char* name))                            \
  X(cuModuleGetGlobal_v2, (cu_address * memory, std::size_t * size, cu_module module, const char* name))          \
  X(cuFuncGetAttribute, (int* value, int attribute, cu_function function))                                        \
  X(cuFuncSetAttribute, (cu_function function, int attribute, int value))                                         \
  X(cuLaunchKernel,                                                                                               \
    (cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
     unsigned block_z, unsigned shared_bytes, cu_stream stream, void** parameters, void** extra))                 \
  X(cuProfilerStart, ())                                                                                          \
  X(cuProfilerStop, ())

/// Those that some drivers in use lack; null there.
#define SINTER_DRIVER_OPTIONAL_CALLS(X)                                         \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor,                                \
    (int* blocks, cu_function function, int threads, std::size_t shared_bytes)) \
  X(cuFuncGetParamInfo, (cu_function function, std::size_t index, std::size_t * offset, std::size_t * size))

// The few constants of the driver's that are needed.
inline constexpr cu_result cu_success = 0;
inline constexpr cu_result cu_error_out_of_memory = 2;
inline constexpr cu_result cu_error_deinitialized = 4;
inline constexpr int cu_attribute_clock = 13;  // kHz
inline constexpr int cu_attribute_multiprocessors = 16;
inline constexpr int cu_attribute_memory_clock = 36;      // kHz
inline constexpr int cu_attribute_bus_width = 37;         // bits
inline constexpr int cu_attribute_cache = 38;             // bytes, of the second level
inline constexpr int cu_attribute_resident_threads = 39;  // of a multiprocessor
inline constexpr int cu_attribute_capability_major = 75;
inline constexpr int cu_attribute_shared_opt_in = 97;  // bytes of a block that asks for them
inline constexpr int cu_function_max_threads = 0;
inline constexpr int cu_function_shared_bytes = 1;
inline constexpr int cu_function_constant_bytes = 2;
inline constexpr int cu_function_local_bytes = 3;
inline constexpr int cu_function_registers = 4;
inline constexpr int cu_function_ptx_version = 5;
inline constexpr int cu_function_binary_version = 6;
inline constexpr int cu_function_max_dynamic_shared_bytes = 8;
inline constexpr int cu_jit_error_log = 5;
inline constexpr int cu_jit_error_log_size = 6;
inline constexpr int cu_attribute_capability_minor = 76;
inline constexpr cu_result cu_error_illegal_state = 401;
inline constexpr cu_result cu_error_not_found = 500;
inline constexpr cu_result cu_error_not_ready = 600;
inline constexpr cu_result cu_error_peer_access_already_enabled = 704;
inline constexpr cu_result cu_error_stream_capture_invalidated = 901;
inline constexpr cu_result cu_error_graph_exec_update_failure = 910;
inline constexpr unsigned cu_stream_non_blocking = 1;
inline constexpr unsigned cu_event_blocking_sync = 1;
inline constexpr unsigned cu_event_disable_timing = 2;
inline constexpr unsigned cu_event_interprocess = 4;
inline constexpr int cu_capture_relaxed = 2;
inline constexpr unsigned cu_attach_global = 1;
inline constexpr int cu_pointer_memory_type = 2;  // attribute; its values: 1 host, 2 device, 3 array, 4 unified
inline constexpr int cu_memory_type_host = 1;
inline constexpr int cu_mem_pool_release_threshold = 4;  // attribute; std::uint64_t
inline constexpr int cu_mem_pool_reserved_now = 5;       // attribute; std::uint64_t
inline constexpr int cu_mem_location_device = 1;
inline constexpr int cu_mem_access_read_write = 3;
inline constexpr int cu_mem_pool_used_now = 7;  // attribute; std::uint64_t
inline void* const cu_launch_end = nullptr;
inline void* const cu_launch_buffer = reinterpret_cast<void*>(1);
inline void* const cu_launch_buffer_size = reinterpret_cast<void*>(2);

struct driver {
#define SINTER_DRIVER_MEMBER(name, parameters) cu_result(*name) parameters = nullptr;
  SINTER_DRIVER_CALLS(SINTER_DRIVER_MEMBER)
  SINTER_DRIVER_OPTIONAL_CALLS(SINTER_DRIVER_MEMBER)
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
    if (lost_.load(std::memory_order_acquire) || forked() || exiting()) [[unlikely]]
      repeat();
  }
  /// For what may not throw: keeps a sticky error for the next call that may.
  void note(cu_result, const char* call) noexcept;
  /// The same for an error that is not sticky but after which nothing works all the same.
  void lose(cu_result, const char* call) noexcept;
  /// May a destructor still call the driver?
  bool usable() const noexcept { return !lost_.load(std::memory_order_acquire) && !exiting() && !forked(); }

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
