// Random programs. In one build equal seeds and options write equal programs.
#pragma once

#include <cstdint>

#include "test/fuzz/program.hpp"

namespace sinter::fuzz {

struct generate_options {
  int least_steps = 2, most_steps = 12;
  std::int64_t most_elements = 3000;
  bool special = true;  // functions of namespace special among the operations
  bool whole = false;   // mostly of whole numbers, of which few operations round the result
};

/// A valid program.
program generate(std::uint64_t seed, const generate_options& = {});

}  // namespace sinter::fuzz
