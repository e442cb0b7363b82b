// The interpreter's steps as loops over short arrays, found by operation and dtype. interpret.cpp calls them; the loops
// are made from ops.def in the interpret_ops_*.cpp, a few dtypes each. Invariant: every pair that verify() accepts is
// found.
#pragma once

#include "codegen/ir/kernel.hpp"

namespace sinter::codegen {

/// args[i][k] and out[k] for k < count are elements of the dtypes the operation takes and gives.
using apply_loop = void (*)(const void* const args[3], void* out, int count);
using cast_loop = void (*)(const void* in, void* out, int count);

/// By member of a reduction's state: total[m] is one element, in[m] are count.
struct fold_step {
  void (*start)(void* const total[2]);                                     // what it is before anything is folded
  void (*fold)(void* const total[2], const void* const in[2], int count);  // folds the elements in, in order
  /// Of a state that is one element: the same, and writes what it comes to at each; `first`: there is no total before.
  void (*scan)(void* total, const void* in, void* out, int count, bool first);
};

/// Of a text: what compiling codegen::interpreted_text gives. arguments[a] are elements from the first point on, or of a raw
/// parameter where its array is.
using call_loop = void (*)(const void* const* arguments, void* out, int count, int result);

/// The loop of an operation computed in `computed`; null if it is not there for that dtype.
apply_loop find_apply(op, dtype computed);
cast_loop find_cast(dtype to, dtype from);
fold_step find_fold(reduction, dtype);

}  // namespace sinter::codegen
