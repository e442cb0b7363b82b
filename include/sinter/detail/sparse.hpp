// What a sparse array is made of, and the calls into the library that sparse.hpp is written in.
#pragma once

#include <sinter/array.hpp>

namespace sinter::sparse {

/// How entries lie: row by row, column by column, or each with both of its indices.
enum class format : std::uint8_t { csr, csc, coo };

}  // namespace sinter::sparse

namespace sinter::detail {

/// Where the entries of a sparse array are: counted, and never changed.
struct sparse_structure {
  int references = 1;
};
SINTER_API void retain(sparse_structure*) noexcept;
SINTER_API void release(sparse_structure*) noexcept;

/// An owned reference to one.
class structure_handle {
 public:
  structure_handle() = default;
  explicit structure_handle(sparse_structure* owned) noexcept : held_(owned) {}
  structure_handle(const structure_handle& other) noexcept : held_(other.held_) {
    if (held_) retain(held_);
  }
  structure_handle(structure_handle&& other) noexcept : held_(other.held_) { other.held_ = nullptr; }
  structure_handle& operator=(structure_handle other) noexcept {
    sparse_structure* const mine = held_;
    held_ = other.held_;
    other.held_ = mine;
    return *this;
  }
  ~structure_handle() {
    if (held_) release(held_);
  }
  sparse_structure* get() const noexcept { return held_; }

 private:
  sparse_structure* held_ = nullptr;
};

/// The entries' places and their values: an array or an expression of one axis.
struct sparse_parts {
  structure_handle structure;
  handle data;
};

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

}  // namespace sinter::detail
