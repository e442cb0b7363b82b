#include "runtime/library/call.hpp"

#include <mutex>

#include <sinter/error.hpp>

#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/log.hpp"
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

stream_state& stream_of(const library_call& what, call_operands operands) {
  device_impl* const on = operands[0]->memory->device;
  for (const array_node* a : operands)
    if (a->memory->device != on)
      throw device_error(message("sinter: the operands of %s live on %s and %s; copy one of them with to(device)",
                                 what.name().c_str(), to_text(on->id).c_str(), to_text(a->memory->device->id).c_str())
                             .c_str());
  return current_stream(*on);
}

}  // namespace

handle make_call(std::unique_ptr<const library_call> what, std::initializer_list<handle> operands) {
  what->extents.check();
  auto* const c = new_node<call_node>(what->type, what->extents);
  for (const handle& h : operands) c->operands[c->operand_count++] = typed(retain(h.get()));
  c->what = what.release();
  return handle(c);
}

void drop(const library_call* what) noexcept { delete what; }

const array_node* operand_of(const call_node& c, int number, const codegen::stand_ins& known) {
  const typed_node* const n = c.operands[number];
  if (const auto stands = known.find(n); stands != known.end()) return stands->second;
  if (n->kind != node_kind::array) return nullptr;
  const auto* const a = static_cast<const array_node*>(n);
  return a->contiguous || c.what->takes(*a, number) ? a : nullptr;
}

handle recalled(const call_node& c) {
  const std::lock_guard hold(keeping());
  return handle(retain(c.kept));
}

handle call(const call_node& c, call_operands operands, array_node* into) {
  stream_state& on = stream_of(*c.what, operands);
  handle made(into ? retain(into) : new_array(c.type, c.extents, on));
  array_node* const to = as_array_node(made.get());
  operation op(on);
  for (const array_node* a : operands) op.reads(a->memory);
  op.writes(to->memory);
  c.what->enqueue(operands, *to, on);
  op.done();
  for (const array_node* a : operands) op.has_read(a->memory);
  op.has_written(to->memory);
  if (log_level() >= 2) [[unlikely]]
    log(2, "call: %s", c.what->name().c_str());
  if (into || capture_of(on)) return made;  // what a graph computes later is no value yet
  const std::lock_guard hold(keeping());
  if (!c.kept) c.kept = as_array_node(retain(to));
  return made;
}

}  // namespace sinter::runtime
