// What gcc is told about a kernel's whole text, and what both dialects keep a compiler from.
#pragma once

#include <string>
#include <vector>

#include "codegen/ir/target.hpp"
#include "codegen/source/helpers.hpp"

namespace sinter::codegen {

/// By value: the products that have another one beside them, in a sum or a difference of both. Each is rounded, in the standard
/// mode, so that equal ones cancel, as where each operation is evaluated by itself; in the strict mode all are, and in the fast one
/// none.
std::vector<bool> products_side_by_side(const kernel&, math_mode);

/// C: the lines before a kernel's text that say how gcc is to compile it.
std::string compiler_pragmas(const kernel&, const variant&, math_mode, const helper_list& used);

}  // namespace sinter::codegen
