// How a fold is shared out over a device.
#pragma once

#include "codegen/source/geometry.hpp"
#include "runtime/launch/bind.hpp"
#include "runtime/launch/launch.hpp"

namespace sinter::runtime {

/// What the choice aims at on a GPU. Benchmarks try other values, each on a thread of its own; with another number of blocks the
/// last bits of a sum are others, too.
struct fold_preferences {
  int blocks = codegen::fold_blocks;  // of a multiprocessor, where several share a result
  int column_blocks = 3;              // the same, where each has a tile of columns
  int turns = 4;                      // 16-byte packs that a thread asks for before it folds the first
  int resident_turns = 8;             // the same, of blocks that have registers set aside
  int stream = 64;                    // most columns that are folded as one stream
  int apart = 4;                      // columns of a thread, where neighbours read the same
};
inline thread_local fold_preferences folding;

/// Chooses the schedule of a bound fold, which becomes a part of its variant, and its geometry. The only place where either is
/// decided. What of it has a say in the order of folding follows from shapes, dtypes and the device alone.
layout share_out_fold(const codegen::kernel&, binding&, const target&);

}  // namespace sinter::runtime
