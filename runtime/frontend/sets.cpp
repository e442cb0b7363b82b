// Sets: elements in order, in which equal ones are neighbours.
#include <sinter/sets.hpp>

#include <sinter/create.hpp>
#include <sinter/detail/rearrange.hpp>
#include <sinter/device.hpp>
#include <sinter/error.hpp>
#include <sinter/scan.hpp>
#include <sinter/scatter.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/search.hpp"
#include "runtime/frontend/terms.hpp"
#include "runtime/library/order.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::evaluated, runtime::fold, runtime::number_node, runtime::one_axis,
    runtime::taken, runtime::term;

SINTER_API node* make_flat_nonzero(node*);

namespace {

term all_of(bool t, std::int64_t count) { return number_node(t, dtype::bool_).broadcast_to(shape{count}); }

// Is each element another one than that before it? Of `n - 1` neighbours.
term differs_from_next(const term& sorted, bool equal_nan) {
  const std::int64_t n = sorted.extent(0);
  const term before = sorted.along(0, slice(0, n - 1)), after = sorted.along(0, slice(1, n));
  const term differ = after != before;
  if (!equal_nan || !is_inexact(sorted.type())) return differ;
  return differ & !(apply(op::isnan, {before}) & apply(op::isnan, {after}));
}

term places_where(const term& mask) { return term::made(make_flat_nonzero(mask.get())); }

term in_order(const term& flat) {
  return flat.extent(0) < 2 ? flat : evaluated(term(runtime::make_sort_call(flat, false)));
}

// Of an array of one axis that has elements.
term different(const term& flat, bool equal_nan) {
  if (flat.extent(0) < 2) return flat;
  const term sorted = in_order(flat);
  const term is_first = runtime::joined({all_of(true, 1), differs_from_next(sorted, equal_nan)}, 0);
  return evaluated(taken(sorted, places_where(is_first)));
}

// Which of the different elements each one is: numbers in order go where the elements come from.
node* inverse_of(const term& is_first, const term& from, const shape& s) {
  const device_scope on(device_of(from.get()));
  const lazy<bool> mask(is_first.take());
  const array<std::int64_t> at(from.take());
  array<std::int64_t> which = zeros<std::int64_t>({at.size()});
  scatter_add(which, at, cumsum<std::int64_t>(mask) - 1, {.atomic = true});
  return make_reshape(which.node(), s.begin(), s.size());
}

// Elements, or parts along the first axis, in order: which of the given each is, and whether it is another than that before it.
struct ordered {
  term sorted, from, is_first;
};

handle array_of(const term& t) { return handle(evaluated(t).take()); }

// With what is wanted of the first ones of equals. The inverse has the shape `s`.
unique_parts first_ones(const ordered& of, unsigned wants, const shape& s) {
  const term places = places_where(of.is_first);
  unique_parts all;
  all.values = array_of(term::made(make_take(of.sorted.get(), places.get(), 0)));
  if (wants & unique_parts::wants_indices) all.indices = array_of(taken(of.from, places));
  if (wants & unique_parts::wants_inverse) all.inverse = handle(inverse_of(of.is_first, of.from, s));
  if (wants & unique_parts::wants_counts) {
    const term end = number_node(of.sorted.extent(0), dtype::int64).broadcast_to(shape{1});
    all.counts = array_of(runtime::joined({places.along(0, slice(1, places.extent(0))), end}, 0) - places);
  }
  return all;
}

// None, or one.
unique_parts as_they_are(const term& of, std::int64_t n, const shape& s) {
  const term zero = number_node(0, dtype::int64), none = zero.broadcast_to(shape{n});
  return {array_of(of), array_of(none), array_of(zero.broadcast_to(s)), array_of(none + 1)};
}

unique_parts unique_elements(const term& of, unsigned wants, bool equal_nan) {
  const term flat = evaluated(of.flat());
  if (flat.extent(0) < 2) return as_they_are(flat, flat.extent(0), of.extents());
  const bool is_placed = wants & (unique_parts::wants_indices | unique_parts::wants_inverse);
  const term from = is_placed ? evaluated(term(runtime::make_argsort_call(flat, false))) : number_node(0, dtype::int64);
  const term sorted = is_placed ? evaluated(taken(flat, from)) : in_order(flat);
  const term is_first = runtime::joined({all_of(true, 1), differs_from_next(sorted, equal_nan)}, 0);
  return first_ones({sorted, from, is_first}, wants, of.extents());
}

// By their columns, the last of which counts least.
ordered rows_in_order(const term& rows) {
  const std::int64_t n = rows.extent(0);
  if (rows.extent(1) == 0) {
    const term is_first = runtime::joined({all_of(true, 1), all_of(false, n - 1)}, 0);
    return {rows, evaluated(term::made(make_iota(shape{n}, 0))), is_first};
  }
  // One column after the other is computed, so that memory is for a few of them.
  const auto places_by = [](const term& key) { return term(runtime::make_argsort_call(key, false)); };
  term from = evaluated(places_by(rows.at(1, -1)));
  for (std::int64_t c = rows.extent(1) - 2; c >= 0; --c)
    from = evaluated(taken(from, evaluated(places_by(taken(rows.at(1, c), from)))));
  const term sorted = evaluated(term::made(make_take(rows.get(), from.get(), 0)));
  const term differ = sorted.along(0, slice(1, n)) != sorted.along(0, slice(0, n - 1));
  return {sorted, from, runtime::joined({all_of(true, 1), fold(reduction::any, differ, one_axis(1), false)}, 0)};
}

unique_parts unique_along(const term& of, const axis_list& given, unsigned wants) {
  if (given.count != 1) throw shape_error("sinter: unique is along one axis, or of all elements");
  const axis_list here = one_axis(runtime::checked_axis(given.axes[0], of.rank(), "unique")), first = one_axis(0);
  const term parts = term::made(make_moved(of.get(), here, first));
  shape s = parts.extents();
  const std::int64_t n = s[0];
  if (n < 2) return as_they_are(of, n, shape{n});
  const std::int64_t to[] = {n, of.extents().elements() / n};
  const term rows = evaluated(term::made(make_reshape(parts.get(), to, 2)));
  unique_parts all = first_ones(rows_in_order(rows), wants, shape{n});
  s[0] = runtime::typed(all.values.get())->extents[0];
  const handle apart(make_reshape(all.values.get(), s.begin(), s.size()));
  all.values = array_of(term::made(make_moved(apart.get(), first, here)));
  return all;
}

}  // namespace

