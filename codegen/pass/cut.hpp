// The cut of a program into kernels: one where it can be one, and the reason where it cannot. A reduction and everything
// before it are one kernel; what follows joins it where it has the shape of its result, or runs along the rows that it folds;
// else it runs in the next kernel.
#pragma once

#include <string>
#include <vector>

#include "codegen/ir/kernel.hpp"
#include "codegen/ir/program.hpp"

namespace sinter::codegen {

/// What a kernel leaves in memory for a later one: a value of the shape of a boundary's result.
struct temporary {
  unsigned boundary;
  dtype type;
};

/// One kernel of the schedule and how its operands are bound when it runs.
struct step {
  struct read {
    unsigned operand;  // of the resolution: gives the layout
    int temporary;     // the memory, where an earlier step made it; -1: the operand's own
    bool of_result;    // lies in the space of the result, not in the domain (an epilogue's operand)
  };
  struct write {
    int root;       // the root it is, or -1
    int temporary;  // the temporary it is, or -1
  };
  codegen::kernel kernel;
  unsigned domain;  // space the kernel runs over
  std::vector<read> inputs;
  std::vector<unsigned> scalars;
  std::vector<write> outputs;
  std::string reason;  // why it is a kernel of its own, for explain()
};

struct schedule {
  std::vector<step> steps;  // in order of execution
  std::vector<temporary> temporaries;
};

/// `fuse_rows`: what folds rows, and what uses the results along the same rows, is one kernel. Else every fold is one, which
/// can share a long row out among many threads.
schedule cut(const program&, bool fuse_rows);

}  // namespace sinter::codegen
