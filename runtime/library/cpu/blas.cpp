// Products by OpenBLAS, or another library with the same C interface.
#include "runtime/library/blas.hpp"

#include <algorithm>
#include <complex>
#include <vector>

#include "runtime/device/device.hpp"
#include "runtime/library/openblas_core.hpp"
#include "runtime/library/opened.hpp"
#include "runtime/library/thin_products.hpp"
#include "runtime/stream/kept_call.hpp"

namespace sinter::runtime {

namespace {

constexpr int row_major = 101, not_transposed = 111, transposed = 112, conjugate_transposed = 113,
              upper = 121;  // of cblas.h

// Integers of BLAS have 32 bits in these libraries. Complex numbers are passed by address, real ones by value.
#define SINTER_BLAS_CALLS(X)                      \
  X(cblas_sgemm, float, const float*, float*)     \
  X(cblas_dgemm, double, const double*, double*)  \
  X(cblas_cgemm, const void*, const void*, void*) \
  X(cblas_zgemm, const void*, const void*, void*)

// The upper triangle of a matrix times its transpose.
#define SINTER_BLAS_SYMMETRIC_CALLS(X)            \
  X(cblas_ssyrk, float, const float*, float*)     \
  X(cblas_dsyrk, double, const double*, double*)  \
  X(cblas_csyrk, const void*, const void*, void*) \
  X(cblas_zsyrk, const void*, const void*, void*)

struct blas {
#define SINTER_BLAS_POINTER(name, scalar, read, written)                                                           \
  void (*name)(int order, int a_is, int b_is, int m, int n, int k, scalar alpha, read a, int lda, read b, int ldb, \
               scalar beta, written c, int ldc) = nullptr;
  SINTER_BLAS_CALLS(SINTER_BLAS_POINTER)
#undef SINTER_BLAS_POINTER
#define SINTER_BLAS_POINTER(name, scalar, read, written)                                                           \
  void (*name)(int order, int part, int a_is, int n, int k, scalar alpha, read a, int lda, scalar beta, written c, \
               int ldc) = nullptr;
  SINTER_BLAS_SYMMETRIC_CALLS(SINTER_BLAS_POINTER)
#undef SINTER_BLAS_POINTER
#define SINTER_BLAS_FUNCTION(name, ...) {#name, &name},
  std::vector<library_function> functions() {
    return {SINTER_BLAS_CALLS(SINTER_BLAS_FUNCTION) SINTER_BLAS_SYMMETRIC_CALLS(SINTER_BLAS_FUNCTION)};
  }
#undef SINTER_BLAS_FUNCTION
};

opened<blas>& the_blas() {
  static auto& one = *new opened<blas>(
      usual_place("OpenBLAS", "SINTER_BLAS", {"libopenblas.so.0", "libopenblas.so", "libcblas.so.3", "libblas.so.3"},
                  "libopenblas0-pthread (Debian)", choose_openblas_core));
  return one;
}

struct work {
  const blas* by;
  blas_product p;
};

int operation_of(const blas_matrix& m) {
  return m.conjugated ? conjugate_transposed : m.transposed ? transposed : not_transposed;
}
int count(std::int64_t n) { return static_cast<int>(n); }

// A matrix times its own transpose, as NumPy asks: half of the work makes all of the result.
bool is_symmetric(const blas_product& p) {
  constexpr std::int64_t least = 32, least_inner = 64;  // of fewer rows and terms the copy takes more than is saved
  return p.a.data == p.b.data && p.a.leading == p.b.leading && p.a.step == p.b.step &&
         p.a.transposed != p.b.transposed && !p.a.conjugated && !p.b.conjugated && p.rows == p.columns &&
         p.rows >= least && p.inner >= least_inner && p.kept == 0;
}

// The lower triangle from the upper one, by tiles whose rows are whole lines of the cache.
template <class T>
void mirror(T* c, std::int64_t n) {
  constexpr std::int64_t tile = 16;
  for (std::int64_t r0 = 0; r0 < n; r0 += tile)
    for (std::int64_t c0 = 0; c0 <= r0; c0 += tile)
      for (std::int64_t r = r0; r < std::min(r0 + tile, n); ++r)
        for (std::int64_t k = c0; k < std::min(c0 + tile, r); ++k) c[r * n + k] = c[k * n + r];
}

template <class T, class Gemm, class Syrk, class Scalar>
void multiply_each(const blas_product& p, Gemm gemm, Syrk syrk, Scalar scale, Scalar kept) {
  const bool symmetric = is_symmetric(p);
  const T* a = reinterpret_cast<const T*>(p.a.data);
  const T* b = reinterpret_cast<const T*>(p.b.data);
  T* c = reinterpret_cast<T*>(p.to);
  for (std::int64_t i = 0; i < p.batch; ++i, a += p.a.step, b += p.b.step, c += p.rows * p.columns) {
    if (!symmetric) {
      gemm(row_major, operation_of(p.a), operation_of(p.b), count(p.rows), count(p.columns), count(p.inner), scale, a,
           count(p.a.leading), b, count(p.b.leading), kept, c, count(p.columns));
      continue;
    }
    syrk(row_major, upper, operation_of(p.a), count(p.rows), count(p.inner), scale, a, count(p.a.leading), kept, c,
         count(p.columns));
    mirror(c, p.rows);
  }
}

void multiply(void* with) noexcept {
  const auto& [by, p] = *static_cast<const work*>(with);
  const auto scale = static_cast<float>(p.scale), kept = static_cast<float>(p.kept);
  const std::complex<float> scales{scale}, kepts{kept};
  const std::complex<double> wide_scale{p.scale}, wide_kept{p.kept};
  switch (p.type) {
    case dtype::float32: return multiply_each<float>(p, by->cblas_sgemm, by->cblas_ssyrk, scale, kept);
    case dtype::float64: return multiply_each<double>(p, by->cblas_dgemm, by->cblas_dsyrk, p.scale, p.kept);
    case dtype::complex64:
      return multiply_each<std::complex<float>, decltype(by->cblas_cgemm), decltype(by->cblas_csyrk), const void*>(
          p, by->cblas_cgemm, by->cblas_csyrk, &scales, &kepts);
    default:
      return multiply_each<std::complex<double>, decltype(by->cblas_zgemm), decltype(by->cblas_zsyrk), const void*>(
          p, by->cblas_zgemm, by->cblas_zsyrk, &wide_scale, &wide_kept);
  }
}

bool fits(const blas_product& p) {
  constexpr std::int64_t most = 0x7fffffff;
  return p.rows <= most && p.columns <= most && p.inner <= most && p.a.leading <= most && p.b.leading <= most;
}

}  // namespace

bool multiply_on_cpu(const blas_product& p, stream_state& on, std::string& why) {
  const bool has_dtype = detail::is_inexact(p.type) && !detail::is_short_floating(p.type);
  if (!has_dtype || !fits(p)) return why = "BLAS has no such product", false;
  if (is_thin(p)) return multiply_thin(p, on), true;
  const blas* const library = the_blas().get(why);
  if (!library) return false;
  const work now{library, p};
  call_with(&multiply, now, on);
  return true;
}

}  // namespace sinter::runtime
