// Systems of equations with sparse matrices: SciPy's solutions, of every dtype and of transposes; factors that are used again; and what
// is wrong.
#include <doctest/doctest.h>

#include <atomic>
#include <complex>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include <sinter/graph.hpp>
#include <sinter/products.hpp>
#include <sinter/sinter.hpp>
#include <sinter/sparse_construct.hpp>
#include <sinter/sparse_solve.hpp>
#include <sinter/stream.hpp>

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

// On a GPU that has cuDSS; on other devices the same answers by the host.
TEST_CASE_TEMPLATE("sparse solve: factors of a GPU", T, float, double, std::complex<float>, std::complex<double>) {
  if (!has_factors()) return;
  const double near = std::is_same_v<T, float> || std::is_same_v<T, std::complex<float>> ? 1e-4 : 1e-10;
  constexpr std::int64_t side = 17, n = side * side;
  const auto k = arange(n);
  const array<T> diagonal = sparse_values<T>(k % 3 + 24, k % 5 - 2);
  const csr_array<T> a = sparse::diags_array<T>({{diagonal, 0}}, {n, n}).tocsr() - laplace(side).astype<T>();
  const array<T> want = sparse_values<T>(k % 13 - 6, k % 7 - 3);
  const array<T> all = concatenate(tuple(want, want * T(2), want - T(1))).reshape(3, n).T();
  const array<T> b = matmul(a, want), columns = matmul(a, all);
  const auto is_near = [&](const array<T>& x, const array<T>& y) { return max(abs(x - y)).item() < near; };
  for (const bool atomic : {false, true}) {
    const auto lu = splu(a, {.atomic = atomic});
    CHECK(is_near(lu.solve(b), want));
    CHECK(is_near(lu.solve(columns), all));
    CHECK(is_near(lu.solve(columns(_, slice(_, _, -1))), all(_, slice(_, _, -1))));
    CHECK(lu.solve(zeros<T>({n, 0})).shape() == shape{n, 0});
    const csr_array<T> turned(a.T().tocsr());
    CHECK(is_near(lu.solve(array<T>(matmul(turned, want)), transposition::transposed), want));
    CHECK(is_near(lu.solve(array<T>(matmul(turned.conj(), want)), transposition::conjugated), want));
  }
  // Other values at the same places, while the factors before are there and when they have gone.
  auto kept = splu(a);
  for (int i = 1; i < 5; ++i) {
    const auto lu = splu(a * T(i));
    CHECK(is_near(lu.solve(b), array<T>(want / T(i))));
    CHECK(is_near(kept.solve(b), array<T>(want / T(i > 1 ? i - 1 : 1))));
    kept = lu;
  }
  CHECK(is_near(spsolve(a.tocsc(), b), want));
  CHECK(is_near(spsolve(a.tocoo(), b), want));
  // Values and indices that lie apart, and those of int64.
  const array<T> apart = repeat(array<T>(a.data()), 2);
  const array<std::int64_t> columns_apart = repeat(array<std::int64_t>(a.indices()), 2);
  CHECK(is_near(spsolve(csr_array<T>(apart(slice(_, _, 2)), columns_apart(slice(_, _, 2)), a.indptr(), {n, n}), b),
                want));
}

TEST_CASE("sparse solve: factors of a GPU in graphs, on streams and by threads") {
  if (!has_factors()) return;
  const csr_array<double> a = laplace(20);
  const array<double> want = astype<double>(arange(400) % 13 - 6), b = matmul(a, want);
  const std::int64_t calls = counters().library_calls;
  (void)splu(a);
  const bool by_cudss = counters().library_calls > calls;
  CHECK((by_cudss || !std::getenv("SOFTGPU_FATAL")));  // the stand-in has it
  if (by_cudss) {
    array<double> x = b + 0.0;
    auto kept = std::make_unique<decltype(splu(a))>(splu(a));
    const graph steps = capture([&] { x(ellipsis) = kept->solve(x); });
    kept.reset();  // the graph has its own
    steps.launch();
    CHECK(max(abs(x - want)).item() < 1e-10);
    steps.launch();
    CHECK(max(abs(matmul(a, x) - want)).item() < 1e-9);
    CHECK_THROWS_AS((void)capture([&] { (void)splu(a); }), device_error);
  }
  const auto lu = splu(a);
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      const stream mine;
      const stream_scope on(mine);
      for (int step = 0; step < 4; ++step) {
        right += max(abs(lu.solve(b * (i + 1)) - want * (i + 1))).item() < 1e-10;
        if (step % 2 == 0) right += max(abs(spsolve(a * (step + 1), b) * (step + 1) - want)).item() < 1e-10;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(right == 24);
  // What cuDSS cannot factor exactly is for the host to judge.
  array<double> empty_row = a.toarray();
  empty_row(7) = 0;
  CHECK_THROWS_WITH_AS((void)splu(csr_array<double>(empty_row)), "sinter: splu: the matrix is singular", linalg_error);
  array<double> swapped = zeros({300, 300});
  swapped(arange(300), 299 - arange(300)) = 2;
  CHECK(max(abs(spsolve(csr_array<double>(swapped), ones({300})) - 0.5)).item() == 0);
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
