// Stores at computed positions, of which several may be the same: the last one counts, as if they were done in order.
#pragma once

#include <string>

namespace sinter::codegen {

/// The steps of such a store, each a launch over all positions: every element that is stored into is put up, the last to want
/// it gets it, and writes.
enum class scatter_step : int { put_up, bid, write };

/// The kernel's arguments, as the block has them. `winner` has an element for each of the target's, of any value.
struct scatter_arguments {
  void* out;
  const long long* at;  // in elements
  const void* values;
  long long* winner;
  long long count;
  int step;
};

/// In CUDA C++, for elements of so many bytes.
std::string scatter_text(int element_size);

}  // namespace sinter::codegen
