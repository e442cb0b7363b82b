// The stand-in for cuBLAS's solutions with triangles, and for its factorisations of many small matrices.
#include <new>

#include "cublas.hpp"
#include "lapack.hpp"

namespace softgpu {
namespace {

struct triangle_call {
  bool is_right, is_lower;
  int trans;
  bool has_unit_diagonal;
  std::int64_t m, n;
};

// e y = c for every line of b, by substitution: e is op(a), or its transpose where that stands on the right.
template <class T>
void substitute(const triangle_call& c, const matrix_of<T>& a, const matrix_of<T>& b) {
  const std::int64_t n = a.rows, lines = c.is_right ? b.rows : b.columns;
  const bool is_turned = (c.trans != 0) != c.is_right, goes_down = c.is_lower != is_turned;
  const auto entry = [&](std::int64_t i, std::int64_t j) {
    const T x = is_turned ? a(j, i) : a(i, j);
    return c.trans == 2 ? conjugate(x) : x;
  };
  for (std::int64_t line = 0; line < lines; ++line) {
    const auto at = [&](std::int64_t i) -> T& { return c.is_right ? b(line, i) : b(i, line); };
    for (std::int64_t step = 0; step < n; ++step) {
      const std::int64_t i = goes_down ? step : n - 1 - step;
      T sum = at(i);
      for (std::int64_t before = 0; before < step; ++before) {
        const std::int64_t j = goes_down ? before : n - 1 - before;
        sum -= entry(i, j) * at(j);
      }
      at(i) = c.has_unit_diagonal ? sum : sum / entry(i, i);
    }
  }
}

bool fits(const triangle_call& c, std::int64_t lda, std::int64_t ldb, int side, int part, int trans, int diagonal) {
  return side < 2 && part < 2 && trans < 3 && diagonal < 2 && c.m > 0 && c.n > 0 && lda >= (side == 1 ? c.n : c.m) &&
         ldb >= c.m;
}

template <class T>
result solve_triangle(execution& by, const triangle_call& c, T* a_at, std::int64_t lda, T* b_at, std::int64_t ldb) {
  const std::int64_t n = c.is_right ? c.n : c.m;
  const matrix_of<T> a{a_at, n, n, lda}, b{b_at, c.m, c.n, ldb};
  if (!a.touched(by, touch::read) || !b.changed(by)) return illegal_address;
  substitute(c, a, b);
  return 0;
}

// The pointers lie in the device's memory.
template <class T, class F>
result for_each_of(execution& by, T* const* all, std::int64_t batch, F each) {
  if (!touches(by, all, batch, touch::read)) return illegal_address;
  for (std::int64_t i = 0; i < batch; ++i)
    if (const result r = each(all[i], i)) return r;
  return 0;
}

template <class T>
int start(const char* name, blas_handle* handle, bool is_allowed, T body) {
  return blas_status(in_stream({name, needs::context}, handle->stream, [&](call_context c, stream& s) -> result {
    if (!is_allowed) return invalid_value;
    if (!host_lapack()) return illegal_address;
    return submit(c.on, s, std::make_shared<library_work>(name, std::function<result(execution&)>(body)));
  }));
}

template <class T>
int trsm(const char* name, blas_handle* h, int side, int part, int trans, int diagonal, std::int64_t m, std::int64_t n,
         const T* alpha, T* a, std::int64_t lda, T* b, std::int64_t ldb) {
  const triangle_call c{side == 1, part == 0, trans, diagonal == 1, m, n};
  return start(name, h, fits(c, lda, ldb, side, part, trans, diagonal) && *alpha == T(1) && is_aligned(a, sizeof(T)),
               [=](execution& by) { return solve_triangle(by, c, a, lda, b, ldb); });
}

template <class T>
int trsm_batched(const char* name, blas_handle* h, int side, int part, int trans, int diagonal, std::int64_t m,
                 std::int64_t n, const T* alpha, T* const* a, std::int64_t lda, T* const* b, std::int64_t ldb,
                 std::int64_t batch) {
  const triangle_call c{side == 1, part == 0, trans, diagonal == 1, m, n};
  return start(name, h, fits(c, lda, ldb, side, part, trans, diagonal) && *alpha == T(1) && batch > 0,
               [=](execution& by) {
                 if (!touches(by, b, batch, touch::read)) return illegal_address;
                 return for_each_of(by, a, batch,
                                    [&](T* one, std::int64_t i) { return solve_triangle(by, c, one, lda, b[i], ldb); });
               });
}

// cuBLAS goes no further than a pivot of 0: what follows is not factored, and its rows stay where they are.
template <class T>
void stop_at(const matrix_of<T>& a, std::int64_t k, int* pivots) {
  for (std::int64_t i = k; i < a.rows; ++i) {
    pivots[i] = static_cast<int>(i) + 1;
    for (std::int64_t j = k; j < a.columns; ++j) a(i, j) = 0;
  }
}

template <class T>
int getrf_batched(const char* name, blas_handle* h, int n, T* const* a, int lda, int* pivots, int* infos, int batch) {
  return start(name, h, n > 0 && lda >= n && batch > 0 && pivots && infos, [=](execution& by) {
    return for_each_of(by, a, batch, [&](T* one, std::int64_t i) -> result {
      const matrix_of<T> matrix{one, n, n, lda};
      int* const mine = pivots + i * n;
      if (!matrix.changed(by) || !touches(by, mine, n, touch::write) || !touches(by, infos + i, 1, touch::write))
        return illegal_address;
      std::vector<int> found;
      infos[i] = factor_lu(matrix, found);
      std::copy(found.begin(), found.end(), mine);
      if (infos[i] > 0) stop_at(matrix, infos[i] - 1, mine);
      return 0;
    });
  });
}

template <class T>
int getrs_batched(const char* name, blas_handle* h, int trans, int n, int right, T* const* a, int lda,
                  const int* pivots, T* const* b, int ldb, int* info, int batch) {
  *info = 0;
  return start(name, h, n > 0 && right > 0 && lda >= n && ldb >= n && batch > 0 && trans < 3, [=](execution& by) {
    if (!touches(by, b, batch, touch::read)) return illegal_address;
    return for_each_of(by, a, batch, [&](T* one, std::int64_t i) -> result {
      const matrix_of<T> matrix{one, n, n, lda}, x{b[i], n, right, ldb};
      const int* const mine = pivots + i * n;
      if (!matrix.touched(by, touch::read) || !x.changed(by) || !touches(by, mine, n, touch::read))
        return illegal_address;
      solve_lu(trans, matrix, std::vector<int>(mine, mine + n), x);
      return 0;
    });
  });
}

template <class T>
int geqrf_batched(const char* name, blas_handle* h, int m, int n, T* const* a, int lda, T* const* tau, int* info,
                  int batch) {
  *info = 0;
  return start(name, h, m > 0 && n > 0 && lda >= m && batch > 0, [=](execution& by) {
    if (!touches(by, tau, batch, touch::read)) return illegal_address;
    return for_each_of(by, a, batch, [&](T* one, std::int64_t i) -> result {
      const matrix_of<T> matrix{one, m, n, lda};
      if (!matrix.changed(by) || !touches(by, tau[i], std::min(m, n), touch::write)) return illegal_address;
      factor_qr(matrix, tau[i]);
      return 0;
    });
  });
}

}  // namespace

#define SOFTGPU_CUBLAS_OF(L, T)                                                                                        \
  SOFTGPU_CUBLAS cublas##L##trsm_v2_64(blas_handle* h, int side, int part, int trans, int diagonal, std::int64_t m,    \
                                       std::int64_t n, const T* alpha, T* a, std::int64_t lda, T* b,                   \
                                       std::int64_t ldb) {                                                             \
    return trsm("cublas" #L "trsm_v2_64", h, side, part, trans, diagonal, m, n, alpha, a, lda, b, ldb);                \
  }                                                                                                                    \
  SOFTGPU_CUBLAS cublas##L##trsmBatched_64(blas_handle* h, int side, int part, int trans, int diagonal,                \
                                           std::int64_t m, std::int64_t n, const T* alpha, T* const* a,                \
                                           std::int64_t lda, T* const* b, std::int64_t ldb, std::int64_t batch) {      \
    return trsm_batched("cublas" #L "trsmBatched_64", h, side, part, trans, diagonal, m, n, alpha, a, lda, b, ldb,     \
                        batch);                                                                                        \
  }                                                                                                                    \
  SOFTGPU_CUBLAS cublas##L##getrfBatched(blas_handle* h, int n, T* const* a, int lda, int* pivots, int* infos,         \
                                         int batch) {                                                                  \
    return getrf_batched("cublas" #L "getrfBatched", h, n, a, lda, pivots, infos, batch);                              \
  }                                                                                                                    \
  SOFTGPU_CUBLAS cublas##L##getrsBatched(blas_handle* h, int trans, int n, int right, T* const* a, int lda,            \
                                         const int* pivots, T* const* b, int ldb, int* info, int batch) {              \
    return getrs_batched("cublas" #L "getrsBatched", h, trans, n, right, a, lda, pivots, b, ldb, info, batch);         \
  }                                                                                                                    \
  SOFTGPU_CUBLAS cublas##L##geqrfBatched(blas_handle* h, int m, int n, T* const* a, int lda, T* const* tau, int* info, \
                                         int batch) {                                                                  \
    return geqrf_batched("cublas" #L "geqrfBatched", h, m, n, a, lda, tau, info, batch);                               \
  }
SOFTGPU_CUBLAS_OF(S, float)
SOFTGPU_CUBLAS_OF(D, double)
SOFTGPU_CUBLAS_OF(C, std::complex<float>)
SOFTGPU_CUBLAS_OF(Z, std::complex<double>)
#undef SOFTGPU_CUBLAS_OF

}  // namespace softgpu
