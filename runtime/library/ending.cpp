#include "runtime/library/ending.hpp"

#include <cstring>

#include "codegen/compile/compiler.hpp"

namespace sinter::runtime {

using namespace detail;

namespace {

constexpr int most_parts = 8;  // on the stack of an ending's code

// What an instruction leaves: a number, or so many times the call's result and so many times an array.
struct sum_of_two {
  bool is_number = false;
  double number = 0;
  double of_result = 0, of_addend = 0;
  const array_node* addend = nullptr;

  void multiply(double by) { of_result *= by, of_addend *= by; }
};

double real_number(dtype t, const scalar_bits& s, bool& is_real) {
  double parts[2] = {};
  float short_parts[2] = {};
  switch (t) {
    case dtype::float32: return static_cast<double>(s.as_float);
    case dtype::float64: return s.as_double;
    case dtype::float16: return static_cast<double>(float(half::from_bits(static_cast<std::uint16_t>(s.as_unsigned))));
    case dtype::bfloat16:
      return static_cast<double>(float(bfloat16::from_bits(static_cast<std::uint16_t>(s.as_unsigned))));
    case dtype::complex64:
      std::memcpy(short_parts, s.bytes, sizeof short_parts);
      is_real = short_parts[1] == 0;
      return static_cast<double>(short_parts[0]);
    case dtype::complex128:
      std::memcpy(parts, s.bytes, sizeof parts);
      is_real = parts[1] == 0;
      return parts[0];
    default: is_real = false; return 0;
  }
}

// Goes through an expression's code as a machine with a stack does, as far as what it leaves are sums of two.
class reading {
 public:
  reading(const call_node& c, const expression_node& by, const codegen::stand_ins& known)
      : c_(c), by_(by), known_(known) {}

  bool run() {
    for (int i = 0; i < by_.code->length; ++i)
      if (!step(by_.code->code[i])) return false;
    return depth_ == 1;
  }
  const sum_of_two& result() const { return stack_[0]; }

 private:
  bool step(const instruction& next) {
    if (next.type != c_.type) return false;
    switch (next.code) {
      case instruction::take_node: return take(typed_child(node_++));
      case instruction::take_scalar: return take_number(next.type, by_.scalars[scalar_++]);
      case instruction::cast: return true;  // to what it is
      case static_cast<std::uint8_t>(op::negative): return !top().is_number && (top().multiply(-1), true);
      case static_cast<std::uint8_t>(op::multiply): return multiply();
      case static_cast<std::uint8_t>(op::add): return add(1);
      case static_cast<std::uint8_t>(op::subtract): return add(-1);
      default: return false;
    }
  }
  const typed_node* typed_child(int i) const { return static_cast<const typed_node*>(by_.children[i]); }
  sum_of_two& top() { return stack_[depth_ - 1]; }
  bool push(const sum_of_two& s) { return depth_ < most_parts && (stack_[depth_++] = s, true); }

  bool take(const typed_node* n) {
    sum_of_two s;
    if (n == &c_) return s.of_result = 1, push(s);
    const auto stands = known_.find(n);
    if (stands != known_.end()) s.addend = stands->second;
    else if (n->kind == node_kind::array) s.addend = static_cast<const array_node*>(n);
    s.of_addend = 1;
    return s.addend && push(s);
  }
  bool take_number(dtype t, const scalar_bits& bits) {
    sum_of_two s{.is_number = true};
    bool is_real = true;
    s.number = real_number(t, bits, is_real);
    return is_real && push(s);
  }
  bool multiply() {
    const sum_of_two b = stack_[--depth_], a = top();
    if (a.is_number == b.is_number) return false;
    top() = a.is_number ? b : a;
    return top().multiply(a.is_number ? a.number : b.number), true;
  }
  bool add(double sign) {
    sum_of_two b = stack_[--depth_];
    sum_of_two& a = top();
    if (a.is_number || b.is_number || (a.addend && b.addend)) return false;
    b.multiply(sign);
    a.of_result += b.of_result, a.of_addend += b.of_addend;
    if (b.addend) a.addend = b.addend;
    return true;
  }

  const call_node& c_;
  const expression_node& by_;
  const codegen::stand_ins& known_;
  sum_of_two stack_[most_parts];
  int depth_ = 0, node_ = 0, scalar_ = 0;
};

}  // namespace

bool is_asked_once(const typed_node& n) { return __atomic_load_n(&n.references, __ATOMIC_ACQUIRE) == 1; }

std::optional<call_ending> ending_of(const call_node& c, const typed_node* reader, const codegen::stand_ins& known) {
  static const bool strict = codegen::math_mode_from_environment() == codegen::math_mode::strict;
  if (strict || !reader || reader->kind != node_kind::expression || c.site->what->result_count != 1) return {};
  if (!is_asked_once(c) || !(reader->extents == c.extents)) return {};
  const auto& by = *static_cast<const expression_node*>(reader);
  if (by.code->called || by.code->length > 2 * most_parts) return {};
  reading all(c, by, known);
  if (!all.run()) return {};
  const sum_of_two& s = all.result();
  // A library does not read what it is to multiply by 0, which may be no number.
  if (s.of_result == 0 || (s.addend && s.of_addend == 0)) return {};
  if (s.of_result == 1 && !s.addend) return {};  // the result itself, which has ways of its own
  const call_ending e{s.of_result, s.addend, s.of_addend};
  return c.site->what->ends_with(e) ? std::optional(e) : std::nullopt;
}

}  // namespace sinter::runtime
