// Views, and elements in other places.
#include <numeric>

#include <sinter/index.hpp>

#include "codegen/ir/broadcast.hpp"
#include "test/fuzz/author.hpp"
#include "test/fuzz/calls.hpp"

namespace sinter::fuzz {

std::vector<detail::index_item> author::items_for(const shape& from) {
  std::vector<detail::index_item> items;
  int axes = from.size();
  bool rest = false;
  for (int d = 0; d < from.size(); ++d) {
    if (axes < 6 && one_in(10)) items.push_back(detail::to_index(newaxis)), ++axes;
    if (!rest && one_in(12)) {
      rest = true;
      items.push_back(detail::to_index(ellipsis));
      d += static_cast<int>(pick(from.size() - d));
    }
    items.push_back(item_for(from[d]).item());
  }
  if (axes < 6 && one_in(10)) items.push_back(detail::to_index(newaxis));
  if (items.empty()) items.push_back(detail::to_index(ellipsis));
  return items;
}

// The same with arrays of integers in it, which become the last operands of the step.
bool author::pick_items_for(const shape& from, step& s) {
  if (from.size() == 0) return false;
  s.items = items_for(from);
  const int sure = static_cast<int>(pick(s.items.size()));
  std::int64_t arrays = 0;
  int together = -1;
  for (int i = 0; i < static_cast<int>(s.items.size()); ++i) {
    detail::index_item& item = s.items[static_cast<std::size_t>(i)];
    if (item.what == detail::index_item::new_axis || item.what == detail::index_item::rest) continue;
    if (i != sure && !one_in(4)) continue;
    item = detail::index_of_kind(detail::index_item::integers);
    item.start = arrays++;
    if (together < 0 || one_in(3)) together = indices({});
    if (together < 0) return false;
    s.operands.push_back({together});
  }
  return arrays > 0;
}
bool author::picked(int from) {
  step s;
  s.what = form::pick;
  s.operands = {{from}};
  return pick_items_for(known(from).extents, s) && add(std::move(s));
}
any_index author::item_for(std::int64_t n) {
  const auto at = [&] { return static_cast<std::int64_t>(pick(n + 1)) - (one_in(2) ? n : 0); };
  const auto step = [&] { return std::int64_t(1 + pick(3)) * (one_in(2) ? -1 : 1); };
  switch (pick(7)) {
    case 0: return slice(_, _, -1);
    case 1: return n > 0 ? any_index(static_cast<std::int64_t>(pick(n)) - (one_in(2) ? n : 0)) : any_index(_);
    case 2: return slice(at(), _, step());
    case 3: return slice(_, at(), step());
    case 4: return slice(at(), at(), step());
    case 5: return one_in(2) ? any_index(slice(1, _)) : any_index(slice(_, -1));
    default: return _;
  }
}
bool author::view(int from) {
  step s;
  s.what = form::view;
  s.operands = {{from}};
  s.items = items_for(known(from).extents);
  return add(std::move(s));
}

bool author::transpose(int from) {
  step s;
  s.what = form::transpose;
  s.operands = {{from}};
  const int rank = known(from).extents.size();
  if (!one_in(3) && rank > 0) {
    std::vector<int> order(static_cast<std::size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
    for (int d = rank - 1; d > 0; --d) std::swap(order[static_cast<std::size_t>(d)], order[pick(d + 1)]);
    for (int& axis : order) axis -= one_in(5) ? rank : 0;
    s.axes = order;
  }
  return add(std::move(s));
}

bool author::reshape(int from) {
  step s;
  s.what = form::reshape;
  s.operands = {{from}};
  std::int64_t rest = known(from).extents.elements();
  while (s.extents.size() < 5 && !one_in(3)) {
    static constexpr std::int64_t factors[] = {1, 2, 3, 4, 5, 7, 11, 17};
    const std::int64_t f = one_of(factors);
    if (rest % f == 0) s.extents.push_back(f), rest /= f;
  }
  if (rest != 1 || one_in(2))
    s.extents.insert(s.extents.begin() + pick(s.extents.size() + 1), rest > 0 && one_in(3) ? -1 : rest);
  return add(std::move(s));
}

bool author::broadcast(int from) {
  step s;
  s.what = form::broadcast;
  s.operands = {{from}};
  const shape& given = known(from).extents;
  shape to = some_shape();
  if (one_in(2) || !codegen::broadcast(to, given)) to = given;
  s.extents.assign(to.begin(), to.end());
  for (std::int64_t& extent : s.extents)
    if (extent == 1 && one_in(2)) extent = 1 + pick(5);
  if (s.extents.size() < 5 && one_in(3)) s.extents.insert(s.extents.begin(), 1 + pick(4));
  return add(std::move(s));
}

// A row of the tables of calls, with small numbers.
bool author::call(int from) {
  step s;
  s.what = form::call;
  s.calling = static_cast<int>(pick(call_count()));
  for (int tries = 0; tries < 6; ++tries) {
    s.axes = {static_cast<int>(pick(std::max(known(from).extents.size(), 1)))};
    s.extents = {pick(4), pick(4)};
    s.operands = {{from}};
    while (s.operands.size() < row_of(s).operands) s.operands.push_back({one_in(3) ? from : any()});
    if (add(s)) return true;
  }
  return false;
}

// More parts of a join, as fit it.
void author::choose_parts(step& s, int from) {
  for (unsigned more = 1 + pick(2), tries = 0; more > 0 && tries < 12; ++tries) {
    s.operands.push_back({tries < 9 ? any() : from});
    if (outline_of(s, known_)) --more;
    else s.operands.pop_back();
  }
}

// Elements in other places. A few of them, so that indices repeat and parts meet.
bool author::move(int from) {
  step s;
  s.what = form::move;
  s.moving = static_cast<motion>(pick(motion_count));
  s.operands = {{from}};
  const shape& given = known(from).extents;
  const int rank = given.size();
  if (rank == 0 && s.moving != motion::stack) return false;
  s.axes = {rank == 0 ? 0 : static_cast<int>(pick(rank))};
  const auto some = [&] { return static_cast<std::int64_t>(pick(9)) - 4; };
  switch (s.moving) {
    case motion::take:
    case motion::along: {
      const int by = indices(given);
      if (by < 0) return false;
      s.operands.push_back({by});
      break;
    }
    case motion::flip: break;
    case motion::tile:
      for (unsigned n = pick(rank + 2); n > 0; --n) s.extents.push_back(one_in(2) ? 1 : pick(4));
      break;
    case motion::repeat:
      for (std::int64_t n = one_in(2) ? given[s.axes->front()] : 1; n > 0; --n) s.extents.push_back(pick(4));
      if (s.extents.empty()) s.extents = {pick(4)};
      break;
    case motion::pad:
      s.ddof = static_cast<int>(pick(5));
      for (int d = 0; d < rank; ++d) {
        s.extents.push_back(one_in(2) ? 0 : pick(4));
        s.extents.push_back(one_in(2) ? 0 : pick(one_in(4) ? 40 : 3));
      }
      break;
    case motion::concatenate:
    case motion::stack: choose_parts(s, from); break;
    default: s.extents = {some()};
  }
  return add(std::move(s));
}

}  // namespace sinter::fuzz
