// Plain numbers: one element of what the interpreter computes in loops. Invariant: f(x) of a number is the element that f
// gives of an array of it on that device, and so NumPy's value.
#include <bit>
#include <iterator>
#include <new>

#include <sinter/detail/seam.hpp>

#include "codegen/ir/interpret_ops.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"

namespace sinter::detail {

// A scalar's bits are read as what they hold, whose first byte is theirs.
static_assert(std::endian::native == std::endian::little);

void compute_numbers(op code, dtype computed, const scalar_bits* operands, std::size_t count, void* result) {
  const void* args[3] = {};
  scalar_bits wide[3], found;
  const dtype in = computed_in(code, computed), given = result_dtype(facts(code).of, in);
  const bool widens = in != computed;
  for (std::size_t i = 0; i < count; ++i) {
    if (widens) codegen::find_cast(dtype::float32, computed)(&operands[i], &wide[i], 1);
    args[i] = widens ? &wide[i] : &operands[i];
  }
  codegen::find_apply(code, in)(args, widens ? static_cast<void*>(&found) : result, 1);
  if (widens) codegen::find_cast(result_dtype(facts(code).of, computed), given)(&found, result, 1);
}

node* make_number(dtype t, const scalar_bits& bits) try {
  struct number {
    instruction code;
    void* last_plan;
    fragment table;
  };
  constexpr std::size_t dtypes = std::size(facts_of);
  // Never freed, like all tables that expressions point to.
  static number* const all = [] {
    auto* const made = new number[dtypes];
    for (std::size_t i = 0; i < dtypes; ++i) {
      number& n = made[i];
      n.code = {instruction::take_scalar, static_cast<dtype>(i)};
      n.last_plan = nullptr;
      n.table = {&n.code, 1, 0, 1, n.code.type, &n.last_plan};
    }
    return made;
  }();
  return make_expression({&all[static_cast<std::size_t>(t)].table, nullptr, &bits});
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

void convert_number(dtype to, dtype from, const scalar_bits& value, void* result) {
  codegen::find_cast(to, from)(&value, result, 1);
}

}  // namespace sinter::detail
