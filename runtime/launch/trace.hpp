// What the launches of an evaluation depend on, read off its nodes: operations, layouts, and which node is met where. Not
// addresses and scalars. It is written once, and later evaluations are compared with it: that takes a fraction of the time
// that resolving them does. Nodes are numbered as they are met, parents before children, requests' roots first.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/ir/exponent.hpp"
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

/// Says what an evaluation is to a sink: `head(word)` that decides which words follow, gives whether to go on; `word(w)`;
/// `link(child)`; `lives_on(device)`.
template <class Sink>
class traced {
 public:
  explicit traced(Sink& to) : to_(to) {}

  bool request_of(const request& r) {
    const bool stores = r.into && !r.made;
    if (!to_.head(static_cast<unsigned>(r.extents->size()) << 1 | stores)) return false;
    extents(*r.extents);
    to_.link(r.root);
    if (stores) layout(*r.into);
    return true;
  }

  bool node(const detail::typed_node& n) {
    switch (n.kind) {
      case detail::node_kind::expression: return expression(static_cast<const detail::expression_node&>(n));
      case detail::node_kind::array: {
        if (!head(n)) return false;
        extents(n.extents);
        layout(static_cast<const detail::array_node&>(n));
        return true;
      }
      case detail::node_kind::view: return view(static_cast<const detail::view_node&>(n));
      case detail::node_kind::reduction: {
        const auto& r = static_cast<const detail::reduction_node&>(n);
        if (!head(n, r.axes << 8 | static_cast<unsigned>(r.what))) return false;
        to_.link(r.child);
        return true;
      }
      case detail::node_kind::reshape: {
        if (!head(n)) return false;
        extents(n.extents);
        to_.link(static_cast<const detail::reshape_node&>(n).child);
        return true;
      }
      default: {
        if (!head(n, static_cast<unsigned>(1 + static_cast<const detail::iota_node&>(n).axis))) return false;
        extents(n.extents);
        return true;
      }
    }
  }

 private:
  // Odd: an expression's is the address of its table. Its dtype is the table's, its shape that of its operands.
  bool head(const detail::typed_node& n, unsigned more = 0) {
    return to_.head(1u | static_cast<unsigned>(n.kind) << 1 | static_cast<unsigned>(n.type) << 8 |
                    static_cast<unsigned>(n.extents.size()) << 16 | std::uint64_t(more) << 32);
  }
  void extents(const shape& s) {
    for (std::int64_t e : s) to_.word(static_cast<std::uint64_t>(e));
  }
  void layout(const detail::array_node& a) {
    for (int d = 0; d < a.extents.size(); ++d) to_.word(static_cast<std::uint64_t>(a.strides[d]));
    if (to_.packs()) to_.word(place_in_pack(a.data()));
    to_.lives_on(a.memory->device);
  }
  bool expression(const detail::expression_node& e) {
    if (!to_.head(reinterpret_cast<std::uintptr_t>(e.code))) return false;
    if (e.code->scalar_powers != 0) [[unlikely]] {
      codegen::buffer<std::uint64_t> classes;
      codegen::exponent_words::append(*e.code, e.scalars, classes);
      for (std::uint64_t w : classes) to_.word(w);
    }
    for (int i = 0; i < e.code->nodes; ++i) to_.link(static_cast<const detail::typed_node*>(e.children[i]));
    return true;
  }
  bool view(const detail::view_node& v) {
    const int axes = v.child->extents.size();
    if (!head(v, static_cast<unsigned>(axes))) return false;
    extents(v.extents);
    for (const detail::axis_map* m = v.map; m != v.map + axes; ++m) {
      to_.word(static_cast<std::uint64_t>(m->offset));
      to_.word(static_cast<std::uint64_t>(m->step));
      to_.word(static_cast<std::uint64_t>(m->axis));
    }
    to_.link(v.child);
    return true;
  }

  Sink& to_;
};

/// Writes the trace of some requests, and lists the nodes by their numbers. False: it is too long to be worth it.
bool write_trace(const request*, int count, device_impl&, trace& into, std::vector<const detail::typed_node*>& nodes);

/// Do requests have this trace? Then `nodes`, which has room for them, are the nodes by their numbers.
bool has_trace(const request*, int count, const trace&, const detail::typed_node** nodes);

/// Equal for equal traces, and for few others: of the requests and what is first and last beneath them.
std::uint64_t trace_hash(const request*, int count);

}  // namespace sinter::runtime
