#include "runtime/frontend/terms.hpp"

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>

#include "runtime/frontend/applied.hpp"
#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"

namespace sinter::runtime {

using namespace detail;

namespace {

outcome outcome_over(op o, const term* t, std::size_t count) {
  switch (count) {
    case 1: return outcome_of(o, {t[0].weight()});
    case 2: return outcome_of(o, {t[0].weight(), t[1].weight()});
    default: return outcome_of(o, {t[0].weight(), t[1].weight(), t[2].weight()});
  }
}

// A number among operands becomes one of the dtype that is computed in.
applied_operand as_operand(const term& t, dtype computed) {
  return t.is_number() ? applied_operand(computed, t.bits_as(computed)) : applied_operand(t.get());
}

}  // namespace

scalar_bits term::bits_as(dtype to) const {
  if (to == type_) return bits_;
  union {
    scalar_bits bits;
    std::int8_t i8;
    std::int16_t i16;
    std::int32_t i32;
  } result = {};
  convert_number(to, type_, bits_, &result);
  switch (to) {  // small integers are kept as wide ones
    case dtype::int8: result.bits.as_signed = result.i8; break;
    case dtype::int16: result.bits.as_signed = result.i16; break;
    case dtype::int32: result.bits.as_signed = result.i32; break;
    default: break;
  }
  return result.bits;
}

term apply(op o, std::initializer_list<term> operands) {
  const outcome out = outcome_over(o, operands.begin(), operands.size());
  if (out.why != fault::none)
    throw dtype_error(message("sinter: %s does not take %s", facts(o).name, name(operands.begin()->type())).c_str());
  const auto taken = [&](std::size_t i) { return as_operand(operands.begin()[i], out.computed); };
  switch (operands.size()) {
    case 1: return term(apply(o, {taken(0)}));
    case 2: return term(apply(o, {taken(0), taken(1)}));
    default: return term(apply(o, {taken(0), taken(1), taken(2)}));
  }
}

term astype(const term& t, dtype to) {
  if (t.is_number()) return term::of_bits(to, t.bits_as(to));
  return term(cast(t.held(), to));
}

term number_node(const term& number, dtype type) { return term::made(make_number(type, number.bits_as(type))); }

term term::along(int axis, const slice& of) const {
  index_item items[max_rank];
  for (int d = 0; d < axis; ++d) items[d] = to_index(_);
  items[axis] = to_index(of);
  return made(make_view(get(), items, axis + 1));
}

term term::at(int axis, std::int64_t index) const { return made(make_take_one(get(), index, axis)); }

term term::with_axis(int before) const {
  index_item items[max_rank];
  for (int d = 0; d < before; ++d) items[d] = to_index(_);
  items[before] = to_index(newaxis);
  require_one_axis_more(extents(), "a new axis");
  return made(make_view(get(), items, before + 1));
}

term fold(reduction what, const term& of, const axis_list& axes, bool keepdims) {
  return fold(what, of, axes, keepdims, reduced_dtype(what, of.type()));
}
term fold(reduction what, const term& of, const axis_list& axes, bool keepdims, dtype type) {
  return term::made(make_reduction(of.held(), what, type, axes, keepdims));
}

term index_of(const shape& s, int axis) { return term::made(index_along(s, axis).release_node()); }

term joined(std::initializer_list<term> parts, int axis) {
  node* nodes[8];
  std::size_t count = 0;
  for (const term& part : parts) nodes[count++] = part.get();
  return term::made(make_joined(nodes, count, axis));
}

term taken(const term& of, const term& indices) {
  view_maker v(of.get(), indices.extents());
  v.compute(0, indices.held(), false);
  return term::made(v.made());
}

}  // namespace sinter::runtime
