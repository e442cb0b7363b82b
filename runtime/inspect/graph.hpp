// The kernels of a program as a graph: a vertex for each array and each operation, in clusters that are kernels. Made of the
// kernels themselves, so it shows what runs.
#pragma once

#include <string>
#include <vector>

#include "runtime/launch/plan.hpp"

namespace sinter::runtime {

struct program_graph {
  enum kind { array, view, position, between, operation, fold, result };
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

/// Errors: std::bad_alloc.
program_graph graph_of(const std::vector<const codegen::step*>&, const std::vector<codegen::temporary>&,
                       const codegen::resolution&);

}  // namespace sinter::runtime
