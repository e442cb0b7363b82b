// Launches of counts of positions.
#pragma once

#include <cstdint>

#include <sinter/dtype.hpp>

#include "runtime/device/device.hpp"

namespace sinter::runtime {

/// What is counted: `count` positions of an integer dtype among `elements`, each added to its element of `out`. Those that are no
/// element's are not counted.
struct position_counts {
  dtype type;
  const void* at;
  std::int64_t* out;
  std::int64_t count, elements;
};

/// Counts, on a GPU or on the CPU by its kernels' threads. Errors: `compile_error`, `out_of_memory`. Stream behaviour: enqueued,
/// does not wait.
void count_positions(const position_counts&, stream_state& on);

}  // namespace sinter::runtime
