// Axes dropped, added and moved, the parts of an axis, windows: views.
#include <sinter/detail/rearrange.hpp>

#include <algorithm>
#include <new>
#include <vector>

#include <sinter/error.hpp>
#include <sinter/functions.hpp>

#include "codegen/ir/broadcast.hpp"
#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/list.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/overlap.hpp"
#include "runtime/memory/holders.hpp"

namespace sinter::detail {

using runtime::as_array_node;
using runtime::checked_axes;
using runtime::checked_axis;
using runtime::index_along;
using runtime::typed;

namespace {

node* view_by(node* n, const runtime::list<index_item>& items) {
  return make_view(n, items.data(), static_cast<int>(items.size()));
}

node* in_order(node* n, const runtime::list<int>& order) {
  const runtime::list<std::int64_t> axes(order.begin(), order.end());
  return axes.empty() ? retain(n) : make_transpose(n, axes.data(), static_cast<int>(axes.size()));
}

}  // namespace

node* make_squeezed(node* n, const axis_list& of) {
  const shape& s = typed(n)->extents;
  // NumPy lets the first axis of what has none pass.
  if (s.size() == 0 && of.count == 1 && (of.axes[0] == 0 || of.axes[0] == -1)) return retain(n);
  runtime::list<index_item> items;
  for (std::int64_t extent : s) items.push_back(of.count < 0 && extent == 1 ? to_index(0) : to_index(_));
  for (int axis : checked_axes(of, s.size(), "squeeze")) {
    if (s[axis] != 1)
      throw shape_error(
          message("sinter: squeeze of axis %d of shape %s, which is not of extent 1", axis, to_string(s).c_str())
              .c_str());
    items[static_cast<std::size_t>(axis)] = to_index(0);
  }
  return view_by(n, items);
}

node* make_expanded(node* n, const axis_list& at) {
  const int rank = typed(n)->extents.size() + std::max(at.count, 0);
  if (rank > max_rank)
    throw shape_error(message("sinter: expand_dims to %d axes; arrays have at most %d", rank, max_rank).c_str());
  runtime::list<index_item> items(static_cast<std::size_t>(rank), to_index(_));
  for (int axis : checked_axes(at, rank, "expand_dims")) items[static_cast<std::size_t>(axis)] = to_index(newaxis);
  return view_by(n, items);
}

node* make_moved(node* n, const axis_list& from, const axis_list& to) {
  const int rank = typed(n)->extents.size();
  if (from.count != to.count)
    throw shape_error(message("sinter: moveaxis moves %d axes to %d places", from.count, to.count).c_str());
  const runtime::list<int> axes = checked_axes(from, rank, "moveaxis"), places = checked_axes(to, rank, "moveaxis");
  runtime::list<int> order;
  for (int d = 0; d < rank; ++d)
    if (std::find(axes.begin(), axes.end(), d) == axes.end()) order.push_back(d);
  runtime::list<std::pair<int, int>> moves;  // by place, so that each is inserted where it stays
  for (std::size_t i = 0; i < axes.size(); ++i) moves.emplace_back(places[i], axes[i]);
  std::sort(moves.begin(), moves.end());
  for (const auto& [place, axis] : moves) order.insert(order.begin() + place, axis);
  return in_order(n, order);
}

node* make_swapped(node* n, std::int64_t axis, std::int64_t other) {
  const int rank = typed(n)->extents.size();
  runtime::list<int> order;
  for (int d = 0; d < rank; ++d) order.push_back(d);
  const int a = checked_axis(axis, rank, "swapaxes"), b = checked_axis(other, rank, "swapaxes");
  std::swap(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]);
  return in_order(n, order);
}

node* make_rolled_axis(node* n, std::int64_t given, std::int64_t before) {
  const int rank = typed(n)->extents.size();
  const int axis = checked_axis(given, rank, "rollaxis");
  const std::int64_t start = before < 0 ? before + rank : before;
  if (start < 0 || start > rank)
    throw shape_error(
        message("sinter: rollaxis to before axis %lld of an array of %d axes", static_cast<long long>(before), rank)
            .c_str());
  return make_moved(n, {1, {axis}}, {1, {start > axis ? start - 1 : start}});
}

node* make_at_least(node* n, int axes, bool as_column) {
  const int rank = typed(n)->extents.size();
  runtime::list<index_item> items;
  if (as_column && rank == 1) items.push_back(to_index(_));
  const int behind = axes == 3 && (rank == 1 || rank == 2);  // (n,) is (1, n, 1), and (n, m) is (n, m, 1)
  for (int d = rank; d < axes - behind; ++d) items.push_back(to_index(newaxis));
  if (behind) items.insert(items.end(), {to_index(ellipsis), to_index(newaxis)});
  return view_by(n, items);
}

