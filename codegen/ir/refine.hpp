// Reshapes without arithmetic. Two shapes of the same elements are often made of the same parts: axes of one are runs of parts,
// and so are the other's. A loop over the parts reads both with strides.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/ir/node.hpp"

namespace sinter::codegen {

/// Axes [first, last).
struct axis_range {
  int first, last;
};

/// Neighbouring axes of two shapes that hold the same elements; as few as do.
struct regrouping {
  axis_range from, to;
  bool is_one_to_one() const { return from.last - from.first == 1 && to.last - to.first == 1; }
};
struct regroupings {
  int count = 0;
  regrouping groups[max_rank];
  const regrouping* begin() const { return groups; }
  const regrouping* end() const { return groups + count; }
};
/// Of shapes with the same number of elements, other than 0. Axes of one element are in no group, or anywhere in one.
regroupings regroup(const sinter::shape& from, const sinter::shape& to);

/// The axes of `space` by which the axes `of` of a shape are driven, if these follow each other there as they do in the shape,
/// each whole and in steps of one.
std::optional<axis_range> consecutive(const sinter::shape& space, const sinter::shape& s, const detail::axis_map* maps,
                                      axis_range of);

/// Where axes of a space are to be cut: the outermost part of what is left of each comes first.
class cuts {
 public:
  bool empty() const { return count_ == 0; }
  int count() const { return count_; }
  /// False where there are more than a space can have.
  bool add(int axis, std::int64_t outer);
  /// The parts of `s`, and where the parts of each of its axes begin.
  sinter::shape applied(const sinter::shape& s, std::int8_t* begins) const;

 private:
  struct cut {
    int axis;
    std::int64_t outer;
  };
  int count_ = 0;
  cut at_[max_rank];
};

/// The cuts after which each of the axes `of` a shape is a run of parts of `parts`, axes of a space with the same elements.
/// False: there are none.
bool common_cuts(const sinter::shape& space, axis_range parts, const sinter::shape& s, axis_range of, cuts& where);
/// Where no cuts are needed: the runs.
void assign_runs(const sinter::shape& space, axis_range parts, axis_range of, const sinter::shape& s,
                 detail::axis_map* maps);

/// A space of shape `of` whose axes are cut into parts.
struct refinement {
  sinter::shape of, axes;
  std::int8_t begins[max_rank + 1];  // by axis of `of`: its first part; then, their number

  detail::axis_map map_of(int d) const;
  /// A bit for each part of the axes that have one.
  std::uint32_t spread(std::uint32_t mask) const;
};
using refinements = std::vector<refinement>;

const refinement* find_refinement(const refinements&, const sinter::shape& of);
/// Cuts the axes of spaces of a shape, which are `now`, further.
void refine(refinements&, const sinter::shape& of, const sinter::shape& now, const cuts&);
/// Leaves the axes of spaces of a shape whole again. False: they were.
bool forget_refinement(refinements&, const sinter::shape& of);

}  // namespace sinter::codegen
