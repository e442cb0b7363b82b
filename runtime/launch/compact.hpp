// Launches of what keeps the elements that a mask is true for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/device/device.hpp"

namespace sinter::runtime {

/// What is kept: of `count` elements those whose byte of the mask is not 0, of which there are `found`, in their order.
struct compacted {
  const void* mask;
  const void* from;  // elements of `size` bytes, aligned to as many; null: their places are made, int64
  void* to;
  std::int64_t count, found;
  int size;
};

/// Bytes that it needs beside its operands, of any value. Never 0.
std::size_t compact_notes(const compacted&);
/// Keeps them, on a GPU. `notes`: as many bytes, aligned to 8. Errors: `compile_error`, `out_of_memory`. Stream behaviour: enqueued,
/// does not wait.
void compact(const compacted&, void* notes, stream_state& on);

}  // namespace sinter::runtime
