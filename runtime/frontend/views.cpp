// Views: index lists, transposes, reshapes, broadcasts. A view of an array is an array over the same storage; a view of an
// expression is a node that only changes how its axes are driven.
#include <algorithm>
#include <utility>

#include <sinter/error.hpp>

#include "codegen/ir/broadcast.hpp"
#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/memory/holders.hpp"

namespace sinter::detail {

using runtime::as_array_node;
using runtime::checked_axis;
using runtime::typed;
using runtime::wrapped;

namespace {

// A view of an expression being put together: its shape, and how each axis of the child is driven by an axis of the view.
struct view_plan {
  shape extents;
  axis_map map[max_rank];

  void drive(int axis, std::int64_t offset, std::int64_t step, int by) {
    map[axis] = {offset, step, static_cast<std::int16_t>(by)};
  }
  void hold(int axis, std::int64_t offset) { map[axis] = {offset, 0, -1}; }

  node* made(typed_node* child) const {
    auto* n = runtime::new_node<view_node>(child->type, extents);
    retain(child);
    n->child = child;
    std::copy_n(map, child->extents.size(), n->map);
    return n;
  }
};

// A view of an array, which is an array: the same by strides. Put together where it stays.
class strided_plan {
 public:
  explicit strided_plan(const array_node& a)
      : view_(runtime::new_node<array_node>(a.type)),
        memory_(*a.memory),
        from_(a.strides),
        offset_(a.offset),
        extents(view_->extents) {
    std::fill_n(view_->strides, max_rank, 0);
  }
  strided_plan(const strided_plan&) = delete;
  strided_plan& operator=(const strided_plan&) = delete;
  ~strided_plan() {
    if (view_) runtime::free_node(view_);
  }

  void drive(int axis, std::int64_t start, std::int64_t step, int by) {
    offset_ += start * from_[axis];
    view_->strides[by] += step * from_[axis];
  }
  void hold(int axis, std::int64_t index) { offset_ += index * from_[axis]; }

  node* made(typed_node*) {
    array_node* const a = std::exchange(view_, nullptr);
    a->offset = offset_;
    a->contiguous = codegen::is_contiguous(a->extents, a->strides);
    runtime::hold(*a, memory_);
    return a;
  }

 private:
  array_node* view_;
  storage& memory_;
  const std::int64_t* const from_;
  std::int64_t offset_;

 public:
  shape& extents;
};

// `plan(view)` puts either together.
template <class Plan>
[[gnu::always_inline]] inline node* make(typed_node* child, Plan plan) {
  if (const array_node* from = as_array_node(child)) {
    strided_plan v(*from);
    plan(v);
    return v.made(child);
  }
  view_plan v;
  plan(v);
  return v.made(child);
}

bool consumes(const index_item& item) { return item.what != index_item::new_axis && item.what != index_item::rest; }

// How many axes an ellipsis at `at`, where `left` are left, stands for.
int axes_of_rest(const index_item* at, const index_item* end, int left) {
  for (++at; at != end; ++at) {
    if (at->what == index_item::rest) throw index_error("sinter: an index list has at most one ellipsis");
    left -= consumes(*at);
  }
  return left;
}

// Is there room for a new axis at `at`, beside `before` axes, those that what follows makes and those that `left` axes of the
// child become?
void require_room(const index_item* at, const index_item* end, int before, int left) {
  int all = before + left + 1;
  for (++at; at != end; ++at) all += (at->what == index_item::new_axis) - (at->what == index_item::integer);
  if (all > max_rank) throw index_error(message("sinter: a view of more than %d axes", max_rank).c_str());
}

// Reads an index list into a view of something of shape `from`.
template <class View>
class indexer {
 public:
  indexer(const shape& from, View& v) : from_(from), rank_(from.size()), v_(v) {}

  void run(const index_item* items, int count) {
    const index_item* const end = items + count;
    for (const index_item* i = items; i != end; ++i) {
      if (axis_ == rank_ && consumes(*i)) [[unlikely]]
        runtime::throw_too_many(static_cast<int>(std::count_if(items, items + count, consumes)), from_);
      if (i->what == index_item::range) [[likely]] {
        take(runtime::clipped_in_turn(*i, from_[axis_]));
        continue;
      }
      switch (i->what) {
        case index_item::steps: take(runtime::clipped_in_steps(*i, from_[axis_])); break;
        case index_item::integer: v_.hold(axis_, wrapped(i->start, from_[axis_], axis_, from_)), ++axis_; break;
        case index_item::new_axis:
          require_room(i, end, made_, rank_ - axis_);
          v_.extents[made_++] = 1;
          break;
        case index_item::rest: whole(axes_of_rest(i, end, rank_ - axis_)); break;
        default: whole(1);
      }
    }
    whole(rank_ - axis_);
    v_.extents.set_size(made_);
  }

 private:
  void whole(int axes) {
    for (; axes > 0; --axes) take({0, 1, from_[axis_]});
  }
  void take(const runtime::range& r) {
    v_.extents[made_] = r.length;
    v_.drive(axis_++, r.start, r.step, made_++);
  }

