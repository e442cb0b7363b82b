// Padding. Where the element that stands at a place is found by its index alone, all axes are padded at once, by a view with computed
// indices. What is computed of elements is joined to them axis by axis, in NumPy's order: corners are of what earlier axes got.
#include <sinter/pad.hpp>

#include <algorithm>
#include <optional>

#include <sinter/error.hpp>
#include <sinter/quantiles.hpp>
#include <sinter/reduce.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/list.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/short_rows.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::choose, runtime::fold, runtime::index_of;
using runtime::joined, runtime::number_node, runtime::one_axis;
using runtime::term;
using runtime::typed;
using runtime::view_maker;

namespace {

template <class Number>
void require_each(const pad_pairs<Number>& pairs, const shape& s, const char* what) {
  if (pairs.size() == 1 || pairs.size() == s.size()) return;
  throw shape_error(message("sinter: pad takes one %s or one for each axis, not %d for shape %s", what, pairs.size(),
                            to_string(s).c_str())
                        .c_str());
}

shape padded(const shape& s, const pad_widths& widths) {
  require_each(widths, s, "width");
  shape to = s;
  for (int d = 0; d < s.size(); ++d) {
    const auto [before, after] = widths[d];
    if (before < 0 || after < 0) throw shape_error("sinter: pad takes widths that are not negative");
    to[d] = runtime::grown(runtime::grown(to[d], before), after);
  }
  to.check();
  return to;
}

bool is_padded(const pad_width& w) { return w.before != 0 || w.after != 0; }

// ---- by index -------------------------------------------------------------------------------------------------------

// Which of n elements stands at a place, counted from the first of them, where no side is longer than what it is the image of.
term mirrored_once(const term& place, const pad_width& by, std::int64_t n, pad_mode mode) {
  const auto outside = [&](bool behind) -> term {
    const std::int64_t end = behind ? n - 1 : 0, on_it = mode == pad_mode::reflect ? 0 : behind ? 1 : -1;
    if (mode == pad_mode::edge) return end;
    if (mode == pad_mode::wrap) return behind ? place - n : place + n;
    return 2 * end + on_it - place;
  };
  term at = place;
  if (by.after) at = choose(place < n, at, outside(true));
  if (by.before) at = choose(place < 0, outside(false), at);
  return at;
}

term mirrored(const term& place, const pad_width& by, std::int64_t n, pad_mode mode) {
  if (n == 1) return mirrored_once(place, by, n, pad_mode::edge);
  const std::int64_t most = mode == pad_mode::reflect ? n - 1 : n;
  if (mode == pad_mode::edge || std::max(by.before, by.after) <= most) return mirrored_once(place, by, n, mode);
  if (mode == pad_mode::wrap) return place % n;
  const bool on_it = mode == pad_mode::reflect;
  const std::int64_t period = on_it ? 2 * (n - 1) : 2 * n;
  const term at = place % period;
  return apply(op::minimum, {at, (on_it ? period : period - 1) - at});
}

node* padded_by_index(node* n, const pad_widths& widths, const shape& to, pad_mode mode) {
  const shape& s = typed(n)->extents;
  view_maker v(n, to);
  for (int d = 0; d < s.size(); ++d) {
    v.drive(d, 0, 1, d);
    if (is_padded(widths[d]))
      v.compute(d, mirrored(index_of(to, d) - widths[d].before, widths[d], s[d], mode).held(), false);
  }
  return v.made();
}

// ---- by what is computed --------------------------------------------------------------------------------------------

// Elements [begin, end) along an axis, from the last to the first where they are `reversed`.
term part_of_axis(const term& of, int axis, std::int64_t begin, std::int64_t end, bool reversed = false) {
  const term part = of.along(axis, slice(begin, end));
  return reversed ? term::made(make_flip(part.get(), one_axis(axis))) : part;
}
term repeated(const term& of, int axis, std::int64_t length) {
  shape s = of.extents();
  s[axis] = length;
  return of.broadcast_to(s);
}
term filled(const term& like, int axis, std::int64_t length, double number) {
  shape s = like.extents();
  s[axis] = length;
  return number_node(number, like.type()).broadcast_to(s);
}

// Floating values as elements of a dtype have them: of integers rounded by an operation.
term as_elements(const term& value, dtype to, op by) { return astype(is_integer(to) ? apply(by, {value}) : value, to); }

// What a side is filled with, of so many elements from it: one along the axis.
term statistic(const term& part, int axis, pad_mode mode) {
  if (mode == pad_mode::maximum || mode == pad_mode::minimum)
    return fold(mode == pad_mode::maximum ? reduction::max : reduction::min, part, one_axis(axis), true);
  const dtype t = part.type(), computed = is_inexact(t) ? t : dtype::float64;
  const handle middle(mode == pad_mode::mean ? make_mean(part.held(), computed, one_axis(axis), true)
                                             : make_median(part.held(), computed, {axis, true}, false));
  return as_elements(term(middle), t, op::rint);
}
term with_statistics(const term& x, int axis, pad_width width, pad_width lengths, pad_mode mode) {
  const std::int64_t n = x.extent(axis);
  const auto length = [&](std::int64_t given) {
    if (given == 0 || n == 0) throw shape_error("sinter: pad by a statistic of no elements");
    return given < 0 ? n : std::min(given, n);
  };
  const std::int64_t first = length(lengths.before), last = length(lengths.after);
  const term left = statistic(part_of_axis(x, axis, 0, first), axis, mode);
  const term right = first == n && last == n ? left : statistic(part_of_axis(x, axis, n - last, n), axis, mode);
  return joined({repeated(left, axis, width.before), x, repeated(right, axis, width.after)}, axis);
}

// From a number to an edge, which is not reached, in so many steps; in double, as numpy.linspace computes. Towards the end of the
// axis the steps go the other way.
term ramp(const term& edge, int axis, std::int64_t width, double end, bool backwards) {
  if (is_complex(edge.type())) throw dtype_error("sinter: pad of mode linear_ramp of complex numbers");
  shape s = edge.extents();
  s[axis] = width;
  const term i = index_of(s, axis), at = astype(backwards ? (width - 1) - i : i, dtype::float64);
  const auto count = static_cast<double>(width);
  const term distance = astype(edge, dtype::float64) - end, step = distance / count;
  const auto product = [](const term& a, const term& b) { return apply(op::fma, {a, b, -0.0}); };  // rounded by itself
  // NumPy divides first where any step is zero.
  const term is_nothing = fold(reduction::any, step == 0, axis_list{}, false);
  return as_elements(choose(is_nothing, product(at / count, distance), product(at, step)) + end, edge.type(),
                     op::floor);
}
term with_ramps(const term& x, int axis, pad_width width, const pad_pair<double>& ends) {
  const std::int64_t n = x.extent(axis);
  return joined({ramp(part_of_axis(x, axis, 0, 1), axis, width.before, ends.before, false), x,
                 ramp(part_of_axis(x, axis, n - 1, n), axis, width.after, ends.after, true)},
                axis);
}

// 2 * edge - part: as far beyond the edge as the part is before it.
term beyond(const term& edge, const term& part) {
  if (edge.type() == dtype::bool_) return edge | part;
  return edge * astype(2, edge.type()) - part;
}
// In as many turns as it takes: each reflects what there is, in whole periods.
term with_odd_reflections(term x, int axis, pad_width left, bool is_symmetric) {
  const std::int64_t n = x.extent(axis);
  if (n == 1) return joined({repeated(x, axis, left.before), x, repeated(x, axis, left.after)}, axis);
  const std::int64_t period = is_symmetric ? n : n - 1, inside = is_symmetric ? 0 : 1;
  while (is_padded(left)) {
    const std::int64_t length = x.extent(axis);
    const std::int64_t whole = (length - inside) / period * period;
    const std::int64_t before = std::min(whole, left.before), after = std::min(whole, left.after);
    const term first = part_of_axis(x, axis, 0, 1), last = part_of_axis(x, axis, length - 1, length);
    const term to_left = part_of_axis(x, axis, inside, inside + before, true);
    const term to_right = part_of_axis(x, axis, length - inside - after, length - inside, true);
    x = joined({beyond(first, to_left), x, beyond(last, to_right)}, axis);
    left = {left.before - before, left.after - after};
  }
  return x;
}

term padded_axis(const term& x, int axis, pad_width width, pad_mode mode, const pad_options& how) {
  switch (mode) {
    case pad_mode::constant:
      return joined({filled(x, axis, width.before, how.constant_values[axis].before), x,
                     filled(x, axis, width.after, how.constant_values[axis].after)},
                    axis);
    case pad_mode::linear_ramp: return with_ramps(x, axis, width, how.end_values[axis]);
    case pad_mode::reflect:
    case pad_mode::symmetric: return with_odd_reflections(x, axis, width, mode == pad_mode::symmetric);
    default: return with_statistics(x, axis, width, how.stat_length[axis], mode);
  }
}

bool goes_by_index(pad_mode mode, const pad_options& how) {
  const bool reflects = mode == pad_mode::reflect || mode == pad_mode::symmetric;
  return mode == pad_mode::edge || mode == pad_mode::wrap || (reflects && how.reflect_type == reflect_type::even);
}

void require_elements(const shape& s, const pad_widths& widths) {
  for (int d = 0; d < s.size(); ++d)
    if (s[d] == 0 && is_padded(widths[d]))
      throw shape_error(
          message("sinter: pad of axis %d of shape %s, which has no element to go by", d, to_string(s).c_str())
              .c_str());
}

// With a number around it, by as much along each axis.
node* padded_by(node* n, const runtime::list<pad_width>& widths, const shape& to, scalar_bits around) {
  const shape& s = typed(n)->extents;
  view_maker v(n, to);
  std::optional<term> inside;
  for (int d = 0; d < s.size(); ++d) {
    const auto [before, after] = widths[static_cast<std::size_t>(d)];
    v.drive(d, -before, 1, d);
    if (before == 0 && after == 0) continue;
    const term i = index_of(to, d), here = (i >= before) & (i < before + s[d]);
    inside = inside ? *inside & here : here;
  }
  if (!inside) return retain(n);
  v.guard(inside->held());
  const handle view(v.made());
  return runtime::make_where_else(inside->get(), view.get(), around);
}

}  // namespace

