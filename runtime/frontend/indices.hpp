// Views whose indices are computed: how the front end makes them, and the integers that they are made of.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <limits>

#include <sinter/expr.hpp>

#include "runtime/frontend/list.hpp"
#include "runtime/frontend/nodes.hpp"

namespace sinter::detail {

/// The elements along an axis that a list of positions in range names, in its order.
node* make_picked(node*, const runtime::list<std::int64_t>& from, int axis);

/// Stores at positions that are all there, counted from the array's first element in memory; each is that of a run.
void scatter(array_node& to, const array_node& at, const array_node& values, std::int64_t run, combining);

}  // namespace sinter::detail

namespace sinter::runtime {

/// A view being put together, whose axes follow those of its child until something else is said.
class view_maker {
 public:
  /// Of the child's shape.
  explicit view_maker(detail::node* child);
  /// Of a shape of its own; every axis of the child is still to be driven.
  view_maker(detail::node* child, const shape& s);

  shape extents;
  detail::typed_node* child() const { return child_; }

  void drive(int axis, std::int64_t offset, std::int64_t step, int by) {
    map_[axis] = {offset, step, static_cast<std::int16_t>(by)};
  }
  void hold(int axis, std::int64_t at) { map_[axis] = {at, 0, detail::axis_map::constant}; }
  /// The index along an axis of the child, of any shape that broadcasts to the view. `may_stray`: it is looked at, and may be
  /// negative.
  void compute(int axis, detail::handle index, bool may_stray);
  /// Where the view has a value.
  void guard(detail::handle truth) { guard_ = std::move(truth); }

  detail::node* made();

 private:
  detail::typed_node* child_;
  detail::axis_map map_[max_rank];
  detail::handle indices_[max_rank], guard_;
  int count_ = 0;
  unsigned checked_ = 0;
};

/// The index along one axis of a shape, for arithmetic: an expression that broadcasts to the shape.
lazy<std::int64_t> index_along(const shape&, int axis);

/// An integer index of an axis, counted from the end if negative. Errors: `index_error`.
[[noreturn]] void throw_out_of_range(std::int64_t i, int axis, const shape& of);
/// More indices than a shape has axes.
[[noreturn, gnu::cold]] void throw_too_many(int indices, const shape& of);
inline std::int64_t wrapped(std::int64_t i, std::int64_t extent, int axis, const shape& of) {
  if (i < -extent || i >= extent) throw_out_of_range(i, axis, of);
  return i < 0 ? i + extent : i;
}
/// What a slice means for an axis. Python's rule: a bound left out is the end the step comes from or goes to; others count from
/// the end if negative, and clip. Errors: `index_error`.
struct range {
  std::int64_t start, step, length;
};
range clipped_in_steps(const detail::index_item&, std::int64_t extent);
/// The same for a step of one: a division would be no small part of making a view.
inline range clipped_in_turn(const detail::index_item& item, std::int64_t extent) {
  const auto clip = [extent](std::int64_t i) {
    if (i < 0) i = std::max<std::int64_t>(i + extent, 0);
    return std::min(i, extent);
  };
  const std::int64_t start = clip(item.start), length = clip(item.stop) - start;
  if (length <= 0) return {0, 1, 0};
  return {start, 1, length};
}
inline range clipped(const detail::index_item& item, std::int64_t extent) {
  return item.what == detail::index_item::range ? clipped_in_turn(item, extent) : clipped_in_steps(item, extent);
}

/// An axis, counted from the end if negative. Errors: `shape_error`.
int checked_axis(std::int64_t axis, int rank, const char* what);
/// The axes that a list names, each once.
list<int> checked_axes(const detail::axis_list&, int rank, const char* what);

/// Extents that grow: what does not fit is more than any shape has, and is refused as such.
inline std::int64_t grown(std::int64_t extent, std::int64_t by) {
  std::int64_t sum;
  return __builtin_add_overflow(extent, by, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}
inline std::int64_t multiplied(std::int64_t extent, std::int64_t by) {
  std::int64_t product;
  return __builtin_mul_overflow(extent, by, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}
/// Is there room for one axis more? Errors: `shape_error`.
void require_one_axis_more(const shape&, const char* what);

/// The elements of an axis and of another one along both, as the last axis: from `first` and `other_first` on. A view of an array
/// is an array.
detail::node* make_along_both(detail::node*, int axis, std::int64_t first, int other, std::int64_t other_first,
                              std::int64_t length);

/// `a` where the condition is true, else `b`, of the same dtype; or 0. Gives an owned node.
detail::node* make_where(detail::node* condition, detail::node* a, detail::node* b);
detail::node* make_where_else(detail::node* condition, detail::node* a, detail::scalar_bits otherwise);

}  // namespace sinter::runtime
