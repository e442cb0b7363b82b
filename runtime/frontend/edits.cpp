// Elements left out, put in, repeated into another shape, cut off at the ends.
#include <sinter/detail/rearrange.hpp>

#include <algorithm>
#include <numeric>
#include <string_view>

#include <sinter/error.hpp>
#include <sinter/functions.hpp>
#include <sinter/scatter.hpp>
#include <sinter/select.hpp>

#include "codegen/ir/broadcast.hpp"
#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/list.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::detail {

using runtime::checked_axis;
using runtime::typed;
using runtime::view_maker;

namespace {

handle part_of_axis(node* n, int axis, const index_item& what) {
  runtime::list<index_item> items(static_cast<std::size_t>(axis) + 1, to_index(_));
  items.back() = what;
  return handle(make_view(n, items.data(), axis + 1));
}

constexpr std::size_t few = 8;  // pieces, as they lie; of more a list of what comes where is read

// Parts along an axis, without those that are empty.
class pieces {
 public:
  pieces(node* of, int axis) : of_(of), axis_(axis) {}
  void add(node* n, std::int64_t from, std::int64_t to) {
    if (to > from) all_.push_back(part_of_axis(n, axis_, to_index(slice(from, to))));
  }
  node* joined() const {
    if (all_.empty()) return part_of_axis(of_, axis_, to_index(slice(0, 0))).take();
    runtime::list<node*> parts;
    for (const handle& p : all_) parts.push_back(p.get());
    return parts.size() == 1 ? retain(parts[0]) : make_joined(parts.data(), parts.size(), axis_);
  }

 private:
  node* const of_;
  const int axis_;
  runtime::list<handle> all_;
};

// With something put in before a place.
node* joined_around(node* n, int axis, std::int64_t place, node* between) {
  pieces all(n, axis);
  all.add(n, 0, place);
  all.add(between, 0, typed(between)->extents[axis]);
  all.add(n, place, typed(n)->extents[axis]);
  return all.joined();
}

// Neighbouring places that are left out.
struct gap {
  std::int64_t begin, end;
};

node* joined_between(node* n, int axis, const runtime::list<gap>& gaps) {
  pieces all(n, axis);
  std::int64_t from = 0;
  for (const gap& g : gaps) all.add(n, from, g.begin), from = g.end;
  all.add(n, from, typed(n)->extents[axis]);
  return all.joined();
}

// Integers that the program knows, along an axis of a shape of `rank` axes.
handle list_along(const runtime::list<std::int64_t>& list, int axis, int rank) {
  shape s;
  s.set_size(rank);
  std::fill_n(&s[0], rank, 1);
  s[axis] = static_cast<std::int64_t>(list.size());
  return handle(make_from_host(dtype::int64, s, list.data()));
}

}  // namespace

