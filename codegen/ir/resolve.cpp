// The walk of resolve.hpp. A context says how the axes of the node being walked are driven by the axes of a space: views only
// change the context, so they cost nothing and end as strides of the leaves. It is a loop over a stack of its own: a DAG may
// be deeper than a thread's stack.
#include "codegen/ir/resolve.hpp"

#include <algorithm>

#include <sinter/error.hpp>

#include "codegen/ir/broadcast.hpp"
#include "codegen/ir/exponent.hpp"
#include "codegen/ir/number_table.hpp"

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

struct context {
  unsigned space;
  bool identity;  // axis d of the node is axis d of the space
  sinter::shape extents;
  axis_map map[max_rank];
};

bool same(const axis_map& a, const axis_map& b) { return a.offset == b.offset && a.step == b.step && a.axis == b.axis; }

bool same(const context& a, const context& b) {
  return a.space == b.space && a.identity == b.identity && a.extents == b.extents &&
         (a.identity ||
          std::equal(a.map, a.map + a.extents.size(), b.map, [](auto& x, auto& y) { return same(x, y); }));
}

std::uint64_t hash_of(const context& c) {
  std::uint64_t h = c.space;
  for (int d = 0; d < c.extents.size(); ++d)
    h = mixed(mixed(h, static_cast<std::uint64_t>(c.map[d].offset)),
              static_cast<std::uint64_t>(c.map[d].step) << 8 ^ static_cast<std::uint8_t>(c.map[d].axis));
  return h;
}

bool same(const operand& a, const operand& b) {
  return a.data == b.data && a.boundary == b.boundary && a.offset == b.offset && a.origin == b.origin &&
         a.space == b.space && a.type == b.type && a.iota == b.iota && a.flat == b.flat &&
         (a.flat || std::equal(a.strides, a.strides + max_rank, b.strides));
}

std::uint64_t hash_of(const node* n, unsigned context) {
  return mixed(reinterpret_cast<std::uintptr_t>(n) >> 6, context);
}

std::uint64_t hash_of(const operand& o) {
  const auto place = reinterpret_cast<std::uintptr_t>(o.data) + static_cast<std::uint64_t>(o.offset + o.origin);
  return mixed(place, static_cast<std::uint64_t>(o.boundary) << 16 ^ static_cast<std::uint64_t>(o.space) << 8 ^
                          static_cast<std::uint64_t>(o.type));
}

class walker {
 public:
  bool run(const typed_node* const* roots, const sinter::shape* const* extents, int count, resolution& into,
           const stand_ins* known, program_room room) {
    out_ = &into;
    reset();
    known_ = known;
    room_ = room;
    for (int i = 0; i < count && !full_; ++i) {
      const unsigned root = whole(space_for(*extents[i], 0));
      const ref r = walk(roots[i], root);
      out_->words.push_back(root_word::make(contexts_[root].space).bits);
      out_->words.push_back(r.bits);
    }
    return !full_;
  }

 private:
  // A node whose children are being walked. Each child leaves its ref on the stack of refs; the node replaces them by its own.
  struct frame {
    const typed_node* n;
    unsigned context;
    bool remembered;
    unsigned inner = 0;  // of a child that becomes memory: the context it is walked in
    int next = 0;        // child
  };
  struct seen {
    const node* n;
    unsigned context;
    ref result;
  };

  void reset() {
    contexts_.clear();
    frames_.clear();
    refs_.clear();
    seen_.clear();
    seen_at_.clear();
    context_at_.clear();
    operand_at_.clear();
    values_ = 0;
    operations_ = 0;
    argument_bytes_ = 0;
    full_ = false;
  }

  // A program that has outgrown its room is given up: what it would have become is found in parts.
  void takes(std::size_t operations, std::size_t argument_bytes) {
    operations_ += operations;
    argument_bytes_ += argument_bytes;
    full_ = full_ || operations_ > room_.operations || out_->operands.size() > room_.operands ||
            argument_bytes_ > largest_arguments;
  }
  std::size_t argument_bytes_of(unsigned space) const {
    return 8 * (1 + static_cast<std::size_t>(out_->spaces[space].extents.size()));
  }

  // What kernels depend on of an expression's scalars: the classes of exponents, after its nodes.
  void append_exponents(const expression_node& e) {
    if (e.code->scalar_powers != 0) [[unlikely]]
      exponent_words::append(*e.code, e.scalars, out_->words);
  }

