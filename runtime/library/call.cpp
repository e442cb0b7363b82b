#include "runtime/library/call.hpp"

#include <mutex>
#include <numeric>

#include <sinter/detail/seam.hpp>
#include <sinter/error.hpp>

#include "codegen/ir/calls.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/log.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/report/recording.hpp"
#include "runtime/statement.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/operation.hpp"

namespace sinter::runtime {

using namespace detail;

namespace {

// Guards what calls keep.
std::mutex& keeping() {
  static auto& one = *new std::mutex;
  return one;
}

stream_state& stream_of(const library_call& what, call_operands operands, const call_ending* ending) {
  device_impl* const on = operands[0]->memory->device;
  const auto look_at = [&](const array_node& a) {
    if (a.memory->device != on)
      throw device_error(message("sinter: the operands of %s live on %s and %s; copy one of them with to(device)",
                                 what.name().c_str(), to_text(on->id).c_str(), to_text(a.memory->device->id).c_str())
                             .c_str());
  };
  for (const array_node* a : operands) look_at(*a);
  if (ending && ending->addend) look_at(*ending->addend);
  return current_stream(*on);
}

const call_node& typed_call(const handle& h) { return *static_cast<const call_node*>(h.get()); }

double bytes_of(const array_node& a) { return static_cast<double>(a.extents.elements()) * itemsize(a.type); }

void enqueue(const library_call& what, call_operands operands, const call_ending* ending, call_results made,
             stream_state& on) {
  if (ending) what.enqueue_ending(operands, *ending, made, on);
  else what.enqueue(operands, made, on);
}

void enqueue_recorded(const library_call& what, call_operands operands, const call_ending* ending, call_results made,
                      stream_state& on) {
  double bytes = ending && ending->addend ? bytes_of(*ending->addend) : 0;
  for (const array_node* a : operands) bytes += bytes_of(*a);
  for (const array_node* a : made) bytes += bytes_of(*a);
  noted(other_work::library, what.name().c_str(), bytes, on, [&] { enqueue(what, operands, ending, made, on); });
}

}  // namespace

result_handles make_calls(std::unique_ptr<const library_call> what, std::initializer_list<handle> operands) {
  result_handles made;
  auto owned = std::make_unique<call_site>();
  for (int i = 0; i < what->result_count; ++i) {
    const result_type& r = what->results[i];
    r.extents.check();
    auto* const c = new_node<call_node>(r.type, r.extents);
    c->site = i == 0 ? owned.release() : typed_call(made[0]).site;
    c->number = i;
    ++c->site->references;
    made[static_cast<std::size_t>(i)] = handle(c);
  }
  call_site& site = *typed_call(made[0]).site;
  for (const handle& h : operands) site.operands[site.operand_count++] = typed(retain(h.get()));
  site.what = what.release();
  return made;
}

void drop(call_site* site) noexcept {
  delete site->what;
  delete site;
}

const array_node* operand_of(const call_node& c, int number, const codegen::stand_ins& known) {
  const typed_node* const n = c.site->operands[number];
  const auto stands = known.find(n);
  if (stands == known.end() && n->kind != node_kind::array) return nullptr;
  const auto* const a = stands != known.end() ? stands->second : static_cast<const array_node*>(n);
  return a->contiguous || c.site->what->takes(*a, number) ? a : nullptr;
}

const typed_node* computed_for(const call_node& c, int number) {
  const typed_node* const n = c.site->operands[number];
  if (n->kind != node_kind::view || !c.site->what->takes_transposes()) return n;
  const auto& v = *static_cast<const view_node*>(n);
  return v.child->kind != node_kind::iota && codegen::transposes(v) ? v.child : n;
}

handle transposed_operand(const call_node& c, int number, const codegen::stand_ins& known) {
  const typed_node* const n = computed_for(c, number);
  if (n == c.site->operands[number]) return {};
  const auto stands = known.find(n);
  if (stands == known.end()) return {};
  std::int64_t axes[max_rank];
  const int rank = n->extents.size();
  std::iota(axes, axes + rank, 0);
  std::swap(axes[rank - 2], axes[rank - 1]);
  return handle(make_transpose(const_cast<array_node*>(stands->second), axes, rank));
}

codegen::fourier transformed_in_kernels(const call_node& c, const device_impl& on) {
  const target to = target_of(on);
  if (to.language != codegen::dialect::cuda || to.in_order) return codegen::fourier::none;
  if (__atomic_load_n(&c.site->references, __ATOMIC_ACQUIRE) != 1) return codegen::fourier::none;
  const std::lock_guard hold(keeping());
  return c.site->kept[0] ? codegen::fourier::none : c.site->what->in_kernels();
}

handle recalled(const call_node& c) {
  const std::lock_guard hold(keeping());
  return handle(retain(c.site->kept[c.number]));
}

result_handles call(const call_node& c, call_operands operands, array_node* into, const call_ending* ending) {
  const library_call& what = *c.site->what;
  stream_state& on = stream_of(what, operands, ending);
  result_handles made;
  array_node* to[call_site::most_results];
  const auto count = static_cast<std::size_t>(what.result_count);
  for (std::size_t i = 0; i < count; ++i) {
    made[i] = handle(into ? retain(into) : new_array(what.results[i].type, what.results[i].extents, on));
    to[i] = as_array_node(made[i].get());
  }
  operation op(on);
  const array_node* const addend = ending ? ending->addend : nullptr;
  for (const array_node* a : operands) op.reads(a->memory);
  if (addend) op.reads(addend->memory);
  for (std::size_t i = 0; i < count; ++i) op.writes(to[i]->memory);
  if (recorded()) [[unlikely]]
    enqueue_recorded(what, operands, ending, {to, count}, on);
  else enqueue(what, operands, ending, {to, count}, on);
  op.done();
  for (const array_node* a : operands) op.has_read(a->memory);
  if (addend) op.has_read(addend->memory);
  for (std::size_t i = 0; i < count; ++i) op.has_written(to[i]->memory);
  on.device.wait_if_asked(on);
  if (log_level() >= 2) [[unlikely]]
    log(2, "call: %s%s", what.name().c_str(), for_statement().c_str());
  if (into || ending || capture_of(on)) return made;  // what a graph computes later is no value yet
  const std::lock_guard hold(keeping());
  if (!c.site->kept[0])
    for (std::size_t i = 0; i < count; ++i) c.site->kept[i] = as_array_node(retain(to[i]));
  return made;
}

}  // namespace sinter::runtime
