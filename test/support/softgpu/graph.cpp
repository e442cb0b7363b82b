// Capture, instantiation, update and launch: graph.hpp.
#include "graph.hpp"

#include <algorithm>
#include <set>

#include "entry.hpp"

namespace softgpu {

graph_registry& all_graphs() {
  static auto* const made = new graph_registry;
  return *made;
}

void capture::join(stream& s, const std::vector<std::size_t>& after) {
  if (std::find(streams_.begin(), streams_.end(), &s) == streams_.end()) streams_.push_back(&s);
  for (const std::size_t node : after)
    if (std::find(s.after.begin(), s.after.end(), node) == s.after.end()) s.after.push_back(node);
}

void capture::leave(stream& gone) {
  std::erase(streams_, &gone);
  if (&gone == origin_) origin_ = nullptr;
  valid_ = false;
}

std::size_t capture::add(stream& s, work_pointer what) {
  nodes_.push_back({std::move(what), s.after});
  s.after = {nodes_.size() - 1};
  return nodes_.size() - 1;
}

void capture::add(stream& s, const std::vector<graph_node>& graph) {
  const std::size_t first = nodes_.size();
  std::vector<bool> followed(graph.size(), false);
  for (const graph_node& node : graph) {
    std::vector<std::size_t> after = node.after.empty() ? s.after : node.after;
    if (!node.after.empty())
      for (std::size_t& before : after) followed[before] = true, before += first;
    nodes_.push_back({node.what, std::move(after)});
  }
  if (graph.empty()) return;
  s.after.clear();
  for (std::size_t n = 0; n < graph.size(); ++n)
    if (!followed[n]) s.after.push_back(first + n);
}

result capture::finish(graph_object& into) {
  // What is reached from where the origin stands has been joined.
  std::vector<bool> joined(nodes_.size(), false);
  std::vector<std::size_t> open = origin_ ? origin_->after : std::vector<std::size_t>{};
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    if (joined[node]) continue;
    joined[node] = true;
    open.insert(open.end(), nodes_[node].after.begin(), nodes_[node].after.end());
  }
  for (stream* s : streams_) {
    s->capturing.reset();
    s->after.clear();
  }
  streams_.clear();
  ended_ = true;
  if (!valid_) return 901;
  if (std::find(joined.begin(), joined.end(), false) != joined.end()) return 904;
  into.nodes = std::move(nodes_);
  return 0;
}

result capture_refuses(stream& s, bool spoils) {
  if (!s.capturing) return 0;
  if (!s.capturing->valid()) return 901;
  if (spoils) s.capturing->invalidate();
  return 900;
}

result submit(machine& on, stream& s, work_pointer what) {
  if (s.capturing) {
    if (!s.capturing->valid()) return 901;
    s.capturing->add(s, std::move(what));
    return 0;
  }
  // Work for the legacy stream would have to wait for blocking streams, those that are captured too.
  if (s.legacy)
    for (stream* other : s.in->streams)
      if (other->blocking && other->capturing) {
        other->capturing->invalidate();
        return 906;
      }
  on.submit(s, std::move(what));
  return 0;
}

namespace {

/// A lane whose last node every one of these nodes' order already includes: nothing is ordered that was not.
std::size_t lane_for(const vector_clock& after, const std::vector<tick>& last) {
  for (std::size_t l = 0; l < last.size(); ++l)
    if (after.covers(l, last[l])) return l;
  return last.size();
}

}  // namespace

void instantiate(machine& on, graph_exec_object& exec, const graph_object& from) {
  exec.in = from.in;
  exec.nodes = from.nodes;
  std::vector<vector_clock> order(exec.nodes.size());
  std::vector<tick> last;
  for (std::size_t n = 0; n < exec.nodes.size(); ++n) {
    vector_clock& now = order[n];
    for (const std::size_t before : exec.nodes[n].after) now.join(order[before]);
    const std::size_t chosen = lane_for(now, last);
    if (chosen == last.size()) last.push_back(0);
    now.set(chosen, ++last[chosen]);
    exec.lane_of.push_back(chosen);
  }
  for (std::size_t l = 0; l < last.size(); ++l) exec.lanes.push_back(l == 0 ? nullptr : on.open_lane(*exec.in, 0));
}

int update(graph_exec_object& exec, const graph_object& to, std::size_t* node) {
  *node = 0;
  if (exec.nodes.size() != to.nodes.size()) return 2;
  for (std::size_t n = 0; n < to.nodes.size(); ++n) {
    *node = n;
    const graph_node &had = exec.nodes[n], &wanted = to.nodes[n];
    if (had.after != wanted.after) return 2;
    if (had.what->kind != wanted.what->kind) return 3;
    if (!had.what->replaceable_by(*wanted.what)) return had.what->kind == work_kind::kernel ? 4 : 5;
  }
  exec.nodes = to.nodes;
  return 0;
}

namespace {

bool keeps_memory(const graph_exec_object& exec) {
  std::set<address> kept;
  for (const graph_node& n : exec.nodes) {
    if (const auto* begin = dynamic_cast<const begin_memory*>(n.what.get())) kept.insert(begin->at);
    if (const auto* end = dynamic_cast<const end_memory*>(n.what.get())) kept.erase(end->at);
  }
  return !kept.empty();
}

}  // namespace

result launch(machine& on, graph_exec_object& exec, stream& s) {
  if (exec.launched && keeps_memory(exec)) return invalid_value;
  exec.launched = true;
  static const work_pointer begin = std::make_shared<empty_work>("graph launch");
  on.order_with_legacy(s);
  s.queue->now.join(exec.last);
  on.enqueue(*s.queue, begin);
  const vector_clock start = s.queue->now;
  vector_clock end = start;
  std::vector<vector_clock> order(exec.nodes.size());
  for (std::size_t n = 0; n < exec.nodes.size(); ++n) {
    lane& in = exec.lane_of[n] == 0 ? *s.queue : *exec.lanes[exec.lane_of[n]];
    in.number = s.queue->number;
    in.now.join(start);
    for (const std::size_t before : exec.nodes[n].after) in.now.join(order[before]);
    on.enqueue(in, exec.nodes[n].what);
    order[n] = in.now;
    end.join(in.now);
  }
  s.queue->now.join(end);
  on.enqueue(*s.queue, begin);
  exec.last = s.queue->now;
  return 0;
}

}  // namespace softgpu
