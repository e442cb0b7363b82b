// One matrix of a batch by LAPACK: it is copied into columns, which LAPACK writes over, and what it makes of it is copied out, so that
// operands may lie in any way. What is only read may be read where it lies.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "runtime/library/cpu/banded_job.hpp"
#include "runtime/library/cpu/elimination.hpp"
#include "runtime/library/cpu/solver_memory.hpp"

namespace sinter::runtime {

template <class T>
class lapack_job : banded_job {
 public:
  using R = real_of<T>;
  using C = std::complex<R>;
  static constexpr int not_finite = -1000;  // an answer of ours

  lapack_job(const lapack_of<T>& by, const solver_work& w, std::byte* scratch, std::int64_t i)
      : banded_job(w, scratch, i), by_(by) {}

  /// LAPACK's answer; other than 0: there is no result.
  int run() {
    switch (p_.what) {
      case solver::lu: return lu();
      case solver::lu_solve: return lu_solve();
      case solver::solve: return solve();
      case solver::permutation: return permutation();
      case solver::cholesky: return cholesky();
      case solver::cholesky_solve: return cholesky_solve();
      case solver::triangular_solve: return triangular_solve();
      case solver::qr: return qr();
      case solver::orthogonal: return orthogonal();
      case solver::svd: return svd();
      case solver::eigh: return eigh();
      case solver::eig: return eig();
      default: return banded_solve(by_);
    }
  }
  std::size_t used() const { return scratch_.used(); }
  /// What there is no result of.
  void fill_with_nan() const { write_nan<T>(); }
  /// The sizes of LAPACK's workspaces. False: they are more than it can be told.
  bool ask_for_sizes(solver_work& to);

 private:
  // Reads a matrix and makes its factors and pivots of it. Gives what getrf does.
  int factorised(const columns_of<T>& a, int* pivots, bool turned) {
    const auto read_it = [&] { turned ? read_turned(0, a) : read(0, a); };
    const int rows = static_cast<int>(a.rows), columns = static_cast<int>(a.columns), lda = leading(a);
    int info = 0;
    read_it();
    by_.getrf(&rows, &columns, a.at, &lda, pivots, &info);
    if (!has_small_pivot(a) || is_finite(a)) return info;
    read_it();
    if (is_finite(a)) return eliminate(a, pivots);
    by_.getrf(&rows, &columns, a.at, &lda, pivots, &info);
    return info;
  }

  int lu() {
    const auto a = take<T>(scratch_, m_, n_);
    int* const pivots = scratch_.take<int>(least());
    if (scratch_.counts()) return 0;
    const int info = factorised(a, pivots, p_.transposed);
    p_.transposed ? write_turned(0, a) : write(0, a);
    write_by<std::int32_t>(1, least(), 1, [&](std::int64_t r, std::int64_t) { return pivots[r] - 1; });
    return p_.checked ? info : 0;
  }

  int lu_solve() {
    const auto a = take<T>(scratch_, n_, n_);
    const auto b = take<T>(scratch_, n_, right_);
    const columns_of<std::int32_t> pivots{scratch_.take<std::int32_t>(n_), n_, 1};
    if (scratch_.counts()) return 0;
    read(0, a);
    read(1, pivots);
    read(2, b);
    for (int k = 0; k < n_; ++k) pivots.at[k] = std::clamp(pivots.at[k], 0, n_ - 1) + 1;
    int info = 0;
    const int lda = leading(a);
    if (has_small_pivot(a)) substitute(a, pivots.at, *trans(), right_, b);
    else by_.getrs(trans(), &n_, &right_, a.at, &lda, pivots.at, b.at, &lda, &info, 1);
    write(0, b);
    return info;
  }

