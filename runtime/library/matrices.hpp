// Matrices on a GPU on their way to a library that counts in columns, and back. Stream behaviour of all: enqueued.
#pragma once

#include <cstddef>

#include "codegen/function/matrices.hpp"
#include "runtime/library/solvers.hpp"

namespace sinter::runtime {

/// Of each matrix of a batch, one behind the other: how far its rows and columns are apart, and the next one. Units: elements.
struct matrix_layout {
  std::int64_t down, across, step;
};
constexpr matrix_layout in_columns(std::int64_t rows, std::int64_t columns) { return {1, rows, rows * columns}; }
constexpr matrix_layout in_rows(std::int64_t rows, std::int64_t columns) { return {columns, 1, rows * columns}; }

/// An operand as the kernel's source, and how many matrices the batch has.
codegen::matrices_arguments reading(const solver_array& operand, const shape& batch);
/// The same of what lies without gaps.
codegen::matrices_arguments reading(const std::byte* data, const matrix_layout&, const shape& batch);

/// Copies `rows` x `columns` of each matrix.
void copy_matrices(dtype, codegen::matrices_arguments from, std::int64_t rows, std::int64_t columns, std::byte* to,
                   const matrix_layout&, stream_state& on);
/// Any other step.
void run_matrices(dtype, const codegen::matrices_arguments&, stream_state& on);

}  // namespace sinter::runtime
