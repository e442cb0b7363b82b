#include "runtime/launch/trace.hpp"

#include <algorithm>

#include "codegen/ir/number_table.hpp"
#include "runtime/device/device.hpp"

namespace sinter::runtime {

using detail::typed_node;

namespace {

class writer {
 public:
  writer(trace& into, std::vector<const typed_node*>& nodes) : into_(into), nodes_(nodes) {}
  bool packs() const { return into_.packs; }
  bool head(std::uint64_t w) {
    into_.words.push_back(w);
    return true;
  }
  void word(std::uint64_t w) { into_.words.push_back(w); }
  void link(const typed_node* n) {
    const auto at = std::find(nodes_.begin(), nodes_.end(), n);
    into_.links.push_back(static_cast<std::uint16_t>(at - nodes_.begin()));
    if (at == nodes_.end()) nodes_.push_back(n);
  }
  void lives_on(const device_impl*) {}

 private:
  trace& into_;
  std::vector<const typed_node*>& nodes_;
};

// Differences are gathered, and looked at where going on would read what is not there.
class comparer {
 public:
  comparer(const trace& with, const typed_node** nodes)
      : packs_(with.packs), device_(with.device), word_(with.words.data()), link_(with.links.data()), nodes_(nodes) {}
  bool packs() const { return packs_; }
  bool head(std::uint64_t w) { return *word_++ == w && differences_ == 0; }
  void word(std::uint64_t w) { differences_ |= *word_++ ^ w; }
  void link(const typed_node* n) {
    const unsigned number = *link_++;
    if (number == met_) nodes_[met_++] = n;
    else differences_ |= static_cast<std::uint64_t>(nodes_[number] != n);
  }
  void lives_on(const device_impl* d) { differences_ |= static_cast<std::uint64_t>(d != device_); }
  bool equal() const { return differences_ == 0; }

 private:
  const bool packs_;
  const device_impl* const device_;
  const std::uint64_t* word_;
  const std::uint16_t* link_;
  const typed_node** const nodes_;
  unsigned met_ = 0;
  std::uint64_t differences_ = 0;
};

std::uint64_t what(const typed_node* n) {
  if (n->kind == detail::node_kind::expression)
    return reinterpret_cast<std::uintptr_t>(static_cast<const detail::expression_node*>(n)->code);
  return static_cast<std::uint64_t>(n->kind) << 8 | static_cast<std::uint64_t>(n->type);
}

}  // namespace

bool write_trace(const request* requests, int count, device_impl& device, trace& into,
                 std::vector<const typed_node*>& nodes) {
  constexpr std::size_t most_nodes = 256;
  into.device = &device;
  into.packs = has_packs(device.dialect());
  into.requests = static_cast<std::size_t>(count);
  writer to(into, nodes);
  traced all(to);
  for (int i = 0; i < count; ++i) all.request_of(requests[i]);
  for (std::size_t i = 0; i < nodes.size() && nodes.size() <= most_nodes; ++i) all.node(*nodes[i]);
  into.nodes = nodes.size();
  return nodes.size() <= most_nodes;
}

bool has_trace(const request* requests, int count, const trace& with, const typed_node** nodes) {
  if (static_cast<std::size_t>(count) != with.requests) return false;
  comparer to(with, nodes);
  traced all(to);
  for (int i = 0; i < count; ++i)
    if (!all.request_of(requests[i])) return false;
  for (std::size_t i = 0; i < with.nodes; ++i)
    if (!all.node(*nodes[i])) return false;
  return to.equal();
}

std::uint64_t trace_hash(const request* requests, int count) {
  using codegen::mixed;
  std::uint64_t h = static_cast<std::uint64_t>(count);
  for (const request* r = requests; r != requests + count; ++r) {
    for (std::int64_t e : *r->extents) h = mixed(h, static_cast<std::uint64_t>(e));
    const typed_node* n = r->root;
    h = mixed(h, what(n));
    for (int depth = 0; depth < 3; ++depth) {
      const int children = child_count(n);
      if (children == 0) break;
      if (children > 1) h = mixed(h, what(child(n, children - 1)));
      n = child(n, 0);
      h = mixed(h, what(n));
    }
    for (std::int64_t e : n->extents) h = mixed(h, static_cast<std::uint64_t>(e));
  }
  return h;
}

}  // namespace sinter::runtime
