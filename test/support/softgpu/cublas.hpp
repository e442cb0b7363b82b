// What the files of the stand-in for cuBLAS have in common.
#pragma once

#include "entry.hpp"

#define SOFTGPU_CUBLAS extern "C" __attribute__((visibility("default"))) int

namespace softgpu {

struct blas_handle {
  cu_stream stream = nullptr;
  address workspace = 0;
};

inline constexpr int blas_no_driver = 1, blas_no_memory = 3, blas_invalid = 7, blas_failed = 13;  // of cublasStatus_t

inline int blas_status(cu_result r) {
  return r == 0 ? 0 : r == invalid_value ? blas_invalid : r == out_of_memory ? blas_no_memory : blas_failed;
}

}  // namespace softgpu
