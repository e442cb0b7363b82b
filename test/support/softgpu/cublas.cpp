// A stand-in for cuBLAS: products that run on the driver's streams, late and in the order that these allow, as kernels do.
#include <complex>
#include <cstring>
#include <new>
#include <type_traits>

#include <sinter/dtype.hpp>

#include "cublas.hpp"
#include "graph.hpp"

namespace softgpu {
namespace {

/// Where one matrix lies, in columns.
struct matrix {
  address at;
  bool transposed;
  std::int64_t leading, step;
  std::int64_t place(std::int64_t row, std::int64_t column) const {
    return transposed ? row * leading + column : column * leading + row;
  }
};

class product_work final : public work {
 public:
  product_work(int type, std::int64_t rows, std::int64_t columns, std::int64_t inner, const matrix& a, const matrix& b,
               const matrix& c, std::int64_t batch, address workspace)
      : work(work_kind::library, "cublasGemmStridedBatchedEx"),
        type_(type),
        rows_(rows),
        columns_(columns),
        inner_(inner),
        a_(a),
        b_(b),
        c_(c),
        batch_(batch),
        workspace_(workspace) {}

  result run(execution& by) override {
    if (arena* const where = workspace_ ? by.on.memory.find(workspace_) : nullptr;
        where && !by.on.checker.access(by.self, *where, workspace_, 512, touch::write))
      return illegal_address;
    switch (type_) {
      case 0: return run_as<float, float>(by);
      case 1: return run_as<double, double>(by);
      case 2: return run_as<sinter::half, float>(by);
      case 14: return run_as<sinter::bfloat16, float>(by);
      case 4: return run_as<std::complex<float>, std::complex<float>>(by);
      default: return run_as<std::complex<double>, std::complex<double>>(by);
    }
  }

 private:
  template <class T>
  static bool check(execution& by, const matrix& m, std::int64_t i, std::int64_t rows, std::int64_t columns,
                    touch how) {
    const std::int64_t lines = m.transposed ? rows : columns, length = m.transposed ? columns : rows;
    for (std::int64_t line = 0; line < lines; ++line) {
      const address at = m.at + static_cast<address>((i * m.step + line * m.leading) * std::int64_t{sizeof(T)});
      arena* const where = by.on.memory.find(at);
      if (!where || !by.on.checker.access(by.self, *where, at, static_cast<std::size_t>(length) * sizeof(T), how))
        return false;
    }
    return true;
  }

  template <class T, class Sum>
  result run_as(execution& by) {
    for (std::int64_t i = 0; i < batch_; ++i) {
      if (!check<T>(by, a_, i, rows_, inner_, touch::read) || !check<T>(by, b_, i, inner_, columns_, touch::read) ||
          !check<T>(by, c_, i, rows_, columns_, touch::write))
        return illegal_address;
      const auto in = [&](const matrix& m) { return static_cast<T*>(pointer(m.at)) + i * m.step; };
      const T *const a = in(a_), *const b = in(b_);
      T* const c = in(c_);
      for (std::int64_t column = 0; column < columns_; ++column)
        for (std::int64_t row = 0; row < rows_; ++row) {
          Sum sum{};
          for (std::int64_t k = 0; k < inner_; ++k)
            sum += static_cast<Sum>(a[a_.place(row, k)]) * static_cast<Sum>(b[b_.place(k, column)]);
          c[c_.place(row, column)] = static_cast<T>(sum);
        }
    }
    return 0;
  }

  const int type_;
  const std::int64_t rows_, columns_, inner_;
  const matrix a_, b_, c_;
  const std::int64_t batch_;
  const address workspace_;
};

// What the manual has of pairs of dtypes and computations, of those that are asked for.
bool computes(int type, int compute) {
  constexpr int as_float = 68, as_double = 70, as_tf32 = 77;
  if (type == 1 || type == 5) return compute == as_double;
  return compute == as_float || (compute == as_tf32 && (type == 0 || type == 4));
}

}  // namespace

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
                                             std::int64_t k, const void*, const void* a, int a_type, std::int64_t lda,
                                             long long a_step, const void* b, int b_type, std::int64_t ldb,
                                             long long b_step, const void*, void* to, int to_type, std::int64_t ldc,
                                             long long c_step, std::int64_t batch, int compute, int) {
  return blas_status(in_stream(
      {"cublasGemmStridedBatchedEx", needs::context}, handle->stream, [&](call_context c, stream& s) -> result {
        const bool fits = m > 0 && n > 0 && k > 0 && batch > 0 && lda >= (a_is ? k : m) && ldb >= (b_is ? n : k) &&
                          ldc >= m && a_type == b_type && b_type == to_type && a_is < 2 && b_is < 2 &&
                          computes(a_type, compute);
        if (!fits) return invalid_value;
        const auto lies = [](const void* at, bool transposed, std::int64_t leading, long long step) {
          return matrix{reinterpret_cast<address>(at), transposed, leading, step};
        };
        return submit(c.on, s,
                      std::make_shared<product_work>(a_type, m, n, k, lies(a, a_is == 1, lda, a_step),
                                                     lies(b, b_is == 1, ldb, b_step), lies(to, false, ldc, c_step),
                                                     batch, handle->workspace));
      }));
}

}  // namespace softgpu
