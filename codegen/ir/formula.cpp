#include "codegen/ir/formula.hpp"

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

struct term {
  std::string text;
  binds strength = of_all;
};

// Of bits C++ and Python disagree, so what they join is always in brackets.
std::string within(const term& t, binds outer, bool is_right) {
  const bool of_bits = outer <= of_and && t.strength < of_sign && t.strength != outer;
  return t.strength < outer || (is_right && t.strength == outer) || of_bits ? "(" + t.text + ")" : t.text;
}

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
      if (uses_[n] > 1 && !has_name) {
        lines_.push_back("t" + std::to_string(named_) + " = " + t.text);
        t = {"t" + std::to_string(named_++)};
      }
      terms_.push_back(std::move(t));
    }
    for (std::size_t o = 0; o < k_.outputs.size(); ++o)
      lines_.push_back((k_.outputs.size() > 1 ? "y" + std::to_string(o) + " = " : "") + terms_[k_.outputs[o]].text);
    return std::move(lines_);
  }

 private:
  std::string input(int number) const {
    if (k_.inputs[static_cast<std::size_t>(number)].iota) return "i";
    return names_.input ? names_.input(number) : "x" + std::to_string(number);
  }

  std::string list(const value& v, int first, int last) const {
    std::string text;
    for (int a = first; a < last; ++a) text += (a > first ? ", " : "") + terms_[v.args[a]].text;
    return text;
  }

  term folded(const accumulator& a) const {
    const std::string what = a.called ? a.called->name : std::string(a.running ? "running " : "") + name(a.what);
    return {what + "(" + terms_[a.value].text + ")"};
  }

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
    const int count = arity(v);
    if (const spelling* s = spelling_of(v.code)) {
      if (count == 1) return {s->sign + within(at(0), s->strength, true), s->strength};
      return {within(at(0), s->strength, false) + " " + s->sign + " " + within(at(1), s->strength, true), s->strength};
    }
    return {std::string(detail::facts(v.code).name) + "(" + list(v, 0, count) + ")"};
  }

  const kernel& k_;
  const formula_names& names_;
  std::vector<int> uses_;
  std::vector<term> terms_;
  std::vector<std::string> lines_;
  int named_ = 0;
};

}  // namespace

const char* sign_of(op code) noexcept {
  const spelling* const s = spelling_of(code);
  return s ? s->sign : nullptr;
}

std::vector<std::string> formulas(const kernel& k, const formula_names& names) { return writer(k, names).run(); }

std::string formula(const kernel& k, const formula_names& names) {
  std::string all;
  for (const std::string& line : formulas(k, names)) all += (all.empty() ? "" : "; ") + line;
  return all;
}

}  // namespace sinter::codegen
