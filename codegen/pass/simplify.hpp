// Makes a kernel smaller without changing a bit of its results: equal values and accumulators become one, casts to the dtype a value has and
// double negations vanish, and what no output needs is dropped.
#pragma once

#include "codegen/ir/kernel.hpp"

namespace sinter::codegen {

void simplify(kernel&);

}  // namespace sinter::codegen
