// Sets: elements in order, in which equal ones are neighbours.
#include <sinter/sets.hpp>

#include <sinter/create.hpp>
#include <sinter/detail/rearrange.hpp>
#include <sinter/device.hpp>
#include <sinter/scan.hpp>
#include <sinter/scatter.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/search.hpp"
#include "runtime/frontend/terms.hpp"
#include "runtime/library/order.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::choose, runtime::number_node, runtime::taken, runtime::term;

SINTER_API node* make_flat_nonzero(node*);

namespace {

term computed(const term& t) { return term(handle(evaluate(t.get(), where{}))); }
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
  return flat.extent(0) < 2 ? flat : computed(term(runtime::make_sort_call(flat, false)));
}

// Of an array of one axis that has elements.
term different(const term& flat, bool equal_nan) {
  if (flat.extent(0) < 2) return flat;
  const term sorted = in_order(flat);
  const term is_first = runtime::joined({all_of(true, 1), differs_from_next(sorted, equal_nan)}, 0);
  return computed(taken(sorted, places_where(is_first)));
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

}  // namespace

unique_parts make_unique(handle given, unsigned wants, const unique_options& how) {
  const term of(std::move(given));
  const shape s = of.extents();
  const term flat = computed(of.flat());
  const std::int64_t n = flat.extent(0);
  const auto array_of = [&](const term& t) { return handle(computed(t).take()); };
  const term zeros = number_node(0, dtype::int64);
  if (n < 2) {
    const term none = zeros.broadcast_to(shape{n});
    return {flat.held(), array_of(none), array_of(zeros.broadcast_to(s)), array_of(none + 1)};
  }
  const bool is_placed = wants & (unique_parts::wants_indices | unique_parts::wants_inverse);
  const term from = is_placed ? computed(term(runtime::make_argsort_call(flat, false))) : zeros;
  const term sorted = is_placed ? computed(taken(flat, from)) : in_order(flat);
  const term is_first = runtime::joined({all_of(true, 1), differs_from_next(sorted, how.equal_nan)}, 0);
  const term places = places_where(is_first);
  unique_parts all;
  all.values = array_of(taken(sorted, places));
  if (wants & unique_parts::wants_indices) all.indices = array_of(taken(from, places));
  if (wants & unique_parts::wants_inverse) all.inverse = handle(inverse_of(is_first, from, s));
  if (wants & unique_parts::wants_counts) {
    const std::int64_t count = places.extent(0);
    const term ends =
        runtime::joined({places.along(0, slice(1, count)), number_node(n, dtype::int64).broadcast_to(shape{1})}, 0);
    all.counts = array_of(ends - places);
  }
  return all;
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
  if (what == set_function::either) return different(computed(runtime::joined({a, b}, 0)), true).take();
  const term in_a = different(computed(a), true);
  if (what == set_function::first_only) {
    const term is_alone = !is_among(in_a, in_order(computed(b)));
    return computed(taken(in_a, places_where(is_alone))).take();
  }
  // Of what each has once, equal neighbours are what both have.
  const term sorted = in_order(computed(runtime::joined({in_a, different(computed(b), true)}, 0)));
  const std::int64_t n = sorted.extent(0);
  if (n < 2) return what == set_function::one_of ? sorted.take() : computed(sorted.along(0, slice(0, 0))).take();
  const term differ = differs_from_next(sorted, false);
  if (what == set_function::both) return computed(taken(sorted, places_where(!differ))).take();
  const term ends = all_of(true, 1);
  const term is_alone = runtime::joined({ends, differ}, 0) & runtime::joined({differ, ends}, 0);
  return computed(taken(sorted, places_where(is_alone))).take();
}

}  // namespace sinter::detail
