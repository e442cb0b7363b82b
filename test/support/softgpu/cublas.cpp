// A stand-in for cuBLAS: products that run on the driver's streams, late and in the order that these allow, as kernels do.
#include <new>

#include "product_work.hpp"

namespace softgpu {

SOFTGPU_CUBLAS cublasCreate_v2(blas_handle** handle) {
  const cu_result outcome = enter({"cublasCreate_v2", needs::context, out_of_memory}, [&](call_context) -> result {
    *handle = new (std::nothrow) blas_handle;
    return *handle ? 0 : out_of_memory;
  });
  return outcome == 0 ? 0 : outcome == out_of_memory ? blas_no_memory : blas_no_driver;
}

SOFTGPU_CUBLAS cublasSetStream_v2(blas_handle* handle, cu_stream stream) {
  return blas_status(
      in_stream({"cublasSetStream_v2", needs::context}, stream, [&](call_context, softgpu::stream&) -> result {
        handle->stream = stream;
        return 0;
      }));
}

SOFTGPU_CUBLAS cublasSetWorkspace_v2(blas_handle* handle, void* workspace, std::size_t bytes) {
  return blas_status(enter({"cublasSetWorkspace_v2", needs::context}, [&](call_context c) -> result {
    handle->workspace = reinterpret_cast<address>(workspace);
    return c.on.memory.find(handle->workspace) && bytes > 0 ? 0 : invalid_value;
  }));
}

SOFTGPU_CUBLAS cublasGemmStridedBatchedEx_64(blas_handle* handle, int a_is, int b_is, std::int64_t m, std::int64_t n,
                                             std::int64_t k, const void* alpha, const void* a, int a_type,
                                             std::int64_t lda, long long a_step, const void* b, int b_type,
                                             std::int64_t ldb, long long b_step, const void* beta, void* to,
                                             int to_type, std::int64_t ldc, long long c_step, std::int64_t batch,
                                             int compute, int) {
  return blas_status(in_stream(
      {"cublasGemmStridedBatchedEx", needs::context}, handle->stream, [&](call_context c, stream& s) -> result {
        const bool fits = m > 0 && n > 0 && k > 0 && batch > 0 && lda >= (a_is ? k : m) && ldb >= (b_is ? n : k) &&
                          ldc >= m && a_type == b_type && b_type == to_type && a_is < 3 && b_is < 3 &&
                          computes(a_type, compute);
        if (!fits) return invalid_value;
        const auto lies = [](const void* at, int is, std::int64_t leading, long long step) {
          return matrix{reinterpret_cast<address>(at), is != 0, is == 2, leading, step};
        };
        return submit(c.on, s,
                      std::make_shared<product_work>(
                          "cublasGemmStridedBatchedEx",
                          product{a_type, m, n, k, batch, lies(a, a_is, lda, a_step), lies(b, b_is, ldb, b_step),
                                  lies(to, 0, ldc, c_step), lies(to, 0, ldc, c_step), real_factor(a_type, alpha),
                                  real_factor(a_type, beta)},
                          handle->workspace));
      }));
}

}  // namespace softgpu