node* make_deleted(node* n, const std::int64_t* at, std::size_t count, std::int64_t given) try {
  const shape& s = typed(n)->extents;
  const int axis = checked_axis(given, s.size(), "delete");
  if (count == 0) return retain(n);
  runtime::list<std::int64_t> out(at, at + count);
  for (std::int64_t& i : out) i = runtime::wrapped(i, s[axis], axis, s);
  if (!std::is_sorted(out.begin(), out.end())) std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  if (out.size() <= few) {
    runtime::list<gap> gaps;
    for (const std::int64_t i : out) gaps.push_back({i, i + 1});
    return joined_between(n, axis, gaps);
  }
  runtime::list<std::int64_t> stays(static_cast<std::size_t>(s[axis]) - out.size());
  std::int64_t* to = stays.data();
  std::int64_t next = 0;
  out.push_back(s[axis]);
  for (const std::int64_t i : out) {
    for (; next < i; ++next) *to++ = next;
    ++next;
  }
  return make_picked(n, stays, axis);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

node* make_deleted(node* n, const index_item& what, std::int64_t given) {
  const shape& s = typed(n)->extents;
  const int axis = checked_axis(given, s.size(), "delete");
  const runtime::range r = runtime::clipped(what, s[axis]);
  if (r.length == 0) return retain(n);
  if (r.step == 1) return joined_between(n, axis, {{r.start, r.start + r.length}});
  runtime::list<std::int64_t> at(static_cast<std::size_t>(r.length));
  for (std::int64_t i = 0; i < r.length; ++i) at[static_cast<std::size_t>(i)] = r.start + i * r.step;
  return make_deleted(n, at.data(), at.size(), axis);
}

node* make_deleted(node* n, node* at, std::int64_t given) {
  const shape& s = typed(n)->extents;
  const int axis = checked_axis(given, s.size(), "delete");
  if (typed(at)->type == dtype::bool_) {
    if (const shape& by = typed(at)->extents; by.size() != 1 || by[0] != s[axis])
      throw shape_error(message("sinter: a mask of shape %s for delete along an axis of %lld elements",
                                to_string(by).c_str(), static_cast<long long>(s[axis]))
                            .c_str());
    return make_compressed(n, handle(lazy<bool>(!lazy<bool>(retain(at))).share()).get(), axis);
  }
  array<bool> stays = full({s[axis]}, true);
  stays(lazy<std::int64_t>(runtime::astype(runtime::term::of(at), dtype::int64).take()).ravel()) = false;
  return make_compressed(n, handle(stays.share()).get(), axis);
}

namespace {

// The values of an insertion at the places that they fill.
handle fitted(node* values, const shape& to, const shape& of) {
  if (!codegen::can_be_stored(typed(values)->extents, to))
    throw shape_error(message("sinter: values of shape %s inserted into an array of shape %s",
                              to_string(typed(values)->extents).c_str(), to_string(of).c_str())
                          .c_str());
  return handle(make_broadcast(values, to));
}

// Several positions: each place of the result has an element of the array or one of the values.
node* inserted_at(node* n, const runtime::list<std::int64_t>& before, node* values, int axis) {
  const shape& s = typed(n)->extents;
  const auto count = static_cast<std::int64_t>(before.size());
  shape to = s, places = s;
  to[axis] = runtime::grown(to[axis], count);
  places[axis] = count;
  to.check();
  runtime::list<std::size_t> order(before.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return before[a] < before[b]; });
  const handle all = fitted(values, places, s);
  if (before.size() <= few) {
    pieces parts(n, axis);
    std::int64_t next = 0;
    for (const std::size_t k : order) {
      const auto value = static_cast<std::int64_t>(k);
      parts.add(n, next, before[k]);
      parts.add(all.get(), value, value + 1);
      next = before[k];
    }
    parts.add(n, next, s[axis]);
    return parts.joined();
  }
  runtime::list<std::int64_t> from(static_cast<std::size_t>(to[axis]),
                                   -1);  // of the array; of the values from s[axis] on
  for (std::size_t k = 0; k < order.size(); ++k)
    from[static_cast<std::size_t>(before[order[k]]) + k] = s[axis] + static_cast<std::int64_t>(order[k]);
  std::int64_t old_place = 0;
  for (std::int64_t& f : from)
    if (f < 0) f = old_place++;
  const lazy<std::int64_t> source(list_along(from, axis, s.size()).take());
  const lazy<bool> is_old(source < s[axis]);
  const auto placed = [&](node* of, lazy<std::int64_t> index, const lazy<bool>& here) {
    view_maker v(of, to);
    for (int d = 0; d < s.size(); ++d)
      if (d != axis) v.drive(d, 0, 1, d);
    v.compute(axis, handle(index.release_node()), false);
    v.guard(handle(here.share()));
    return handle(v.made());
  };
  const handle old = placed(n, source, is_old), fresh = placed(all.get(), source - s[axis], lazy<bool>(!is_old));
  return runtime::make_where(handle(is_old.share()).get(), old.get(), fresh.get());
}

}  // namespace

