// Sparse arrays made, converted and used. What depends on indices alone is found once and kept with them; values stay expressions.
#include <sinter/sparse.hpp>

#include <algorithm>
#include <new>
#include <utility>

#include <sinter/create.hpp>
#include <sinter/error.hpp>
#include <sinter/eval.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/search.hpp"
#include "runtime/frontend/sparse_entries.hpp"
#include "runtime/launch/scatter.hpp"
#include "runtime/library/call.hpp"
#include "runtime/library/sparse.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::detail {

using runtime::arrangement, runtime::as_array_node, runtime::astype, runtime::choose, runtime::entries_ref,
    runtime::evaluated, runtime::term, runtime::structure_of, runtime::typed;
using sparse::format;

namespace {

using long_list = lazy<std::int64_t>;

long_list numbers(const handle& n) { return long_list(astype(term(n), dtype::int64).take()); }
sparse_parts parts_of(format f, entries_ref e, const term& values) {
  return {runtime::make_structure(f, std::move(e)), handle(values.take())};
}

// Positions 0, 1, 2, ... of the entries.
term positions_of(const runtime::sparse_entries& e, dtype type) {
  return astype(term::made(make_positions(shape{e.count})), type);
}
// The row of each entry; of compressed ones on a GPU, and while a graph is captured, by a search.
term majors_of(const runtime::sparse_entries& e) {
  if (!e.is_compressed) return astype(term(e.major), dtype::int64);
  if (const handle all = e.expanded_majors()) return astype(term(all), dtype::int64);
  return runtime::count_before(astype(term(e.major), dtype::int64), positions_of(e, dtype::int64), true) - 1;
}
term index_of_entries(const runtime::sparse_structure& s, bool of_columns) {
  const bool of_minor = of_columns != (s.format == format::csc);
  return of_minor ? astype(term(s.entries->minor), dtype::int64) : majors_of(*s.entries);
}

// ---- made of a matrix

// Compressed along the rows of a matrix.
sparse_parts rows_of(const term& dense) {
  const std::int64_t rows = dense.extent(0), columns = dense.extent(1);
  const term matrix = evaluated(dense);
  const device_scope on(device_of(matrix.get()));
  const term zero = runtime::number_node(term(0), matrix.type());
  const std::vector<handle> along = make_nonzero((matrix != zero).get());
  const std::int64_t count = shape_of(along[0].get())[0];
  const term row(along[0]), column(along[1]);
  const dtype index = runtime::index_for(rows, columns, count);
  const term starts = runtime::count_before(row, term::made(make_positions(shape{rows + 1})), false);
  const term values = count == 0 ? zero.broadcast_to(shape{0}) : runtime::taken(matrix.flat(), row * columns + column);
  const term casts[] = {astype(column, index), astype(starts, index)};
  node* const wanted[] = {values.get(), casts[0].get(), casts[1].get()};
  node* made[3];
  evaluate_all(wanted, made, 3, where{});
  const handle data(made[0]), minor(made[1]), major(made[2]);
  std::int64_t longest = 0;
  if (rows > 0) {
    const long_list m = numbers(major);
    longest = sinter::max(m(slice(1, _)) - m(slice(0, -1))).item();
  }
  return parts_of(format::csr,
                  std::make_shared<const runtime::sparse_entries>(
                      runtime::sparse_places{true, rows, columns, count, longest, true, true, major, minor}),
                  term(data));
}

// ---- made of indices

[[noreturn]] void refuse(const std::string& why) { throw shape_error(("sinter: a sparse array " + why).c_str()); }
std::string text(std::int64_t n) { return std::to_string(n); }

struct bounds {
  std::int64_t low = 0, high = -1;
};
bounds bounds_of(const long_list& indices) {
  if (indices.size() == 0) return {};
  const auto [low, high] = eval(sinter::min(indices), sinter::max(indices));
  return {low.item(), high.item()};
}
void check_bounds(const bounds& b, std::int64_t extent, const char* what) {
  if (b.low >= 0 && b.high < extent) return;
  throw index_error(message("sinter: an entry of a sparse array lies in %s %lld, of which there are %lld", what,
                            static_cast<long long>(b.low < 0 ? b.low : b.high), static_cast<long long>(extent))
                        .c_str());
}

// How many entries come before their left neighbour of the same row, and how many not behind it.
std::pair<std::int64_t, std::int64_t> disorder(const long_list& major, const long_list& minor, std::int64_t count) {
  if (count < 2) return {0, 0};
  const long_list left = minor(slice(0, -1)), right = minor(slice(1, _));
  const auto [falls, stays] = eval(sum<std::int64_t>(right < left), sum<std::int64_t>(right <= left));
  std::int64_t before = falls.item(), equal = stays.item();
  if (before == 0 && equal == 0) return {0, 0};
  // The first entry of a row has no such neighbour.
  const long_list begin = major(slice(0, -1)), end = major(slice(1, _));
  const lazy<bool> has_left = (begin < end) && (begin > 0);
  const long_list at = sinter::where(has_left, begin, std::int64_t{1});
  const long_list mine = minor(at), other = minor(at - 1);
  const auto [first_falls, first_stays] =
      eval(sum<std::int64_t>(has_left && (mine < other)), sum<std::int64_t>(has_left && (mine <= other)));
  return {before - first_falls.item(), equal - first_stays.item()};
}

entries_ref checked_rows(handle minor, handle major, std::int64_t majors, std::int64_t minors, bool knows_minors,
                         const char* of_major, const char* of_minor) {
  const long_list m = numbers(major), n = numbers(minor);
  const std::int64_t count = n.size();
  const std::int64_t first = m(0).item(), last = m(-1).item();
  std::int64_t longest = 0;
  if (majors > 0) {
    const long_list lengths = m(slice(1, _)) - m(slice(0, -1));
    const bounds b = bounds_of(lengths);
    longest = b.high;
    if (b.low < 0) refuse(std::string("has ") + of_major + "s that begin before the ones before them");
  }
  if (first != 0 || last != count)
    refuse(std::string("has ") + text(count) + " entries, of which its " + of_major + "s have those from " +
           text(first) + " to " + text(last));
  const bounds b = bounds_of(n);
  if (!knows_minors) minors = runtime::grown(b.high, 1);
  check_bounds(b, minors, of_minor);
  static_cast<void>(shape{majors, minors});  // whose elements can be counted
  const auto [falls, stays] = disorder(m, n, count);
  return std::make_shared<const runtime::sparse_entries>(runtime::sparse_places{
      true, majors, minors, count, longest, falls == 0, stays == 0, std::move(major), std::move(minor)});
}

entries_ref checked_pairs(handle minor, handle major, const shape* s) {
  const long_list rows = numbers(major), columns = numbers(minor);
  const bounds r = bounds_of(rows), c = bounds_of(columns);
  const std::int64_t majors = s ? (*s)[0] : runtime::grown(r.high, 1);
  const std::int64_t minors = s ? (*s)[1] : runtime::grown(c.high, 1);
  check_bounds(r, majors, "row");
  check_bounds(c, minors, "column");
  static_cast<void>(shape{majors, minors});  // whose elements can be counted
  return std::make_shared<const runtime::sparse_entries>(runtime::sparse_places{
      false, majors, minors, rows.size(), rows.size(), false, false, std::move(major), std::move(minor)});
}

void require_one_axis(const term& t, const char* what) {
  if (t.rank() != 1) refuse(std::string("of ") + what + " of shape " + to_string(t.extents()));
}
void require_two_axes(const shape& s) {
  if (s.size() != 2) refuse("of shape " + to_string(s));
}

// ---- products

// Entries by rows.
struct by_rows {
  const runtime::sparse_entries& of;
  term values;
};
by_rows rows_of(const sparse_parts& p) {
  const runtime::sparse_structure& s = structure_of(p.structure);
  const term values(p.data);
  if (s.format == format::csr) return {*s.entries, values};
  const arrangement& a = s.format == format::csc ? s.entries->along_minor() : s.entries->along_major();
  return {*a.to, a.values(values)};
}

term zeros_of(dtype t, const shape& s) { return runtime::number_node(term(0), t).broadcast_to(s); }

// On a CPU, entries that are not row by row add to their rows as they lie: in order they would have to be brought first, and their values
// each time.
bool adds_as_it_lies(const sparse_parts& p) {
  const runtime::sparse_structure& s = structure_of(p.structure);
  return s.format != format::csr && s.entries->device() == device::cpu();
}
runtime::sparse_scattered scattered(const sparse_parts& p) {
  const runtime::sparse_structure& s = structure_of(p.structure);
  const runtime::sparse_entries& e = *s.entries;
  const bool is_coo = s.format == format::coo;
  return {p.data, is_coo ? e.major : e.minor, is_coo ? e.minor : e.major, s.rows(), e.count, e.majors, !is_coo};
}

// The sums of each row's values.
term row_sums(const sparse_parts& p) {
  const runtime::sparse_structure& s = structure_of(p.structure);
  if (s.entries->count == 0 || s.rows() == 0) return zeros_of(term(p.data).type(), shape{s.rows()});
  if (adds_as_it_lies(p)) return term(runtime::make_scattered_call(scattered(p), nullptr));
  const by_rows r = rows_of(p);
  const runtime::sparse_entries& e = r.of;
  return term(runtime::make_product_call({{}, positions_of(e, e.index()).held(), e.major, e.majors, e.count, e.longest},
                                         r.values));
}

sparse_parts transposed(const sparse_parts& p) { return {transpose(p.structure), p.data}; }

[[noreturn]] void throw_unequal(const char* order, const shape& a, const shape& b) {
  throw shape_error(
      message("sinter: matmul of %s of shapes %s and %s", order, to_string(a).c_str(), to_string(b).c_str()).c_str());
}

term product(const sparse_parts& p, const term& x) {
  const shape s = structure_of(p.structure).extents();
  shape to = x.extents();
  to[0] = s[0];
  if (to.elements() == 0 || structure_of(p.structure).entries->count == 0) return zeros_of(x.type(), to);
  if (adds_as_it_lies(p)) return term(runtime::make_scattered_call(scattered(p), &x));
  const by_rows r = rows_of(p);
  return term(runtime::make_product_call({r.values.held(), r.of.minor, r.of.major, s[0], r.of.count, r.of.longest}, x));
}

// ---- dense

class dense_call final : public runtime::library_call {
 public:
  dense_call(dtype t, const shape& s, bool is_canonical)
      : library_call(t, s), fold_(is_canonical ? codegen::scatter_fold::last : codegen::scatter_fold::sum) {}
  std::string name() const override { return "sparse array of shape " + to_string(results[0].extents) + " made dense"; }

