// How row kernels are shared out.
#pragma once

#include "runtime/launch/launch.hpp"

namespace sinter::runtime {

/// Does it pay to fold rows and to use the results in one kernel? By the shape and the target alone.
bool rows_pay(const codegen::space& rows, const target&);

/// The most that a thread keeps of an element between two stages of a row. Units: bytes.
int bytes_kept(const codegen::kernel&, codegen::variant, codegen::dialect);

/// Chooses the schedule of a bound row kernel, which becomes a part of its variant, and its geometry.
layout share_out_rows(const codegen::kernel&, binding&, const target&);

}  // namespace sinter::runtime
