// Rows of a map as stretches: between the places where a comparison of the position changes, as where one array of a join ends, what is
// loaded lies side by side, or is not there at all.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/ir/kernel.hpp"

namespace sinter::codegen {

/// A load that needs to be asked once for a stretch where it is.
struct settled_load {
  std::uint16_t value;
  bool moves;  // by one element from point to point; else it is one element
};

struct stretches {
  std::vector<std::uint16_t> borders;  // values that compare the position along the fastest axis
  std::vector<settled_load> loads;
};
stretches stretches_of(const kernel&, const variant&);

}  // namespace sinter::codegen
