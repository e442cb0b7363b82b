// Kernels around function text of a program's own: maps and folds. Both dialects have the same text in the middle, so text that
// is C runs on the CPU, too.
#pragma once

#include <string>
#include <vector>

#include <sinter/dtype.hpp>

#include "codegen/ir/kernel.hpp"

namespace sinter::codegen {

struct function_parameter {
  std::string name;
  dtype type;
  enum kind : std::uint8_t { element, raw, value } what;
};

struct function_text {
  std::string name;  // for messages
  dtype result;
  std::vector<function_parameter> parameters;
  std::string body;
  std::string combine = {}, finish = {};  // of a reduction: expressions of `a` and `b`, and of `a`
};

/// `sinter_kernel` for `dialect` cuda or c. Its arguments, each at its natural alignment: the result's address, how many
/// elements that has; of a reduction how many are folded into each, and what folding starts from; and for each parameter an
/// address and how far apart elements are (0: one for all), an address, or a value. Beside its parameters the body has `i`, the
/// place of the element in C order; those that fold into one lie next to each other. On a GPU a block folds a result.
std::string function_kernel_text(const function_text&, dialect);

}  // namespace sinter::codegen
