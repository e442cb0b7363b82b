// What every factorisation by LAPACK needs: scratch memory, and matrices on their way to columns and back.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "runtime/library/cpu/columns.hpp"
#include "runtime/library/cpu/lapack.hpp"
#include "runtime/library/solvers.hpp"

namespace sinter::runtime {

/// One matrix of a batch.
class solver_memory {
 protected:
  solver_memory(const solver_work& w, std::byte* scratch, std::int64_t i) : w_(w), p_(w.of), scratch_(scratch), i_(i) {}

  std::int64_t least() const { return std::min(p_.rows, p_.columns); }
  bool has_right() const {
    return p_.what == solver::lu_solve || p_.what == solver::solve || p_.what == solver::cholesky_solve ||
           p_.what == solver::triangular_solve || p_.what == solver::banded_solve;
  }

  template <class V>
  void read(int operand, const columns_of<V>& to) const {
    const solver_array& a = w_.operands[operand];
    const V* const from = place<const V>(a, w_.batch, i_);
    copy_places(from, a.down, a.across, to.at, 1, to.leading(), to.rows, to.columns);
  }
  // Its transpose, which a matrix in C order is in columns.
  template <class T>
  void read_turned(int operand, const columns_of<T>& to) const {
    const solver_array& a = w_.operands[operand];
    copy_places(place<const T>(a, w_.batch, i_), a.across, a.down, to.at, 1, to.leading(), to.rows, to.columns);
  }
  // The transpose of a result in columns, where it lies so in memory that the first operand has no part of; else in `room`.
  template <class T>
  columns_of<T> turned_in_place(int result, const columns_of<T>& room) const {
    const solver_array& to = w_.results[result];
    const bool lies_so = to.across == 1 && to.down == room.leading();
    const span of_result = span_of<T>(to, room), of_operand = span_of<T>(w_.operands[0], room);
    if (!lies_so || (of_result.begin < of_operand.end && of_operand.begin < of_result.end)) return room;
    return {place<T>(to, w_.batch, i_), room.rows, room.columns};
  }
  template <class V, class F>
  void write_by(int result, std::int64_t rows, std::int64_t columns, F value) const {
    const solver_array& a = w_.results[result];
    V* const to = place<V>(a, w_.batch, i_);
    for_places(columns, rows, [&](std::int64_t c, std::int64_t r) { to[r * a.down + c * a.across] = value(r, c); });
  }
  template <class V>
  void write(int result, const columns_of<V>& from) const {
    const solver_array& a = w_.results[result];
    copy_places(from.at, 1, from.leading(), place<V>(a, w_.batch, i_), a.down, a.across, from.rows, from.columns);
  }
  template <class T>
  void write_turned(int result, const columns_of<T>& from) const {
    const solver_array& a = w_.results[result];
    if (place<T>(a, w_.batch, i_) == from.at) return;  // made in place
    copy_places(from.at, 1, from.leading(), place<T>(a, w_.batch, i_), a.across, a.down, from.rows, from.columns);
  }
  // The lower triangle, and part of what is beside the diagonal.
  template <class T>
  void read_lower(int operand, const columns_of<T>& to) const {
    const solver_array& a = w_.operands[operand];
    const T* const from = place<const T>(a, w_.batch, i_);
    for (std::int64_t r = 0; r < to.rows; r += place_tile) {
      const std::int64_t high = std::min(place_tile, to.rows - r);
      copy_places(from + r * a.down, a.down, a.across, &to(r, 0), 1, to.leading(), high, r + high);
    }
  }
  // The lower triangle, and zeros.
  template <class T>
  void write_lower(int result, const columns_of<T>& from) const {
    const solver_array& a = w_.results[result];
    T* const to = place<T>(a, w_.batch, i_);
    for (std::int64_t r = 0; r < from.rows; r += place_tile) {
      const std::int64_t high = std::min(place_tile, from.rows - r);
      copy_places(&from(r, 0), 1, from.leading(), to + r * a.down, a.down, a.across, high, r + high);
      for (std::int64_t k = r; k < r + high; ++k)
        for (std::int64_t c = k + 1; c < from.columns; ++c) to[k * a.down + c * a.across] = T{};
    }
  }
  template <class V>
  void write_each(int result, std::int64_t rows, std::int64_t columns, real_of<V> value) const {
    write_by<V>(result, rows, columns, [&](std::int64_t, std::int64_t) { return V(value); });
  }

  // In every result that has floating numbers.
  template <class T>
  void write_nan() const {
    using R = real_of<T>;
    using C = std::complex<R>;
    constexpr R none = std::numeric_limits<R>::quiet_NaN();
    switch (p_.what) {
      case solver::svd: write_each<R>(0, least(), 1, none); break;
      case solver::eigh: write_each<R>(0, n_, 1, none); break;
      case solver::eig: write_each<C>(0, n_, 1, none); break;
      case solver::qr: write_each<T>(0, n_, m_, none); break;
      default: write_each<T>(0, m_, p_.is_vector ? 1 : has_right() ? right_ : n_, none);
    }
    if (!p_.vectors) return;
    if (p_.what == solver::svd) {
      write_each<T>(1, m_, p_.full ? m_ : least(), none);
      write_each<T>(2, p_.full ? n_ : least(), n_, none);
    } else if (p_.what == solver::eig) {
      write_each<C>(1, n_, n_, none);
    } else {
      write_each<T>(1, n_, n_, none);
    }
  }

  const char* trans() const { return p_.transposed ? (p_.conjugated ? "C" : "T") : "N"; }
  const char* uplo() const { return p_.lower ? "L" : "U"; }
  template <class V>
  static int leading(const columns_of<V>& a) {
    return static_cast<int>(a.leading());
  }

  struct span {
    std::intptr_t begin, end;
  };
  // The memory of all matrices of a batch, each of as many elements as `one`.
  template <class T>
  span span_of(const solver_array& a, const columns_of<T>& one) const {
    span all{};
    const auto along = [&](std::int64_t extent, std::int64_t step) {
      (step < 0 ? all.begin : all.end) += (extent - 1) * step * static_cast<std::int64_t>(sizeof(T));
    };
    along(one.rows, a.down), along(one.columns, a.across);
    for (int d = 0; d < w_.batch.size(); ++d) along(w_.batch[d], a.steps[d]);
    const auto first = reinterpret_cast<std::intptr_t>(a.data);
    return {first + all.begin, first + all.end + static_cast<std::intptr_t>(sizeof(T))};
  }

  const solver_work& w_;
  const solver_problem& p_;
  arena scratch_;
  const std::int64_t i_;
  const int m_ = static_cast<int>(w_.of.rows), n_ = static_cast<int>(w_.of.columns),
            right_ = static_cast<int>(w_.of.right);
};

}  // namespace sinter::runtime