node* make_inserted(node* n, const std::int64_t* at, std::size_t count, bool listed, node* given_values,
                    std::int64_t given) {
  const shape& s = typed(n)->extents;
  const int rank = s.size(), axis = checked_axis(given, rank, "insert");
  runtime::list<std::int64_t> before;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t to = at[i] < 0 ? at[i] + s[axis] : at[i];
    if (to < 0 || to > s[axis]) runtime::throw_out_of_range(at[i], axis, s);
    before.push_back(to);
  }
  const runtime::list<index_item> missing(
      static_cast<std::size_t>(std::max(rank - typed(given_values)->extents.size(), 0)), to_index(newaxis));
  handle values(make_view(given_values, missing.data(), static_cast<int>(missing.size())));
  const shape& v = typed(values.get())->extents;
  if (v.size() > rank)
    throw shape_error(message("sinter: values of shape %s inserted into an array of shape %s", to_string(v).c_str(),
                              to_string(s).c_str())
                          .c_str());
  const device_scope on(runtime::as_array_node(n) ? device_of(n) : device::current());
  if (count != 1) return inserted_at(n, before, values.get(), axis);
  if (!listed) values = handle(make_moved(values.get(), {1, {0}}, {1, {axis}}));
  shape gaps = s;
  gaps[axis] = typed(values.get())->extents[axis];
  const handle between = fitted(values.get(), gaps, s);
  return joined_around(n, axis, before[0], between.get());
}

node* make_resized(node* n, const shape& to) {
  to.check();
  const std::int64_t count = typed(n)->extents.elements(), wanted = to.elements();
  if (count == 0) return make_broadcast(handle(make_number(typed(n)->type, scalar_bits{})).get(), to);
  const handle flat(make_reshape(n, &count, 1));
  view_maker v(flat.get(), shape{wanted});
  if (wanted <= count) v.drive(0, 0, 1, 0);
  else v.compute(0, handle(lazy<std::int64_t>(runtime::index_along(v.extents, 0) % count).release_node()), false);
  const handle all(v.made());
  return make_reshape(all.get(), to.begin(), to.size());
}

// ---- trimming -------------------------------------------------------------------------------------------------------

namespace {

// The first place along an axis that has an element other than zero, and the one behind the last; both 0 where none has.
struct bounds {
  std::int64_t first = 0, end = 0;
};
bounds bounds_along(const handle& is_set, int axis) {
  axis_list others;
  others.count = 0;
  const shape& s = typed(is_set.get())->extents;
  for (int d = 0; d < s.size(); ++d)
    if (d != axis) others.axes[others.count++] = d;
  const handle any(make_reduction(is_set, reduction::any, dtype::bool_, others, false));
  runtime::list<unsigned char> found(static_cast<std::size_t>(s[axis]));
  read_all(any.get(), found.data(), found.size(), {}, where{});
  const auto first = std::find(found.begin(), found.end(), 1);
  if (first == found.end()) return {};
  return {first - found.begin(), found.rend() - std::find(found.rbegin(), found.rend(), 1)};
}

}  // namespace

node* make_trimmed(node* n, const char* ends, const axis_list& of) {
  const std::string_view letters = ends;
  const bool front = letters.find_first_of("fF") != letters.npos, back = letters.find_first_of("bB") != letters.npos;
  if (letters.find_first_not_of("fFbB") != letters.npos || letters.size() != std::size_t{front} + std::size_t{back})
    throw error(message("sinter: trim_zeros trims \"f\", \"b\" or \"fb\", not \"%.40s\"", ends).c_str());
  const shape& s = typed(n)->extents;
  const std::uint32_t mask = axis_mask(of, s);
  // Evaluated once, as each axis looks at it.
  const handle is_set(evaluate(astype(runtime::term::of(n), dtype::bool_).get(), where{}));
  runtime::list<index_item> items(static_cast<std::size_t>(s.size()), to_index(_));
  for (int d = 0; d < s.size(); ++d) {
    if (!(mask >> d & 1)) continue;
    const bounds b = bounds_along(is_set, d);
    const bool none = b.end == 0;
    items[static_cast<std::size_t>(d)] =
        to_index(slice(front || none ? slice::bound(b.first) : _, back || none ? slice::bound(b.end) : _));
  }
  return make_view(n, items.data(), static_cast<int>(items.size()));
}

}  // namespace sinter::detail