  unsigned space_for(const sinter::shape& extents, std::uint32_t reduced) {
    for (unsigned i = 0; i < out_->spaces.size(); ++i)
      if (out_->spaces[i].reduced == reduced && out_->spaces[i].extents == extents) return i;
    full_ = full_ || out_->spaces.size() == program_room::spaces;
    if (full_) return 0;
    const auto number = static_cast<unsigned>(out_->spaces.size());
    unsigned like = 0;
    while (like < number && !(out_->spaces[like].extents == extents)) ++like;
    out_->spaces.push_back({extents, reduced, static_cast<std::uint8_t>(like)});
    return number;
  }

  unsigned context_for(const context& c) {
    const std::uint64_t h = hash_of(c);
    if (const int i = context_at_.find(h, [&](unsigned n) { return same(contexts_[n], c); }); i >= 0)
      return static_cast<unsigned>(i);
    context_at_.insert(h, contexts_.size());
    contexts_.push_back(c);
    return static_cast<unsigned>(contexts_.size() - 1);
  }

  // The context in which a node covers a whole space.
  unsigned whole(unsigned space) {
    context c;
    c.space = space;
    c.identity = true;
    c.extents = out_->spaces[space].extents;
    for (int d = 0; d < c.extents.size(); ++d) c.map[d] = {0, 1, static_cast<std::int8_t>(d)};
    return context_for(c);
  }

  // How axis d of something of shape `extents`, broadcast to the node of context `c`, is driven. What is stored may have more
  // axes than that, in front and of extent 1.
  static axis_map driven(const context& c, const sinter::shape& extents, int d) {
    const int axis = d + c.extents.size() - extents.size();
    return extents[d] == 1 && (axis < 0 || c.extents[axis] != 1) ? axis_map{0, 0, -1} : c.map[axis];
  }

  ref walk(const typed_node* root, unsigned in) {
    take(root, in);
    while (!frames_.empty() && !full_) advance();
    if (full_) return {};
    const ref r = refs_.back();
    refs_.pop_back();
    return r;
  }

  // Gives a node's ref where it is an array or has been walked; else opens a frame, which will. A node that one other holds
  // is met once in each of that one's contexts: there is no need to remember it, unless several of those end in one.
  void take(const typed_node* n, unsigned in, bool met_again = false) {
    const bool remembered = met_again || __atomic_load_n(&n->references, __ATOMIC_RELAXED) != 1;
    if (remembered)
      if (const seen* const before = find(n, in)) return refs_.push_back(before->result);
    if (n->kind == node_kind::array) return give(n, in, remembered, leaf(static_cast<const array_node*>(n), in));
    if (known_) [[unlikely]]
      if (const auto stands = known_->find(n); stands != known_->end())
        return refs_.push_back(leaf(stands->second, in));
    frames_.push_back({n, in, remembered});
  }

  // What the node says about itself, if it is true of this walk.
  const seen* noted(const typed_node* n, unsigned in) const {
    const std::uint16_t k = __atomic_load_n(&n->noted, __ATOMIC_RELAXED);
    return k < seen_.size() && seen_[k].n == n && seen_[k].context == in ? &seen_[k] : nullptr;
  }

  const seen* find(const typed_node* n, unsigned in) const {
    if (const seen* const before = noted(n, in)) return before;
    const int k = seen_at_.find(hash_of(n, in), [&](unsigned i) { return seen_[i].n == n && seen_[i].context == in; });
    return k < 0 ? nullptr : &seen_[static_cast<std::size_t>(k)];
  }

  void give(const typed_node* n, unsigned in, bool remembered, ref r) {
    refs_.push_back(r);
    if (!remembered) return;
    __atomic_store_n(&n->noted, static_cast<std::uint16_t>(seen_.size()), __ATOMIC_RELAXED);
    seen_at_.insert(hash_of(n, in), seen_.size());
    seen_.push_back({n, in, r});
  }

