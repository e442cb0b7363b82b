// cuBLAS's functions, and the handle that a stream has: for products and for systems of equations. What is alike for four types of
// elements is a row of four functions, in the order float32, float64, complex64, complex128.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <sinter/dtype.hpp>

#include "runtime/library/opened.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::runtime {

using blas_handle = struct cublas_handle_object*;

// Statuses, operations and computations are numbers.
#define SINTER_CUBLAS_CALLS(X)                                                                                        \
  X(cublasCreate_v2, (blas_handle * handle))                                                                          \
  X(cublasSetStream_v2, (blas_handle handle, void* stream))                                                           \
  X(cublasSetWorkspace_v2, (blas_handle handle, void* workspace, std::size_t bytes))                                  \
  X(cublasGemmStridedBatchedEx_64,                                                                                    \
    (blas_handle handle, int a_is, int b_is, std::int64_t m, std::int64_t n, std::int64_t k, const void* alpha,       \
     const void* a, int a_type, std::int64_t lda, long long a_step, const void* b, int b_type, std::int64_t ldb,      \
     long long b_step, const void* beta, void* c, int c_type, std::int64_t ldc, long long c_step, std::int64_t batch, \
     int compute, int algorithm))

// The name behind its letter, and the parameters. The info of the last two is of their arguments, and the host's.
#define SINTER_CUBLAS_TYPED_CALLS(X)                                                                              \
  X(trsm_v2_64, (blas_handle handle, int side, int part, int trans, int diagonal, std::int64_t m, std::int64_t n, \
                 const void* alpha, const void* a, std::int64_t lda, void* b, std::int64_t ldb))                  \
  X(trsmBatched_64,                                                                                               \
    (blas_handle handle, int side, int part, int trans, int diagonal, std::int64_t m, std::int64_t n,             \
     const void* alpha, const void* a, std::int64_t lda, const void* b, std::int64_t ldb, std::int64_t batch))    \
  X(getrfBatched, (blas_handle handle, int n, const void* a, int lda, int* pivots, int* infos, int batch))        \
  X(getrsBatched, (blas_handle handle, int trans, int n, int right, const void* a, int lda, const int* pivots,    \
                   const void* b, int ldb, int* info, int batch))                                                 \
  X(geqrfBatched, (blas_handle handle, int m, int n, const void* a, int lda, const void* tau, int* info, int batch))

struct cublas {
#define SINTER_CUBLAS_POINTER(name, parameters) int(*name) parameters = nullptr;
  SINTER_CUBLAS_CALLS(SINTER_CUBLAS_POINTER)
#undef SINTER_CUBLAS_POINTER
#define SINTER_CUBLAS_POINTERS(name, parameters) int(*name[4]) parameters = {};
  SINTER_CUBLAS_TYPED_CALLS(SINTER_CUBLAS_POINTERS)
#undef SINTER_CUBLAS_POINTERS

#define SINTER_CUBLAS_FUNCTION(name, parameters) {#name, &name},
#define SINTER_CUBLAS_FUNCTIONS(name, parameters) \
  {"cublasS" #name, &name[0]}, {"cublasD" #name, &name[1]}, {"cublasC" #name, &name[2]}, {"cublasZ" #name, &name[3]},
  std::vector<library_function> functions() {
    return {SINTER_CUBLAS_CALLS(SINTER_CUBLAS_FUNCTION) SINTER_CUBLAS_TYPED_CALLS(SINTER_CUBLAS_FUNCTIONS)};
  }
#undef SINTER_CUBLAS_FUNCTION
#undef SINTER_CUBLAS_FUNCTIONS
};

/// A dtype's place in a row of four.
constexpr int letter_of(dtype t) {
  return t == dtype::float32 ? 0 : t == dtype::float64 ? 1 : t == dtype::complex64 ? 2 : 3;
}
/// A dtype as the libraries have it, in library_types.h.
constexpr int cuda_type_of(dtype t) {
  switch (t) {
    case dtype::float16: return 2;
    case dtype::bfloat16: return 14;
    case dtype::float32: return 0;
    case dtype::float64: return 1;
    case dtype::complex64: return 4;
    default: return 5;
  }
}

/// Errors: `device_error`, `out_of_memory` for a status that is none of success.
void check_cublas(int status, const char* call);

/// A stream's handle, while a thread enqueues there. A graph that is being made may run beside the streams it is captured on, so it has
/// a workspace of its own.
class cublas_turn {
 public:
  /// False: it is not there, or does not work with this driver, and `why` says so. Errors: `device_error`, `out_of_memory`.
  bool begin(stream_state& on, std::string& why);
  const cublas& api() const { return *api_; }
  blas_handle handle() const { return handle_; }
  std::byte* workspace() const { return workspace_; }

 private:
  const cublas* api_ = nullptr;
  blas_handle handle_ = nullptr;
  std::byte* workspace_ = nullptr;
  std::unique_lock<std::mutex> turn_;
  storage_holder of_graph_;
};

}  // namespace sinter::runtime
