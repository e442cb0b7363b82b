// Which expressions are much work, what a core computes once where it is used more than once (decision 0029), and where they live.
#pragma once

#include "codegen/ir/node.hpp"

namespace sinter::codegen {

/// Does an expression take so long that memory costs less than to compute it again?
bool takes_long(const detail::expression_node*);

/// Does a compiler compute it before a loop in which it stays the same? Not what has loops or branches of its own, nor random
/// numbers.
bool leaves_loops(const detail::expression_node*);

/// Are elements put elsewhere by their place alone, about each once, as joins, rolls and pads do? A map makes vectors of such loads.
bool moves_elements(const detail::typed_node*);

/// Along which axis do elements of an expression lie next to each other, as its first array with an element for each of its own has them?
/// -1: there is none nearby.
int next_along(const detail::typed_node*);

/// The axis along which elements of an array lie next to each other, or least far; -1 where it has one element.
int nearest_axis(const detail::array_node*);

/// That of the first array that is found below a node; null where there is none nearby.
const runtime::device_impl* device_below(const detail::typed_node*);

}  // namespace sinter::codegen