  // By the factors of a^T, which is what lies there in columns. So does b^T, and where it is worth it x^T is b^T u^-1 l^-1 p^T.
  int solve() {
    const bool in_rows = right_ >= 16;
    const auto a = take<T>(scratch_, n_, n_);
    const auto room = in_rows ? take<T>(scratch_, right_, n_) : take<T>(scratch_, n_, right_);
    const auto b = in_rows ? turned_in_place(0, room) : room;
    int* const pivots = scratch_.take<int>(n_);
    if (scratch_.counts()) return 0;
    int info = factorised(a, pivots, true);
    const int lda = leading(a), ldb = leading(b);
    if (info != 0 && p_.checked) return info;
    in_rows ? read_turned(1, b) : read(1, b);
    if (has_small_pivot(a)) {
      const auto side = [&](std::int64_t r, std::int64_t c) -> T& { return in_rows ? b(c, r) : b(r, c); };
      substitute(a, pivots, 'T', right_, side);
    } else if (!in_rows) {
      by_.getrs("T", &n_, &right_, a.at, &lda, pivots, b.at, &ldb, &info, 1);
    } else {
      const T one = 1;
      by_.trsm("R", "U", "N", "N", &right_, &n_, &one, a.at, &lda, b.at, &ldb, 1, 1, 1, 1);
      by_.trsm("R", "L", "N", "U", &right_, &n_, &one, a.at, &lda, b.at, &ldb, 1, 1, 1, 1);
      for (int k = n_; k-- > 0;)
        if (pivots[k] != k + 1) std::swap_ranges(&b(0, k), &b(0, k) + right_, &b(0, pivots[k] - 1));
    }
    in_rows ? write_turned(0, b) : write(0, b);
    return 0;
  }

  int permutation() {
    const columns_of<std::int32_t> pivots{scratch_.take<std::int32_t>(least()), least(), 1};
    const columns_of<std::int64_t> rows{scratch_.take<std::int64_t>(m_), m_, 1};
    if (scratch_.counts()) return 0;
    read(0, pivots);
    for (std::int64_t r = 0; r < m_; ++r) rows.at[r] = r;
    for (std::int64_t k = 0; k < least(); ++k)
      std::swap(rows.at[k], rows.at[std::clamp<std::int64_t>(pivots.at[k], 0, m_ - 1)]);
    write(0, rows);
    return 0;
  }

  // OpenBLAS's upper factors take up to a quarter longer than its lower ones, which is more than it takes to turn a triangle over
  // twice: a lower factor is made of that. An upper one is the transpose of the lower one of the transpose, which is the conjugate
  // matrix, and is made in place.
  int cholesky() {
    const auto room = take<T>(scratch_, n_, n_), a = p_.lower ? room : turned_in_place(0, room);
    if (scratch_.counts()) return 0;
    p_.lower ? read_lower(0, a) : read_turned(0, a);
    int info = 0;
    const int lda = leading(a);
    by_.potrf("L", &n_, a.at, &lda, &info, 1);
    if (info != 0) return info;
    if (p_.lower) return write_lower(0, a), 0;
    for (std::int64_t c = 0; c < n_; ++c) std::fill_n(&a(0, c), c, T{});
    write_turned(0, a);
    return 0;
  }

  struct matrix_read {
    const T* at;
    int leading;
    bool turned;  // it is the transpose
  };
  // What LAPACK only reads, as it lies: by columns or, as those of the transpose, by rows; else it is copied to `room`.
  matrix_read read_only(bool may_be_turned, const columns_of<T>& room) const {
    const solver_array& from = w_.operands[0];
    const auto fits = [this](std::int64_t step) { return step >= n_ && step <= std::numeric_limits<int>::max(); };
    const T* const at = place<const T>(from, w_.batch, i_);
    if (from.down == 1 && fits(from.across)) return {at, static_cast<int>(from.across), false};
    if (may_be_turned && from.across == 1 && fits(from.down)) return {at, static_cast<int>(from.down), true};
    read(0, room);
    return {room.at, leading(room), false};
  }

  // Right sides become solutions, by a triangle that is read.
  template <class F>
  int solve_by_triangle(bool may_be_turned, F by) {
    const auto room = take<T>(scratch_, n_, n_);
    const auto b = take<T>(scratch_, n_, right_);
    if (scratch_.counts()) return 0;
    const matrix_read a = read_only(may_be_turned, room);
    read(1, b);
    int info = 0;
    const int lead = leading(b);
    by(a, p_.lower != a.turned ? "L" : "U", b.at, &lead, &info);
    if (info == 0) write(0, b);
    return info;
  }

  int cholesky_solve() {
    return solve_by_triangle(std::is_same_v<T, R>,
                             [this](const matrix_read& a, const char* part, T* b, const int* lead, int* info) {
                               by_.potrs(part, &n_, &right_, a.at, &a.leading, b, lead, info, 1);
                             });
  }

