// Linear algebra: factors put together again, dtypes, refusals, matrices without a result, laziness, streams and graphs, and what
// happens where there is no LAPACK. Values beside NumPy's are in linalg_numpy.cpp.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include <sinter/linalg.hpp>
#include <sinter/sinter.hpp>

#include "test/include/looking.hpp"
#include "test/include/matrices.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using complex = std::complex<double>;

template <class X>
auto adjoint(const X& a) {
  return conj(matrix_transpose(a));
}

template <class A, class B>
void close(const A& got, const B& wanted, double tolerance = 1e-11) {
  const array g(got);
  const array w(wanted);
  REQUIRE(g.shape() == w.shape());
  if (g.size() == 0) return;
  const double off = static_cast<double>(max(abs(g - w)).item()), largest = static_cast<double>(max(abs(w)).item());
  CHECK(off <= tolerance * (1 + largest));
}

// Errors of a GPU's work come from the call that waits for it.
template <class Work>
std::string failure_of(Work&& work) {
  try {
    work();
    synchronize();
  } catch (const linalg_error& e) {
    return e.what();
  }
  return "";
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE_TEMPLATE("linalg: factors make the matrix again", T, float, complex) {
  const double limit = sizeof(T) == 4 ? 2e-5 : 1e-12;
  for (const shape& s : {shape{5, 3}, shape{3, 5}, shape{4, 4}, shape{2, 4, 3}, shape{1, 1}, shape{40, 20}}) {
    CAPTURE(s);
    const array<T> a = some<T>(s);
    const int rank = s.size();
    const std::int64_t m = s[rank - 2], n = s[rank - 1], k = std::min(m, n);
    {
      const auto [q, r] = linalg::qr(a);
      close(matmul(q, r), a, limit);
      close(matmul(adjoint(q), q), broadcast_to(eye<T>(k), linalg::qr(a).Q(ellipsis, slice(0, k), _).shape()), limit);
      const auto [full, triangle] = linalg::qr(a, linalg::qr_mode::complete);
      CHECK(full.shape()[rank - 1] == m);
      CHECK(triangle.shape()[rank - 2] == m);
      close(matmul(full, triangle), a, limit);
    }
    {
      const auto [u, sigma, vh] = linalg::svd(a, {.full_matrices = false});
      close(matmul(u * astype<T>(sigma)(ellipsis, newaxis, _), vh), a, limit);
      const auto [wide, same, high] = linalg::svd(a);
      CHECK(wide.shape()[rank - 1] == m);
      CHECK(high.shape()[rank - 2] == n);
      close(same, sigma, limit);
      close(matmul(wide, adjoint(wide)), broadcast_to(eye<T>(m), wide.shape()), limit);
      close(matmul(high, adjoint(high)), broadcast_to(eye<T>(n), high.shape()), limit);
    }
    {
      const auto [p, l, u] = linalg::lu(a);
      close(matmul(astype<T>(p), matmul(l, u)), a, limit);
    }
    const auto [h, tau] = linalg::qr_raw(a);
    CHECK(h.shape()[rank - 2] == n);
    CHECK(tau.shape()[rank - 2] == k);
    close(triu(matrix_transpose(h)(ellipsis, slice(0, k), _)), linalg::qr(a).R, limit);
  }
}

TEST_CASE_TEMPLATE("linalg: eigenvectors", T, double, std::complex<float>) {
  const double limit = std::is_same_v<T, double> ? 1e-11 : 1e-4;
  using C = detail::solved_complex<array<T>>;
  for (const shape& s : {shape{6, 6}, shape{2, 3, 5, 5}, shape{1, 1}, shape{33, 33}}) {
    CAPTURE(s);
    const array<T> a = some<T>(s);
    const array<T> symmetric = a + adjoint(a);
    const auto [w, v] = linalg::eigh(symmetric);
    close(matmul(symmetric, v), v * astype<T>(w)(ellipsis, newaxis, _), limit);
    const auto [values, vectors] = linalg::eig(a);
    close(matmul(astype<C>(a), vectors), vectors * values(ellipsis, newaxis, _), limit);
    close(linalg::norm(vectors, {.axis = -2}), ones_like(real(values)), limit);
    const auto [upper, columns] = linalg::eigh(a, {.UPLO = 'U'});
    // The diagonal counts as real.
    const array<T> strict = triu(a, 1);
    const array<T> full = strict + adjoint(strict) + (triu(a) - strict + adjoint(triu(a) - strict)) / T(2);
    close(matmul(full, columns), columns * astype<T>(upper)(ellipsis, newaxis, _), limit);
  }
}

TEST_CASE("linalg: a list beside a matrix is of its element type") {
  const array<float> a{{2, 0}, {0, 4}}, x{1, 2, 4};
  CHECK(linalg::solve(a, {2, 8}).get() == std::vector<float>{1, 2});
  CHECK(allclose(linalg::lstsq(a, {2, 8}).x, {1, 2}));
  CHECK(dot(a, {1, 2}).get() == std::vector<float>{2, 8});
  CHECK(matmul(a, {{1, 2}, {3, 4}}).get() == std::vector<float>{2, 4, 12, 16});
  CHECK(outer(x, {1, 2}).get() == std::vector<float>{1, 2, 2, 4, 4, 8});
  CHECK(inner(x, {1, 2, 4}).item() == 21);
  CHECK(trapezoid(x, {0, 1, 3}).item() == 7.5f);
  CHECK(array_equal(x, {1, 2, 4}));
  CHECK(array_equal(x, {1, 2, 4}, true));
  CHECK(allclose(x, {1, 2, 5}, 0.0, 1.5));
  CHECK(isclose(x, {1, 2, 5}, 0.0, 0.5).get() == std::vector<bool>{true, true, false});
}

TEST_CASE("linalg: dtypes") {
  using std::is_same_v;
#define ELEMENT(...) typename std::remove_cvref_t<decltype(__VA_ARGS__)>::sinter_element
  const array<int> i{{2, 1}, {1, 3}};
  const array<half> h = astype<half>(i);
  const array<float> f = astype<float>(i);
  const array<std::complex<float>> c = astype<std::complex<float>>(i);
  static_assert(is_same_v<ELEMENT(linalg::inv(i)), double> && is_same_v<ELEMENT(linalg::inv(h)), float>);
  static_assert(is_same_v<ELEMENT(linalg::solve(f, i)), double> &&
                is_same_v<ELEMENT(linalg::solve(c, f)), std::complex<float>>);
  static_assert(is_same_v<ELEMENT(linalg::svdvals(c)), float> &&
                is_same_v<ELEMENT(linalg::eigvals(f)), std::complex<float>>);
  static_assert(is_same_v<ELEMENT(linalg::eigvals(i)), complex> && is_same_v<ELEMENT(linalg::eigvalsh(c)), float>);
  static_assert(is_same_v<ELEMENT(linalg::slogdet(c).sign), std::complex<float>>);
  static_assert(is_same_v<ELEMENT(linalg::slogdet(c).logabsdet), float>);
#undef ELEMENT
  CHECK(linalg::det(i).item() == doctest::Approx(5));
  CHECK(linalg::det(h).item() == doctest::Approx(5));
  CHECK(linalg::matrix_power(f, -1)(0, 0).item() == doctest::Approx(0.6));
  CHECK(linalg::matrix_power(h, -2)(1, 1).item() == doctest::Approx(0.2).epsilon(0.01));
  CHECK_THROWS_AS(static_cast<void>(linalg::matrix_power(i, -1)), dtype_error);
  CHECK(linalg::cond(i).item() == doctest::Approx(2.618033988749895));
}

// A tall system is solved by the triangle of the matrix and its right side, also where columns depend on each other.
TEST_CASE_TEMPLATE("linalg: least squares of tall systems", T, float, double, complex) {
  const double limit = sizeof(T) == 4 ? 2e-4 : 1e-11;
  for (const std::int64_t right : {1, 3, 5}) {
    CAPTURE(right);
    const array<T> a = some<T>({40, 5}), b = some<T>({right, 40}).transpose();
    const auto least = linalg::lstsq(a, b);
    close(least.x, linalg::solve(matmul(adjoint(a), a), matmul(adjoint(a), b)), 10 * limit);
    close(least.residuals, sum(square(abs(matmul(a, least.x) - b)), 0), limit);
    CHECK(least.rank.item() == 5);
    close(least.s, linalg::svdvals(a), limit);
    const array<T> dependent = concatenate(tuple(a, a(_, slice(1, 3)) * T(2)), 1);
    const auto deficient = linalg::lstsq(dependent, b);
    close(deficient.x, matmul(linalg::pinv(dependent, {.rtol = 1e-5}), b), 10 * limit);
    close(deficient.residuals, sum(square(abs(matmul(dependent, deficient.x) - b)), 0), limit);
    CHECK(deficient.rank.item() == 5);
  }
  // What is no number in one right side is of no consequence to the others.
  const array<T> a = some<T>({40, 5}), b = some<T>({40, 3});
  array<T> bad = b.copy();
  bad(3, 1) = T(not_a_number);
  const auto least = linalg::lstsq(a, bad), good = linalg::lstsq(a, b);
  for (const std::int64_t column : {0, 2}) {
    close(least.x(_, column), good.x(_, column), limit);
    close(least.residuals(column), good.residuals(column), limit);
  }
  CHECK(isnan(least.residuals(1)).item());
}

TEST_CASE("linalg: matrices along a diagonal, and products of a list") {
  const array<double> a{{1, 2}, {3, 4}}, row{5, 6, 7};
  const array<int> number = asarray(std::vector<int>{8});
  CHECK(linalg::block_diag({a, row}).get() == array<double>{{1, 2, 0, 0, 0}, {3, 4, 0, 0, 0}, {0, 0, 5, 6, 7}}.get());
  CHECK(linalg::block_diag(tuple(a.T(), number, row + 1)).get() ==
        array<double>{{1, 3, 0, 0, 0, 0}, {2, 4, 0, 0, 0, 0}, {0, 0, 8, 0, 0, 0}, {0, 0, 0, 6, 7, 8}}.get());
  CHECK(linalg::block_diag({a}).get() == a.get());
  CHECK(linalg::block_diag({zeros<double>({0, 2}), a}).shape() == shape{2, 4});
  CHECK_THROWS_AS(static_cast<void>(linalg::block_diag({zeros<double>({2, 2, 2})})), shape_error);
  CHECK(linalg::multi_dot({a, a, a}).get() == matmul(matmul(a, a), a).get());
}

TEST_CASE("linalg: what it refuses") {
  const array<double> a = some<double>({3, 3}), b = some<double>({4}), wide = some<double>({2, 3});
  CHECK_THROWS_WITH(static_cast<void>(linalg::inv(wide)),
                    "sinter: inv of an array of shape (2, 3); the last two axes have to be equal");
  CHECK_THROWS_WITH(static_cast<void>(linalg::svd(b)),
                    "sinter: svd of an array of shape (4,); it takes two axes at least");
  CHECK_THROWS_WITH(static_cast<void>(linalg::solve(a, b)), "sinter: solve of arrays of shapes (3, 3) and (4,)");
  CHECK_THROWS_AS(static_cast<void>(linalg::solve(a, wide)), shape_error);
  CHECK_THROWS_AS(static_cast<void>(linalg::lstsq(a, b)), shape_error);
  CHECK_THROWS_AS(static_cast<void>(linalg::solve_banded({1, 1}, wide, b)), shape_error);
  CHECK_THROWS_AS(static_cast<void>(linalg::eigh(a, {.UPLO = 'x'})), error);
  CHECK_THROWS_AS(static_cast<void>(linalg::tensorinv(a, 0)), error);
  CHECK_THROWS_AS(static_cast<void>(linalg::tensorinv(wide, 1)), shape_error);
  CHECK_THROWS_AS(static_cast<void>(linalg::tensorsolve(a, b)), shape_error);
  CHECK_THROWS_AS(static_cast<void>(linalg::cond(zeros<double>({0, 0}))), shape_error);
  CHECK_THROWS_AS(static_cast<void>(linalg::norm(a, {.ord = "nic"})), error);
  CHECK_THROWS_AS(static_cast<void>(linalg::norm(a, {.ord = 3})), error);
  CHECK_THROWS_AS(static_cast<void>(linalg::solve(some<double>({2, 3, 3}), some<double>({3, 3, 1}))), shape_error);
}

TEST_CASE("linalg: matrices without a result") {
  array<double> a = some<double>({4, 3, 3});
  a(2) = 1;
  CHECK(failure_of([&] { array<double> x = linalg::inv(a); }) ==
        "sinter: matrix 2 of a batch is singular: pivot 2 of its LU factorisation is 0; its results are NaN");
  CHECK(failure_of([&] { array<double> x = linalg::solve(a(2), ones<double>({3})); }) ==
        "sinter: a matrix is singular: pivot 2 of its LU factorisation is 0; its results are NaN");
  CHECK(failure_of([] {
          array<double> x = linalg::cholesky(array<double>{{1, 2}, {2, 1}});
        }) ==
        "sinter: a matrix is not positive definite: its leading minor of order 2 is not positive; its results are NaN");
  CHECK(failure_of([] {
          array<double> x = linalg::solve_triangular(array<double>{{1, 2}, {0, 0}}, array<double>{1, 2});
        }).find("element 2 of its diagonal is 0") != std::string::npos);
  CHECK(failure_of([] {
          array<complex> x = linalg::eigvals(array<double>{{1, not_a_number}, {0, 1}});
        }) == "sinter: a matrix has an infinity or a NaN in it, and so no eigenvalues; its results are NaN");
  CHECK(failure_of([] {
          array<double> x = linalg::svdvals(array<double>{{1, not_a_number}, {0, 1}});
        }).find("singular values") != std::string::npos);
  CHECK(failure_of([] {
          array<double> x = linalg::solve_banded({0, 0}, zeros<double>({1, 2}), array<double>{1, 2});
        }).find("singular") != std::string::npos);
  CHECK(failure_of([&] { array<double> x = linalg::inv(some<double>({3, 3})); }) == "");  // nothing stays behind
  // Of these NumPy makes no errors either.
  CHECK(linalg::det(zeros<double>({2, 2})).item() == 0);
  CHECK(linalg::slogdet(zeros<double>({2, 2})).sign.item() == 0);
  CHECK(linalg::slogdet(zeros<double>({2, 2})).logabsdet.item() == -std::numeric_limits<double>::infinity());
  CHECK(std::isinf(linalg::cond(zeros<double>({2, 2}), 1).item()));
  CHECK(std::isnan(linalg::det(array<double>{{1, not_a_number}, {1, 1}}).item()));
  array<double> one_of_three = some<double>({3, 4, 4});
  one_of_three(1, 2, 3) = not_a_number;
  const array<double> dets = linalg::det(one_of_three);
  CHECK(std::isnan(dets(1).item()));
  CHECK((std::isfinite(dets(0).item()) && std::isfinite(dets(2).item())));
  CHECK(failure_of([&] {
          array<double> x = linalg::inv(one_of_three);
          CHECK(std::isnan(x(1, 0, 0).item()));
        }) == "");
  CHECK(linalg::matrix_rank(array<double>{0, 0, 3}).item() == 1);
  CHECK(linalg::det(array<double>{{1e200, 0, 0}, {0, 1e200, 0}, {0, 0, 1e-300}}).item() == doctest::Approx(1e100));
}

// Libraries that factor many matrices at once may stop where a pivot is 0.
TEST_CASE_TEMPLATE("linalg: factors of singular matrices", T, float, double, complex, std::complex<float>) {
  for (const std::int64_t n : {3, 5, 40}) {
    CAPTURE(n);
    array<T> a = zeros<T>({6, n, n});
    const array<T> filled = some<T>({n, n});
    a(0, slice(n / 2, _), slice(1, _)) = filled(slice(n / 2, _), slice(1, _));
    a(1) = filled;
    a(1, ellipsis, 1) = a(1, ellipsis, 0);
    a(2) = filled;
    a(3) = 1;
    a(5) = filled;
    a(5, slice(_, _), n - 1) = 0;
    const auto check = [](const array<T>& of) {
      const auto [p, l, u] = linalg::lu(of);
      CHECK(allclose(matmul(matmul(p, l), u), of, {.rtol = 1e-4, .atol = 1e-4}));
    };
    check(a);
    check(swapaxes(a, 1, 2));
    for (std::int64_t i = 0; i < 6; ++i) check(a(i));
    const auto [lu, piv] = linalg::lu_factor(a);
    const array<std::int32_t> pivots = piv;
    for (std::int64_t i = 0; i < n; ++i) CHECK(pivots(4, i).item() == i);
    CHECK(linalg::det(a)(3).item() == T(0));
  }
}

// OpenBLAS 0.3.21 multiplies by the reciprocal of a pivot that has none; so does cuSOLVER.
TEST_CASE_TEMPLATE("linalg: pivots without a reciprocal", T, float, double, std::complex<float>, complex) {
  using R = decltype(std::abs(T()));
  const R least = std::numeric_limits<R>::denorm_min();
  const array<R> tall{{0, 0}, {least, 2}, {0, 3}}, square{{4 * least, 0, 1}, {8 * least, 0, 2}, {0, 0, least}};
  for (const array<R>& of : {tall, square}) {
    const array<T> a = astype<T>(of);
    const auto [P, L, U] = linalg::lu(a);
    CHECK(array_equal(matmul(matmul(P, L), U), a));
    const auto [Pt, Lt, Ut] = linalg::lu(a.T());
    CHECK(array_equal(matmul(matmul(Pt, Lt), Ut), a.T()));
  }
  CHECK(linalg::det(astype<T>(square)).item() == T(0));
  // What is no number before is none behind.
  const array<T> none = astype<T>(where(square == 2, std::numeric_limits<R>::quiet_NaN(), square));
  CHECK(any(isnan(linalg::lu(none).U)).item());
}

TEST_CASE_TEMPLATE("linalg: solutions by pivots without a reciprocal", T, float, double, std::complex<float>, complex) {
  if (device::current() == device::cuda(0)) return;  // cuSOLVER's are what they are
  using R = decltype(std::abs(T()));
  for (const std::int64_t n : {5, 40, 130}) {
    array<R> of = eye<R>(n);
    of(0, 0) = std::numeric_limits<R>::min() / 16;
    of(1, 0) = std::numeric_limits<R>::min() / 32;
    const array<T> a = astype<T>(of), one = ones<T>({n}), many = ones<T>({n, 20});
    CHECK(array_equal(linalg::solve(a, matmul(a, one)), one));
    CHECK(array_equal(linalg::solve(a, matmul(a, many)), many));
  }
}

// The squares of such elements are none; cuBLAS's batches square them.
TEST_CASE_TEMPLATE("linalg: qr of elements far from 1", T, float, double, std::complex<float>, complex) {
  using R = decltype(std::abs(T()));
  const R far = std::is_same_v<R, float> ? R(1e25) : R(1e200), least = std::numeric_limits<R>::min() * 4;
  for (const std::int64_t n : {1, 2, 5})
    for (const std::int64_t count : {1, 4}) {
      const array<T> one = some<T>({count, n + 1, n});
      for (const R size : {far, 1 / far, least}) {
        const array<T> a = one * size;
        const auto [q, r] = linalg::qr(a);
        const auto [h, tau] = linalg::qr_raw(a);
        INFO(n, ", ", count, ", ", size);
        CHECK(max(abs(matmul(q, r) - a)).item() / size < 40 * std::numeric_limits<R>::epsilon());
        CHECK(max(abs(matmul(conj(swapaxes(q, 1, 2)), q) - eye<T>(n))).item() < 40 * std::numeric_limits<R>::epsilon());
        CHECK(max(abs(swapaxes(triu(r), 1, 2) - tril(h(_, _, slice(n))))).item() <=
              8 * size * std::numeric_limits<R>::epsilon());
      }
    }
}

TEST_CASE("linalg: what others than the failed matrix have stays") {
  if (device::current() == device::cuda(0)) {
    array<double> a = some<double>({2, 3, 3});
    a(0) = 0;
    array<double> x = linalg::inv(a);
    CHECK_THROWS_AS(synchronize(), linalg_error);
    CHECK(std::isnan(x(0, 0, 0).item()));
    close(x(1), linalg::inv(a(1)));
  }
}

TEST_CASE("linalg: calls are made once, for all of their results") {
  const array<double> a = some<double>({6, 6});
  const auto [q, r] = linalg::qr(a);
  CHECK(moved_by([&] { array<double> x = r; }).library_calls == 1);
  CHECK(moved_by([&] { array<double> x = matmul(q, r)(0, 0); }).library_calls <= 2);
  const auto factors = linalg::lu_factor(a);
  CHECK(moved_by([&] { array<double> x = linalg::lu_solve(factors, some<double>({6})); }).library_calls == 2);
  CHECK(moved_by([&] { array<double> x = linalg::lu_solve(factors, some<double>({6}, 1)); }).library_calls == 1);
  const auto lazily = linalg::inv(zeros<double>({2, 2}));  // nothing happens before it is evaluated
  CHECK(failure_of([&] { array<double> x = lazily; }) != "");
  array<double> b = some<double>({6, 6});
  const auto before = linalg::inv(b);
  const array<double> wanted = linalg::inv(array<double>(b.copy()));
  b(0, 0) = 17;
  close(before, wanted);
  CHECK(failure_of([&] { array<double> s = 2 * linalg::inv(a) + linalg::det(a); }) == "");
}

TEST_CASE("linalg: streams and graphs") {
  array<double> a = some<double>({5, 5}), b = some<double>({5});
  stream s;
  array<double> elsewhere;
  {
    const stream_scope on(s);
    elsewhere = linalg::solve(a, b);
  }
  close(matmul(a, elsewhere), b);
  array<double> x = zeros<double>({5});
  array<double> w = zeros<double>({5});
  const graph g = capture([&] {
    x(ellipsis) = linalg::solve(a, b);
    w(ellipsis) = linalg::eigvalsh(a + a.transpose());
    b *= 2;
  });
  const array<double> first = linalg::solve(a, b), values = linalg::eigvalsh(a + a.transpose());
  g.launch();
  close(x, first);
  close(w, values);
  g.launch();
  close(x, first * 2.0);
  array<double> singular = zeros<double>({3, 3}), out = zeros<double>({3, 3});
  const graph fails = capture([&] { out(ellipsis) = linalg::inv(singular); });
  CHECK(failure_of([&] { fails.launch(); }) != "");
  CHECK_THROWS_AS(static_cast<void>(capture([&] { out(ellipsis) = linalg::expm(singular); })), device_error);
}

TEST_CASE("linalg: many small matrices, and large ones") {
  const array<double> many = some<double>({500, 7, 7}) + 20 * eye<double>(7);
  close(matmul(many, linalg::inv(many)), broadcast_to(eye<double>(7), many.shape()), 1e-10);
  close(linalg::det(many)(slice(490, _)), linalg::det(many(slice(490, _))), 1e-12);
  const array<float> large = some<float>({300, 300}) + 300 * eye<float>(300);
  close(matmul(large, linalg::solve(large, some<float>({300, 2}))), some<float>({300, 2}), 1e-4);
  const array<double> side = arange<double>(150);
  const array<double> symmetric = 1 / (1 + square(side(_, newaxis) - side));
  const auto [w, v] = linalg::eigh(symmetric);
  close(matmul(v * w, v.transpose()), symmetric, 1e-12);
}

// Sizes around those that a library factors, batches that fill no vector and no block, and operands that lie in any way.
TEST_CASE_TEMPLATE("linalg: systems of few equations", T, float, complex) {
  using R = decltype(std::abs(T()));
  const R near = 200 * std::numeric_limits<R>::epsilon();
  const auto is_near = [&](const array<T>& a, const array<T>& b) { return allclose(a, b, {.rtol = 0, .atol = near}); };
  for (const std::int64_t n : {1, 2, 5, 16, 32, 33}) {
    CAPTURE(n);
    const std::int64_t count = n == 16 ? 1 : 37;
    // Rows in an order of their own, so that there are pivots to look for.
    const array<T> all = some<T>({count, n, n}) / static_cast<R>(n) + roll(eye<T>(n), n / 2, 0);
    const array<T> right = some<T>({count, n, 3});
    const auto check = [&](const auto& lying) {
      const array<T> a = lying;
      const array<T> x = linalg::solve(lying, right);
      CHECK(is_near(matmul(a, x), right));
      const auto [P, L, U] = linalg::lu(lying);
      const array<T> l = L, u = U;
      CHECK(is_near(matmul(matmul(P, l), u), a));
      CHECK(max(abs(l)).item() <= std::sqrt(R(2)) * (1 + near));
    };
    check(all);
    check(swapaxes(all, 1, 2));
    check(all(slice(_, _, -1), slice(_, _, -1), _));
    const array<T> x = linalg::solve(all, right(0)), inverse = linalg::inv(all);
    CHECK(is_near(matmul(all, x), broadcast_to(right(0), right.shape())));
    CHECK(is_near(matmul(all, inverse), broadcast_to(eye<T>(n), all.shape())));
    const auto tall = all(_, slice(_, _, -1), slice(n / 2, _));
    const auto [P, L, U] = linalg::lu(tall);
    CHECK(is_near(matmul(matmul(P, L), U), tall));
  }
}

TEST_CASE("linalg: which of many small systems has no solution") {
  array<double> a = some<double>({100, 3, 3}) + 3 * eye<double>(3);
  a(71) = array<double>{{1, 2, 3}, {2, 4, 6}, {0, 0, 1}};
  a(20) = std::numeric_limits<double>::quiet_NaN();
  CHECK(failure_of([&] { array<double> x = linalg::inv(a); }).find("71") != std::string::npos);
  const array<double> d = linalg::det(a);
  CHECK(d(71).item() == 0);
  CHECK(std::isnan(d(20).item()));
  CHECK(count_nonzero(isnan(d)).item() == 1);
}

TEST_CASE("linalg: where there is no LAPACK" * doctest::skip()) {
  const array<double> a = some<double>({40, 40});
  try {
    array<double> x = linalg::inv(a);
    FAIL("it has one");
  } catch (const device_error& e) {
    const std::string said = e.what();
    CHECK(said.find("solution of equations of float64 (40, 40): LAPACK was not found; it is in libopenblas0-pthread") !=
          said.npos);
  }
  CHECK(linalg::norm(a).item() > 0);
  CHECK(array<double>(matmul(a, a)).size() == 1600);
  CHECK(array<double>(linalg::inv(a(slice(3), slice(3)))).size() == 9);  // so small that it takes none
}

TEST_CASE("linalg: without LAPACK it says what is missing, and everything else works") {
  const rerun r("linalg: where there is no LAPACK",
                {{"SINTER_LAPACK", ""}, {"SINTER_CUSOLVER", ""}, {"SINTER_CUBLAS", ""}});
  CHECK_MESSAGE(r.ok, r.output);
}

TEST_CASE("linalg: of a GPU through the host" * doctest::skip()) {
  const array<double> a = some<double>({2, 40, 40}) + 40 * eye<double>(40), b = some<double>({40});
  close(matmul(a, linalg::solve(a, b)(ellipsis, newaxis)), broadcast_to(b(_, newaxis), {2, 40, 1}));
  const auto [w, v] = linalg::eigh(a(0) + a(0).transpose());
  close(matmul(v * w, v.transpose()), a(0) + a(0).transpose());
  CHECK(failure_of([] { array<double> x = linalg::inv(zeros<double>({2, 2})); }) != "");
}

TEST_CASE("linalg: without cuSOLVER a GPU's matrices are the host's, and it says which library is missing") {
  const rerun r("linalg: of a GPU through the host", {{"SINTER_CUSOLVER", ""}, {"SINTER_LOG", "1"}});
  CHECK_MESSAGE(r.ok, r.output);
  if (device::current() == device::cuda(0))
    CHECK_MESSAGE(r.output.find("cuSOLVER was not found; it is in the CUDA toolkit, and in nvidia-cusolver (PyPI)") !=
                      std::string::npos,
                  r.output);
}

TEST_CASE("linalg: a norm's order and axis as NumPy takes them") {
  const array<double> a{{1, -2, 3}, {4, 5, -6}};
  CHECK(linalg::norm(a, 2).item() == linalg::norm(a, {.ord = 2}).item());
  CHECK(linalg::norm(a, "nuc").item() == linalg::norm(a, {.ord = "nuc"}).item());
  CHECK(linalg::norm(a, 1, 0).get() == std::vector<double>{5, 7, 9});
  CHECK(linalg::norm(a(0), 1).item() == 6);
  CHECK(linalg::norm(a, std::numeric_limits<double>::infinity()).item() == 15);
}

TEST_CASE("linalg: matrices without rows or columns have orthogonal vectors all the same") {
  for (const shape& s : {shape{3, 0}, shape{0, 3}, shape{2, 0, 3}, shape{2, 3, 0}}) {
    const int rank = s.size();
    CAPTURE(rank);
    const auto [u, values, vh] = linalg::svd(zeros(s));
    CHECK(values.size() == 0);
    for (const auto& [vectors, n] : {std::pair<array<double>, std::int64_t>{u, s[rank - 2]}, {vh, s[rank - 1]}}) {
      CHECK(vectors.shape()[rank - 1] == n);
      CHECK(all(vectors == eye(n)).item());
    }
  }
  CHECK(linalg::cond(zeros({0, 3, 3})).shape() == shape{0});
  CHECK_THROWS_AS((void)linalg::cond(zeros({2, 0, 0})), shape_error);
}

TEST_CASE_TEMPLATE("linalg: the exponential of a matrix with one large element", T, float, double) {
  const double last_bit = sizeof(T) == 4 ? 0x1p-23 : 0x1p-52;
  for (const double large : {1e2, 1e4, 1e8, 1e10}) {
    CAPTURE(large);
    const auto b = static_cast<T>(large);
    const std::vector<T> got = linalg::expm(array<T>{{1, b}, {0, -1}}).get();
    CHECK(std::abs(got[0] / std::exp(1.0) - 1) < 20 * last_bit);
    CHECK(std::abs(got[1] / (large * std::sinh(1.0)) - 1) < 20 * last_bit);
    CHECK(got[2] == 0);
    CHECK(std::abs(got[3] / std::exp(-1.0) - 1) < 20 * last_bit);
    const std::vector<T> lower = linalg::expm(array<T>{{-1, 0}, {b, -2}}).get();
    CHECK(lower[1] == 0);
    CHECK(std::abs(lower[2] / (large * (std::exp(-1.0) - std::exp(-2.0))) - 1) < 20 * last_bit);
  }
  if (device::current() == device::cpu()) {
    const T most = std::numeric_limits<T>::max() / 8, wide = std::sqrt(most);
    const std::vector<T> far = linalg::expm(array<T>{{-1, 0}, {most, -2}}).get();
    CHECK(std::abs(far[2] / most / (std::exp(-1.0) - std::exp(-2.0)) - 1) < 20 * last_bit);
    const std::vector<T> chain = linalg::expm(array<T>{{0, wide, 0}, {0, 0, 4 * wide}, {0, 0, 0}}).get();
    CHECK(std::abs(chain[1] / wide - 1) < 20 * last_bit);
    CHECK(chain[8] == 1);
    CHECK(linalg::expm(array<T>{{most, 0}, {0, -most}}).get() == std::vector<T>{T(INFINITY), 0, 0, 0});
  }
  // Those of a batch are halved each as it needs; what is not finite is no number.
  const array<T> several{{{0, 0}, {0, 0}}, {{40, 0}, {0, -40}}, {{T(NAN), 0}, {0, 1}}};
  const array<T> of = linalg::expm(several);
  CHECK(all(of(0) == eye(2)).item());
  CHECK(std::abs(of(1, 0, 0).item() / std::exp(40.0) - 1) < 200 * last_bit);
  CHECK(std::isnan(of(2, 0, 0).item()));
}
