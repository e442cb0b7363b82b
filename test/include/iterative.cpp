// Iterations beside the direct solution, of operators that are functions, and of matrices: real and complex ones, of any shape, with
// preconditioners and first guesses; what does not converge, and what it refuses.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include <sinter/iterative.hpp>
#include <sinter/linalg.hpp>
#include <sinter/sinter.hpp>
#include <sinter/sparse.hpp>

#include "test/include/looking.hpp"
#include "test/include/matrices.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
namespace krylov = sinter::sparse::linalg;
using complex = std::complex<double>;

template <class A, class B>
double distance(const A& a, const B& b) {
  return static_cast<double>(max(abs(array(a) - array(b))).item());
}

// Neighbours of a line, with zeros at its ends: symmetric and positive definite.
const auto line = [](const auto& v) {
  const auto wide = pad(v, {{1, 1}});
  return 2.1 * v - wide(slice(_, -2)) - wide(slice(2, _));
};
constexpr sinter::detail::no_map no_preconditioner;
// Of a plane.
const auto plane = [](const auto& v) {
  const auto wide = pad(v, {{1, 1}, {1, 1}});
  const slice inner(1, -1), before(_, -2), behind(2, _);
  return 4 * v - wide(inner, before) - wide(inner, behind) - wide(before, inner) - wide(behind, inner);
};

}  // namespace

TEST_CASE_TEMPLATE("iterative: every method finds the direct solution", T, float, double, complex) {
  const double limit = sizeof(T) == 4 ? 2e-3 : 1e-8;
  const double rtol = sizeof(T) == 4 ? 1e-5 : 1e-11;
  const std::int64_t n = 24;
  const array<T> a = some<T>({n, n}) / 10 + 5 * eye<T>(n), b = some<T>({n}, 3);
  const array<T> hermitian = matmul(a, conj(matrix_transpose(a)));
  const array<T> direct = linalg::solve(a, b), direct_hermitian = linalg::solve(hermitian, b);
  const auto by_a = [&](const auto& v) { return matmul(a, v); };
  const auto by_hermitian = [&](const auto& v) { return matmul(hermitian, v); };
  const array<T> diagonal_of_a = diagonal(a);
  const auto by_diagonal = [&](const auto& v) { return v / diagonal_of_a; };
  {
    const auto [x, info] = krylov::cg(by_hermitian, b, {.rtol = rtol});
    CHECK(info == 0);
    CHECK(distance(x, direct_hermitian) < limit);
    const array<T> squares = diagonal(hermitian);
    const auto [y, same] = krylov::cg(
        hermitian, b, {.rtol = rtol}, [&](const auto& v) { return v / squares; }, direct);
    CHECK(same == 0);
    CHECK(distance(y, direct_hermitian) < limit);
  }
  {
    const auto [x, info] = krylov::bicgstab(by_a, b, {.rtol = rtol});
    CHECK(info == 0);
    CHECK(distance(x, direct) < limit);
    const auto [y, same] = krylov::bicgstab(by_a, b, {.rtol = rtol}, by_diagonal, ones<T>({n}));
    CHECK(same == 0);
    CHECK(distance(y, direct) < limit);
  }
  {
    const auto [x, info] = krylov::gmres(by_a, b, {.rtol = rtol});
    CHECK(info == 0);
    CHECK(distance(x, direct) < limit);
    const auto [y, same] = krylov::gmres(a, b, {.rtol = rtol, .restart = 4}, by_diagonal, ones<T>({n}));
    CHECK(same == 0);
    CHECK(distance(y, direct) < limit);
  }
}

TEST_CASE("iterative: right sides of any shape, and residuals") {
  const array<double> wanted = some<double>({9, 7});
  const array<double> b = plane(wanted);
  std::vector<double> residuals;
  const auto [x, info] = krylov::cg(plane, b, {.rtol = 1e-12, .residuals = &residuals});
  CHECK(info == 0);
  CHECK(distance(x, wanted) < 1e-10);
  REQUIRE(residuals.size() > 3);
  CHECK(residuals.front() == doctest::Approx(static_cast<double>(linalg::norm(b).item())));
  CHECK(residuals.back() <= 1e-12 * residuals.front());
  CHECK(residuals.size() <= 64);  // not more than there are elements
  const auto [y, same] = krylov::gmres(plane, b, {.rtol = 1e-12, .residuals = &residuals});
  CHECK(distance(y, wanted) < 1e-9);
  const auto [z, so] = krylov::bicgstab(plane, b, {.rtol = 1e-12});
  CHECK(distance(z, wanted) < 1e-9);
  CHECK(same + so == 0);
  // Integers are solved in double, and no shape is too small.
  CHECK(krylov::cg(line, array<int>{3}).x(0).item() == doctest::Approx(3 / 2.1));
  CHECK(krylov::gmres([](const auto& v) { return 4 * v; }, array<double>{2}).x(0).item() == 0.5);
}

