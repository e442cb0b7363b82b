// The walk of resolve.hpp. A context says how the axes of the node being walked are driven by the axes of a space: views only
// change the context, so they cost nothing and end as strides of the leaves.
#include "codegen/ir/resolve.hpp"

#include <algorithm>
#include <cstring>

#include <sinter/error.hpp>

#include "codegen/ir/broadcast.hpp"

namespace sinter::codegen {

using namespace detail;

void resolution::clear() {
  words.clear();
  spaces.clear();
  operands.clear();
  boundaries.clear();
  scalars.clear();
  device = nullptr;
  other_device = nullptr;
}

namespace {

// The walk recurses. Units: bytes of stack it may use, an eighth of what a thread usually has; AddressSanitizer's frames are
// several times larger.
#ifdef __SANITIZE_ADDRESS__
constexpr std::intptr_t deepest = 1 << 22;
#else
constexpr std::intptr_t deepest = 1 << 20;
#endif

std::intptr_t stack_position() { return reinterpret_cast<std::intptr_t>(__builtin_frame_address(0)); }

struct context {
  unsigned space;
  bool identity;  // axis d of the node is axis d of the space
  sinter::shape extents;
  axis_map map[max_rank];
};

bool same(const context& a, const context& b) {
  if (a.space != b.space || a.identity != b.identity || !(a.extents == b.extents)) return false;
  if (a.identity) return true;
  for (int d = 0; d < a.extents.size(); ++d)
    if (a.map[d].offset != b.map[d].offset || a.map[d].step != b.map[d].step || a.map[d].axis != b.map[d].axis)
      return false;
  return true;
}

// Nodes already walked, by (node, context). Open addressing over a power of two; cleared by bumping an epoch.
class memo {
 public:
  void clear() {
    if (++epoch_ == 0) slots_.assign(slots_.size(), {}), epoch_ = 1;
    used_ = 0;
  }
  ref* find(const node* n, unsigned context) {
    for (std::size_t i = hash(n, context);; ++i) {
      slot& s = slots_[i & (slots_.size() - 1)];
      if (s.epoch != epoch_) return nullptr;
      if (s.key == n && s.context == context) return &s.result;
    }
  }
  void insert(const node* n, unsigned context, ref r) {
    if (++used_ * 2 > slots_.size()) grow();
    place({n, context, epoch_, r});
  }

 private:
  struct slot {
    const node* key = nullptr;
    unsigned context = 0;
    unsigned epoch = 0;
    ref result;
  };
  static std::size_t hash(const node* n, unsigned context) {
    return (reinterpret_cast<std::uintptr_t>(n) >> 6) * 0x9E3779B97F4A7C15ull >> 20 ^ context * 0x85EBCA6Bu;
  }
  void place(const slot& s) {
    std::size_t i = hash(s.key, s.context);
    while (slots_[i & (slots_.size() - 1)].epoch == epoch_) ++i;
    slots_[i & (slots_.size() - 1)] = s;
  }
  void grow() {
    std::vector<slot> before(slots_.size() * 2);
    before.swap(slots_);
    for (const slot& s : before)
      if (s.epoch == epoch_) place(s);
  }
  std::vector<slot> slots_ = std::vector<slot>(256);
  unsigned epoch_ = 1;
  std::size_t used_ = 0;
};

class walker {
 public:
  void run(const typed_node* const* roots, const sinter::shape* const* extents, int count, resolution& into) {
    out_ = &into;
    if (count == 1 && flat(roots[0], *extents[0])) return;
    memo_.clear();
    contexts_.clear();
    values_ = 0;
    bottom_ = stack_position();
    for (int i = 0; i < count; ++i) {
      const unsigned root = whole(space_for(*extents[i], 0));
      const ref r = walk(roots[i], root);
      out_->words.push_back(root_word::make(contexts_[root].space).bits);
      out_->words.push_back(r.bits);
    }
  }

 private:
  // One statement over whole arrays of one shape, which most evaluations are, needs no context: writes what the walk would.
  bool flat(const typed_node* root, const sinter::shape& extents) {
    if (root->kind != node_kind::expression) return false;
    const auto* e = static_cast<const expression_node*>(root);
    const fragment& code = *e->code;
    for (int i = 0; i < code.nodes; ++i) {
      const auto* a = static_cast<const array_node*>(e->children[i]);
      if (a->kind != node_kind::array || !a->contiguous || !(a->extents == extents)) return false;
    }
    out_->spaces.push_back({extents, 0});
    std::vector<std::uint64_t>& words = out_->words;
    words.resize(static_cast<std::size_t>(code.nodes) + 3);
    words[0] = reinterpret_cast<std::uintptr_t>(&code);
    for (int i = 0; i < code.nodes; ++i)
      words[1 + i] = flat_leaf(static_cast<const array_node*>(e->children[i]), 0).bits;
    words[1 + code.nodes] = root_word::make(0).bits;
    words[2 + code.nodes] = ref::make(ref::value, e->type, 0).bits;
    out_->scalars.assign(e->scalars, e->scalars + code.scalars);
    return true;
  }

