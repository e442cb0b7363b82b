// Sparse arrays put together from others and taken apart: the host lists where entries go and which value each has; values stay
// expressions.
#include <sinter/sparse_construct.hpp>

#include <algorithm>
#include <new>
#include <utility>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/sparse_entries.hpp"

namespace sinter::detail {

using runtime::at, runtime::entries_ref, runtime::made_format, runtime::place_list, runtime::read_majors,
    runtime::read_places, runtime::size_of, runtime::structure_of, runtime::term, runtime::values_at;
using sparse::format;

namespace {

// Entries in any order: where they go, and which value each has.
struct entry_list {
  place_list major, minor, from;
  void add(std::int64_t to_major, std::int64_t to_minor, std::int64_t value) {
    major.push_back(to_major);
    minor.push_back(to_minor);
    from.push_back(value);
  }
};

const runtime::sparse_entries& entries_of(const sparse_parts& p) { return *structure_of(p.structure).entries; }

sparse_parts assembled(const entry_list& l, format f, const shape& s, const term& values,
                       const runtime::sparse_entries& like) {
  s.check();
  const bool by_row = f != format::csc;
  runtime::placed_entries made = put_in_place(l.major, l.minor, s[by_row ? 0 : 1], s[by_row ? 1 : 0], like);
  place_list from(made.order.size());
  std::transform(made.order.begin(), made.order.end(), from.begin(), [&](std::int64_t k) { return l.from[at(k)]; });
  const device_scope on(like.device());
  return {runtime::make_structure(f, std::move(made.entries)), values_at(values, from).held()};
}

// ---- picks

// The indices that are picked of an axis.
place_list picked_of(const axis_pick& p, std::int64_t extent, int axis, const shape& s) {
  if (p.indices().get()) {
    if (shape_of(p.indices().get()).size() != 1)
      throw shape_error(message("sinter: rows and columns of a sparse array are picked by indices of one axis, not %s",
                                to_string(shape_of(p.indices().get())).c_str())
                            .c_str());
    place_list all = read_places(p.indices());
    for (std::int64_t& i : all) i = runtime::wrapped(i, extent, axis, s);
    return all;
  }
  if (p.item().what == index_item::all) {
    place_list all(at(extent));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
    return all;
  }
  if (p.item().what == index_item::integer) return place_list{runtime::wrapped(p.item().start, extent, axis, s)};
  const runtime::range r = runtime::clipped(p.item(), extent);
  place_list all(at(r.length));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = r.start + r.step * static_cast<std::int64_t>(i);
  return all;
}

// Where each index of an axis goes, which may be several places: those of index i are from starts[i] on.
struct places_by_index {
  place_list starts, places;
};
places_by_index inverse(const place_list& picked, std::int64_t extent) {
  places_by_index m{place_list(at(extent) + 1), place_list(picked.size())};
  for (const std::int64_t i : picked) ++m.starts[at(i) + 1];
  for (std::size_t i = 0; i < at(extent); ++i) m.starts[i + 1] += m.starts[i];
  place_list next(m.starts.begin(), m.starts.end() - 1);
  for (std::size_t to = 0; to < picked.size(); ++to)
    m.places[at(next[at(picked[to])]++)] = static_cast<std::int64_t>(to);
  return m;
}

// ---- joins

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
  return j;
}

// ---- diagonals

std::int64_t length_of_diagonal(const shape& s, std::int64_t k) {
  if (k > s[1] || k < -s[0]) return 0;
  return std::max<std::int64_t>(0, std::min(s[0] + std::min<std::int64_t>(k, 0), s[1] - std::max<std::int64_t>(k, 0)));
}

shape shape_of_diagonals(const diagonal_parts& d) {
  const std::int64_t k = d.offset < 0 ? -d.offset : d.offset, n = runtime::grown(shape_of(d.values.get())[0], k);
  return {n, n};
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
  const runtime::sparse_entries& e = *s.entries;
  const shape from = s.extents();
  const bool by_row = s.format == format::csr;
  const place_list down = picked_of(rows, from[0], 0, from), across = picked_of(columns, from[1], 1, from);
  const place_list &majors = by_row ? down : across, &minors = by_row ? across : down;
  const places_by_index goes = inverse(minors, e.minors);
  const place_list starts = read_places(e.major), minor = read_places(e.minor);
  entry_list l;
  for (std::size_t to = 0; to < majors.size(); ++to)
    for (std::int64_t k = starts[at(majors[to])]; k < starts[at(majors[to]) + 1]; ++k) {
      const std::size_t m = at(minor[at(k)]);
      for (std::int64_t i = goes.starts[m]; i < goes.starts[m + 1]; ++i)
        l.add(static_cast<std::int64_t>(to), goes.places[at(i)], k);
    }
  return assembled(l, s.format, {size_of(down), size_of(across)}, term(p.data), e);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

node* make_sparse_element(const sparse_parts& p, std::int64_t i, std::int64_t j) {
  const shape s = structure_of(p.structure).extents();
  const auto is = [&](bool column, std::int64_t k) {
    return term::made(make_entry_index(p.structure, column)) == term(runtime::wrapped(k, s[column], column, s));
  };
  const term values(p.data), is_there = is(false, i) & is(true, j);
  return fold(reduction::sum, choose(is_there, values, runtime::number_node(term(0), values.type())),
              runtime::one_axis(0), false, values.type())
      .take();
}

sparse_parts make_sparse_triangle(const sparse_parts& p, std::int64_t k, bool lower) try {
  const format f = made_format(p);
  const sparse_parts x = convert(p, f);
  const runtime::sparse_entries& e = entries_of(x);
  const place_list major = read_majors(e), minor = read_places(e.minor);
  entry_list l;
  for (std::size_t i = 0; i < major.size(); ++i) {
    const std::int64_t above = f == format::csc ? major[i] - minor[i] : minor[i] - major[i];
    if (lower ? above <= k : above >= k) l.add(major[i], minor[i], static_cast<std::int64_t>(i));
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

sparse_parts join_sparse(const sparse_parts* parts, std::size_t count, joint how) try {
  if (count == 0) throw shape_error("sinter: a join of no sparse arrays");
  const format f = made_format(parts[0]);
  const joined_shape j = joined(parts, count, how);
  const bool by_row = f == format::csr;
  entry_list l;
  runtime::list<sparse_parts> same;
  runtime::list<node*> values;
  const runtime::sparse_entries* like = nullptr;
  std::int64_t before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    same.push_back(convert(parts[i], f));
    const runtime::sparse_entries& e = entries_of(same.back());
    if (!like || e.index() == dtype::int64) like = &e;
    const place_list major = read_majors(e), minor = read_places(e.minor);
    const std::int64_t down = by_row ? j.down[i] : j.across[i], across = by_row ? j.across[i] : j.down[i];
    for (std::size_t n = 0; n < major.size(); ++n)
      l.add(major[n] + down, minor[n] + across, before + static_cast<std::int64_t>(n));
    before += e.count;
    values.push_back(same.back().data.get());
  }
  return assembled(l, f, j.whole, term::made(make_joined(values.data(), values.size(), 0)), *like);
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
  entry_list l;
  runtime::list<handle> held;
  runtime::list<node*> values;
  std::int64_t before = 0;
  for (std::size_t d = 0; d < count; ++d) {
    const std::int64_t k = all[d].offset, length = length_of_diagonal(s, k);
    const std::int64_t there = shape_of(all[d].values.get())[0];
    if (length <= 0 || (there != length && !(there == 1 && given)))
      throw shape_error(message("sinter: diagonal %lld of a sparse array of shape %s, of %lld elements",
                                static_cast<long long>(k), to_string(s).c_str(), static_cast<long long>(there))
                            .c_str());
    held.push_back(term(all[d].values).broadcast_to(shape{length}).held());
    values.push_back(held.back().get());
    for (std::int64_t i = 0; i < length; ++i)
      l.add(i + std::max<std::int64_t>(-k, 0), i + std::max<std::int64_t>(k, 0), before + i);
    before += length;
  }
  if (values.empty()) return empty;
  return assembled(l, format::csr, s, term::made(make_joined(values.data(), values.size(), 0)), entries_of(empty));
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace sinter::detail
