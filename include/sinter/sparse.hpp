// Sparse matrices: values, like arrays, whose entries are kept row by row (csr), column by column (csc), or each with both of its
// indices (coo). What changes values alone is lazy and fuses with the product that uses it; what has other places, as a sum of two, has
// its values computed at once. Not in sinter.hpp.
#pragma once

#include <sinter/complex.hpp>
#include <sinter/detail/sparse.hpp>
#include <sinter/functions.hpp>
#include <sinter/views.hpp>

namespace sinter {

/// A sparse_array of any element type and format.
template <class X>
concept sparse_matrix = detail::is_sparse_array<std::remove_cvref_t<X>>::value;

namespace sparse {

/// A sparse matrix of elements T. csr_array<T>, csc_array<T> and coo_array<T> are its names.
template <element Element, format F>
class [[nodiscard]] sparse_array {
  static_assert(detail::sparse_element<Element>, "sinter: sparse arrays have no elements of 16 bits: SciPy has none");

 public:
  using value_type = Element;
  static constexpr sparse::format layout = F;

  /// Without entries.
  explicit sparse_array(const sinter::shape& s = {0, 0}) : parts_(detail::make_empty_sparse(dtype_of<Element>, F, s)) {}
  /// What is not zero of a matrix. Errors: `shape_error` unless it has two axes. Stream behaviour: evaluates, and waits. Source:
  /// scipy.sparse.csr_array(D).
  template <detail::expression E>
  explicit sparse_array(E&& dense)
      : parts_(detail::make_sparse(detail::handle(detail::take_node(std::forward<E>(dense))), F)) {
    static_assert(std::is_same_v<detail::element_in<E>, Element>,
                  "sinter: the sparse array has another element type: astype<Element>(e)");
  }
  /// Of values and indices. csr: the column of each entry, and where each row begins and the last one ends; csc: rows and columns the
  /// other way; coo: rows and columns. Indices of int64 stay so, others become int32 where they fit. Errors: `shape_error`; `index_error`
  /// for indices beyond the shape. Stream behaviour: evaluates, and waits. Source: scipy.sparse.csr_array((data, indices, indptr)),
  /// coo_array((data, (row, col))).
  template <detail::expression D, detail::index_array First, detail::index_array Second>
  sparse_array(D&& data, First&& first, Second&& second, const sinter::shape& s)
      : sparse_array(std::forward<D>(data), std::forward<First>(first), std::forward<Second>(second), &s) {}
  /// Of a shape that has room for them.
  template <detail::expression D, detail::index_array First, detail::index_array Second>
  sparse_array(D&& data, First&& first, Second&& second)
      : sparse_array(std::forward<D>(data), std::forward<First>(first), std::forward<Second>(second), nullptr) {}
  /// Of another format. Entries of one place become one where they are sorted. Source: scipy.sparse.csr_array(S).
  template <format G>
    requires(G != F)
  explicit sparse_array(const sparse_array<Element, G>& other) : parts_(detail::convert(other.parts(), F)) {}

  sinter::shape shape() const {
    const detail::sparse_facts f = facts();
    return {f.rows, f.columns};
  }
  static constexpr int ndim() { return 2; }
  static constexpr sinter::dtype dtype() { return dtype_of<Element>; }
  /// Entries, zeros among them, too. Source: scipy.sparse.csr_array.nnz.
  std::int64_t nnz() const { return facts().entries; }
  /// Of the arrays of indices: int32 or int64.
  sinter::dtype index_dtype() const { return facts().index; }
  bool has_sorted_indices() const { return facts().is_sorted; }
  bool has_canonical_format() const { return facts().is_canonical; }

  /// The values of the entries: lazy.
  lazy<Element> data() const { return lazy<Element>(detail::handle(parts_.data).take()); }
  /// The column of each entry; of csc the row.
  lazy<std::int64_t> indices() const requires(F != format::coo) {
    return lazy<std::int64_t>(detail::make_structure_array(parts_.structure, false));
  }
  /// Where the entries of each row, of csc each column, begin, and where the last ones end.
  lazy<std::int64_t> indptr() const requires(F != format::coo) {
    return lazy<std::int64_t>(detail::make_structure_array(parts_.structure, true));
  }
  /// The row, and the column, of each entry.
  lazy<std::int64_t> row() const { return lazy<std::int64_t>(detail::make_entry_index(parts_.structure, false)); }
  lazy<std::int64_t> col() const { return lazy<std::int64_t>(detail::make_entry_index(parts_.structure, true)); }

