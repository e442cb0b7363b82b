// Products of sparse matrices with dense vectors and matrices (decision 0034): kernels of our own, in both dialects.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include <sinter/dtype.hpp>

#include "codegen/ir/kernel.hpp"

namespace sinter::codegen {

/// Who has which entries, on a GPU.
enum class sparse_share : std::uint8_t {
  by_rows,     // a row has so many threads
  short_rows,  // of a vector's product: a block's threads take the entries of its rows as they lie, and then a row each
  by_entries   // blocks have equally many entries and rows, whatever the rows' lengths are
};

/// Which of several kernels a product wants. A row of the matrix is folded by `group` threads of a GPU, of which `lanes` that stand
/// beside each other have columns of the result that do so, `registers` of them each; the others share the row's entries.
struct sparse_form {
  dtype type = dtype::float32;  // of everything that is multiplied
  dtype index = dtype::int32;   // int32 or int64
  bool has_values = true;       // else each entry counts as 1: the rows that it names are added up
  sparse_share share = sparse_share::by_rows;
  bool is_matrix = false;  // C: the dense operand has several columns
  int group = 1, lanes = 1, registers = 1;

  friend auto operator<=>(const sparse_form&, const sparse_form&) = default;
};

/// The kernel's arguments, as the block has them.
struct sparse_arguments {
  void* out;           // rows x columns, in C order
  const void* values;  // of the entries, or null
  const void* minor;   // the column of each entry
  const void* major;   // where each row's entries begin, and where the last one's end
  const void* x;       // dense, in C order, with the columns of the result
  void*
      carries;  // by entries: what each tile leaves over of the row that it ends in: `columns` elements for each tile,
  std::int64_t* carried;  //   and which row that is
  std::int64_t rows, columns, entries, tiles;
  std::int32_t step;  // by entries: 0 folds the tiles, 1 adds what they left over
};

/// Rows and entries that a tile has.
int sparse_tile(const sparse_form&);
/// C: how many rows and entries an item of work has.
inline constexpr int sparse_item = 64;

std::string sparse_text(const sparse_form&, dialect);

}  // namespace sinter::codegen
