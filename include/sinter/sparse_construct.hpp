// Sparse matrices made of nothing, of diagonals and of others. Results are csr, or csc where what they are made of is; the host finds
// where entries go, which waits for indices; values are enqueued. Not in sinter.hpp.
#pragma once

#include <initializer_list>
#include <vector>

#include <sinter/create.hpp>
#include <sinter/sparse.hpp>

namespace sinter::sparse {

/// A diagonal, the k-th above the main one, of an array or, where the shape is given, of a number: `{1.0, 0}`.
template <element T>
class diagonal {
 public:
  template <sinter::detail::expression E>
  diagonal(E&& values, sinter::detail::integer k) : parts_{sinter::detail::part_of<T>(std::forward<E>(values)), k} {}
  template <arithmetic V>
  diagonal(V value, sinter::detail::integer k)
      : parts_{sinter::detail::handle(full<T>({1}, static_cast<T>(value)).share()), k} {}
  const sinter::detail::diagonal_parts& parts() const { return parts_; }

 private:
  sinter::detail::diagonal_parts parts_;
};

/// Of diagonals: `diags_array<double>({{a, 0}, {b, -1}})`, `diags_array<double>({{2, 0}, {-1, 1}, {-1, -1}}, {n, n})`. Shapes: square and
/// as large as the first diagonal wants unless given; an array of one element is repeated then. Errors: `shape_error` for a diagonal of
/// another length. Source: scipy.sparse.diags_array.
template <element T>
csr_array<T> diags_array(std::initializer_list<diagonal<T>> diagonals) {
  return csr_array<T>(
      sinter::detail::make_of_diagonals(&diagonals.begin()->parts(), diagonals.size(), dtype_of<T>, nullptr));
}
template <element T>
csr_array<T> diags_array(std::initializer_list<diagonal<T>> diagonals, const shape& s) {
  return csr_array<T>(
      sinter::detail::make_of_diagonals(&diagonals.begin()->parts(), diagonals.size(), dtype_of<T>, &s));
}
/// Ones on a diagonal, the k-th above the main one. Errors: `shape_error`. Source: scipy.sparse.eye_array.
template <element T = double>
csr_array<T> eye_array(sinter::detail::integer rows, sinter::detail::integer columns, sinter::detail::integer k = 0) {
  const shape s{rows, columns};
  if (k >= columns || k <= -rows) return csr_array<T>(s);
  return diags_array<T>({{T(1), k}}, s);
}
template <element T = double>
csr_array<T> eye_array(sinter::detail::integer n) {
  return eye_array<T>(n, n);
}

/// The entries on the k-th diagonal above the main one and below it. Source: scipy.sparse.tril.
template <sparse_matrix A>
auto tril(const A& a, sinter::detail::integer k = 0) {
  return sparse_array<typename A::value_type, sinter::detail::format_made_of(A::layout)>(
      sinter::detail::make_sparse_triangle(a.parts(), k, true));
}
/// The entries on the k-th diagonal above the main one and above it. Source: scipy.sparse.triu.
template <sparse_matrix A>
auto triu(const A& a, sinter::detail::integer k = 0) {
  return sparse_array<typename A::value_type, sinter::detail::format_made_of(A::layout)>(
      sinter::detail::make_sparse_triangle(a.parts(), k, false));
}

/// Where elements are that are not zero, and which: `auto [i, j, v] = find(a);`.
template <element T>
struct found_entries {
  lazy<std::int64_t> row, col;
  lazy<T> data;
};
/// Row by row, column by column of csc; those of one place added up. Stream behaviour: evaluates, and waits. Source: scipy.sparse.find.
template <sparse_matrix A>
auto find(const A& a) {
  using T = typename A::value_type;
  sparse_array<T, sinter::detail::format_made_of(A::layout)> s(
      sinter::detail::convert(a.parts(), sinter::detail::format_made_of(A::layout)));
  s.sum_duplicates();
  s.eliminate_zeros();
  return found_entries<T>{s.row(), s.col(), s.data()};
}

/// The Kronecker product: each element of the first times all of the second. Dtypes: as of the operands' product. Errors: `shape_error`
/// beyond what a shape may be. Source: scipy.sparse.kron.
template <sparse_matrix A, sparse_matrix B>
auto kron(const A& a, const B& b) {
  using namespace sinter::detail;
  matched_parts m = pair_sparse(a.parts(), b.parts());
  const auto values = lazy<typename A::value_type>(m.left.take()) * lazy<typename B::value_type>(m.right.take());
  return sparse_array<element_in<decltype(values)>, format_made_of(A::layout)>(
      computed_parts(std::move(m.structure), values));
}

}  // namespace sinter::sparse

namespace sinter::detail {
template <class T, sparse::format F>
auto joined_sparse(std::initializer_list<sparse::sparse_array<T, F>> all, joint how) {
  std::vector<sparse_parts> parts;
  for (const auto& a : all) parts.push_back(a.parts());
  return sparse::sparse_array<T, format_made_of(F)>(join_sparse(parts.data(), parts.size(), how));
}
}  // namespace sinter::detail

namespace sinter::sparse {

/// Side by side: `hstack({a, b})`, of one type. Errors: `shape_error`. Source: scipy.sparse.hstack.
template <element T, format F>
auto hstack(std::initializer_list<sparse_array<T, F>> arrays) {
  return sinter::detail::joined_sparse(arrays, sinter::detail::joint::columns);
}
/// One above the other. Errors: `shape_error`. Source: scipy.sparse.vstack.
template <element T, format F>
auto vstack(std::initializer_list<sparse_array<T, F>> arrays) {
  return sinter::detail::joined_sparse(arrays, sinter::detail::joint::rows);
}
/// Of blocks, row by row: `block_array({{a, b}, {c, d}})`. Errors: `shape_error`. Source: scipy.sparse.block_array.
template <element T, format F>
auto block_array(std::initializer_list<std::initializer_list<sparse_array<T, F>>> rows) {
  using sinter::detail::joint;
  std::vector<sinter::detail::sparse_parts> parts;
  for (const auto& row : rows) parts.push_back(sinter::detail::joined_sparse(row, joint::columns).parts());
  return sparse_array<T, sinter::detail::format_made_of(F)>(
      sinter::detail::join_sparse(parts.data(), parts.size(), joint::rows));
}
/// From corner to corner, with zeros beside them. Source: scipy.sparse.block_diag.
template <element T, format F>
auto block_diag(std::initializer_list<sparse_array<T, F>> arrays) {
  return sinter::detail::joined_sparse(arrays, sinter::detail::joint::corners);
}

}  // namespace sinter::sparse
