// Options of the functions of linalg.hpp, and what these call: nodes in, owned nodes out.
#pragma once

#include <sinter/products.hpp>

namespace sinter {

namespace linalg {

/// Which triangle is a matrix': `eigh(a, {.UPLO = 'U'})`.
struct triangle_options {
  char UPLO = 'L';
};
/// `cholesky(a, {.upper = true})`.
struct cholesky_options {
  sinter::detail::truth upper = false;
};
/// Which values count as zero: those up to `rtol` times the largest, or up to `tol`. Negative: NumPy's default.
struct rank_options {
  double tol = -1, rtol = -1;
};
struct pinv_options {
  double rtol = 1e-15;
};
/// `svd(a, {.full_matrices = false})`.
struct svd_options {
  sinter::detail::truth full_matrices = true;
};
enum class qr_mode : unsigned char { reduced, complete };
/// What a matrix is before it is solved: itself, its transpose, that conjugated.
enum class transposition : unsigned char { none, transposed, conjugated };
/// `solve_triangular(a, b, {.lower = true})`.
struct triangular_options {
  sinter::detail::truth lower = false, unit_diagonal = false;
  transposition trans = transposition::none;
};
struct band {
  std::int64_t lower, upper;
};

}  // namespace linalg

namespace detail {

constexpr dtype solved_dtype(dtype t) { return is_inexact(t) ? widened(t) : dtype::float64; }
/// What factors and solutions are made of.
template <class... E>
using solved = typename element_of<solved_dtype(dtype_of<promoted<E...>>)>::type;
/// Singular values, norms, eigenvalues of symmetric matrices.
template <class... E>
using solved_real = typename element_of<real_part_of(dtype_of<solved<E...>>)>::type;
template <class... E>
using solved_complex = std::complex<solved_real<E...>>;

// Of a dtype to compute in. Several results are owned nodes in `made`.
SINTER_API node* make_solve(handle a, handle b, dtype);
SINTER_API node* make_inverse(handle, dtype);
SINTER_API node* make_pseudoinverse(handle, dtype, double rtol);
SINTER_API node* make_determinant(handle, dtype);
SINTER_API void make_slogdet(handle, dtype, node** made);
SINTER_API node* make_cholesky(handle, dtype, bool lower, const char* what);
SINTER_API node* make_cholesky_solve(handle c, handle b, dtype, bool lower);
SINTER_API void make_qr(handle, dtype, bool complete, bool raw, node** made);
SINTER_API void make_svd(handle, dtype, bool full, node** made);
SINTER_API node* make_singular_values(handle, dtype);
/// Null for vectors: values alone.
SINTER_API void make_symmetric_eigen(handle, dtype, char triangle, bool vectors, node** made);
SINTER_API void make_eigen(handle, dtype, bool vectors, node** made);
SINTER_API void make_least_squares(handle a, handle b, dtype, double rcond, node** made);
SINTER_API node* make_matrix_rank(handle, dtype, const linalg::rank_options&);
SINTER_API node* make_condition(handle, dtype, const linalg::norm_order&);
SINTER_API void make_lu(handle, dtype, node** made);
SINTER_API void make_lu_factors(handle, dtype, node** made);
SINTER_API node* make_lu_solve(handle lu, handle pivots, handle b, dtype, linalg::transposition);
SINTER_API node* make_triangular_solve(handle a, handle b, dtype, const linalg::triangular_options&);
SINTER_API node* make_banded_solve(handle diagonals, handle b, dtype, const linalg::band&);
SINTER_API node* make_tensor_solve(handle a, handle b, dtype, const axis_list&);
SINTER_API node* make_tensor_inverse(handle, dtype, std::int64_t count);
SINTER_API node* make_matrix_exponential(handle, dtype);
SINTER_API node* make_block_diagonal(node* const* blocks, std::size_t count);

template <expression E>
handle node_in(E&& e) {
  return handle(take_node(std::forward<E>(e)));
}

/// An expression, or nothing.
class optional_expression {
 public:
  optional_expression() = default;
  template <expression E>
  optional_expression(E&& e) : node_(take_node(std::forward<E>(e))) {}
  handle take() { return std::move(node_); }

 private:
  handle node_;
};
}  // namespace detail
}  // namespace sinter
