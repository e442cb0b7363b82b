// What the walk of resolve.cpp makes memory of though no reduction asks for it: what takes long and is used more than once, and what
// only moves elements and is folded (decisions 0029 and 0048); and which calls kernels make themselves.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "codegen/ir/calls.hpp"
#include "codegen/ir/met.hpp"
#include "codegen/ir/places.hpp"
#include "codegen/ir/work.hpp"

namespace sinter::codegen {

class keeping : protected places {
 protected:
  // A node whose children are being walked. Each child leaves its ref on the stack of refs; the node replaces them by its own.
  struct frame {
    const detail::typed_node* n;
    unsigned context;
    bool remembered;
    bool again;           // it, or what it is under, has been met before
    unsigned inner = 0;   // of what becomes memory: the context it is walked in
    int next = 0;         // child
    bool stores = false;  // the node itself becomes memory
    fourier transform = fourier::none;
  };
  // Is an expression so much work that memory costs less than to compute it at every point that uses it? Where it repeats along
  // axes of its user, or where a node is used through several views.
  bool is_stored(const detail::expression_node* e, const frame& f) {
    const context& in = contexts_[f.context];
    if (in.stored || !in.guard.is_none()) return false;
    const std::int64_t elements = e->extents.elements();
    constexpr std::int64_t worth_a_kernel = 512;  // elements less to compute
    if (elements < 2 || out_->spaces[in.space].extents.elements() < worth_a_kernel) return false;
    const std::int64_t points = evaluations(e, in);
    if (points < worth_a_kernel) return false;
    if (points - elements < worth_a_kernel || points < 2 * elements) {
      if (2 * elements > 3 * points || !is_used_again(e, f)) return false;
    }
    return takes_long(e) && lives_where_work_is_kept(e);
  }

  // How often a kernel computes elements of a node: at every point, or, where they stay the same along the last axes and these
  // make a loop, before that.
  std::int64_t evaluations(const detail::expression_node* n, const context& in) const {
    const sinter::shape& domain = out_->spaces[in.space].extents;
    int end = 0;
    for (int d = 0; d < n->extents.size(); ++d) {
      const axis_map m = driven(in, n->extents, d);
      if (m.is_computed()) end = domain.size();
      else if (m.axis >= 0) end = std::max(end, m.axis + m.run);
    }
    constexpr std::int64_t loop = 64;
    std::int64_t before = 1, within = 1;
    for (int d = 0; d < domain.size(); ++d) (d < end ? before : within) *= domain[d];
    return within < loop || !leaves_loops(n) ? before * within : before;
  }

  // Has the node been met in another context of the same space? Then all of its uses are walked anew.
  bool is_used_again(const detail::expression_node* e, const frame& f) {
    if (is_noted(e)) return true;
    const met_nodes::meeting* const before = f.remembered ? met_.latest(e) : nullptr;
    if (!before) return false;
    const context &in = contexts_[f.context], &other = contexts_[before->context];
    if (other.space != in.space || other.stored || !other.guard.is_none()) return false;
    if (3 * evaluations(e, other) < 2 * e->extents.elements()) return false;
    if (!takes_long(e) || !lives_where_work_is_kept(e)) return false;
    return note(e);
  }

  // Nodes whose uses are all to read memory, though one of them has been walked already: the walk begins again.
  bool is_noted(const detail::node* n) const {
    return std::find(used_again_.begin(), used_again_.end(), n) != used_again_.end();
  }
  bool note(const detail::node* n) {
    used_again_.push_back(n);
    return refining_ = true;
  }

  // Is a node folded or scanned that only moves elements? In a map of its own they are vectors, and lie as they are read.
  bool is_moved(const frame& f) {
    const bool is_again = is_noted(f.n);
    const context& in = contexts_[f.context];
    constexpr std::int64_t worth_a_kernel = 512;
    if (in.stored || !in.guard.is_none() || f.n->extents.elements() < worth_a_kernel) return false;
    const codegen::space& domain = out_->spaces[in.space];
    if (!is_again && (domain.reduced == 0 || domain.extents.elements() != f.n->extents.elements())) return false;
    if (!is_again && itemsize(f.n->type) >= 4 && lies_beside_columns(domain)) return false;
    if (!moves_elements(f.n) || !ways_->keeps_work(device_below(f.n))) return false;
    return (is_again || !f.remembered || !met_.latest(f.n)) || note(f.n);
  }

