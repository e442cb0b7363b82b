// Flips, rolls, repetitions, triangles and diagonals: views with indices that are computed from the index of the point.
#include <sinter/detail/rearrange.hpp>

#include <algorithm>

#include <sinter/error.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/list.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/short_rows.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::detail {

using runtime::checked_axis;
using runtime::choose;
using runtime::index_of;
using runtime::term;
using runtime::typed;
using runtime::view_maker;

namespace {

// A view by an index list, one entry for each axis.
node* view_by(node* n, const runtime::list<index_item>& items) {
  return make_view(n, items.data(), static_cast<int>(items.size()));
}

// Elements of a new axis after `axis`, `count` times the same; then the two as one. Where there can be no new axis, the axes on
// each side count as one.
node* repeated(node* n, std::int64_t count, int axis, bool as_whole) {
  const shape& from = typed(n)->extents;
  shape result = from;
  result[axis] = runtime::multiplied(result[axis], count);
  result.check();
  if (from.size() == max_rank) {
    shape merged{1, from[axis], 1};
    for (int d = 0; d < max_rank; ++d)
      if (d != axis) merged[d < axis ? 0 : 2] *= from[d];
    const handle few(make_reshape(n, merged.begin(), merged.size()));
    const handle all(repeated(few.get(), count, 1, as_whole));
    return make_reshape(all.get(), result.begin(), result.size());
  }
  runtime::list<index_item> items(static_cast<std::size_t>(from.size()), to_index(_));
  const int fresh = as_whole ? axis : axis + 1;
  items.insert(items.begin() + fresh, to_index(newaxis));
  const handle apart(view_by(n, items));
  shape spread = typed(apart.get())->extents;
  spread[fresh] = count;
  const handle all(make_broadcast(apart.get(), spread));
  return make_reshape(all.get(), result.begin(), result.size());
}

}  // namespace

node* make_flip(node* n, const axis_list& axes) {
  const shape& s = typed(n)->extents;
  runtime::list<index_item> items(static_cast<std::size_t>(s.size()), to_index(_));
  for (int d = 0; axes.count < 0 && d < s.size(); ++d) items[static_cast<std::size_t>(d)] = to_index(slice(_, _, -1));
  for (const int axis : runtime::checked_axes(axes, s.size(), "flip"))
    items[static_cast<std::size_t>(axis)] = to_index(slice(_, _, -1));
  return view_by(n, items);
}

node* make_rot90(node* n, int quarters) {
  const shape& s = typed(n)->extents;
  if (s.size() < 2) throw shape_error(message("sinter: rot90 of an array of shape %s", to_string(s).c_str()).c_str());
  quarters = (quarters % 4 + 4) % 4;
  if (quarters == 0) return retain(n);
  if (quarters == 2) return make_flip(n, {2, {0, 1}});
  std::int64_t order[max_rank];
  for (int d = 0; d < s.size(); ++d) order[d] = d < 2 ? 1 - d : d;
  const handle turned(make_transpose(n, order, s.size()));
  return make_flip(turned.get(), {1, {quarters == 1 ? 0 : 1}});
}

namespace {

node* rolled_along(node* n, std::int64_t shift, int axis) {
  const shape& s = typed(n)->extents;
  const std::int64_t length = s[axis], by = length == 0 ? 0 : (shift % length + length) % length;
  if (by == 0) return retain(n);
  view_maker v(n);
  const term i = index_of(s, axis);
  v.compute(axis, choose(i < by, i + (length - by), i - by).held(), false);
  return v.made();
}

}  // namespace

node* make_roll(node* n, std::int64_t shift, std::int64_t axis) { return make_roll(n, &shift, 1, &axis, 1); }

node* make_roll(node* n, const std::int64_t* shifts, std::size_t count, const std::int64_t* along, std::size_t axes) {
  if (count != 1 && axes != 1 && count != axes)
    throw shape_error(message("sinter: roll by %zu numbers along %zu axes", count, axes).c_str());
  const shape& s = typed(n)->extents;
  int last = 0;
  for (std::size_t i = 0; i < axes; ++i) last = std::max(last, checked_axis(along[i], s.size(), "roll"));
  const std::int64_t row = s.size() == 0 ? 1 : runtime::row_behind(n, last);
  handle rolled(row > 1 ? runtime::with_rows_as_elements(n, last) : handle(retain(n)));
  for (std::size_t i = 0; i < (axes == 1 ? count : axes); ++i) {
    const int axis = checked_axis(along[axes == 1 ? 0 : i], s.size(), "roll");
    const std::int64_t by = shifts[count == 1 ? 0 : i] % std::max<std::int64_t>(s[axis], 1);
    rolled = handle(rolled_along(rolled.get(), axis == last ? by * row : by, axis));
  }
  return row > 1 ? runtime::with_rows(rolled, s) : rolled.take();
}