node* make_padded(node* n, const pad_widths& widths, scalar_bits around) {
  const shape& s = typed(n)->extents;
  const shape to = padded(s, widths);
  runtime::list<pad_width> each;
  int last = -1;
  for (int d = 0; d < s.size(); ++d) {
    each.push_back(widths[d]);
    if (is_padded(widths[d])) last = d;
  }
  const std::int64_t row = last < 0 ? 1 : runtime::row_behind(n, last);
  if (row == 1) return padded_by(n, each, to, around);
  each[static_cast<std::size_t>(last)].before *= row;
  each[static_cast<std::size_t>(last)].after *= row;
  shape without_rows(to.begin(), last + 1);
  without_rows[last] *= row;
  const handle as_elements = runtime::with_rows_as_elements(n, last);
  return runtime::with_rows(handle(padded_by(as_elements.get(), each, without_rows, around)), to);
}

node* make_padded(node* n, const pad_widths& widths, pad_mode mode, const pad_options& how) {
  if (mode == pad_mode::empty) return make_padded(n, widths, scalar_bits{});
  const shape& s = typed(n)->extents;
  const shape to = padded(s, widths);
  require_each(how.constant_values, s, "number");
  require_each(how.end_values, s, "number");
  require_each(how.stat_length, s, "length");
  if (mode != pad_mode::constant) require_elements(s, widths);
  if (goes_by_index(mode, how)) return padded_by_index(n, widths, to, mode);
  term x = term::of(n);
  for (int d = 0; d < s.size(); ++d)
    if (is_padded(widths[d])) x = padded_axis(x, d, widths[d], mode, how);
  return x.take();
}

}  // namespace sinter::detail
