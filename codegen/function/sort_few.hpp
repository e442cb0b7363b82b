// Rows of few elements: a thread sorts a row by a network, in registers.
#pragma once

#include <string>

#include "codegen/function/sort.hpp"

namespace sinter::codegen {

/// In CUDA C++, behind what makes keys of elements (sort_text).
std::string sort_few_text(const sort_form&);

}  // namespace sinter::codegen
