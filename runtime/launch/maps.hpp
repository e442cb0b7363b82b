// How a map is shared out over a device.
#pragma once

#include "runtime/launch/bind.hpp"
#include "runtime/launch/launch.hpp"

namespace sinter::runtime {

/// What the choice aims at on a GPU. Benchmarks try other values, each on a thread of its own.
struct map_preferences {
  int pack = 16;         // bytes of an access
  int under_way = 16;    // bytes of an operand that a thread has asked for before it stores
  int across = 1024;     // bytes of a row that a block covers where it covers several rows
  bool mirrored = true;  // a tile and its mirror image are one block's, which reads both once
  int tile = 0;          // elements of a tile's side: 32 or 64; 0: as the operands lie
};
inline thread_local map_preferences preferences;

/// Chooses the schedule of a bound map, which becomes a part of its variant, and its geometry. The only place where either is
/// decided: from the kernel, from where its operands lie, and from the device. May put the axes into another order.
layout share_out_map(const codegen::kernel&, binding&, const target&);

}  // namespace sinter::runtime
