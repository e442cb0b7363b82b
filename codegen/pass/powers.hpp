// Powers with a scalar exponent, made of what costs less than the general function.
#pragma once

#include "codegen/ir/exponent.hpp"
#include "codegen/ir/program.hpp"

namespace sinter::codegen {

/// The value of op::power over operands[0] and operands[1], the scalar of that class. Within 4 units in the last place, and
/// with every special value as op::power has it.
std::uint16_t raise(program&, const std::uint16_t* operands, exponent_class);

}  // namespace sinter::codegen