  const shape& from_;
  const int rank_;
  View& v_;
  int axis_ = 0, made_ = 0;
};

}  // namespace

node* make_view(node* n, const index_item* items, int count) {
  if (count == 0) return retain(n);
  return make(typed(n), [&](auto& v) { indexer(typed(n)->extents, v).run(items, count); });
}

void copy_extents(const shape& from, std::int64_t* to, std::size_t axes) {
  if (axes != static_cast<std::size_t>(from.size()))
    throw shape_error(message("sinter: shape<%zu>() of an array of shape %s", axes, to_string(from).c_str()).c_str());
  std::copy(from.begin(), from.end(), to);
}

namespace {

bool is_in_order(const std::int64_t* axes, int count) {
  for (int d = 0; d < count; ++d)
    if (axes[d] != d && axes[d] != d - count) return false;
  return count > 0;
}

}  // namespace

node* make_transpose(node* n, const std::int64_t* order, int count) {
  const shape& from = typed(n)->extents;
  const int rank = from.size();
  if (count != 0 && count != rank)
    throw shape_error(message("sinter: transpose takes an order of all %d axes, not of %d", rank, count).c_str());
  // An expression stays what it is: what a call of a library gave is then handed over, not copied.
  if (!as_array_node(n) && is_in_order(order, count)) return retain(n);
  return make(typed(n), [&](auto& v) {
    v.extents.set_size(rank);
    unsigned seen = 0;
    for (int d = 0; d < rank; ++d) {
      const int axis = count ? checked_axis(order[d], rank, "transpose") : rank - 1 - d;
      if (seen >> axis & 1) throw shape_error(message("sinter: transpose names axis %d twice", axis).c_str());
      seen |= 1u << axis;
      v.extents[d] = from[axis];
      v.drive(axis, 0, 1, d);
    }
  });
}

node* make_broadcast(node* n, const shape& to) {
  to.check();
  const shape& from = typed(n)->extents;
  shape result = to;
  if (!codegen::broadcast(result, from) || !(result == to))
    throw shape_error(
        message("sinter: shape %s does not broadcast to %s", to_string(from).c_str(), to_string(to).c_str()).c_str());
  return make(typed(n), [&](auto& v) {
    v.extents = to;
    const int shift = to.size() - from.size();
    for (int d = 0; d < from.size(); ++d) {
      if (from[d] == 1 && to[d + shift] != 1) v.hold(d, 0);
      else v.drive(d, 0, 1, d + shift);
    }
  });
}

shape reshaped(const shape& from, const std::int64_t* extents, int count) {
  std::int64_t given[max_rank];
  int open = -1;
  if (count > max_rank)
    throw shape_error(message("sinter: reshape to %d axes; arrays have at most %d", count, max_rank).c_str());
  for (int d = 0; d < count; ++d) {
    given[d] = extents[d];
    if (extents[d] >= 0) continue;
    if (extents[d] != -1 || open >= 0)
      throw shape_error("sinter: reshape takes one extent of -1 and no other negative one");
    open = d;
    given[d] = 1;
  }
  shape to(given, count);
  const std::int64_t elements = from.elements(), known = to.elements();
  const bool fits = open < 0 ? known == elements : known != 0 && elements % known == 0;
  if (open >= 0) to[open] = fits ? elements / known : -1;
  if (!fits)
    throw shape_error(message("sinter: %lld elements of shape %s do not reshape to %s",
                              static_cast<long long>(elements), to_string(from).c_str(), to_string(to).c_str())
                          .c_str());
  return to;
}

node* make_reshape(node* n, const std::int64_t* extents, int count) {
  typed_node* from = typed(n);
  const shape to = reshaped(from->extents, extents, count);
  if (array_node* a = as_array_node(from); a && a->contiguous) {
    auto* view = runtime::new_node<array_node>(a->type, to);
    view->offset = a->offset;
    view->contiguous = true;
    codegen::c_strides(to, view->strides);
    runtime::hold(*view, *a->memory);
    return view;
  }
  if (to == from->extents) return retain(n);
  auto* r = runtime::new_node<reshape_node>(from->type, to);
  retain(n);
  r->child = from;
  return r;
}

}  // namespace sinter::detail

namespace sinter::runtime {

detail::node* make_along_both(detail::node* n, int axis, std::int64_t first, int other, std::int64_t other_first,
                              std::int64_t length) {
  const shape& from = typed(n)->extents;
  return detail::make(typed(n), [&](auto& v) {
    v.extents.set_size(from.size() - 1);
    const int last = from.size() - 2;
    int to = 0;
    for (int d = 0; d < from.size(); ++d) {
      if (d == axis || d == other) continue;
      v.extents[to] = from[d];
      v.drive(d, 0, 1, to++);
    }
    v.extents[last] = length;
    v.drive(axis, length ? first : 0, 1, last);
    v.drive(other, length ? other_first : 0, 1, last);
  });
}

}  // namespace sinter::runtime
