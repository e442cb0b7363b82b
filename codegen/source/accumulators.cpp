// How a kernel's text spells what its folds keep: the states, where they start, and how they take an element or each other.
#include <algorithm>

#include "codegen/ir/values.hpp"
#include "codegen/source/body.hpp"
#include "codegen/source/called.hpp"
#include "codegen/source/tokens.hpp"

namespace sinter::codegen {

using detail::facts;

namespace {

std::string spell_start(detail::start from, dtype t, helper_list& used) {
  if (detail::is_complex(t)) {  // none is above or below all others, but no number is beyond infinite ones
    const std::string part = spell_start(from, detail::real_part_of(t), used);
    return spell_helper("make", t, used) + "(" + part + ", " + (from == detail::start::one ? "0" : part) + ")";
  }
  if (from == detail::start::zero) return "0";
  if (from == detail::start::one) return "1";
  const bool lowest = from == detail::start::lowest;
  if (detail::is_floating(t)) return lowest ? "-INFINITY" : "INFINITY";
  if (t == dtype::bool_) return lowest ? "0" : "1";
  if (!facts(t).is_signed) return lowest ? "0" : "(" + std::string(spelling(t)) + ")-1";
  const int bits = 8 * itemsize(t);
  const std::string top = bits == 64 ? "9223372036854775807LL" : std::to_string((1LL << (bits - 1)) - 1);
  return lowest ? "(-" + top + " - 1)" : top;
}

}  // namespace

// What a fold's elements are made by gives them to its states.
std::string body::spelled_result(const function& f, std::size_t r) const {
  return f.name == "element" ? spelled_state(f.results[r]) : std::string(spelling(f.results[r]));
}

std::string body::spelled_state(dtype t) const {
  // A sum of truth values is one: in a byte it would be their number.
  const auto counts = [](const accumulator& a) { return a.what == reduction::sum && a.type == dtype::bool_; };
  const bool is_byte =
      to == dialect::c && shape == form::fold && t == dtype::bool_ && std::ranges::none_of(k.accumulators, counts);
  return is_byte ? "unsigned char" : std::string(spelling(t));
}

const accumulator& body::of_member(int m, int& within) const {
  within = m;
  std::size_t a = 0;
  while (within >= k.accumulators[a].members()) within -= k.accumulators[a++].members();
  return k.accumulators[a];
}

int body::first_member(int a) const {
  int before = 0;
  for (int i = 0; i < a; ++i) before += k.accumulators[static_cast<std::size_t>(i)].members();
  return before;
}

dtype body::member_dtype(int m) const {
  int within;
  const accumulator& of = of_member(m, within);
  return of.member_type(within);
}

std::string body::member_type(int m) const { return spelled_state(member_dtype(m)); }

std::uint16_t body::folded_value(int m) const {
  int within;
  return of_member(m, within).folded(within);
}

std::string body::element_type(int m) const { return spelled_state(k.values[folded_value(m)].type); }

std::string body::identity(int m) const {
  int within;
  const accumulator& of = of_member(m, within);
  if (of.called) return name_of(of.called, "start");
  return spell_start(facts(of.what).starts[within], of.member_type(within), used_);
}

std::string body::neutral(int a) const {
  const accumulator& at = k.accumulators[static_cast<std::size_t>(a)];
  if (at.what != reduction::sum || !detail::is_inexact(at.type)) return identity(first_member(a));
  return detail::is_complex(at.type) ? spell_helper("make", at.type, used_) + "(-0.0f, -0.0f)" : "-0.0f";
}

std::string body::folded(int a, const std::string& x, const std::string& y) const {
  const accumulator& at = k.accumulators[static_cast<std::size_t>(a)];
  if (at.called) return name_of(at.called, "called") + "(" + x + ", " + y + ")";
  const op fold = facts(at.what).fold;
  const std::string_view args[3] = {x, y, ""};
  const std::string text = spell(fold, at.type, to, args, used_);
  return to == dialect::cuda && is_narrow(at.type) && may_wrap(fold) ? in_32_bits(text, at.type, used_) : text;
}

std::string body::stands_in(int a, const spelled& x, const spelled& y) const {
  const accumulator& at = k.accumulators[static_cast<std::size_t>(a)];
  const int m = first_member(a);
  return spell_helper(facts(at.what).choice, at.type, used_) + "(" + y(m) + ", " + y(m + 1) + ", " + x(m) + ", " +
         x(m + 1) + ")";
}

std::string body::fold(int a, const spelled& x, const spelled& y) const {
  const accumulator& at = k.accumulators[static_cast<std::size_t>(a)];
  const detail::reduction_facts& row = facts(at.what);
  const int first = first_member(a);
  if (!row.choice) {
    // In C the element comes first: of what comes first a comparison says whether it is a number, for which the next element
    // need not wait then.
    const bool turned = to == dialect::c && (row.fold == op::maximum || row.fold == op::minimum);
    return x(first) + " = " + (turned ? folded(a, y(first), x(first)) : folded(a, x(first), y(first))) + ";";
  }
  // Selections: a branch would keep loops over lanes from becoming vectors.
  std::string text = "{ const bool takes = " + stands_in(a, x, y) + ";";
  for (int m = first; m < first + at.members(); ++m) text += " " + x(m) + " = takes ? " + y(m) + " : " + x(m) + ";";
  return text + " }";
}

}  // namespace sinter::codegen
