// Products of many short rows with a small matrix, which OpenBLAS 0.3 takes up to ten times as long for as for reading them.
#pragma once

#include "runtime/library/blas.hpp"

namespace sinter::runtime {

/// Is a product one of those, and has the processor vectors for it?
bool is_thin(const blas_product&);

/// It. Stream behaviour: in order on the CPU's stream, and part of a graph that is being made.
void multiply_thin(const blas_product&, stream_state& on);

}  // namespace sinter::runtime
