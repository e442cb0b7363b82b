// Systems of equations, factorisations, eigenvalues and singular values, by LAPACK, and of a GPU's arrays by cuSOLVER and cuBLAS. What
// they are of may be a batch: the matrices are the last two axes, those before broadcast. Products and norms are in products.hpp. Not in
// sinter.hpp.
//
// All are lazy; results of one call are computed together, by the first of them that is evaluated, and kept. Dtypes: float32, float64,
// complex64 and complex128; integers and bool become double, numbers of 16 bits float32. Errors: `shape_error`; `device_error` where
// there is no such library; `linalg_error` for a matrix without a result, on the CPU by the statement, on a GPU by the next call that
// waits.
#pragma once

#include <sinter/array.hpp>
#include <sinter/complex.hpp>
#include <sinter/detail/linalg.hpp>
#include <sinter/join.hpp>

namespace sinter {

namespace linalg {

template <class T, class R>
struct slogdet_result {
  lazy<T> sign;
  lazy<R> logabsdet;
};
template <class T>
struct qr_result {
  lazy<T> Q, R;
};
template <class T>
struct raw_qr_result {
  lazy<T> h, tau;
};
template <class T, class R>
struct svd_result {
  lazy<T> U;
  lazy<R> S;
  lazy<T> Vh;
};
template <class V, class T>
struct eigen_result {
  lazy<V> eigenvalues;
  lazy<T> eigenvectors;
};
template <class T, class R>
struct lstsq_result {
  lazy<T> x;
  lazy<R> residuals;
  lazy<std::int64_t> rank;
  lazy<R> s;
};
template <class T, class R>
struct lu_result {
  lazy<R> P;
  lazy<T> L, U;
};
template <class T>
struct lu_factors {
  lazy<T> lu;
  lazy<std::int32_t> piv;
};
template <class T>
struct cho_factors {
  lazy<T> c;
  bool lower;
};

/// The x for which a x = b. Shapes: (..., n, n); b of one axis is a vector of n, else (..., n, k). Source: numpy.linalg.solve.
template <sinter::detail::expression A, sinter::detail::expression B = array<sinter::detail::element_in<A>>>
auto solve(A&& a, B&& b) {
  using namespace sinter::detail;
  using T = solved<A, B>;
  handle of = node_in(std::forward<A>(a)), right = node_in(std::forward<B>(b));
  return lazy<T>(make_solve(std::move(of), std::move(right), dtype_of<T>));
}
/// The inverse. Shapes: (..., n, n). Source: numpy.linalg.inv.
template <sinter::detail::expression E>
auto inv(E&& e) {
  using T = sinter::detail::solved<E>;
  return lazy<T>(sinter::detail::make_inverse(sinter::detail::node_in(std::forward<E>(e)), dtype_of<T>));
}
/// The inverse of Moore and Penrose, from singular values above `rtol` times the largest. Shapes: (..., m, n) gives (..., n, m).
/// Source: numpy.linalg.pinv.
template <sinter::detail::expression E>
auto pinv(E&& e, const pinv_options& how = {}) {
  using T = sinter::detail::solved<E>;
  return lazy<T>(
      sinter::detail::make_pseudoinverse(sinter::detail::node_in(std::forward<E>(e)), dtype_of<T>, how.rtol));
}
/// The determinant, from the LU factorisation; of a singular matrix 0. Shapes: (..., n, n) gives (...). Source: numpy.linalg.det.
template <sinter::detail::expression E>
auto det(E&& e) {
  using T = sinter::detail::solved<E>;
  return lazy<T>(sinter::detail::make_determinant(sinter::detail::node_in(std::forward<E>(e)), dtype_of<T>));
}
/// The sign of the determinant, and the logarithm of its size: `auto [sign, logabsdet] = slogdet(a);`. Source: numpy.linalg.slogdet.
template <sinter::detail::expression E>
auto slogdet(E&& e) {
  using namespace sinter::detail;
  node* made[2];
  make_slogdet(node_in(std::forward<E>(e)), dtype_of<solved<E>>, made);
  return slogdet_result<solved<E>, solved_real<E>>{lazy<solved<E>>(made[0]), lazy<solved_real<E>>(made[1])};
}
/// The triangle whose product with its adjoint is the matrix, of which one triangle is read. Errors: `linalg_error` where the matrix
/// is not positive definite. Source: numpy.linalg.cholesky.
template <sinter::detail::expression E>
auto cholesky(E&& e, const cholesky_options& how = {}) {
  using T = sinter::detail::solved<E>;
  return lazy<T>(
      sinter::detail::make_cholesky(sinter::detail::node_in(std::forward<E>(e)), dtype_of<T>, !how.upper, "cholesky"));
}
/// Orthonormal columns and a triangle whose product the matrix is: `auto [q, r] = qr(a);`. What is not asked for is not computed.
/// Shapes: (..., m, n) gives (..., m, k) and (..., k, n) with k = min(m, n), complete (..., m, m) and (..., m, n). Source:
/// numpy.linalg.qr.
template <sinter::detail::expression E>
auto qr(E&& e, qr_mode mode = qr_mode::reduced) {
  using namespace sinter::detail;
  node* made[2];
  make_qr(node_in(std::forward<E>(e)), dtype_of<solved<E>>, mode == qr_mode::complete, false, made);
  return qr_result<solved<E>>{lazy<solved<E>>(made[0]), lazy<solved<E>>(made[1])};
}
/// The reflections that it is made of, as LAPACK has them. Shapes: (..., n, m) and (..., k). Source: numpy.linalg.qr, mode "raw".
template <sinter::detail::expression E>
auto qr_raw(E&& e) {
  using namespace sinter::detail;
  node* made[2];
  make_qr(node_in(std::forward<E>(e)), dtype_of<solved<E>>, false, true, made);
  return raw_qr_result<solved<E>>{lazy<solved<E>>(made[0]), lazy<solved<E>>(made[1])};
}
/// The singular value decomposition: `auto [u, s, vh] = svd(a);`. Shapes: (..., m, n) gives (..., m, m), (..., k), (..., n, n), and
/// without full matrices (..., m, k) and (..., k, n). Source: numpy.linalg.svd.
template <sinter::detail::expression E>
auto svd(E&& e, const svd_options& how = {}) {
  using namespace sinter::detail;
  using T = solved<E>;
  node* made[3];
  make_svd(node_in(std::forward<E>(e)), dtype_of<T>, how.full_matrices, made);
  return svd_result<T, solved_real<E>>{lazy<T>(made[0]), lazy<solved_real<E>>(made[1]), lazy<T>(made[2])};
}
/// The singular values alone, from the largest on. Source: numpy.linalg.svdvals.
template <sinter::detail::expression E>
auto svdvals(E&& e) {
  using namespace sinter::detail;
  return lazy<solved_real<E>>(make_singular_values(node_in(std::forward<E>(e)), dtype_of<solved<E>>));
}
/// Eigenvalues of symmetric or Hermitian matrices, from the lowest on, and their eigenvectors as columns. Source: numpy.linalg.eigh.
template <sinter::detail::expression E>
auto eigh(E&& e, const triangle_options& how = {}) {
  using namespace sinter::detail;
  node* made[2];
  make_symmetric_eigen(node_in(std::forward<E>(e)), dtype_of<solved<E>>, how.UPLO, true, made);
  return eigen_result<solved_real<E>, solved<E>>{lazy<solved_real<E>>(made[0]), lazy<solved<E>>(made[1])};
}
template <sinter::detail::expression E>
auto eigvalsh(E&& e, const triangle_options& how = {}) {
  using namespace sinter::detail;
  node* made[1];
  make_symmetric_eigen(node_in(std::forward<E>(e)), dtype_of<solved<E>>, how.UPLO, false, made);
  return lazy<solved_real<E>>(made[0]);
}
/// Eigenvalues in no order, and eigenvectors as columns of length 1. Dtypes: always complex, as nobody knows before whether they are.
/// Errors: `linalg_error`, for what is not finite too. Source: numpy.linalg.eig.
template <sinter::detail::expression E>
auto eig(E&& e) {
  using namespace sinter::detail;
  using C = solved_complex<E>;
  node* made[2];
  make_eigen(node_in(std::forward<E>(e)), dtype_of<solved<E>>, true, made);
  return eigen_result<C, C>{lazy<C>(made[0]), lazy<C>(made[1])};
}
template <sinter::detail::expression E>
auto eigvals(E&& e) {
  using namespace sinter::detail;
  node* made[1];
  make_eigen(node_in(std::forward<E>(e)), dtype_of<solved<E>>, false, made);
  return lazy<solved_complex<E>>(made[0]);
}
/// The shortest x with the smallest a x - b, from singular values above `rcond` times the largest; negative: the precision times the
/// longer side. `residuals`: the sums of squares of a x - b, for each column of b, where a has more rows than columns, of any rank; else
/// there are none. Shapes: (..., m, n) and a vector of m, or (..., m, k). Source: numpy.linalg.lstsq.
template <sinter::detail::expression A, sinter::detail::expression B = array<sinter::detail::element_in<A>>>
auto lstsq(A&& a, B&& b, double rcond = -1) {
  using namespace sinter::detail;
  using T = solved<A, B>;
  using R = solved_real<A, B>;
  handle of = node_in(std::forward<A>(a)), right = node_in(std::forward<B>(b));
  node* made[4];
  make_least_squares(std::move(of), std::move(right), dtype_of<T>, rcond, made);
  return lstsq_result<T, R>{lazy<T>(made[0]), lazy<R>(made[1]), lazy<std::int64_t>(made[2]), lazy<R>(made[3])};
}
/// How many singular values are no zeros. Shapes: (..., m, n) gives (...). Source: numpy.linalg.matrix_rank.
template <sinter::detail::expression E>
auto matrix_rank(E&& e, const rank_options& how = {}) {
  using namespace sinter::detail;
  return lazy<std::int64_t>(make_matrix_rank(node_in(std::forward<E>(e)), dtype_of<solved<E>>, how));
}
/// A norm of the matrix times that of its inverse; infinity for a singular one. Orders: those of `norm`. Source: numpy.linalg.cond.
template <sinter::detail::expression E>
auto cond(E&& e, norm_order p = {}) {
  using namespace sinter::detail;
  return lazy<solved_real<E>>(make_condition(node_in(std::forward<E>(e)), dtype_of<solved<E>>, p));
}
/// `auto [p, l, u] = lu(a);` with a = p l u, where p exchanges rows. Shapes: (..., m, n) gives (..., m, m), (..., m, k), (..., k, n).
/// Source: scipy.linalg.lu.
template <sinter::detail::expression E>
auto lu(E&& e) {
  using namespace sinter::detail;
  using T = solved<E>;
  node* made[3];
  make_lu(node_in(std::forward<E>(e)), dtype_of<T>, made);
  return lu_result<T, solved_real<E>>{lazy<solved_real<E>>(made[0]), lazy<T>(made[1]), lazy<T>(made[2])};
}
/// Both triangles in one matrix, and which row each was exchanged with. A singular matrix is no error. Source:
/// scipy.linalg.lu_factor.
template <sinter::detail::expression E>
auto lu_factor(E&& e) {
  using namespace sinter::detail;
  node* made[2];
  make_lu_factors(node_in(std::forward<E>(e)), dtype_of<solved<E>>, made);
  return lu_factors<solved<E>>{lazy<solved<E>>(made[0]), lazy<std::int32_t>(made[1])};
}
/// Solves with them. Source: scipy.linalg.lu_solve.
template <class F, sinter::detail::expression B>
auto lu_solve(const lu_factors<F>& factors, B&& b, transposition trans = transposition::none) {
  using namespace sinter::detail;
  using T = solved<lazy<F>, B>;
  return lazy<T>(
      make_lu_solve(node_in(factors.lu), node_in(factors.piv), node_in(std::forward<B>(b)), dtype_of<T>, trans));
}
/// The triangle of a positive definite matrix, of which the same one is read. Source: scipy.linalg.cho_factor.
template <sinter::detail::expression E>
auto cho_factor(E&& e, bool lower = false) {
  using namespace sinter::detail;
  using T = solved<E>;
  return cho_factors<T>{lazy<T>(make_cholesky(node_in(std::forward<E>(e)), dtype_of<T>, lower, "cho_factor")), lower};
}
template <sinter::detail::expression E>
auto cho_factor(E&& e, const triangular_options& how) {
  return cho_factor(std::forward<E>(e), static_cast<bool>(how.lower));
}
/// Solves with it. Source: scipy.linalg.cho_solve.
template <class F, sinter::detail::expression B>
auto cho_solve(const cho_factors<F>& factors, B&& b) {
  using namespace sinter::detail;
  using T = solved<lazy<F>, B>;
  return lazy<T>(make_cholesky_solve(node_in(factors.c), node_in(std::forward<B>(b)), dtype_of<T>, factors.lower));
}
/// The x for which a x = b, where a is a triangle; the other one is not read. Source: scipy.linalg.solve_triangular.
template <sinter::detail::expression A, sinter::detail::expression B = array<sinter::detail::element_in<A>>>
auto solve_triangular(A&& a, B&& b, const triangular_options& how = {}) {
  using namespace sinter::detail;
  using T = solved<A, B>;
  handle of = node_in(std::forward<A>(a)), right = node_in(std::forward<B>(b));
  return lazy<T>(make_triangular_solve(std::move(of), std::move(right), dtype_of<T>, how));
}
/// Of a matrix of diagonals: `solve_banded({1, 1}, ab, b)`, where ab(u + i - j, j) = a(i, j). Source: scipy.linalg.solve_banded.
template <sinter::detail::expression A, sinter::detail::expression B = array<sinter::detail::element_in<A>>>
auto solve_banded(const band& diagonals, A&& ab, B&& b) {
  using namespace sinter::detail;
  using T = solved<A, B>;
  handle of = node_in(std::forward<A>(ab)), right = node_in(std::forward<B>(b));
  return lazy<T>(make_banded_solve(std::move(of), std::move(right), dtype_of<T>, diagonals));
}
/// The x for which tensordot(a, x, x.ndim()) = b; `axes` of a come last. Source: numpy.linalg.tensorsolve.
template <sinter::detail::expression A, sinter::detail::expression B>
auto tensorsolve(A&& a, B&& b, const sinter::axes& axes = {}) {
  using namespace sinter::detail;
  using T = solved<A, B>;
  handle of = node_in(std::forward<A>(a)), right = node_in(std::forward<B>(b));
  return lazy<T>(make_tensor_solve(std::move(of), std::move(right), dtype_of<T>, axes.list()));
}
/// The inverse of tensordot(a, x, ind). Source: numpy.linalg.tensorinv.
template <sinter::detail::expression E>
auto tensorinv(E&& e, sinter::detail::integer ind = 2) {
  using T = sinter::detail::solved<E>;
  return lazy<T>(sinter::detail::make_tensor_inverse(sinter::detail::node_in(std::forward<E>(e)), dtype_of<T>, ind));
}
/// The exponential of a matrix, by Pade approximation, scaled and squared as often as norms of its powers want. Dtypes: float32 and
/// complex64 are computed in double where a norm is above 5. Stream behaviour: waits for the norms when it is evaluated, so that it cannot be captured. Source:
/// scipy.linalg.expm.
template <sinter::detail::expression E>
auto expm(E&& e) {
  using T = sinter::detail::solved<E>;
  return lazy<T>(sinter::detail::make_matrix_exponential(sinter::detail::node_in(std::forward<E>(e)), dtype_of<T>));
}
/// Matrices along the diagonal of one, zeros beside them: `block_diag({a, b})`, or of any expressions `block_diag(tuple(a, b + 1))`. Shapes: of up to
/// two axes; one axis is a row. Dtypes: what they promote to. Errors: `shape_error`. Source: scipy.linalg.block_diag.
template <class T>
lazy<T> block_diag(std::initializer_list<array<T>> blocks) {
  sinter::detail::join_list<T> all(blocks.begin(), blocks.size());
  return lazy<T>(sinter::detail::make_block_diagonal(all.at_least(2).nodes(), all.size()));
}
template <element T, std::size_t count>
lazy<T> block_diag(const tuple_of<T, count>& blocks) {
  sinter::detail::join_list<T> all(blocks.data(), count);
  return lazy<T>(sinter::detail::make_block_diagonal(all.at_least(2).nodes(), count));
}

SINTER_OF_AN_ARRAY(inv)
SINTER_OF_AN_ARRAY(pinv)
SINTER_OF_AN_ARRAY(det)
SINTER_OF_AN_ARRAY(slogdet)
SINTER_OF_AN_ARRAY(cholesky)
SINTER_OF_AN_ARRAY(qr)
SINTER_OF_AN_ARRAY(svd)
SINTER_OF_AN_ARRAY(eigh)
SINTER_OF_AN_ARRAY(eig)
SINTER_OF_AN_ARRAY(norm)
SINTER_OF_AN_ARRAY(matrix_rank)
SINTER_OF_AN_ARRAY(expm)
SINTER_WITHOUT_TEXT(qr)
SINTER_WITHOUT_TEXT(svd)
SINTER_WITHOUT_TEXT(eigh)
SINTER_OF_TWO_ARRAYS(solve)
SINTER_OF_TWO_ARRAYS(lstsq)

}  // namespace linalg
}  // namespace sinter
