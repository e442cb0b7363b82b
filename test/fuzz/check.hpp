// Runs a program in the ways that have to agree, on the current device.
#pragma once

#include <string>
#include <vector>

#include "test/fuzz/compare.hpp"
#include "test/fuzz/program.hpp"

namespace sinter::fuzz {

/// What came of it. `ways` names the two ways that disagree; empty where all agree.
struct verdict {
  std::string ways{};
  std::string what{};
  bool fine() const { return ways.empty(); }
};

/// How strict to be: as SINTER_MATH is.
enum class math {
  strict,   // the program step by step on the same device has to give the same bits
  standard  // the interpreter step by step has to, wherever no rounding could make a difference
};

/// Evaluates the program step by step and lazily, and compares the results, as closely as calls of libraries leave them. In strict mode each step is compared, too, with
/// the interpreter's for the same operands; each store always with one by hand. `values`, if any, gets the value of each
/// step, of a store the whole array afterwards.
verdict check(const program&, math, std::vector<snapshot>* values = nullptr);

/// A step's operands among the values of the steps before it, as step_differs wants them.
std::vector<snapshot> operands_of(const program&, int step, const std::vector<snapshot>& values);

}  // namespace sinter::fuzz
