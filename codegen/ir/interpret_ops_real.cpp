// The interpreter's loops for float and double. Invariant: what is not here is what no rule of ops.def computes in
// them.
#include "codegen/ir/interpret_table.hpp"

namespace sinter::codegen {

const apply_row& real_loops(dtype t) { return t == dtype::float32 ? row_of<float> : row_of<double>; }

}  // namespace sinter::codegen
