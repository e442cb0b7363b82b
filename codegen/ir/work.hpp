// Which expressions are much work: what a core computes once where it is used more than once (decision 0029).
#pragma once

#include "codegen/ir/node.hpp"

namespace sinter::codegen {

/// Does an expression take so long that memory costs less than to compute it again?
bool takes_long(const detail::expression_node*);

/// Does a compiler compute it before a loop in which it stays the same? Not what has loops or branches of its own, nor random
/// numbers.
bool leaves_loops(const detail::expression_node*);

}  // namespace sinter::codegen
