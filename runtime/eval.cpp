// The conductor, and the file to read first. An evaluation goes through the house in this order:
//
//   prepared  runtime/launch  nodes that look as they did before: straight to their launches (statements.cpp)
//   resolve   codegen/ir      nodes -> a signature, and the shapes, strides and scalars that are not part of it
//   plan_for  runtime/launch  signature -> plan; a new one is decoded, cut into kernels and simplified (codegen/ir, codegen/pass)
//   fusion_for   runtime/launch  of two ways to cut it, the one for these shapes
//   launch    runtime/launch  a kernel's operands: of a layout met before, straight to its launch; else -> its variant, axes
//                             collapsed and accesses classified; the variant -> compiled kernel, a new one emitted,
//                             compiled and cached (codegen/source, compile, cache); geometry, arguments, the device's launch
//
// An expression seen before takes no lock, makes no string and allocates nothing but its results. One that is too large for a
// program goes through as several (codegen/ir/parts), and so does one with calls of libraries, which come before what reads their
// results (runtime/library).
#include "runtime/eval.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <sinter/error.hpp>

#include "codegen/ir/parts.hpp"
#include "runtime/counters.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/launch/workspace.hpp"
#include "runtime/library/call.hpp"
#include "runtime/stream/current.hpp"

namespace sinter::runtime {

namespace {

// The thread's own is in use: by an evaluation under way, in which a user's allocator or hook evaluates, or for good once it
// has gone at the thread's end, when other thread-local objects' destructors may still evaluate.
thread_local constinit bool occupied = false;

struct kept_workspace : workspace {
  ~kept_workspace() { occupied = true; }
};

workspace& kept() {
  thread_local kept_workspace own;
  return own;
}

class turn {
 public:
  turn() : mine(!std::exchange(occupied, true)) {}
  turn(const turn&) = delete;
  turn& operator=(const turn&) = delete;
  ~turn() {
    if (mine) occupied = false;
  }
  const bool mine;
};

device_impl& device_of(const codegen::resolution& r, const request* requests, int count) {
  device_impl* on = r.device;
  if (r.other_device) {
    throw device_error(detail::message("sinter: the operands live on %s and %s; copy one of them with to(device)",
                                       to_text(on->id).c_str(), to_text(r.other_device->id).c_str())
                           .c_str());
  }
  for (int i = 0; i < count; ++i) {
    if (!requests[i].into) continue;
    device_impl* target = requests[i].into->memory->device;
    if (on && on != target) {
      throw device_error(
          detail::message("sinter: a value of %s is stored into an array of %s; copy it there with to(device)",
                          to_text(on->id).c_str(), to_text(target->id).c_str())
              .c_str());
    }
    on = target;
  }
  return on ? *on : current_device();
}

void run(const fusion& p, workspace& w, request* requests, stream_state& on) {
  w.temporaries.resize(p.temporaries.size());
  bool compiled = false;
  for (const auto& s : p.steps) {
    w.outputs.clear();
    for (const codegen::step::write& o : s->step.outputs) {
      if (o.root < 0) {
        const codegen::temporary& t = p.temporaries[o.temporary];
        w.temporaries.set(o.temporary, new_array(t.type, w.resolution.boundaries[t.boundary].extents, on));
      }
      w.outputs.push_back(o.root >= 0 ? requests[o.root].into : w.temporaries.data()[o.temporary]);
    }
    launch(*s, w.resolution, w.temporaries.data(), w.outputs.data(), on, w.prepared, w.bound, compiled);
  }
  w.results.keep();
  if (!compiled) bump(counter::memory_hits);
}

// False where the program has no room.
bool evaluate(request* requests, int count, workspace& w, const codegen::stand_ins* known, codegen::program_room room) {
  w.roots.clear();
  w.extents.clear();
  for (int i = 0; i < count; ++i) {
    w.roots.push_back(requests[i].root);
    w.extents.push_back(requests[i].extents);
  }
  if (!codegen::resolve(w.roots.data(), w.extents.data(), count, w.resolution, known, room, keeps_work)) return false;
  stream_state& on = current_stream(device_of(w.resolution, requests, count));
  const fusion& p = fusion_for(plan_for(w.resolution.words, requests[0].hint), w.resolution, target_of(on.device));

  const dropping at_end{w};
  w.results.resize(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    if (requests[i].into) continue;
    requests[i].into = new_array(requests[i].root->type, *requests[i].extents, on);
    requests[i].made = true;
    w.results.set(static_cast<std::size_t>(i), requests[i].into);
  }
  run(p, w, requests, on);
  if (!known) w.statements.keep(requests, count, w.resolution, p, w.temporaries.data(), w.prepared);
  return true;
}

// The node that a request is of, where a statement holds it alone, or casts it to what it is.
const detail::typed_node* wanted_by(const request& r) {
  if (r.root->kind != detail::node_kind::expression) return r.root;
  const detail::fragment& code = *static_cast<const detail::expression_node*>(r.root)->code;
  const bool is_same = code.length == 1 || (code.length == 2 && code.code[1].code == detail::instruction::cast &&
                                            code.code[1].type == code.code[0].type);
  return is_same && code.nodes == 1 ? child(r.root, 0) : r.root;
}

// Evaluates the nodes between the operands and the requests, and then the requests.
class parts final : public codegen::part_evaluator {
 public:
  parts(request* requests, int count, workspace& w) : requests_(requests), count_(count), w_(w) {}
  ~parts() {
    for (const auto& [n, made] : known) detail::release(const_cast<detail::array_node*>(made));
  }