  // Would many rows that are folded gather the same elements, none of which lies beside another, as those of a column?
  bool is_gathered(const detail::array_node* a, unsigned in) const {
    constexpr std::int64_t fewest = 64, worth_a_kernel = 16;  // elements; rows
    const context& c = contexts_[in];
    const codegen::space& domain = out_->spaces[c.space];
    if (a->contiguous || domain.reduced == 0 || c.stored || !c.guard.is_none()) return false;
    const std::int64_t elements = a->extents.elements();
    if (elements < fewest || domain.extents.elements() < worth_a_kernel * elements) return false;
    const int nearest = nearest_axis(a);
    if (nearest < 0 || std::llabs(a->strides[nearest]) == 1) return false;
    const axis_map along = driven(c, a->extents, nearest);
    return along.axis >= 0 && (domain.reduced >> along.axis & 1) && ways_->keeps_work(place_of(*a).device);
  }

  // Folds of one domain whose elements lie otherwise are not for one kernel, if they are many: one of them would be gone along badly. What
  // a launch costs a GPU is more of those.
  lie lie_of(const detail::typed_node* child, std::uint32_t reduced) const {
    constexpr std::int64_t many = 1 << 14, many_of_gpu = 1 << 21;
    const std::int64_t elements = child->extents.elements();
    if (!ways_ || elements < many || (elements < many_of_gpu && !ways_->keeps_work(device_below(child))))
      return lie::any;
    const int axis = next_along(child);
    return axis < 0 ? lie::any : reduced >> axis & 1 ? lie::along : lie::across;
  }

  // Is an array as it lies computed with what is walked, in columns that are folded? Then they are gone along as they lie anyway.
  bool lies_beside_columns(const codegen::space& domain) const {
    if (domain.reduced >> (domain.extents.size() - 1) & 1) return false;
    for (const frame* above = frames_.end() - 1;
         above-- != frames_.begin() && above->n->kind == detail::node_kind::expression;)
      for (int i = 0; i < child_count(above->n); ++i) {
        const detail::typed_node* const beside = child(above->n, i);
        if (beside->kind == detail::node_kind::array && beside->extents.elements() == domain.extents.elements())
          return true;
      }
    return false;
  }

  // What is made of positions alone a map computes once for all rows by itself, if it leaves loops.
  bool lives_where_work_is_kept(const detail::expression_node* e) const {
    const runtime::device_impl* const on = device_below(e);
    return (on || !leaves_loops(e)) && ways_->keeps_work(on);
  }

  // ---- calls that kernels make themselves

  // Asked again once the operand has been walked.
  bool is_transform(frame& f) const {
    if (f.transform != fourier::none) return true;
    const detail::call_node* const c = ways_ && f.next == 0 ? call_of(f.n) : nullptr;
    if (!c || !has_work_around(f, *c) || !is_asked_once(f, *c) || is_long_column(f, *c)) return false;
    const runtime::device_impl* const on = out_->device ? out_->device : device_below(c);
    if (on) f.transform = ways_->transforms(*c, *on);
    return f.transform != fourier::none;
  }

  // A call alone reads and writes what a kernel would.
  bool has_work_around(const frame& f, const detail::call_node& c) const {
    const detail::typed_node* const operand = child(&c, 0);
    if (operand->kind != detail::node_kind::array || !static_cast<const detail::array_node*>(operand)->contiguous)
      return true;
    return f.n != &c || std::any_of(frames_.begin(), frames_.end() - 1, [](const frame& above) {
             return above.n->kind != detail::node_kind::expression ||
                    !changes_nothing(*static_cast<const detail::expression_node*>(above.n));
           });
  }

  // Where anything between the root and a call has another owner, the call's result is kept for that one.
  bool is_asked_once(const frame& f, const detail::call_node& c) const {
    const frame* const first = frames_.begin() + (ways_->only_looks ? 1 : 0);
    return (f.n == &c || has_one_owner(c)) &&
           std::all_of(first, frames_.end(), [](const frame& at) { return has_one_owner(*at.n); });
  }

  // Of rows across memory a block has as many side by side as make sectors. Of long ones it has registers for too few: they are turned
  // by the kernels around a call at less cost.
  bool is_long_column(const frame& f, const detail::call_node& c) const {
    constexpr std::int64_t longest = 128;  // points
    const frame* const of = f.n == &c && frames_.size() > 1 ? &f - 1 : &f;
    return of->n->kind == detail::node_kind::view && turns_rows(*static_cast<const detail::view_node*>(of->n)) &&
           c.extents[c.extents.size() - 1] > longest;
  }

  const device_ways* ways_ = nullptr;
  std::vector<const detail::node*> used_again_;
  buffer<frame> frames_;
  met_nodes met_;
};

}  // namespace sinter::codegen
