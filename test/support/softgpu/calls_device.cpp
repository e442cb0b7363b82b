// The driver's calls about devices and contexts, and its words for errors.
#include <cstdio>
#include <cstring>

#include "entry.hpp"

namespace softgpu {
namespace {

struct error_text {
  result code;
  const char *name, *text;
};

constexpr error_text errors[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {4, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "peer access is not supported between these two devices"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {401, "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    {705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access has not been enabled"},
    {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {710, "CUDA_ERROR_ASSERT", "device-side assert triggered"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {800, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"},
    {902, "CUDA_ERROR_STREAM_CAPTURE_MERGE", "operation would result in a merge of separate capture sequences"},
    {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "capture was not ended in the same stream as it began"},
    {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "capturing stream has unjoined work"},
    {905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "dependency created on uncaptured work in another stream"},
    {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {907, "CUDA_ERROR_CAPTURED_EVENT", "operation not permitted on an event last recorded in a capturing stream"},
    {908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD",
     "attempt to terminate a thread-local capture sequence from another thread"},
    {910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE",
     "the graph update was not performed because it included changes which violated constraints specific to "
     "instantiated graph update"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

const error_text* find_error(result code) {
  for (const error_text& known : errors)
    if (known.code == code) return &known;
  return nullptr;
}

bool is_device(const machine& on, int device) { return device >= 0 && device < on.devices(); }

cu_context handle(context& of) { return reinterpret_cast<cu_context>(&of); }

// Attributes by number, as far as Sinter asks for them.
int attribute_value(const machine& on, int attribute, int device) {
  switch (attribute) {
    case 1: return 1024;  // threads of a block
    case 2:
    case 3: return 1024;        // along x, y
    case 4: return 64;          // along z
    case 5: return 2147483647;  // blocks along x
    case 6:
    case 7: return 65535;       // along y, z
    case 8: return 48 << 10;    // shared memory of a block
    case 10: return 32;         // threads of a warp
    case 12: return 65536;      // registers of a block
    case 13: return 1'000'000;  // kHz
    case 14: return 512;        // texture alignment
    case 16: return on.config.multiprocessors;
    case 19:
    case 31: return 1;          // maps host memory, runs kernels side by side
    case 33: return 0;          // PCI bus
    case 34: return device;     // PCI device
    case 36: return 1'000'000;  // memory clock, kHz
    case 37: return 4096;       // bus width
    case 38: return 4 << 20;    // L2 cache
    case 39: return 2048;       // threads of a multiprocessor
    case 40: return 2;          // copy engines
    case 41: return 1;          // one address space with the host
    case 75: return 9;
    case 76: return 0;          // compute capability
    case 78: return 1;          // stream priorities
    case 81: return 227 << 10;  // shared memory of a multiprocessor
    case 83: return 1;          // managed memory
    case 97: return 227 << 10;  // shared memory of a block that asks for it
    case 115: return 1;         // stream-ordered pools
    default: return 0;
  }
}

}  // namespace

extern "C" {

cu_result cuInit(unsigned flags) {
  return enter({"cuInit", needs::nothing}, [&](call_context c) {
    if (flags != 0) return invalid_value;
    if (c.on.devices() == 0) return 100;
    initialised() = true;
    return 0;
  });
}

cu_result cuDriverGetVersion(int* version) {
  return enter({"cuDriverGetVersion", needs::nothing}, [&](call_context) {
    *version = 12080;
    return 0;
  });
}

// Not counted: programs ask for words after something failed.
cu_result cuGetErrorName(cu_result code, const char** text) {
  const error_text* known = find_error(code);
  *text = known ? known->name : nullptr;
  return known ? 0 : invalid_value;
}

cu_result cuGetErrorString(cu_result code, const char** text) {
  const error_text* known = find_error(code);
  *text = known ? known->text : nullptr;
  return known ? 0 : invalid_value;
}

cu_result cuDeviceGetCount(int* count) {
  return enter({"cuDeviceGetCount", needs::driver}, [&](call_context c) {
    *count = c.on.devices();
    return 0;
  });
}

cu_result cuDeviceGet(cu_device* device, int ordinal) {
  return enter({"cuDeviceGet", needs::driver}, [&](call_context c) {
    if (!is_device(c.on, ordinal)) return 101;
    *device = ordinal;
    return 0;
  });
}

cu_result cuDeviceGetName(char* name, int length, cu_device device) {
  return enter({"cuDeviceGetName", needs::driver}, [&](call_context c) {
    if (!is_device(c.on, device)) return 101;
    std::snprintf(name, static_cast<std::size_t>(length), "softgpu");
    return 0;
  });
}

cu_result cuDeviceGetAttribute(int* value, int attribute, cu_device device) {
  return enter({"cuDeviceGetAttribute", needs::driver}, [&](call_context c) {
    if (!is_device(c.on, device)) return 101;
    *value = attribute_value(c.on, attribute, device);
    return 0;
  });
}

cu_result cuDeviceTotalMem_v2(std::size_t* bytes, cu_device device) {
  return enter({"cuDeviceTotalMem_v2", needs::driver}, [&](call_context c) {
    if (!is_device(c.on, device)) return 101;
    *bytes = c.on.config.memory;
    return 0;
  });
}

cu_result cuDeviceGetPCIBusId(char* id, int length, cu_device device) {
  return enter({"cuDeviceGetPCIBusId", needs::driver}, [&](call_context c) {
    if (!is_device(c.on, device)) return 101;
    std::snprintf(id, static_cast<std::size_t>(length), "0000:%02X:00.0", device + 1);
    return 0;
  });
}

cu_result cuDeviceCanAccessPeer(int* can, cu_device from, cu_device to) {
  return enter({"cuDeviceCanAccessPeer", needs::driver}, [&](call_context c) {
    if (!is_device(c.on, from) || !is_device(c.on, to)) return 101;
    *can = from != to;
    return 0;
  });
}

cu_result cuDevicePrimaryCtxRetain(cu_context* to, cu_device device) {
  return enter({"cuDevicePrimaryCtxRetain", needs::driver, out_of_memory}, [&](call_context c) {
    if (!is_device(c.on, device)) return 101;
    context& of = c.on.of_device(device);
    if (of.lost != 0) return of.lost;
    ++of.retained;
    *to = handle(of);
    return 0;
  });
}

// What a context holds stays when the last caller releases it: a test that leaks would otherwise not be seen to.
cu_result cuDevicePrimaryCtxRelease_v2(cu_device device) {
  return enter({"cuDevicePrimaryCtxRelease_v2", needs::driver}, [&](call_context c) {
    if (!is_device(c.on, device)) return 101;
    context& of = c.on.of_device(device);
    if (of.retained == 0) return invalid_context;
    --of.retained;
    return 0;
  });
}

cu_result cuCtxSetCurrent(cu_context to) {
  return enter({"cuCtxSetCurrent", needs::driver}, [&](call_context c) {
    context* const wanted = to ? c.on.known(to) : nullptr;
    if (to && !wanted) return invalid_context;
    current_context() = wanted;
    return 0;
  });
}

cu_result cuCtxGetCurrent(cu_context* now) {
  return enter({"cuCtxGetCurrent", needs::driver}, [&](call_context) {
    *now = current_context() ? handle(*current_context()) : nullptr;
    return 0;
  });
}

cu_result cuCtxEnablePeerAccess(cu_context to, unsigned flags) {
  return enter({"cuCtxEnablePeerAccess", needs::context}, [&](call_context c) {
    context* const other = c.on.known(to);
    if (!other) return invalid_context;
    if (flags != 0) return invalid_value;
    if (other == &c.in) return 101;
    return c.in.peers.insert(other->device).second ? 0 : sinter::runtime::cu_error_peer_access_already_enabled;
  });
}

cu_result cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return enter({"cuCtxGetStreamPriorityRange", needs::context}, [&](call_context) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return 0;
  });
}

cu_result cuProfilerStart() {
  return enter({"cuProfilerStart", needs::context}, [](call_context) { return 0; });
}

cu_result cuProfilerStop() {
  return enter({"cuProfilerStop", needs::context}, [](call_context) { return 0; });
}

}  // extern "C"

}  // namespace softgpu
