// Examples of what factors and solves.
#include <cmath>
#include <complex>

#include <sinter/fit.hpp>
#include <sinter/iterative.hpp>
#include <sinter/linalg.hpp>
#include <sinter/sparse_construct.hpp>
#include <sinter/sparse_solve.hpp>

#include "docs/generate/examples.hpp"

#pragma GCC diagnostic ignored "-Wunused-variable"

namespace docs {

namespace {

// Rounded, as the last digits are the library's.
void dense(std::vector<example>& all) {
  DOCS_OPERANDS
  EXAMPLE(linalg::solve, "np.round(np.linalg.solve(np.array([[4.0, 1], [1, 3]]), np.array([1.0, 2])), 6)",
          sn::round(sn::linalg::solve(array<double>{{4, 1}, {1, 3}}, array<double>{1, 2}), 6));
  EXAMPLE(linalg::inv, "np.round(np.linalg.inv(np.array([[4.0, 1], [1, 3]])), 6)",
          sn::round(sn::linalg::inv(array<double>{{4, 1}, {1, 3}}), 6));
  EXAMPLE(linalg::pinv, "np.round(np.linalg.pinv(a), 6)", sn::round(sn::linalg::pinv(a), 6));
  EXAMPLE(linalg::det, "np.round(np.linalg.det(np.array([[4.0, 1], [1, 3]])), 6)",
          sn::round(sn::linalg::det(array<double>{{4, 1}, {1, 3}}), 6));
  EXAMPLE(linalg::slogdet, "np.round(np.linalg.slogdet(np.array([[4.0, 1], [1, 3]]))[1], 6)",
          sn::round(sn::linalg::slogdet(array<double>{{4, 1}, {1, 3}}).logabsdet, 6));
  EXAMPLE(linalg::cholesky, "np.round(np.linalg.cholesky(np.array([[4.0, 1], [1, 3]])), 6)",
          sn::round(sn::linalg::cholesky(array<double>{{4, 1}, {1, 3}}), 6));
  EXAMPLE(linalg::qr, "np.round(np.abs(np.linalg.qr(a)[1]), 6)", sn::round(sn::abs(sn::linalg::qr(a).R), 6));
  EXAMPLE(linalg::qr_raw, "np.round(np.linalg.qr(a, \"raw\")[1], 6)", sn::round(sn::linalg::qr_raw(a).tau, 6));
  EXAMPLE(linalg::svd, "np.round(np.linalg.svd(a)[1], 6)", sn::round(sn::linalg::svd(a).S, 6));
  EXAMPLE(linalg::svdvals, "np.round(np.linalg.svdvals(a), 6)", sn::round(sn::linalg::svdvals(a), 6));
  EXAMPLE(linalg::eigh, "np.round(np.linalg.eigh(np.array([[4.0, 1], [1, 3]]))[0], 6)",
          sn::round(sn::linalg::eigh(array<double>{{4, 1}, {1, 3}}).eigenvalues, 6));
  EXAMPLE(linalg::eig, "", sn::round(sn::linalg::eig(array<double>{{0, 1}, {-1, 0}}).eigenvalues, 6));
  EXAMPLE(linalg::lstsq, "np.round(np.linalg.lstsq(a.T, np.array([1.0, 2, 2]))[0], 6)",
          sn::round(sn::linalg::lstsq(a.T(), array<double>{1, 2, 2}).x, 6));
  EXAMPLE(linalg::matrix_rank, "np.linalg.matrix_rank(a)", sn::linalg::matrix_rank(a));
  EXAMPLE(linalg::cond, "np.round(np.linalg.cond(a), 6)", sn::round(sn::linalg::cond(a), 6));
  EXAMPLE(linalg::norm, "np.round(np.linalg.norm(a, 2), 6)", sn::round(sn::linalg::norm(a, {.ord = 2}), 6));
  EXAMPLE(linalg::lu, "", sn::round(sn::linalg::lu(a).U, 6));
  EXAMPLE(linalg::lu_factor, "", sn::linalg::lu_factor(a).piv);
  EXAMPLE(
      linalg::lu_solve, "",
      sn::round(sn::linalg::lu_solve(sn::linalg::lu_factor(array<double>{{4, 1}, {1, 3}}), array<double>{1, 2}), 6));
  EXAMPLE(linalg::cho_factor, "", sn::round(sn::linalg::cho_factor(array<double>{{4, 1}, {1, 3}}).c, 6));
  EXAMPLE(
      linalg::cho_solve, "",
      sn::round(sn::linalg::cho_solve(sn::linalg::cho_factor(array<double>{{4, 1}, {1, 3}}), array<double>{1, 2}), 6));
  EXAMPLE(
      linalg::solve_triangular, "",
      sn::round(sn::linalg::solve_triangular(array<double>{{2, 0}, {1, 3}}, array<double>{1, 2}, {.lower = true}), 6));
  EXAMPLE(linalg::solve_banded, "",
          sn::round(sn::linalg::solve_banded({1, 0}, array<double>{{2, 3}, {1, 0}}, array<double>{1, 2}), 6));
  EXAMPLE(linalg::tensorsolve, "np.linalg.tensorsolve(np.eye(4).reshape(4, 2, 2), v)",
          sn::linalg::tensorsolve(sn::eye(4).reshape(4, 2, 2), sn::asarray(v)));
  EXAMPLE(linalg::tensorinv, "np.linalg.tensorinv(np.eye(4).reshape(4, 2, 2), 1)",
          sn::linalg::tensorinv(sn::eye(4).reshape(4, 2, 2), 1));
  EXAMPLE(linalg::expm, "", sn::round(sn::linalg::expm(array<double>{{0, 1}, {-1, 0}}), 6));
  EXAMPLE(polyfit, "np.round(np.polyfit(np.array([0.0, 1, 2, 3]), np.array([1.0, 3, 7, 13]), 2), 6) + 0",
          sn::round(sn::polyfit(array<double>{0, 1, 2, 3}, array<double>{1, 3, 7, 13}, 2), 6) + 0);
  EXAMPLE(polyfit_full, "np.polyfit(np.array([0.0, 1, 2, 3]), np.array([1.0, 3, 7, 13]), 2, full=True)[2]",
          sn::polyfit_full(array<double>{0, 1, 2, 3}, array<double>{1, 3, 7, 13}, 2).rank);
  EXAMPLE(polyfit_cov, "np.round(np.polyfit(np.array([0.0, 1, 2, 3]), np.array([1.0, 3, 7, 13]), 1, cov=True)[1], 6)",
          sn::round(sn::polyfit_cov(array<double>{0, 1, 2, 3}, array<double>{1, 3, 7, 13}, 1).covariance, 6));
  EXAMPLE(roots, "", sn::round(sn::roots(array<double>{2, -3}), 6));
}

void sparse_ones(std::vector<example>& all) {
  DOCS_OPERANDS
  EXAMPLE(sparse::linalg::cg, "",
          sn::round(sn::sparse::linalg::cg([](const auto& r) { return 2 * r - sn::flip(r) / 2; }, x).x, 3));
  EXAMPLE(sparse::linalg::bicgstab, "",
          sn::round(sn::sparse::linalg::bicgstab(array<double>{{4, 1}, {0, 3}}, x(slice(2))).x, 6));
  EXAMPLE(sparse::linalg::gmres, "",
          sn::round(sn::sparse::linalg::gmres(array<double>{{4, 1}, {0, 3}}, x(slice(2))).x, 6));
  EXAMPLE(sparse::linalg::lobpcg, "",
          sn::round(sn::sparse::linalg::lobpcg(array<double>{{4, 1}, {1, 3}}, sn::ones({2, 1})).eigenvalues, 6));
  using sn::sparse::csr_array;
  EXAMPLE(sparse::diags_array, "", sn::sparse::diags_array<double>({{2, 0}, {-1, 1}, {-1, -1}}, {3, 3}).toarray());
  EXAMPLE(sparse::eye_array, "", sn::sparse::eye_array(2, 3, 1).toarray());
  EXAMPLE(sparse::kron, "", sn::sparse::kron(sn::sparse::eye_array(2), csr_array<double>(a)).toarray());
  EXAMPLE(sparse::hstack, "", sn::sparse::hstack({csr_array<double>(a), csr_array<double>(a)}).toarray());
  EXAMPLE(sparse::tril, "", sn::sparse::tril(csr_array<double>(a)).toarray());
  EXAMPLE(sparse::triu, "", sn::sparse::triu(csr_array<double>(a), 1).toarray());
  EXAMPLE(
      sparse::linalg::spsolve, "",
      sn::round(sn::sparse::linalg::spsolve(csr_array<double>(array<double>{{4, 1}, {1, 3}}), array<double>{1, 2}), 6));
  EXAMPLE(
      sparse::linalg::spsolve_triangular, "",
      sn::sparse::linalg::spsolve_triangular(csr_array<double>(array<double>{{2, 0}, {1, 4}}), array<double>{2, 9}));
}

}  // namespace

void run_matrices(std::vector<example>& all) {
  dense(all);
  sparse_ones(all);
}

}  // namespace docs
