// LAPACK's functions by their Fortran names, in a library that is opened when first needed. Matrices lie in columns; every argument
// is passed by its address, and the lengths of those that are characters follow at the end.
#pragma once

#include <complex>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/library/opened.hpp"

namespace sinter::runtime {

template <class T>
inline constexpr bool is_complex_number = false;
template <class R>
inline constexpr bool is_complex_number<std::complex<R>> = true;
template <class T>
struct parts_of {
  using type = T;
};
template <class R>
struct parts_of<std::complex<R>> {
  using type = R;
};
template <class T>
using real_of = typename parts_of<T>::type;

using lapack_length = std::size_t;
using lapack_size = const int*;
using lapack_letter = const char*;

// Alike for the four types of elements: the name without its first letter, and the parameters.
#define SINTER_LAPACK_CALLS(X)                                                                                         \
  X(getrf, (lapack_size m, lapack_size n, T * a, lapack_size lda, int* pivots, int* info))                             \
  X(getrs, (lapack_letter trans, lapack_size n, lapack_size right, const T* a, lapack_size lda, const int* pivots,     \
            T* b, lapack_size ldb, int* info, lapack_length))                                                          \
  X(potrf, (lapack_letter uplo, lapack_size n, T * a, lapack_size lda, int* info, lapack_length))                      \
  X(potrs, (lapack_letter uplo, lapack_size n, lapack_size right, const T* a, lapack_size lda, T* b, lapack_size ldb,  \
            int* info, lapack_length))                                                                                 \
  X(trtrs, (lapack_letter uplo, lapack_letter trans, lapack_letter diag, lapack_size n, lapack_size right, const T* a, \
            lapack_size lda, T* b, lapack_size ldb, int* info, lapack_length, lapack_length, lapack_length))           \
  X(trsm, (lapack_letter side, lapack_letter uplo, lapack_letter trans, lapack_letter diag, lapack_size m,             \
           lapack_size n, const T* alpha, const T* a, lapack_size lda, T* b, lapack_size ldb, lapack_length,           \
           lapack_length, lapack_length, lapack_length))                                                               \
  X(gemm, (lapack_letter trans_a, lapack_letter trans_b, lapack_size m, lapack_size n, lapack_size inner,              \
           const T* alpha, const T* a, lapack_size lda, const T* b, lapack_size ldb, const T* beta, T* c,              \
           lapack_size ldc, lapack_length, lapack_length))                                                             \
  X(geqrf, (lapack_size m, lapack_size n, T * a, lapack_size lda, T * tau, T * work, lapack_size lwork, int* info))    \
  X(gbsv, (lapack_size n, lapack_size below, lapack_size above, lapack_size right, T * ab, lapack_size ldab,           \
           int* pivots, T* b, lapack_size ldb, int* info))                                                             \
  X(gtsv, (lapack_size n, lapack_size right, T * lower, T * diagonal, T * upper, T * b, lapack_size ldb, int* info))

/// Those that take more for complex numbers, or have another name.
template <class T>
struct lapack_differing {
  void (*gqr)(lapack_size m, lapack_size n, lapack_size k, T* a, lapack_size lda, const T* tau, T* work,
              lapack_size lwork, int* info) = nullptr;
  void (*gesdd)(lapack_letter job, lapack_size m, lapack_size n, T* a, lapack_size lda, T* s, T* u, lapack_size ldu,
                T* vt, lapack_size ldvt, T* work, lapack_size lwork, int* iwork, int* info, lapack_length) = nullptr;
  void (*evd)(lapack_letter job, lapack_letter uplo, lapack_size n, T* a, lapack_size lda, T* w, T* work,
              lapack_size lwork, int* iwork, lapack_size liwork, int* info, lapack_length, lapack_length) = nullptr;
  void (*geev)(lapack_letter left, lapack_letter right, lapack_size n, T* a, lapack_size lda, T* wr, T* wi, T* vl,
               lapack_size ldvl, T* vr, lapack_size ldvr, T* work, lapack_size lwork, int* info, lapack_length,
               lapack_length) = nullptr;
};
template <class R>
struct lapack_differing<std::complex<R>> {
  using T = std::complex<R>;
  void (*gqr)(lapack_size m, lapack_size n, lapack_size k, T* a, lapack_size lda, const T* tau, T* work,
              lapack_size lwork, int* info) = nullptr;
  void (*gesdd)(lapack_letter job, lapack_size m, lapack_size n, T* a, lapack_size lda, R* s, T* u, lapack_size ldu,
                T* vt, lapack_size ldvt, T* work, lapack_size lwork, R* rwork, int* iwork, int* info,
                lapack_length) = nullptr;
  void (*evd)(lapack_letter job, lapack_letter uplo, lapack_size n, T* a, lapack_size lda, R* w, T* work,
              lapack_size lwork, R* rwork, lapack_size lrwork, int* iwork, lapack_size liwork, int* info, lapack_length,
              lapack_length) = nullptr;
  void (*geev)(lapack_letter left, lapack_letter right, lapack_size n, T* a, lapack_size lda, T* w, T* vl,
               lapack_size ldvl, T* vr, lapack_size ldvr, T* work, lapack_size lwork, R* rwork, int* info,
               lapack_length, lapack_length) = nullptr;
};

template <class T>
struct lapack_of : lapack_differing<T> {
#define SINTER_LAPACK_POINTER(name, parameters) void(*name) parameters = nullptr;
  SINTER_LAPACK_CALLS(SINTER_LAPACK_POINTER)
#undef SINTER_LAPACK_POINTER
};

struct lapack {
  lapack_of<float> s;
  lapack_of<double> d;
  lapack_of<std::complex<float>> c;
  lapack_of<std::complex<double>> z;

