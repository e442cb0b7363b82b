// Explicit casts. The dtypes come from the rules of ops.def, which the types of expressions obey too.
#include "codegen/pass/casts.hpp"

namespace sinter::codegen {

using namespace detail;

namespace {

bool chooses_scalars(const program& p, const value& v) {
  return v.kind == value_kind::apply && v.code == op::where && p.values[v.args[1]].kind == value_kind::scalar &&
         p.values[v.args[2]].kind == value_kind::scalar;
}

}  // namespace

// A choice of two scalars is one of two that are cast before any point is computed, and as narrow as its user.
std::uint16_t cast_to(program& p, std::uint16_t v, dtype to) {
  if (p.values[v].type == to) return v;
  if (const value from = p.values[v]; chooses_scalars(p, from)) {
    const std::uint16_t a = cast_to(p, from.args[1], to), b = cast_to(p, from.args[2], to);
    return p.add({value_kind::apply, to, op::where, {from.args[0], a, b}, 0});
  }
  return p.add({value_kind::cast, to, op::add, {v, 0, 0}, 0});
}

namespace {

// An operand that has no name is not rounded to the 16 bits that it would be stored in, but in strict mode.
std::uint16_t operand_as(program& p, std::uint16_t v, dtype to) {
  if (p.rounds_each) return cast_to(p, v, to);
  for (const auto& [rounded, wide] : p.unrounded)
    if (rounded == v && p.values[wide].type == to) return wide;
  return cast_to(p, v, to);
}

}  // namespace

std::uint16_t apply(program& p, op code, const std::uint16_t* operands, int count) {
  const rule r = facts(code).of;
  const int first = r == rule::choice ? 1 : 0;
  dtype types[3] = {};
  for (int i = 0; i < count; ++i) types[i] = p.values[operands[i]].type;
  const dtype computed = compute_dtype(r, promote(types + first, count - first));
  const dtype wide = computed_in(code, computed), given = result_dtype(r, computed);
  value v{value_kind::apply, result_dtype(r, wide), code, {}, 0};
  for (int i = 0; i < count; ++i)
    v.args[i] = i < first ? cast_to(p, operands[i], dtype::bool_) : operand_as(p, operands[i], wide);
  const std::uint16_t made = p.add(v);
  if (v.type == given) return made;
  p.unrounded.emplace_back(cast_to(p, made, given), made);
  return p.unrounded.back().first;
}

}  // namespace sinter::codegen
