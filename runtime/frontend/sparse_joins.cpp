// Sparse arrays put together from others, and of diagonals. Places and values are joined by expressions; of rows side by side
// the host lists which entry comes where.
#include <algorithm>
#include <functional>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>
#include <sinter/eval.hpp>
#include <sinter/sparse_construct.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/sparse_lists.hpp"

namespace sinter::detail {

using runtime::astype, runtime::at, runtime::entries_of, runtime::length_of_diagonal, runtime::list,
    runtime::made_format, runtime::place_list, runtime::read_places, runtime::row_list, runtime::sparse_entries,
    runtime::structure_of, runtime::term;
using sparse::format;

namespace {

// How far along each axis the parts begin, and the shape of all.
struct joined_shape {
  place_list down, across;
  shape whole;
};
joined_shape joined(const sparse_parts* parts, std::size_t count, joint how) {
  joined_shape j;
  std::int64_t rows = 0, columns = 0;
  const shape first = structure_of(parts[0].structure).extents();
  for (std::size_t i = 0; i < count; ++i) {
    const shape s = structure_of(parts[i].structure).extents();
    const int kept = how == joint::columns ? 0 : 1;
    if (how != joint::corners && s[kept] != first[kept])
      throw shape_error(message("sinter: sparse arrays of shapes %s and %s do not join %s", to_string(first).c_str(),
                                to_string(s).c_str(), how == joint::columns ? "side by side" : "one above the other")
                            .c_str());
    j.down.push_back(rows);
    j.across.push_back(columns);
    if (how != joint::columns) rows = runtime::grown(rows, s[0]);
    if (how != joint::rows) columns = runtime::grown(columns, s[1]);
  }
  j.whole = shape{how == joint::columns ? first[0] : rows, how == joint::rows ? first[1] : columns};
  j.whole.check();
  return j;
}

// The parts in one format, and their values one behind the other.
struct same_parts {
  list<sparse_parts> all;
  format layout;
  handle values;
  const sparse_entries* like;  // of the widest indices
  std::int64_t count, longest;
  bool is_sorted, is_canonical;
  const sparse_entries& operator[](std::size_t i) const { return entries_of(all[i]); }
  std::size_t size() const { return all.size(); }
};
same_parts made_same(const sparse_parts* parts, std::size_t count) {
  same_parts same{{}, made_format(parts[0]), {}, nullptr, 0, 0, true, true};
  list<node*> values;
  for (std::size_t i = 0; i < count; ++i) {
    same.all.push_back(convert(parts[i], same.layout));
    const sparse_entries& e = same[i];
    if (!same.like || e.index() == dtype::int64) same.like = &e;
    same.count = runtime::grown(same.count, e.count);
    same.longest = std::max(same.longest, e.longest);
    same.is_sorted = same.is_sorted && e.is_sorted;
    same.is_canonical = same.is_canonical && e.is_canonical;
    values.push_back(same.all[i].data.get());
  }
  same.values = handle(make_joined(values.data(), values.size(), 0));
  return same;
}

// The places on the minor axis, part after part, moved to where the parts are.
handle moved_minors(const same_parts& parts, const place_list& across, dtype index) {
  list<handle> held;
  list<node*> minor;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    held.push_back(astype(astype(term(parts[i].minor), dtype::int64) + across[i], index).held());
    minor.push_back(held.back().get());
  }
  return handle(make_joined(minor.data(), minor.size(), 0));
}

sparse_parts joined_entries(const same_parts& parts, std::int64_t minors, std::int64_t longest, const handle& minor,
                            const handle& major, const term& values) {
  return {runtime::make_structure(parts.layout, std::make_shared<const sparse_entries>(runtime::sparse_places{
                                                    true, shape_of(major.get())[0] - 1, minors, parts.count, longest,
                                                    parts.is_sorted, parts.is_canonical, major, minor})),
          runtime::evaluated(values).held()};
}

sparse_parts rows_in_turn(const same_parts& parts, const place_list& across, dtype index, std::int64_t minors) {
  list<handle> held;
  list<node*> major;
  std::int64_t before = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const term starts = astype(term(parts[i].major), dtype::int64) + before;
    held.push_back(astype(i == 0 ? starts : starts.along(0, slice(1, starts.extent(0))), index).held());
    major.push_back(held.back().get());
    before += parts[i].count;
  }
  const handle all[] = {moved_minors(parts, across, index), handle(make_joined(major.data(), major.size(), 0))};
  node* const wanted[] = {all[0].get(), all[1].get()};
  node* made[2];
  evaluate_all(wanted, made, 2, where{});
  return joined_entries(parts, minors, parts.longest, handle(made[0]), handle(made[1]), term(parts.values));
}

// Which entry of the parts, one behind the other, comes at each place; rows begin at `begin`.
template <class Index>
list<Index> order_of_rows(const list<place_list>& starts, const place_list& begin) {
  list<Index> order(at(begin.back()));
  place_list next(begin.begin(), begin.end() - 1);
  std::int64_t before = 0;
  for (const place_list& of : starts) {
    for (std::size_t r = 0; r < next.size(); ++r)
      for (std::int64_t k = of[r]; k < of[r + 1]; ++k) order[at(next[r]++)] = static_cast<Index>(before + k);
    before += of.back();
  }
  return order;
}

