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
    const auto diagonals = take<T>(scratch_, n_, 3);
    const auto b = take<T>(scratch_, n_, right_);
    if (scratch_.counts()) return 0;
    read_turned(0, diagonals);
    T *const upper = diagonals.at + 1, *const diagonal = diagonals.at + n_, *const lower = diagonal + n_;
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
    int* const pivots = scratch_.take<int>(n_);
    if (scratch_.counts()) return 0;
    std::fill_n(a.at, a.rows * a.columns, T{});
    const solver_array& given = w_.operands[0];
    copy_places(place<const T>(given, w_.batch, i_), given.down, given.across, a.at + below, 1, a.leading(),
                below + above + 1, n_);
    read(1, b);
    int info = 0;
    const int lda = band, ldb = leading(b);
    by.gbsv(&n_, &below, &above, &right_, a.at, &lda, pivots, b.at, &ldb, &info);
    if (info == 0) write(0, b);
    return info;
  }
};

}  // namespace sinter::runtime
