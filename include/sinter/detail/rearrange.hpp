// What the functions of gather.hpp, rearrange.hpp and join.hpp call: nodes in, an owned node out.
#pragma once

#include <sinter/detail/seam.hpp>

namespace sinter {

/// What pad puts around an array. `wrap`: what lies at the other end; `reflect` and `symmetric`: what lies inside the edge,
/// seen in a mirror that stands on the last element or behind it.
enum class pad_mode : unsigned char { edge, wrap, reflect, symmetric };

/// Elements to put before and after an axis.
struct pad_width {
  std::int64_t before, after;
};

namespace detail {

/// All but flips and diagonals of arrays are lazy.
SINTER_API node* make_flip(node*, const axis_list&);
SINTER_API node* make_rot90(node*, int quarters);
SINTER_API node* make_roll(node*, std::int64_t shift, std::int64_t axis);
SINTER_API node* make_repeat(node*, std::int64_t count, std::int64_t axis);
/// A count for each element along the axis, or one for all.
SINTER_API node* make_repeat(node*, const std::int64_t* counts, std::size_t count, std::int64_t axis);
SINTER_API node* make_tile(node*, const std::int64_t* counts, int count);
SINTER_API node* make_padded(node*, const pad_width* widths, int count, scalar_bits around);
SINTER_API node* make_padded(node*, const pad_width* widths, int count, pad_mode);
SINTER_API node* make_triangle(node*, std::int64_t diagonal, bool lower);
SINTER_API node* make_diagonal(node*, std::int64_t offset, std::int64_t axis, std::int64_t other);
/// Of nodes of one dtype.
SINTER_API node* make_joined(node* const* parts, std::size_t count, std::int64_t axis);
SINTER_API node* make_stacked(node* const* parts, std::size_t count, std::int64_t axis);
/// A part as hstack, vstack and column_stack take it: with at least so many axes; of one axis it is a row, or a column.
SINTER_API node* make_at_least(node*, int axes, bool as_column);

}  // namespace detail
}  // namespace sinter