  int triangular_solve() {
    return solve_by_triangle(
        !p_.conjugated, [this](const matrix_read& a, const char* part, T* b, const int* lead, int* info) {
          const char* const as = a.turned ? (p_.transposed ? "N" : "T") : trans();
          by_.trtrs(part, as, p_.unit_diagonal ? "U" : "N", &n_, &right_, a.at, &a.leading, b, lead, info, 1, 1, 1);
        });
  }

  int qr() {
    const auto room = take<T>(scratch_, m_, n_), a = turned_in_place(0, room);
    const columns_of<T> tau{scratch_.take<T>(least()), least(), 1};
    T* const work = scratch_.take<T>(w_.numbers);
    if (scratch_.counts()) return 0;
    read(0, a);
    int info = 0;
    const int lda = leading(a);
    by_.geqrf(&m_, &n_, a.at, &lda, tau.at, work, &w_.numbers, &info);
    write_turned(0, a);
    write(1, tau);
    return info;
  }

  int orthogonal() {
    const auto q = take<T>(scratch_, m_, right_);
    const columns_of<T> tau{scratch_.take<T>(least()), least(), 1};
    T* const work = scratch_.take<T>(w_.numbers);
    if (scratch_.counts()) return 0;
    read_turned(0, columns_of<T>{q.at, m_, std::min<std::int64_t>(n_, right_)});
    read(1, tau);
    int info = 0;
    const int lda = leading(q), reflections = static_cast<int>(least());
    by_.gqr(&m_, &right_, &reflections, q.at, &lda, tau.at, work, &w_.numbers, &info);
    write(0, q);
    return info;
  }

  int svd() {
    const std::int64_t k = least();
    const auto a = take<T>(scratch_, m_, n_);
    const columns_of<R> s{scratch_.take<R>(k), k, 1};
    const auto u = take<T>(scratch_, m_, p_.vectors ? (p_.full ? m_ : k) : 0);
    const auto v = take<T>(scratch_, p_.full ? n_ : k, p_.vectors ? n_ : 0);
    T* const work = scratch_.take<T>(w_.numbers);
    R* const reals = scratch_.take<R>(w_.reals);
    int* const integers = scratch_.take<int>(8 * k);
    if (scratch_.counts()) return 0;
    read(0, a);
    int info = 0;
    call_svd(a, s.at, u, v, work, &w_.numbers, reals, integers, &info);
    if (info != 0) return info;
    write(0, s);
    if (p_.vectors) write(1, u), write(2, v);
    return 0;
  }
  void call_svd(const columns_of<T>& a, R* s, const columns_of<T>& u, const columns_of<T>& v, T* work, const int* lwork,
                [[maybe_unused]] R* reals, int* integers, int* info) const {
    const char* const kind = !p_.vectors ? "N" : p_.full ? "A" : "S";
    const int lda = leading(a), ldu = leading(u), ldv = leading(v);
    if constexpr (is_complex_number<T>)
      by_.gesdd(kind, &m_, &n_, a.at, &lda, s, u.at, &ldu, v.at, &ldv, work, lwork, reals, integers, info, 1);
    else by_.gesdd(kind, &m_, &n_, a.at, &lda, s, u.at, &ldu, v.at, &ldv, work, lwork, integers, info, 1);
  }

  int eigh() {
    const auto a = take<T>(scratch_, n_, n_);
    const columns_of<R> values{scratch_.take<R>(n_), n_, 1};
    T* const work = scratch_.take<T>(w_.numbers);
    R* const reals = scratch_.take<R>(w_.reals);
    int* const integers = scratch_.take<int>(w_.integers);
    if (scratch_.counts()) return 0;
    read(0, a);
    int info = 0;
    const int room = static_cast<int>(w_.reals);
    call_eigh(a.at, values.at, work, &w_.numbers, reals, &room, integers, &w_.integers, &info);
    if (info != 0) return info;
    write(0, values);
    if (p_.vectors) write(1, a);
    return 0;
  }
  void call_eigh(T* a, R* values, T* work, const int* lwork, [[maybe_unused]] R* reals,
                 [[maybe_unused]] const int* lreals, int* integers, const int* lintegers, int* info) const {
    const char* const kind = p_.vectors ? "V" : "N";
    const int lda = std::max(n_, 1);
    if constexpr (is_complex_number<T>)
      by_.evd(kind, uplo(), &n_, a, &lda, values, work, lwork, reals, lreals, integers, lintegers, info, 1, 1);
    else by_.evd(kind, uplo(), &n_, a, &lda, values, work, lwork, integers, lintegers, info, 1, 1);
  }

