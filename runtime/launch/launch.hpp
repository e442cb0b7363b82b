// Launching a bound step: geometry, scratch for partial results, the argument block, the device's launch.
#pragma once

#include "runtime/launch/bind.hpp"
#include "runtime/launch/plan.hpp"

namespace sinter::runtime {

/// Launches a step. `scalars`: of the resolution. Sets `compiled` where the kernel was not at hand. Errors: `compile_error`,
/// `out_of_memory`, `device_error`. Stream behaviour: enqueued on `on`, after what other streams do to the operands.
void launch(compiled_step&, binding&, const codegen::resolution&, stream_state& on, bool& compiled);

}  // namespace sinter::runtime
