// Indexing by arrays of integers.

#include <sinter/error.hpp>
#include <sinter/index.hpp>

#include "codegen/ir/broadcast.hpp"
#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"

namespace sinter::detail {

using runtime::typed;
using runtime::view_maker;

namespace {

bool takes_axis(const index_item& i) { return i.what != index_item::new_axis && i.what != index_item::rest; }

// The same index at the axes of a view of more: `behind` axes follow its own.
handle before_axes(node* index, int behind) {
  index_item items[max_rank + 1];
  items[0] = to_index(ellipsis);
  for (int i = 1; i <= behind; ++i) items[i] = to_index(newaxis);
  return handle(behind == 0 ? retain(index) : make_view(index, items, behind + 1));
}

// NumPy's rules for an index list with arrays in it. The arrays broadcast together; integers beside them count as arrays. Where
// nothing else stands between them, the axes that they have together stand in their place, otherwise in front.
class picker {
 public:
  picker(node* n, const picking& list) : from_(typed(n)->extents), indices_(list.indices), view_(n, {}) {
    const index_item* const items = list.items;
    int consumed = 0;
    for (int i = 0; i < list.count; ++i) consumed += takes_axis(items[i]);
    if (consumed > from_.size()) runtime::throw_too_many(consumed, from_);
    bool rests = false;
    for (int i = 0; i < list.count; ++i) {
      if (items[i].what != index_item::rest) {
        items_[count_++] = items[i];
        continue;
      }
      if (rests) throw index_error("sinter: an index list has at most one ellipsis");
      rests = true;
      rest_at_ = count_;
      for (int d = consumed; d < from_.size(); ++d) items_[count_++] = to_index(_);
    }
    for (int d = consumed; !rests && d < from_.size(); ++d) items_[count_++] = to_index(_);
  }

  node* made() {
    find_axes_of_arrays();
    lay_out();
    int axis = 0;
    for (int i = 0; i < count_; ++i) {
      if (items_[i].what == index_item::integers) {
        check_mask(axis, items_[i]);
        pick(axis, indices_[items_[i].start]);
      }
      axis += takes_axis(items_[i]);
    }
    return view_.made();
  }

 private:
  static bool is_array(const index_item& i) { return i.what == index_item::integers || i.what == index_item::integer; }

  void find_axes_of_arrays() {
    int last = -1;
    for (int i = 0; i < count_; ++i) {
      if (!is_array(items_[i])) continue;
      if (first_ < 0) first_ = i;
      apart_ = apart_ || (last >= 0 && (last != i - 1 || i == rest_at_));
      last = i;
      if (items_[i].what != index_item::integers) continue;
      const shape& s = typed(indices_[items_[i].start])->extents;
      if (codegen::broadcast(together_, s)) continue;
      throw shape_error(message("sinter: arrays of indices of shapes %s and %s do not broadcast",
                                to_string(together_).c_str(), to_string(s).c_str())
                            .c_str());
    }
  }

  int add_axis(std::int64_t extent) {
    const int rank = view_.extents.size();
    if (rank == max_rank) throw index_error(message("sinter: a view of more than %d axes", max_rank).c_str());
    view_.extents.set_size(rank + 1);
    view_.extents[rank] = extent;
    return rank;
  }

  void lay_out() {
    const auto add_axes_of_arrays = [&] {
      for (std::int64_t extent : together_) add_axis(extent);
      end_ = view_.extents.size();
    };
    if (apart_) add_axes_of_arrays();
    int axis = 0;
    for (int i = 0; i < count_; ++i) {
      const index_item& item = items_[i];
      if (i == first_ && !apart_) add_axes_of_arrays();
      switch (item.what) {
        case index_item::new_axis: add_axis(1); break;
        case index_item::integer: view_.hold(axis, runtime::wrapped(item.start, from_[axis], axis, from_)); break;
        case index_item::integers: break;
        case index_item::all: view_.drive(axis, 0, 1, add_axis(from_[axis])); break;
        default: {
          const runtime::range r = runtime::clipped(item, from_[axis]);
          view_.drive(axis, r.start, r.step, add_axis(r.length));
        }
      }
      axis += takes_axis(item);
    }
  }