TEST_CASE("iterative: a second run compiles nothing, and each step is a few launches") {
  const array<double> b = some<double>({200});
  const auto run = [&](std::int64_t steps) { return krylov::cg(line, b, {.rtol = 0, .maxiter = steps}).info; };
  CHECK(run(5) == 5);
  const counters_snapshot five = moved_by([&] { run(5); }), ten = moved_by([&] { run(10); });
  CHECK(five.compiles + ten.compiles == 0);
  CHECK(ten.launches - five.launches <= 5 * 6);
}

TEST_CASE("iterative: what does not converge") {
  const array<double> b = some<double>({50}), none = zeros<double>({50});
  CHECK(krylov::cg(line, b, {.rtol = 1e-14, .maxiter = 3}).info == 3);
  CHECK(krylov::gmres(line, b, {.rtol = 1e-14, .maxiter = 3, .restart = 2}).info == 3);
  CHECK(krylov::bicgstab(line, b, {.rtol = 1e-14, .maxiter = 2}).info == 2);
  CHECK(krylov::cg(line, none).info == 0);
  CHECK(krylov::gmres(line, none).info == 0);
  CHECK(krylov::bicgstab(line, none).info == 0);
  CHECK(max(krylov::gmres(line, none).x).item() == 0);
  // What cannot take its next step leaves x as it was, as SciPy does.
  const auto broken = krylov::bicgstab(array<double>{{0, 1}, {-1, 0}}, ones({2}));
  CHECK(broken.info < 0);
  CHECK(broken.x.get() == std::vector<double>{0, 0});
  // From the solution there is nothing to do.
  const array<double> x = linalg::solve(array<double>{{2.1, -1}, {-1, 2.1}}, array<double>{1, 2});
  std::vector<double> residuals;
  CHECK(krylov::cg(line, array<double>{1, 2}, {.residuals = &residuals}, no_preconditioner, x).info == 0);
  CHECK(residuals.size() == 1);
  const auto nothing = [](const auto& v) { return 0 * v; };
  CHECK(krylov::cg(nothing, b).info < 0);
  CHECK(krylov::bicgstab(nothing, b).info < 0);
  CHECK(krylov::gmres(nothing, b).info < 0);
}

TEST_CASE_TEMPLATE("iterative: eigenvalues of an operator on columns", T, float, double, complex) {
  const double limit = sizeof(T) == 4 ? 1e-3 : 1e-7;
  constexpr std::int64_t n = 60;
  const auto columns = [](const auto& v) {
    const auto wide = pad(v, {{1, 1}, {0, 0}});
    return 2 * v - wide(slice(_, -2)) - wide(slice(2, _));
  };
  const auto exact = [](std::int64_t k) {
    return 2 - 2 * std::cos(static_cast<double>(k) * std::numbers::pi / static_cast<double>(n + 1));
  };
  const double tol = sizeof(T) == 4 ? 1e-3 : 1e-6;
  const auto [w, v] = krylov::lobpcg(columns, some<T>({n, 3}), {.tol = tol, .maxiter = 300, .largest = false});
  REQUIRE(w.shape() == shape{3});
  REQUIRE(v.shape() == shape{n, 3});
  for (std::int64_t k = 0; k < 3; ++k) CHECK(std::abs(static_cast<double>(w(k).item()) - exact(k + 1)) < limit);
  CHECK(distance(columns(v), v * astype<T>(w)) < 10 * limit);
  const auto [largest, vectors] = krylov::lobpcg(columns, some<T>({n, 2}), {.tol = tol, .maxiter = 300});
  CHECK(std::abs(static_cast<double>(largest(0).item()) - exact(n)) < limit);
  CHECK(std::abs(static_cast<double>(largest(1).item()) - exact(n - 1)) < limit);
  // A matrix, and as many columns as it has.
  const array<T> all = diag(astype<T>(arange(1, 5)));
  CHECK(distance(krylov::lobpcg(all, some<T>({4, 4})).eigenvalues, real(astype<complex>(array<double>{4, 3, 2, 1}))) <
        1e-4);
}

TEST_CASE("iterative: what it refuses") {
  const array<double> b = some<double>({5});
  CHECK_THROWS_WITH(static_cast<void>(krylov::cg([](const auto& v) { return v(slice(1, _)); }, b)),
                    "sinter: an operator gives shape (4,) for shape (5,)");
  CHECK_THROWS_AS(static_cast<void>(krylov::cg(line, b, {}, no_preconditioner, ones<double>({4}))), shape_error);
  CHECK_THROWS_AS(static_cast<void>(krylov::gmres(line, b, {.restart = 0})), error);
  CHECK_THROWS_AS(static_cast<void>(krylov::lobpcg(line, b)), shape_error);
  CHECK_THROWS_AS(static_cast<void>(krylov::lobpcg(line, some<double>({2, 3}))), shape_error);
}

TEST_CASE("iterative: a sparse array is an operator") {
  const array<double> dense{{4, 1, 0}, {1, 3, 0}, {0, 0, 2}}, b{1, 2, 3};
  const sparse::csr_array<double> a(dense);
  for (const array<double>& x :
       {sparse::linalg::cg(a, b).x, sparse::linalg::gmres(a, b).x, sparse::linalg::bicgstab(a, b).x})
    CHECK(all(abs(matmul(dense, x) - b) < 1e-4).item());
}
