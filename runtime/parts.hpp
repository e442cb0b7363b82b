// An evaluation that is more than one program: too large for one, or with calls of libraries between its kernels.
#pragma once

#include "codegen/ir/resolve.hpp"
#include "runtime/eval.hpp"
#include "runtime/launch/workspace.hpp"

namespace sinter::runtime {

/// Evaluates requests as one program (eval.cpp). `known`: arrays that stand for nodes, or null. False where it has no room, or has
/// calls that nothing stands for.
bool evaluate_at_once(request*, int count, workspace&, const codegen::stand_ins* known, codegen::program_room);
/// Evaluates requests that are not one program, as several. Errors: as `evaluate`; the libraries'.
void evaluate_in_parts(request*, int count, workspace&);

}  // namespace sinter::runtime
