// What the functions of views.hpp, gather.hpp, rearrange.hpp and join.hpp call: nodes in, an owned node out.
#pragma once

#include <vector>

#include <sinter/detail/seam.hpp>

namespace sinter {

namespace detail {

/// Axes of extent one dropped, and added; axes moved.
SINTER_API node* make_squeezed(node*, const axis_list&);
SINTER_API node* make_expanded(node*, const axis_list&);
SINTER_API node* make_moved(node*, const axis_list& from, const axis_list& to);
SINTER_API node* make_swapped(node*, std::int64_t axis, std::int64_t other);
SINTER_API node* make_rolled_axis(node*, std::int64_t axis, std::int64_t before);
/// Two axes at least: what hsplit, vsplit and dsplit split along.
SINTER_API std::int64_t split_axis(const shape&, int axes, const char* what);
/// The parts between positions along an axis.
SINTER_API std::vector<handle> make_parts(node*, const std::int64_t* at, std::size_t count, std::int64_t axis);
/// So many parts of an axis; of different lengths where that is allowed.
SINTER_API std::vector<handle> make_equal_parts(node*, std::int64_t count, std::int64_t axis, bool may_differ);
/// The elements at one place of an axis each.
SINTER_API std::vector<handle> make_unstacked(node*, std::int64_t axis);
SINTER_API shape broadcast_of(const shape*, std::size_t count);
/// Of an array, or of an expression's value, as it is here and now.
SINTER_API node* make_strided(node*, const shape&, const std::int64_t* strides, std::size_t count);
SINTER_API node* make_windows(node*, const std::int64_t* lengths, std::size_t count, const axis_list&);

/// All but flips and diagonals of arrays are lazy.
SINTER_API node* make_flip(node*, const axis_list&);
SINTER_API node* make_rot90(node*, int quarters);
SINTER_API node* make_roll(node*, std::int64_t shift, std::int64_t axis);
/// A shift for each axis, or one for all.
SINTER_API node* make_roll(node*, const std::int64_t* shifts, std::size_t count, const std::int64_t* along,
                           std::size_t axes);
SINTER_API node* make_repeat(node*, std::int64_t count, std::int64_t axis);
/// A count for each element along the axis, or one for all.
SINTER_API node* make_repeat(node*, const std::int64_t* counts, std::size_t count, std::int64_t axis);
SINTER_API node* make_tile(node*, const std::int64_t* counts, int count);
SINTER_API node* make_triangle(node*, std::int64_t diagonal, bool lower);
SINTER_API node* make_diagonal(node*, std::int64_t offset, std::int64_t axis, std::int64_t other);
/// A diagonal of two axes; a matrix of one.
SINTER_API node* make_diag(node*, std::int64_t offset);
/// Without what lies at positions of an axis, or in a slice of it.
SINTER_API node* make_deleted(node*, const std::int64_t* at, std::size_t count, std::int64_t axis);
SINTER_API node* make_deleted(node*, const index_item& slice, std::int64_t axis);
/// Without what integers name, or where a mask is true.
SINTER_API node* make_deleted(node*, node* at, std::int64_t axis);
/// With values before positions of an axis. A position alone, no list: the values' first axis counts as this axis.
SINTER_API node* make_inserted(node*, const std::int64_t* at, std::size_t count, bool listed, node* values,
                               std::int64_t axis);
SINTER_API node* make_resized(node*, const shape&);
/// Evaluates.
SINTER_API node* make_trimmed(node*, const char* ends, const axis_list&);
/// Of nodes of one dtype. Blocks: rows of so many parts each, of so many axes at least.
SINTER_API node* make_block(node* const* parts, const std::size_t* row_lengths, std::size_t rows, int depth);
SINTER_API node* make_joined(node* const* parts, std::size_t count, std::int64_t axis);
SINTER_API node* make_stacked(node* const* parts, std::size_t count, std::int64_t axis);
/// With at least so many axes. One axis becomes that of a row, or of a column; of three the one in the middle.
SINTER_API node* make_at_least(node*, int axes, bool as_column);

}  // namespace detail
}  // namespace sinter
