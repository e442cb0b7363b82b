// Stores through arrays of indices. Positions and values are computed first, by one kernel where it can be, so that everything
// is read before anything is written; then each element that is named takes the last value that is stored into it, or folds all of
// them into what it has.
#include <new>

#include <sinter/error.hpp>

#include "codegen/ir/broadcast.hpp"
#include "runtime/device/device.hpp"
#include "runtime/eval.hpp"
#include "runtime/frontend/census.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/launch/scatter.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/statement.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/operation.hpp"

namespace sinter::detail {

using runtime::as_array_node;
using runtime::typed;

namespace {

codegen::scatter_fold fold_of(combining how) {
  if (!how.folds) return codegen::scatter_fold::last;
  if (how.with == op::add) return how.in_any_order ? codegen::scatter_fold::add : codegen::scatter_fold::sum;
  return how.with == op::maximum ? codegen::scatter_fold::max : codegen::scatter_fold::min;
}

void scatter(array_node& to, const array_node& at, const array_node& values, combining how) {
  runtime::stream_state& on = runtime::current_stream(*to.memory->device);
  const runtime::scattered of{fold_of(how),
                              to.type,
                              to.data(),
                              reinterpret_cast<const std::int64_t*>(at.data()),
                              values.data(),
                              at.extents.elements(),
                              to.extents.elements()};
  runtime::storage_holder notes;
  if (const std::size_t size = runtime::scatter_notes(of, on.device)) notes.reset(runtime::make_storage(size, on));
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

// The array that a value is, where it lies as it is needed, and the store does not change it. Null: it is to be computed.
array_node* ready_value(const expression_view& e, const shape& wanted, const array_node& target) {
  if (e.code->length != 1 || e.code->nodes != 1) return nullptr;
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

// Does nothing look at an array's elements but its name and the expression, which has been evaluated and dies?
bool is_only_of_statement(node* target, const expression_view& e) {
  const handle as_view(retain(target));  // a census is of a store into a view, which is all of the array here
  const runtime::census statement(e, target, target);
  return statement.dies(target) && statement.holds_all_of(*as_array_node(target)->memory);
}

}  // namespace

void store_at(handle& target, handle positions, const expression_view& e, combining how, const where& place) try {
  const runtime::statement here(place);
  shape scratch;
  runtime::borrowed_expression root(e, runtime::broadcast_shape(e, place, scratch));
  const shape& view = typed(positions.get())->extents;
  if (!codegen::can_be_stored(root.extents, view))
    throw shape_error(message("sinter: a value of shape %s does not fit the shape %s it is stored into%s",
                              to_string(root.extents).c_str(), to_string(view).c_str(), at(place).c_str())
                          .c_str());
  if (view.elements() == 0) return;
  runtime::request wanted[] = {{typed(positions.get()), &view, nullptr}, {&root, &view, nullptr}};
  const device_scope on(as_array_node(target.get())->memory->device->id);  // where there is no other operand
  array_node* const ready = ready_value(e, view, *as_array_node(target.get()));
  runtime::evaluate(wanted, ready ? 1 : 2);
  const handle at_node(wanted[0].into), values(ready ? retain(ready) : wanted[1].into);
  require_device_of(*as_array_node(target.get()), *wanted[0].into);
  require_device_of(*as_array_node(target.get()), *as_array_node(values.get()));
  positions = {};
  if (!as_array_node(target.get())->contiguous) target = handle(make_copy(target.get(), place));
  if (!is_only_of_statement(target.get(), e)) runtime::own_elements(target, "a store by indices into");
  scatter(*as_array_node(target.get()), *wanted[0].into, *as_array_node(values.get()), how);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace sinter::detail
