// Systems of equations with sparse matrices: SciPy's solutions, of every dtype and of transposes; factors that are used again; and what
// is wrong.
#include <doctest/doctest.h>

#include <atomic>
#include <complex>
#include <thread>
#include <vector>

#include <sinter/products.hpp>
#include <sinter/sinter.hpp>
#include <sinter/sparse_construct.hpp>
#include <sinter/sparse_solve.hpp>

#include "test/support/sparse_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using sparse::coo_array, sparse::csc_array, sparse::csr_array;
using sparse::linalg::spsolve, sparse::linalg::splu, sparse::linalg::spsolve_triangular, sparse::linalg::transposition;

// `solutions` of golden_sparse_algebra.py.
template <class T>
csr_array<T> system_of() {
  const array<std::int64_t> i = arange(7).reshape(7, 1), j = arange(7);
  const array<T> some =
      where((i * 2 + j * 3) % 7 < 3, sparse_values<T>((i * 5 + j * 3) % 7 - 3, (i + j) % 3 - 1), zeros<T>({}));
  return csr_array<T>(some + astype<T>(where(j == (i + 2) % 7, 9, 0)));
}

// Was Sinter built with Eigen?
bool has_factors() {
  static const bool has = [] {
    try {
      (void)splu(csr_array<double>(ones({1, 1})));
      return true;
    } catch (const device_error&) {
      MESSAGE("no factors of sparse matrices here: Sinter was built without Eigen");
      return false;
    }
  }();
  return has;
}

// The five-point Laplace operator of a square grid.
csr_array<double> laplace(std::int64_t n) {
  const auto line = sparse::diags_array<double>({{2, 0}, {-1, 1}, {-1, -1}}, {n, n});
  const auto one = sparse::eye_array(n);
  return sparse::kron(line, one) + sparse::kron(one, line);
}

}  // namespace

TEST_CASE_TEMPLATE("sparse solve: SciPy's solutions", T, std::int32_t, float, double, std::complex<float>,
                   std::complex<double>) {
  const sparse_comparison is(dtype_of<T>, "system", "sparse_algebra.txt");
  const csr_array<T> a = system_of<T>();
  const array<T> b = dense_operand<T>({7}), c = dense_operand<T>({7, 3});
  if (has_factors()) {
    is("solution", spsolve(a, b));
    is("solution", spsolve(a.tocsc(), b + 0));
    is("solution", spsolve(a.tocoo(), b));
    const auto lu = splu(a);
    CHECK(lu.shape() == shape{7, 7});
    is("solutions", lu.solve(c));
    is("solutions", lu.solve(array<T>(c.T().copy()).T()));
    is("transposed solution", lu.solve(b, transposition::transposed));
    is("conjugated solution", lu.solve(b, transposition::conjugated));
    CHECK(lu.solve(zeros<T>({7, 0})).shape() == shape{7, 0});
  }
  const auto t = a + sparse::eye_array<T>(7) * 5;
  is("lower", spsolve_triangular(t, b));
  is("lower", spsolve_triangular(sparse::tril(t).tocsc(), b));
  is("upper", spsolve_triangular(t, c, {.lower = false}));
  is("unit", spsolve_triangular(t, b, {.unit_diagonal = true}));
}

TEST_CASE("sparse solve: a larger system, by several threads with the same factors") {
  if (!has_factors()) return;
  const csr_array<double> a = laplace(20);
  CHECK(a.shape() == shape{400, 400});
  const array<double> want = astype<double>(arange(400) % 13 - 6);
  const array<double> b = matmul(a, want);
  const auto lu = splu(a);
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      const auto how = i % 2 == 0 ? transposition::none : transposition::transposed;
      right += max(abs(lu.solve(b, how) - want)).item() < 1e-10;
    });
  for (std::thread& t : threads) t.join();
  CHECK(right == 4);
  // Factors are values: what they are of may go.
  auto copy = lu;
  copy = splu(csr_array<double>(array<double>{{2, 0}, {1, 4}}));
  CHECK(copy.solve(array<double>{2, 9}).get() == std::vector<double>{1, 2});
  CHECK(max(abs(lu.solve(b) - want)).item() < 1e-10);
  // Entries of one place count together, entries of zero not at all.
  const coo_array<double> twice(array<double>{1, 1, 0, 4}, array<int>{0, 0, 1, 1}, array<int>{0, 0, 0, 1}, {2, 2});
  CHECK(spsolve(twice, array<double>{2, 8}).get() == std::vector<double>{1, 2});
}

TEST_CASE("sparse solve: what is wrong") {
  const csr_array<double> a(array<double>{{1, 0}, {2, 0}}), wide(shape{2, 3}), none(shape{0, 0});
  CHECK_THROWS_WITH_AS((void)spsolve_triangular(a, array<double>{1, 2}),
                       "sinter: spsolve_triangular: element 1 of the diagonal is 0", linalg_error);
  CHECK_THROWS_WITH_AS((void)spsolve_triangular(wide, ones({2})),
                       "sinter: spsolve_triangular of a sparse array of shape (2, 3)", shape_error);
  CHECK_THROWS_WITH_AS((void)spsolve_triangular(a, ones({3})),
                       "sinter: spsolve_triangular with a sparse array of shape (2, 2) and a right side of shape (3,)",
                       shape_error);
  CHECK(spsolve_triangular(none, zeros({0})).shape() == shape{0});
  CHECK_THROWS_WITH_AS((void)splu(wide), "sinter: splu of a sparse array of shape (2, 3)", shape_error);
  if (!has_factors()) return;
  CHECK_THROWS_WITH_AS((void)splu(a), "sinter: splu: the matrix is singular", linalg_error);
  CHECK_THROWS_WITH_AS((void)splu(csr_array<double>(array<double>{{1, 2}, {2, 4}})),
                       "sinter: splu: the matrix is singular", linalg_error);
  CHECK_THROWS_WITH_AS((void)splu(csr_array<double>(shape{3, 3})), "sinter: splu: the matrix is singular",
                       linalg_error);
  array<double> nearly_empty = zeros({100, 100});
  nearly_empty(3, 3) = 1;
  CHECK_THROWS_WITH_AS((void)splu(csr_array<double>(nearly_empty)), "sinter: splu: the matrix is singular",
                       linalg_error);
  CHECK_THROWS_WITH_AS((void)splu(csr_array<double>(array<double>{{2}})).solve(ones({3, 1})),
                       "sinter: solve with a sparse array of shape (1, 1) and a right side of shape (3, 1)",
                       shape_error);
  CHECK(splu(none).solve(zeros({0, 2})).shape() == shape{0, 2});
}
