#include "runtime/frontend/applied.hpp"

#include <array>
#include <compare>
#include <map>
#include <mutex>

#include <sinter/detail/operand.hpp>

namespace sinter::runtime {

using namespace detail;

namespace {

constexpr int most_operands = 3;

// What tells one constant table from another. Dtypes that are not there are bool.
struct applied_key {
  std::uint8_t code;
  dtype result;
  std::uint8_t count, numbers;  // bit k: operand k is a number
  std::array<dtype, most_operands> operands{};
  auto operator<=>(const applied_key&) const = default;
};

// An operation's code beside the plan that it had last.
struct applied_table {
  instruction code[most_operands + 1];
  fragment table{};
  void* last_plan = nullptr;

  explicit applied_table(const applied_key& k) {
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
const fragment& table_of(const applied_key& k) {
  static auto& all = *new std::map<applied_key, applied_table>;
  static auto& changing = *new std::mutex;
  const std::lock_guard lock(changing);
  return all.try_emplace(k, k).first->second.table;
}

handle made(std::uint8_t code, dtype result, std::initializer_list<applied_operand> operands) {
  applied_key k{code, result, static_cast<std::uint8_t>(operands.size()), 0};
  node* nodes[most_operands];
  scalar_bits numbers[most_operands];
  int at = 0, node_count = 0, number_count = 0;
  for (const applied_operand& o : operands) {
    k.operands[static_cast<std::size_t>(at)] = o.type;
    if (o.of) nodes[node_count++] = o.of;
    else k.numbers |= static_cast<std::uint8_t>(1 << at), numbers[number_count++] = o.bits;
    ++at;
  }
  handle expression(make_expression({&table_of(k), nodes, numbers}));
  for (int i = 0; i < node_count; ++i) retain(nodes[i]);  // it takes its operands over
  return expression;
}

}  // namespace

handle apply(op o, std::initializer_list<applied_operand> operands) {
  const rule r = facts(o).of;
  dtype types[most_operands] = {};
  int count = 0;
  for (const applied_operand* p = operands.begin() + (r == rule::choice); p != operands.end(); ++p)
    types[count++] = p->type;
  const dtype computed = compute_dtype(r, promote(types, count));
  return made(static_cast<std::uint8_t>(o), result_dtype(r, computed), operands);
}

handle cast(const handle& of, dtype to) {
  if (typed(of.get())->type == to) return of;
  return made(instruction::cast, to, {of});
}

scalar_bits number_of(dtype to, double number) {
  scalar_bits bits{};
  convert_number(to, dtype::float64, to_bits(number), &bits);
  if (is_integer(to) && detail::facts(to).is_signed) {  // a number's bits are those of an int64
    const int above = 64 - 8 * itemsize(to);
    bits.as_signed = static_cast<std::int64_t>(bits.as_unsigned << above) >> above;
  }
  return bits;
}

}  // namespace sinter::runtime
