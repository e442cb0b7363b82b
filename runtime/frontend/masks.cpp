// The places where a mask is true. How many there are depends on its values, so it is evaluated, and the calling thread waits.
#include <sinter/sinter.hpp>

#include <algorithm>

#include "codegen/ir/node.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/list.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/frontend/terms.hpp"
#include "runtime/launch/compact.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/operation.hpp"

namespace sinter::detail {

using runtime::as_array_node;
using runtime::astype, runtime::term, runtime::typed;
using runtime::view_maker;

namespace {

using places = array<std::int64_t>;

places empty_places() { return sinter::empty<std::int64_t>({0}); }

// The host reads what lies in its memory. Each place is written where the next one found goes, so that no processor has to guess.
places found_by_host(const array<bool>& mask) {
  runtime::list<unsigned char> truth(static_cast<std::size_t>(mask.size()));
  read_all(mask.node(), truth.data(), truth.size(), {}, where{});
  // A byte that came from elsewhere may be neither 0 nor 1.
  const auto count = static_cast<std::int64_t>(truth.size()) - std::count(truth.begin(), truth.end(), 0);
  const places found = sinter::empty<std::int64_t>({count});
  auto* const to = reinterpret_cast<std::int64_t*>(as_array_node(found.node())->data());
  for (std::int64_t place = 0, at = 0; at < count; ++place) {
    to[at] = place;
    at += truth[static_cast<std::size_t>(place)] != 0;
  }
  return found;
}

// A mask in memory, in C order.
class mask_in_memory {
 public:
  explicit mask_in_memory(node* n) : truth_(in_c_order(astype(term::of(n), dtype::bool_))) {}

  std::int64_t size() const { return array_in_memory()->extents.elements(); }
  array_node* array_in_memory() const { return as_array_node(truth_.node()); }
  bool is_on_device() const { return array_in_memory()->memory->device->asynchronous(); }
  array<bool> flat() const {
    const std::int64_t all = size();
    return array<bool>(make_reshape(truth_.node(), &all, 1));
  }
  /// How many are true, for which the calling thread waits. Of the mask, not of what it was computed of: that may be much more.
  std::int64_t found() const {
    const device_scope on(truth_.device());
    return array<std::int64_t>(count_nonzero(truth_)).item();
  }

 private:
  static array<bool> in_c_order(const term& t) {
    const handle made(evaluate(t.get(), where{}));
    return array<bool>(as_array_node(made.get())->contiguous ? retain(made.get()) : make_copy(made.get(), where{}));
  }

