// Products of vectors and of blocks, and matrices made of vectors: cross, kron, toeplitz, distance_matrix. Lazy. Not in sinter.hpp.
#pragma once

#include <sinter/join.hpp>
#include <sinter/products.hpp>

namespace sinter {

/// Which axes of a cross product are the vectors': those of its operands, and of the result.
struct cross_options {
  detail::integer axisa = -1, axisb = -1, axisc = -1;
};

namespace detail {
SINTER_API node* make_cross(handle a, handle b, const cross_options&);
SINTER_API node* make_kron(handle a, handle b);
}  // namespace detail

/// The vector product: `cross(a, b)`, `cross(a, b, {.axisa = 0})`. Shapes: the vectors' axes have three elements, the others
/// broadcast. Dtypes: what the operands promote to; bool is refused when it is made. Errors: `shape_error`, `dtype_error`. Source:
/// numpy.cross, of vectors of three.
template <detail::expression A, detail::expression B = array<detail::element_in<A>>>
auto cross(A&& a, B&& b, const cross_options& how = {}) {
  detail::handle x(detail::take_node(std::forward<A>(a))), y(detail::take_node(std::forward<B>(b)));
  return lazy<detail::product_of<A, B>>(detail::make_cross(std::move(x), std::move(y), how));
}
/// The Kronecker product: in place of each element of one, that times all of the other. Shapes: the products of the extents, axes
/// counted from the last. Dtypes: what the operands promote to. Errors: `shape_error`. Source: numpy.kron.
template <detail::expression A, detail::expression B = array<detail::element_in<A>>>
auto kron(A&& a, B&& b) {
  detail::handle x(detail::take_node(std::forward<A>(a))), y(detail::take_node(std::forward<B>(b)));
  return lazy<detail::product_of<A, B>>(detail::make_kron(std::move(x), std::move(y)));
}

namespace linalg {
/// The vector product along one axis of both. Source: numpy.linalg.cross.
template <sinter::detail::expression A, sinter::detail::expression B = array<sinter::detail::element_in<A>>>
auto cross(A&& a, B&& b, sinter::detail::integer axis = -1) {
  return sinter::cross(std::forward<A>(a), std::forward<B>(b), {axis, axis, axis});
}
/// The matrix whose diagonals are constant, with this first column and this first row, but for the corner, which is the column's.
/// Shapes: both have one axis. Dtypes: what the two promote to. Errors: `shape_error`. Source: scipy.linalg.toeplitz.
template <sinter::detail::expression C, sinter::detail::expression R>
auto toeplitz(const C& column, const R& row) {
  const auto along = concatenate(tuple(flip(column), row(slice(1, _))));
  return flip(sliding_window_view(along, row.size()), 0);
}
/// The same of one list of elements: the Hermitian matrix with this first column, symmetric where it is real.
template <sinter::detail::expression C>
auto toeplitz(const C& column) {
  return toeplitz(column, conj(column));
}
}  // namespace linalg

namespace spatial {
/// The distance of every row of one matrix from every row of the other: the norm of order p. Shapes: (m, k) and (n, k) give (m, n).
/// Dtypes: as `linalg::norm`. Errors: `shape_error`. Source: scipy.spatial.distance_matrix.
template <sinter::detail::expression X, sinter::detail::expression Y>
auto distance_matrix(const X& x, const Y& y, linalg::norm_order p = 2) {
  return linalg::norm(x(_, newaxis) - y, {.ord = p, .axis = -1});
}
}  // namespace spatial
}  // namespace sinter
