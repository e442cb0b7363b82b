// Storage of Eigen 3.4's vectors and sparse matrices that stays whole where the host has no memory. As Eigen has it, a vector that
// cannot get its new elements still points to those it gave back, and frees them a second time; and a matrix writes to where malloc
// said there is nothing. Each member named here is one of a template, made anew for the types that factors are of.
#pragma once

#include <Eigen/SparseCore>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <new>

#if !EIGEN_VERSION_AT_LEAST(3, 4, 90)

#define SINTER_EIGEN_VECTOR_OF(T)                                                                                     \
  template <>                                                                                                         \
  inline void Eigen::DenseStorage<T, Eigen::Dynamic, Eigen::Dynamic, 1, 0>::resize(Eigen::Index size,                 \
                                                                                   Eigen::Index rows, Eigen::Index) { \
    if (size != m_rows) {                                                                                             \
      Eigen::internal::conditional_aligned_delete_auto<T, true>(m_data, m_rows);                                      \
      m_data = nullptr;                                                                                               \
      m_rows = 0;                                                                                                     \
      m_data = Eigen::internal::conditional_aligned_new_auto<T, true>(static_cast<std::size_t>(size));                \
    }                                                                                                                 \
    m_rows = rows;                                                                                                    \
  }
SINTER_EIGEN_VECTOR_OF(double)
SINTER_EIGEN_VECTOR_OF(std::complex<double>)
SINTER_EIGEN_VECTOR_OF(std::int64_t)
#undef SINTER_EIGEN_VECTOR_OF

#define SINTER_EIGEN_MATRIX_OF(T)                                                                              \
  template <>                                                                                                  \
  inline void Eigen::SparseMatrix<T, Eigen::ColMajor, std::int64_t>::uncompress() {                            \
    if (m_innerNonZeros) return;                                                                               \
    void* const block = std::malloc(static_cast<std::size_t>(m_outerSize) * sizeof(std::int64_t));             \
    if (!block && m_outerSize > 0) throw std::bad_alloc();                                                     \
    m_innerNonZeros = static_cast<std::int64_t*>(block);                                                       \
    for (Eigen::Index i = 0; i < m_outerSize; ++i) m_innerNonZeros[i] = m_outerIndex[i + 1] - m_outerIndex[i]; \
  }
SINTER_EIGEN_MATRIX_OF(double)
SINTER_EIGEN_MATRIX_OF(std::complex<double>)
#undef SINTER_EIGEN_MATRIX_OF

#endif
