// A kernel as a person would write it: operators between their operands, a name for what is used twice.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/ir/kernel.hpp"

namespace sinter::codegen {

/// What the formulas call inputs and scalars, by number. Empty: x0, x1 and s0, s1.
struct formula_names {
  std::function<std::string(int)> input = {};
  std::function<std::string(int)> scalar = {};
};

/// One formula for each output, those of what is used more than once before them: "t0 = exp(x0 - max(x0))", "t0 / sum(t0)".
/// Outputs are called y0, y1 where there are several.
std::vector<std::string> formulas(const kernel&, const formula_names& = {});

/// All of them in one line.
std::string formula(const kernel&, const formula_names& = {});

/// The sign that stands for an operation of two operands or one, or null.
const char* sign_of(op) noexcept;

}  // namespace sinter::codegen
