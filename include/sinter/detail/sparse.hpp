// What a sparse array is made of, and the calls into the library that sparse.hpp is written in.
#pragma once

#include <sinter/array.hpp>

namespace sinter::sparse {

/// How entries lie: row by row, column by column, or each with both of its indices.
enum class format : std::uint8_t { csr, csc, coo };

template <element T, format F>
class sparse_array;

}  // namespace sinter::sparse

namespace sinter::detail {

template <class X>
struct is_sparse_array : std::false_type {};
template <class T, sparse::format F>
struct is_sparse_array<sparse::sparse_array<T, F>> : std::true_type {};

template <class T>
concept sparse_element = element<T> && !short_number<T>;

/// Of what is made of an array of this format.
constexpr sparse::format format_made_of(sparse::format f) {
  return f == sparse::format::csc ? sparse::format::csc : sparse::format::csr;
}

/// What sums of T are: of integers and bool the widest of their kind.
template <class T>
using sum_in =
    std::conditional_t<!std::is_integral_v<T>, T,
                       std::conditional_t<std::is_signed_v<T> || std::same_as<T, bool>, std::int64_t, std::uint64_t>>;

/// Where the entries of a sparse array are: counted, and never changed.
struct sparse_structure {
  int references = 1;
};
SINTER_API void retain(sparse_structure*) noexcept;
SINTER_API void release(sparse_structure*) noexcept;

/// An owned reference to what counts them.
template <class Counted>
class counted_handle {
 public:
  counted_handle() = default;
  explicit counted_handle(Counted* owned) noexcept : held_(owned) {}
  counted_handle(const counted_handle& other) noexcept : held_(other.held_) {
    if (held_) retain(held_);
  }
  counted_handle(counted_handle&& other) noexcept : held_(other.held_) { other.held_ = nullptr; }
  counted_handle& operator=(counted_handle other) noexcept {
    Counted* const mine = held_;
    held_ = other.held_;
    other.held_ = mine;
    return *this;
  }
  ~counted_handle() {
    if (held_) release(held_);
  }
  Counted* get() const noexcept { return held_; }

 private:
  Counted* held_ = nullptr;
};
using structure_handle = counted_handle<sparse_structure>;

/// The entries' places and their values: an array or an expression of one axis.
struct sparse_parts {
  structure_handle structure;
  handle data;
};

/// Values at places that were found for them: computed, as they are used again. Errors: those of their evaluation.
template <class E>
sparse_parts computed_parts(structure_handle structure, const E& values) {
  return {std::move(structure), handle(as_array(values.share(), where{}))};
}

struct sparse_facts {
  sparse::format format;
  std::int64_t rows, columns, entries;
  dtype index;                   // int32 or int64
  bool is_sorted, is_canonical;  // by rows, or columns, in rising order; and no place has two entries
};
SINTER_API sparse_facts sparse_facts_of(const structure_handle&);

/// Of the entries of a matrix that are not zero; evaluates.
SINTER_API sparse_parts make_sparse(handle dense, sparse::format);
/// Of values and indices, which are looked at: `minor` is each entry's column (csc: row), `major` where rows (columns) begin, or, of
/// coo, each entry's row. `s`: null: as large as the indices say.
SINTER_API sparse_parts make_sparse(handle data, handle minor, handle major, sparse::format, const shape* s);
SINTER_API sparse_parts make_empty_sparse(dtype, sparse::format, const shape&);
SINTER_API sparse_parts convert(const sparse_parts&, sparse::format);
SINTER_API structure_handle transpose(const structure_handle&);
SINTER_API sparse_parts sort_indices(const sparse_parts&);
SINTER_API sparse_parts sum_duplicates(const sparse_parts&);
/// What f makes of the values, each of one element.
template <class Sparse, class F>
auto of_values(Sparse a, F f) {
  a.sum_duplicates();
  return a.with_data(f(a.data()));
}
SINTER_API sparse_parts eliminate_zeros(const sparse_parts&);

/// The row, or the column, of each entry, as int64: lazy.
SINTER_API node* make_entry_index(const structure_handle&, bool of_columns);
/// What the arrays of indices are: `minor` or `major` as above.
SINTER_API node* make_structure_array(const structure_handle&, bool of_major);
SINTER_API node* make_dense(const sparse_parts&);
/// A x, or x A. Of one dtype.
SINTER_API node* make_sparse_product(const sparse_parts&, handle x);
SINTER_API node* make_product_with_sparse(handle x, const sparse_parts&);
/// Sums along an axis.
SINTER_API node* make_sparse_sum(const sparse_parts&, std::int64_t axis);
SINTER_API node* make_sparse_diagonal(const sparse_parts&, std::int64_t k);
/// A dense operand's elements at the entries: it broadcasts to the array's shape.
SINTER_API node* make_elements_at(const structure_handle&, handle dense);
SINTER_API void check_values(const structure_handle&, node* data);
/// As `str` of SciPy's arrays; evaluates, and waits.
SINTER_API void print(std::ostream&, const sparse_parts&);

/// Places of two arrays, and the values of each there, zeros where it has no entry: lazy.
struct matched_parts {
  structure_handle structure;
  handle left, right;
};
/// The places that one of two arrays has, or that both have. `what`: is done with them, of a message. As csr, or csc where the first
/// is, as all below.
SINTER_API matched_parts match_sparse(const sparse_parts&, const sparse_parts&, bool both, const char* what);
/// A B, of one dtype.
SINTER_API sparse_parts make_product_of_sparse(const sparse_parts&, const sparse_parts&);
/// Each entry of one with each of the other.
SINTER_API matched_parts pair_sparse(const sparse_parts&, const sparse_parts&);

/// What is picked of an axis: a slice, or what an array of indices names.
class axis_pick {
 public:
  axis_pick(all_tag) : item_(to_index(sinter::_)) {}
  axis_pick(const slice& s) : item_(to_index(s)) {}
  template <index_array K>
  axis_pick(K&& indices) : item_(to_index(sinter::_)), indices_(take_node(std::forward<K>(indices))) {}
  static axis_pick one(std::int64_t i) {
    axis_pick p(sinter::_);
    p.item_ = to_index(i);
    return p;
  }
  const index_item& item() const { return item_; }
  const handle& indices() const { return indices_; }

 private:
  index_item item_;
  handle indices_;
};
SINTER_API node* make_sparse_element(const sparse_parts&, std::int64_t i, std::int64_t j);
SINTER_API sparse_parts make_picked(const sparse_parts&, const axis_pick& rows, const axis_pick& columns);
SINTER_API sparse_parts make_sparse_triangle(const sparse_parts&, std::int64_t k, bool lower);
/// The first elements of a diagonal replaced by values of one axis, or all by a number.
SINTER_API sparse_parts with_diagonal(const sparse_parts&, handle values, std::int64_t k);
/// Side by side, one above the other, or from corner to corner. Of one dtype.
enum class joint : std::uint8_t { columns, rows, corners };
SINTER_API sparse_parts join_sparse(const sparse_parts*, std::size_t count, joint);
struct diagonal_parts {
  handle values;
  std::int64_t offset;
};
/// `s`: null: square, and as large as the first diagonal says.
SINTER_API sparse_parts make_of_diagonals(const diagonal_parts*, std::size_t count, dtype, const shape* s);

}  // namespace sinter::detail