  // A mask is as long as what it is for.
  void check_mask(int axis, const index_item& item) const {
    if (!item.has_stop || item.stop == from_[axis]) return;
    throw index_error(message("sinter: a mask of extent %lld for axis %d of an array of shape %s",
                              static_cast<long long>(item.stop), axis, to_string(from_).c_str())
                          .c_str());
  }

  void pick(int axis, node* index) {
    if (from_[axis] == 0 && together_.elements() != 0)
      throw index_error(
          message("sinter: indices into axis %d of an array of shape %s", axis, to_string(from_).c_str()).c_str());
    view_.compute(axis, before_axes(index, view_.extents.size() - end_), true);
  }

  const shape& from_;
  node* const* indices_;
  view_maker view_;
  index_item items_[index_list::capacity + max_rank];  // with whole axes for the ellipsis
  int count_ = 0;
  int first_ = -1, end_ = 0;  // the first of the arrays; where their axes end in the view
  int rest_at_ = -1;          // where the ellipsis stood: it parts arrays even where it stands for no axis
  bool apart_ = false;        // something stands between arrays
  shape together_;
};

}  // namespace

node* make_picked(node* n, const picking& list) { return picker(n, list).made(); }

node* make_mask(node* mask, const shape& of) {
  const shape& s = typed(mask)->extents;
  bool fits = s.size() <= of.size();
  for (int d = 0; fits && d < s.size(); ++d) fits = s[d] == of[d];
  if (!fits)
    throw index_error(
        message("sinter: a mask of shape %s for an array of shape %s", to_string(s).c_str(), to_string(of).c_str())
            .c_str());
  return before_axes(mask, of.size() - s.size()).take();
}

namespace {

// The index list that has `at` at an axis.
struct along_axis {
  along_axis(node* n, std::int64_t given, const index_item& at) {
    const int axis = runtime::checked_axis(given, typed(n)->extents.size(), "take");
    for (int d = 0; d < axis; ++d) items[d] = to_index(_);
    items[axis] = at;
    count = axis + 1;
  }
  index_item items[max_rank];
  int count;
};

}  // namespace

std::int64_t extent_along(const shape& s, std::int64_t axis, const char* what) {
  return s[runtime::checked_axis(axis, s.size(), what)];
}

node* make_take(node* n, node* indices, std::int64_t axis) {
  const along_axis list(n, axis, {index_item::integers, false, false, 0, 0, 1});
  return make_picked(n, {list.items, list.count, &indices, 1});
}
node* make_take_one(node* n, std::int64_t index, std::int64_t axis) {
  const along_axis list(n, axis, to_index(index));
  return make_view(n, list.items, list.count);
}

node* make_take_along(node* n, node* indices, std::int64_t given) {
  const shape &from = typed(n)->extents, &of = typed(indices)->extents;
  const int axis = runtime::checked_axis(given, from.size(), "take_along_axis");
  const auto wrong = [&] {
    return shape_error(message("sinter: take_along_axis: indices of shape %s for an array of shape %s",
                               to_string(of).c_str(), to_string(from).c_str())
                           .c_str());
  };
  if (of.size() != from.size()) throw wrong();
  shape extents = from;
  extents[axis] = 1;
  if (!codegen::broadcast(extents, of)) throw wrong();
  if (from[axis] == 0 && of.elements() != 0) throw index_error("sinter: take_along_axis along an axis of no elements");
  view_maker view(n, extents);
  for (int d = 0; d < from.size(); ++d)
    if (from[d] == extents[d] && d != axis) view.drive(d, 0, 1, d);
  view.compute(axis, handle(retain(indices)), true);
  return view.made();
}

}  // namespace sinter::detail
