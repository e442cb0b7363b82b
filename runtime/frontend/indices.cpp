#include "runtime/frontend/indices.hpp"

#include <algorithm>

#include <sinter/error.hpp>

#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::runtime {

using namespace detail;

view_maker::view_maker(node* child) : view_maker(child, typed(child)->extents) {
  for (int d = 0; d < extents.size(); ++d) drive(d, 0, 1, d);
}

view_maker::view_maker(node* child, const shape& s) : extents(s), child_(typed(child)) {
  for (int d = 0; d < child_->extents.size(); ++d) hold(d, 0);
}

void view_maker::compute(int axis, handle index, bool may_stray) {
  map_[axis] = axis_map::by_computed(count_);
  checked_ |= unsigned{may_stray} << count_;
  indices_[count_++] = std::move(index);
}

node* view_maker::made() {
  extents.check();
  auto* const v = new_node<view_node>(child_->type, extents);
  retain(child_);
  v->child = child_;
  std::copy_n(map_, child_->extents.size(), v->map);
  v->indices = static_cast<std::uint8_t>(count_);
  v->checked = static_cast<std::uint8_t>(checked_);
  v->guarded = static_cast<bool>(guard_);
  for (int i = 0; i < count_; ++i) v->more[i] = typed(indices_[i].take());
  if (guard_) v->more[count_] = typed(guard_.take());
  return v;
}

lazy<std::int64_t> index_along(const shape& s, int axis) {
  shape of;
  of.set_size(s.size() - axis);
  std::fill_n(&of[0], of.size(), 1);
  of[0] = s[axis];
  return lazy<std::int64_t>(make_iota(of, 0));
}

void throw_out_of_range(std::int64_t i, int axis, const shape& s) {
  throw index_error(message("sinter: index %lld is out of range for axis %d of an array of shape %s",
                            static_cast<long long>(i), axis, to_string(s).c_str())
                        .c_str());
}

void throw_too_many(int indices, const shape& s) {
  throw index_error(message("sinter: %d %s for an array of shape %s", indices, indices == 1 ? "index" : "indices",
                            to_string(s).c_str())
                        .c_str());
}

range clipped_in_steps(const index_item& item, std::int64_t extent) {
  if (item.step == 0) throw index_error("sinter: a slice with a step of zero");
  const bool forward = item.step > 0;
  const std::int64_t low = forward ? 0 : -1, high = forward ? extent : extent - 1;
  const auto clip = [&](std::int64_t i) {
    if (i < 0) i += extent;
    return i < low ? low : i > high ? high : i;
  };
  const std::int64_t start = item.has_start ? clip(item.start) : forward ? low : high;
  const std::int64_t stop = item.has_stop ? clip(item.stop) : forward ? high : low;
  const std::int64_t distance = forward ? stop - start : start - stop;
  if (distance <= 0) return {0, 1, 0};
  // A step as long as the distance reaches no second element. It may be too long to be turned round, or to be a stride.
  if (forward ? item.step >= distance : item.step <= -distance) return {start, 1, 1};
  return {start, item.step, (distance - 1) / (forward ? item.step : -item.step) + 1};
}

int checked_axis(std::int64_t axis, int rank, const char* what) {
  if (axis >= -rank && axis < rank) return static_cast<int>(axis < 0 ? axis + rank : axis);
  throw shape_error(
      message("sinter: %s: axis %lld of an array of %d axes", what, static_cast<long long>(axis), rank).c_str());
}

list<int> checked_axes(const detail::axis_list& given, int rank, const char* what) {
  list<int> all;
  for (int i = 0; i < given.count; ++i) {
    all.push_back(checked_axis(given.axes[i], rank, what));
    if (std::count(all.begin(), all.end(), all.back()) > 1)
      throw shape_error(message("sinter: %s names axis %d twice", what, all.back()).c_str());
  }
  return all;
}

void require_one_axis_more(const shape& s, const char* what) {
  if (s.size() == max_rank)
    throw shape_error(
        message("sinter: %s of an array of %d axes, which is as many as there can be", what, max_rank).c_str());
}

node* make_where(node* condition, node* a, node* b) {
  return choose(term::of(condition), term::of(a), term::of(b)).take();
}

node* make_where_else(node* condition, node* a, scalar_bits otherwise) {
  return choose(term::of(condition), term::of(a), term::of_bits(typed(a)->type, otherwise)).take();
}

}  // namespace sinter::runtime
