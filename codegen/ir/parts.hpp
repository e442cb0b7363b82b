// What one program cannot do is evaluated in parts: some of its nodes are computed first and stand as arrays for what is under
// them. Calls of libraries come before what reads their results, and nothing is refused for its size.
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
  /// What an operand of a call has to be before it: itself where it is an array that the library takes as it is, else null.
  virtual const detail::array_node* operand(const detail::call_node&, int number) = 0;
  /// What is to be computed for an operand that is not: it, or what it is a transpose of, where the library reads that as it lies.
  virtual const detail::typed_node* computed_for(const detail::call_node&, int number) = 0;
  /// Has its call been made before? Then the result stands in `known` from now on.
  virtual bool recall(const detail::call_node&) = 0;
  /// Makes the call, and has the result stand in `known`, or what `reader` makes of it. Its operands stand. `reader`: the expression
  /// that it was met under, or null.
  virtual void call(const detail::call_node&, const detail::typed_node* reader) = 0;
  /// Nothing will read a node's array any more.
  virtual void drop(const detail::typed_node*) = 0;
  stand_ins known;

 protected:
  ~part_evaluator() = default;
};

/// Computes `roots` after the calls that are under them, each after those under it. What has no room is computed in parts of about
/// half the room there is, or of less where that is still too much: views of an expression multiply what is under them. A part
/// ends where the fewest bytes go from it to later ones. Errors: `error` for one statement with more operands than a kernel can
/// have.
void compute_in_parts(const nodes& roots, part_evaluator&);

}  // namespace sinter::codegen