  void advance() {
    const std::size_t depth = frames_.size();
    frame& f = frames_.back();
    switch (f.n->kind) {
      case node_kind::expression: {
        const auto* e = static_cast<const expression_node*>(f.n);
        const unsigned in = f.context;
        for (int next = f.next; next < e->code->nodes;) {
          const auto* n = static_cast<const typed_node*>(e->children[next++]);
          if (const seen* const before = noted(n, in)) {
            refs_.push_back(before->result);
            continue;
          }
          frames_.back().next = next;
          take(n, in);
          if (frames_.size() != depth) return;
        }
        return close(expression(e));
      }
      case node_kind::view:
        if (f.next++) return close(pop());
        return take(static_cast<const view_node*>(f.n)->child, through(static_cast<const view_node*>(f.n), f.context),
                    true);
      case node_kind::reduction: {
        const auto* r = static_cast<const reduction_node*>(f.n);
        if (f.next++) return close(bounded(f, static_cast<unsigned>(r->what) + 1));
        return open(f, r->child, r->axes);
      }
      case node_kind::scan: {
        const auto* s = static_cast<const scan_node*>(f.n);
        if (f.next++) return close(bounded(f, static_cast<unsigned>(s->what) + 1, true));
        return open(f, s->child, std::uint32_t{1} << s->axis);
      }
      case node_kind::reshape:
        if (f.next++) return close(bounded(f, 0));
        return open(f, static_cast<const reshape_node*>(f.n)->child, 0);
      default: return close(iota(static_cast<const iota_node*>(f.n), f.context));
    }
  }

  ref pop() {
    const ref r = refs_.back();
    refs_.pop_back();
    return r;
  }

  void close(ref r) {
    const frame f = frames_.back();
    frames_.pop_back();
    give(f.n, f.context, f.remembered, r);
  }

  // An expression smaller than its user's shape is computed where it is used: leaves align with the context they are read in.
  ref expression(const expression_node* e) {
    const fragment& code = *e->code;
    const std::size_t first = refs_.size() - code.nodes;
    std::uint64_t* words = out_->words.add(std::size_t{1} + code.nodes);
    *words++ = reinterpret_cast<std::uintptr_t>(&code);
    for (std::size_t i = first; i < refs_.size(); ++i) *words++ = refs_[i].bits;
    refs_.shrink(first);
    append_exponents(*e);
    out_->scalars.append(e->scalars, code.scalars);
    takes(code.length - code.nodes - code.scalars, code.scalars * sizeof(scalar_bits));
    return ref::make(ref::value, e->type, values_++);
  }

  // The context of a view's child.
  unsigned through(const view_node* v, unsigned in) {
    const context& from = contexts_[in];
    context inner;
    inner.space = from.space;
    inner.identity = false;
    inner.extents = v->child->extents;
    for (int d = 0; d < v->child->extents.size(); ++d) {
      const axis_map& m = v->map[d];
      if (m.axis < 0) {
        inner.map[d] = {m.offset, 0, -1};
      } else {
        const axis_map o = driven(from, v->extents, m.axis);
        inner.map[d] = {m.offset + m.step * o.offset, m.step * o.step, o.axis};
      }
    }
    return context_for(inner);
  }

  // A child that becomes memory first: computed over a space of its own, read back as an operand.
  void open(frame& f, const typed_node* child, std::uint32_t reduced) {
    const unsigned domain = space_for(child->extents, reduced);
    if (full_) return;
    const unsigned inner = f.inner = whole(domain);
    take(child, inner, true);
  }

  ref bounded(const frame& f, unsigned what, bool running = false) {
    const ref inner = pop();
    const unsigned domain = contexts_[f.inner].space;
    const context& in = contexts_[f.context];
    const auto index = static_cast<std::int32_t>(out_->boundaries.size());
    out_->boundaries.push_back({domain, f.n->extents, f.n->type, running});
    takes(1, argument_bytes_of(domain));  // an output of the kernel that makes it
    // Where its user is exactly the shape of its result, the user's work can join the kernel that makes it.
    const bool joinable = in.identity && in.extents.elements() == f.n->extents.elements() && what != 0 && !running;
    const boundary_word word = boundary_word::make(what, f.n->type, domain, f.n->extents.size(), joinable, running);
    out_->words.push_back(word.bits);
    out_->words.push_back(inner.bits);
    if (word.takes_position()) out_->words.push_back(positions(f).bits);
    std::int64_t strides[max_rank];
    c_strides(f.n->extents, strides);
    operand o;
    o.boundary = index;
    o.type = f.n->type;
    return add(o, f.n->extents, strides, in, true);
  }

  // Where elements lie along the reduced axes, counted in C order.
  ref positions(const frame& f) {
    const auto* r = static_cast<const reduction_node*>(f.n);
    const sinter::shape& from = r->child->extents;
    std::int64_t strides[max_rank] = {};
    std::int64_t step = 1;
    for (int d = from.size() - 1; d >= 0; --d)
      if (r->axes >> d & 1) strides[d] = step, step *= from[d];
    operand o;
    o.iota = true;
    o.type = dtype::int64;
    return add(o, from, strides, contexts_[f.inner], false);
  }

