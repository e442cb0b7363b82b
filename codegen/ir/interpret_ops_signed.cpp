// The interpreter's loops for signed integers. Invariant: what is not here is what no rule of ops.def computes in them.
#include "codegen/ir/interpret_table.hpp"

namespace sinter::codegen {

const apply_row& signed_loops(dtype t) {
  switch (itemsize(t)) {
    case 1: return row_of<std::int8_t>;
    case 2: return row_of<std::int16_t>;
    case 4: return row_of<std::int32_t>;
    default: return row_of<std::int64_t>;
  }
}

}  // namespace sinter::codegen
