// Sparse arrays taken apart, and the pairs of two: the host lists where entries go and which value each has.
#include <sinter/sparse_construct.hpp>

#include <algorithm>
#include <new>
#include <utility>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/sparse_lists.hpp"

namespace sinter::detail {

using runtime::at, runtime::entries_of, runtime::entry_list, runtime::length_of_diagonal, runtime::made_format,
    runtime::place_list, runtime::read_majors, runtime::read_places, runtime::row_list, runtime::size_of,
    runtime::structure_of, runtime::term, runtime::values_at;
using sparse::format;

namespace {

// ---- picks

// What is picked of an axis: indices one after the other, or a list of them.
struct picked {
  runtime::range run{.start = 0, .step = 1, .length = 0};
  place_list indices;
  bool is_list = false;

  std::int64_t size() const { return is_list ? size_of(indices) : run.length; }
  std::int64_t operator[](std::int64_t i) const { return is_list ? indices[at(i)] : run.start + run.step * i; }
  bool is_all_of(std::int64_t extent) const {
    return !is_list && run.start == 0 && run.length == extent && run.step == 1;
  }
  bool are_neighbours() const { return !is_list && (run.step == 1 || run.length <= 1); }
  bool rise() const {
    for (std::int64_t i = 1; i < size(); ++i)
      if ((*this)[i] <= (*this)[i - 1]) return false;
    return true;
  }
};
picked picked_of(const axis_pick& p, std::int64_t extent, int axis, const shape& s) {
  picked all;
  if (p.indices().get()) {
    if (shape_of(p.indices().get()).size() != 1)
      throw shape_error(message("sinter: rows and columns of a sparse array are picked by indices of one axis, not %s",
                                to_string(shape_of(p.indices().get())).c_str())
                            .c_str());
    all.is_list = true;
    all.indices = read_places(p.indices());
    for (std::int64_t& i : all.indices) i = runtime::wrapped(i, extent, axis, s);
  } else if (p.item().what == index_item::all) {
    all.run = {.start = 0, .step = 1, .length = extent};
  } else if (p.item().what == index_item::integer) {
    all.run = {.start = runtime::wrapped(p.item().start, extent, axis, s), .step = 1, .length = 1};
  } else {
    all.run = runtime::clipped(p.item(), extent);
  }
  return all;
}

// Where each index of an axis goes, which may be several places: those of index i are from starts[i] on.
struct places_by_index {
  place_list starts, places;
};
places_by_index inverse(const picked& p, std::int64_t extent) {
  places_by_index m{place_list(at(extent) + 1), place_list(at(p.size()))};
  for (std::int64_t to = 0; to < p.size(); ++to) ++m.starts[at(p[to]) + 1];
  for (std::size_t i = 0; i < at(extent); ++i) m.starts[i + 1] += m.starts[i];
  place_list next(m.starts.begin(), m.starts.end() - 1);
  for (std::int64_t to = 0; to < p.size(); ++to) m.places[at(next[at(p[to])]++)] = to;
  return m;
}

// Whole rows that are neighbours: their entries are, too.
sparse_parts neighbouring_rows(const sparse_parts& p, const runtime::range& rows) {
  const runtime::sparse_entries& e = entries_of(p);
  const device_scope on(e.device());
  const std::int64_t begin = rows.length == 0 ? 0 : rows.start;
  place_list starts = read_places(term(e.major).along(0, slice(begin, begin + rows.length + 1)).held());
  const std::int64_t first = starts[0];
  for (std::int64_t& k : starts) k -= first;
  const slice entries(first, first + starts.back());
  const handle minor(evaluated(term(e.minor).along(0, entries)).take());
  return {runtime::make_structure(structure_of(p.structure).format,
                                  std::make_shared<const runtime::sparse_entries>(runtime::sparse_places{
                                      true, rows.length, e.minors, starts.back(), longest_of(starts), e.is_sorted,
                                      e.is_canonical, runtime::make_index_array(starts, e.index()), minor})),
          term(p.data).along(0, entries).held()};
}

// Any whole rows: of their entries no host needs to know where they are.
sparse_parts whole_rows(const sparse_parts& p, const picked& rows, const shape& to) {
  const runtime::sparse_entries& e = entries_of(p);
  const device_scope on(e.device());
  place_list wanted(at(rows.size()));
  for (std::int64_t i = 0; i < rows.size(); ++i) wanted[at(i)] = rows[i];
  const term begin(runtime::make_index_array(wanted));
  const place_list starts = read_places(runtime::taken(term(e.major), begin).held());
  const place_list ends = read_places(runtime::taken(term(e.major), begin + 1).held());
  row_list l;
  l.is_sorted = e.is_sorted;
  l.is_canonical = e.is_canonical;
  for (std::size_t r = 0; r < starts.size(); ++r) {
    for (std::int64_t k = starts[r]; k < ends[r]; ++k) l.from.push_back(k);
    l.starts.push_back(size_of(l.from));
  }
  l.minor = read_places(values_at(term(e.minor), l.from).held());
  return assembled(l, structure_of(p.structure).format, to, term(p.data), e);
}

// Rows, and of each some columns, in whatever order these are wanted.
sparse_parts rows_and_columns(const sparse_parts& p, const picked& majors, const picked& minors, const shape& to) {
  const runtime::sparse_entries& e = entries_of(p);
  const places_by_index goes = inverse(minors, e.minors);
  const place_list starts = read_places(e.major), minor = read_places(e.minor);
  const auto each_entry = [&](std::int64_t row, auto add) {
    for (std::int64_t k = starts[at(majors[row])]; k < starts[at(majors[row]) + 1]; ++k) {
      const std::size_t m = at(minor[at(k)]);
      for (std::int64_t i = goes.starts[m]; i < goes.starts[m + 1]; ++i) add(goes.places[at(i)], k);
    }
  };
  const format f = structure_of(p.structure).format;
  if (!e.is_sorted || !minors.rise()) {
    entry_list l;
    for (std::int64_t r = 0; r < majors.size(); ++r)
      each_entry(r, [&](std::int64_t place, std::int64_t k) { l.add(r, place, k); });
    return assembled(l, f, to, term(p.data), e);
  }
  row_list l;
  l.is_canonical = e.is_canonical;
  for (std::int64_t r = 0; r < majors.size(); ++r) {
    each_entry(r, [&](std::int64_t place, std::int64_t k) { l.add(place, k); });
    l.end_row();
  }
  return assembled(l, f, to, term(p.data), e);
}

}  // namespace

matched_parts pair_sparse(const sparse_parts& a, const sparse_parts& b) try {
  const format f = made_format(a);
  const sparse_parts x = convert(a, f), y = convert(b, f);
  const runtime::sparse_entries &one = entries_of(x), &other = entries_of(y);
  const place_list major = read_majors(one), minor = read_places(one.minor);
  const place_list other_major = read_majors(other), other_minor = read_places(other.minor);
  const shape s{runtime::multiplied(one.majors, other.majors), runtime::multiplied(one.minors, other.minors)};
  s.check();
  entry_list l;
  for (std::size_t i = 0; i < major.size(); ++i)
    for (std::size_t j = 0; j < other_major.size(); ++j)
      l.add(major[i] * other.majors + other_major[j], minor[i] * other.minors + other_minor[j], 0);
  const runtime::sparse_entries& like = other.index() == dtype::int64 ? other : one;
  runtime::placed_entries made = put_in_place(l.major, l.minor, s[0], s[1], like);
  place_list left(made.order.size()), right(made.order.size());
  for (std::size_t k = 0; k < left.size(); ++k) {
    left[k] = made.order[k] / other.count;
    right[k] = made.order[k] % other.count;
  }
  const device_scope on(like.device());
  return {runtime::make_structure(f, std::move(made.entries)), values_at(term(x.data), left).held(),
          values_at(term(y.data), right).held()};
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

sparse_parts make_picked(const sparse_parts& p, const axis_pick& rows, const axis_pick& columns) try {
  const runtime::sparse_structure& s = structure_of(p.structure);
  const shape from = s.extents();
  const bool by_row = s.format == format::csr;
  const picked down = picked_of(rows, from[0], 0, from), across = picked_of(columns, from[1], 1, from);
  const picked &majors = by_row ? down : across, &minors = by_row ? across : down;
  const shape to{down.size(), across.size()};
  if (!minors.is_all_of(s.entries->minors)) return rows_and_columns(p, majors, minors, to);
  return majors.are_neighbours() ? neighbouring_rows(p, majors.run) : whole_rows(p, majors, to);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

node* make_sparse_element(const sparse_parts& p, std::int64_t i, std::int64_t j) {
  const runtime::sparse_structure& of = structure_of(p.structure);
  const runtime::sparse_entries& e = *of.entries;
  const shape s = of.extents();
  const std::int64_t row = runtime::wrapped(i, s[0], 0, s), column = runtime::wrapped(j, s[1], 1, s);
  term values(p.data), is_there = false;
  if (e.is_read_at_once()) {  // the row's or the column's entries alone
    const bool by_columns = of.format == format::csc;
    const std::int64_t first = by_columns ? column : row;
    std::int64_t ends[2];
    read_all(runtime::astype(term(e.major).along(0, slice(first, first + 2)), dtype::int64).get(), ends, 2, {}, {});
    values = values.along(0, slice(ends[0], ends[1]));
    is_there = term(e.minor).along(0, slice(ends[0], ends[1])) == term(by_columns ? row : column);
  } else {
    const auto is = [&](bool column_wise, std::int64_t k) {
      return term::made(make_entry_index(p.structure, column_wise)) == term(k);
    };
    is_there = is(false, row) & is(true, column);
  }
  return fold(reduction::sum, choose(is_there, values, runtime::number_node(term(0), values.type())),
              runtime::one_axis(0), false, values.type())
      .take();
}

sparse_parts make_sparse_triangle(const sparse_parts& p, std::int64_t k, bool lower) try {
  const format f = made_format(p);
  const sparse_parts x = convert(p, f);
  const runtime::sparse_entries& e = entries_of(x);
  const place_list starts = read_places(e.major), minor = read_places(e.minor);
  row_list l;
  l.is_sorted = e.is_sorted;
  l.is_canonical = e.is_canonical;
  for (std::int64_t r = 0; r < e.majors; ++r) {
    for (std::int64_t i = starts[at(r)]; i < starts[at(r) + 1]; ++i) {
      const std::int64_t m = minor[at(i)], above = f == format::csc ? r - m : m - r;
      if (lower ? above <= k : above >= k) l.add(m, i);
    }
    l.end_row();
  }
  return assembled(l, f, structure_of(x.structure).extents(), term(x.data), e);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

sparse_parts with_diagonal(const sparse_parts& p, handle values, std::int64_t k) try {
  const format given = structure_of(p.structure).format, f = made_format(p);
  const sparse_parts x = convert(p, f);
  const runtime::sparse_entries& e = entries_of(x);
  const shape s = structure_of(x.structure).extents();
  term diagonal(std::move(values));
  if (k >= s[1] || k <= -s[0]) {
    if (s[0] == 0 || s[1] == 0) return p;
    throw shape_error(
        message("sinter: diagonal %lld of a sparse array of shape %s", static_cast<long long>(k), to_string(s).c_str())
            .c_str());
  }
  std::int64_t length = length_of_diagonal(s, k);
  if (diagonal.rank() > 1)
    throw shape_error(message("sinter: setdiag of values of shape %s", to_string(diagonal.extents()).c_str()).c_str());
  if (diagonal.rank() == 0) diagonal = diagonal.broadcast_to(shape{length});
  length = std::min(length, diagonal.extent(0));
  const std::int64_t down = std::max<std::int64_t>(-k, 0), across = std::max<std::int64_t>(k, 0);
  const std::int64_t first = f == format::csc ? across : down, first_minor = f == format::csc ? down : across;
  const place_list major = read_majors(e), minor = read_places(e.minor);
  entry_list l;
  for (std::size_t i = 0; i < major.size(); ++i) {
    const std::int64_t along = major[i] - first;
    if (along != minor[i] - first_minor || along < 0 || along >= length)
      l.add(major[i], minor[i], static_cast<std::int64_t>(i));
  }
  for (std::int64_t i = 0; i < length; ++i) l.add(first + i, first_minor + i, e.count + i);
  const term all = runtime::joined({term(x.data), diagonal.along(0, slice(0, length))}, 0);
  return convert(assembled(l, f, s, all, e), given);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace sinter::detail
