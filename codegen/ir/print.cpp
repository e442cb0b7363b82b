// A kernel as text for messages, tests and debugging: one value a line, in order. Invariant: prints malformed kernels
// too, since verify() prints what it complains about.
#include <string>

#include "codegen/ir/stages.hpp"

namespace sinter::codegen {
namespace {

std::string numbered(char letter, std::size_t number) { return letter + std::to_string(number); }

std::string operation(op code) {
  const int row = static_cast<int>(code);
  return row < detail::op_count ? detail::facts(code).name : "operation " + std::to_string(row);
}

std::string source_of(const value& v) {
  switch (v.kind) {
    case value_kind::input: return "input " + std::to_string(v.index);
    case value_kind::scalar: return "scalar " + std::to_string(v.index);
    case value_kind::cast: return "cast " + numbered('v', v.args[0]);
    case value_kind::reduced: return "reduced " + numbered('a', v.index);
    case value_kind::scanned: return "scanned " + numbered('a', v.index);
    case value_kind::apply: break;
  }
  std::string text = operation(v.code);
  const int arity = static_cast<int>(v.code) < detail::op_count ? detail::facts(v.code).arity : 3;
  for (int n = 0; n < arity; ++n) text += " " + numbered('v', v.args[n]);
  return text;
}

std::string line(const std::string& name, dtype t, const std::string& source) {
  return "  " + name + ": " + sinter::name(t) + " = " + source + "\n";
}

// The operands that are accessed in some way: "in0, in2", "out0".
std::string operands_of(const map_schedule& m, int inputs, way of) {
  std::string text;
  for (int o = 0; o < static_cast<int>(m.ways.size()); ++o)
    if (m.of(o) == of)
      text += (text.empty() ? "" : ", ") + (o < inputs ? "in" + std::to_string(o) : "out" + std::to_string(o - inputs));
  return text;
}

}  // namespace

std::string print(const map_schedule& m, int inputs) {
  const auto count = [](int n) { return std::to_string(n); };
  if (m.tile)
    return "tiles of " + count(m.tile) + " x " + count(m.tile) + " for " + operands_of(m, inputs, way::tiled) +
           (m.mirrored ? ", mirror images together" : "");
  if (m.short_row) return "rows of " + count(m.short_row) + " without a loop";
  if (m.pieces) return "rows in pieces";
  std::string text = m.width > 1 ? "packs of " + count(m.width) : "element by element";
  if (m.turns > 1) text += ", " + count(m.turns) + " to a thread";
  if (m.rows) text += ", blocks over several rows";
  const std::string odd = operands_of(m, inputs, way::each);
  if (m.width > 1 && !odd.empty()) text += ", " + odd + " element by element";
  return text;
}

std::string print(const kernel& k) {
  std::string text = codegen::name(form_of(k)) + std::string("\n");
  for (std::size_t n = 0; n < k.inputs.size(); ++n)
    text += "  input " + std::to_string(n) + ": " + name(k.inputs[n].type) + (k.inputs[n].iota ? " iota\n" : "\n");
  for (std::size_t n = 0; n < k.scalars.size(); ++n)
    text += "  scalar " + std::to_string(n) + ": " + name(k.scalars[n]) + "\n";
  for (std::size_t n = 0; n < k.values.size(); ++n)
    text += line(numbered('v', n), k.values[n].type, source_of(k.values[n]));
  for (std::size_t n = 0; n < k.accumulators.size(); ++n) {
    const accumulator& a = k.accumulators[n];
    std::string source = std::string(a.running ? "running " : "") + codegen::name(a.what);
    for (int m = 0; m < a.members(); ++m) source += " " + numbered('v', a.folded(m));
    text += line(numbered('a', n), a.result_type(), source);
  }
  for (std::size_t n = 0; n < k.outputs.size(); ++n)
    text += "  output " + std::to_string(n) + " = " + numbered('v', k.outputs[n]) +
            (n < k.everywhere ? " at every point\n" : "\n");
  return text;
}

}  // namespace sinter::codegen
