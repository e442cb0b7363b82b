#include "runtime/report/program_graph.hpp"

#include <map>
#include <utility>

#include "codegen/ir/formula.hpp"
#include "codegen/ir/values.hpp"
#include "runtime/frontend/message.hpp"

namespace sinter::runtime {
namespace {

using codegen::value;
using codegen::value_kind;

class drawer {
 public:
  drawer(const std::vector<codegen::temporary>& temporaries, const codegen::resolution& r)
      : temporaries_(temporaries), in_(r) {}

  program_graph run(const std::vector<const codegen::step*>& steps) {
    for (const codegen::step* s : steps) {
      add(*s);
      ++kernel_;
    }
    return std::move(graph_);
  }

 private:
  int vertex(program_graph::kind what, int kernel, std::string label, std::string of) {
    graph_.vertices.push_back({what, kernel, std::move(label), std::move(of)});
    return static_cast<int>(graph_.vertices.size()) - 1;
  }
  void edge(int from, int to) { graph_.edges.push_back({from, to}); }

  static std::string facts_of(dtype t, const shape& s) { return std::string(name(t)) + " " + detail::to_string(s); }

  // An array has one vertex, however many kernels read it and however they do.
  int input(const codegen::step& s, std::size_t number) {
    const codegen::step::read& read = s.inputs[number];
    const codegen::operand& o = in_.operands[read.operand];
    if (s.kernel.inputs[number].iota) return vertex(program_graph::position, kernel_, "i", "");
    if (read.temporary >= 0) return between_.at(read.temporary);
    const detail::array_node* const a = o.from;
    const auto [at, fresh] = arrays_.try_emplace({o.memory, a}, 0);
    if (fresh) {
      const bool is_view = a && !a->contiguous;
      const std::string label = "x" + std::to_string(arrays_.size() - 1);
      at->second = vertex(is_view ? program_graph::view : program_graph::array, program_graph::outside, label,
                          a ? facts_of(a->type, a->extents) : name(o.type));
    }
    return at->second;
  }

  void add(const codegen::step& s) {
    const codegen::kernel& k = s.kernel;
    std::vector<int> of_values;
    std::vector<int> folds(k.accumulators.size(), -1);
    for (std::size_t n = 0; n < k.values.size(); ++n) {
      const value& v = k.values[n];
      of_values.push_back(vertex_of(s, v, of_values, folds));
    }
    for (std::size_t o = 0; o < s.outputs.size(); ++o) {
      const int value_at = of_values[k.outputs[o]];
      const codegen::step::write& w = s.outputs[o];
      int to;
      if (w.temporary >= 0 && w.root < 0) {
        const codegen::temporary& t = temporaries_[static_cast<std::size_t>(w.temporary)];
        to = vertex(program_graph::between, program_graph::outside, "in memory",
                    facts_of(t.type, in_.boundaries[t.boundary].extents));
      } else {
        to = vertex(program_graph::result, program_graph::outside, "result", name(k.values[k.outputs[o]].type));
      }
      if (w.temporary >= 0) between_[w.temporary] = to;
      if (value_at >= 0) edge(value_at, to);
    }
  }

  // -1: a number, which has no vertex.
  int vertex_of(const codegen::step& s, const value& v, const std::vector<int>& of_values, std::vector<int>& folds) {
    const codegen::kernel& k = s.kernel;
    switch (v.kind) {
      case value_kind::input: return input(s, v.index);
      case value_kind::scalar: return -1;
      case value_kind::reduced:
      case value_kind::scanned: {
        int& at = folds[v.index];
        const codegen::accumulator& a = k.accumulators[v.index];
        if (at < 0) {
          const std::string what = a.called ? a.called->name : codegen::name(a.what);
          at = vertex(program_graph::fold, kernel_, (a.running ? "running " : "") + what, name(a.result_type()));
          if (of_values[a.value] >= 0) edge(of_values[a.value], at);
        }
        return at;
      }
      default: break;
    }
    const int made = vertex(program_graph::operation, kernel_, label(v, k), name(v.type));
    const int count = v.kind == value_kind::cast ? 1 : codegen::arity(v);
    for (int a = 0; a < count; ++a)
      if (of_values[v.args[a]] >= 0) edge(of_values[v.args[a]], made);
    return made;
  }

  // With the numbers among its operands, which have no vertices.
  static std::string label(const value& v, const codegen::kernel& k) {
    std::string text = name_of(v);
    for (int a = 0; a < (v.kind == value_kind::cast ? 1 : codegen::arity(v)); ++a)
      if (const value& of = k.values[v.args[a]]; of.kind == value_kind::scalar) text += " s" + std::to_string(of.index);
    return text;
  }

  static std::string name_of(const value& v) {
    switch (v.kind) {
      case value_kind::cast: return std::string("as ") + name(v.type);
      case value_kind::load: return "load";
      case value_kind::check: return "check index";
      case value_kind::call: return v.called->name;
      default: break;
    }
    return detail::facts(v.code).name;
  }

  const std::vector<codegen::temporary>& temporaries_;
  const codegen::resolution& in_;
  program_graph graph_;
  std::map<std::pair<const void*, const void*>, int> arrays_;
  std::map<int, int> between_;
  int kernel_ = 0;
};

}  // namespace

program_graph graph_of(const std::vector<const codegen::step*>& steps,
                       const std::vector<codegen::temporary>& temporaries, const codegen::resolution& r) {
  return drawer(temporaries, r).run(steps);
}

}  // namespace sinter::runtime