  int eig() {
    const auto a = take<T>(scratch_, n_, n_);
    const auto v = take<T>(scratch_, n_, p_.vectors ? n_ : 0);
    T* const work = scratch_.take<T>(w_.numbers);
    const columns_of<C> values{scratch_.take<C>(n_), n_, 1};
    R* const reals = scratch_.take<R>(2 * n_);
    if (scratch_.counts()) return 0;
    read(0, a);
    const std::int64_t count = a.rows * a.columns;
    const bool is_finite = std::all_of(a.at, a.at + count, [](const T& x) { return std::isfinite(std::abs(x)); });
    if (!is_finite) return not_finite;
    int info = 0;
    call_eig(a.at, values.at, v, work, &w_.numbers, reals, &info);
    if (info != 0) return info;
    write(0, values);
    if (p_.vectors) write_eigenvectors(values.at, v);
    return 0;
  }
  void call_eig(T* a, C* values, const columns_of<T>& v, T* work, const int* lwork, R* reals, int* info) const {
    const char* const kind = p_.vectors ? "V" : "N";
    const int lda = std::max(n_, 1);
    if constexpr (is_complex_number<T>) {
      by_.geev("N", kind, &n_, a, &lda, values, nullptr, &lda, v.at, &lda, work, lwork, reals, info, 1, 1);
    } else {
      by_.geev("N", kind, &n_, a, &lda, reals, reals + n_, nullptr, &lda, v.at, &lda, work, lwork, info, 1, 1);
      for (int k = 0; values && k < n_ && *lwork >= 0; ++k) values[k] = C(reals[k], reals[n_ + k]);
    }
  }
  // Of real matrices a pair of conjugate ones is in two columns: the real parts, and the imaginary ones of the first.
  void write_eigenvectors([[maybe_unused]] const C* values, const columns_of<T>& v) const {
    if constexpr (is_complex_number<T>) {
      write(1, v);
    } else {
      write_by<C>(1, n_, n_, [&](std::int64_t r, std::int64_t c) {
        const R part = values[c].imag();
        return part == 0 ? C(v(r, c)) : part > 0 ? C(v(r, c), v(r, c + 1)) : C(v(r, c - 1), -v(r, c));
      });
    }
  }

  const lapack_of<T>& by_;
};

// LAPACK says how much room it wants where it is told that there is -1.
template <class T>
bool lapack_job<T>::ask_for_sizes(solver_work& to) {
  constexpr int ask = -1;
  T numbers[1] = {};
  R reals[1] = {};
  int integers[1] = {}, info = 0;
  const int k = static_cast<int>(least()), lda = std::max(m_, 1);
  const columns_of<T> none{nullptr, p_.rows, 0}, wide{nullptr, p_.full ? p_.columns : k, 0};
  switch (p_.what) {
    case solver::qr: by_.geqrf(&m_, &n_, nullptr, &lda, nullptr, numbers, &ask, &info); break;
    case solver::orthogonal: by_.gqr(&m_, &right_, &k, nullptr, &lda, nullptr, numbers, &ask, &info); break;
    case solver::svd: call_svd(none, nullptr, none, wide, numbers, &ask, reals, integers, &info); break;
    case solver::eigh: call_eigh(nullptr, nullptr, numbers, &ask, reals, &ask, integers, &ask, &info); break;
    case solver::eig: call_eig(nullptr, nullptr, none, numbers, &ask, reals, &info); break;
    default: return true;
  }
  // A float counts no further than 2^24, and then to the nearest.
  constexpr double most = std::numeric_limits<int>::max() - 1, up = 1 + std::numeric_limits<R>::epsilon();
  const double wanted = std::real(numbers[0]) * up, real = reals[0] * up;
  if (wanted > most || real > most) return false;
  to.numbers = static_cast<int>(wanted) + 1;
  to.reals = static_cast<std::int64_t>(real) + 1;
  to.integers = integers[0];
  if (p_.what == solver::svd && is_complex_number<T>) {
    const std::int64_t small = least(), large = std::max(p_.rows, p_.columns);
    to.reals = p_.vectors ? small * std::max(5 * small + 7, 2 * large + 2 * small + 1) : 7 * small;
  }
  return true;
}

}  // namespace sinter::runtime
