// Nodes in an order in which each comes after its children, and the places of that order where little is alive.
#include "codegen/ir/parts.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>

#include <sinter/error.hpp>

#include "codegen/ir/number_table.hpp"

namespace sinter::codegen {

using namespace detail;

namespace {

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

// What is in memory already, or is not worth memory.
bool is_leaf(const typed_node* n) { return n->kind == node_kind::array || n->kind == node_kind::iota; }

struct part {
  nodes together;
  nodes unused;  // of earlier parts: nothing after this one reads them
};

// Cuts what is under `roots` and not in `known` into parts of about `weight` operations; the roots are the last.
class divider {
 public:
  divider(const nodes& roots, const stand_ins& known) : roots_(roots), known_(known) {
    for (const typed_node* root : roots) visit(root);
    last_use_.resize(order_.size(), 0);
    for (std::size_t i = 0; i < order_.size(); ++i) each_child(i, [&](std::size_t c) { last_use_[c] = i; });
    for (const typed_node* root : roots)
      if (const auto at = place_.find(root); at != place_.end()) last_use_[at->second] = never;
  }

  // `are_roots`: of the evaluation, not of a part that had no room. What a part is to compute and stands already is then
  // neither computed again nor dropped: the part above drops it.
  std::vector<part> run(std::size_t weight, bool are_roots) {
    std::size_t start = 0, best = 0, sum = 0;
    double alive = 0, least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i + 1 < order_.size(); ++i) {
      sum += weight_of(order_[i]);
      alive += bytes_of(order_[i]);
      each_child(i, [&](std::size_t c) {
        if (c >= start && last_use_[c] == i) alive -= bytes_of(order_[c]);
      });
      if (sum * 2 >= weight && alive <= least) least = alive, best = i;
      if (sum < weight) continue;
      end_part(start, best);
      i = best;
      start = best + 1;
      sum = 0, alive = 0, least = std::numeric_limits<double>::infinity();
    }
    part last{roots_, {}};
    for (std::size_t place : held_) {
      if (!are_roots && last_use_[place] == never) std::erase(last.together, order_[place]);
      else last.unused.push_back(order_[place]);
    }
    parts_.push_back(std::move(last));
    return std::move(parts_);
  }

 private:
  void visit(const typed_node* root) {
    struct frame {
      const typed_node* n;
      int next;
    };
    std::vector<frame> open;
    const auto enter = [&](const typed_node* n) {
      if (!is_leaf(n) && !known_.count(n) && place_.try_emplace(n, never).second) open.push_back({n, 0});
    };
    for (enter(root); !open.empty();) {
      frame& f = open.back();
      if (f.next < child_count(f.n)) {
        enter(child(f.n, f.next++));
      } else {
        place_[f.n] = order_.size();
        order_.push_back(f.n);
        open.pop_back();
      }
    }
  }

  /// Calls f once for each different child that has a place in the order.
  template <class F>
  void each_child(std::size_t i, F f) const {
    std::vector<std::size_t> places;
    for (int k = 0; k < child_count(order_[i]); ++k)
      if (const auto at = place_.find(child(order_[i], k)); at != place_.end()) places.push_back(at->second);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (std::size_t place : places) f(place);
  }

  static std::size_t weight_of(const typed_node* n) {
    if (n->kind != node_kind::expression) return 1;
    const fragment& code = *static_cast<const expression_node*>(n)->code;
    return static_cast<std::size_t>(code.length - code.nodes - code.scalars);
  }
  static double bytes_of(const typed_node* n) {
    return static_cast<double>(n->extents.elements()) * itemsize(n->type) + 1;  // of two empty ones, one
  }

  // [start, last] of the order: what later nodes read is computed; what only these read is not needed any more.
  void end_part(std::size_t start, std::size_t last) {
    part p;
    for (std::size_t i = start; i <= last; ++i)
      if (last_use_[i] > last) p.together.push_back(order_[i]), held_.push_back(i);
    const auto keeps = [&](std::size_t i) { return last_use_[i] > last; };
    const auto unused = std::partition(held_.begin(), held_.end(), keeps);
    for (auto i = unused; i != held_.end(); ++i) p.unused.push_back(order_[*i]);
    held_.erase(unused, held_.end());
    parts_.push_back(std::move(p));
  }

  const nodes& roots_;
  const stand_ins& known_;
  std::unordered_map<const typed_node*, std::size_t> place_;
  nodes order_;
  std::vector<std::size_t> last_use_, held_;
  std::vector<part> parts_;
};

struct met_call {
  const call_node* call;
  const typed_node* reader;  // null: a root
};

// The calls still to be made, each after those whose results it takes.
std::vector<met_call> calls_under(const nodes& roots, part_evaluator& by) {
  struct frame {
    const typed_node* n;
    int next;
  };
  std::vector<met_call> calls;
  number_table met;
  std::vector<frame> open;
  const auto is_new = [&](const typed_node* n) {
    const std::uint64_t hash = mixed(0, reinterpret_cast<std::uintptr_t>(n));  // each node has one of its own
    const bool is = met.find(hash, [](unsigned) { return true; }) < 0;
    if (is) met.insert(hash, 0);
    return is;
  };
  const auto enter = [&](const typed_node* n) {
    if (child_count(n) == 0 || by.known.count(n) || !is_new(n)) return;
    if (n->kind == node_kind::call && by.recall(*static_cast<const call_node*>(n))) return;
    open.push_back({n, 0});
  };
  for (const typed_node* root : roots)
    for (enter(root); !open.empty();) {
      frame& f = open.back();
      if (f.next < child_count(f.n)) {
        enter(child(f.n, f.next++));
        continue;
      }
      const typed_node* const n = f.n;
      open.pop_back();
      if (n->kind == node_kind::call)
        calls.push_back({static_cast<const call_node*>(n), open.empty() ? nullptr : open.back().n});
    }
  return calls;
}

void compute(const nodes& roots, bool are_roots, std::size_t weight, part_evaluator& by) {
  const std::vector<part> parts = divider(roots, by.known).run(weight, are_roots);
  for (const part& p : parts) {
    const bool last = &p == &parts.back();
    program_room room;
    if (weight == 0) room = {never, never};  // a statement cannot be divided
    if (!by.compute(p.together, room, are_roots && last)) {
      if (weight == 0)
        throw error("sinter: a statement with more operands than a kernel can have; give parts of it names");
      compute(p.together, are_roots && last, weight / 4, by);
    }
    for (const typed_node* n : p.unused) by.drop(n);
  }
}

void make(const call_node& c, const typed_node* reader, part_evaluator& by) {
  nodes wanted;
  for (int i = 0; i < c.site->operand_count; ++i) {
    if (by.operand(c, i)) continue;
    const typed_node* const n = by.computed_for(c, i);
    if (std::find(wanted.begin(), wanted.end(), n) == wanted.end()) wanted.push_back(n);
  }
  if (!wanted.empty() && !by.compute(wanted, {}, false)) compute(wanted, false, program_room().operations / 2, by);
  by.call(c, reader);
}

}  // namespace

void compute_in_parts(const nodes& roots, part_evaluator& by) {
  for (const auto& [c, reader] : calls_under(roots, by))
    if (!by.recall(*c)) make(*c, reader, by);  // else another result of the same call came first
  if (!by.known.empty() && by.compute(roots, {}, true)) return;
  compute(roots, true, program_room().operations / 2, by);
}

}  // namespace sinter::codegen
