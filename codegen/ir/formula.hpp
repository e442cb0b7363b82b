// Kernels and expressions as a person would write them: operators between their operands, a name for what is used twice.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/ir/kernel.hpp"

namespace sinter::codegen {

/// A piece of a formula, and how strongly it holds together.
struct term {
  std::string text;
  int strength = all;
  static constexpr int all = 100;
};

/// An operation of terms: "a + b", "sqrt(a)".
term applied(op, const std::vector<const term*>& operands);
/// A function of terms, between brackets.
term called(const std::string& name, const std::vector<const term*>& operands);
/// A scalar as a person would write it; whole numbers without an exponent.
std::string number_text(const detail::scalar_bits&, dtype);

/// What the formulas of a kernel call its inputs, scalars and outputs, by number. Empty: x0, x1, s0, s1 and y, or y0, y1.
struct formula_names {
  std::function<std::string(int)> input = {};
  std::function<std::string(int)> scalar = {};
  std::function<std::string(int)> output = {};
};

/// One formula for each output, those of what is used more than once before them: "t0 = exp(x0 - max(x0))", "y = t0 / sum(t0)".
std::vector<std::string> formulas(const kernel&, const formula_names& = {});

/// All of them in one line, without the name of a single output.
std::string formula(const kernel&);

}  // namespace sinter::codegen