  /// The same in another format; entries of one place are added up, but between csr and csc. Stream behaviour: where entries go is
  /// found by the host, which waits for their indices, once; values that go elsewhere are evaluated. Source: scipy.sparse.csr_array.tocsc.
  sparse_array<Element, format::csr> tocsr() const { return to<format::csr>(); }
  sparse_array<Element, format::csc> tocsc() const { return to<format::csc>(); }
  sparse_array<Element, format::coo> tocoo() const { return to<format::coo>(); }
  /// The same with its values computed, as of `s.sin() * 2` that is used more than once: values that are lazy are computed in each use.
  /// Stream behaviour: enqueued. Source: scipy.sparse.csr_array.copy.
  sparse_array copy() const { return with_data(array<Element>(data())); }
  /// All elements: lazy. Source: scipy.sparse.csr_array.toarray.
  lazy<Element> toarray() const { return lazy<Element>(detail::make_dense(parts_)); }
  lazy<Element> todense() const { return toarray(); }
  /// csr as csc, and csc as csr: nothing is moved. Source: scipy.sparse.csr_array.T.
  auto T() const { return transpose(); }
  auto transpose() const {
    constexpr format other = F == format::csr ? format::csc : F == format::csc ? format::csr : F;
    return sparse_array<Element, other>(detail::sparse_parts{detail::transpose(parts_.structure), parts_.data});
  }
  /// The same elements in C order in another shape, of which one extent may be -1. Errors: `shape_error`. Stream behaviour: evaluates,
  /// and waits. Source: scipy.sparse.csr_array.reshape.
  sparse_array reshape(detail::integer rows, detail::integer columns) const {
    const std::int64_t given[] = {rows, columns};
    const sinter::shape to = detail::reshaped(shape(), given, 2);
    const lazy<std::int64_t> place = row() * shape()[1] + col();
    return sparse_array(
        sparse_array<Element, format::coo>(data(), floor_divide(place, to[1]), place % to[1], to).template to<F>());
  }
  /// Each row's entries in the order of their columns; those of one place added up; zeros left out. Source: scipy.sparse.csr_array.
  /// sort_indices, sum_duplicates, eliminate_zeros.
  void sort_indices() & { parts_ = detail::sort_indices(parts_); }
  void sum_duplicates() & { parts_ = detail::sum_duplicates(parts_); }
  void eliminate_zeros() & { parts_ = detail::eliminate_zeros(parts_); }

  /// Other values for the same places: lazy. Errors: `shape_error`. Source: scipy.sparse.csr_array._with_data.
  template <detail::expression E>
  auto with_data(E&& values) const {
    detail::handle taken(detail::take_node(std::forward<E>(values)));
    detail::check_values(parts_.structure, taken.get());
    return sparse_array<detail::element_in<E>, F>(detail::sparse_parts{parts_.structure, std::move(taken)});
  }
  template <element U>
  sparse_array<U, F> astype() const {
    if constexpr (std::same_as<U, Element>) return *this;
    else return with_data(sinter::astype<U>(data()));
  }

  // Of the values of the elements, as 0 stays 0: lazy where no element has two entries. Source: scipy.sparse.csr_array.sin, ...
#define SINTER_SPARSE_UNARY(name)                                                   \
  auto name() const {                                                               \
    return detail::of_values(*this, [](const auto& x) { return sinter::name(x); }); \
  }
#include <sinter/sparse.def>
#undef SINTER_SPARSE_UNARY
  auto operator-() const { return with_data(-data()); }
  /// Powers of the entries. Source: scipy.sparse.csr_array.power.
  template <arithmetic N>
  auto power(N n) const {
    return detail::of_values(*this, [n](const auto& x) { return sinter::power(x, n); });
  }
  /// Times an array or an expression, element by element: lazy, and sparse. Shapes: the operand broadcasts to the array's. Errors:
  /// `shape_error`. Source: scipy.sparse.csr_array.multiply.
  template <detail::expression E>
  auto multiply(E&& dense) const {
    using D = detail::element_in<E>;
    return with_data(data() * lazy<D>(detail::make_elements_at(
                                  parts_.structure, detail::handle(detail::take_node(std::forward<E>(dense))))));
  }
  template <arithmetic S>
  auto multiply(S factor) const {
    return with_data(data() * factor);
  }
  /// Of two sparse arrays of one shape, element by element: places are those that both have; of `maximum` and `minimum`, as of a + b and
  /// a - b, those that either has. The result is csr, or csc where this one is. What comes out as zero stays an entry, which SciPy drops:
  /// `eliminate_zeros` does. Errors: `shape_error`. Stream behaviour: places are found by the host, which waits for indices; values are
  /// enqueued. Source: scipy.sparse.csr_array.multiply, maximum, minimum.
  template <element U, format G>
  auto multiply(const sparse_array<U, G>& other) const {
    return with(other, true, "a product of", [](auto a, auto b) { return a * b; });
  }
  template <element U, format G>
  auto maximum(const sparse_array<U, G>& other) const {
    return with(other, false, "the maximum of", [](auto a, auto b) { return sinter::maximum(a, b); });
  }
  template <element U, format G>
  auto minimum(const sparse_array<U, G>& other) const {
    return with(other, false, "the minimum of", [](auto a, auto b) { return sinter::minimum(a, b); });
  }