unique_parts make_unique(handle given, unsigned wants, const unique_options& how) {
  const term of(std::move(given));
  const axis_list along = how.axis.list();
  return along.count < 0 ? unique_elements(of, wants, how.equal_nan) : unique_along(of, along, wants);
}

namespace {

// Where each value would stand among the sorted elements; is there an equal one?
term is_among(const term& values, const term& sorted) {
  const std::int64_t n = sorted.extent(0);
  if (n == 0) return number_node(false, dtype::bool_).broadcast_to(values.extents());
  const term before = runtime::count_before(sorted, values, false);
  return (before < n) & (taken(sorted, apply(op::minimum, {before, n - 1})) == values);
}

}  // namespace

node* make_isin(handle given, handle in, dtype type, bool invert) {
  const term values = astype(term(std::move(given)), type), flat = astype(term(std::move(in)).flat(), type);
  const term sorted = flat.extent(0) < 2 ? flat : term(runtime::make_sort_call(flat, false));
  const term found = is_among(values, sorted);
  return invert ? (!found).take() : found.take();
}

node* make_set(handle first, handle second, dtype type, set_function what) {
  const term a = astype(term(std::move(first)).flat(), type), b = astype(term(std::move(second)).flat(), type);
  if (what == set_function::either) return different(evaluated(runtime::joined({a, b}, 0)), true).take();
  const term in_a = different(evaluated(a), true);
  if (what == set_function::first_only) {
    const term is_alone = !is_among(in_a, in_order(evaluated(b)));
    return evaluated(taken(in_a, places_where(is_alone))).take();
  }
  // Of what each has once, equal neighbours are what both have.
  const term sorted = in_order(evaluated(runtime::joined({in_a, different(evaluated(b), true)}, 0)));
  const std::int64_t n = sorted.extent(0);
  if (n < 2) return what == set_function::one_of ? sorted.take() : evaluated(sorted.along(0, slice(0, 0))).take();
  const term differ = differs_from_next(sorted, false);
  if (what == set_function::both) return evaluated(taken(sorted, places_where(!differ))).take();
  const term ends = all_of(true, 1);
  const term is_alone = runtime::joined({ends, differ}, 0) & runtime::joined({differ, ends}, 0);
  return evaluated(taken(sorted, places_where(is_alone))).take();
}

}  // namespace sinter::detail
