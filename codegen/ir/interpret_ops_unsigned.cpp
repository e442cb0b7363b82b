// The interpreter's loops for unsigned integers. Invariant: what is not here is what no rule of ops.def computes in
// them.
#include "codegen/ir/interpret_table.hpp"

namespace sinter::codegen {

const apply_row& unsigned_loops(dtype t) {
  switch (itemsize(t)) {
    case 1: return row_of<std::uint8_t>;
    case 2: return row_of<std::uint16_t>;
    case 4: return row_of<std::uint32_t>;
    default: return row_of<std::uint64_t>;
  }
}

}  // namespace sinter::codegen
