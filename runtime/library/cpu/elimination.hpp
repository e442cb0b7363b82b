// LU factors by elimination and solutions by these, for matrices whose pivots LAPACK's implementations may not be able to divide by.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "runtime/library/cpu/columns.hpp"

namespace sinter::runtime {

/// Has a pivot no reciprocal? OpenBLAS multiplies a column by it all the same (0.3.21), which makes zeros NaN.
template <class T>
bool has_small_pivot(const columns_of<T>& factors) {
  using R = decltype(std::abs(T()));
  for (std::int64_t i = 0; i < std::min(factors.rows, factors.columns); ++i) {
    const R size = std::abs(factors(i, i));
    if (size > 0 && size < std::numeric_limits<R>::min()) return true;
  }
  return false;
}

template <class T>
bool is_finite(const columns_of<T>& a) {
  for (std::int64_t c = 0; c < a.columns; ++c)
    for (std::int64_t r = 0; r < a.rows; ++r)
      if (!std::isfinite(std::real(a(r, c))) || !std::isfinite(std::imag(a(r, c)))) return false;
  return true;
}

/// In place, with LAPACK's pivots, counted from 1, and its answer. Source: LAPACK's getf2.
template <class T>
int eliminate(const columns_of<T>& a, int* pivots) {
  const auto size = [](const T& x) { return std::abs(std::real(x)) + std::abs(std::imag(x)); };
  int answer = 0;
  for (std::int64_t j = 0; j < std::min(a.rows, a.columns); ++j) {
    std::int64_t pivot = j;
    for (std::int64_t r = j + 1; r < a.rows; ++r)
      if (size(a(r, j)) > size(a(pivot, j))) pivot = r;
    pivots[j] = static_cast<int>(pivot) + 1;
    if (a(pivot, j) == T(0)) {
      if (answer == 0) answer = static_cast<int>(j) + 1;
      continue;
    }
    for (std::int64_t c = 0; pivot != j && c < a.columns; ++c) std::swap(a(j, c), a(pivot, c));
    for (std::int64_t r = j + 1; r < a.rows; ++r) a(r, j) /= a(j, j);
    for (std::int64_t c = j + 1; c < a.columns; ++c)
      for (std::int64_t r = j + 1; r < a.rows; ++r) a(r, c) -= a(r, j) * a(j, c);
  }
  return answer;
}

/// Solutions by such factors, by division alone; OpenBLAS multiplies several right sides by reciprocals (0.3.21). `trans` is LAPACK's, and
/// b(r, c) the element of a right side. Source: LAPACK's getrs.
template <class T, class Sides>
void substitute(const columns_of<T>& a, const int* pivots, char trans, std::int64_t sides, const Sides& b) {
  const std::int64_t n = a.rows;
  const bool is_turned = trans != 'N';
  const auto factor = [&](std::int64_t r, std::int64_t c) {
    const T x = is_turned ? a(c, r) : a(r, c);
    if constexpr (detail::complex_number<T>) return trans == 'C' ? std::conj(x) : x;
    else return x;
  };
  for (std::int64_t c = 0; c < sides; ++c) {
    for (std::int64_t r = 0; !is_turned && r < n; ++r) std::swap(b(r, c), b(pivots[r] - 1, c));
    for (std::int64_t r = 0; r < n; ++r) {
      for (std::int64_t k = 0; k < r; ++k) b(r, c) -= factor(r, k) * b(k, c);
      if (is_turned) b(r, c) /= factor(r, r);
    }
    for (std::int64_t r = n; r-- > 0;) {
      for (std::int64_t k = r + 1; k < n; ++k) b(r, c) -= factor(r, k) * b(k, c);
      if (!is_turned) b(r, c) /= factor(r, r);
    }
    for (std::int64_t r = n; is_turned && r-- > 0;) std::swap(b(r, c), b(pivots[r] - 1, c));
  }
}

}  // namespace sinter::runtime
