// Arithmetic of sparse arrays: with numbers, with each other and with dense ones. Read by sparse.hpp.
#pragma once

#include <sinter/sparse.hpp>

namespace sinter::sparse {

/// Each entry times a number, or by it: lazy. Source: scipy.sparse.csr_array.__mul__, __truediv__.
template <element T, format F, arithmetic S>
auto operator*(const sparse_array<T, F>& a, S factor) {
  return a.multiply(factor);
}
template <arithmetic S, element T, format F>
auto operator*(S factor, const sparse_array<T, F>& a) {
  return a.multiply(factor);
}
template <element T, format F, arithmetic S>
auto operator/(const sparse_array<T, F>& a, S divisor) {
  return a.with_data(a.data() / divisor);
}

/// As the method. Source: abs of a scipy.sparse.csr_array.
template <element T, format F>
auto abs(const sparse_array<T, F>& a) {
  return a.abs();
}

/// Of two sparse arrays of one shape: sparse, of the places that either has, of a product those that both have. What comes out as zero
/// stays an entry. Errors: `shape_error`. Stream behaviour: places are found by the host, which waits for indices; values are enqueued.
/// Source: scipy.sparse.csr_array.__add__, __sub__, __mul__; the product of matrices is matmul.
template <element T, format F, element U, format G>
auto operator+(const sparse_array<T, F>& a, const sparse_array<U, G>& b) {
  return a.with(b, false, "a sum of", [](auto x, auto y) { return x + y; });
}
template <element T, format F, element U, format G>
auto operator-(const sparse_array<T, F>& a, const sparse_array<U, G>& b) {
  return a.with(b, false, "a difference of", [](auto x, auto y) { return x - y; });
}
template <element T, format F, element U, format G>
auto operator*(const sparse_array<T, F>& a, const sparse_array<U, G>& b) {
  return a.multiply(b);
}

/// With a dense operand, element by element: sparse, of the places of the sparse one, and lazy. The quotient is the product with the
/// reciprocal, as SciPy has it. Shapes: the dense operand broadcasts to the sparse one's. Errors: `shape_error`.
template <class A, class B>
  requires detail::any_expression<A, B> && sparse_matrix<A>
auto operator*(A&& a, B&& b) { return a.multiply(std::forward<B>(b)); }
template <class A, class B>
  requires detail::any_expression<A, B> && sparse_matrix<B>
auto operator*(A&& a, B&& b) { return b.multiply(std::forward<A>(a)); }
template <class A, class B>
  requires detail::any_expression<A, B> && sparse_matrix<A>
auto operator/(A&& a, B&& b) { return a.multiply(1.0 / std::forward<B>(b)); }

/// All elements, with a dense operand: dense, and lazy. Shapes: both broadcast. Errors: `shape_error`.
template <class A, class B>
  requires detail::any_expression<A, B> && sparse_matrix<A>
auto operator+(A&& a, B&& b) { return a.toarray() + std::forward<B>(b); }
template <class A, class B>
  requires detail::any_expression<A, B> && sparse_matrix<B>
auto operator+(A&& a, B&& b) { return std::forward<A>(a) + b.toarray(); }
template <class A, class B>
  requires detail::any_expression<A, B> && sparse_matrix<A>
auto operator-(A&& a, B&& b) { return a.toarray() - std::forward<B>(b); }
template <class A, class B>
  requires detail::any_expression<A, B> && sparse_matrix<B>
auto operator-(A&& a, B&& b) { return std::forward<A>(a) - b.toarray(); }

}  // namespace sinter::sparse
