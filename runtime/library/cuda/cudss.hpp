// cuDSS's functions, in a library that is opened when first needed. Statuses, dtypes, phases and settings are numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codegen/compile/toolkit.hpp"
#include "runtime/library/opened.hpp"

namespace sinter::runtime {

using dss_handle = struct cudss_handle_object*;
using dss_config = struct cudss_config_object*;
using dss_data = struct cudss_data_object*;
using dss_matrix = struct cudss_matrix_object*;

/// Where the library gets a device's memory from.
struct dss_memory {
  void* self;
  int (*allocate)(void* self, void** at, std::size_t size, void* stream);
  int (*free)(void* self, void* at, std::size_t size, void* stream);
  char name[64];
};

#define SINTER_CUDSS_CALLS(X)                                                                                         \
  X(cudssGetProperty, (int which, int* value))                                                                        \
  X(cudssCreate, (dss_handle * handle))                                                                               \
  X(cudssDestroy, (dss_handle handle))                                                                                \
  X(cudssSetStream, (dss_handle handle, void* stream))                                                                \
  X(cudssSetThreadingLayer, (dss_handle handle, const char* library))                                                 \
  X(cudssSetDeviceMemHandler, (dss_handle handle, const dss_memory* from))                                            \
  X(cudssConfigCreate, (dss_config * config))                                                                         \
  X(cudssConfigDestroy, (dss_config config))                                                                          \
  X(cudssConfigSet, (dss_config config, int setting, const void* value, std::size_t size))                            \
  X(cudssDataCreate, (dss_handle handle, dss_data * data))                                                            \
  X(cudssDataDestroy, (dss_handle handle, dss_data data))                                                             \
  X(cudssDataGet, (dss_handle handle, dss_data data, int which, void* value, std::size_t size, std::size_t* written)) \
  X(cudssExecute,                                                                                                     \
    (dss_handle handle, int phase, dss_config config, dss_data data, dss_matrix a, dss_matrix x, dss_matrix b))       \
  X(cudssMatrixCreateDn, (dss_matrix * made, std::int64_t rows, std::int64_t columns, std::int64_t leading,           \
                          const void* values, int type, int layout))                                                  \
  X(cudssMatrixCreateCsr, (dss_matrix * made, std::int64_t rows, std::int64_t columns, std::int64_t entries,          \
                           const void* starts, const void* ends, const void* indices, const void* values,             \
                           int start_type, int index_type, int type, int kind, int part, int base))                   \
  X(cudssMatrixDestroy, (dss_matrix matrix))                                                                          \
  X(cudssMatrixSetValues, (dss_matrix matrix, const void* values))

struct cudss {
#define SINTER_CUDSS_POINTER(name, parameters) int(*name) parameters = nullptr;
  SINTER_CUDSS_CALLS(SINTER_CUDSS_POINTER)
#undef SINTER_CUDSS_POINTER
#define SINTER_CUDSS_FUNCTION(name, parameters) {#name, &name},
  std::vector<library_function> functions() { return {SINTER_CUDSS_CALLS(SINTER_CUDSS_FUNCTION)}; }
#undef SINTER_CUDSS_FUNCTION
};

inline opened<cudss>& the_cudss() {
  static auto& one =
      *new opened<cudss>({"cuDSS", "SINTER_CUDSS", codegen::toolkit_files("SINTER_CUDSS", {"libcudss.so.1"}),
                          "nvidia-cudss (PyPI) and libcudss (NVIDIA's packages)"});
  return one;
}

// Of cudss_data_types.h, version 1.
namespace dss {
constexpr int success = 0, not_initialized = 1, no_memory = 2, not_supported = 4;
constexpr int analysis = 1 << 0 | 1 << 1, factorization = 1 << 2, refactorization = 1 << 3, solution = 63 << 4;
constexpr int solve_mode = 4, host_threads = 14, deterministic_mode = 24;  // settings
constexpr int info = 0, pivots_replaced = 2;                               // of data
constexpr int int32 = 10, general = 0, whole = 0, from_zero = 0, in_columns = 0;
}  // namespace dss

}  // namespace sinter::runtime
