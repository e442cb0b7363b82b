// Rows of a map as stretches: between the places where a comparison of the position changes, as where one array of a join ends, what is
// loaded lies side by side, or is not there at all.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/ir/kernel.hpp"

namespace sinter::codegen {

/// A load that needs to be asked once for a stretch where it is.
struct settled_load {
  enum class goes : std::uint8_t {
    nowhere,
    by_one,
    by_stride,  // the operand's
    by_a_step   // found where the stretch begins
  };            // from point to point
  std::uint16_t value;
  goes along;
};

struct stretches {
  std::vector<std::uint16_t> borders;  // values that compare the position along the fastest axis
  std::vector<settled_load> loads;
};
stretches stretches_of(const kernel&, const variant&);

}  // namespace sinter::codegen
