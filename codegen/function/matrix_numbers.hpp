// The numbers of kernels that work on matrices, and what they note of those that have no result.
#pragma once

#include <string>

#include <sinter/dtype.hpp>

namespace sinter::codegen {

/// In CUDA C++, for float32, float64 and complex matrices: `T`, of parts `R`, arithmetic on it, and `index_trouble`.
std::string matrix_numbers_text(dtype);

}  // namespace sinter::codegen
