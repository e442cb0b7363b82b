#include "codegen/ir/formula.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>

#include "codegen/ir/values.hpp"

namespace sinter::codegen {
namespace {

// As C++ binds them.
enum binds : int {
  of_choice,
  of_or,
  of_xor,
  of_and,
  of_equality,
  of_order,
  of_shift,
  of_sum,
  of_product,
  of_sign,
  of_all
};

struct spelling {
  op code;
  const char* sign;
  binds strength;
};
constexpr spelling signs[] = {
    {op::add, "+", of_sum},
    {op::subtract, "-", of_sum},
    {op::multiply, "*", of_product},
    {op::divide, "/", of_product},
    {op::negative, "-", of_sign},
    {op::equal, "==", of_equality},
    {op::not_equal, "!=", of_equality},
    {op::less, "<", of_order},
    {op::less_equal, "<=", of_order},
    {op::greater, ">", of_order},
    {op::greater_equal, ">=", of_order},
    {op::bitwise_and, "&", of_and},
    {op::bitwise_or, "|", of_or},
    {op::bitwise_xor, "^", of_xor},
    {op::left_shift, "<<", of_shift},
    {op::right_shift, ">>", of_shift},
    {op::logical_not, "!", of_sign},
    {op::invert, "~", of_sign},
};

const spelling* spelling_of(op code) {
  for (const spelling& s : signs)
    if (s.code == code) return &s;
  return nullptr;
}

// Of bits C++ and Python disagree, so what they join is always in brackets.
std::string within(const term& t, int outer, bool is_right) {
  const bool of_bits = outer <= of_and && t.strength < of_sign && t.strength != outer;
  return t.strength < outer || (is_right && t.strength == outer) || of_bits ? "(" + t.text + ")" : t.text;
}

constexpr std::size_t longest = 120;  // characters of a formula that stands within another

class writer {
 public:
  writer(const kernel& k, const formula_names& names) : k_(k), names_(names), uses_(k.values.size()) {
    for (const value& v : k.values)
      for (int a = 0; a < arity(v); ++a) ++uses_[v.args[a]];
    for (const accumulator& a : k.accumulators)
      for (int m = 0; m < a.members(); ++m) ++uses_[a.folded(m)];
    for (const std::uint16_t o : k.outputs) ++uses_[o];
  }

  std::vector<std::string> run() {
    for (std::size_t n = 0; n < k_.values.size(); ++n) {
      term t = term_of(k_.values[n]);
      const bool has_name = k_.values[n].kind == value_kind::input || k_.values[n].kind == value_kind::scalar;
      if ((uses_[n] > 1 || t.text.size() > longest) && !has_name) {
        lines_.push_back("t" + std::to_string(named_) + " = " + t.text);
        t = {"t" + std::to_string(named_++)};
      }
      terms_.push_back(std::move(t));
    }
    for (std::size_t o = 0; o < k_.outputs.size(); ++o) lines_.push_back(output(o) + terms_[k_.outputs[o]].text);
    return std::move(lines_);
  }

 private:
  std::string input(int number) const {
    if (k_.inputs[static_cast<std::size_t>(number)].iota) return "i";
    return names_.input ? names_.input(number) : "x" + std::to_string(number);
  }

  std::string output(std::size_t number) const {
    if (names_.output) return names_.output(static_cast<int>(number)) + " = ";
    return k_.outputs.size() > 1 ? "y" + std::to_string(number) + " = " : "";
  }

  std::string list(const value& v, int first, int last) const {
    std::string text;
    for (int a = first; a < last; ++a) text += (a > first ? ", " : "") + terms_[v.args[a]].text;
    return text;
  }

  term folded(const accumulator& a) const { return {name_of(a) + "(" + terms_[a.value].text + ")"}; }

  term term_of(const value& v) const {
    const auto at = [&](int a) -> const term& { return terms_[v.args[a]]; };
    switch (v.kind) {
      case value_kind::input: return {input(v.index)};
      case value_kind::scalar: return {names_.scalar ? names_.scalar(v.index) : "s" + std::to_string(v.index)};
      case value_kind::cast: return {std::string(sinter::name(v.type)) + "(" + at(0).text + ")"};
      case value_kind::reduced:
      case value_kind::scanned: return folded(k_.accumulators[v.index]);
      case value_kind::load: return {at(0).text + "[" + list(v, 1, arity(v) - (guard_of(v) ? 1 : 0)) + "]"};
      case value_kind::check: return at(0);
      case value_kind::call: return {v.called->name + "(" + list(v, 0, v.called->arguments()) + ")"};
      case value_kind::apply: break;
    }
    std::vector<const term*> operands;
    for (int a = 0; a < arity(v); ++a) operands.push_back(&at(a));
    return applied(v.code, operands);
  }

  const kernel& k_;
  const formula_names& names_;
  std::vector<int> uses_;
  std::vector<term> terms_;
  std::vector<std::string> lines_;
  int named_ = 0;
};

}  // namespace

term called(const std::string& name, const std::vector<const term*>& operands) {
  std::string text = name + "(";
  for (const term* t : operands) text += (t == operands.front() ? "" : ", ") + t->text;
  return {text + ")"};
}

term applied(op code, const std::vector<const term*>& operands) {
  const spelling* const s = spelling_of(code);
  if (!s) return called(detail::facts(code).name, operands);
  if (operands.size() == 1) return {s->sign + within(*operands[0], s->strength, true), s->strength};
  return {within(*operands[0], s->strength, false) + " " + s->sign + " " + within(*operands[1], s->strength, true),
          s->strength};
}

namespace {

std::string number_text(double n) {
  char text[64];
  const bool is_whole = n == static_cast<double>(static_cast<long long>(n < 1e15 && n > -1e15 ? n : 0.5));
  std::snprintf(text, sizeof text, is_whole ? "%.0f" : "%g", n);
  return text;
}

template <class T>
T read(const detail::scalar_bits& bits, int at = 0) {
  T value;
  std::memcpy(&value, bits.bytes + static_cast<std::size_t>(at) * sizeof value, sizeof value);
  return value;
}

template <class T>
std::string complex_text(const detail::scalar_bits& bits) {
  const double imaginary = static_cast<double>(read<T>(bits, 1));
  return "(" + number_text(static_cast<double>(read<T>(bits))) + (imaginary < 0 ? " - " : " + ") +
         number_text(std::abs(imaginary)) + "i)";
}

}  // namespace

std::string number_text(const detail::scalar_bits& bits, dtype t) {
  switch (t) {
    case dtype::bool_: return bits.as_bool ? "true" : "false";
    case dtype::float16: return number_text(static_cast<float>(read<half>(bits)));
    case dtype::bfloat16: return number_text(static_cast<float>(read<bfloat16>(bits)));
    case dtype::float32: return number_text(bits.as_float);
    case dtype::float64: return number_text(bits.as_double);
    case dtype::complex64: return complex_text<float>(bits);
    case dtype::complex128: return complex_text<double>(bits);
    default: return detail::facts(t).is_signed ? std::to_string(bits.as_signed) : std::to_string(bits.as_unsigned);
  }
}

std::vector<std::string> formulas(const kernel& k, const formula_names& names) { return writer(k, names).run(); }

std::string formula(const kernel& k) {
  std::string all;
  for (const std::string& line : formulas(k)) all += (all.empty() ? "" : "; ") + line;
  return all;
}

}  // namespace sinter::codegen
