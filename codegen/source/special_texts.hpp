// The rows of special.def and special_series.def as rows of prelude.def, from which the emitter cannot tell them.
#pragma once

#include <span>

#include "codegen/source/helpers.hpp"

namespace sinter::codegen {

/// Helpers for float and double alone.
std::span<const helper_text> special_helpers();

/// Is it of special.def? Its texts are long.
bool is_special(std::string_view helper);
/// Is it one, or a series that they call?
bool has_special_text(std::string_view helper);

}  // namespace sinter::codegen