  // Of OpenBLAS alone: threads among which a call is shared out.
  int (*threads)() = nullptr;
  void (*set_threads)(int) = nullptr;
  int (*parallel)() = nullptr;  // 1: by threads of its own

  std::vector<library_function> functions() {
#define SINTER_LAPACK_S(name, parameters) {"s" #name "_", &s.name},
#define SINTER_LAPACK_D(name, parameters) {"d" #name "_", &d.name},
#define SINTER_LAPACK_C(name, parameters) {"c" #name "_", &c.name},
#define SINTER_LAPACK_Z(name, parameters) {"z" #name "_", &z.name},
    return {SINTER_LAPACK_CALLS(SINTER_LAPACK_S)  //
            SINTER_LAPACK_CALLS(SINTER_LAPACK_D)  //
            SINTER_LAPACK_CALLS(SINTER_LAPACK_C)  //
            SINTER_LAPACK_CALLS(SINTER_LAPACK_Z)  //
            {"sorgqr_", &s.gqr},
            {"dorgqr_", &d.gqr},
            {"cungqr_", &c.gqr},
            {"zungqr_", &z.gqr},
            {"sgesdd_", &s.gesdd},
            {"dgesdd_", &d.gesdd},
            {"cgesdd_", &c.gesdd},
            {"zgesdd_", &z.gesdd},
            {"ssyevd_", &s.evd},
            {"dsyevd_", &d.evd},
            {"cheevd_", &c.evd},
            {"zheevd_", &z.evd},
            {"sgeev_", &s.geev},
            {"dgeev_", &d.geev},
            {"cgeev_", &c.geev},
            {"zgeev_", &z.geev},
            {"openblas_get_num_threads", &threads, true},
            {"openblas_set_num_threads", &set_threads, true},
            {"openblas_get_parallel", &parallel, true}};
#undef SINTER_LAPACK_S
#undef SINTER_LAPACK_D
#undef SINTER_LAPACK_C
#undef SINTER_LAPACK_Z
  }

  template <class T>
  const lapack_of<T>& of() const {
    if constexpr (std::is_same_v<T, float>) return s;
    else if constexpr (std::is_same_v<T, double>) return d;
    else if constexpr (std::is_same_v<T, std::complex<float>>) return c;
    else return z;
  }
};

/// Null: it is not there, and `why` says what was looked for. Errors: `device_error`.
const lapack* find_lapack(std::string& why);

}  // namespace sinter::runtime
