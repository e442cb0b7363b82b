#include "runtime/launch/statements.hpp"

#include <algorithm>
#include <new>

#include "codegen/ir/calls.hpp"
#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/launch/tickets.hpp"
#include "runtime/library/call.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/report/watch.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/operation.hpp"

namespace sinter::runtime {

using detail::array_node;
using detail::expression_node;
using detail::typed_node;
using argument = prepared_part::argument;

namespace {

const array_node& leaf(const typed_node* const* nodes, const argument& a) {
  return *static_cast<const array_node*>(nodes[a.from]);
}

void put_pointer(std::byte* block, const argument& a, const array_node& of) {
  put(block + a.at, of.data() + a.distance);
}

void enqueue(prepared_part& p, const typed_node* const* nodes, array_node* const* arrays, stream_state& on) {
  auto* const block = reinterpret_cast<std::byte*>(p.block.data());
  storage_holder scratch(p.scratch ? make_storage(p.scratch, on) : nullptr);
  operation op(on);
  if (p.scratch) {
    put(block + p.partials, scratch.get()->data);
    op.writes(scratch.get());
  }
  if (p.tickets != prepared_part::nowhere) put(block + p.tickets, tickets(on));
  for (const argument& a : p.leaves) {
    put_pointer(block, a, leaf(nodes, a));
    op.reads(leaf(nodes, a).memory);
  }
  for (const argument& a : p.temporaries) {
    put_pointer(block, a, *arrays[a.from]);
    op.reads(arrays[a.from]->memory);
  }
  for (const argument& a : p.outputs) {
    put_pointer(block, a, *arrays[a.from]);
    op.writes(arrays[a.from]->memory);
  }
  for (const argument& a : p.scalars)
    put(block + a.at, static_cast<const expression_node*>(nodes[a.from])->scalars[a.index], a.size);
  on.device.launch(p.code, p.how, block, p.size, on);
  op.done();
  if (op.has_read_apart()) [[unlikely]] {
    for (const argument& a : p.leaves) op.has_read(leaf(nodes, a).memory);
    for (const argument& a : p.temporaries) op.has_read(arrays[a.from]->memory);
  }
  for (const argument& a : p.outputs) op.has_written(arrays[a.from]->memory);
  op.has_written(scratch.get());
}

bool is_aliased(const prepared_part& p, const typed_node* const* nodes, const request* requests, int count) {
  for (const argument& out : p.outputs) {
    if (out.from >= count || !requests[out.from].into) continue;
    for (const argument& in : p.leaves)
      if (leaf(nodes, in).memory == requests[out.from].into->memory) return true;
  }
  return false;
}

bool is_asked_once(const typed_node& n, const device_impl& on) {
  if (!codegen::has_one_owner(n)) return false;
  return n.kind != detail::node_kind::call ||
         transformed_in_kernels(static_cast<const detail::call_node&>(n), on) != codegen::fourier::none;
}

// What of the nodes a trace does not tell.
bool fits(const prepared_statement& p, const typed_node* const* nodes, const request* requests, int count) {
  for (const prepared_statement::relation& r : p.the_same) {
    const auto *a = static_cast<const array_node*>(nodes[r.node]), *b = static_cast<const array_node*>(nodes[r.as]);
    if (a->memory != b->memory || a->data() - b->data() != r.distance) return false;
  }
  for (const std::uint16_t n : p.asked_once)
    if (!is_asked_once(*nodes[n], *p.looks.device)) return false;
  for (const prepared_part& part : p.parts)
    if (part.aliased != is_aliased(part, nodes, requests, count)) return false;
  return !p.anywhere || &current_device() == p.looks.device;
}

}  // namespace

bool prepared_statements::evaluate(request* requests, int count) {
  if (watched()) [[unlikely]]
    return false;
  const std::uint64_t hash = trace_hash(requests, count);
  for (const std::unique_ptr<prepared_statement>& p : of(hash).kept)
    if (p && p->hash == hash && has_trace(requests, count, p->looks, nodes_.data()) &&
        fits(*p, nodes_.data(), requests, count)) {
      p->found = true;
      return run(*p, requests, count);
    }
  return false;
}

bool prepared_statements::run(prepared_statement& p, request* requests, int count) {
  stream_state& on = current_stream(*p.looks.device);
  const auto results = static_cast<std::size_t>(count);
  struct dropping {
    const request* requests;
    std::size_t results, made = 0;
    array_node** arrays;
    // The temporaries; of an evaluation that failed also the results.
    ~dropping() {
      for (std::size_t i = 0; i < made; ++i)
        if (i >= results || arrays[i] != requests[i].into) detail::release(arrays[i]);
    }
  } at_end{requests, results, 0, arrays_.data()};
  for (std::size_t i = 0; i < p.arrays.size(); ++i) {
    const prepared_statement::array& a = p.arrays[i];
    array_node* const given = i < results ? requests[i].into : nullptr;
    arrays_[i] = given ? given : new_array(a.type, i < results ? *requests[i].extents : a.extents, on);
    at_end.made = i + 1;
    if (p.looks.packs && place_in_pack(arrays_[i]->data()) != a.place) return false;
  }
  for (prepared_part& part : p.parts) enqueue(part, nodes_.data(), arrays_.data(), on);
  bump(counter::memory_hits);
  for (std::size_t i = 0; i < results; ++i) requests[i].into = arrays_[i];
  return true;
}

namespace {

/// Finds out what to repeat of an evaluation.
class recorder {
 public:
  recorder(const request* requests, int count, const codegen::resolution& in, const fusion& of,
           array_node* const* temporaries, prepared_launches& launches, prepared_statement& into)
      : requests_(requests),
        results_(static_cast<unsigned>(count)),
        in_(in),
        of_(of),
        temporaries_(temporaries),
        launches_(launches),
        to_(into) {}

