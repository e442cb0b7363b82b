#include "runtime/inspect/graph.hpp"

#include <algorithm>

#include "codegen/ir/formula.hpp"
#include "codegen/ir/values.hpp"
#include "runtime/frontend/message.hpp"

namespace sinter::runtime {

using codegen::value;
using codegen::value_kind;
using detail::array_node;

namespace {

std::string facts_of(dtype t, const shape& s) { return std::string(name(t)) + " " + detail::to_string(s); }

std::string name_of(const value& v) {
  switch (v.kind) {
    case value_kind::cast: return std::string("as ") + name(v.type);
    case value_kind::load: return "load";
    case value_kind::check: return "check index";
    case value_kind::call: return v.called->name;
    default: return detail::facts(v.code).name;
  }
}

std::string quoted(const std::string& text) {
  std::string all;
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    all += c;
  }
  return all;
}

}  // namespace

int graph_drawer::vertex(program_graph::kind what, int kernel, std::string label, std::string of) {
  graph.vertices.push_back({what, kernel, std::move(label), std::move(of)});
  return static_cast<int>(graph.vertices.size()) - 1;
}

void graph_drawer::begin_program(const codegen::resolution& in, const std::vector<codegen::temporary>& temporaries) {
  in_ = &in;
  temporaries_ = &temporaries;
  between_.clear();
}

// An array has one vertex, however many kernels read it and however they do.
int graph_drawer::array(const array_node* a, const codegen::operand* o) {
  const void* const key = a ? static_cast<const void*>(a) : o;
  const auto [at, fresh] = arrays_.try_emplace(key, 0);
  if (!fresh) return at->second;
  if (!a) return at->second = vertex(program_graph::array, program_graph::outside, "array", name(o->type));
  const program_graph::kind what = is_view(*a) ? program_graph::view : program_graph::array;
  return at->second = vertex(what, program_graph::outside, names_.of(*a), facts_of(a->type, a->extents));
}

int graph_drawer::input(const codegen::step& s, std::size_t number) {
  const codegen::step::read& read = s.inputs[number];
  if (s.kernel.inputs[number].iota) return vertex(program_graph::position, kernel_, "i", "");
  if (read.temporary >= 0) return between_.at(read.temporary);
  const codegen::operand& o = in_->operands[read.operand];
  return array(o.from, &o);
}

void graph_drawer::add(const codegen::step& s, const array_node* const* results) {
  const codegen::kernel& k = s.kernel;
  std::vector<int> of_values, folds(k.accumulators.size(), -1);
  for (const value& v : k.values) of_values.push_back(vertex_of(s, v, of_values, folds));
  for (std::size_t o = 0; o < s.outputs.size(); ++o) {
    const codegen::step::write& w = s.outputs[o];
    const dtype type = k.values[k.outputs[o]].type;
    int to;
    if (w.root < 0) {
      const codegen::temporary& t = (*temporaries_)[static_cast<std::size_t>(w.temporary)];
      to = vertex(program_graph::between, program_graph::outside, "in memory",
                  facts_of(t.type, in_->boundaries[t.boundary].extents));
    } else {
      const array_node* const made = results ? results[w.root] : nullptr;
      to = vertex(program_graph::result, program_graph::outside, "result",
                  made ? facts_of(made->type, made->extents) : name(type));
      if (made) arrays_[made] = to;
    }
    if (w.temporary >= 0) between_[w.temporary] = to;
    if (const int from = of_values[k.outputs[o]]; from >= 0) graph.edges.push_back({from, to});
  }
  ++kernel_;
}

void graph_drawer::add_call(const std::string& name, const std::vector<const array_node*>& operands,
                            const std::vector<array_node*>& results) {
  const int made = vertex(program_graph::call, kernel_++, name, "");
  for (const array_node* a : operands) graph.edges.push_back({array(a, nullptr), made});
  for (const array_node* a : results) {
    arrays_[a] = vertex(program_graph::between, program_graph::outside, "in memory", facts_of(a->type, a->extents));
    graph.edges.push_back({made, arrays_[a]});
  }
}

// -1: a number, which has no vertex.
int graph_drawer::vertex_of(const codegen::step& s, const value& v, const std::vector<int>& of_values,
                            std::vector<int>& folds) {
  const codegen::kernel& k = s.kernel;
  if (v.kind == value_kind::input) return input(s, v.index);
  if (v.kind == value_kind::scalar) return -1;
  if (v.kind == value_kind::reduced || v.kind == value_kind::scanned) {
    int& at = folds[v.index];
    if (at >= 0) return at;
    const codegen::accumulator& a = k.accumulators[v.index];
    at = vertex(program_graph::fold, kernel_, codegen::name_of(a), name(a.result_type()));
    if (of_values[a.value] >= 0) graph.edges.push_back({of_values[a.value], at});
    return at;
  }
  const int made = vertex(program_graph::operation, kernel_, label(s, v), name(v.type));
  for (int a = 0; a < codegen::arity(v); ++a)
    if (of_values[v.args[a]] >= 0) graph.edges.push_back({of_values[v.args[a]], made});
  return made;
}

// With the numbers among its operands, which have no vertices.
std::string graph_drawer::label(const codegen::step& s, const value& v) const {
  std::string text = name_of(v);
  for (int a = 0; a < codegen::arity(v); ++a) {
    const value& of = s.kernel.values[v.args[a]];
    if (of.kind != value_kind::scalar) continue;
    text += " " + (numbers_ ? codegen::number_text(in_->scalars[s.scalars[of.index]], of.type)
                            : "s" + std::to_string(of.index));
  }
  return text;
}

std::string dot_of(const program_graph& g) {
  constexpr const char* looks[] = {"shape=box",
                                   "shape=box, style=dashed",
                                   "shape=plaintext",
                                   "shape=box, style=bold",
                                   "shape=box, style=rounded",
                                   "shape=invhouse",
                                   "shape=box, style=bold",
                                   "shape=component"};
  std::string out = "digraph sinter {\n  node [fontname=\"monospace\"];\n";
  const auto line = [&](std::size_t i, const char* indent) {
    const program_graph::vertex& v = g.vertices[i];
    const bool has_facts = !v.of.empty() && v.kernel == program_graph::outside;
    out += indent + detail::message("n%zu [%s, label=\"", i, looks[v.what]) + quoted(v.label) +
           (has_facts ? "\\n" + v.of : "") + "\"];\n";
  };
  int kernels = 0;
  for (const program_graph::vertex& v : g.vertices) kernels = std::max(kernels, v.kernel + 1);
  std::vector<std::vector<std::size_t>> within(static_cast<std::size_t>(kernels));
  for (std::size_t i = 0; i < g.vertices.size(); ++i) {
    if (g.vertices[i].kernel == program_graph::outside) line(i, "  ");
    else within[static_cast<std::size_t>(g.vertices[i].kernel)].push_back(i);
  }
  for (std::size_t k = 0; k < within.size(); ++k) {
    if (within[k].empty()) continue;
    out += detail::message("  subgraph cluster_%zu {\n    label=\"%zu\";\n", k, k + 1);
    for (const std::size_t i : within[k]) line(i, "    ");
    out += "  }\n";
  }
  for (const program_graph::edge& e : g.edges) out += detail::message("  n%d -> n%d;\n", e.from, e.to);
  return out + "}\n";
}

}  // namespace sinter::runtime
