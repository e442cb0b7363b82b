#include <sinter/differences.hpp>

#include <optional>

#include <sinter/error.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::checked_axis, runtime::choose, runtime::fold, runtime::joined,
    runtime::number_node, runtime::one_axis, runtime::term;

namespace {

// An option as elements of a dtype.
term given_as(const optional_operand& o, dtype type) {
  if (o.is_number()) return term::of_bits(type, term::of_bits(o.number().type, o.number().bits).bits_as(type));
  return astype(term(o.held()), type);
}

// What is joined to an array along an axis: a number has the other extents and is there once.
term edge_of(const optional_operand& o, const term& beside, int axis) {
  shape one = beside.extents();
  one[axis] = 1;
  const term edge = given_as(o, beside.type());
  if (edge.is_number()) return number_node(edge, edge.type()).broadcast_to(one);
  return edge.rank() == 0 ? edge.broadcast_to(one) : edge;
}

term difference(const term& x, int axis) {
  const term later = x.along(axis, slice(1, _)), earlier = x.along(axis, slice(_, -1));
  return x.type() == dtype::bool_ ? later != earlier : later - earlier;
}

[[noreturn]] void throw_too_few(const char* what, const term& x, int axis, int needed) {
  throw shape_error(message("sinter: %s along axis %d of shape %s, which needs %d elements", what, axis,
                            to_string(x.extents()).c_str(), needed)
                        .c_str());
}

}  // namespace

node* make_diff(handle of, const diff_options& how) {
  term x(std::move(of));
  const int axis = checked_axis(how.axis, x.rank(), "diff");
  if (how.n < 0) throw shape_error("sinter: diff takes differences no less than 0 times");
  if (how.n == 0) return x.take();  // as NumPy, without what is to be joined
  if (how.prepend) x = joined({edge_of(how.prepend, x, axis), x}, axis);
  if (how.append) x = joined({x, edge_of(how.append, x, axis)}, axis);
  for (std::int64_t i = 0; i < how.n && (i == 0 || x.extent(axis) > 0); ++i) x = difference(x, axis);
  return x.take();
}

node* make_ediff1d(handle of, const ediff1d_options& how) {
  const term x = term(std::move(of)).flat();
  if (x.type() == dtype::bool_) throw dtype_error("sinter: ediff1d takes no bool; diff says where neighbours differ");
  term result = difference(x, 0);
  const auto flat = [](const term& t) { return t.rank() == 1 ? t : t.flat(); };
  if (how.to_begin) result = joined({flat(edge_of(how.to_begin, result, 0)), result}, 0);
  if (how.to_end) result = joined({result, flat(edge_of(how.to_end, result, 0))}, 0);
  return result.take();
}

namespace {

// The elements of x along an axis, from `first` on, without the last `behind`.
term part(const term& x, int axis, int first, int behind) {
  return behind == 0 ? x.along(axis, slice(first, _)) : x.along(axis, slice(first, -behind));
}
term last_of(const term& x, int axis, int from_end) {
  const std::int64_t at = x.extent(axis) - from_end;
  return x.along(axis, slice(at, at + 1));
}
term first_of(const term& x, int axis, int at) { return x.along(axis, slice(at, at + 1)); }

term even_gradient(const term& f, const term& dx, int axis, bool second_order) {
  const term inner = (part(f, axis, 2, 0) - part(f, axis, 0, 2)) / (2 * dx);
  const auto first = [&](int i) { return first_of(f, axis, i); };
  const auto last = [&](int i) { return last_of(f, axis, i); };
  if (!second_order) return joined({(first(1) - first(0)) / dx, inner, (last(1) - last(2)) / dx}, axis);
  return joined({(-1.5 * first(0) + 2.0 * first(1) - 0.5 * first(2)) / dx, inner,
                 (0.5 * last(3) - 2.0 * last(2) + 1.5 * last(1)) / dx},
                axis);
}

// `gaps`: between neighbours, with the axes of f.
term uneven_gradient(const term& f, const term& gaps, int axis, bool second_order) {
  const term before = part(gaps, axis, 0, 1), after = part(gaps, axis, 1, 0);
  const auto slope = [&](const term& a, const term& b, const term& c, const term& fa, const term& fb, const term& fc) {
    return a * fa + b * fb + c * fc;
  };
  const term inner =
      slope(-after / (before * (before + after)), (after - before) / (before * after),
            before / (after * (before + after)), part(f, axis, 0, 2), part(f, axis, 1, 1), part(f, axis, 2, 0));
  const auto first = [&](int i) { return first_of(f, axis, i); };
  const auto last = [&](int i) { return last_of(f, axis, i); };
  const term near = first_of(gaps, axis, 0), near_end = last_of(gaps, axis, 1);
  if (!second_order) return joined({(first(1) - first(0)) / near, inner, (last(1) - last(2)) / near_end}, axis);
  const term next = first_of(gaps, axis, 1), next_to_end = last_of(gaps, axis, 2);
  const term begin = slope(-(2.0 * near + next) / (near * (near + next)), (near + next) / (near * next),
                           -near / (next * (near + next)), first(0), first(1), first(2));
  const term end =
      slope(near_end / (next_to_end * (next_to_end + near_end)), -(near_end + next_to_end) / (next_to_end * near_end),
            (2.0 * near_end + next_to_end) / (near_end * (next_to_end + near_end)), last(3), last(2), last(1));
  return joined({begin, inner, end}, axis);
}

// One axis of places becomes the axis of `rank` that it is.
term lying_along(term x, int axis, int rank) {
  for (int d = axis + 1; d < rank; ++d) x = x.with_axis(x.rank());
  while (x.rank() < rank) x = x.with_axis(0);
  return x;
}

}  // namespace

