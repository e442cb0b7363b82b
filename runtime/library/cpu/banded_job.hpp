// Systems of matrices of few diagonals by LAPACK.
#pragma once

#include <algorithm>

#include "runtime/library/cpu/lapack.hpp"
#include "runtime/library/cpu/solver_memory.hpp"

namespace sinter::runtime {

/// One of them. The diagonals are the first operand's rows.
class banded_job : protected solver_memory {
 protected:
  using solver_memory::solver_memory;

  // Of three diagonals, each in an array of its own.
  template <class T>
  int tridiagonal_solve(const lapack_of<T>& by) {
    const auto given = take<T>(scratch_, 3, n_);
    const auto b = take<T>(scratch_, n_, right_);
    T *const upper = scratch_.take<T>(n_), *const diagonal = scratch_.take<T>(n_), *const lower = scratch_.take<T>(n_);
    if (scratch_.counts()) return 0;
    read(0, given);
    for (std::int64_t c = 0; c < n_; ++c) {
      if (c > 0) upper[c - 1] = given(0, c);
      diagonal[c] = given(1, c);
      lower[c] = given(2, c);
    }
    read(1, b);
    int info = 0;
    const int ldb = leading(b);
    by.gtsv(&n_, &right_, lower, diagonal, upper, b.at, &ldb, &info);
    if (info == 0) write(0, b);
    return info;
  }

  template <class T>
  int banded_solve(const lapack_of<T>& by) {
    if (p_.below == 1 && p_.above == 1) return tridiagonal_solve(by);
    const int below = static_cast<int>(p_.below), above = static_cast<int>(p_.above);
    const int band = 2 * below + above + 1;  // those below once more: rows change places
    const auto a = take<T>(scratch_, band, n_);
    const auto b = take<T>(scratch_, n_, right_);
    const auto diagonals = take<T>(scratch_, band, n_);
    int* const pivots = scratch_.take<int>(n_);
    if (scratch_.counts()) return 0;
    read(0, columns_of<T>{diagonals.at, below + above + 1, n_});
    std::fill_n(a.at, a.rows * a.columns, T{});
    for (std::int64_t c = 0; c < n_; ++c)
      std::copy_n(diagonals.at + c * (below + above + 1), below + above + 1, &a(below, c));
    read(1, b);
    int info = 0;
    const int lda = band, ldb = leading(b);
    by.gbsv(&n_, &below, &above, &right_, a.at, &lda, pivots, b.at, &ldb, &info);
    if (info == 0) write(0, b);
    return info;
  }
};

}  // namespace sinter::runtime