sparse_parts rows_side_by_side(const same_parts& parts, const place_list& across, dtype index, std::int64_t minors) {
  list<place_list> starts;
  for (std::size_t i = 0; i < parts.size(); ++i) starts.push_back(read_places(parts[i].major));
  place_list begin(starts[0].size());
  for (const place_list& of : starts)
    std::transform(begin.begin(), begin.end(), of.begin(), begin.begin(), std::plus<>());
  const handle order = index == dtype::int64 ? runtime::make_index_array(order_of_rows<std::int64_t>(starts, begin))
                                             : runtime::make_index_array(order_of_rows<std::int32_t>(starts, begin));
  const handle minor(evaluated(runtime::values_at(term(moved_minors(parts, across, index)), order, false)).take());
  return joined_entries(parts, minors, longest_of(begin), minor, runtime::make_index_array(begin, index),
                        runtime::values_at(term(parts.values), order, false));
}

// ---- diagonals

shape shape_of_diagonals(const diagonal_parts& d) {
  // The lowest offset has no opposite; one beside it is as far out of reach.
  const std::int64_t k = d.offset < 0 ? -std::max(d.offset, -std::numeric_limits<std::int64_t>::max()) : d.offset;
  const std::int64_t n = runtime::grown(shape_of(d.values.get())[0], k);
  return {n, n};
}

void check_diagonal(const diagonal_parts& d, const shape& s, bool may_repeat) {
  const std::int64_t there = shape_of(d.values.get())[0], length = length_of_diagonal(s, d.offset);
  if (length > 0 && (there == length || (there == 1 && may_repeat))) return;
  throw shape_error(message("sinter: diagonal %lld of a sparse array of shape %s, of %lld elements",
                            static_cast<long long>(d.offset), to_string(s).c_str(), static_cast<long long>(there))
                        .c_str());
}

// Those of `count` diagonals whose values lie one behind the other, row by row: from left to right.
row_list rows_of_diagonals(const diagonal_parts* all, std::size_t count, const shape& s) {
  list<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return all[a].offset < all[b].offset; });
  place_list before{0};
  for (std::size_t d = 0; d < count; ++d) before.push_back(before.back() + length_of_diagonal(s, all[d].offset));
  row_list l;
  l.reserve(s[0], before.back());
  for (std::size_t d = 1; d < count; ++d)
    l.is_canonical = l.is_canonical && all[order[d]].offset != all[order[d - 1]].offset;
  for (std::int64_t row = 0; row < s[0]; ++row) {
    for (const std::size_t d : order) {
      const std::int64_t k = all[d].offset, along = row - std::max<std::int64_t>(-k, 0);
      if (along >= 0 && along < before[d + 1] - before[d]) l.add(row + k, before[d] + along);
    }
    l.end_row();
  }
  return l;
}

// One alone, which needs no list.
sparse_parts diagonal_alone(const term& values, std::int64_t k, const shape& s, const sparse_entries& like) {
  const std::int64_t down = std::max<std::int64_t>(-k, 0), across = std::max<std::int64_t>(k, 0);
  const std::int64_t length = values.extent(0);
  const dtype index = runtime::index_for(s[0], s[1], length);
  const auto positions = [](std::int64_t n) { return term::made(make_positions(shape{n})); };
  const term begun = runtime::apply(op::maximum, {positions(s[0] + 1) - down, term(0)});
  const term all[] = {astype(positions(length) + across, index),
                      astype(runtime::apply(op::minimum, {begun, term(length)}), index)};
  const device_scope on(like.device());
  node* const wanted[] = {all[0].get(), all[1].get()};
  node* made[2];
  evaluate_all(wanted, made, 2, where{});
  const handle minor(made[0]), major(made[1]);
  return {runtime::make_structure(format::csr, std::make_shared<const sparse_entries>(runtime::sparse_places{
                                                   true, s[0], s[1], length, 1, true, true, major, minor})),
          values.held()};
}

}  // namespace

sparse_parts join_sparse(const sparse_parts* parts, std::size_t count, joint how) try {
  if (count == 0) throw shape_error("sinter: a join of no sparse arrays");
  const joined_shape j = joined(parts, count, how);
  const same_parts same = made_same(parts, count);
  const bool by_row = same.layout == format::csr;
  const device_scope on(same.like->device());
  const place_list& across = by_row ? j.across : j.down;
  const std::int64_t majors = j.whole[by_row ? 0 : 1], minors = j.whole[by_row ? 1 : 0];
  const dtype index =
      same.like->index() == dtype::int64 ? dtype::int64 : runtime::index_for(majors, minors, same.count);
  const bool in_turn = how != (by_row ? joint::columns : joint::rows);
  return (in_turn ? rows_in_turn : rows_side_by_side)(same, across, index, minors);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

sparse_parts make_of_diagonals(const diagonal_parts* all, std::size_t count, dtype t, const shape* given) try {
  if (count == 0 && !given) throw shape_error("sinter: a sparse array of no diagonals has no shape");
  for (std::size_t i = 0; i < count; ++i)
    if (shape_of(all[i].values.get()).size() != 1)
      throw shape_error(
          message("sinter: a diagonal of shape %s", to_string(shape_of(all[i].values.get())).c_str()).c_str());
  const shape s = given ? *given : shape_of_diagonals(all[0]);
  const sparse_parts empty = make_empty_sparse(t, format::csr, s);
  if (count == 0) return empty;
  list<handle> held;
  list<node*> values;
  for (std::size_t d = 0; d < count; ++d) {
    check_diagonal(all[d], s, given != nullptr);
    held.push_back(term(all[d].values).broadcast_to(shape{length_of_diagonal(s, all[d].offset)}).held());
    values.push_back(held.back().get());
  }
  if (count == 1) return diagonal_alone(term(held[0]), all[0].offset, s, entries_of(empty));
  return assembled(rows_of_diagonals(all, count, s), format::csr, s,
                   term::made(make_joined(values.data(), values.size(), 0)), entries_of(empty));
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace sinter::detail
