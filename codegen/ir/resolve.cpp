// The walk of resolve.hpp. A context says how the axes of the node being walked are driven by the axes of a space: views only
// change the context, so they cost nothing and end as strides of the leaves, or, where an index is computed, as loads. It is a
// loop over a stack of its own: a DAG may be deeper than a thread's stack.
#include "codegen/ir/resolve.hpp"

#include <algorithm>

#include <sinter/error.hpp>

#include "codegen/ir/broadcast.hpp"
#include "codegen/ir/calls.hpp"
#include "codegen/ir/exponent.hpp"
#include "codegen/ir/function.hpp"
#include "codegen/ir/keeping.hpp"
#include "codegen/ir/values.hpp"

namespace sinter::codegen {

using namespace detail;

void resolution::clear() {
  words.clear();
  spaces.clear();
  operands.clear();
  boundaries.clear();
  scalars.clear();
  expressions.clear();
  met.clear();
  device = nullptr;
  other_device = nullptr;
}

namespace {

class walker : keeping {
 public:
  bool run(const typed_node* const* roots, const sinter::shape* const* extents, int count, resolution& into,
           const stand_ins* known, program_room room, const device_ways* ways) {
    out_ = &into;
    known_ = known;
    room_ = room;
    ways_ = ways;
    refined_.clear();
    kept_whole_.clear();
    used_again_.clear();
    do {  // again with finer axes, where a reshape asks for them, or with more in memory
      reset();
      for (int i = 0; i < count && !stops(); ++i) {
        const unsigned root = whole(space_for(*extents[i], 0));
        const ref r = walk(roots[i], root);
        out_->words.push_back(root_word::make(contexts_[root].space).bits);
        out_->words.push_back(r.bits);
      }
    } while (refining_);
    return !full_;
  }

 private:
  void reset() {
    out_->clear();
    reset_places();
    frames_.clear();
    stored_.clear();
    refs_.clear();
    met_.clear();
  }
  // What kernels depend on besides an expression's nodes: the classes of its scalar exponents; where a call is made.
  void append_more(const expression_node& e, unsigned in) {
    if (e.code->scalar_powers != 0) [[unlikely]]
      exponent_words::append(*e.code, e.scalars, out_->words);
    if (e.code->called) [[unlikely]]
      out_->words.push_back(contexts_[in].guard.bits);
  }

  ref walk(const typed_node* root, unsigned in) {
    take(root, in);
    while (!frames_.empty() && !stops()) advance();
    if (stops()) return {};
    const ref r = refs_.back();
    refs_.pop_back();
    return r;
  }

  // Gives a node's ref where it is an array or has been walked; else opens a frame, which will. A node that one other holds
  // is met once in each of that one's contexts: there is no need to remember it, unless several of those end in one.
  void take(const typed_node* n, unsigned in, bool met_again = false) {
    const bool remembered = met_again || __atomic_load_n(&n->references, __ATOMIC_RELAXED) != 1;
    if (remembered)
      if (const met_nodes::meeting* const before = met_.find(n, in)) return refs_.push_back(before->result);
    if (n->kind == node_kind::array) {
      const auto* a = static_cast<const array_node*>(n);
      if (!ways_ || !is_gathered(a, in)) return give(n, in, remembered, leaf(a, in));
    }
    if (known_) [[unlikely]]
      if (const auto stands = known_->find(n); stands != known_->end())
        return refs_.push_back(leaf(stands->second, in));
    const bool again = (remembered && met_.latest(n)) || (!frames_.empty() && frames_.back().again);
    frames_.push_back({n, in, remembered, again});
  }

  void give(const typed_node* n, unsigned in, bool remembered, ref r) {
    refs_.push_back(r);
    if (remembered) met_.add(n, in, r);
  }

  void advance() {
    frame& f = frames_.back();
    detail::visit(*f.n, [&](const auto& n) { advance(n, f); });
  }

