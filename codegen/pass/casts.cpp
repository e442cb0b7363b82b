// Explicit casts. The dtypes come from the rules of ops.def, which the types of expressions obey too.
#include "codegen/pass/casts.hpp"

namespace sinter::codegen {

using namespace detail;

std::uint16_t cast_to(program& p, std::uint16_t v, dtype to) {
  if (p.values[v].type == to) return v;
  return p.add({value_kind::cast, to, op::add, {v, 0, 0}, 0});
}

std::uint16_t apply(program& p, op code, const std::uint16_t* operands, int count) {
  const rule r = facts(code).of;
  const int first = r == rule::choice ? 1 : 0;
  dtype types[3] = {};
  for (int i = 0; i < count; ++i) types[i] = p.values[operands[i]].type;
  const dtype computed = compute_dtype(r, promote(types + first, count - first));
  value v{value_kind::apply, result_dtype(r, computed), code, {}, 0};
  for (int i = 0; i < count; ++i) v.args[i] = cast_to(p, operands[i], i < first ? dtype::bool_ : computed);
  return p.add(v);
}

}  // namespace sinter::codegen
