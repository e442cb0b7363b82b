// A step meets its operands: their layouts in the step's domain are collapsed together and classified. What comes out is the
// kernel's variant and the numbers it takes as arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/ir/resolve.hpp"
#include "codegen/pass/cut.hpp"

namespace sinter::runtime {

/// One operand of a launch. Strides in elements, by collapsed axis.
struct bound_operand {
  std::byte* data = nullptr;
  std::int64_t origin = 0;  // iota
  detail::storage* memory = nullptr;
  std::int64_t strides[max_rank] = {};
};

struct binding {
  codegen::variant variant;
  std::int64_t extents[max_rank] = {};
  std::vector<bound_operand> operands;  // inputs, then outputs
  std::int64_t kept = 1;                // outputs of a reduction, or elements of a map
  std::int64_t reduced = 1;             // elements folded into one
  bool nothing = false;                 // no output has an element
};

/// What decides a binding besides the operands.
struct binding_rules {
  bool vectors;   // 16-byte accesses and narrow indices are told apart (a GPU wants that, a CPU does not)
  bool in_order;  // reductions fold in the order of the domain, so that a fused one equals an unfused one (strict mode)
};

/// Binds a step. `temporaries` by number; `outputs` one for each output of the step.
void bind(const codegen::step&, const codegen::resolution&, detail::array_node* const* temporaries,
          detail::array_node* const* outputs, binding_rules, binding& into);

}  // namespace sinter::runtime
