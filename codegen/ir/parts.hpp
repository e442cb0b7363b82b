// A program that has outgrown its room is evaluated in parts: some of its nodes are computed first and stand as arrays for
// what is under them. Nothing is refused for its size.
#pragma once

#include <vector>

#include "codegen/ir/resolve.hpp"

namespace sinter::codegen {

using nodes = std::vector<const detail::typed_node*>;

/// What computes the parts of one evaluation.
class part_evaluator {
 public:
  /// Computes nodes together: the evaluation's own roots, or others, whose arrays stand in `known` from then on. False where
  /// they have no room together.
  virtual bool compute(const nodes&, program_room, bool are_roots) = 0;
  /// Nothing will read a node's array any more.
  virtual void drop(const detail::typed_node*) = 0;
  stand_ins known;

 protected:
  ~part_evaluator() = default;
};

/// Computes `roots` in parts of about half the room there is, or of less where that is still too much: views of an expression
/// multiply what is under them. A part ends where the fewest bytes go from it to later ones. Errors: `error` for one
/// statement with more operands than a kernel can have.
void compute_in_parts(const nodes& roots, part_evaluator&);

}  // namespace sinter::codegen
