// The interpreter's loops for bool, and the way from a dtype to its row of loops. Invariant: a dtype without elements
// has none.
#include "codegen/ir/interpret_table.hpp"

namespace sinter::codegen {

const apply_row& bool_loops() { return row_of<bool>; }

apply_loop find_apply(op code, dtype computed) {
  const auto at = static_cast<std::size_t>(code);
  if (detail::is_complex(computed)) return complex_loops(computed)[at];
  // Numbers of 16 bits are only chosen among: their bits are.
  if (detail::is_short_floating(computed)) return code == op::where ? unsigned_loops(dtype::uint16)[at] : nullptr;
  if (computed == dtype::bool_) return bool_loops()[at];
  if (detail::is_floating(computed)) return real_loops(computed)[at];
  return (detail::facts(computed).is_signed ? signed_loops(computed) : unsigned_loops(computed))[at];
}

}  // namespace sinter::codegen