  void advance(const expression_node& e, frame& f) {
    const std::size_t depth = frames_.size();
    const unsigned in = f.context;
    if (f.stores) return close(stored(f));
    if (ways_ && f.next == 0 && (is_stored(&e, f) || is_moved(f))) return store(f);
    for (int next = f.next; next < e.code->nodes;) {
      const auto* n = static_cast<const typed_node*>(e.children[next++]);
      if (is_raw(*e.code, next - 1)) [[unlikely]] {
        refs_.push_back(raw(static_cast<const array_node*>(n), in));
        continue;
      }
      if (const met_nodes::meeting* const before = met_.latest(n); before && before->context == in) {
        refs_.push_back(before->result);
        continue;
      }
      frames_.back().next = next;
      take(n, in);
      if (frames_.size() != depth) return;
    }
    return close(expression(&e, in));
  }
  void advance(const view_node&, frame& f) {
    if (f.stores) return close(stored(f));
    if (ways_ && f.next == 0 && is_moved(f)) return store(f);
    return is_transform(f) ? transform(f) : view(f);
  }
  void advance(const reduction_node& r, frame& f) {
    if (f.next++) return close(bounded(f, r.what, maker::fold));
    return open(f, r.child, r.axes);
  }
  void advance(const scan_node& s, frame& f) {
    if (f.next++) return close(bounded(f, s.what, maker::scan));
    keep_whole(s.child->extents);
    if (stops()) return;
    return open(f, s.child, std::uint32_t{1} << s.axis);
  }
  void advance(const reshape_node& r, frame& f) {
    if (f.stores) return close(stored(f));
    if (ways_ && f.next == 0 && is_moved(f)) return store(f);
    if (f.next++) return close(pop());
    return reshape(&r, f.context);
  }
  void advance(const array_node&, frame& f) { return f.stores ? close(stored(f)) : store(f); }
  void advance(const iota_node& i, frame& f) { return close(iota(&i, f.context)); }
  void advance(const call_node&, frame& f) {
    if (is_transform(f)) return transform(f);
    full_ = true;  // of a call nothing is known yet
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
  ref expression(const expression_node* e, unsigned in) {
    const fragment& code = *e->code;
    const std::size_t first = refs_.size() - code.nodes;
    const int same = code.scalars != 0 && frames_.back().again ? first_scalar_of(e) : -1;
    if (same >= 0) [[unlikely]]
      out_->words.push_back(same_scalars_word::make(same).bits);
    std::uint64_t* words = out_->words.add(std::size_t{1} + code.nodes);
    *words++ = reinterpret_cast<std::uintptr_t>(&code);
    for (std::size_t i = first; i < refs_.size(); ++i) *words++ = refs_[i].bits;
    refs_.shrink(first);
    append_more(*e, in);
    if (code.scalars != 0 && same < 0) {
      out_->scalars.append(e->scalars, code.scalars);
      out_->expressions.push_back(e);
    }
    takes(code.length - code.nodes - code.scalars, code.scalars * sizeof(scalar_bits));
    return ref::make(ref::value, e->type, values_++);
  }

  int first_scalar_of(const expression_node* e) const {
    int first = 0;
    for (const expression_node* of : out_->expressions) {
      if (of == e) return first;
      first += of ? of->code->scalars : 1;
    }
    return -1;
  }

  // Indices and the guard first: they are walked where the view is, and its child where they say.
  void view(frame& f) {
    const auto* v = static_cast<const view_node*>(f.n);
    const int others = v->more_count();
    if (f.next < others) return take(v->more[f.next++], f.context);
    if (f.next++ > others) return close(pop());
    const unsigned inner = through(v, f.context);
    refs_.shrink(refs_.size() - static_cast<std::size_t>(others));
    take(v->child, inner, true);
  }

  // The context of a view's child. The refs of the view's indices, and of its guard, are the last ones on the stack.
  unsigned through(const view_node* v, unsigned in) {
    const context from = contexts_[in];
    const ref* const others = refs_.end() - v->more_count();
    context inner;
    inner.space = from.space;
    inner.identity = inner.whole = false;
    inner.guard = from.guard;
    if (v->guarded) inner.guard = both(from.guard, others[v->indices]);
    inner.extents = v->child->extents;
    for (int d = 0; d < v->child->extents.size(); ++d) {
      const axis_map& m = v->map[d];
      if (m.axis == axis_map::constant) {
        inner.map[d] = {m.offset, 0, axis_map::constant};
      } else if (m.is_computed()) {
        ref index = others[m.computed()];
        if (v->checked >> m.computed() & 1) index = check(index, d, v->child->extents[d], inner.guard);
        inner.map[d] = computed(index);
        inner.map[d].offset = m.offset;
        inner.map[d].step = m.step;
      } else {
        const axis_map o = driven(from, v->extents, m.axis);
        inner.map[d] = {m.offset + m.step * o.offset, m.step * o.step, o.axis, o.run};
      }
    }
    return context_for(inner);
  }

  // A reshape's child: where both shapes' axes are made of the same parts, its axes are runs of the parts; elsewhere its
  // indices are computed from the position.
  void reshape(const reshape_node* n, unsigned in) {
    const context from = contexts_[in];
    const sinter::shape &out = n->extents, &of = n->child->extents;
    context inner;
    inner.space = from.space;
    inner.identity = false;
    inner.whole = from.whole && out == from.extents;
    inner.guard = from.guard;
    inner.extents = of;
    axis_map maps[max_rank];
    for (int d = 0; d < out.size(); ++d) maps[d] = driven(from, out, d);
    std::fill(inner.map, inner.map + max_rank, driver_of_nothing(inner.space));
    if (of.elements() != 0) drive(out, maps, inner);
    if (stops()) return;
    const unsigned child = context_for(inner);
    take(n->child, child, true);
  }

  // A child that becomes memory first: computed over a space of its own, read back as an operand.
  void open(frame& f, const typed_node* child, std::uint32_t reduced) {
    const unsigned domain = space_for(child->extents, reduced, lie_of(child, reduced));
    if (stops()) return;
    const unsigned inner = f.inner = whole(domain);
    take(child, inner, true);
  }

  ref bounded(const frame& f, reduction what, maker by, fourier way = fourier::none) {
    const ref inner = pop();
    const unsigned domain = contexts_[f.inner].space;
    const context& in = contexts_[f.context];
    const auto index = static_cast<std::int32_t>(out_->boundaries.size());
    out_->boundaries.push_back({domain, f.n->extents, f.n->type, by});
    takes(1, argument_bytes_of(domain));  // an output of the kernel that makes it
    // Where its user is exactly the shape of its result, the user's work can join the kernel that makes it.
    const bool joinable = in.identity && in.extents.elements() == f.n->extents.elements() && by == maker::fold;
    const boundary_word word = boundary_word::make(what, f.n->type, domain, f.n->extents.size(), joinable, by, way);
    out_->words.push_back(word.bits);
    out_->words.push_back(inner.bits);
    if (word.takes_position()) out_->words.push_back(positions(f).bits);
    if (word.by_text()) out_->words.push_back(address_of(static_cast<const reduction_node*>(f.n)->called));
    return result(f, index);
  }

  ref result(const frame& f, std::int32_t boundary) {
    std::int64_t strides[max_rank];
    c_strides(f.n->extents, strides);
    operand o;
    o.boundary = boundary;
    o.type = f.n->type;
    return add(o, f.n->extents, strides, contexts_[f.context], true);
  }

  // ---- what becomes memory where it is used, and transforms that kernels make themselves

  // Its domain has the axes of its user: rows may lie along any of them.
  void transform(frame& f) {
    if (f.next++) return close(bounded(f, reduction::sum, maker::transform, f.transform));
    const call_node* const c = call_of(f.n);
    const auto* const turned = f.n == c ? nullptr : static_cast<const view_node*>(f.n);
    const int last = c->extents.size() - 1;
    keep_whole(f.n->extents);
    if (stops()) return;
    const unsigned domain = space_for(f.n->extents, std::uint32_t{1} << (turned ? turned->map[last].axis : last));
    if (stops()) return;
    const unsigned inner = f.inner = whole(domain);
    take(child(c, 0), turned ? through(turned, inner) : inner, true);
  }

  void store(frame& f) {
    f.stores = true;
    if (find_stored(f.n) >= 0) return;
    const unsigned domain = space_for(f.n->extents, 0);
    if (stops()) return;
    const typed_node* const n = f.n;
    const unsigned inner = f.inner = whole(domain, true);
    take(n, inner, true);
  }

  ref stored(const frame& f) {
    if (const std::int32_t before = find_stored(f.n); before >= 0) return result(f, before);
    stored_.push_back({f.n, static_cast<std::int32_t>(out_->boundaries.size())});
    return bounded(f, reduction::sum, maker::map);
  }

  std::int32_t find_stored(const typed_node* n) const {
    for (const stored_node& s : stored_)
      if (s.n == n) return s.boundary;
    return -1;
  }

  static std::uint64_t address_of(const function_text* f) { return reinterpret_cast<std::uintptr_t>(f); }

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

  operand operand_of(const array_node* a) {
    const array_place place = place_of(*a);
    lives_on(place.device);
    operand o;
    o.type = a->type;
    o.memory = a->memory;
    o.from = a;
    o.data = place.data;
    return o;
  }

  ref leaf(const array_node* a, unsigned in) {
    operand o = operand_of(a);
    return add(o, a->extents, a->strides, contexts_[in], a->contiguous);
  }

  // An array as a whole: its first element's place, wherever the point is.
  ref raw(const array_node* a, unsigned in) {
    operand o = operand_of(a);
    o.space = out_->spaces[contexts_[in].space].like;
    o.indexed = o.fixed = true;
    std::fill(o.strides, o.strides + max_rank, 0);
    return ref::make(ref::array, o.type, number_of(o, contexts_[in].space)).as_place();
  }

  struct stored_node {
    const node* n;
    std::int32_t boundary;
  };

  const stand_ins* known_ = nullptr;
  std::vector<stored_node> stored_;
  buffer<ref> refs_;
};

/// Destructors of a thread's other objects may evaluate after this one has gone.
thread_local constinit bool kept_has_gone = false;

struct kept_walker : walker {
  ~kept_walker() { kept_has_gone = true; }
};

}  // namespace

bool resolve(const typed_node* const* roots, const sinter::shape* const* extents, int count, resolution& into,
             const stand_ins* known, program_room room, const device_ways* ways) {
  if (kept_has_gone) return walker().run(roots, extents, count, into, known, room, ways);
  thread_local kept_walker w;
  return w.run(roots, extents, count, into, known, room, ways);
}

}  // namespace sinter::codegen
