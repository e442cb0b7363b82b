// What the launches of an evaluation depend on, read off its nodes: operations, layouts, and which node is met where. Not
// addresses and scalars. It is written once, and later evaluations are compared with it: that takes a fraction of the time
// that resolving them does. Nodes are numbered as they are met, parents before children, requests' roots first.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/eval.hpp"
#include "runtime/launch/bind.hpp"

namespace sinter::runtime {

/// A written trace.
struct trace {
  std::vector<std::uint64_t> words;
  std::vector<std::uint16_t> links;  // for each child of each node in turn, its number
  std::size_t requests = 0, nodes = 0;
  device_impl* device = nullptr;  // of the arrays
  bool packs = false;             // whether where arrays lie within packs tells layouts apart
};

/// Writes the trace of some requests, and lists the nodes by their numbers. False: it is too long to be worth it.
bool write_trace(const request*, int count, device_impl&, trace& into, std::vector<const detail::typed_node*>& nodes);

/// Do requests have this trace? Then `nodes`, which has room for them, are the nodes by their numbers.
bool has_trace(const request*, int count, const trace&, const detail::typed_node** nodes);

/// Equal for equal traces, and for few others: of the requests, what is first and last beneath them, and the extents of what is folded there.
std::uint64_t trace_hash(const request*, int count);

}  // namespace sinter::runtime
