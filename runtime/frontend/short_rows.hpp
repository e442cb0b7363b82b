// Moves along an axis of which each element is a short row, as the pixels of an image are. To a CPU the axis and the row are better one
// axis, along which whole stretches are moved.
#pragma once

#include "runtime/frontend/nodes.hpp"

namespace sinter::runtime {

/// The elements of the row behind an axis, where it is short and lies in an array of a CPU without gaps, as the rows along the axis do;
/// else 1.
std::int64_t row_behind(detail::node*, int axis);
/// The array with the axis and what is behind it as one axis: a view. Of arrays that have such rows.
detail::handle with_rows_as_elements(detail::node*, int axis);
/// What was made of one, in a shape with rows.
detail::node* with_rows(const detail::handle& made, const shape&);

}  // namespace sinter::runtime
