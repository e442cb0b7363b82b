// Plain numbers: one element of what the interpreter computes in loops. Invariant: f(x) of a number is the element that f
// gives of an array of it on that device, and so NumPy's value.
#include <bit>

#include <sinter/detail/seam.hpp>

#include "codegen/ir/interpret_ops.hpp"

namespace sinter::detail {

// A scalar's bits are read as what they hold, whose first byte is theirs.
static_assert(std::endian::native == std::endian::little);

void compute_numbers(op code, dtype computed, const scalar_bits* operands, std::size_t count, void* result) {
  const void* args[3] = {};
  for (std::size_t i = 0; i < count; ++i) args[i] = &operands[i];
  codegen::find_apply(code, computed)(args, result, 1);
}

void convert_number(dtype to, dtype from, const scalar_bits& value, void* result) {
  codegen::find_cast(to, from)(&value, result, 1);
}

}  // namespace sinter::detail
