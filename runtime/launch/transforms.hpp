// How transforms are shared out.
#pragma once

#include "runtime/launch/launch.hpp"

namespace sinter::runtime {

/// Chooses the schedule of a bound transform, which becomes a part of its variant, and its geometry. Only a GPU has such kernels.
layout share_out_transform(const codegen::kernel&, binding&, const target&);

}  // namespace sinter::runtime
