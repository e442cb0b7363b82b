#include "runtime/frontend/sparse_entries.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

#include "runtime/frontend/sparse_lists.hpp"
#include "runtime/library/sparse.hpp"
#include "runtime/library/sparse_factors.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/current.hpp"

namespace sinter::runtime {

using namespace detail;

namespace {

// The row of each entry.
place_list expanded(const place_list& starts) {
  place_list rows(static_cast<std::size_t>(starts.back()));
  for (std::size_t r = 0; r + 1 < starts.size(); ++r)
    std::fill(rows.begin() + starts[r], rows.begin() + starts[r + 1], static_cast<std::int64_t>(r));
  return rows;
}

// Where each row's entries begin, if they are put in order of rows; and that order, in which those of a row stay as they were.
std::pair<place_list, place_list> counted(const place_list& rows, std::int64_t majors) {
  place_list starts(static_cast<std::size_t>(majors) + 1), order(rows.size());
  for (const std::int64_t r : rows) ++starts[static_cast<std::size_t>(r) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  place_list next(starts.begin(), starts.end() - 1);
  for (std::size_t k = 0; k < rows.size(); ++k)
    order[static_cast<std::size_t>(next[static_cast<std::size_t>(rows[k])]++)] = static_cast<std::int64_t>(k);
  return {std::move(starts), std::move(order)};
}

// Each row's part of the order in rising order of columns; those of one column stay as they were.
void sort_rows(const place_list& starts, const place_list& columns, place_list& order) {
  const auto is_less = [&](std::int64_t a, std::int64_t b) {
    const std::int64_t x = columns[static_cast<std::size_t>(a)], y = columns[static_cast<std::size_t>(b)];
    return x < y || (x == y && a < b);
  };
  for (std::size_t r = 0; r + 1 < starts.size(); ++r) {
    const auto begin = order.begin() + starts[r], end = order.begin() + starts[r + 1];
    if (!std::is_sorted(begin, end, is_less)) std::sort(begin, end, is_less);
  }
}

struct merged {
  place_list starts, columns, segments;
};
// Neighbours of one column become one.
merged merge(const place_list& starts, const place_list& columns, const place_list& order) {
  merged m;
  m.starts.push_back(0);
  m.segments.reserve(order.size() + 1);
  m.columns.reserve(order.size());
  for (std::size_t r = 0; r + 1 < starts.size(); ++r) {
    for (std::int64_t k = starts[r]; k < starts[r + 1]; ++k) {
      const std::int64_t c = columns[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])];
      if (k > starts[r] && c == m.columns.back()) continue;
      m.columns.push_back(c);
      m.segments.push_back(k);
    }
    m.starts.push_back(size_of(m.columns));
  }
  m.segments.push_back(size_of(order));
  return m;
}

// Has a row two entries of one column? They are neighbours.
bool has_pairs(const place_list& starts, const place_list& columns) {
  for (std::size_t r = 0; r + 1 < starts.size(); ++r) {
    const auto end = columns.begin() + starts[r + 1];
    if (std::adjacent_find(columns.begin() + starts[r], end) != end) return true;
  }
  return false;
}

// Entries put in order of rows.
arrangement arranged(const place_list& rows, const place_list& columns, std::int64_t majors, std::int64_t minors,
                     bool merges, const sparse_entries& like) {
  const device_scope on(like.device());
  auto [starts, order] = counted(rows, majors);
  sort_rows(starts, columns, order);
  merged m = merge(starts, columns, order);
  arrangement a;
  a.before = size_of(order);
  const bool has_merged = merges && m.columns.size() < order.size(), is_distinct = m.columns.size() == order.size();
  if (has_merged) {
    a.segments = make_index_array(m.segments, dtype::int64);
    a.longest = longest_of(m.segments);
  } else if (!is_distinct) {
    m.columns.resize(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) m.columns[k] = columns[static_cast<std::size_t>(order[k])];
  }
  a.to = make_compressed(has_merged ? m.starts : starts, m.columns, minors, has_merged || is_distinct, true, like);
  const bool is_same = std::is_sorted(order.begin(), order.end());
  if (!is_same || has_merged) a.order = make_index_array(order, dtype::int64);
  return a;
}

}  // namespace

