// What stands between the programs of one evaluation: arrays of nodes that were computed first, and the results of calls.
#include "runtime/parts.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "codegen/ir/calls.hpp"
#include "codegen/ir/parts.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/library/call.hpp"
#include "runtime/library/ending.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/current.hpp"

namespace sinter::runtime {

namespace {

// The node that a request is of, where a statement holds it alone, or casts it to what it is.
const detail::typed_node* wanted_by(const request& r) {
  if (r.root->kind != detail::node_kind::expression) return r.root;
  return changes_nothing(*static_cast<const detail::expression_node*>(r.root)) ? child(r.root, 0) : r.root;
}

bool is_the_same(const detail::array_node& a, const detail::array_node& b) {
  return a.data() == b.data() && a.extents == b.extents && a.contiguous && b.contiguous;
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
    if (!evaluate_at_once(wanted.data(), static_cast<int>(wanted.size()), w_, &known, room)) return false;
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = detail::handle(wanted[i].into);
    for (std::size_t i = 0; i < made.size(); ++i) {
      // What stood for it before lies as another call takes it.
      const detail::array_node*& stands = known[wanted[i].root];
      if (stands) detail::release(const_cast<detail::array_node*>(stands));
      stands = as_array_node(made[i].take());
    }
    return true;
  }
  void drop(const detail::typed_node* n) override {
    const auto at = known.find(n);
    detail::release(const_cast<detail::array_node*>(at->second));
    known.erase(at);
  }

  const detail::array_node* operand(const detail::call_node& c, int number) override {
    if (const detail::array_node* const ready = operand_of(c, number, known)) return ready;
    const detail::typed_node& n = *c.site->operands[number];
    return stand(n, transposed_operand(c, number, known)) ? known.find(&n)->second : nullptr;
  }
  const detail::typed_node* computed_for(const detail::call_node& c, int number) override {
    return runtime::computed_for(c, number);
  }
  // A graph computes its own: what was kept before may be of elements that it changes.
  bool recall(const detail::call_node& c) override {
    if (!chosen.capture) return stand(c, recalled(c));
    const auto here = captured_.find(c.site);
    return here != captured_.end() && stand(c, here->second[static_cast<std::size_t>(c.number)]);
  }
  void call(const detail::call_node& c, const detail::typed_node* reader) override {
    const detail::array_node* operands[detail::call_site::most_operands];
    const detail::call_site& site = *c.site;
    for (int i = 0; i < site.operand_count; ++i) operands[i] = operand(c, i);
    const call_operands all{operands, static_cast<std::size_t>(site.operand_count)};
    // Of an expression that has a name the call's result is kept, not what is made of it.
    const bool may_end = reader && codegen::has_one_owner(*reader);
    const std::optional<call_ending> ending = ending_of(c, may_end ? reader : nullptr, known);
    const detail::typed_node& result = ending ? *reader : c;
    const call_ending* const end = ending ? &*ending : nullptr;
    const result_handles made = runtime::call(c, all, target_of(c, result, all, end), end);
    stand(result, made[static_cast<std::size_t>(c.number)]);
    if (chosen.capture && site.what->result_count > 1) captured_.emplace(&site, made);
  }

 private:
  // The array that the statement stores a call's result into, or what the ending makes of it, where the library can write it there:
  // nothing else reads it any more.
  detail::array_node* target_of(const detail::call_node& c, const detail::typed_node& result, call_operands operands,
                                const call_ending* ending) const {
    detail::array_node* const into = requests_[0].into;
    if (count_ != 1 || wanted_by(requests_[0]) != &result || !into || into->type != c.type || !into->contiguous)
      return nullptr;
    // What has another owner will be asked again, and has to be the same; a target elsewhere is refused behind the call.
    if (c.site->what->result_count != 1 || !codegen::has_one_owner(c)) return nullptr;
    if (into->memory->device != operands[0]->memory->device) return nullptr;
    const detail::array_node* const addend = ending ? ending->addend : nullptr;
    const bool is_read = std::any_of(operands.begin(), operands.end(),
                                     [&](const detail::array_node* a) { return a->memory == into->memory; }) ||
                         (addend && addend->memory == into->memory && !is_the_same(*addend, *into));
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
    if (!others.empty() && !evaluate_at_once(others.data(), static_cast<int>(others.size()), w_, &known, room))
      return false;
    for (std::size_t i = 0; i < others.size(); ++i) *from[i] = others[i];
    for (request* r = requests_; r != requests_ + count_; ++r)
      if (!r->into) r->into = as_array_node(detail::retain(const_cast<detail::array_node*>(standing(*r))));
    return true;
  }

  bool stand(const detail::typed_node& n, detail::handle made) {
    if (!made) return false;
    if (known.emplace(&n, as_array_node(made.get())).second) made.take();
    return true;
  }

  request* requests_;
  int count_;
  workspace& w_;
  std::unordered_map<const detail::call_site*, result_handles> captured_;  // of calls with several results
};

}  // namespace

void evaluate_in_parts(request* requests, int count, workspace& w) {
  codegen::nodes roots;
  for (int i = 0; i < count; ++i) roots.push_back(requests[i].root);
  parts all(requests, count, w);
  codegen::compute_in_parts(roots, all);
}

}  // namespace sinter::runtime
