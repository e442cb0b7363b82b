// Factorisations, solutions and eigenvalues as calls.
#pragma once

#include "runtime/frontend/terms.hpp"
#include "runtime/library/call.hpp"
#include "runtime/library/solvers.hpp"

namespace sinter::runtime {

/// Nodes for the results of a problem's call, in the order that `solver` says. The operands' types and last axes are the problem's; the
/// axes before them broadcast. Errors: `shape_error`.
result_handles make_solver_calls(const solver_problem&, std::initializer_list<term> operands);

/// The singular values of the matrices in the last two axes of floating numbers. They are a vector for each, from the largest on.
term singular_values(const term&);

}  // namespace sinter::runtime
