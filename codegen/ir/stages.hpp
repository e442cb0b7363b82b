// A kernel as its stages: the passes that it makes over its points, in order. A map is one stage, which writes; a reduction is
// one, which folds; a row kernel folds in one or several, where the later use what the earlier gave, and then writes every
// point of the row. A scan is two: one folds at every point what came up to it, the other writes. So is a transform, or more where
// one is made of another.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "codegen/ir/kernel.hpp"

namespace sinter::codegen {

/// What a kernel's stages come to.
enum class form : std::uint8_t { map, fold, rows, scan, transform };
form form_of(const kernel&);
/// "map", "reduction", "rows", "scan", "transform".
const char* name(form);

/// One pass over the points.
struct stage {
  std::vector<std::uint16_t> once;   // of a row kernel: values that are the same all along the row, computed before
  std::vector<int> accumulators;     // that it folds
  std::vector<int> outputs;          // that it writes
  std::vector<std::uint16_t> given;  // values that are there already: of earlier stages, or computed once
  std::vector<std::uint16_t> keeps;  // values that it computes and keeps for later ones
};

/// May a value be kept from one stage to a later one? Else it is computed again.
using keeper = std::function<bool(std::uint16_t value)>;

/// The stages of a kernel. Errors: none.
std::vector<stage> stages_of(const kernel&, const keeper& may_keep);

/// The stages of a map of which each computes one of the values that take long, and the last one writes. What a later stage
/// needs is kept, unless it is an input.
std::vector<stage> stages_by_function(const kernel&);
/// The two stages of a map of which the first computes some of its values.
std::vector<stage> stages_after(const kernel&, const std::vector<bool>& first);

/// What a stage gives: a value for each member of its accumulators, each of its outputs and keeps, in this order.
std::vector<std::uint16_t> results_of(const kernel&, const stage&);

}  // namespace sinter::codegen
