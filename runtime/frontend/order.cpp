// Orders: the axis becomes the last one, and rows are what a call puts in order.
#include <sinter/order.hpp>

#include <algorithm>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/list.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/library/order.hpp"

namespace sinter::detail {

using runtime::checked_axis, runtime::term;

namespace {

// An operand with the axis that is put in order as its last, and the way back.
struct rows_along {
  rows_along(handle of, std::int64_t given, const char* what) : rows(std::move(of)) {
    axis = checked_axis(given, rows.rank(), what);
    if (axis != rows.rank() - 1) rows = moved(rows, axis, -1);
  }
  static term moved(const term& t, std::int64_t from, std::int64_t to) {
    return term::made(make_moved(t.get(), {1, {from}}, {1, {to}}));
  }
  node* back(const term& made) const {
    if (axis == made.rank() - 1) return made.take();
    return moved(made, -1, axis).take();
  }
  // One element, or none, is in order.
  bool are_sorted() const { return rows.extent(rows.rank() - 1) < 2 || rows.extents().elements() == 0; }

  term rows;
  int axis;
};

term places_in_order(const shape& s) { return runtime::number_node(0, dtype::int64).broadcast_to(s); }

term places_of(const term& rows, bool falling) { return term(runtime::make_argsort_call(rows, falling)); }

}  // namespace

node* make_sort(handle of, const sort_options& how) {
  const rows_along x(std::move(of), how.axis, "sort");
  if (x.are_sorted()) return x.back(x.rows);
  // Of what only the order of equal elements can tell, they are moved as they come.
  if (how.stable && is_floating(x.rows.type()))
    return x.back(runtime::taken_along(x.rows, places_of(x.rows, how.descending)));
  return x.back(term(runtime::make_sort_call(x.rows, how.descending)));
}

node* make_argsort(handle of, const sort_options& how) {
  const rows_along x(std::move(of), how.axis, "argsort");
  return x.back(x.are_sorted() ? places_in_order(x.rows.extents()) : places_of(x.rows, how.descending));
}

node* make_lexsort(node* const* given, std::size_t count, std::int64_t axis) {
  if (count == 0) throw shape_error("sinter: lexsort by no keys");
  const shape s = shape_of(given[0]);
  const int at = checked_axis(axis, s.size(), "lexsort");
  runtime::list<term> keys;
  for (std::size_t i = 0; i < count; ++i) {
    if (!(shape_of(given[i]) == s))
      throw shape_error(message("sinter: lexsort by keys of shapes %s and %s", to_string(s).c_str(),
                                to_string(shape_of(given[i])).c_str())
                            .c_str());
    keys.push_back(rows_along(handle(retain(given[i])), at, "lexsort").rows);
  }
  const rows_along first(handle(retain(given[0])), at, "lexsort");
  if (first.are_sorted()) return first.back(places_in_order(first.rows.extents()));
  return first.back(runtime::places_by_keys(keys, false));
}

node* make_lexsort(handle all, std::int64_t axis) {
  const term keys(std::move(all));
  if (keys.rank() < 2) throw shape_error("sinter: lexsort of an array that has no keys along its first axis");
  std::vector<handle> each = make_unstacked(keys.get(), 0);
  runtime::list<node*> nodes;
  for (const handle& key : each) nodes.push_back(key.get());
  return make_lexsort(nodes.data(), nodes.size(), axis);
}

node* make_partition(handle of, const std::int64_t* kth, std::size_t count, std::int64_t axis, bool places) {
  const shape s = shape_of(of.get());
  const int at = checked_axis(axis, s.size(), places ? "argpartition" : "partition");
  std::int64_t first = count == 0 ? 0 : s[at], last = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t k = runtime::wrapped(kth[i], s[at], at, s);
    first = std::min(first, k), last = std::max(last, k);
  }
  const rows_along x(std::move(of), at, "partition");
  if (x.are_sorted()) return x.back(places ? places_in_order(x.rows.extents()) : x.rows);
  return x.back(term(runtime::make_partition_call(x.rows, places, false, first, last + 1)));
}

node_pair make_top_k(handle of, std::int64_t k, const top_k_options& how) {
  const rows_along x(std::move(of), how.axis, "top_k");
  const int last = x.rows.rank() - 1;
  if (k < 0 || k > x.rows.extent(last))
    throw shape_error(message("sinter: top_k of %lld elements along an axis of %lld", static_cast<long long>(k),
                              static_cast<long long>(x.rows.extent(last)))
                          .c_str());
  const term all = x.are_sorted() || k == 0 ? places_in_order(x.rows.extents())
                                            : term(runtime::make_partition_call(x.rows, true, how.largest, 0, k));
  const term places = all.along(last, slice(0, k));
  const handle values(x.back(runtime::taken_along(x.rows, places)));
  node* const indices = x.back(places);
  return {retain(values.get()), indices};
}

}  // namespace sinter::detail