  bool run() {
    device_impl& device = *requests_[0].into->memory->device;
    if (!write_trace(requests_, static_cast<int>(results_), device, to_.looks, nodes_)) return false;
    to_.anywhere = in_.device == nullptr;
    for (unsigned i = 0; i < results_; ++i) {
      to_.arrays.push_back({requests_[i].root->type, {}, place_in_pack(requests_[i].into->data())});
      to_.anywhere = to_.anywhere && requests_[i].made;
    }
    for (std::size_t i = 0; i < of_.temporaries.size(); ++i) {
      const array_node& t = *temporaries_[i];
      to_.arrays.push_back({t.type, t.extents, place_in_pack(t.data())});
    }
    for (const codegen::met_again& m : in_.met) {
      const array_node* const first = in_.operands[m.operand].from;
      to_.the_same.push_back({number_of(m.as), number_of(first), m.as->data() - first->data()});
    }
    find_asked_once();
    return std::all_of(of_.steps.begin(), of_.steps.end(), [this](auto& s) { return add(*s); });
  }

  std::size_t nodes() const { return nodes_.size(); }

 private:
  std::uint16_t number_of(const typed_node* n) const {
    return static_cast<std::uint16_t>(std::find(nodes_.begin(), nodes_.end(), n) - nodes_.begin());
  }

  // Calls, and all that is between them and the requests: each of these has one owner, which is met before it.
  void find_asked_once() {
    const auto is_call = [](const typed_node* n) { return n->kind == detail::node_kind::call; };
    if (std::none_of(nodes_.begin(), nodes_.end(), is_call)) return;
    std::vector<bool> has_call(nodes_.size());
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      has_call[i] = is_call(nodes_[i]);
      for (int c = 0; c < child_count(nodes_[i]); ++c)
        has_call[i] = has_call[i] || has_call[number_of(child(nodes_[i], c))];
      if (has_call[i]) to_.asked_once.push_back(static_cast<std::uint16_t>(i));
    }
  }