  bool compute(const codegen::nodes& nodes, codegen::program_room room, bool are_roots) override {
    if (are_roots) return compute_roots(room);
    std::vector<request> wanted;
    for (const detail::typed_node* n : nodes) wanted.push_back({n, &n->extents, nullptr});
    std::vector<detail::handle> made(wanted.size());
    if (!evaluate(wanted.data(), static_cast<int>(wanted.size()), w_, &known, room)) return false;
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = detail::handle(wanted[i].into);
    for (std::size_t i = 0; i < made.size(); ++i) {
      known.emplace(wanted[i].root, wanted[i].into);
      made[i].take();
    }
    return true;
  }
  void drop(const detail::typed_node* n) override {
    const auto at = known.find(n);
    detail::release(const_cast<detail::array_node*>(at->second));
    known.erase(at);
  }

  const detail::array_node* operand(const detail::call_node& c, int number) override {
    return operand_of(c, number, known);
  }
  // A graph computes its own: what was kept before may be of elements that it changes.
  bool recall(const detail::call_node& c) override {
    detail::handle before = chosen.capture ? detail::handle() : recalled(c);
    return before && stand(c, std::move(before));
  }
  void call(const detail::call_node& c) override {
    const detail::array_node* operands[detail::call_node::most_operands];
    for (int i = 0; i < c.operand_count; ++i) operands[i] = operand(c, i);
    const call_operands all{operands, static_cast<std::size_t>(c.operand_count)};
    stand(c, runtime::call(c, all, target_of(c, all)));
  }

 private:
  // The array that the statement stores a call's result into, where the library can write it there: nothing else reads it any more.
  detail::array_node* target_of(const detail::call_node& c, call_operands operands) const {
    detail::array_node* const into = requests_[0].into;
    if (count_ != 1 || wanted_by(requests_[0]) != &c || !into || into->type != c.type || !into->contiguous)
      return nullptr;
    // What has another owner will be asked again, and has to be the same; a target elsewhere is refused behind the call.
    if (__atomic_load_n(&c.references, __ATOMIC_ACQUIRE) != 1) return nullptr;
    if (into->memory->device != operands[0]->memory->device) return nullptr;
    const bool is_read = std::any_of(operands.begin(), operands.end(),
                                     [&](const detail::array_node* a) { return a->memory == into->memory; });
    return is_read || !(into->extents == c.extents) ? nullptr : into;
  }

  // A result of a call that is wanted as it is: it is handed over, or was written where it is wanted.
  const detail::array_node* standing(const request& r) const {
    const auto at = known.find(wanted_by(r));
    if (at == known.end()) return nullptr;
    const bool is_wanted = r.into ? at->second == r.into : at->second->extents == *r.extents;
    return is_wanted ? at->second : nullptr;
  }

  bool compute_roots(codegen::program_room room) {
    std::vector<request> others;
    std::vector<request*> from;
    for (request* r = requests_; r != requests_ + count_; ++r)
      if (!standing(*r)) others.push_back(*r), from.push_back(r);
    if (!others.empty() && !evaluate(others.data(), static_cast<int>(others.size()), w_, &known, room)) return false;
    for (std::size_t i = 0; i < others.size(); ++i) *from[i] = others[i];
    for (request* r = requests_; r != requests_ + count_; ++r)
      if (!r->into) r->into = as_array_node(detail::retain(const_cast<detail::array_node*>(standing(*r))));
    return true;
  }

  bool stand(const detail::call_node& c, detail::handle made) {
    known.emplace(&c, as_array_node(made.get()));
    made.take();
    return true;
  }

  request* requests_;
  int count_;
  workspace& w_;
};

void evaluate(request* requests, int count, workspace& w) {
  if (w.statements.evaluate(requests, count)) return;
  if (evaluate(requests, count, w, nullptr, {})) return;
  const codegen::nodes roots(w.roots);
  parts all(requests, count, w);
  codegen::compute_in_parts(roots, all);
}

}  // namespace

bool is_evaluating() noexcept { return occupied; }

void evaluate(request* requests, int count) try {
  look();
  const turn now;
  if (!now.mine) [[unlikely]]
    return evaluate(requests, count, *std::make_unique<workspace>());
  evaluate(requests, count, kept());
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

}  // namespace sinter::runtime

void sinter::detail::forget_evaluations() {
  if (!runtime::occupied) runtime::kept().statements = {};
}
