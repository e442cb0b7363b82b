// The walk of resolve.hpp. A context says how the axes of the node being walked are driven by the axes of a space: views only
// change the context, so they cost nothing and end as strides of the leaves, or, where an index is computed, as loads. It is a
// loop over a stack of its own: a DAG may be deeper than a thread's stack.
#include "codegen/ir/resolve.hpp"

#include <algorithm>

#include <sinter/error.hpp>

#include "codegen/ir/broadcast.hpp"
#include "codegen/ir/context.hpp"
#include "codegen/ir/exponent.hpp"
#include "codegen/ir/number_table.hpp"
#include "codegen/ir/refine.hpp"

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

class walker {
 public:
  bool run(const typed_node* const* roots, const sinter::shape* const* extents, int count, resolution& into,
           const stand_ins* known, program_room room) {
    out_ = &into;
    known_ = known;
    room_ = room;
    refined_.clear();
    kept_whole_.clear();
    do {  // again with finer axes, where a reshape asks for them
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
  // An index that is computed, and how far a step of it goes in an operand.
  struct indexed_step {
    ref index;
    std::int64_t step;
  };

  void reset() {
    out_->clear();
    spaces_of_.clear();
    computed_.clear();
    computed_at_.clear();
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
    refining_ = false;
  }
  bool stops() const { return full_ || refining_; }

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
    for (unsigned i = 0; i < spaces_of_.size(); ++i)
      if (spaces_of_[i].reduced == reduced && spaces_of_[i].extents == extents) return i;
    full_ = full_ || spaces_of_.size() == program_room::spaces;
    if (full_) return 0;
    const auto number = static_cast<unsigned>(spaces_of_.size());
    unsigned like = 0;
    while (like < number && !(spaces_of_[like].extents == extents)) ++like;
    const refinement* const finer = find_refinement(refined_, extents);
    spaces_of_.push_back({extents, reduced, finer});
    out_->spaces.push_back(
        {finer ? finer->axes : extents, finer ? finer->spread(reduced) : reduced, static_cast<std::uint8_t>(like)});
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
    c.extents = spaces_of_[space].extents;
    c.whole = true;
    const refinement* const finer = spaces_of_[space].finer;
    c.identity = !finer;
    for (int d = 0; d < c.extents.size(); ++d)
      c.map[d] = finer ? finer->map_of(d) : axis_map{0, 1, static_cast<std::int16_t>(d)};
    return context_for(c);
  }

  // How axis d of something of shape `extents`, broadcast to the node of context `c`, is driven. What is stored may have more
  // axes than that, in front and of extent 1.
  static axis_map driven(const context& c, const sinter::shape& extents, int d) {
    const int axis = d + c.extents.size() - extents.size();
    return extents[d] == 1 && (axis < 0 || c.extents[axis] != 1) ? axis_map{0, 0, axis_map::constant} : c.map[axis];
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
      case node_kind::view: return view(f);
      case node_kind::reduction: {
        const auto* r = static_cast<const reduction_node*>(f.n);
        if (f.next++) return close(bounded(f, r->what));
        return open(f, r->child, r->axes);
      }
      case node_kind::scan: {
        const auto* s = static_cast<const scan_node*>(f.n);
        if (f.next++) return close(bounded(f, s->what, true));
        keep_whole(s->child->extents);
        if (stops()) return;
        return open(f, s->child, std::uint32_t{1} << s->axis);
      }
      case node_kind::reshape:
        if (f.next++) return close(pop());
        return reshape(static_cast<const reshape_node*>(f.n), f.context);
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
    if (code.scalars != 0) {
      out_->scalars.append(e->scalars, code.scalars);
      out_->expressions.push_back(e);
    }
    takes(code.length - code.nodes - code.scalars, code.scalars * sizeof(scalar_bits));
    return ref::make(ref::value, e->type, values_++);
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

  ref new_value(dtype t) { return ref::make(ref::value, t, values_++); }

  ref both(ref a, ref b) {
    if (a.is_none()) return b;
    out_->words.push_back(both_word::mark);
    out_->words.push_back(a.bits);
    out_->words.push_back(b.bits);
    takes(1, 0);
    return new_value(dtype::bool_);
  }

  void add_scalar(std::int64_t value) {
    scalar_bits bits;
    bits.as_signed = value;
    out_->scalars.push_back(bits);
    out_->expressions.push_back(nullptr);
    takes(1, sizeof bits);
  }

  ref check(ref index, int axis, std::int64_t extent, ref guard) {
    out_->words.push_back(check_word::make(axis, !guard.is_none()).bits);
    out_->words.push_back(index.bits);
    if (!guard.is_none()) out_->words.push_back(guard.bits);
    add_scalar(extent);
    return new_value(dtype::int64);
  }

  // The axis that an index drives.
  axis_map computed(ref index) {
    const std::uint64_t h = mixed(0, index.bits);
    int number = computed_at_.find(h, [&](unsigned i) { return computed_[i].bits == index.bits; });
    if (number < 0) {
      number = static_cast<int>(computed_.size());
      full_ = full_ || number == most_computed;
      if (full_) return {0, 0, axis_map::constant};
      computed_at_.insert(h, computed_.size());
      computed_.push_back(index);
    }
    return axis_map::by_computed(number);
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

  // How axes are driven that have one element; or none, of which an index along an axis without points says that it is not read.
  axis_map driver_of_nothing(unsigned space) const {
    const sinter::shape& s = out_->spaces[space].extents;
    const auto empty = std::find(s.begin(), s.end(), 0) - s.begin();
    if (empty == s.size()) return {0, 0, axis_map::constant};
    return {0, 1, static_cast<std::int16_t>(empty)};
  }

  void drive(const sinter::shape& out, const axis_map* maps, context& inner) {
    for (const regrouping& g : regroup(out, inner.extents)) {
      if (g.is_one_to_one()) inner.map[g.to.first] = maps[g.from.first];
      else if (!drive_by_runs(g, out, maps, inner)) drive_by_digits(g, out, maps, inner);
      if (stops()) return;
    }
  }

  // False where the space's axes cannot be cut so that those of the child are runs of them.
  bool drive_by_runs(const regrouping& g, const sinter::shape& out, const axis_map* maps, context& inner) {
    const sinter::shape& space = out_->spaces[inner.space].extents;
    const std::optional<axis_range> parts = consecutive(space, out, maps, g.from);
    if (!parts) return false;
    cuts where;
    if (!common_cuts(space, *parts, inner.extents, g.to, where)) return false;
    if (where.empty()) {
      assign_runs(space, *parts, g.to, inner.extents, inner.map);
      return true;
    }
    if (space.size() + where.count() > max_rank) return false;
    const sinter::shape& asked = spaces_of_[inner.space].extents;
    if (std::find(kept_whole_.begin(), kept_whole_.end(), asked) != kept_whole_.end()) return false;
    refine(refined_, asked, space, where);
    refining_ = true;
    return true;
  }

  void drive_by_digits(const regrouping& g, const sinter::shape& out, const axis_map* maps, context& inner) {
    context of = inner;
    of.extents.set_size(g.from.last - g.from.first);
    for (int d = g.from.first; d < g.from.last; ++d) {
      of.extents[d - g.from.first] = out[d];
      of.map[d - g.from.first] = maps[d];
    }
    std::int64_t strides[max_rank];
    c_strides(of.extents, strides);
    operand o;
    o.iota = true;
    o.type = dtype::int64;
    const ref position = add(o, of.extents, strides, of, false);
    std::int64_t behind = 1;
    bool first_above = false;
    for (int d = g.to.last - 1; d >= g.to.first; --d) {
      const std::int64_t n = inner.extents[d];
      if (n == 1) continue;
      first_above = false;
      for (int e = g.to.first; e < d; ++e) first_above = first_above || inner.extents[e] != 1;
      inner.map[d] = computed(digit(position, behind, first_above ? n : 0));
      behind *= n;
    }
  }

  // `extent`: 0 of the first axis, which ends where the position does.
  ref digit(ref position, std::int64_t behind, std::int64_t extent) {
    if (behind == 1 && extent == 0) return position;
    out_->words.push_back(digit_word::make(behind != 1, extent != 0).bits);
    out_->words.push_back(position.bits);
    if (behind != 1) add_scalar(behind);
    if (extent != 0) add_scalar(extent);
    return new_value(dtype::int64);
  }

  // A scan's axis is gone along in one piece.
  void keep_whole(const sinter::shape& s) {
    if (std::find(kept_whole_.begin(), kept_whole_.end(), s) != kept_whole_.end()) return;
    kept_whole_.push_back(s);
    refining_ = forget_refinement(refined_, s);
  }

  // A child that becomes memory first: computed over a space of its own, read back as an operand.
  void open(frame& f, const typed_node* child, std::uint32_t reduced) {
    const unsigned domain = space_for(child->extents, reduced);
    if (stops()) return;
    const unsigned inner = f.inner = whole(domain);
    take(child, inner, true);
  }

  ref bounded(const frame& f, reduction what, bool running = false) {
    const ref inner = pop();
    const unsigned domain = contexts_[f.inner].space;
    const context& in = contexts_[f.context];
    const auto index = static_cast<std::int32_t>(out_->boundaries.size());
    out_->boundaries.push_back({domain, f.n->extents, f.n->type, running});
    takes(1, argument_bytes_of(domain));  // an output of the kernel that makes it
    // Where its user is exactly the shape of its result, the user's work can join the kernel that makes it.
    const bool joinable = in.identity && in.extents.elements() == f.n->extents.elements() && !running;
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
    o.from = a;
    o.data = a->data();
    return add(o, a->extents, a->strides, contexts_[in], a->contiguous);
  }

  // Lays an operand of shape `extents` into a context and gives it a number, the one it has if it is there already.
  ref add(operand& o, const sinter::shape& extents, const std::int64_t* strides, const context& in, bool contiguous) {
    o.space = out_->spaces[in.space].like;
    steps_.clear();
    bool guarded = false;
    if (contiguous && in.whole && !o.iota && extents == in.extents) {
      o.flat = true;
      o.fixed = extents.elements() == 1;
    } else {
      guarded = lay(o, extents, strides, in) && !o.iota && !in.guard.is_none();
      o.indexed = !o.iota && (guarded || !steps_.empty());
    }
    std::vector<operand>& all = out_->operands;
    const std::uint64_t h = hash_of(o);
    int number = operand_at_.find(h, [&](unsigned i) { return same(all[i], o); });
    if (number < 0) {
      number = static_cast<int>(all.size());
      operand_at_.insert(h, all.size());
      all.push_back(o);
      takes(0, argument_bytes_of(in.space));
    } else if (o.from != all[static_cast<std::size_t>(number)].from) {
      out_->met.push_back({static_cast<unsigned>(number), o.from});
    }
    const ref::kind what = o.iota ? ref::iota : o.boundary >= 0 ? ref::result : ref::array;
    const auto index = static_cast<unsigned>(number);
    const bool loads = o.indexed || !steps_.empty();
    ref r = o.boundary < 0 ? ref::make(what, o.type, index, 0, in.identity)
                           : ref::make(what, o.type, index, static_cast<unsigned>(o.boundary), in.identity,
                                       !loads && is_own_row(out_->boundaries[static_cast<std::size_t>(o.boundary)], o));
    if (!loads) return r;
    if (o.indexed) r = r.as_place();
    return load(r, guarded ? in.guard : ref::none());
  }

  // What is at a place of an operand moved by steps_; of an iota, the sum.
  ref load(ref place, ref guard) {
    std::uint32_t single = 0;
    full_ = full_ || steps_.size() > load_word::most_indices;
    if (full_) return {};
    for (std::size_t i = 0; i < steps_.size(); ++i) single |= std::uint32_t{steps_[i].step == 1} << i;
    out_->words.push_back(load_word::make(static_cast<int>(steps_.size()), !guard.is_none(), single).bits);
    out_->words.push_back(place.bits);
    for (const indexed_step& s : steps_) out_->words.push_back(s.index.bits);
    if (!guard.is_none()) out_->words.push_back(guard.bits);
    for (const indexed_step& s : steps_)
      if (s.step != 1) add_scalar(s.step);
    takes(1, 0);
    return new_value(place.type());
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

  // Strides along the space's axes, and steps_ of the computed indices. Gives whether an index may be out of range somewhere in
  // the space: where a guard is false.
  bool lay(operand& o, const sinter::shape& extents, const std::int64_t* strides, const context& in) {
    const sinter::shape& domain = out_->spaces[in.space].extents;
    std::int64_t offset = 0;
    bool strays = false;
    std::fill(o.strides, o.strides + max_rank, 0);
    for (int d = 0; d < extents.size(); ++d) {
      const axis_map m = driven(in, extents, d);
      offset += m.offset * strides[d];
      std::int64_t step = m.step, points = 1;
      if (m.is_computed()) add_step(computed_[static_cast<std::size_t>(m.computed())], m.step * strides[d]);
      for (int axis = m.axis + m.run - 1; axis >= m.axis && m.axis >= 0; --axis) {
        if (domain[axis] != 1) o.strides[axis] += step * strides[d];
        step *= domain[axis];
        points *= domain[axis];
      }
      const std::int64_t last = m.axis >= 0 ? m.offset + m.step * (points - 1) : m.offset;
      strays = strays || m.is_computed() || std::min(m.offset, last) < 0 || std::max(m.offset, last) >= extents[d];
    }
    o.fixed = std::all_of(o.strides, o.strides + domain.size(), [](std::int64_t s) { return s == 0; });
    if (o.iota) o.origin = offset;
    else if (o.boundary >= 0) o.offset = offset;
    else o.data += offset * itemsize(o.type);
    return strays;
  }

  void add_step(ref index, std::int64_t step) {
    if (step == 0) return;
    for (indexed_step& s : steps_)
      if (s.index.bits == index.bits) return void(s.step += step);
    steps_.push_back({index, step});
  }

  resolution* out_ = nullptr;
  const stand_ins* known_ = nullptr;
  program_room room_;
  // What a space was asked for as; its axes may be parts of those.
  struct asked_space {
    sinter::shape extents;
    std::uint32_t reduced;
    const refinement* finer;
  };
  static constexpr int most_computed = 32'000;
  std::vector<asked_space> spaces_of_;
  refinements refined_;
  std::vector<sinter::shape> kept_whole_;  // shapes whose axes are not cut
  std::vector<ref> computed_;              // indices, by number
  std::vector<indexed_step> steps_;        // of the operand at hand
  std::vector<context> contexts_;
  buffer<frame> frames_;
  buffer<ref> refs_;
  buffer<seen> seen_;
  number_table seen_at_, context_at_, operand_at_, computed_at_;
  unsigned values_ = 0;
  std::size_t operations_ = 0, argument_bytes_ = 0;
  bool full_ = false, refining_ = false;
};

/// Destructors of a thread's other objects may evaluate after this one has gone.
thread_local constinit bool kept_has_gone = false;

struct kept_walker : walker {
  ~kept_walker() { kept_has_gone = true; }
};

}  // namespace

bool resolve(const typed_node* const* roots, const sinter::shape* const* extents, int count, resolution& into,
             const stand_ins* known, program_room room) {
  if (kept_has_gone) return walker().run(roots, extents, count, into, known, room);
  thread_local kept_walker w;
  return w.run(roots, extents, count, into, known, room);
}

}  // namespace sinter::codegen
