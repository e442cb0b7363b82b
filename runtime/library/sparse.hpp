// Products of sparse matrices in memory with dense ones, by kernels of our own (codegen/function/sparse).
#pragma once

#include "codegen/function/sparse.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::runtime {

/// `out` = A x: A has its entries row by row, x and out lie in C order. None of rows and columns is 0.
struct sparse_product {
  dtype type, index;
  std::int64_t rows, columns;     // of the result
  std::int64_t entries, longest;  // of all rows, and of the one that has most
  bool is_matrix;                 // else x is a vector
  const void* values;             // of the entries; null: each is 1
  const void* minor;              // their columns
  const void* major;              // where each row's entries begin
  const void* x;
  void* out;
};

/// A form's kernel on a device, made once. Errors: `compile_error`; `device_error`.
loaded_kernel kernel_of(const codegen::sparse_form&, device_impl&);

// Errors: `out_of_memory`, and those of kernel_of. Stream behaviour: enqueued, and part of a graph that is being made.

/// In C, or, where nothing compiles that, in C++. Of every dtype but those of 16 bits.
void multiply_on_cpu(const sparse_product&, stream_state& on);
void multiply_on_gpu(const sparse_product&, stream_state& on);

/// `out` = A x, of entries that are not row by row: each adds its product to the row it is in, in the order in which they lie.
struct scattered_product {
  dtype type, index;
  std::int64_t rows, columns;  // of the result
  std::int64_t entries, majors;
  bool is_compressed;
  const void* row;         // of each entry
  const void* column;      // of each entry or, compressed, where those of each of `majors` columns begin
  const void *values, *x;  // null: each is 1
  void* out;
};
/// Stream behaviour: as of multiply_on_cpu.
void add_products_on_cpu(const scattered_product&, stream_state& on);

/// Entries that are not row by row, as nodes of one axis each.
struct sparse_scattered {
  detail::handle values;  // null: each is 1
  detail::handle row, column;
  std::int64_t rows, entries, majors;
  bool is_compressed;
};
/// A node for its product with a vector or a matrix of as many rows as it has columns, or, without that, the sums of its rows. Of one
/// dtype, and on a CPU.
detail::handle make_scattered_call(const sparse_scattered&, const term* x);

/// A sparse matrix whose entries lie row by row, as nodes of one axis each.
struct sparse_rows {
  detail::handle values;        // null: each is 1
  detail::handle minor, major;  // of int32 or of int64
  std::int64_t rows, entries, longest;
};
/// A node for its product with a vector or a matrix of as many rows as it has columns. Of one dtype.
detail::handle make_product_call(const sparse_rows&, const term& x);

}  // namespace sinter::runtime