shape broadcast_of(const shape* all, std::size_t count) {
  shape to;
  for (std::size_t i = 0; i < count; ++i)
    if (!codegen::broadcast(to, all[i]))
      throw shape_error(
          message("sinter: shapes %s and %s do not broadcast", to_string(to).c_str(), to_string(all[i]).c_str())
              .c_str());
  return to;
}

// ---- parts ----------------------------------------------------------------------------------------------------------

std::int64_t split_axis(const shape& s, int axes, const char* what) {
  if (s.size() < axes)
    throw shape_error(message("sinter: %s of an array of shape %s, which has fewer than %d %s", what,
                              to_string(s).c_str(), axes, axes == 1 ? "axis" : "axes")
                          .c_str());
  const std::int64_t along[] = {s.size() > 1 ? 1 : 0, 0, 2};
  return along[axes - 1];
}

std::vector<handle> make_parts(node* n, const std::int64_t* at, std::size_t count, std::int64_t given) try {
  const int axis = checked_axis(given, typed(n)->extents.size(), "split");
  runtime::list<index_item> items(static_cast<std::size_t>(axis) + 1, to_index(_));
  std::vector<handle> parts;
  for (std::size_t i = 0; i <= count; ++i) {
    items.back() = to_index(slice(i == 0 ? slice::bound(_) : at[i - 1], i == count ? slice::bound(_) : at[i]));
    parts.push_back(handle(view_by(n, items)));
  }
  return parts;
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

std::vector<handle> make_equal_parts(node* n, std::int64_t count, std::int64_t given, bool may_differ) try {
  const shape& s = typed(n)->extents;
  const int axis = checked_axis(given, s.size(), "split");
  if (count <= 0) throw shape_error(message("sinter: split into %lld parts", static_cast<long long>(count)).c_str());
  const std::int64_t each = s[axis] / count, longer = s[axis] % count;
  if (longer != 0 && !may_differ)
    throw shape_error(message("sinter: axis %d of shape %s has no %lld equal parts; array_split makes others", axis,
                              to_string(s).c_str(), static_cast<long long>(count))
                          .c_str());
  runtime::list<std::int64_t> at;
  for (std::int64_t i = 1; i < count; ++i) at.push_back(i * each + std::min(i, longer));
  return make_parts(n, at.data(), at.size(), axis);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

void throw_part_count(std::size_t parts, std::size_t names) {
  throw shape_error(message("sinter: there are %zu parts, and %zu names for them", parts, names).c_str());
}

std::vector<handle> make_unstacked(node* n, std::int64_t given) try {
  const shape& s = typed(n)->extents;
  const int axis = checked_axis(given, s.size(), "unstack");
  runtime::list<index_item> items(static_cast<std::size_t>(axis) + 1, to_index(_));
  std::vector<handle> parts;
  for (std::int64_t i = 0; i < s[axis]; ++i) {
    items.back() = to_index(i);
    parts.push_back(handle(view_by(n, items)));
  }
  return parts;
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

// ---- windows and strides --------------------------------------------------------------------------------------------

namespace {

using runtime::int128;

// A view of an array's memory, from an element of the view's dtype on.
node* view_of_memory(array_node& a, dtype type, const shape& s, const std::int64_t* strides, std::int64_t offset) {
  auto* const view = runtime::new_node<array_node>(type, s);
  view->offset = offset;
  std::fill_n(view->strides, max_rank, 0);
  std::copy_n(strides, s.size(), view->strides);
  view->contiguous = codegen::is_contiguous(view->extents, view->strides);
  runtime::hold(*view, *a.memory);
  return view;
}

// Elements may have several places in it, so it is nothing to store into: the caller makes a lazy of it, and an array that is
// made of that is a copy.
node* strided(array_node& a, const shape& s, const std::int64_t* strides) {
  return view_of_memory(a, a.type, s, strides, a.offset);
}

// Are the places of all elements whole numbers of so many, but for the last axis, along which they lie together?
bool lie_in_groups(const array_node& a, std::int64_t of) {
  const int last = a.extents.size() - 1;
  for (int d = 0; d < last; ++d)
    if (a.strides[d] % of != 0) return false;
  return a.offset % of == 0 && (a.strides[last] == 1 || a.extents[last] == 1);
}

}  // namespace

node* make_reinterpreted(node* n, dtype type) {
  handle value(evaluate(n, where{}));
  const std::int64_t from = itemsize(as_array_node(value.get())->type), to = itemsize(type);
  shape s = shape_of(value.get());
  const int last = s.size() - 1;
  if (from != to && (last < 0 || s[last] * from % to != 0))
    throw shape_error(message("sinter: an array of shape %s and %s as one of %s: its last axis does not come out even",
                              to_string(s).c_str(), name(typed(n)->type), name(type))
                          .c_str());
  const std::int64_t group = std::max<std::int64_t>(to / from, 1), parts = std::max<std::int64_t>(from / to, 1);
  if (from != to && !lie_in_groups(*as_array_node(value.get()), group)) value = handle(make_copy(value.get()));
  array_node& a = *as_array_node(value.get());
  std::int64_t strides[max_rank];
  for (int d = 0; d <= last; ++d) strides[d] = a.strides[d] * parts / group;
  if (from != to) strides[last] = 1, s[last] = s[last] * parts / group;
  s.check();
  return view_of_memory(a, type, s, strides, a.offset * parts / group);
}

node* make_strided(node* n, const shape& s, const std::int64_t* strides, std::size_t count) {
  s.check();
  if (count != static_cast<std::size_t>(s.size())) throw_stride_count(s, count);
  const handle value(evaluate(n, where{}));
  array_node& a = *as_array_node(value.get());
  const runtime::reach has = runtime::reach_of(a);
  const bool is_dense = a.extents.elements() != 0 && has.high - has.low + 1 == a.extents.elements();
  if (!is_dense && s.elements() != 0)
    throw shape_error(
        message("sinter: as_strided of an array of shape %s whose elements do not lie together; a copy's do",
                to_string(a.extents).c_str())
            .c_str());
  int128 low = a.offset, high = a.offset;
  for (int d = 0; d < s.size(); ++d) {
    const int128 far = static_cast<int128>(strides[d]) * (s[d] - 1);
    (far < 0 ? low : high) += far;
  }
  if (s.elements() != 0 && (low < has.low || high > has.high))
    throw index_error(message("sinter: as_strided to shape %s leaves the %lld elements of the array",
                              to_string(s).c_str(), static_cast<long long>(a.extents.elements()))
                          .c_str());
  return strided(a, s, strides);
}

node* make_windows(node* n, const std::int64_t* lengths, std::size_t count, const axis_list& along) {
  const shape& s = typed(n)->extents;
  axis_list axes = along;
  if (along.count < 0)
    for (axes.count = 0; axes.count < s.size(); ++axes.count) axes.axes[axes.count] = axes.count;
  if (count != static_cast<std::size_t>(axes.count))
    throw shape_error(
        message("sinter: sliding_window_view takes a length for each of %d axes, not %zu", axes.count, count).c_str());
  if (s.size() + axes.count > max_rank)
    throw shape_error(
        message("sinter: windows of %d axes of an array of %d; arrays have at most %d", axes.count, s.size(), max_rank)
            .c_str());
  shape to = s;
  to.set_size(s.size() + axes.count);
  int windowed[max_rank];  // which axis of the array each axis of a window is along
  for (int w = 0; w < axes.count; ++w) {
    const int axis = windowed[w] = checked_axis(axes.axes[w], s.size(), "sliding_window_view");
    to[s.size() + w] = lengths[w];
    if (lengths[w] < 0 || to[axis] < lengths[w])
      throw shape_error(message("sinter: windows of length %lld along axis %d of shape %s",
                                static_cast<long long>(lengths[w]), axis, to_string(s).c_str())
                            .c_str());
    to[axis] -= lengths[w] - 1;
  }
  to.check();
  if (array_node* const a = as_array_node(n)) {
    std::int64_t strides[max_rank];
    std::copy_n(a->strides, s.size(), strides);
    for (int w = 0; w < axes.count; ++w) strides[s.size() + w] = a->strides[windowed[w]];
    return strided(*a, to, strides);
  }
  runtime::view_maker v(n, to);
  for (int d = 0; d < s.size(); ++d) v.drive(d, 0, 1, d);
  for (int d = 0; d < s.size(); ++d) {
    if (std::find(windowed, windowed + axes.count, d) == windowed + axes.count) continue;
    lazy<std::int64_t> i = index_along(to, d);
    for (int w = 0; w < axes.count; ++w)
      if (windowed[w] == d) i = std::move(i) + index_along(to, s.size() + w);
    v.compute(d, handle(i.release_node()), false);
  }
  return v.made();
}

}  // namespace sinter::detail
