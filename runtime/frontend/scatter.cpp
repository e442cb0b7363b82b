// Stores through arrays of indices. Positions and values are computed first, by one kernel where it can be, so that everything
// is read before anything is written; then each element that is named takes the last value that is stored into it.
#include <cstring>
#include <new>

#include <sinter/error.hpp>

#include "codegen/function/scatter.hpp"
#include "codegen/ir/broadcast.hpp"
#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/eval.hpp"
#include "runtime/frontend/census.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/launch/modules.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/statement.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/operation.hpp"

namespace sinter::detail {

using codegen::scatter_arguments;
using runtime::as_array_node;
using runtime::typed;

namespace {

/// A store on a device whose memory is the host's: in order, so that the last one counts.
struct host_scatter {
  scatter_arguments of;
  std::size_t size;

  static void run(void* with) noexcept {
    const auto& [of, size] = *static_cast<const host_scatter*>(with);
    for (long long i = 0; i < of.count; ++i)
      std::memcpy(static_cast<std::byte*>(of.out) + static_cast<std::size_t>(of.at[i]) * size,
                  static_cast<const std::byte*>(of.values) + static_cast<std::size_t>(i) * size, size);
  }
};

void scatter_on_host(const scatter_arguments& of, std::size_t size, runtime::stream_state& on) {
  if (runtime::capture_state* const c = runtime::capture_of(on)) {
    auto kept = std::make_unique<host_scatter>(host_scatter{of, size});
    runtime::hold(*c, kept.get(), [](void* held) noexcept { delete static_cast<host_scatter*>(held); });
    return on.device.call_host(&host_scatter::run, kept.release(), on);
  }
  host_scatter now{of, size};
  on.device.call_host(&host_scatter::run, &now, on);
}

void scatter_on_gpu(scatter_arguments of, std::size_t size, runtime::stream_state& on) {
  constexpr long long threads = 256;
  codegen::image_origin from{};
  const runtime::loaded_kernel code =
      runtime::kernel_of(codegen::scatter_text(static_cast<int>(size)), {}, {}, *on.device.compiler(), on.device, from);
  if (from != codegen::image_origin::memory)
    runtime::bump(from == codegen::image_origin::disk ? runtime::counter::disk_hits : runtime::counter::compiles);
  runtime::geometry g;
  g.block[0] = threads;
  g.grid[0] = static_cast<unsigned>((of.count + threads - 1) / threads);
  for (const codegen::scatter_step step :
       {codegen::scatter_step::put_up, codegen::scatter_step::bid, codegen::scatter_step::write}) {
    of.step = static_cast<int>(step);
    on.device.launch(code, g, &of, offsetof(scatter_arguments, step) + sizeof of.step, on);
  }
}

void scatter(array_node& to, const array_node& at, const array_node& values) {
  runtime::stream_state& on = runtime::current_stream(*to.memory->device);
  const auto size = static_cast<std::size_t>(itemsize(to.type));
  const bool on_gpu = on.device.dialect() == codegen::dialect::cuda;
  runtime::storage_holder winner;
  if (on_gpu) winner.reset(runtime::make_storage(static_cast<std::size_t>(to.extents.elements()) * 8, on));
  runtime::operation op(on);
  op.reads(at.memory);
  op.reads(values.memory);
  op.writes(winner.get());
  op.writes(to.memory);
  scatter_arguments of{to.data(),
                       reinterpret_cast<const long long*>(at.data()),
                       values.data(),
                       winner.get() ? reinterpret_cast<long long*>(winner.get()->data) : nullptr,
                       at.extents.elements(),
                       0};
  on_gpu ? scatter_on_gpu(of, size, on) : scatter_on_host(of, size, on);
  op.done();
  op.has_read(at.memory);
  op.has_read(values.memory);
  op.has_written(winner.get());
  op.has_written(to.memory);
}

// Does nothing look at an array's elements but its name and the expression, which has been evaluated and dies?
bool is_only_of_statement(node* target, const expression_view& e) {
  const handle as_view(retain(target));  // a census is of a store into a view, which is all of the array here
  const runtime::census statement(e, target, target);
  return statement.dies(target) && statement.holds_all_of(*as_array_node(target)->memory);
}

}  // namespace

void store_at(handle& target, handle positions, const expression_view& e, const where& place) try {
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
  runtime::evaluate(wanted, 2);
  const handle at_node(wanted[0].into), values(wanted[1].into);
  positions = {};
  if (!as_array_node(target.get())->contiguous) target = handle(make_copy(target.get(), place));
  if (!is_only_of_statement(target.get(), e)) runtime::own_elements(target, "a store by indices into");
  scatter(*as_array_node(target.get()), *wanted[0].into, *wanted[1].into);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace sinter::detail