  /// The sum of all elements, or along an axis: lazy. Dtypes: of integers and bool int64 or uint64. Source: scipy.sparse.csr_array.sum.
  auto sum() const { return sinter::sum(data()); }
  auto sum(detail::integer axis) const {
    using S = detail::sum_in<Element>;
    return lazy<S>(detail::make_sparse_sum(astype<S>().parts(), axis));
  }
  /// The mean of all elements, zeros, too, or along an axis. Dtypes: double of integers and bool. Source: scipy.sparse.csr_array.mean.
  auto mean() const { return sinter::sum(summands()) / static_cast<double>(shape().elements()); }
  auto mean(detail::integer axis) const {
    const auto of = with_data(summands());
    using S = typename decltype(of)::value_type;
    const sinter::shape s = shape();
    return lazy<S>(detail::make_sparse_sum(of.parts(), axis)) / static_cast<double>(s[axis == 0 || axis == -2 ? 0 : 1]);
  }
  /// How many elements are not zero. Source: scipy.sparse.csr_array.count_nonzero.
  auto count_nonzero() const {
    return sinter::sum<std::int64_t>(detail::of_values(*this, [](const auto& x) { return x != Element(); }).data());
  }
  auto count_nonzero(detail::integer axis) const {
    return detail::of_values(*this, [](const auto& x) { return x != Element(); }).sum(axis);
  }
  /// The largest and the smallest element, zeros among them, or those along an axis. Errors: `shape_error` where there is none. Stream
  /// behaviour: along an axis enqueued, else lazy. Source: scipy.sparse.csr_array.max, min, which are sparse along an axis.
  lazy<Element> max() const;
  lazy<Element> max(detail::integer axis) const;
  lazy<Element> min() const;
  lazy<Element> min(detail::integer axis) const;
  /// The elements of a diagonal, the k-th above the main one: lazy, and none beyond the shape. Source:
  /// scipy.sparse.csr_array.diagonal.
  lazy<Element> diagonal(detail::integer k = 0) const { return lazy<Element>(detail::make_sparse_diagonal(parts_, k)); }
  auto trace(detail::integer k = 0) const { return sinter::sum(diagonal(k)); }
  /// matmul(*this, x).
  template <class X>
  auto dot(X&& x) const {
    return matmul(*this, std::forward<X>(x));
  }

  /// Rows and columns, each of a slice, of `_` or of an array of indices, as often as that names them: `a(slice(2, 5), _)`, `a(k, l)` of
  /// arrays of indices is what NumPy has as a[np.ix_(k, l)]. Errors: `index_error`. Stream behaviour: waits for indices; values are
  /// enqueued, but for neighbouring rows, which are a view. Source: scipy.sparse.csr_array.__getitem__.
  sparse_array operator()(const detail::axis_pick& rows, const detail::axis_pick& columns) const
      requires(F != format::coo) {
    return sparse_array(detail::make_picked(parts_, rows, columns));
  }
  /// One element: lazy. Errors: `index_error`. Stream behaviour: on a CPU compressed indices are evaluated.
  template <std::integral Row, std::integral Column>
  lazy<Element> operator()(Row i, Column j) const {
    return lazy<Element>(
        detail::make_sparse_element(parts_, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)));
  }
  template <std::integral Row>
  sparse_array operator()(Row, const detail::axis_pick&) const {
    static_assert(detail::never<Row>,
                  "sinter: a row of a sparse array keeps both axes: getrow(i), or s(slice(i, i + 1), _)");
    return *this;
  }
  template <std::integral Column>
  sparse_array operator()(const detail::axis_pick&, Column) const {
    static_assert(detail::never<Column>,
                  "sinter: a column of a sparse array keeps both axes: getcol(j), or s(_, slice(j, j + 1))");
    return *this;
  }
  /// A row, or a column, with both axes. Source: scipy.sparse.csr_matrix.getrow, getcol.
  sparse_array getrow(detail::integer i) const requires(F != format::coo) {
    return (*this)(detail::axis_pick::one(i), _);
  }
  sparse_array getcol(detail::integer j) const requires(F != format::coo) {
    return (*this)(_, detail::axis_pick::one(j));
  }
  /// Prints as `str(a)` does in SciPy, of more than 50 entries the first and the last ones; evaluates. Stream behaviour: waits.
  friend std::ostream& operator<<(std::ostream& out, const sparse_array& a) {
    detail::print(out, a.parts_);
    return out;
  }
  /// Replaces the elements of a diagonal, the k-th above the main one: by an array, of which the first ones count that have a place, or
  /// all by a number. Errors: `shape_error`. Stream behaviour: waits for indices; values are enqueued.
  /// Source: scipy.sparse.csr_array.setdiag.
  template <class V>
    requires(detail::expression<V> || arithmetic<V>)
  void setdiag(V&& values, detail::integer k = 0) & {
    parts_ = detail::with_diagonal(parts_, detail::part_of<Element>(std::forward<V>(values)), k);
  }

