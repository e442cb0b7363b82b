// Runs a kernel without compiling it: the oracle of the tests, and the device where there is no C compiler. It takes
// the same argument block as a compiled kernel. Invariant: one operation at a time, in the order of the values, each as
// scalar.hpp has it, so nothing is contracted or reordered.
#pragma once

#include <cstdint>

#include "codegen/ir/kernel.hpp"

namespace sinter::codegen {

/// Computes the points `begin` to `end` of the kept axes, counted row-major: of a map its elements, of a reduction its
/// outputs. (So they are elements where a compiled kernel for the CPU may count rows, tiles or parts.) `arguments` is
/// laid out as parameters() says. How a compiled kernel would share the work (columns, schedules) changes nothing
/// here; reduced axes are folded in row-major order. Thread-safe for points that do not overlap.
void interpret(const kernel&, const variant&, const void* arguments, std::int64_t begin, std::int64_t end);

}  // namespace sinter::codegen
