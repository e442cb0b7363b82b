#include "runtime/launch/statements.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/log.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/operation.hpp"

namespace sinter::runtime {

using detail::array_node;
using detail::expression_node;

namespace {

const array_node& operand(const expression_node& e, int i) { return *static_cast<const array_node*>(e.children[i]); }

// An expression over arrays and nothing else.
const expression_node* statement_of(const request& r) {
  if (r.root->kind != detail::node_kind::expression) return nullptr;
  const auto* e = static_cast<const expression_node*>(r.root);
  for (int i = 0; i < e->code->nodes; ++i)
    if (operand(*e, i).kind != detail::node_kind::array) return nullptr;
  return e;
}

bool reads(const expression_node& e, const detail::storage* memory) {
  for (int i = 0; i < e.code->nodes; ++i)
    if (operand(e, i).memory == memory) return true;
  return false;
}

void enqueue(prepared_launch& p, const expression_node& e, array_node& to, stream_state& on) {
  auto* const block = reinterpret_cast<std::byte*>(p.arguments.data());
  for (const prepared_launch::slot& s : p.slots) {
    const void* pointer = nullptr;
    const void* from = &pointer;
    if (s.what == codegen::parameter::output) pointer = to.data();
    else if (s.what == codegen::parameter::input) pointer = operand(e, s.index).data();
    else from = &e.scalars[s.index];
    std::memcpy(block + s.offset, from, s.size);
  }
  operation op(on);
  for (int i = 0; i < e.code->nodes; ++i) op.reads(operand(e, i).memory);
  op.writes(to.memory);
  on.device.launch(p.code, p.how, block, p.size, on);
  op.done();
  for (int i = 0; i < e.code->nodes; ++i) op.has_read(operand(e, i).memory);
  op.has_written(to.memory);
}

}  // namespace

void prepared_statement::layout::set(const array_node& a, bool packs_) {
  extents = a.extents;
  std::copy_n(a.strides, max_rank, strides);
  place = packs_ ? place_in_pack(a.data()) : 0;
}

bool prepared_statement::layout::is(const array_node& a, bool packs_) const {
  return a.extents == extents && std::equal(a.strides, a.strides + extents.size(), strides) &&
         (!packs_ || place_in_pack(a.data()) == place);
}

bool prepared_statements::evaluate(request& r) {
  const expression_node* const e = statement_of(r);
  if (!e) return false;
  void** const hint = e->code->last_plan;
  const auto* const last = hint ? static_cast<const plan*>(__atomic_load_n(hint, __ATOMIC_ACQUIRE)) : nullptr;
  if (!last) return false;
  prepared_statement* const p = at_[last->fusions[0].steps[0]->number % places].get();
  if (!p || p->code != e->code || !(*r.extents == p->domain)) return false;
  for (int i = 0; i < e->code->nodes; ++i) {
    const array_node& a = operand(*e, i);
    const prepared_statement::layout& kept = p->operands[static_cast<std::size_t>(i)];
    if (a.memory->device != p->device || !kept.is(a, p->packs)) return false;
    if (kept.read_as != i && operand(*e, kept.read_as).data() != a.data()) return false;
  }
  stream_state& on = current_stream(*p->device);
  detail::handle made;
  array_node* to = r.into;
  if (!to) made = detail::handle(to = new_array(e->type, *r.extents, on));
  if (to->memory->device != p->device || !p->result.is(*to, p->packs) || reads(*e, to->memory) != p->aliased)
    return false;
  enqueue(p->launch, *e, *to, on);
  bump(counter::memory_hits);
  r.into = to;
  made.take();
  return true;
}

void prepared_statements::keep(const request& r, const codegen::resolution& in, const fusion& of,
                               prepared_launches& all) noexcept try {
  const expression_node* const e = statement_of(r);
  if (!e || e->code->nodes > most_operands || e->code->scalar_powers != 0 || of.steps.size() != 1) return;
  const codegen::step& step = of.steps[0]->step;
  const prepared_step& made = all.of(*of.steps[0]);
  if (r.extents->elements() == 0 || made.of != of.steps[0].get() || log_level() >= 2) return;
  std::unique_ptr<prepared_statement>& place = at_[of.steps[0]->number % places];
  if (!place) place = std::make_unique<prepared_statement>();
  prepared_statement& p = *place;
  p.code = nullptr;  // until all of it is there
  p.device = r.into->memory->device;
  p.packs = has_packs(p.device->dialect());
  p.aliased = reads(*e, r.into->memory);
  p.domain = *r.extents;
  p.result.set(*r.into, p.packs);
  // After the address of the code a signature has a ref for each node: which operand of the program it became.
  const auto operand_of = [&](int i) { return codegen::ref{in.words[static_cast<std::size_t>(1 + i)]}.index(); };
  const auto first_with = [&](unsigned number) {
    int i = 0;
    while (operand_of(i) != number) ++i;
    return i;
  };
  p.operands.resize(e->code->nodes);
  for (int i = 0; i < e->code->nodes; ++i) {
    prepared_statement::layout& kept = p.operands[static_cast<std::size_t>(i)];
    kept.set(operand(*e, i), p.packs);
    kept.read_as = first_with(operand_of(i));
  }
  p.launch = made.launch;
  for (prepared_launch::slot& s : p.launch.slots) {
    if (s.what == codegen::parameter::scalar) s.index = static_cast<std::uint16_t>(step.scalars[s.index]);
    if (s.what == codegen::parameter::input)
      s.index = static_cast<std::uint16_t>(first_with(step.inputs[s.index].operand));
  }
  p.code = e->code;
} catch (const std::bad_alloc&) {
  // Then it goes the long way again.
}

}  // namespace sinter::runtime
