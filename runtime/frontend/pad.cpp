// Padding. Where the element that stands at a place is found by its index alone, all axes are padded at once, by a view with computed
// indices. What is computed of elements is joined to them axis by axis, in NumPy's order: corners are of what earlier axes got.
#include <sinter/pad.hpp>

#include <algorithm>

#include <sinter/error.hpp>
#include <sinter/functions.hpp>
#include <sinter/reduce.hpp>

#include "runtime/frontend/applied.hpp"
#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"

namespace sinter::detail {

using runtime::index_along;
using runtime::typed;
using runtime::view_maker;

namespace {

using numbers = lazy<std::int64_t>;

template <class E>
handle handle_of(E&& e) {
  return handle(lazy<element_in<E>>(std::forward<E>(e)).release_node());
}
const shape& shape_at(const handle& h) { return typed(h.get())->extents; }
dtype type_of(const handle& h) { return typed(h.get())->type; }

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

// Which of n elements stands at place i - before.
handle mirrored(const numbers& i, std::int64_t before, std::int64_t n, pad_mode mode) {
  const auto place = [&] { return i - before; };
  if (mode == pad_mode::edge || n == 1) return handle_of(maximum(minimum(place(), n - 1), 0));
  if (mode == pad_mode::wrap) return handle_of(place() % n);
  const bool on_it = mode == pad_mode::reflect;
  const std::int64_t period = on_it ? 2 * (n - 1) : 2 * n;
  const numbers at = place() % period;
  return handle_of(minimum(at, (on_it ? period : period - 1) - at));
}

node* padded_by_index(node* n, const pad_widths& widths, const shape& to, pad_mode mode) {
  const shape& s = typed(n)->extents;
  view_maker v(n, to);
  for (int d = 0; d < s.size(); ++d) {
    v.drive(d, 0, 1, d);
    if (is_padded(widths[d])) v.compute(d, mirrored(index_along(to, d), widths[d].before, s[d], mode), false);
  }
  return v.made();
}

// ---- by what is computed --------------------------------------------------------------------------------------------

// Elements [begin, end) along an axis, from the last to the first where they are `reversed`.
handle part_of_axis(const handle& of, int axis, std::int64_t begin, std::int64_t end, bool reversed = false) {
  std::vector<index_item> items(static_cast<std::size_t>(axis) + 1, to_index(_));
  items.back() = to_index(slice(begin, end));
  const handle part(make_view(of.get(), items.data(), axis + 1));
  return reversed ? handle(make_flip(part.get(), {1, {axis}})) : part;
}
handle repeated(const handle& of, int axis, std::int64_t length) {
  shape s = shape_at(of);
  s[axis] = length;
  return handle(make_broadcast(of.get(), s));
}
handle joined(const handle& left, const handle& middle, const handle& right, int axis) {
  node* const parts[] = {left.get(), middle.get(), right.get()};
  return handle(make_joined(parts, 3, axis));
}
handle filled(const handle& like, int axis, std::int64_t length, double number) {
  const dtype t = type_of(like);
  const handle one(make_number(t, runtime::number_of(t, number)));
  shape s = shape_at(like);
  s[axis] = length;
  return handle(make_broadcast(one.get(), s));
}

// A value as elements of a dtype have it: of integers rounded.
handle rounded(lazy<double> value, dtype to) {
  return runtime::cast(is_integer(to) ? handle_of(rint(std::move(value))) : handle_of(std::move(value)), to);
}

// What a side is filled with, of so many elements from it: one along the axis.
handle statistic(const handle& part, int axis, pad_mode mode) {
  const dtype t = type_of(part);
  const axis_list along{1, {axis}};
  if (mode != pad_mode::mean)
    return handle(make_reduction(part, mode == pad_mode::maximum ? reduction::max : reduction::min, t, along, true));
  if (is_floating(t) || is_complex(t)) return handle(make_mean(part, t, along, true));
  return rounded(lazy<double>(make_mean(part, dtype::float64, along, true)), t);
}
handle with_statistics(const handle& x, int axis, pad_width width, pad_width lengths, pad_mode mode) {
  const std::int64_t n = shape_at(x)[axis];
  const auto length = [&](std::int64_t given) {
    if (given == 0 || n == 0) throw shape_error("sinter: pad by a statistic of no elements");
    return given < 0 ? n : std::min(given, n);
  };
  const std::int64_t first = length(lengths.before), last = length(lengths.after);
  const handle left = statistic(part_of_axis(x, axis, 0, first), axis, mode);
  const handle right = first == n && last == n ? left : statistic(part_of_axis(x, axis, n - last, n), axis, mode);
  return joined(repeated(left, axis, width.before), x, repeated(right, axis, width.after), axis);
}

// From a number to an edge, which is not reached, in so many steps; in double, as numpy.linspace computes. Towards the end of the
// axis the steps go the other way.
handle ramp(const handle& edge, int axis, std::int64_t width, double end, bool backwards) {
  if (is_complex(type_of(edge))) throw dtype_error("sinter: pad of mode linear_ramp of complex numbers");
  shape s = shape_at(edge);
  s[axis] = width;
  const lazy<double> distance = lazy<double>(runtime::cast(edge, dtype::float64).take()) - end;
  const numbers i = index_along(s, axis);
  const lazy<double> at = backwards ? lazy<double>(astype<double>((width - 1) - i)) : lazy<double>(astype<double>(i));
  const auto count = static_cast<double>(width);
  const lazy<double> step = distance / count;
  const auto product = [](const lazy<double>& a, const lazy<double>& b) {
    return fma(a, b, -0.0);
  };  // rounded by itself
  // NumPy divides first where any step is zero.
  lazy<double> value = sinter::where(sinter::any(step == 0), product(at / count, distance), product(at, step)) + end;
  const dtype t = type_of(edge);
  return runtime::cast(is_integer(t) ? handle_of(floor(std::move(value))) : handle_of(std::move(value)), t);
}
handle with_ramps(const handle& x, int axis, pad_width width, const pad_pair<double>& ends) {
  const std::int64_t n = shape_at(x)[axis];
  return joined(ramp(part_of_axis(x, axis, 0, 1), axis, width.before, ends.before, false), x,
                ramp(part_of_axis(x, axis, n - 1, n), axis, width.after, ends.after, true), axis);
}

// 2 * edge - part: as far beyond the edge as the part is before it.
handle beyond(const handle& edge, const handle& part) {
  const dtype t = type_of(edge);
  if (t == dtype::bool_) return runtime::apply(op::logical_or, {edge, part});
  const handle twice = runtime::apply(op::multiply, {edge, {t, runtime::number_of(t, 2)}});
  return runtime::apply(op::subtract, {twice, part});
}
// In as many turns as it takes: each reflects what there is, in whole periods.
handle with_odd_reflections(handle x, int axis, pad_width left, bool is_symmetric) {
  const std::int64_t n = shape_at(x)[axis];
  if (n == 1) {
    const handle before = repeated(x, axis, left.before), after = repeated(x, axis, left.after);
    return joined(before, x, after, axis);
  }
  const std::int64_t period = is_symmetric ? n : n - 1, inside = is_symmetric ? 0 : 1;
  while (is_padded(left)) {
    const std::int64_t length = shape_at(x)[axis];
    const std::int64_t whole = (length - inside) / period * period;
    const std::int64_t before = std::min(whole, left.before), after = std::min(whole, left.after);
    const handle first = part_of_axis(x, axis, 0, 1), last = part_of_axis(x, axis, length - 1, length);
    const handle to_left = part_of_axis(x, axis, inside, inside + before, true);
    const handle to_right = part_of_axis(x, axis, length - inside - after, length - inside, true);
    x = joined(beyond(first, to_left), x, beyond(last, to_right), axis);
    left = {left.before - before, left.after - after};
  }
  return x;
}

handle padded_axis(const handle& x, int axis, pad_width width, pad_mode mode, const pad_options& how) {
  switch (mode) {
    case pad_mode::constant:
      return joined(filled(x, axis, width.before, how.constant_values[axis].before), x,
                    filled(x, axis, width.after, how.constant_values[axis].after), axis);
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

}  // namespace

node* make_padded(node* n, const pad_widths& widths, scalar_bits around) {
  const shape& s = typed(n)->extents;
  view_maker v(n, padded(s, widths));
  handle inside;
  for (int d = 0; d < s.size(); ++d) {
    const auto [before, after] = widths[d];
    v.drive(d, -before, 1, d);
    if (!is_padded(widths[d])) continue;
    const numbers i = index_along(v.extents, d);
    lazy<bool> here(i >= before && i < before + s[d]);
    if (inside) here = lazy<bool>(lazy<bool>(inside.take()) && here);
    inside = handle(here.release_node());
  }
  if (!inside) return retain(n);
  v.guard(inside);
  const handle view(v.made());
  return runtime::make_where_else(inside.get(), view.get(), around);
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
  handle x(retain(n));
  for (int d = 0; d < s.size(); ++d)
    if (is_padded(widths[d])) x = padded_axis(x, d, widths[d], mode, how);
  return x.take();
}

}  // namespace sinter::detail
