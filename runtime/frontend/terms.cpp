#include "runtime/frontend/terms.hpp"

#include <mutex>
#include <unordered_map>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"

namespace sinter::runtime {

using namespace detail;

namespace {

constexpr std::size_t most_operands = 3;

// The constant table of one operation over nodes and numbers of given dtypes, beside the plan that it had last.
struct operation_table {
  instruction code[most_operands + 1];
  fragment table;
  void* last_plan = nullptr;

  operation_table(instruction what, const term* operands, std::size_t count) {
    std::uint16_t nodes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      code[i] = {operands[i].is_number() ? instruction::take_scalar : instruction::take_node, operands[i].type()};
      nodes = static_cast<std::uint16_t>(nodes + !operands[i].is_number());
    }
    code[count] = what;
    const int length = static_cast<int>(count) + 1;
    table = {
        code,       static_cast<std::uint16_t>(length), nodes, static_cast<std::uint16_t>(count - nodes), what.type,
        &last_plan, count_scalar_powers(code, length)};
  }
};

// Found again by its code, and never freed, like all tables that expressions point to.
const fragment& table_of(instruction what, const term* operands, std::size_t count) {
  std::uint64_t key = what.code | std::uint64_t{static_cast<std::uint8_t>(what.type)} << 8;
  for (std::size_t i = 0; i < count; ++i)
    key |= (static_cast<std::uint64_t>(operands[i].type()) | std::uint64_t{operands[i].is_number()} << 7)
           << (16 + 8 * i);
  static std::mutex making;
  static auto* const all = new std::unordered_map<std::uint64_t, operation_table*>;
  const std::lock_guard lock(making);
  operation_table*& found = (*all)[key];
  if (!found) found = new operation_table(what, operands, count);
  return found->table;
}

// The node of an operation over operands, whose numbers are of the dtypes they are taken as.
term node_of(instruction what, const term* operands, std::size_t count) {
  handle held[most_operands];
  node* nodes[most_operands];
  scalar_bits numbers[most_operands];
  std::size_t taken = 0, scalars = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (operands[i].is_number()) {
      numbers[scalars++] = operands[i].bits_as(operands[i].type());
    } else {
      held[taken] = operands[i].held();
      nodes[taken] = held[taken].get();
      ++taken;
    }
  }
  term result = term::made(make_expression({&table_of(what, operands, count), nodes, numbers}));
  for (handle& h : held) h.take();  // they are the node's now
  return result;
}

outcome outcome_over(op o, const term* t, std::size_t count) {
  switch (count) {
    case 1: return outcome_of(o, {t[0].weight()});
    case 2: return outcome_of(o, {t[0].weight(), t[1].weight()});
    default: return outcome_of(o, {t[0].weight(), t[1].weight(), t[2].weight()});
  }
}

// A number among operands becomes one of the dtype that is computed in.
term as_operand(const term& t, dtype computed) {
  return t.is_number() ? term::of_bits(computed, t.bits_as(computed)) : t;
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
  const term none(false);
  term taken[most_operands] = {none, none, none};
  for (std::size_t i = 0; i < operands.size(); ++i) taken[i] = as_operand(operands.begin()[i], out.computed);
  return node_of({static_cast<std::uint8_t>(o), out.result}, taken, operands.size());
}

term astype(const term& t, dtype to) {
  if (t.is_number()) return term::of_bits(to, t.bits_as(to));
  return t.type() == to ? t : node_of({instruction::cast, to}, &t, 1);
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

term taken(const term& of, const term& indices, int axis) {
  return term::made(make_take(of.get(), indices.get(), axis));
}

}  // namespace sinter::runtime
