#include "runtime/frontend/terms.hpp"

#include <array>
#include <compare>
#include <map>
#include <mutex>
#include <new>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>

#include "runtime/eval.hpp"
#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/list.hpp"
#include "runtime/frontend/message.hpp"

namespace sinter::runtime {

using namespace detail;

namespace {

constexpr int most_operands = 3;

// What tells one constant table from another. Dtypes that are not there are bool.
struct operation_key {
  std::uint8_t code;
  dtype result;
  std::uint8_t count, numbers;  // bit k: operand k is a number
  std::array<dtype, most_operands> operands{};
  auto operator<=>(const operation_key&) const = default;
};

// An operation's code beside the plan that it had last.
struct operation_table {
  instruction code[most_operands + 1];
  fragment table{};
  void* last_plan = nullptr;

  explicit operation_table(const operation_key& k) {
    std::uint16_t numbers = 0;
    for (int i = 0; i < k.count; ++i) {
      const bool is_number = k.numbers >> i & 1;
      code[i] = {is_number ? instruction::take_scalar : instruction::take_node,
                 k.operands[static_cast<std::size_t>(i)]};
      numbers += is_number;
    }
    code[k.count] = {k.code, k.result};
    table = {code,
             static_cast<std::uint16_t>(k.count + 1),
             static_cast<std::uint16_t>(k.count - numbers),
             numbers,
             k.result,
             &last_plan,
             count_scalar_powers(code, k.count + 1)};
  }
};

// Never freed, like all tables that expressions point to.
const fragment& shared_table_of(const operation_key& k) try {
  static auto& all = *new std::map<operation_key, operation_table>;
  static auto& changing = *new std::mutex;
  const std::lock_guard lock(changing);
  return all.try_emplace(k, k).first->second.table;
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

// A mean is made of these as often as it is evaluated: each thread has those that it used last at hand, without a lock.
const fragment& table_of(const operation_key& k) {
  struct entry {
    operation_key key{};
    const fragment* table = nullptr;
  };
  constexpr std::size_t places = 256;
  thread_local constinit entry recent[places] = {};
  std::size_t place = k.code * 31u + static_cast<std::size_t>(k.result) * 7u + k.numbers;
  for (dtype t : k.operands) place = place * 5 + static_cast<std::size_t>(t);
  entry& mine = recent[place % places];
  if (!mine.table || mine.key != k) mine = {k, &shared_table_of(k)};
  return *mine.table;
}

// An expression of an operation, or of a cast, whose numbers are of the dtype that is computed in.
term made(std::uint8_t code, const outcome& out, std::initializer_list<term> operands) {
  operation_key k{code, out.result, static_cast<std::uint8_t>(operands.size()), 0};
  node* nodes[most_operands];
  scalar_bits numbers[most_operands];
  std::size_t at = 0, node_count = 0, number_count = 0;
  for (const term& t : operands) {
    k.operands[at] = t.is_number() ? out.computed : t.type();
    if (!t.is_number()) nodes[node_count++] = t.get();
    else k.numbers |= static_cast<std::uint8_t>(1 << at), numbers[number_count++] = t.bits_as(out.computed);
    ++at;
  }
  term expression = term::made(make_expression({&table_of(k), nodes, numbers}));
  for (std::size_t i = 0; i < node_count; ++i) retain(nodes[i]);  // it takes its operands over
  return expression;
}

outcome outcome_over(op o, const term* t, std::size_t count) {
  switch (count) {
    case 1: return outcome_of(o, {t[0].weight()});
    case 2: return outcome_of(o, {t[0].weight(), t[1].weight()});
    default: return outcome_of(o, {t[0].weight(), t[1].weight(), t[2].weight()});
  }
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
  return made(static_cast<std::uint8_t>(o), out, operands);
}

term astype(const term& t, dtype to) {
  if (t.is_number()) return term::of_bits(to, t.bits_as(to));
  if (t.type() == to) return t;
  return made(instruction::cast, {fault::none, to, to}, {t});
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
  require_one_axis_more(extents(), "a new axis");
  index_item items[max_rank];
  for (int d = 0; d < before; ++d) items[d] = to_index(_);
  items[before] = to_index(newaxis);
  return made(make_view(get(), items, before + 1));
}

term fold(reduction what, const term& of, const axis_list& axes, bool keepdims) {
  return fold(what, of, axes, keepdims, reduced_dtype(what, of.type()));
}
term fold(reduction what, const term& of, const axis_list& axes, bool keepdims, dtype type) {
  return term::made(make_reduction(of.held(), what, type, axes, keepdims));
}

term index_of(const shape& s, int axis) { return term::made(index_along(s, axis).release_node()); }

term joined(std::span<const term> parts, int axis) {
  list<node*> nodes;
  for (const term& part : parts) nodes.push_back(part.get());
  return term::made(make_joined(nodes.data(), nodes.size(), axis));
}

term evaluated(const term& t) { return term::made(detail::evaluate(t.get(), detail::where{})); }
device device_beside(const term& t) {
  return typed(t.get())->kind == detail::node_kind::array ? detail::device_of(t.get()) : device::current();
}
void evaluate_into(const term& t, detail::array_node& to) {
  request r{typed(t.get()), &to.extents, &to};
  evaluate(&r, 1);
}
bool fits(const term& small, const term& large) {
  for (int d = 0; d < small.rank(); ++d)
    if (small.extent(d) > large.extent(d)) return false;
  return true;
}
term computed(const term& t) {
  using detail::reduction;
  if (t.rank() == max_rank) {  // which leaves no axis to fold
    const shape to = t.extents();
    return term::made(make_reshape(computed(t.flat()).get(), to.begin(), to.size()));
  }
  const reduction what = t.type() == dtype::bool_       ? reduction::any
                         : detail::is_complex(t.type()) ? reduction::sum
                                                        : reduction::prod;
  return fold(what, t.with_axis(t.rank()), one_axis(t.rank()), false, t.type());
}

term taken(const term& of, const term& indices) {
  view_maker v(of.get(), indices.extents());
  v.compute(0, indices.held(), false);
  return term::made(v.made());
}

}  // namespace sinter::runtime
