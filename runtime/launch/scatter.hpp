// Launches of stores at computed positions.
#pragma once

#include "codegen/function/scatter.hpp"
#include "runtime/device/device.hpp"

namespace sinter::runtime {

/// What a store is of: `count` values for positions among `elements`. On the host each position may be that of a run of elements, for
/// as many values, and the same values may be for all of them.
struct scattered {
  codegen::scatter_fold fold;
  dtype type;
  void* out;
  const std::int64_t* at;
  const void* values;
  std::int64_t count, elements;
  std::int64_t run = 1;
  bool repeats = false;  // the values are those of one run
};

/// May positions be those of runs?
bool scatters_runs(const device_impl&);
/// Bytes that it needs beside its operands, of any value. 0: none.
std::size_t scatter_notes(const scattered&, const device_impl&);
/// Stores. On a device whose memory is the host's it goes through the values in their order. `notes`: as many bytes. Errors:
/// `compile_error`, `out_of_memory`. Stream behaviour: enqueued, does not wait.
void scatter(const scattered&, void* notes, stream_state& on);

}  // namespace sinter::runtime
