// How row kernels are shared out.
#pragma once

#include "runtime/launch/launch.hpp"

namespace sinter::runtime {

/// What the choice between one kernel and several aims at on a GPU. Benchmarks try other values, each on a thread of its own.
struct row_preferences {
  std::int64_t row = 32'768;  // elements of the longest row that a block is given where there are few rows
  // Rows of the longest column of which a block folds as many side by side as make whole sectors; a quarter where there is more
  // than one state to fold, since then two kernels are faster.
  std::int64_t column = 1'024;
};
inline thread_local row_preferences fusing;

/// Does it pay to fold rows and to use the results in one kernel, instead of in `more` kernels more? By the shape, the order of
/// axes in memory and the target alone.
bool rows_pay(const codegen::step&, std::size_t more, const codegen::resolution&, const target&);

/// The most that a thread keeps of an element between two stages of a row. Units: bytes.
int bytes_kept(const codegen::kernel&, codegen::variant, codegen::dialect);

/// Chooses the schedule of a bound row kernel, which becomes a part of its variant, and its geometry.
layout share_out_rows(const codegen::kernel&, binding&, const target&);

}  // namespace sinter::runtime
