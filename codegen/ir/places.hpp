// Where the walk of resolve.cpp is and what it finds there: the spaces of a program, how a node's axes are driven by those
// of one, and operands laid into it. Everything that a reshape asks of axes is decided here.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <sinter/error.hpp>

#include "codegen/ir/broadcast.hpp"
#include "codegen/ir/context.hpp"
#include "codegen/ir/index_steps.hpp"
#include "codegen/ir/refine.hpp"

namespace sinter::codegen {

class places {
 protected:
  void reset_places() {
    spaces_of_.clear();
    computed_.clear();
    digits_.clear();
    computed_at_.clear();
    contexts_.clear();
    context_at_.clear();
    operand_at_.clear();
    values_ = 0;
    operations_ = argument_bytes_ = 0;
    full_ = refining_ = false;
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

  // ---- spaces, and contexts in them

  unsigned space_for(const sinter::shape& extents, std::uint32_t reduced, lie how = lie::any) {
    for (unsigned i = 0; i < spaces_of_.size(); ++i) {
      if (spaces_of_[i].reduced != reduced || !(spaces_of_[i].extents == extents)) continue;
      if (spaces_of_[i].how == lie::any) spaces_of_[i].how = how;
      if (how == lie::any || spaces_of_[i].how == how) return i;
    }
    full_ = full_ || spaces_of_.size() == program_room::spaces;
    if (full_) return 0;
    const auto number = static_cast<unsigned>(spaces_of_.size());
    unsigned like = 0;
    while (like < number && !(spaces_of_[like].extents == extents)) ++like;
    const refinement* const finer = find_refinement(refined_, extents);
    spaces_of_.push_back({extents, reduced, finer, how});
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
  unsigned whole(unsigned space, bool stored = false) {
    context c;
    c.space = space;
    c.stored = stored;
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

  // A scan's axis is gone along in one piece.
  void keep_whole(const sinter::shape& s) {
    if (std::find(kept_whole_.begin(), kept_whole_.end(), s) != kept_whole_.end()) return;
    kept_whole_.push_back(s);
    refining_ = forget_refinement(refined_, s);
  }

  // ---- values that follow from indices

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
    detail::scalar_bits bits;
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

  // `extent`: 0 of the first axis, which ends where the position does.
  ref digit(ref position, std::int64_t behind, std::int64_t extent) {
    if (behind == 1 && extent == 0) return position;
    out_->words.push_back(digit_word::make(behind != 1, extent != 0).bits);
    out_->words.push_back(position.bits);
    if (behind != 1) add_scalar(behind);
    if (extent != 0) add_scalar(extent);
    return new_value(dtype::int64);
  }

  // ---- reshapes

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
    const std::size_t first = digits_.size();
    std::int64_t behind = 1;
    bool first_above = false;
    for (int d = g.to.last - 1; d >= g.to.first; --d) {
      const std::int64_t n = inner.extents[d];
      if (n == 1) continue;
      first_above = false;
      for (int e = g.to.first; e < d; ++e) first_above = first_above || inner.extents[e] != 1;
      const ref index = digit(position, behind, first_above ? n : 0);
      digits_.push_back({index, position, behind, first_above});
      inner.map[d] = computed(index);
      behind *= n;
    }
    if (digits_.size() - first < 2) digits_.resize(first);  // it is the position itself
  }

  // ---- operands

  void lives_on(runtime::device_impl* device) {
    if (!out_->device) out_->device = device;
    else if (out_->device != device) out_->other_device = device;
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
    const unsigned index = number_of(o, in.space);
    const ref::kind what = o.iota ? ref::iota : o.boundary >= 0 ? ref::result : ref::array;
    const bool loads = o.indexed || !steps_.empty();
    ref r = o.boundary < 0 ? ref::make(what, o.type, index, 0, in.identity)
                           : ref::make(what, o.type, index, static_cast<unsigned>(o.boundary), in.identity,
                                       !loads && is_own_row(out_->boundaries[static_cast<std::size_t>(o.boundary)], o));
    if (!loads) return r;
    if (o.indexed) r = r.as_place();
    return load(r, guarded ? in.guard : ref::none());
  }

  // The number of an operand that has been laid out.
  unsigned number_of(const operand& o, unsigned space) {
    std::vector<operand>& all = out_->operands;
    const std::uint64_t h = hash_of(o);
    const int number = operand_at_.find(h, [&](unsigned i) { return same(all[i], o); });
    if (const auto known = static_cast<unsigned>(number); number >= 0) {
      if (o.from != all[known].from) out_->met.push_back({known, o.from});
      return known;
    }
    operand_at_.insert(h, all.size());
    all.push_back(o);
    takes(0, argument_bytes_of(space));
    return static_cast<unsigned>(all.size() - 1);
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
      const bool kept = b.by != maker::fold || (folded.reduced >> d & 1) == 0;
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
      if (m.is_computed()) add_step(steps_, computed_[static_cast<std::size_t>(m.computed())], m.step * strides[d]);
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
    if (!digits_.empty()) join_digits(digits_, steps_);
    return strays;
  }

  resolution* out_ = nullptr;
  program_room room_;
  // What a space was asked for as; its axes may be parts of those.
  struct asked_space {
    sinter::shape extents;
    std::uint32_t reduced;
    const refinement* finer;
    lie how;
  };
  static constexpr int most_computed = 32'000;
  std::vector<asked_space> spaces_of_;
  refinements refined_;
  std::vector<sinter::shape> kept_whole_;  // shapes whose axes are not cut
  std::vector<ref> computed_;              // indices, by number
  std::vector<digit_of> digits_;
  std::vector<indexed_step> steps_;  // of the operand at hand
  std::vector<context> contexts_;
  number_table context_at_, operand_at_, computed_at_;
  unsigned values_ = 0;
  std::size_t operations_ = 0, argument_bytes_ = 0;
  bool full_ = false, refining_ = false;
};

}  // namespace sinter::codegen
