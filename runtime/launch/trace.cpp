#include "runtime/launch/trace.hpp"

#include <algorithm>

#include "codegen/ir/exponent.hpp"
#include "codegen/ir/number_table.hpp"
#include "runtime/device/device.hpp"
#include "runtime/library/call.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::runtime {

using detail::typed_node;

namespace {

// Says what an evaluation is to a sink: `head(word)`, which decides what follows, gives whether to go on; `word(w)`,
// `words(from, count)` and `pairs(from, and_from, count)`; `link(child)`; `lives_on(device)`. All of it is inlined, so that a sink is kept in registers: this runs
// in every evaluation.
template <class Sink>
class traced {
 public:
  explicit traced(Sink& to) : to_(to) {}

  [[gnu::always_inline]] bool request_of(const request& r) {
    const bool stores = r.into && !r.made;
    if (!to_.head(static_cast<unsigned>(r.extents->size()) << 1 | stores)) return false;
    extents(*r.extents);
    to_.link(r.root);
    if (stores) layout(*r.into);
    return true;
  }

  [[gnu::always_inline]] bool node(const typed_node& n) {
    // Most nodes are one of these.
    if (n.kind == detail::node_kind::expression) return add(static_cast<const detail::expression_node&>(n));
    if (n.kind == detail::node_kind::array) return add(static_cast<const detail::array_node&>(n));
    return detail::visit(
        n, [this](const auto& of) __attribute__((always_inline)) { return add(of); });
  }

 private:
  // Odd: an expression's is the address of its table. Its dtype is the table's, its shape that of its operands.
  [[gnu::always_inline]] bool head(const typed_node& n, unsigned more = 0) {
    return to_.head(1u | static_cast<unsigned>(n.kind) << 1 | static_cast<unsigned>(n.type) << 8 |
                    static_cast<unsigned>(n.extents.size()) << 16 | std::uint64_t(more) << 32);
  }
  [[gnu::always_inline]] void extents(const shape& s) { to_.words(s.begin(), s.size()); }
  [[gnu::always_inline]] void layout(const detail::array_node& a) {
    to_.pairs(a.extents.begin(), a.strides, a.extents.size());
    if (to_.packs()) to_.word(place_in_pack(a.data()));
    to_.lives_on(a.memory->device);
  }
  [[gnu::always_inline]] bool add(const detail::expression_node& e) {
    if (!to_.head(reinterpret_cast<std::uintptr_t>(e.code))) return false;
    if (e.code->scalar_powers != 0) [[unlikely]] {
      codegen::buffer<std::uint64_t> classes;
      codegen::exponent_words::append(*e.code, e.scalars, classes);
      for (std::uint64_t w : classes) to_.word(w);
    }
    for (int i = 0; i < e.code->nodes; ++i) to_.link(static_cast<const typed_node*>(e.children[i]));
    return true;
  }
  [[gnu::always_inline]] bool add(const detail::array_node& a) {
    if (!head(a)) return false;
    layout(a);
    return true;
  }
  [[gnu::always_inline]] bool add(const detail::reshape_node& r) {
    if (!head(r)) return false;
    extents(r.extents);
    to_.link(r.child);
    return true;
  }
  [[gnu::always_inline]] bool add(const detail::call_node& c) {
    const codegen::fourier way = c.site->what->in_kernels();
    if (way == codegen::fourier::none || !head(c, static_cast<unsigned>(way))) return false;
    extents(c.extents);
    to_.link(c.site->operands[0]);
    return true;
  }
  [[gnu::always_inline]] bool add(const detail::iota_node& i) {
    if (!head(i, static_cast<unsigned>(1 + i.axis))) return false;
    extents(i.extents);
    return true;
  }
  [[gnu::always_inline]] bool add(const detail::reduction_node& r) {
    if (!head(r, r.axes << 8 | static_cast<unsigned>(r.what))) return false;
    if (r.called) [[unlikely]]
      to_.word(reinterpret_cast<std::uintptr_t>(r.called));
    to_.link(r.child);
    return true;
  }
  [[gnu::always_inline]] bool add(const detail::scan_node& s) {
    if (!head(s, static_cast<unsigned>(s.axis) << 8 | static_cast<unsigned>(s.what))) return false;
    to_.link(s.child);
    return true;
  }
  [[gnu::always_inline]] bool add(const detail::view_node& v) {
    const int axes = v.child->extents.size();
    const auto computed = static_cast<unsigned>(v.indices | v.checked << 8 | v.guarded << 16);
    if (!head(v, static_cast<unsigned>(axes) | computed << 8)) return false;
    extents(v.extents);
    for (const detail::axis_map* m = v.map; m != v.map + axes; ++m) {
      to_.word(static_cast<std::uint64_t>(m->offset));
      to_.word(static_cast<std::uint64_t>(m->step));
      to_.word(static_cast<std::uint64_t>(m->axis));
    }
    to_.link(v.child);
    for (int i = 0; i < v.more_count(); ++i) to_.link(v.more[i]);
    return true;
  }

  Sink& to_;
};

class writer {
 public:
  writer(trace& into, std::vector<const typed_node*>& nodes) : into_(into), nodes_(nodes) {}
  bool packs() const { return into_.packs; }
  bool head(std::uint64_t w) {
    into_.words.push_back(w);
    return true;
  }
  void word(std::uint64_t w) { into_.words.push_back(w); }
  void words(const std::int64_t* from, int count) { into_.words.insert(into_.words.end(), from, from + count); }
  void pairs(const std::int64_t* from, const std::int64_t* and_from, int count) {
    for (int i = 0; i < count; ++i)
      word(static_cast<std::uint64_t>(from[i])), word(static_cast<std::uint64_t>(and_from[i]));
  }
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
  [[gnu::always_inline]] bool packs() const { return packs_; }
  [[gnu::always_inline]] bool head(std::uint64_t w) { return *word_++ == w && differences_ == 0; }
  [[gnu::always_inline]] void word(std::uint64_t w) { differences_ |= *word_++ ^ w; }
  [[gnu::always_inline]] void words(const std::int64_t* from, int count) {
    for (int i = 0; i < count; ++i) word(static_cast<std::uint64_t>(from[i]));
  }
  [[gnu::always_inline]] void pairs(const std::int64_t* from, const std::int64_t* and_from, int count) {
    for (int i = 0; i < count; ++i)
      differences_ |= (word_[2 * i] ^ static_cast<std::uint64_t>(from[i])) |
                      (word_[2 * i + 1] ^ static_cast<std::uint64_t>(and_from[i]));
    word_ += 2 * count;
  }
  [[gnu::always_inline]] void link(const typed_node* n) {
    const unsigned number = *link_++;
    if (number == met_) nodes_[met_++] = n;
    else differences_ |= static_cast<std::uint64_t>(nodes_[number] != n);
  }
  [[gnu::always_inline]] void lives_on(const device_impl* d) {
    differences_ |= static_cast<std::uint64_t>(d != device_);
  }
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
  constexpr std::size_t most_nodes = 1024;
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
    // Loops whose statements differ in a slice fold another length each.
    for (int c = 1, all = std::min(child_count(n), 6); c < all; ++c)
      if (const typed_node* const of = child(n, c); of->kind == detail::node_kind::reduction)
        for (std::int64_t e : child(of, 0)->extents) h = mixed(h, static_cast<std::uint64_t>(e));
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
