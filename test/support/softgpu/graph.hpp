// Graphs: work that a stream was given while it was being captured, with what each piece follows; and graphs made ready
// to run, whose branches are lanes like those of streams.
#pragma once

#include <memory>
#include <unordered_set>
#include <vector>

#include "machine.hpp"

namespace softgpu {

struct graph_node {
  work_pointer what;
  std::vector<std::size_t> after;  // earlier nodes
};

struct graph_object {
  context* in = nullptr;
  std::vector<graph_node> nodes;
};

/// A capture that is going on. Streams join it by waiting for an event that was recorded in it.
class capture {
 public:
  explicit capture(stream& origin) : origin_(&origin) { join(origin, {}); }

  void join(stream&, const std::vector<std::size_t>& after);
  void leave(stream& gone);
  std::size_t add(stream&, work_pointer);
  /// A graph that is launched into the stream becomes a part of this one.
  void add(stream&, const std::vector<graph_node>& graph);
  void invalidate() { valid_ = false; }
  bool valid() const { return valid_; }
  bool ended() const { return ended_; }
  stream* origin() const { return origin_; }
  /// Ends it: every stream in it is an ordinary one again. Gives 0 and the graph, or what was wrong with it.
  result finish(graph_object& into);

 private:
  stream* origin_;
  bool valid_ = true, ended_ = false;
  std::vector<stream*> streams_;
  std::vector<graph_node> nodes_;
};

struct graph_exec_object {
  context* in = nullptr;
  std::vector<graph_node> nodes;
  std::vector<std::size_t> lane_of;  // of every node
  std::vector<lane*> lanes;          // the first stands for the stream's own, and is null
  bool launched = false;
  vector_clock last;  // the end of its last launch: launches do not overlap
};

void instantiate(machine&, graph_exec_object&, const graph_object&);
/// CUgraphExecUpdateResult, and the node it is about.
int update(graph_exec_object&, const graph_object&, std::size_t* node);
/// 0, or what is wrong with it: memory that the graph allocates has to be free before it is launched again.
result launch(machine&, graph_exec_object&, stream&);

struct graph_registry {
  std::unordered_set<graph_object*> graphs;
  std::unordered_set<graph_exec_object*> execs;
};
graph_registry& all_graphs();

/// What a call may do to a stream that is being captured: 0, or the error that says it may not. `spoils`: the attempt ends
/// the capture.
result capture_refuses(stream&, bool spoils = true);
/// Puts work into a stream, or into the graph that it is being captured into.
result submit(machine&, stream&, work_pointer);

}  // namespace softgpu
