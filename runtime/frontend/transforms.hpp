// What transforms along axes have in common: how many points, of which dtype.
#pragma once

#include <sinter/fft.hpp>

#include "runtime/frontend/terms.hpp"

namespace sinter::runtime {

/// The complex dtype in which elements are transformed.
dtype complex_for(dtype);

/// The axes of a transform and the points along each.
struct transform_domain {
  int count = 0;
  int axes[max_rank];
  std::int64_t points[max_rank];
};
/// `lengths`: as many as axes, or none; -1: as many as there are. `to_real`: the last axis has half of its points. Errors: `shape_error`.
transform_domain domain_of(const term&, const fft::lengths&, const detail::axis_list&, bool to_real);

/// So many elements along an axis: the first ones, or all of them and zeros.
term fitted(const term&, int axis, std::int64_t length);

}  // namespace sinter::runtime
