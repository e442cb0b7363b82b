// Products of many short rows with a small matrix, which OpenBLAS 0.3 takes up to ten times as long for as for reading them, and of
// many small matrices.
#pragma once

#include "runtime/library/blas.hpp"

namespace sinter::runtime {

/// Rows, columns and products to an element that matrices of a batch have at least; smaller ones are quicker as folds.
inline constexpr std::int64_t least_of_small_matrix = 4;
/// Rows of all products together.
inline constexpr std::int64_t least_rows = 64;

/// Is a product one of those, and has the processor vectors for it?
bool is_thin(const blas_product&);

/// It. Stream behaviour: in order on the CPU's stream, and part of a graph that is being made.
void multiply_thin(const blas_product&, stream_state& on);

}  // namespace sinter::runtime
