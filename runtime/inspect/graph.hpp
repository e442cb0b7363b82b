// Kernels as a graph: a vertex for each array and each operation, in clusters that are kernels. Made of the kernels themselves, so
// it shows what runs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/inspect/tree.hpp"
#include "runtime/launch/plan.hpp"

namespace sinter::runtime {

struct program_graph {
  enum kind { array, view, position, between, operation, fold, result, call };
  static constexpr int outside = -1;
  struct vertex {
    kind what;
    int kernel;  // whose cluster it is in; outside: of none
    std::string label;
    std::string of;  // dtype and shape
  };
  struct edge {
    int from, to;
  };
  std::vector<vertex> vertices;
  std::vector<edge> edges;
};

/// Draws the kernels of one program after the other, which may read what earlier ones left. Errors: std::bad_alloc.
class graph_drawer {
 public:
  /// `numbers`: scalars are shown as what they are; else as s0, s1.
  graph_drawer(array_names& names, bool numbers) : names_(names), numbers_(numbers) {}

  /// Temporaries are numbered anew.
  void begin_program(const codegen::resolution& in, const std::vector<codegen::temporary>& temporaries);
  /// `results`: the arrays of the program's roots, by number; null where they are not known.
  void add(const codegen::step&, const detail::array_node* const* results);
  void add_call(const std::string& name, const std::vector<const detail::array_node*>& operands,
                const std::vector<detail::array_node*>& results);

  program_graph graph;

 private:
  int vertex(program_graph::kind, int kernel, std::string label, std::string of);
  int array(const detail::array_node*, const codegen::operand*);
  int input(const codegen::step&, std::size_t number);
  int vertex_of(const codegen::step&, const codegen::value&, const std::vector<int>& of_values,
                std::vector<int>& folds);
  std::string label(const codegen::step&, const codegen::value&) const;

  array_names& names_;
  const bool numbers_;
  const codegen::resolution* in_ = nullptr;
  const std::vector<codegen::temporary>* temporaries_ = nullptr;
  std::map<const void*, int> arrays_;
  std::map<int, int> between_;
  int kernel_ = 0;
};

/// As Graphviz reads it.
std::string dot_of(const program_graph&);

}  // namespace sinter::runtime