node* make_gradient(handle of, const optional_operand& spacing, dtype type, const gradient_options& how) {
  const term given(std::move(of)), f = astype(given, type);
  const int axis = checked_axis(how.axis, f.rank(), "gradient");
  if (how.edge_order != 1 && how.edge_order != 2) throw error("sinter: edge_order of gradient is 1 or 2");
  const bool second = how.edge_order == 2;
  if (f.extent(axis) < how.edge_order + 1) throw_too_few("gradient", f, axis, second ? 3 : 2);
  const dtype real = real_part_of(type);
  const term places = given_as(spacing ? spacing : optional_operand(1), real),
             at = places.is_number() ? number_node(places, real) : places;
  if (at.rank() == 0) return astype(even_gradient(f, at, axis, second), type).take();
  if (at.rank() != 1 || at.extent(0) != f.extent(axis))
    throw shape_error(message("sinter: gradient along axis %d of shape %s of elements at places of shape %s", axis,
                              to_string(f.extents()).c_str(), to_string(at.extents()).c_str())
                          .c_str());
  return astype(uneven_gradient(f, lying_along(difference(at, 0), axis, f.rank()), axis, second), type).take();
}

node* make_trapezoid(handle of, const optional_operand& x, dtype type, const trapezoid_options& how) {
  const term y = astype(term(std::move(of)), type);
  const int axis = checked_axis(how.axis, y.rank(), "trapezoid");
  term gaps = astype(how.dx, real_part_of(type));
  if (x) {
    const term places(x.held());
    gaps = places.rank() == 1 ? lying_along(difference(places, 0), axis, y.rank())
                              : difference(places, checked_axis(how.axis, places.rank(), "trapezoid"));
  }
  const term areas = gaps * (part(y, axis, 1, 0) + part(y, axis, 0, 1)) / 2.0;
  return astype(fold(reduction::sum, areas, one_axis(axis), false), type).take();
}

node* make_unwrap(handle of, dtype type, const unwrap_options& how) {
  const term x = astype(term(std::move(of)), type);
  const int axis = checked_axis(how.axis, x.rank(), "unwrap");
  if (x.extent(axis) < 2) return x.take();
  const double half = how.period / 2, least = how.discont > half ? how.discont : half;
  const term step = difference(x, axis), nearest = (step + half) % how.period - half;
  const term wanted = choose((nearest == -half) & (step > 0), half, nearest);
  const term moved = choose(apply(op::absolute, {step}) < least, 0, wanted - step);
  const term all = term::made(make_scan(moved.get(), reduction::sum, type, axis));
  return joined({first_of(x, axis, 0), part(x, axis, 1, 0) + all}, axis).take();
}

node* make_cumulative(handle of, reduction what, dtype type, const cumulative_options& how) {
  const term given(std::move(of)), x = given.rank() == 0 ? given.flat() : given;
  const int axis = checked_axis(how.axis, x.rank(), "a cumulative sum");
  const term all = term::made(make_scan(x.get(), what, type, axis));
  if (!how.include_initial) return all.take();
  shape one = all.extents();
  one[axis] = 1;
  const term nothing = number_node(what == reduction::prod ? 1 : 0, type).broadcast_to(one);
  return joined({nothing, all}, axis).take();
}

}  // namespace sinter::detail
