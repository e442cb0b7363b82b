// Kernels around function text of a program's own: an element of the result for each call. Both dialects have the same text in
// the middle, so text that is C runs on the CPU, too.
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
};

/// `sinter_kernel` over a function's elements, for `dialect` cuda or c. Its arguments, each at its natural alignment: the
/// result's address, the number of elements, and for each parameter an address and how far apart elements are (0: one for all),
/// an address, or a value. Beside its parameters the body has `i`, the place of the element in C order.
std::string elementwise_text(const function_text&, dialect);

}  // namespace sinter::codegen
