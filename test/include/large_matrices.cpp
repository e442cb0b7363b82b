// Matrices large enough for a GPU's other ways: singular values by a polar decomposition, which a singular value near 0 refuses,
// Cholesky's factor of either triangle, and solutions by triangles.
#include <doctest/doctest.h>

#include <complex>
#include <limits>

#include <sinter/linalg.hpp>
#include <sinter/sinter.hpp>

#include "test/include/matrices.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using complex = std::complex<double>;

/// The largest difference, as a part of the largest element.
template <class A, class B>
double off(const A& got, const B& wanted) {
  const array g(got), w(wanted);
  REQUIRE(g.shape() == w.shape());
  return static_cast<double>(max(abs(g - w)).item()) / (1 + static_cast<double>(max(abs(w)).item()));
}
template <class X>
auto adjoint(const X& a) {
  return conj(matrix_transpose(a));
}

/// Without a pattern: `some` repeats itself, so that such a matrix has few singular values.
template <class T>
array<T> any(const shape& s, int seed) {
  random::generator rng(seed);
  if constexpr (detail::complex_number<T>) return astype<T>(make_complex(rng.normal(s), rng.normal(s)));
  else return astype<T>(rng.normal(s));
}

template <class T>
void decompose(const array<T>& a, bool full, double limit) {
  const auto [u, s, vh] = linalg::svd(a, {.full_matrices = full});
  const array<T> left = u, right = vh;
  const auto values = array(s);
  using R = typename decltype(values)::value_type;
  CHECK(off(matmul(left * expand_dims(values, -2), right), a) < limit);
  const std::int64_t k = values.shape()[values.ndim() - 1];
  CHECK(off(matmul(adjoint(left), left), zeros_like(matmul(adjoint(left), left)) + eye<T>(k)) < limit);
  CHECK(off(matmul(right, adjoint(right)), zeros_like(matmul(right, adjoint(right))) + eye<T>(k)) < limit);
  CHECK(all(diff(values) <= 0).item());
  CHECK(off(linalg::svdvals(a), values) < limit);
  CHECK(sinter::min(values).item() >= R(0));
}

}  // namespace

TEST_CASE_TEMPLATE("large matrices: singular values", T, float, complex) {
  const double limit = sizeof(T) == 4 ? 2e-5 : 1e-12;
  for (const shape& s : {shape{160, 130}, shape{130, 160}, shape{140, 140}, shape{2, 130, 128}}) {
    CAPTURE(s);
    decompose(any<T>(s, 3), false, limit);
  }
  decompose(any<T>({130, 130}, 4), true, limit);
  array<T> turned = transpose(any<T>({150, 170}, 5));
  decompose(turned, false, limit);
}

TEST_CASE_TEMPLATE("large matrices: singular values that are 0", T, float, complex) {
  const double limit = sizeof(T) == 4 ? 2e-5 : 1e-12;
  const array<T> low = matmul(any<T>({150, 7}, 6), any<T>({7, 140}, 7));
  decompose(low, false, limit);
  array<T> several = any<T>({4, 140, 130}, 8);
  several(1, _, 5) = several(1, _, 9);
  several(3) = T(0);
  decompose(several, false, limit);
  CHECK(linalg::matrix_rank(low).item() == 7);
  CHECK(all(linalg::matrix_rank(several) == array<std::int64_t>{130, 129, 130, 0}).item());
}

TEST_CASE_TEMPLATE("large matrices: systems of equations", T, float, complex) {
  const double limit = sizeof(T) == 4 ? 2e-4 : 1e-11;
  const array<T> a = any<T>({150, 150}, 9) + T(30) * eye<T>(150), b = any<T>({150, 40}, 10), one = any<T>({150}, 11);
  CHECK(off(matmul(a, linalg::solve(a, b)), b) < limit);
  CHECK(off(matmul(a, linalg::solve(a, one)), one) < limit);
  CHECK(off(matmul(a, linalg::inv(a)), eye<T>(150)) < limit);
  const auto factors = linalg::lu_factor(a);
  using linalg::transposition;
  CHECK(off(matmul(a, linalg::lu_solve(factors, b)), b) < limit);
  for (const transposition way : {transposition::transposed, transposition::conjugated}) {
    const array<T> turned = way == transposition::transposed ? array<T>(transpose(a)) : array<T>(adjoint(a));
    CHECK(off(matmul(turned, linalg::lu_solve(factors, b, way)), b) < limit);
    CHECK(off(matmul(turned, linalg::lu_solve(factors, one, way)), one) < limit);
  }
  const array<T> h = matmul(a, adjoint(a));
  const array<T> lower = linalg::cholesky(h), upper = linalg::cholesky(h, {.upper = true});
  CHECK(off(matmul(lower, adjoint(lower)), h) < limit);
  CHECK(off(matmul(adjoint(upper), upper), h) < limit);
  CHECK(all(triu(lower, 1) == T(0)).item());
  CHECK(all(tril(upper, -1) == T(0)).item());
  const array<T> lied = where(tri<bool>(150), h, T(7));  // only one triangle is read
  CHECK(off(linalg::cholesky(lied), lower) < limit);
  const array<T> rows = any<T>({170, 60}, 12);
  const auto [q, r] = linalg::qr(rows);
  CHECK(off(matmul(q, r), rows) < limit);
  CHECK(off(matmul(adjoint(q), q), eye<T>(60)) < limit);
  const auto raw = linalg::qr_raw(rows);
  CHECK(raw.h.shape() == shape{60, 170});
  CHECK(off(triu(matrix_transpose(raw.h)(slice(0, 60))), r) < limit);
}

// By the host itself up to 512 rows, and by expressions.
TEST_CASE_TEMPLATE("large matrices: exponentials of every norm", T, double, complex) {
  for (const int rows : {5, 24, 40}) {
    const array<T> a = any<T>({rows, rows}, 13) / T(sqrt(static_cast<double>(rows)));
    for (const double norm : {1e-3, 0.05, 0.3, 0.8, 3.0}) {
      CAPTURE(rows);
      CAPTURE(norm);
      const array<T> once = linalg::expm(a * norm);
      CHECK(off(matmul(once, linalg::expm(a * -norm)), eye<T>(rows)) < 1e-12);
      CHECK(off(matmul(once, once), linalg::expm(a * (2 * norm))) < 1e-12);
      CHECK(off(linalg::expm(stack({array<T>(a * norm)}))(0), once) < 1e-14);
    }
  }
  // Its powers leave the range of a double before it does.
  array<T> shift = zeros<T>({20, 20});
  shift(0, 1) = T(1e120);
  CHECK(off(linalg::expm(shift) / T(1e120), (eye<T>(20) + shift) / T(1e120)) < 1e-15);
}
