// Systems of equations, factorisations, eigenvalues and norms: what NumPy and SciPy give, of matrices of every kind and layout.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <sinter/linalg.hpp>
#include <sinter/sinter.hpp>

#include "test/support/golden_numbers.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using complex = std::complex<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
using kinds = operands_by_name<T>;
template <class T>
array<T> numbers(const shape& s, int seed) {
  return golden_numbers<T>(s, seed);
}

template <class T>
kinds<T> squares() {
  const auto n = [](const shape& s) { return numbers<T>(s, 1); };
  return {
      {"1", n({1, 1})},
      {"2", n({2, 2})},
      {"3", n({3, 3})},
      {"5", n({5, 5})},
      {"8", n({8, 8})},
      {"17", numbers<T>({17, 17}, 4)},
      {"batch", n({3, 4, 4})},
      {"batches", n({2, 1, 3, 3})},
      {"strided", n({6, 9})(slice(_, _, 2), slice(_, _, -3))},
      {"transposed", n({4, 4}).transpose()},
      {"batch transposed", n({3, 3, 2}).transpose(2, 1, 0)},
      {"broadcast", broadcast_to(n({3, 3}), {2, 3, 3})},
      {"empty", n({0, 0})},
      {"empty batch", n({0, 3, 3})},
  };
}
template <class T>
kinds<T> any_shape() {
  const auto n = [](const shape& s) { return numbers<T>(s, 2); };
  kinds<T> all = squares<T>();
  all.insert({{"5x3", n({5, 3})},
              {"3x5", n({3, 5})},
              {"7x1", n({7, 1})},
              {"1x4", n({1, 4})},
              {"batch 4x3", n({2, 4, 3})},
              {"strided 4x3", n({8, 6})(slice(_, _, 2), slice(_, _, -2))},
              {"transposed 5x2", n({2, 5}).transpose()}});
  return all;
}
template <class T>
kinds<T> singular() {
  array<T> a = numbers<T>({4, 4}, 1);
  a(3) = a(0);
  return {{"singular", a}, {"zero", zeros<T>({3, 3})}};
}

const std::map<std::string, numpy_case>& golden() {
  static const auto all = read_numpy_cases("linalg.txt", 3);
  return all;
}

// Checks the cases of a name that NumPy has, of which there are some.
template <class T, class F>
void check(const std::string& name, const kinds<T>& of, F f) {
  const bool is_single = sizeof(T) == (detail::complex_number<T> ? 8 : 4);
  int count = 0;
  for (const auto& [operand, x] : of) count += check_golden_of(golden(), name, operand, x, f, is_single ? 4e-4 : 1e-11);
  CHECK(count > 0);
}

template <class X>
auto hermitian(const X& a) {
  return a + conj(matrix_transpose(a));
}
template <class T>
array<T> positive(const lazy<T>& a) {
  return matmul(a, conj(matrix_transpose(a))) + eye<T>(a.shape()[a.ndim() - 1]);
}
template <class T>
array<T> right(const lazy<T>& a) {
  return numbers<T>({a.shape()[a.ndim() - 1]}, 5);
}
template <class T>
array<T> right(const lazy<T>& a, std::int64_t columns) {
  return numbers<T>({a.shape()[a.ndim() - 1], columns}, 5);
}
template <class T>
array<T> banded(const lazy<T>& a) {
  const std::int64_t n = a.shape()[0];
  array<T> ab = zeros<T>({3, n});
  ab(0, slice(1, _)) = diagonal(a, 1);
  ab(1) = diagonal(a) + 9;
  ab(2, slice(_, -1)) = diagonal(a, -1);
  return ab;
}
// As golden_linalg.py has them.
template <class C>
array<C> in_order(const lazy<C>& values) {
  std::vector<C> all = array<C>(values).get();
  const auto n = static_cast<std::ptrdiff_t>(values.shape()[values.ndim() - 1]);
  const auto key = [](const C& z) { return std::pair(std::round(z.real() * 1e3), z.imag()); };
  for (auto at = all.begin(); at != all.end(); at += n)
    std::sort(at, at + n, [&](const C& a, const C& b) { return key(a) < key(b); });
  return asarray(all, values.shape());
}

// Each kernel is compiled where it is not interpreted: one dtype is enough there, besides the doubles of linalg.cpp.
template <class T>
bool is_for_this_device() {
  return takes_all_cases() || std::is_same_v<T, std::complex<float>>;
}

/// Which of several elements of about one size LU takes for a pivot is open, and cuSOLVER takes others of complex ones than LAPACK;
/// linalg.cpp multiplies the factors.
template <class T>
bool chooses_as_lapack() {
  return !detail::complex_number<T> || device::current().type() != device::kind::cuda;
}
template <class T>
void check_lu(const kinds<T>& all) {
  if (!chooses_as_lapack<T>()) return;
  check("lu p", all, [](const lazy<T>& a) { return linalg::lu(a).P; });
  check("lu l", all, [](const lazy<T>& a) { return linalg::lu(a).L; });
  check("lu u", all, [](const lazy<T>& a) { return linalg::lu(a).U; });
  check("lu_factor piv", all, [](const lazy<T>& a) { return linalg::lu_factor(a).piv; });
}

}  // namespace

#define OF(...) [&](const lazy<T>& a) { return __VA_ARGS__; }
#define CASES(...) TEST_CASE_TEMPLATE(__VA_ARGS__, T, float, double, std::complex<float>, complex)