node* make_repeat(node* n, std::int64_t count, std::int64_t axis) {
  if (count < 0) throw shape_error(message("sinter: repeat %lld times", static_cast<long long>(count)).c_str());
  return repeated(n, count, checked_axis(axis, typed(n)->extents.size(), "repeat"), false);
}

node* make_picked(node* n, const runtime::list<std::int64_t>& from, int axis) {
  const shape& s = typed(n)->extents;
  shape to = s, along = s;
  for (int d = 0; d < s.size(); ++d) along[d] = 1;
  to[axis] = along[axis] = static_cast<std::int64_t>(from.size());
  to.check();
  const device_scope on(runtime::as_array_node(n) ? device_of(n) : device::current());
  view_maker v(n, to);
  for (int d = 0; d < s.size(); ++d)
    if (d != axis) v.drive(d, 0, 1, d);
  v.compute(axis, handle(make_from_host(dtype::int64, along, from.data())), false);
  return v.made();
}

node* make_repeat(node* n, const std::int64_t* counts, std::size_t count, std::int64_t given) {
  if (count == 1) return make_repeat(n, counts[0], given);
  const shape& s = typed(n)->extents;
  const int axis = checked_axis(given, s.size(), "repeat");
  if (static_cast<std::int64_t>(count) != s[axis])
    throw shape_error(
        message("sinter: repeat takes %zu counts for axis %d of shape %s", count, axis, to_string(s).c_str()).c_str());
  std::int64_t all = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (counts[i] < 0)
      throw shape_error(message("sinter: repeat %lld times", static_cast<long long>(counts[i])).c_str());
    all = runtime::grown(all, counts[i]);
  }
  runtime::list<std::int64_t> from(static_cast<std::size_t>(all));  // the element that stands at each place
  std::int64_t* to = from.data();
  for (std::size_t i = 0; i < count; ++i)
    for (std::int64_t c = 0; c < counts[i]; ++c) *to++ = static_cast<std::int64_t>(i);
  return make_picked(n, from, axis);
}

node* make_tile(node* n, const std::int64_t* counts, int count) {
  const int rank = typed(n)->extents.size();
  runtime::list<index_item> items(static_cast<std::size_t>(std::max(count - rank, 0)), to_index(newaxis));
  if (rank + static_cast<int>(items.size()) > max_rank)
    throw shape_error(message("sinter: tile to %d axes; arrays have at most %d", count, max_rank).c_str());
  handle now(make_view(n, items.data(), static_cast<int>(items.size())));
  for (int back = 1; back <= count; ++back) {
    const std::int64_t times = counts[count - back];
    if (times < 0) throw shape_error(message("sinter: tile %lld times", static_cast<long long>(times)).c_str());
    if (times != 1) now = handle(repeated(now.get(), times, typed(now.get())->extents.size() - back, true));
  }
  return now.take();
}

node* make_triangle(node* n, std::int64_t diagonal, bool lower) {
  const shape& s = typed(n)->extents;
  if (s.size() == 1) {  // the rows of a square
    const handle square(make_broadcast(n, shape{s[0], s[0]}));
    return make_triangle(square.get(), diagonal, lower);
  }
  if (s.size() == 0) throw shape_error("sinter: a triangle of an array without axes");
  const term row = index_of(s, s.size() - 2), column = index_of(s, s.size() - 1);
  const term inside = lower ? column - row <= diagonal : column - row >= diagonal;
  return runtime::make_where_else(inside.get(), n, scalar_bits{});
}

node* make_diagonal(node* n, std::int64_t offset, std::int64_t given, std::int64_t other) {
  const shape& s = typed(n)->extents;
  const int rank = s.size();
  if (rank < 2) throw shape_error(message("sinter: a diagonal of an array of shape %s", to_string(s).c_str()).c_str());
  const int down = checked_axis(given, rank, "diagonal"), across = checked_axis(other, rank, "diagonal");
  if (down == across) throw shape_error(message("sinter: a diagonal names axis %d twice", down).c_str());
  const std::int64_t below = offset < 0 ? -offset : 0, beside = offset > 0 ? offset : 0;
  return runtime::make_along_both(n, down, below, across, beside,
                                  std::max<std::int64_t>(0, std::min(s[down] - below, s[across] - beside)));
}

node* make_diag(node* n, std::int64_t offset) {
  const shape& s = typed(n)->extents;
  if (s.size() == 2) return make_diagonal(n, offset, 0, 1);
  if (s.size() != 1) throw shape_error(message("sinter: diag of an array of shape %s", to_string(s).c_str()).c_str());
  const std::int64_t beside = offset < 0 ? runtime::grown(-(offset + 1), 1) : offset,
                     side = runtime::grown(s[0], beside);
  const shape square{side, side};
  const term row = index_of(square, 0), column = index_of(square, 1);
  const term inside = column - row == offset;
  view_maker v(n, square);
  v.drive(0, offset < 0 ? offset : 0, 1, 0);
  v.guard(inside.held());
  const handle down(v.made());
  return runtime::make_where_else(inside.get(), down.get(), scalar_bits{});
}

}  // namespace sinter::detail
