// The places where a mask is true. How many there are depends on its values, so it is evaluated, and the calling thread waits.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "codegen/ir/node.hpp"
#include "runtime/device/device.hpp"
#include "runtime/eval.hpp"
#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/list.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/frontend/terms.hpp"
#include "runtime/memory/foreign.hpp"
#include "runtime/memory/pinned.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/memory/transfer.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/current.hpp"

namespace sinter::detail {

using runtime::as_array_node;
using runtime::astype, runtime::choose, runtime::fold, runtime::number_node, runtime::term, runtime::typed;
using runtime::view_maker;

namespace {

using places = array<std::int64_t>;

places empty_places() { return sinter::empty<std::int64_t>({0}); }

// How many of eight bytes are not 0. A byte that came from elsewhere may be neither 0 nor 1.
std::int64_t count_true(std::uint64_t bytes) {
  constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7f, each = 0x0101010101010101;
  const std::uint64_t truth = ((((bytes & low) + low) | bytes) >> 7) & each;
  return static_cast<std::int64_t>(truth * each >> 56);
}
constexpr std::int64_t word = sizeof(std::uint64_t);
std::uint64_t word_at(const unsigned char* truth) {
  std::uint64_t bytes;
  std::memcpy(&bytes, truth, word);
  return bytes;
}

// The host reads what lies in its memory. Each place is written where the next one found goes, so that no processor has to guess.
places found_by_host(const array<bool>& mask) {
  const handle packed(as_array_node(mask.node())->contiguous ? retain(mask.node()) : make_copy(mask.node()));
  const array_node& a = *as_array_node(packed.get());
  const auto* const truth =
      reinterpret_cast<const unsigned char*>(runtime::read_in_place(*a.memory, a.data(), where{}));
  const std::int64_t size = mask.size();
  std::int64_t count = 0, place = 0, at = 0;
  for (; place + word <= size; place += word) count += count_true(word_at(truth + place));
  for (; place < size; ++place) count += truth[place] != 0;
  const places found = sinter::empty<std::int64_t>({count});
  auto* const to = reinterpret_cast<std::int64_t*>(as_array_node(found.node())->data());
  const auto note = [&](std::int64_t i) {
    to[at] = i;
    at += truth[i] != 0;
  };
  for (place = 0; place + word <= size && count - at >= word; place += word) {
    if (word_at(truth + place) == 0) continue;  // where few are true it is told ahead
    for (std::int64_t j = 0; j < word; ++j) note(place + j);
  }
  for (; place < size && at < count; ++place) note(place);
  return found;
}

// ---- on a GPU: one kernel finds what a mask is true for and moves it -------------------------------------------------

// Whether each of a mask's elements is true, in C order. A byte that came from elsewhere may be neither 0 nor 1.
term truth_of(node* mask) {
  const term truth = astype(term::of(mask), dtype::bool_).flat();
  if (!as_array_node(truth.get())) return truth;
  return term::made(make_reinterpreted(truth.get(), dtype::uint8)) != 0;
}

// A number of pinned memory: a kernel writes it there, and the host reads it without a copy.
array_node* new_number_for_host(dtype type, runtime::stream_state& on) {
  runtime::refuse_while_capturing(on, "a mask whose true elements are counted");
  const device_scope here(on.device.id);
  void* const block = default_pinned_memory_pool().allocate(sizeof(std::int64_t));
  const auto give_back = [](void* b) noexcept { runtime::pinned_pool::deallocate(b); };
  std::unique_ptr<void, void (*)(void*)> owner(block, give_back);
  runtime::storage_holder memory(
      runtime::make_foreign_storage(static_cast<std::byte*>(block), sizeof(std::int64_t), {give_back, block}, on));
  owner.release();
  array_node* const made = runtime::new_array(type, shape{}, memory.get());
  memory.take();
  return made;
}

// For which the calling thread waits.
std::int64_t number_of(const array_node& one) {
  const runtime::stream_state& on = *one.memory->stream;
  on.device.synchronize(on);
  if (one.type == dtype::int64) return *reinterpret_cast<const std::int64_t*>(one.data());
  return *reinterpret_cast<const std::int32_t*>(one.data());
}

// What one kernel keeps: the elements at the front of `room`, and how many.
struct kept_elements {
  handle room, total;
};

// What a mask keeps of an array, or of positions; both have one axis. Into `given`, or a new array that all of them would fit. False where
// that is not one kernel of a GPU.
bool start_keeping(const term& truth, const term& of, handle given, kept_elements& into) {
  const std::int64_t all = truth.extent(0);
  const dtype counts = all <= std::numeric_limits<std::int32_t>::max() ? dtype::int32 : dtype::int64;
  const term kept_so_far = term::made(make_scan(astype(truth, counts).get(), reduction::sum, counts, 0));
  const term place = choose(truth, kept_so_far - 1, number_node(-1, counts));
  runtime::request wanted[2];
  wanted[0] = {typed(of.get()), &of.extents(), given ? as_array_node(given.get()) : nullptr};
  wanted[1] = {typed(place.get()), &place.extents()};
  if (!runtime::compress(wanted, new_number_for_host)) return false;
  into.room = given ? std::move(given) : handle(wanted[0].into);
  into.total = handle(wanted[1].into);
  return true;
}

// Once the calling thread knows how many there are, the rest of a new array goes back.
node* what_is_kept(const kept_elements& in) {
  const std::int64_t count = number_of(*as_array_node(in.total.get()));
  array_node* const room = as_array_node(in.room.get());
  if (count == room->extents[0]) return retain(room);
  if (count == 0) return runtime::new_array(room->type, shape{0}, runtime::current_stream(*room->memory->device));
  runtime::shorten(*room->memory, static_cast<std::size_t>(count * itemsize(room->type)));
  return term(in.room).along(0, slice{0, count}).take();
}

// ... where there is no room for all, or nothing could go back: as many as are counted before. Both lie in memory, so that it is one
// kernel.
node* kept_after_counting(const term& truth, const term& of, runtime::device_impl& device) {
  const device_scope on(device.id);
  const term counted = fold(reduction::sum, truth, runtime::one_axis(0), false, dtype::int64);
  const std::int64_t count = array<std::int64_t>(as_array(counted.take(), where{})).item();
  handle room(runtime::new_array(of.type(), shape{count}, runtime::current_stream(device)));
  if (count == 0) return room.take();
  kept_elements in;
  if (!start_keeping(truth, of, std::move(room), in))
    throw internal_error("sinter: a mask in memory takes two kernels");
  return what_is_kept(in);
}

// What a mask keeps. Null where that is the host's work; then the mask is in memory.
node* kept_on_gpu(node* mask, handle& in_memory, const term& of) {
  kept_elements in;
  const auto keeps_at_once = [&](const term& truth) {
    return runtime::can_shorten() && start_keeping(truth, of, {}, in);
  };
  if (runtime::current_device().asynchronous() && keeps_at_once(truth_of(mask))) return what_is_kept(in);
  in_memory = handle(evaluate(mask, where{}));
  runtime::device_impl& device = *as_array_node(in_memory.get())->memory->device;
  if (!device.asynchronous()) return nullptr;
  const term truth = truth_of(in_memory.get());
  return keeps_at_once(truth) ? what_is_kept(in) : kept_after_counting(truth, of, device);
}

// In C order.
places flat_places(node* mask) {
  const shape& s = typed(mask)->extents;
  if (s.elements() == 0) return empty_places();
  handle in_memory;
  const shape all{s.elements()};
  if (node* const kept = kept_on_gpu(mask, in_memory, runtime::index_of(all, 0))) return places(kept);
  const term flat = astype(term(std::move(in_memory)), dtype::bool_).flat();
  const array<bool> truth(as_array(flat.take(), where{}));
  const device_scope on(truth.device());
  return found_by_host(truth);
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
  // Of an array the elements are moved at once; of an expression their places are found, and it is computed there alone.
  handle in_memory;
  if (as_array_node(n) && of.size() == from.size() && of.elements() != 0)
    if (node* const kept = kept_on_gpu(mask, in_memory, term::of(n).flat())) return kept;
  const places flat = flat_places(in_memory ? in_memory.get() : mask);
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
  const dtype type = runtime::typed(otherwise)->type;
  for (std::size_t p = count; p-- > 0;) {
    const term part = astype(term(handle(retain(parts[p]))), type);
    selected = handle(runtime::make_where(conditions[p], part.get(), selected.get()));
  }
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

lazy<std::int64_t> ravel_multi_index(std::initializer_list<std::int64_t> along, const shape& s, index_mode mode) {
  detail::node_list nodes;
  for (const std::int64_t i : along) nodes.push_back(detail::number_array(i).release_node());
  return lazy<std::int64_t>(detail::make_raveled(nodes.data(), nodes.size(), s, mode));
}

}  // namespace sinter