std::int64_t longest_of(const place_list& starts) {
  std::int64_t most = 0;
  for (std::size_t r = 0; r + 1 < starts.size(); ++r) most = std::max(most, starts[r + 1] - starts[r]);
  return most;
}

term arrangement::values(const term& given) const {
  if (!order.get()) return given;
  if (!segments.get()) return taken(given, term(order));
  return term(make_product_call({{}, order, segments, to->count, before, longest}, given));
}

const arrangement& sparse_entries::found(std::unique_ptr<arrangement>& kept, bool by_major) const try {
  const std::lock_guard hold(finding_);
  if (!kept) {
    if (chosen.capture) refuse_captured_wait("putting a sparse array's entries in order, at their first use,", {});
    place_list rows = read_majors(*this), columns = read_places(minor);
    if (!by_major) std::swap(rows, columns);
    kept = std::make_unique<arrangement>(
        arranged(rows, columns, by_major ? majors : minors, by_major ? minors : majors, !is_compressed, *this));
  }
  return *kept;
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

pairing_ref sparse_entries::kept_pairing(const entries_ref& other, pair_kind kind) const {
  const std::lock_guard hold(finding_);
  const kept_pair& k = pairs_[static_cast<int>(kind)];
  return k.found && k.other.lock() == other ? k.found : nullptr;
}
void sparse_entries::keep(const entries_ref& other, pair_kind kind, pairing_ref found) const {
  kept_pair mine{other, std::move(found)};
  const std::lock_guard hold(finding_);
  std::swap(pairs_[static_cast<int>(kind)], mine);
}

std::shared_ptr<gpu_factors> sparse_entries::take_factors(const gpu_factors_kind& k) const {
  const std::lock_guard hold(finding_);
  for (auto& kept : factors_)
    if (kept && kept.use_count() == 1 && kept->kind() == k) {
      std::atomic_thread_fence(std::memory_order_acquire);  // behind what the last other owner did
      return std::exchange(kept, nullptr);
    }
  return nullptr;
}
void sparse_entries::keep(std::shared_ptr<gpu_factors> made) const {
  const std::lock_guard hold(finding_);
  std::swap(factors_[0], made);
  std::swap(factors_[1], made);  // what goes, goes without the lock: parameters outlive it
}

bool sparse_entries::is_read_at_once() const { return is_compressed && !chosen.capture && device() == device::cpu(); }

handle sparse_entries::expanded_majors() const try {
  if (!is_read_at_once()) return {};
  const std::lock_guard hold(finding_);
  if (expanded_.get() == nullptr) {
    const device_scope on(device());
    expanded_ = make_index_array(expanded(read_places(major)), index());
  }
  return expanded_;
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

arrangement sorted(const sparse_entries& e, bool merges) {
  return arranged(read_majors(e), read_places(e.minor), e.majors, e.minors, merges, e);
}

structure_handle make_structure(sparse::format f, entries_ref e) {
  return structure_handle(new sparse_structure(f, std::move(e)));
}

entries_ref make_compressed(const place_list& starts, const place_list& minor, std::int64_t minors, bool is_canonical,
                            bool is_sorted, const sparse_entries& like) {
  const device_scope on(like.device());
  const std::int64_t majors = size_of(starts) - 1, count = size_of(minor);
  const dtype index = like.index() == dtype::int64 ? dtype::int64 : index_for(majors, minors, count);
  return std::make_shared<const sparse_entries>(sparse_places{true, majors, minors, count, longest_of(starts),
                                                              is_sorted, is_canonical, make_index_array(starts, index),
                                                              make_index_array(minor, index)});
}

placed_entries put_in_place(const place_list& major, const place_list& minor, std::int64_t majors, std::int64_t minors,
                            const sparse_entries& like) {
  auto [starts, order] = counted(major, majors);
  sort_rows(starts, minor, order);
  place_list places(order.size());
  std::transform(order.begin(), order.end(), places.begin(),
                 [&](std::int64_t k) { return minor[static_cast<std::size_t>(k)]; });
  entries_ref made = make_compressed(starts, places, minors, !has_pairs(starts, places), true, like);
  return {std::move(made), std::move(order)};
}

place_list read_majors(const sparse_entries& e) {
  const place_list major = read_places(e.major);
  return e.is_compressed ? expanded(major) : major;
}

sparse_parts assembled(const entry_list& l, sparse::format f, const shape& s, const term& values,
                       const sparse_entries& like) {
  s.check();
  const bool by_row = f != sparse::format::csc;
  placed_entries made = put_in_place(l.major, l.minor, s[by_row ? 0 : 1], s[by_row ? 1 : 0], like);
  place_list from(made.order.size());
  std::transform(made.order.begin(), made.order.end(), from.begin(), [&](std::int64_t k) { return l.from[at(k)]; });
  const device_scope on(like.device());
  return {make_structure(f, std::move(made.entries)), evaluated(values_at(values, from)).held()};
}

sparse_parts assembled(const row_list& l, sparse::format f, const shape& s, const term& values,
                       const sparse_entries& like) {
  s.check();
  const device_scope on(like.device());
  entries_ref made =
      make_compressed(l.starts, l.minor, s[f == sparse::format::csc ? 0 : 1], l.is_canonical, l.is_sorted, like);
  return {make_structure(f, std::move(made)), evaluated(values_at(values, l.from)).held()};
}

term values_at(const term& values, const handle& entries, bool has_gaps) {
  const term narrow(entries), zero = number_node(term(0), values.type());
  if (narrow.extent(0) == 0 || values.extent(0) == 0) return zero.broadcast_to(narrow.extents());
  const term place = astype(narrow, dtype::int64);
  if (!has_gaps) return taken(values, place);
  return choose(place >= 0, taken(values, apply(op::maximum, {place, term(0)})), zero);
}
term values_at(const term& values, const place_list& entries) {
  return values_at(values, make_index_array(entries, index_for(values.extent(0), 0, 0)), false);
}

place_list read_places(const handle& n) {
  const term all(n);
  place_list places(static_cast<std::size_t>(all.extents().elements()));
  if (places.empty()) return places;
  if (all.type() != dtype::int32) {
    read_all(astype(all, dtype::int64).get(), places.data(), places.size(), {}, detail::where{});
    return places;
  }
  list<std::int32_t> narrow(places.size());
  read_all(all.get(), narrow.data(), narrow.size(), {}, detail::where{});
  std::copy(narrow.begin(), narrow.end(), places.begin());
  return places;
}

handle make_index_array(const place_list& places, dtype type) {
  const shape s{size_of(places)};
  if (type == dtype::int64) return handle(make_from_host(type, s, places.data()));
  const list<std::int32_t> narrow(places.begin(), places.end());
  return handle(make_from_host(type, s, narrow.data()));
}

dtype index_for(std::int64_t majors, std::int64_t minors, std::int64_t count) {
  return std::max({majors, minors, count}) <= std::numeric_limits<std::int32_t>::max() ? dtype::int32 : dtype::int64;
}

}  // namespace sinter::runtime

namespace sinter::detail {

void retain(sparse_structure* s) noexcept { __atomic_fetch_add(&s->references, 1, __ATOMIC_RELAXED); }
void release(sparse_structure* s) noexcept {
  if (__atomic_sub_fetch(&s->references, 1, __ATOMIC_ACQ_REL) == 0) delete static_cast<runtime::sparse_structure*>(s);
}

}  // namespace sinter::detail