  bool add(const compiled_step& compiled) {
    const codegen::step& s = compiled.step;
    const codegen::space& domain = in_.spaces[s.domain];
    for (int d = 0; d < domain.extents.size(); ++d)
      if (domain.extents[d] == 0 && (s.kernel.scans() || !(domain.reduced >> d & 1)))
        return false;  // it was not launched
    const prepared_step& made = launches_.of(compiled);
    if (made.of != &compiled) return false;
    const prepared_launch& launch = made.launch;
    if (launch.words) return false;  // each launch of a scan in tiles takes them anew
    prepared_part& p = to_.parts.emplace_back();
    p.code = launch.code;
    p.how = launch.how;
    p.scratch = launch.scratch;
    p.size = launch.size;
    p.block = launch.arguments;
    for (const prepared_launch::slot& slot : launch.slots) add(s, slot, p);
    if (!launch.tickets) p.tickets = prepared_part::nowhere;
    p.aliased = is_aliased(p, nodes_.data(), requests_, static_cast<int>(results_));
    return true;
  }

  void add(const codegen::step& s, const prepared_launch::slot& slot, prepared_part& p) {
    switch (slot.what) {
      case codegen::parameter::input: return add(s.inputs[slot.index], slot.offset, p);
      case codegen::parameter::output: {
        const codegen::step::write& o = s.outputs[slot.index];
        p.outputs.push_back({slot.offset, array(o.root, o.temporary)});
        return;
      }
      case codegen::parameter::scalar: return add_scalar(s.scalars[slot.index], slot, p);
      case codegen::parameter::partials: p.partials = slot.offset; return;
      default: p.tickets = slot.offset; return;
    }
  }

  void add(const codegen::step::read& input, std::uint16_t at, prepared_part& p) {
    const codegen::operand& o = in_.operands[input.operand];
    if (o.iota) return;  // what it begins with stays in the block
    if (input.temporary >= 0) {
      const std::uint16_t from = array(-1, input.temporary);
      p.temporaries.push_back({at, from, 0, 8, o.offset * itemsize(to_.arrays[from].type)});
    } else {
      p.leaves.push_back({at, number_of(o.from), 0, 8, o.data - o.from->data()});
    }
  }

  void add_scalar(unsigned number, const prepared_launch::slot& slot, prepared_part& p) {
    const expression_node* const* e = in_.expressions.begin();
    const auto count = [](const expression_node* of) { return of ? static_cast<unsigned>(of->code->scalars) : 1u; };
    for (; number >= count(*e); ++e) number -= count(*e);
    if (!*e) return;  // it follows from layouts, and stays in the block
    p.scalars.push_back({slot.offset, number_of(*e), static_cast<std::uint16_t>(number), slot.size});
  }

  std::uint16_t array(int root, int temporary) const {
    return static_cast<std::uint16_t>(root >= 0 ? root : static_cast<int>(results_) + temporary);
  }

  const request* const requests_;
  const unsigned results_;
  const codegen::resolution& in_;
  const fusion& of_;
  array_node* const* const temporaries_;
  prepared_launches& launches_;
  prepared_statement& to_;
  std::vector<const typed_node*> nodes_;
};

}  // namespace

bool prepared_statements::place::meet(std::uint64_t hash) {
  if (met[0] == hash || met[1] == hash) return true;
  met[0] = std::exchange(met[1], hash);
  return false;
}

// Preparing costs more than going the long way once: where more statements meet than there is room for, most go that way.
bool prepared_statements::place::takes_another() {
  constexpr unsigned enough = 8, seldom = 32;
  const prepared_statement* const old = kept[newest ^ 1].get();
  if (old) in_vain = old->found ? 0 : in_vain + 1;
  return in_vain < enough || in_vain % seldom == 0;
}

void prepared_statements::keep(const request* requests, int count, const codegen::resolution& in, const fusion& of_,
                               array_node* const* temporaries, prepared_launches& launches) noexcept try {
  if (watched()) return;
  const std::uint64_t hash = trace_hash(requests, count);
  place& at = of(hash);
  if (!at.meet(hash) || !at.takes_another()) return;
  auto fresh = std::make_unique<prepared_statement>();
  fresh->hash = hash;
  recorder all(requests, count, in, of_, temporaries, launches, *fresh);
  if (!all.run()) return;
  nodes_.resize(std::max(nodes_.size(), all.nodes()));
  arrays_.resize(std::max(arrays_.size(), fresh->arrays.size()));
  at.newest ^= 1;
  at.kept[at.newest] = std::move(fresh);
} catch (const std::bad_alloc&) {
  // Then it goes the long way again.
}

}  // namespace sinter::runtime