  unsigned space_for(const sinter::shape& extents, std::uint32_t reduced) {
    for (unsigned i = 0; i < out_->spaces.size(); ++i)
      if (out_->spaces[i].reduced == reduced && out_->spaces[i].extents == extents) return i;
    if (out_->spaces.size() == 255)
      throw error("sinter: an expression with over 255 different domains; evaluate parts of it");
    if (!extents.countable()) throw shape_error("sinter: an expression of more elements than can be counted");
    out_->spaces.push_back({extents, reduced});
    return static_cast<unsigned>(out_->spaces.size() - 1);
  }

  unsigned context_for(const context& c) {
    for (unsigned i = 0; i < contexts_.size(); ++i)
      if (same(contexts_[i], c)) return i;
    contexts_.push_back(c);
    return static_cast<unsigned>(contexts_.size() - 1);
  }

  // The context in which a node covers a whole space.
  unsigned whole(unsigned space) {
    for (unsigned i = 0; i < contexts_.size(); ++i)
      if (contexts_[i].space == space && contexts_[i].identity) return i;
    context& c = contexts_.emplace_back();
    c.space = space;
    c.identity = true;
    c.extents = out_->spaces[space].extents;
    for (int d = 0; d < c.extents.size(); ++d) c.map[d] = {0, 1, static_cast<std::int8_t>(d)};
    return static_cast<unsigned>(contexts_.size() - 1);
  }

  // The context of a child of shape `extents` broadcast to the node of context `from`.
  context aligned(const context& from, const sinter::shape& extents) const {
    if (extents == from.extents) return from;
    context c;
    c.space = from.space;
    c.identity = false;
    c.extents = extents;
    const int shift = from.extents.size() - extents.size();
    for (int d = 0; d < extents.size(); ++d)
      c.map[d] = extents[d] == 1 && from.extents[d + shift] != 1 ? axis_map{0, 0, -1} : from.map[d + shift];
    return c;
  }

  ref walk(const typed_node* n, unsigned in) {
    if (n->kind == node_kind::array) return leaf(static_cast<const array_node*>(n), in);
    if (const ref* seen = memo_.find(n, in)) return *seen;
    if (bottom_ - stack_position() > deepest)
      throw error("sinter: an expression nested thousands deep; evaluate it in between");
    const ref r = compute(n, in);
    memo_.insert(n, in, r);
    return r;
  }

  ref compute(const typed_node* n, unsigned in) {
    switch (n->kind) {
      case node_kind::expression: return expression(static_cast<const expression_node*>(n), in);
      case node_kind::view: return view(static_cast<const view_node*>(n), in);
      case node_kind::reduction: {
        const auto* r = static_cast<const reduction_node*>(n);
        return bounded(n, in, r->child, r->axes, static_cast<unsigned>(r->what) + 1);
      }
      case node_kind::reshape: return bounded(n, in, static_cast<const reshape_node*>(n)->child, 0, 0);
      default: return iota(static_cast<const iota_node*>(n), in);
    }
  }

  ref expression(const expression_node* e, unsigned in) {
    // An expression smaller than its user's shape is computed where it is used: leaves align with the context they are read in.
    const fragment& code = *e->code;
    std::uint64_t few[1 + 16];
    std::vector<std::uint64_t> many(code.nodes > 16 ? 1 + code.nodes : 0);
    std::uint64_t* words = code.nodes > 16 ? many.data() : few;
    words[0] = reinterpret_cast<std::uintptr_t>(&code);
    for (int i = 0; i < code.nodes; ++i) words[1 + i] = walk(static_cast<const typed_node*>(e->children[i]), in).bits;
    out_->words.insert(out_->words.end(), words, words + 1 + code.nodes);
    if (code.scalars) out_->scalars.insert(out_->scalars.end(), e->scalars, e->scalars + code.scalars);
    return ref::make(ref::value, e->type, values_++);
  }

  ref view(const view_node* v, unsigned in) {
    const context outer = aligned(contexts_[in], v->extents);
    context inner;
    inner.space = outer.space;
    inner.identity = false;
    inner.extents = v->child->extents;
    for (int d = 0; d < v->child->extents.size(); ++d) {
      const axis_map& m = v->map[d];
      if (m.axis < 0) {
        inner.map[d] = {m.offset, 0, -1};
      } else {
        const axis_map& o = outer.map[m.axis];
        inner.map[d] = {m.offset + m.step * o.offset, m.step * o.step, o.axis};
      }
    }
    return walk(v->child, context_for(inner));
  }

  // A child that becomes memory first: computed over a space of its own, read back as an operand.
  ref bounded(const typed_node* n, unsigned in, const typed_node* child, std::uint32_t reduced, unsigned what) {
    const unsigned domain = space_for(child->extents, reduced);
    const ref inner = walk(child, whole(domain));
    const auto index = static_cast<std::int32_t>(out_->boundaries.size());
    if (index == 0xffff) throw error("sinter: an expression with over 65,535 reductions; evaluate parts of it");
    out_->boundaries.push_back({domain, n->extents, n->type});
    // Where its user is exactly the shape of its result, the user's work can join the kernel that makes it.
    const bool joinable =
        contexts_[in].identity && contexts_[in].extents.elements() == n->extents.elements() && what != 0;
    out_->words.push_back(boundary_word::make(what, n->type, domain, n->extents.size(), joinable).bits);
    out_->words.push_back(inner.bits);
    std::int64_t strides[max_rank];
    c_strides(n->extents, strides);
    operand o;
    o.boundary = index;
    o.type = n->type;
    return add(o, n->extents, strides, contexts_[in], true);
  }

