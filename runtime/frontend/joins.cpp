// Joins: a point's value comes from one of the parts; the others are not read there.
#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>
#include <sinter/functions.hpp>
#include <sinter/join.hpp>

#include "runtime/eval.hpp"
#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/list.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/short_rows.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/current.hpp"

namespace sinter::detail {

using runtime::as_array_node;
using runtime::typed;

namespace {

shape joined(node* const* parts, std::size_t count, int axis) {
  shape all = typed(parts[0])->extents;
  for (std::size_t p = 1; p < count; ++p) {
    const shape& s = typed(parts[p])->extents;
    shape same = s;
    if (s.size() == all.size()) same[axis] = all[axis];
    if (!(same == all))
      throw shape_error(message("sinter: shapes %s and %s do not join along axis %d",
                                to_string(typed(parts[0])->extents).c_str(), to_string(s).c_str(), axis)
                            .c_str());
    all[axis] += s[axis];
    all.check();
  }
  return all;
}

// A part at its place in the whole, [begin, begin + its length) along the axis.
handle placed(node* part, const shape& whole, int axis, std::int64_t begin, const handle& here) {
  runtime::view_maker v(part, whole);
  for (int d = 0; d < whole.size(); ++d) v.drive(d, d == axis ? -begin : 0, 1, d);
  v.guard(here);
  return handle(v.made());
}

// A kernel looks at every part for each element, and its text grows with their number. Where there are more than so many, each is
// written to its place in an array instead, which one kernel does for all that are alike.
constexpr std::size_t most_fused = 32;

node* joined_in_memory(node* const* parts, std::size_t count, const shape& whole, int axis) {
  const handle first(evaluate(parts[0], {}));
  runtime::device_impl& on = *as_array_node(first.get())->memory->device;
  handle all(runtime::new_array(typed(parts[0])->type, whole, runtime::current_stream(on)));
  runtime::list<index_item> items(static_cast<std::size_t>(axis), to_index(_));
  items.emplace_back();
  std::int64_t end = 0;
  for (std::size_t p = 0; p < count; ++p) {
    const std::int64_t begin = end;
    end += typed(parts[p])->extents[axis];
    if (begin == end) continue;
    items.back() = to_index(slice(begin, end));
    const handle place(make_view(all.get(), items.data(), static_cast<int>(items.size())));
    array_node* const into = as_array_node(place.get());
    runtime::request r{typed(p == 0 ? first.get() : parts[p]), &into->extents, into};
    runtime::evaluate(&r, 1);
  }
  return all.take();
}

node* joined_with_rows(node* const* parts, std::size_t count, const shape& whole, int axis) {
  runtime::list<handle> held;
  runtime::list<node*> nodes;
  for (std::size_t p = 0; p < count; ++p)
    nodes.push_back(held.emplace_back(runtime::with_rows_as_elements(parts[p], axis)).get());
  return runtime::with_rows(handle(make_joined(nodes.data(), count, axis)), whole);
}

}  // namespace

node_list::node_list() = default;
node_list::~node_list() {
  for (node* const n : nodes_) release(n);
}

void node_list::push_back(node* given) try {
  handle owned(given);
  if (!owned) throw_moved_from();
  nodes_.push_back(given);
  owned.take();
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

void node_list::at_least(int axes, bool as_column) {
  for (node*& n : nodes_) release(std::exchange(n, make_at_least(n, axes, as_column)));
}

node* make_joined(node* const* parts, std::size_t count, std::int64_t given) {
  if (count == 0) throw shape_error("sinter: a join of no arrays");
  const int axis = runtime::checked_axis(given, typed(parts[0])->extents.size(), "a join");
  const shape whole = joined(parts, count, axis);
  for (std::size_t p = 0; p < count; ++p)
    if (typed(parts[p])->extents == whole) return retain(parts[p]);  // no other has an element
  const auto has_rows = [&](node* part) { return runtime::row_behind(part, axis) > 1; };
  if (std::all_of(parts, parts + count, has_rows)) return joined_with_rows(parts, count, whole, axis);
  if (count > most_fused) return joined_in_memory(parts, count, whole, axis);
  const lazy<std::int64_t> i = runtime::index_along(whole, axis);
  // From the last part backwards: each is in front of what the ones after it make.
  handle rest;
  std::int64_t end = whole[axis];
  for (std::size_t p = count; p-- > 0;) {
    const std::int64_t begin = end - typed(parts[p])->extents[axis];
    if (begin == end) continue;
    lazy<bool> before_end(i < end);
    const handle until(before_end.share());
    const handle here(begin == 0 ? retain(until.get()) : lazy<bool>(i >= begin && before_end).release_node());
    handle value = placed(parts[p], whole, axis, begin, here);
    rest = rest ? handle(runtime::make_where(until.get(), value.get(), rest.get())) : std::move(value);
    end = begin;
  }
  return rest.take();
}

node* make_block(node* const* parts, const std::size_t* row_lengths, std::size_t rows, int depth) {
  const std::size_t count = std::accumulate(row_lengths, row_lengths + rows, std::size_t{0});
  int rank = depth;
  for (std::size_t p = 0; p < count; ++p) rank = std::max(rank, typed(parts[p])->extents.size());
  const auto whole_axes = [&](node* part) {
    const runtime::list<index_item> items(static_cast<std::size_t>(rank - typed(part)->extents.size()),
                                          to_index(newaxis));
    return handle(make_view(part, items.data(), static_cast<int>(items.size())));
  };
  runtime::list<handle> held;
  runtime::list<node*> joined_rows;
  for (std::size_t r = 0; r < rows; parts += row_lengths[r++]) {
    runtime::list<handle> row;
    runtime::list<node*> nodes;
    for (std::size_t p = 0; p < row_lengths[r]; ++p)
      nodes.push_back(row.emplace_back(handle(whole_axes(parts[p]))).get());
    joined_rows.push_back(held.emplace_back(handle(make_joined(nodes.data(), nodes.size(), -1))).get());
  }
  return depth == 1 ? retain(joined_rows[0]) : make_joined(joined_rows.data(), rows, -2);
}

node* make_stacked(node* const* parts, std::size_t count, std::int64_t given) {
  if (count == 0) throw shape_error("sinter: a stack of no arrays");
  const shape& s = typed(parts[0])->extents;
  runtime::require_one_axis_more(s, "a stack");
  const int axis = runtime::checked_axis(given, s.size() + 1, "stack");
  runtime::list<index_item> items(static_cast<std::size_t>(axis), to_index(_));
  items.push_back(to_index(newaxis));
  runtime::list<handle> views;
  runtime::list<node*> nodes;
  for (std::size_t p = 0; p < count; ++p) {
    if (!(typed(parts[p])->extents == s))
      throw shape_error(message("sinter: shapes %s and %s do not stack", to_string(s).c_str(),
                                to_string(typed(parts[p])->extents).c_str())
                            .c_str());
    views.push_back(handle(make_view(parts[p], items.data(), static_cast<int>(items.size()))));
    nodes.push_back(views.back().get());
  }
  return make_joined(nodes.data(), count, axis);
}

}  // namespace sinter::detail
