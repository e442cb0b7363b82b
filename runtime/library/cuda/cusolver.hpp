// cuSOLVER's functions for dense matrices, in a library that is opened when first needed. Statuses, dtypes and choices are numbers, and
// lengths of buffers are in bytes but where `lwork` counts elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/library/opened.hpp"

namespace sinter::runtime {

using solver_handle = struct cusolver_handle_object*;
using solver_params = struct cusolver_params_object*;
using jacobi_params = struct cusolver_jacobi_object*;
using solver_size = std::int64_t;

// One function for all dtypes: handle and params come first, and buffers last.
#define SINTER_CUSOLVER_BUFFERS void *buffer, std::size_t size, void *host_buffer, std::size_t host_size, int *infos
#define SINTER_CUSOLVER_SIZES std::size_t *size, std::size_t *host_size

#define SINTER_CUSOLVER_CALLS(X)                                                                                       \
  X(cusolverDnCreate, (solver_handle * handle))                                                                        \
  X(cusolverDnSetStream, (solver_handle, void* stream))                                                                \
  X(cusolverDnCreateParams, (solver_params * params))                                                                  \
  X(cusolverDnCreateGesvdjInfo, (jacobi_params * params))                                                              \
  X(cusolverDnXgetrf_bufferSize, (solver_handle, solver_params, solver_size m, solver_size n, int type, const void* a, \
                                  solver_size lda, int compute, SINTER_CUSOLVER_SIZES))                                \
  X(cusolverDnXgetrf, (solver_handle, solver_params, solver_size m, solver_size n, int type, void* a, solver_size lda, \
                       std::int64_t* pivots, int compute, SINTER_CUSOLVER_BUFFERS))                                    \
  X(cusolverDnXpotrf_bufferSize, (solver_handle, solver_params, int part, solver_size n, int type, const void* a,      \
                                  solver_size lda, int compute, SINTER_CUSOLVER_SIZES))                                \
  X(cusolverDnXpotrf, (solver_handle, solver_params, int part, solver_size n, int type, void* a, solver_size lda,      \
                       int compute, SINTER_CUSOLVER_BUFFERS))                                                          \
  X(cusolverDnXgeqrf_bufferSize, (solver_handle, solver_params, solver_size m, solver_size n, int type, const void* a, \
                                  solver_size lda, int tau_type, const void* tau, int compute, SINTER_CUSOLVER_SIZES)) \
  X(cusolverDnXgeqrf, (solver_handle, solver_params, solver_size m, solver_size n, int type, void* a, solver_size lda, \
                       int tau_type, void* tau, int compute, SINTER_CUSOLVER_BUFFERS))                                 \
  X(cusolverDnXgesvd_bufferSize,                                                                                       \
    (solver_handle, solver_params, signed char u_job, signed char v_job, solver_size m, solver_size n, int type,       \
     const void* a, solver_size lda, int s_type, const void* s, int u_type, const void* u, solver_size ldu,            \
     int v_type, const void* v, solver_size ldv, int compute, SINTER_CUSOLVER_SIZES))                                  \
  X(cusolverDnXgesvd, (solver_handle, solver_params, signed char u_job, signed char v_job, solver_size m,              \
                       solver_size n, int type, void* a, solver_size lda, int s_type, void* s, int u_type, void* u,    \
                       solver_size ldu, int v_type, void* v, solver_size ldv, int compute, SINTER_CUSOLVER_BUFFERS))   \
  X(cusolverDnXgesvdp_bufferSize,                                                                                      \
    (solver_handle, solver_params, int job, int economic, solver_size m, solver_size n, int type, const void* a,       \
     solver_size lda, int s_type, const void* s, int u_type, const void* u, solver_size ldu, int v_type,               \
     const void* v, solver_size ldv, int compute, SINTER_CUSOLVER_SIZES))                                              \
  X(cusolverDnXgesvdp, (solver_handle, solver_params, int job, int economic, solver_size m, solver_size n, int type,   \
                        void* a, solver_size lda, int s_type, void* s, int u_type, void* u, solver_size ldu,           \
                        int v_type, void* v, solver_size ldv, int compute, SINTER_CUSOLVER_BUFFERS, double* moved_by)) \
  X(cusolverDnXsyevd_bufferSize,                                                                                       \
    (solver_handle, solver_params, int job, int part, solver_size n, int type, const void* a, solver_size lda,         \
     int w_type, const void* w, int compute, SINTER_CUSOLVER_SIZES))                                                   \
  X(cusolverDnXsyevd, (solver_handle, solver_params, int job, int part, solver_size n, int type, void* a,              \
                       solver_size lda, int w_type, void* w, int compute, SINTER_CUSOLVER_BUFFERS))

// The name behind its letter for real and for complex numbers, and the parameters.
#define SINTER_CUSOLVER_TYPED_CALLS(X)                                                                                \
  X(orgqr_bufferSize, ungqr_bufferSize,                                                                               \
    (solver_handle, int m, int n, int k, const void* a, int lda, const void* tau, int* lwork))                        \
  X(orgqr, ungqr,                                                                                                     \
    (solver_handle, int m, int n, int k, void* a, int lda, const void* tau, void* work, int lwork, int* info))        \
  X(potrfBatched, potrfBatched, (solver_handle, int part, int n, const void* a, int lda, int* infos, int batch))      \
  X(gesvdjBatched_bufferSize, gesvdjBatched_bufferSize,                                                               \
    (solver_handle, int job, int m, int n, const void* a, int lda, const void* s, const void* u, int ldu,             \
     const void* v, int ldv, int* lwork, jacobi_params, int batch))                                                   \
  X(gesvdjBatched, gesvdjBatched,                                                                                     \
    (solver_handle, int job, int m, int n, void* a, int lda, void* s, void* u, int ldu, void* v, int ldv, void* work, \
     int lwork, int* infos, jacobi_params, int batch))

// Since CUDA 12.6.
#define SINTER_CUSOLVER_LATER_CALLS(X)                                                                               \
  X(cusolverDnXsyevBatched_bufferSize,                                                                               \
    (solver_handle, solver_params, int job, int part, solver_size n, int type, const void* a, solver_size lda,       \
     int w_type, const void* w, int compute, SINTER_CUSOLVER_SIZES, solver_size batch))                              \
  X(cusolverDnXsyevBatched,                                                                                          \
    (solver_handle, solver_params, int job, int part, solver_size n, int type, void* a, solver_size lda, int w_type, \
     void* w, int compute, SINTER_CUSOLVER_BUFFERS, solver_size batch))

#define SINTER_CUSOLVER_POINTER(name, parameters) int(*name) parameters = nullptr;
#define SINTER_CUSOLVER_FUNCTION(name, parameters) {#name, &name},

struct cusolver {
  SINTER_CUSOLVER_CALLS(SINTER_CUSOLVER_POINTER)
#define SINTER_CUSOLVER_POINTERS(name, complex_name, parameters) int(*name[4]) parameters = {};
  SINTER_CUSOLVER_TYPED_CALLS(SINTER_CUSOLVER_POINTERS)
#undef SINTER_CUSOLVER_POINTERS

  std::vector<library_function> functions() {
#define SINTER_CUSOLVER_FUNCTIONS(name, complex_name, parameters)                                            \
  {"cusolverDnS" #name, &name[0]}, {"cusolverDnD" #name, &name[1]}, {"cusolverDnC" #complex_name, &name[2]}, \
      {"cusolverDnZ" #complex_name, &name[3]},
    return {SINTER_CUSOLVER_CALLS(SINTER_CUSOLVER_FUNCTION) SINTER_CUSOLVER_TYPED_CALLS(SINTER_CUSOLVER_FUNCTIONS)};
#undef SINTER_CUSOLVER_FUNCTIONS
  }
};

/// What earlier libraries lack.
struct cusolver_later {
  SINTER_CUSOLVER_LATER_CALLS(SINTER_CUSOLVER_POINTER)
  std::vector<library_function> functions() { return {SINTER_CUSOLVER_LATER_CALLS(SINTER_CUSOLVER_FUNCTION)}; }
};

#undef SINTER_CUSOLVER_POINTER
#undef SINTER_CUSOLVER_FUNCTION

}  // namespace sinter::runtime