  ref iota(const iota_node* n, unsigned in) {
    std::int64_t strides[max_rank] = {};
    strides[n->axis] = 1;
    operand o;
    o.iota = true;
    o.type = dtype::int64;
    return add(o, n->extents, strides, contexts_[in], false);
  }

  void lives_on(runtime::device_impl* device) {
    if (!out_->device) out_->device = device;
    else if (out_->device != device) out_->other_device = device;
  }

  // A contiguous array that covers a whole space.
  ref flat_leaf(const array_node* a, unsigned space) {
    lives_on(a->memory->device);
    std::byte* const data = a->data();
    std::vector<operand>& all = out_->operands;
    unsigned i = 0;
    for (; i < all.size(); ++i)
      if (all[i].data == data && all[i].flat && all[i].space == space && all[i].type == a->type && all[i].boundary < 0)
        break;
    if (i == all.size()) {
      operand& o = all.emplace_back();
      o.data = data;
      o.memory = a->memory;
      o.type = a->type;
      o.space = static_cast<std::uint8_t>(space);
      o.flat = true;
      o.fixed = a->extents.elements() == 1;
    }
    return ref::make(ref::array, a->type, i, 0, true);
  }

  ref leaf(const array_node* a, unsigned in) {
    const context& c = contexts_[in];
    if (a->contiguous && c.identity && a->extents == c.extents) return flat_leaf(a, c.space);
    lives_on(a->memory->device);
    operand o;
    o.type = a->type;
    o.memory = a->memory;
    o.data = a->data();
    return add(o, a->extents, a->strides, c, false);
  }

  // Lays an operand of shape `extents` into a context and gives it a number, the one it has if it is there already.
  ref add(operand& o, const sinter::shape& extents, const std::int64_t* strides, const context& in, bool contiguous) {
    const ref::kind what = o.iota ? ref::iota : o.boundary >= 0 ? ref::result : ref::array;
    const unsigned boundary = o.boundary >= 0 ? static_cast<unsigned>(o.boundary) : 0;
    const auto numbered = [&](std::size_t i) {
      return ref::make(what, o.type, static_cast<unsigned>(i), boundary, in.identity);
    };
    o.space = static_cast<std::uint8_t>(in.space);
    if (contiguous && in.identity && extents == in.extents && !o.iota) {
      o.flat = true;
      o.fixed = extents.elements() == 1;
    } else {
      lay(o, extents, strides, in);
    }
    std::vector<operand>& all = out_->operands;
    for (unsigned i = 0; i < all.size(); ++i)
      if (equal(all[i], o)) return numbered(i);
    all.push_back(o);
    return numbered(all.size() - 1);
  }

  void lay(operand& o, const sinter::shape& extents, const std::int64_t* strides, const context& in) const {
    const context c = aligned(in, extents);
    std::int64_t offset = 0;
    o.fixed = true;
    std::fill(o.strides, o.strides + max_rank, 0);
    for (int d = 0; d < extents.size(); ++d) {
      const axis_map& m = c.map[d];
      offset += m.offset * strides[d];
      if (m.axis >= 0) o.strides[m.axis] += m.step * strides[d];
    }
    const sinter::shape& domain = out_->spaces[in.space].extents;
    for (int d = 0; d < domain.size(); ++d)
      if (domain[d] == 1) o.strides[d] = 0;
      else if (o.strides[d] != 0) o.fixed = false;
    if (o.iota) o.origin = offset;
    else if (o.boundary >= 0) o.offset = offset;
    else o.data += offset * itemsize(o.type);
  }

  static bool equal(const operand& a, const operand& b) {
    return a.data == b.data && a.boundary == b.boundary && a.offset == b.offset && a.origin == b.origin &&
           a.space == b.space && a.type == b.type && a.iota == b.iota && a.flat == b.flat &&
           (a.flat || std::memcmp(a.strides, b.strides, sizeof(a.strides)) == 0);
  }

  resolution* out_ = nullptr;
  memo memo_;
  std::vector<context> contexts_;
  unsigned values_ = 0;
  std::intptr_t bottom_ = 0;
};

/// Destructors of a thread's other objects may evaluate after this one has gone.
thread_local constinit bool kept_has_gone = false;

struct kept_walker : walker {
  ~kept_walker() { kept_has_gone = true; }
};

}  // namespace

void resolve(const typed_node* const* roots, const sinter::shape* const* extents, int count, resolution& into) {
  into.clear();
  if (kept_has_gone) return walker().run(roots, extents, count, into);
  thread_local kept_walker w;
  w.run(roots, extents, count, into);
}

}  // namespace sinter::codegen
