// Stores through arrays of indices. Positions and values are computed first, by one kernel where it can be, so that everything
// is read before anything is written; then each element that is named takes the last value that is stored into it, or folds all of
// them into what it has.
#include <new>
#include <optional>

#include <sinter/error.hpp>
#include <sinter/functions.hpp>

#include "codegen/ir/broadcast.hpp"
#include "runtime/device/device.hpp"
#include "runtime/eval.hpp"
#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/frontend/overlap.hpp"
#include "runtime/frontend/terms.hpp"
#include "runtime/launch/scatter.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/statement.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/operation.hpp"

namespace sinter::detail {

using runtime::as_array_node;
using runtime::astype, runtime::term, runtime::typed;

namespace {

codegen::scatter_fold fold_of(combining how) {
  if (!how.folds) return codegen::scatter_fold::last;
  if (how.with == op::add) return how.in_any_order ? codegen::scatter_fold::add : codegen::scatter_fold::sum;
  return how.with == op::maximum ? codegen::scatter_fold::max : codegen::scatter_fold::min;
}

// The array that a value is, where it lies as it is needed, and the store does not change it. Null: it is to be computed.
array_node* ready_value(const expression_view& e, const shape& wanted, const array_node& target) {
  if (!changes_nothing(*e.code)) return nullptr;
  array_node* const a = as_array_node(e.nodes[0]);
  const bool is_ready = a && a->contiguous && a->extents == wanted && a->memory != target.memory &&
                        a->memory->device == target.memory->device;
  return is_ready ? a : nullptr;
}

// Positions or values that lie elsewhere would be addresses of another device.
void require_device_of(const array_node& target, const array_node& part) {
  const device from = part.memory->device->id, to = target.memory->device->id;
  if (from != to)
    throw device_error(
        message("sinter: a store into an array of %s by indices or of values of %s; copy them there with to(device)",
                runtime::to_text(to).c_str(), runtime::to_text(from).c_str())
            .c_str());
}

// A device that notes something of each element would do so of many that lie between those of a view.
bool is_sparse(const array_node& a) {
  const runtime::reach r = runtime::reach_of(a);
  return a.memory->device->asynchronous() && r.high - r.low >= 2 * a.extents.elements();
}

// How many of an array's last axes a list takes whole, without gaps in memory: their elements are a run.
int axes_of_run(const array_node& a, const picking& list) {
  const int rank = a.extents.size();
  int named = 0, item = list.count, whole = 0;
  bool has_rest = false;
  for (int i = 0; i < list.count; ++i) {
    named += list.items[i].what != index_item::rest && list.items[i].what != index_item::new_axis;
    has_rest = has_rest || list.items[i].what == index_item::rest;
  }
  const bool ends_in_rest = list.items[list.count - 1].what == index_item::rest;
  if (!has_rest || ends_in_rest) whole = rank - named;
  if (ends_in_rest) --item;
  for (; item > 0 && list.items[item - 1].what == index_item::all; --item) ++whole;
  int axes = 0;
  for (std::int64_t step = 1; axes < whole && a.strides[rank - 1 - axes] == step; ++axes)
    step *= a.extents[rank - 1 - axes];
  std::int64_t bytes = itemsize(a.type);
  for (int d = rank - axes; d < rank; ++d) bytes *= a.extents[d];
  constexpr std::int64_t least = 16;  // what is shorter is as fast one by one
  return bytes < least ? 0 : axes;
}

// The positions of runs: the last axes have one element each.
handle first_of_runs(handle positions, int axes, shape& s) {
  index_item items[max_rank];
  for (int d = 0; d < s.size(); ++d) items[d] = to_index(_);
  for (int d = s.size() - axes; d < s.size(); ++d) items[d] = to_index(slice(0, 1)), s[d] = 1;
  return axes == 0 ? std::move(positions) : handle(make_view(positions.get(), items, s.size()));
}

// Where each element of an array lies behind the first one in memory.
handle places_in(const array_node& a) {
  if (a.contiguous) return handle(make_positions(a.extents));
  lazy<std::int64_t> all = runtime::index_along(a.extents, 0) * a.strides[0] + (a.offset - runtime::reach_of(a).low);
  for (int d = 1; d < a.extents.size(); ++d) all = std::move(all) + runtime::index_along(a.extents, d) * a.strides[d];
  return handle(all.release_node());
}

}  // namespace

void scatter(array_node& to, const array_node& at, const array_node& values, std::int64_t run, combining how) {
  runtime::stream_state& on = runtime::current_stream(*to.memory->device);
  const runtime::reach r = runtime::reach_of(to);
  const runtime::scattered of{fold_of(how),
                              to.type,
                              to.memory->data + r.low * itemsize(to.type),
                              reinterpret_cast<const std::int64_t*>(at.data()),
                              values.data(),
                              run * at.extents.elements(),
                              r.high - r.low + 1,
                              run,
                              values.extents.elements() < run * at.extents.elements()};
  runtime::storage_holder notes;
  if (const std::size_t size = runtime::scatter_notes(of, on.device)) notes.reset(runtime::make_storage(size, on));
  if (is_complex(to.type) && how.folds && how.with != op::add)
    throw dtype_error("sinter: scatter_max and scatter_min take no complex numbers");
  runtime::operation op(on);
  op.reads(at.memory);
  op.reads(values.memory);
  op.writes(notes.get());
  op.writes(to.memory);
  runtime::scatter(of, notes.get() ? notes.get()->data : nullptr, on);
  op.done();
  op.has_read(at.memory);
  op.has_read(values.memory);
  op.has_written(notes.get());
  op.has_written(to.memory);
}

void store_at(handle& target, handle part, const picking& list, const expression_view& e, combining how,
              const where& place) try {
  const runtime::statement here(place);
  shape scratch;
  runtime::borrowed_expression root(e, runtime::broadcast_shape(e, place, scratch));
  if (!part) part = target;
  const shape view = typed(handle(make_picked(part.get(), list)).get())->extents;
  if (!codegen::can_be_stored(root.extents, view))
    throw shape_error(message("sinter: a value of shape %s does not fit the shape %s it is stored into%s",
                              to_string(root.extents).c_str(), to_string(view).c_str(), at(place).c_str())
                          .c_str());
  if (view.elements() == 0) return;

  std::optional<runtime::only_onlooker> alone;
  runtime::make_room(target, part, e, list, alone);
  array_node* to = as_array_node(part.get());
  const device_scope on(to->memory->device->id);  // where there is no other operand
  // Elements that lie far apart are stored into where they lie together, and then all written back.
  handle together;
  const bool widens = how.folds && is_short_floating(to->type);  // numbers of 16 bits are folded as floats
  if (widens) together = handle(evaluate(astype(term::of(to), dtype::float32).get(), place));
  else if (is_sparse(*to)) together = handle(make_copy(to, place));
  if (together) to = as_array_node(together.get());

  shape runs = view, one_run = view;
  const bool in_runs = runtime::scatters_runs(*to->memory->device);
  const int axes = in_runs ? axes_of_run(*to, list) : 0;
  const handle positions = first_of_runs(handle(make_picked(places_in(*to).get(), list)), axes, runs);
  one_run.set_size(axes);
  for (int d = 0; d < axes; ++d) one_run[d] = view[view.size() - axes + d];
  const bool repeats = in_runs && codegen::can_be_stored(root.extents, one_run);
  runtime::request wanted[] = {{typed(positions.get()), &runs, nullptr}, {&root, repeats ? &one_run : &view, nullptr}};
  array_node* const ready = ready_value(e, view, *to);
  runtime::evaluate(wanted, ready ? 1 : 2);
  const handle at_node(wanted[0].into);
  handle values(ready ? retain(ready) : wanted[1].into);
  if (widens) values = handle(evaluate(astype(term::of(values.get()), dtype::float32).get(), place));
  require_device_of(*to, *wanted[0].into);
  require_device_of(*to, *as_array_node(values.get()));
  scatter(*to, *wanted[0].into, *as_array_node(values.get()), one_run.elements(), how);
  if (!together) return;
  array_node* const apart = as_array_node(part.get());
  const term narrow = astype(term::of(to), apart->type);
  runtime::request back{typed(narrow.get()), &apart->extents, apart};
  runtime::evaluate(&back, 1);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace sinter::detail