CASES("linalg: systems of equations, as NumPy has them") {
  if (!is_for_this_device<T>()) return;
  const kinds<T> all = squares<T>();
  check("det", all, OF(linalg::det(a)));
  check("slogdet sign", all, OF(linalg::slogdet(a).sign));
  check("slogdet size", all, OF(linalg::slogdet(a).logabsdet));
  check("inv", all, OF(linalg::inv(a)));
  check("solve vector", all, OF(linalg::solve(a, right(a))));
  check("solve", all, OF(linalg::solve(a, right(a, 3))));
  check("lu_solve", all, OF(linalg::lu_solve(linalg::lu_factor(a), right(a, 2))));
  using enum linalg::transposition;
  check("lu_solve transposed", all, OF(linalg::lu_solve(linalg::lu_factor(a), right(a), transposed)));
  check("lu_solve adjoint", all, OF(linalg::lu_solve(linalg::lu_factor(a), right(a), conjugated)));
  check("cho_solve", all, OF(linalg::cho_solve(linalg::cho_factor(positive(a)), right(a))));
  check("triangular", all, OF(linalg::solve_triangular(positive(a), right(a, 2))));
  check("triangular lower adjoint", all,
        OF(linalg::solve_triangular(positive(a), right(a), {.lower = true, .trans = conjugated})));
  check("triangular unit", all, OF(linalg::solve_triangular(a / 64, right(a), {.unit_diagonal = true})));
  check("banded", all, OF(linalg::solve_banded({1, 1}, banded(a), right(a, 2))));
  check("matrix_power -2", all, OF(linalg::matrix_power(a, -2)));
}

CASES("linalg: factors, as NumPy and SciPy have them") {
  if (!is_for_this_device<T>()) return;
  const kinds<T> square = squares<T>(), all = any_shape<T>();
  check("cholesky", square, OF(linalg::cholesky(positive(a))));
  check("cholesky upper", square, OF(linalg::cholesky(positive(a), {.upper = true})));
  check("qr r", all, OF(abs(linalg::qr(a).R)));
  check("qr complete r", all, OF(abs(linalg::qr(a, linalg::qr_mode::complete).R)));
  check_lu<T>(all);
  if (chooses_as_lapack<T>()) check("lu_factor", all, OF(linalg::lu_factor(a).lu));
}

CASES("linalg: eigenvalues and singular values, as NumPy has them") {
  if (!is_for_this_device<T>()) return;
  const kinds<T> square = squares<T>(), all = any_shape<T>();
  check("eigvalsh", square, OF(linalg::eigvalsh(hermitian(a))));
  check("eigvalsh upper", square, OF(linalg::eigvalsh(a, {.UPLO = 'U'})));
  check("eigvals", square, OF(in_order(linalg::eigvals(a))));
  check("svdvals", all, OF(linalg::svdvals(a)));
  check("matrix_rank", all, OF(linalg::matrix_rank(a)));
  check("pinv", all, OF(linalg::pinv(a)));
  check("pinv rtol", all, OF(linalg::pinv(a, {.rtol = 1e-4})));
  check("cond", all, OF(linalg::cond(a)));
  check("cond -2", all, OF(linalg::cond(a, -2)));
  check("cond 1", square, OF(linalg::cond(a, 1)));
  check("cond -1", square, OF(linalg::cond(a, -1)));
  check("cond inf", square, OF(linalg::cond(a, infinity)));
  check("cond -inf", square, OF(linalg::cond(a, -infinity)));
  check("cond fro", square, OF(linalg::cond(a, "fro")));
  check("cond nuc", square, OF(linalg::cond(a, "nuc")));
  check("norm 2", all, OF(linalg::norm(a, {.ord = 2, .axis = {-2, -1}})));
  check("norm -2", all, OF(linalg::norm(a, {.ord = -2, .axis = {-2, -1}, .keepdims = true})));
  check("norm nuc", all, OF(linalg::norm(a, {.ord = "nuc", .axis = {-1, -2}})));
}

CASES("linalg: least squares, exponentials and tensors, as NumPy and SciPy have them") {
  if (!is_for_this_device<T>()) return;
  const kinds<T> square = squares<T>(), all = any_shape<T>();
  const auto least = [](const lazy<T>& a) { return linalg::lstsq(a, numbers<T>({a.shape()[0], 2}, 5)); };
  check("lstsq x", all, OF(least(a).x));
  check("lstsq vector", all, OF(linalg::lstsq(a, numbers<T>({a.shape()[0]}, 5)).x));
  check("lstsq residuals", all, OF(least(a).residuals));
  check("lstsq rank", all, OF(least(a).rank.reshape({})));
  check("lstsq s", all, OF(least(a).s));
  check("expm", square, OF(linalg::expm(a / 2)));
  check("expm small", square, OF(linalg::expm(a / 64)));
  const kinds<T> tensor = {{"tensor", numbers<T>({2, 3, 6}, 3)}}, large = {{"tensor", numbers<T>({4, 6, 8, 3}, 7)}};
  const array<T> b = numbers<T>({2, 3}, 5);
  check("tensorsolve", tensor, OF(linalg::tensorsolve(a, b)));
  check("tensorsolve axes", tensor, OF(linalg::tensorsolve(moveaxis(a, 2, 0), b, {0})));
  check("tensorinv", large, OF(linalg::tensorinv(a)));
  check("tensorinv 1", tensor, OF(linalg::tensorinv(a.reshape(6, 2, 3), 1)));
}

CASES("linalg: singular matrices, as NumPy has them") {
  if (!is_for_this_device<T>()) return;
  const kinds<T> all = singular<T>();
  check("det", all, OF(linalg::det(a)));
  check("pinv rtol", all, OF(linalg::pinv(a, {.rtol = 1e-4})));
  check("svdvals", all, OF(linalg::svdvals(a)));
  check("matrix_rank", all, OF(linalg::matrix_rank(a)));
  check("eigvalsh", all, OF(linalg::eigvalsh(hermitian(a))));
  check_lu<T>(all);
}