  void enqueue(runtime::call_operands operands, runtime::call_results made, runtime::stream_state& on) const override {
    const array_node &at = *operands[0], &values = *operands[1];
    array_node& to = *made[0];
    on.device.zero(to.data(), runtime::byte_size(to), on);
    const runtime::scattered all{fold_,
                                 to.type,
                                 to.data(),
                                 reinterpret_cast<const std::int64_t*>(at.data()),
                                 values.data(),
                                 at.extents.elements(),
                                 to.extents.elements()};
    const std::size_t size = runtime::scatter_notes(all, on.device);
    runtime::storage_holder notes(size == 0 ? nullptr : runtime::make_storage(size, on));
    runtime::scatter(all, notes.get() ? notes.get()->data : nullptr, on);
  }

 private:
  const codegen::scatter_fold fold_;
};

}  // namespace

// ---- the seam

sparse_facts sparse_facts_of(const structure_handle& h) {
  const runtime::sparse_structure& s = structure_of(h);
  const runtime::sparse_entries& e = *s.entries;
  return {s.format, s.rows(), s.columns(), e.count, e.index(), e.is_sorted, e.is_canonical};
}

sparse_parts make_sparse(handle dense, format f) try {
  const term matrix(std::move(dense));
  require_two_axes(matrix.extents());
  if (f == format::csc) {
    const sparse_parts p = rows_of(term::made(make_transpose(matrix.get(), nullptr, 0)));
    return transposed(p);
  }
  const sparse_parts p = rows_of(matrix);
  return convert(p, f);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

sparse_parts make_sparse(handle data, handle minor, handle major, format f, const shape* s) try {
  if (s) require_two_axes(*s);
  const term values(std::move(data)), first(std::move(minor)), second(std::move(major));
  require_one_axis(values, "values");
  require_one_axis(first, "indices");
  require_one_axis(second, "indices");
  if (first.extent(0) != values.extent(0) || (f == format::coo && second.extent(0) != values.extent(0)))
    refuse("of " + text(values.extent(0)) + " values and " +
           text(first.extent(0) != values.extent(0) ? first.extent(0) : second.extent(0)) + " indices");
  const bool is_row = f == format::csr;
  const std::int64_t majors = f == format::coo ? 0 : second.extent(0) - 1;
  if (majors < 0 || (s && f != format::coo && majors != (*s)[is_row ? 0 : 1]))
    refuse("of " + text(second.extent(0)) + " places where its " + (is_row ? "rows" : "columns") + " begin" +
           (s ? " and shape " + to_string(*s) : ""));
  const bool is_wide = first.type() == dtype::int64 || second.type() == dtype::int64;
  const dtype index = is_wide || first.type() == dtype::uint64 || second.type() == dtype::uint64 ||
                              first.type() == dtype::uint32 ||
                              (s && runtime::index_for((*s)[0], (*s)[1], values.extent(0)) == dtype::int64)
                          ? dtype::int64
                          : dtype::int32;
  const term narrow[] = {astype(first, index), astype(second, index)};
  node* const wanted[] = {narrow[0].get(), narrow[1].get()};
  node* made[2];
  evaluate_all(wanted, made, 2, where{});
  handle one(made[0]), other(made[1]);
  const device_scope on(device_of(one.get()));
  entries_ref e = f == format::coo
                      ? checked_pairs(std::move(one), std::move(other), s)
                      : checked_rows(std::move(one), std::move(other), majors, s ? (*s)[is_row ? 1 : 0] : 0,
                                     s != nullptr, is_row ? "row" : "column", is_row ? "column" : "row");
  return parts_of(f, std::move(e), values);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

sparse_parts make_empty_sparse(dtype type, format f, const shape& s) try {
  require_two_axes(s);
  s.check();
  const std::int64_t majors = f == format::csc ? s[1] : s[0], minors = f == format::csc ? s[0] : s[1];
  const dtype index = runtime::index_for(majors, minors, 0);
  const handle minor(make_zeros(index, shape{0})), major(make_zeros(index, shape{f == format::coo ? 0 : majors + 1}));
  return parts_of(f,
                  std::make_shared<const runtime::sparse_entries>(
                      runtime::sparse_places{f != format::coo, majors, minors, 0, 0, true, true, major, minor}),
                  term::made(make_zeros(type, shape{0})));
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

sparse_parts convert(const sparse_parts& p, format to) try {
  const runtime::sparse_structure& s = structure_of(p.structure);
  const term values(p.data);
  if (s.format == to) return p;
  if (to == format::coo) {
    const runtime::sparse_entries& e = *s.entries;
    handle major = e.expanded_majors();  // of what keeps them no second copy
    if (major.get() == nullptr) major = handle(evaluated(astype(majors_of(e), e.index())).take());
    const bool is_row = s.format == format::csr;
    return parts_of(to,
                    std::make_shared<const runtime::sparse_entries>(runtime::sparse_places{
                        false, s.rows(), s.columns(), e.count, e.count, is_row && e.is_sorted, is_row && e.is_canonical,
                        is_row ? major : e.minor, is_row ? e.minor : major}),
                    values);
  }
  const bool by_major = s.format == format::coo && to == format::csr;
  const arrangement& a = by_major ? s.entries->along_major() : s.entries->along_minor();
  return parts_of(to, a.to, evaluated(a.values(values)));
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

structure_handle transpose(const structure_handle& h) try {
  const runtime::sparse_structure& s = structure_of(h);
  if (s.format != format::coo)
    return runtime::make_structure(s.format == format::csr ? format::csc : format::csr, s.entries);
  const runtime::sparse_entries& e = *s.entries;
  return runtime::make_structure(format::coo,
                                 std::make_shared<const runtime::sparse_entries>(runtime::sparse_places{
                                     false, e.minors, e.majors, e.count, e.count, false, false, e.minor, e.major}));
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

namespace {
sparse_parts put_in_order(const sparse_parts& p, bool merges) try {
  const runtime::sparse_structure& s = structure_of(p.structure);
  if (s.entries->is_canonical || (s.entries->is_sorted && !merges)) return p;
  if (s.format == format::coo) {
    if (!merges) refuse("of format coo has no sorted indices: tocsr() has");
    return convert(convert(p, format::csr), format::coo);
  }
  const arrangement a = runtime::sorted(*s.entries, merges);
  return parts_of(s.format, a.to, evaluated(a.values(term(p.data))));
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}
}  // namespace

sparse_parts sort_indices(const sparse_parts& p) { return put_in_order(p, false); }
sparse_parts sum_duplicates(const sparse_parts& p) { return put_in_order(p, true); }

sparse_parts eliminate_zeros(const sparse_parts& p) try {
  const runtime::sparse_structure& s = structure_of(p.structure);
  const runtime::sparse_entries& e = *s.entries;
  const term values = evaluated(term(p.data));
  const device_scope on(device_of(values.get()));
  const handle kept(make_nonzero((values != runtime::number_node(term(0), values.type())).get())[0].take());
  const std::int64_t count = shape_of(kept.get())[0];
  if (count == e.count) return {p.structure, values.held()};
  const auto picked = [&](const handle& of) {
    return count == 0 ? handle(make_zeros(typed(of.get())->type, shape{0}))
                      : handle(evaluated(runtime::taken(term(of), term(kept))).take());
  };
  const handle minor = picked(e.minor);
  handle major;
  std::int64_t longest = count;
  if (e.is_compressed) {
    // Rows begin where as many entries as before them stay.
    major = handle(
        evaluated(astype(runtime::count_before(term(kept), astype(term(e.major), dtype::int64), false), e.index()))
            .take());
    const long_list m = numbers(major);
    longest = e.majors == 0 ? 0 : sinter::max(m(slice(1, _)) - m(slice(0, -1))).item();
  } else {
    major = picked(e.major);
  }
  return parts_of(s.format,
                  std::make_shared<const runtime::sparse_entries>(runtime::sparse_places{
                      e.is_compressed, e.majors, e.minors, count, longest, e.is_sorted, e.is_canonical, major, minor}),
                  term(picked(values.held())));
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

node* make_entry_index(const structure_handle& h, bool of_columns) {
  return index_of_entries(structure_of(h), of_columns).take();
}

node* make_structure_array(const structure_handle& h, bool of_major) {
  const runtime::sparse_entries& e = *structure_of(h).entries;
  return astype(term(of_major ? e.major : e.minor), dtype::int64).take();
}

node* make_dense(const sparse_parts& p) {
  const runtime::sparse_structure& s = structure_of(p.structure);
  const term values(p.data);
  const shape to = s.extents();
  if (s.entries->count == 0 || to.elements() == 0) return zeros_of(values.type(), to).take();
  const term at = index_of_entries(s, false) * s.columns() + index_of_entries(s, true);
  return runtime::make_call<dense_call>({at.held(), p.data}, values.type(), to, s.entries->is_canonical).take();
}

node* make_sparse_product(const sparse_parts& p, handle of) {
  const term x(std::move(of));
  const shape s = structure_of(p.structure).extents();
  if (x.rank() < 1 || x.rank() > 2 || x.extent(0) != s[1]) throw_unequal("a sparse array and an array", s, x.extents());
  return product(p, x).take();
}

node* make_product_with_sparse(handle of, const sparse_parts& p) {
  const term x(std::move(of));
  const shape s = structure_of(p.structure).extents();
  if (x.rank() < 1 || x.rank() > 2 || x.extent(x.rank() - 1) != s[0])
    throw_unequal("an array and a sparse array", x.extents(), s);
  if (x.rank() == 1) return product(transposed(p), x).take();
  const term turned = product(transposed(p), term::made(make_transpose(x.get(), nullptr, 0)));
  return make_transpose(turned.get(), nullptr, 0);
}

node* make_sparse_sum(const sparse_parts& p, std::int64_t axis) {
  const bool along_columns = runtime::checked_axis(axis, 2, "a sum of a sparse array") == 1;
  return row_sums(along_columns ? p : transposed(p)).take();
}

node* make_sparse_diagonal(const sparse_parts& p, std::int64_t k) {
  const runtime::sparse_structure& s = structure_of(p.structure);
  const term values(p.data);
  const std::int64_t rows = s.rows(), columns = s.columns();
  const std::int64_t length = std::min(rows + std::min<std::int64_t>(k, 0), columns - std::max<std::int64_t>(k, 0));
  if (length <= 0) return zeros_of(values.type(), shape{0}).take();
  const term is_there = index_of_entries(s, true) == index_of_entries(s, false) + k;
  const sparse_parts only{p.structure,
                          handle(choose(is_there, values, runtime::number_node(term(0), values.type())).take())};
  const std::int64_t first = std::max<std::int64_t>(-k, 0);
  return row_sums(only).along(0, slice(first, first + length)).take();
}

node* make_elements_at(const structure_handle& h, handle dense) {
  const runtime::sparse_structure& s = structure_of(h);
  const term all = term(std::move(dense)).broadcast_to(s.extents());
  runtime::view_maker v(all.get(), shape{s.entries->count});
  v.compute(0, index_of_entries(s, false).held(), false);
  v.compute(1, index_of_entries(s, true).held(), false);
  return v.made();
}

void check_values(const structure_handle& h, node* data) {
  const std::int64_t count = structure_of(h).entries->count;
  const shape& s = shape_of(data);
  if (s.size() != 1 || s[0] != count) refuse("of " + text(count) + " entries, with values of shape " + to_string(s));
}

}  // namespace sinter::detail