  /// Library use.
  explicit sparse_array(detail::sparse_parts parts) : parts_(std::move(parts)) {}
  const detail::sparse_parts& parts() const { return parts_; }
  /// What an operation makes of the elements of two sparse arrays, of the places that both have, or either.
  template <class B, class Op>
  auto with(const B& b, bool both, const char* what, Op f) const {
    detail::matched_parts m = detail::match_sparse(parts_, b.parts(), both, what);
    auto values = f(lazy<Element>(m.left.take()), lazy<typename B::value_type>(m.right.take()));
    return sparse_array<detail::element_in<decltype(values)>, detail::format_made_of(F)>(
        detail::computed_parts(std::move(m.structure), values));
  }

 private:
  template <class D, class First, class Second>
  sparse_array(D&& data, First&& first, Second&& second, const sinter::shape* s) {
    static_assert(std::is_same_v<detail::element_in<D>, Element>,
                  "sinter: the sparse array has another element type: astype<Element>(data)");
    detail::handle values(detail::take_node(std::forward<D>(data))), one(detail::take_node(std::forward<First>(first)));
    detail::handle other(detail::take_node(std::forward<Second>(second)));
    if constexpr (F == format::coo) {
      const detail::handle rows = std::move(one);
      one = std::move(other);
      other = rows;
    }
    parts_ = detail::make_sparse(std::move(values), std::move(one), std::move(other), F, s);
  }
  template <element U, format G>
  friend class sparse_array;
  detail::sparse_facts facts() const { return detail::sparse_facts_of(parts_.structure); }
  template <format G>
  sparse_array<Element, G> to() const {
    return sparse_array<Element, G>(detail::convert(parts_, G));
  }
  auto summands() const {
    if constexpr (std::is_integral_v<Element>) return sinter::astype<double>(data());
    else return data();
  }

  detail::sparse_parts parts_;
};

template <element T>
using csr_array = sparse_array<T, format::csr>;
template <element T>
using csc_array = sparse_array<T, format::csc>;
template <element T>
using coo_array = sparse_array<T, format::coo>;

}  // namespace sparse

/// A sparse matrix times a vector or a matrix: lazy. Shapes: (m, n) and (n,) or (n, k). Dtypes: as of the operands' product. Errors:
/// `shape_error`. Stream behaviour: a kernel between those of what surrounds it. The entries have to lie row by row: others are
/// converted, once for each array, which waits and is not captured. Source: scipy.sparse.csr_array.__matmul__.
template <sparse_matrix A, detail::expression X>
auto matmul(const A& a, X&& x) {
  using T = result_type<typename A::value_type, detail::element_in<X>>;
  return lazy<T>(detail::make_sparse_product(a.template astype<T>().parts(), detail::part_of<T>(std::forward<X>(x))));
}
/// A vector or a matrix times a sparse one. Shapes: (m,) or (k, m), and (m, n). Source: scipy.sparse.csr_array.__rmatmul__.
template <detail::expression X, sparse_matrix A>
auto matmul(X&& x, const A& a) {
  using T = result_type<typename A::value_type, detail::element_in<X>>;
  return lazy<T>(
      detail::make_product_with_sparse(detail::part_of<T>(std::forward<X>(x)), a.template astype<T>().parts()));
}

/// A sparse matrix times another one. Shapes: (m, k) and (k, n). The result is csr, or csc where the first is; its rows are in order.
/// What comes out as zero stays an entry, which SciPy drops: `eliminate_zeros` does. Dtypes: as of the operands' product. Errors:
/// `shape_error`. Stream behaviour: places are found by the host, which waits for indices; values are
/// enqueued. Source: scipy.sparse.csr_array.__matmul__.
template <sparse_matrix A, sparse_matrix B>
auto matmul(const A& a, const B& b) {
  using T = result_type<typename A::value_type, typename B::value_type>;
  return sparse::sparse_array<T, detail::format_made_of(A::layout)>(
      detail::make_product_of_sparse(a.template astype<T>().parts(), b.template astype<T>().parts()));
}

namespace sparse {
using sinter::matmul;
}

}  // namespace sinter

#include <sinter/sparse_compare.hpp>  // which needs the class
#include <sinter/sparse_operators.hpp>
