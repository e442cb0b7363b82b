// Makes the conversions that NumPy's promotion implies explicit: operands get the dtype their operation computes in.
#pragma once

#include "codegen/ir/program.hpp"

namespace sinter::codegen {

/// `v` as dtype `to`: itself, or a cast of it.
std::uint16_t cast_to(program&, std::uint16_t v, dtype to);

/// Appends operation `code` over operands of any dtypes; gives the value.
std::uint16_t apply(program&, op code, const std::uint16_t* operands, int count);

}  // namespace sinter::codegen
