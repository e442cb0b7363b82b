// From a kernel and its variant to text. One emitter writes the arithmetic; a file for each form of kernel and dialect writes
// what differs: how points are shared out, memory is accessed and partial results are folded.
#pragma once

#include <string>

#include "codegen/ir/target.hpp"

namespace sinter::codegen {

/// Part of every key: bumped when the same kernel gets another text for a reason the text does not show.
inline constexpr int generator_version = 1;

/// The complete source of a kernel, in `dialect` cuda or c.
std::string emit(const kernel&, const variant&, const target&);

}  // namespace sinter::codegen