  ref iota(const iota_node* n, unsigned in) {
    std::int64_t strides[max_rank] = {};
    if (n->axis == iota_node::all_axes) c_strides(n->extents, strides);
    else strides[n->axis] = 1;
    operand o;
    o.iota = true;
    o.type = dtype::int64;
    return add(o, n->extents, strides, contexts_[in], false);
  }

  void lives_on(runtime::device_impl* device) {
    if (!out_->device) out_->device = device;
    else if (out_->device != device) out_->other_device = device;
  }

  ref leaf(const array_node* a, unsigned in) {
    lives_on(a->memory->device);
    operand o;
    o.type = a->type;
    o.memory = a->memory;
    o.data = a->data();
    return add(o, a->extents, a->strides, contexts_[in], a->contiguous);
  }

  // Lays an operand of shape `extents` into a context and gives it a number, the one it has if it is there already.
  ref add(operand& o, const sinter::shape& extents, const std::int64_t* strides, const context& in, bool contiguous) {
    o.space = out_->spaces[in.space].like;
    if (contiguous && in.identity && !o.iota && extents == in.extents) {
      o.flat = true;
      o.fixed = extents.elements() == 1;
    } else {
      lay(o, extents, strides, in);
    }
    std::vector<operand>& all = out_->operands;
    const std::uint64_t h = hash_of(o);
    int number = operand_at_.find(h, [&](unsigned i) { return same(all[i], o); });
    if (number < 0) {
      number = static_cast<int>(all.size());
      operand_at_.insert(h, all.size());
      all.push_back(o);
      takes(0, argument_bytes_of(in.space));
    }
    const ref::kind what = o.iota ? ref::iota : o.boundary >= 0 ? ref::result : ref::array;
    if (o.boundary < 0) return ref::make(what, o.type, static_cast<unsigned>(number), 0, in.identity);
    return ref::make(what, o.type, static_cast<unsigned>(number), static_cast<unsigned>(o.boundary), in.identity,
                     is_own_row(out_->boundaries[static_cast<std::size_t>(o.boundary)], o));
  }

  // Is what a point of the operand's space reads the result of the row that it lies in, or of a scan its own?
  bool is_own_row(const boundary& b, const operand& o) const {
    const space &folded = out_->spaces[b.space], &read = out_->spaces[o.space];
    if (!(folded.extents == read.extents) || o.offset != 0) return false;
    std::int64_t step = 1;  // of the result, kept axis by kept axis
    for (int d = read.extents.size() - 1; d >= 0; --d) {
      if (read.extents[d] == 1) continue;
      const bool kept = b.running || (folded.reduced >> d & 1) == 0;
      if (o.flat ? !kept : o.strides[d] != (kept ? step : 0)) return false;
      if (kept) step *= read.extents[d];
    }
    return true;
  }

  void lay(operand& o, const sinter::shape& extents, const std::int64_t* strides, const context& in) const {
    const sinter::shape& domain = out_->spaces[in.space].extents;
    std::int64_t offset = 0;
    std::fill(o.strides, o.strides + max_rank, 0);
    for (int d = 0; d < extents.size(); ++d) {
      const axis_map m = driven(in, extents, d);
      offset += m.offset * strides[d];
      if (m.axis >= 0 && domain[m.axis] != 1) o.strides[m.axis] += m.step * strides[d];
    }
    o.fixed = std::all_of(o.strides, o.strides + domain.size(), [](std::int64_t s) { return s == 0; });
    if (o.iota) o.origin = offset;
    else if (o.boundary >= 0) o.offset = offset;
    else o.data += offset * itemsize(o.type);
  }

  resolution* out_ = nullptr;
  const stand_ins* known_ = nullptr;
  program_room room_;
  std::vector<context> contexts_;
  buffer<frame> frames_;
  buffer<ref> refs_;
  buffer<seen> seen_;
  number_table seen_at_, context_at_, operand_at_;
  unsigned values_ = 0;
  std::size_t operations_ = 0, argument_bytes_ = 0;
  bool full_ = false;
};

/// Destructors of a thread's other objects may evaluate after this one has gone.
thread_local constinit bool kept_has_gone = false;

struct kept_walker : walker {
  ~kept_walker() { kept_has_gone = true; }
};

}  // namespace

bool resolve(const typed_node* const* roots, const sinter::shape* const* extents, int count, resolution& into,
             const stand_ins* known, program_room room) {
  into.clear();
  if (kept_has_gone) return walker().run(roots, extents, count, into, known, room);
  thread_local kept_walker w;
  return w.run(roots, extents, count, into, known, room);
}

}  // namespace sinter::codegen
