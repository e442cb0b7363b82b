// Systems of equations with sparse matrices, by LU factors and by triangles; what needs no factors is in iterative.hpp. Not in sinter.hpp.
//
// All evaluate, wait and compute on the host. On a GPU that has cuDSS, factors of 256 rows and more are made there, and solve without
// waiting; else it is the host, too. Dtypes: float32, float64, complex64 and complex128; integers and bool become double.
#pragma once

#include <sinter/detail/linalg.hpp>
#include <sinter/sparse.hpp>

namespace sinter::detail {

/// A matrix' factors: counted, and never changed.
struct sparse_factors {
  int references = 1;
};
SINTER_API void retain(sparse_factors*) noexcept;
SINTER_API void release(sparse_factors*) noexcept;
using factors_handle = counted_handle<sparse_factors>;

// Of a dtype to compute in.
SINTER_API factors_handle factor_sparse(const sparse_parts&, bool in_any_order);
SINTER_API shape shape_of_factors(const factors_handle&);
SINTER_API node* solve_with_factors(const factors_handle&, handle b, linalg::transposition);
SINTER_API node* solve_sparse_triangle(const sparse_parts&, handle b, bool lower, bool unit_diagonal);

}  // namespace sinter::detail

namespace sinter::sparse::linalg {

using sinter::linalg::transposition;

/// The LU factors of a matrix, with rows and columns in an order that keeps them sparse: solves with as many right sides as there are.
/// Copies share them; threads may use them at the same time. Source: scipy.sparse.linalg.SuperLU.
template <element T>
class lu_factors {
 public:
  sinter::shape shape() const { return sinter::detail::shape_of_factors(held_); }
  /// The x for which A x = b, or of A transposed, or of that conjugated. Shapes: a vector of n, or (n, k). Dtypes: b becomes T. Errors:
  /// `shape_error`. Stream behaviour: evaluates, and waits; by a GPU's factors it does not wait, and is a part of a graph that is being
  /// made. Source: scipy.sparse.linalg.SuperLU.solve, cudssExecute.
  template <sinter::detail::expression B>
  array<T> solve(B&& b, transposition trans = transposition::none) const {
    static_assert(!sinter::detail::complex_number<sinter::detail::element_in<B>> || sinter::detail::complex_number<T>,
                  "sinter: factors of a real matrix solve for real numbers: factor a.astype<std::complex<double>>()");
    const auto of = sinter::astype<T>(std::forward<B>(b));
    return array<T>(sinter::detail::solve_with_factors(held_, sinter::detail::handle(of.share()), trans));
  }

  /// Library use.
  explicit lu_factors(sinter::detail::factors_handle h) : held_(std::move(h)) {}

 private:
  sinter::detail::factors_handle held_;
};

/// How splu's factors are computed.
struct lu_options {
  sinter::detail::truth atomic =
      false;  ///< by a GPU's cuDSS: in the order that its blocks come, so that last bits differ from run to run, and all columns at once
};
/// Factors a square matrix: `auto lu = splu(a); array<double> x = lu.solve(b);`. Of the same places with other values, as `a * 2` or
/// `a + a` have them, a GPU's cuDSS takes what it found of the places from the factors before. Errors: `shape_error`; `linalg_error`
/// where it is singular; `device_error` where Sinter was built without Eigen. Stream behaviour: evaluates, and waits. Source:
/// scipy.sparse.linalg.splu, cudssExecute.
template <sparse_matrix A>
auto splu(const A& a, const lu_options& how = {}) {
  using T = sinter::detail::solved<lazy<typename A::value_type>>;
  return lu_factors<T>(sinter::detail::factor_sparse(a.template astype<T>().parts(), how.atomic));
}
/// The x for which A x = b. Shapes: (n, n), and a vector of n, or (n, k). Dtypes: as of the operands together. Errors: those of `splu`
/// and `solve`. Stream behaviour: evaluates, and waits. Source: scipy.sparse.linalg.spsolve.
template <sparse_matrix A, sinter::detail::expression B>
auto spsolve(const A& a, B&& b) {
  using T = sinter::detail::solved<lazy<typename A::value_type>, B>;
  return splu(a.template astype<T>()).solve(std::forward<B>(b));
}
/// Whose triangle, and whether its diagonal is read or is ones.
struct triangle_options {
  sinter::detail::truth lower = true, unit_diagonal = false;
};
/// The x for which A x = b, where A is a triangle; entries on the other side are not read. Shapes: (n, n), and a vector of n, or (n, k).
/// Dtypes: as of the operands together. Errors: `shape_error`; `linalg_error` for a zero on the diagonal. Stream behaviour: evaluates,
/// and waits. Source: scipy.sparse.linalg.spsolve_triangular.
template <sparse_matrix A, sinter::detail::expression B>
auto spsolve_triangular(const A& a, B&& b, const triangle_options& how = {}) {
  using T = sinter::detail::solved<lazy<typename A::value_type>, B>;
  const auto of = sinter::astype<T>(std::forward<B>(b));
  return array<T>(sinter::detail::solve_sparse_triangle(
      a.template astype<T>().parts(), sinter::detail::handle(of.share()), how.lower, how.unit_diagonal));
}

}  // namespace sinter::sparse::linalg