  array<bool> truth_;
};

// The elements that a mask is true for, or their places: a new array.
node* kept_by_device(const mask_in_memory& mask, array_node* from) {
  const dtype type = from ? from->type : dtype::int64;
  const std::int64_t found = mask.found();
  array_node& truth = *mask.array_in_memory();
  runtime::stream_state& on = runtime::current_stream(*truth.memory->device);
  array_node* const to = runtime::new_array(type, shape{found}, on);
  const handle owner(to);
  if (found == 0) return retain(to);
  const runtime::compacted of{truth.data(),  from ? from->data() : nullptr, to->data(), mask.size(), found,
                              itemsize(type)};
  const runtime::storage_holder notes(runtime::make_storage(runtime::compact_notes(of), on));
  storage* const read = from ? from->memory : nullptr;
  runtime::operation op(on);
  op.reads(truth.memory);
  op.reads(read);
  op.writes(notes.get());
  op.writes(to->memory);
  runtime::compact(of, notes.get()->data, on);
  op.done();
  op.has_read(truth.memory);
  op.has_read(read);
  op.has_written(notes.get());
  op.has_written(to->memory);
  return retain(to);
}

// In C order.
places places_of(const mask_in_memory& mask) {
  if (mask.size() == 0) return empty_places();
  if (mask.is_on_device()) return places(kept_by_device(mask, nullptr));
  const array<bool> flat = mask.flat();
  const device_scope on(flat.device());
  return found_by_host(flat);
}
places flat_places(node* n) { return places_of(mask_in_memory(n)); }

// The array whose elements can be moved as they lie, if it is one: no element between them is left out, and each lies where a
// number of its size does.
array_node* movable(node* n, const mask_in_memory& mask) {
  array_node* const a = as_array_node(n);
  if (!a || !a->contiguous || !mask.is_on_device() || a->memory->device != mask.array_in_memory()->memory->device)
    return nullptr;
  return reinterpret_cast<std::uintptr_t>(a->data()) % static_cast<std::uintptr_t>(itemsize(a->type)) == 0 ? a
                                                                                                           : nullptr;
}

}  // namespace

node* make_flat_nonzero(node* n) { return flat_places(n).release_node(); }

std::vector<handle> make_nonzero(node* n) try {
  const shape s = typed(n)->extents;
  if (s.size() == 0)
    throw index_error("sinter: nonzero of an array without axes; nonzero(atleast_1d(a)) is of one element");
  places flat = flat_places(n);
  std::vector<handle> along;
  if (s.size() == 1) {
    along.push_back(handle(flat.release_node()));
    return along;
  }
  const std::vector<handle> lazily = make_unraveled(flat.node(), s);
  runtime::list<node*> wanted, made(lazily.size());
  for (const handle& h : lazily) wanted.push_back(h.get());
  along.reserve(made.size());  // what is evaluated has an owner at once
  evaluate_all(wanted.data(), made.data(), s.size(), where{});
  for (node* m : made) along.emplace_back(m);
  return along;
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

std::array<places, 2> places_in_matrix(node* n) {
  if (typed(n)->extents.size() != 2)
    throw shape_error(
        message("sinter: the places in a matrix of shape %s", to_string(typed(n)->extents).c_str()).c_str());
  std::vector<handle> along = make_nonzero(n);
  return {places(along[0].take()), places(along[1].take())};
}

node* make_masked(node* n, node* mask) {
  const shape &from = typed(n)->extents, &of = typed(mask)->extents;
  const handle fits(make_mask(mask, from));
  const mask_in_memory truth(mask);
  if (array_node* const a = of.size() == from.size() ? movable(n, truth) : nullptr; a && truth.size() > 0)
    return kept_by_device(truth, a);
  const places flat = places_of(truth);
  shape joined{of.elements()}, to{flat.size()};
  for (int d = of.size(); d < from.size(); ++d) {
    const int at = joined.size();
    if (at == max_rank) runtime::require_one_axis_more(from, "a mask without axes");
    joined.set_size(at + 1);
    to.set_size(at + 1);
    joined[at] = to[at] = from[d];
  }
  const handle rows(make_reshape(n, joined.begin(), joined.size()));
  view_maker v(rows.get(), to);
  for (int d = 1; d < to.size(); ++d) v.drive(d, 0, 1, d);
  shape along = to;
  for (int d = 1; d < along.size(); ++d) along[d] = 1;
  v.compute(0, handle(make_reshape(flat.node(), along.begin(), along.size())), false);
  return v.made();
}

node* make_compressed(node* n, node* condition, std::int64_t given) {
  const shape &s = typed(n)->extents, &by = typed(condition)->extents;
  const int axis = runtime::checked_axis(given, s.size(), "compress");
  if (by.size() != 1) throw_not_one_axis("compress", by);
  const places flat = flat_places(condition);
  if (by[0] > s[axis] && flat.size() != 0)
    if (const std::int64_t last = flat(-1).item(); last >= s[axis]) runtime::throw_out_of_range(last, axis, s);
  return make_take(n, flat.node(), axis);
}

// ---- flat indices ---------------------------------------------------------------------------------------------------

std::vector<handle> make_unraveled(node* flat, const shape& s) try {
  const lazy<std::int64_t> at(astype(term::of(flat), dtype::int64).take());
  std::vector<handle> along;
  std::int64_t below = s.elements();
  for (int d = 0; d < s.size(); ++d) {
    below = s[d] == 0 ? 0 : below / s[d];
    lazy<std::int64_t> i = below == 1 ? at : lazy<std::int64_t>(floor_divide(at, below));
    along.push_back(handle((d == 0 ? i : lazy<std::int64_t>(i % s[d])).release_node()));
  }
  return along;
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

node* make_in_range(node* index, std::int64_t extent, index_mode mode) {
  const lazy<std::int64_t> i(astype(term::of(index), dtype::int64).take());
  if (mode == index_mode::wrap) return lazy<std::int64_t>(i % extent).release_node();
  if (mode == index_mode::clip) return lazy<std::int64_t>(clip(i, 0, extent - 1)).release_node();
  // Which is looked at as an index of 0, 1, 2, ...
  if (extent == 0 && typed(index)->extents.elements() != 0) throw index_error("sinter: an index into nothing");
  const handle iota(make_iota(shape{extent}, 0));
  view_maker v(iota.get(), typed(index)->extents);
  v.compute(0, handle(lazy<std::int64_t>(sinter::where(i < 0, extent, i)).release_node()), true);
  return v.made();
}

node* make_raveled(node* const* along, std::size_t count, const shape& s, index_mode mode) {
  if (count != static_cast<std::size_t>(s.size()))
    throw shape_error(message("sinter: ravel_multi_index takes an array of indices for each axis of shape %s, not %zu",
                              to_string(s).c_str(), count)
                          .c_str());
  lazy<std::int64_t> flat(make_number(dtype::int64, scalar_bits{}));
  for (int d = 0; d < s.size(); ++d)
    flat = std::move(flat) * s[d] + lazy<std::int64_t>(make_in_range(along[d], s[d], mode));
  return flat.release_node();
}

void throw_not_one_axis(const char* what, const shape& s) {
  throw shape_error(
      message("sinter: %s takes arrays of one axis, not of shape %s", what, to_string(s).c_str()).c_str());
}

std::vector<handle> make_put_places(node* index, const shape& s, index_mode mode) try {
  if (mode == index_mode::raise) return make_unraveled(index, s);  // negative ones count from the end, as along an axis
  return make_unraveled(handle(make_in_range(index, s.elements(), mode)).get(), s);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

std::vector<handle> make_places_along(node* index, const shape& s, std::int64_t given) try {
  const int axis = runtime::checked_axis(given, s.size(), "put_along_axis");
  if (typed(index)->extents.size() != s.size())
    throw shape_error(message("sinter: put_along_axis: indices of shape %s for an array of shape %s",
                              to_string(typed(index)->extents).c_str(), to_string(s).c_str())
                          .c_str());
  std::vector<handle> along;
  for (int d = 0; d < s.size(); ++d)
    along.push_back(d == axis ? handle(retain(index)) : handle(runtime::index_along(s, d).release_node()));
  return along;
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

node* make_main_diagonal(node* n) {
  const int rank = typed(n)->extents.size();
  if (rank < 2) throw shape_error("sinter: fill_diagonal of an array of fewer than two axes");
  const shape& s = typed(n)->extents;
  for (int d = 1; rank > 2 && d < rank; ++d)
    if (s[d] != s[0])
      throw shape_error(
          message("sinter: fill_diagonal of more than two axes of different lengths: shape %s", to_string(s).c_str())
              .c_str());
  handle along(make_diagonal(n, 0, 0, 1));
  for (int d = 2; d < rank; ++d) along = handle(make_diagonal(along.get(), 0, 0, -1));
  return along.take();
}

// ---- choosing -------------------------------------------------------------------------------------------------------

node* make_chosen(node* index, node* const* parts, std::size_t count, index_mode mode) {
  if (count == 0) throw shape_error("sinter: choose among no arrays");
  const handle which(make_in_range(index, static_cast<std::int64_t>(count), mode));
  handle chosen(retain(parts[count - 1]));
  for (std::size_t p = count - 1; p-- > 0;) {
    const lazy<std::int64_t> i(retain(which.get()));
    const handle is_this(lazy<bool>(i == static_cast<std::int64_t>(p)).release_node());
    chosen = handle(runtime::make_where(is_this.get(), parts[p], chosen.get()));
  }
  if (count > 1) return chosen.take();
  // It is looked at where there is nothing to choose, too.
  const handle is_any(lazy<bool>(lazy<std::int64_t>(retain(which.get())) >= 0).release_node());
  return runtime::make_where(is_any.get(), chosen.get(), chosen.get());
}

node* make_selected(node* const* conditions, std::size_t count, node* const* parts, std::size_t part_count,
                    node* otherwise) {
  if (count != part_count)
    throw shape_error(
        message("sinter: select takes as many conditions as choices, not %zu and %zu", count, part_count).c_str());
  if (count == 0) throw shape_error("sinter: select by no condition");
  handle selected(retain(otherwise));
  for (std::size_t p = count; p-- > 0;) selected = handle(runtime::make_where(conditions[p], parts[p], selected.get()));
  return selected.take();
}

}  // namespace sinter::detail

namespace sinter {

namespace {

// Where column - row is, at most or at least, so much.
std::array<array<std::int64_t>, 2> triangle(std::int64_t rows, std::int64_t k, std::int64_t columns, bool lower) {
  const shape s{rows, columns < 0 ? rows : columns};
  const lazy<std::int64_t> row = runtime::index_along(s, 0), column = runtime::index_along(s, 1);
  const lazy<bool> inside = lower ? lazy<bool>(column - row <= k) : lazy<bool>(column - row >= k);
  return detail::places_in_matrix(detail::handle(inside.share()).get());
}

}  // namespace

std::array<array<std::int64_t>, 2> tril_indices(std::int64_t rows, std::int64_t k, std::int64_t columns) {
  return triangle(rows, k, columns, true);
}
std::array<array<std::int64_t>, 2> triu_indices(std::int64_t rows, std::int64_t k, std::int64_t columns) {
  return triangle(rows, k, columns, false);
}

}  // namespace sinter
