// A kernel as text for messages, tests and debugging: one value a line, in order. Invariant: prints malformed kernels
// too, since verify() prints what it complains about.
#include <algorithm>
#include <string>

#include "codegen/ir/stages.hpp"
#include "codegen/ir/values.hpp"

namespace sinter::codegen {
namespace {

std::string numbered(char letter, std::size_t number) { return letter + std::to_string(number); }

std::string operation(op code) {
  const int row = static_cast<int>(code);
  return row < detail::op_count ? detail::facts(code).name : "operation " + std::to_string(row);
}

std::string access_of(const value& v, const char* what) {
  std::string text = what;
  const int last = arity(v) - (guard_of(v) ? 1 : 0);
  for (int n = 0; n < last; ++n) text += " " + numbered('v', v.args[n]);
  return guard_of(v) ? text + " where " + numbered('v', *guard_of(v)) : text;
}

std::string result_of(const value& call) {
  return call.called->results.size() > 1 ? ", result " + std::to_string(number_of(call)) : "";
}

std::string source_of(const value& v) {
  switch (v.kind) {
    case value_kind::input: return "input " + std::to_string(v.index);
    case value_kind::scalar: return "scalar " + std::to_string(v.index);
    case value_kind::cast: return "cast " + numbered('v', v.args[0]);
    case value_kind::reduced: return "reduced " + numbered('a', v.index);
    case value_kind::load: return access_of(v, "load");
    case value_kind::check: return access_of(v, "check") + " along axis " + std::to_string(number_of(v));
    case value_kind::call: return access_of(v, v.called->name.c_str()) + result_of(v);
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

// Of a kernel without it nothing may be asked.
bool numbers_lead_somewhere(const kernel& k) {
  for (std::size_t n = 0; n < k.values.size(); ++n) {
    const value& v = k.values[n];
    if (v.kind == value_kind::apply && static_cast<int>(v.code) >= detail::op_count) return false;
    for (int a = 0; a < arity(v); ++a)
      if (v.args[a] >= n) return false;
    const bool folded = v.kind == value_kind::reduced || v.kind == value_kind::scanned;
    if (v.index >= (v.kind == value_kind::input    ? k.inputs.size()
                    : v.kind == value_kind::scalar ? k.scalars.size()
                    : folded                       ? k.accumulators.size()
                                                   : std::size_t{0x10000}))
      return false;
  }
  const auto is_value = [&](std::uint16_t v) { return v < k.values.size(); };
  return std::all_of(k.outputs.begin(), k.outputs.end(), is_value) &&
         std::all_of(k.accumulators.begin(), k.accumulators.end(), [&](const accumulator& a) {
           return static_cast<int>(a.what) < detail::reduction_count && is_value(a.value) &&
                  (a.members() == 1 || is_value(a.position));
         });
}

// The operands that are accessed in some way: "in0, in2", "out0".
std::string operands_of(const map_schedule& m, int inputs, way of) {
  std::string text;
  for (int o = 0; o < static_cast<int>(m.ways.size()); ++o)
    if (m.of(o) == of)
      text += (text.empty() ? "" : ", ") + (o < inputs ? "in" + std::to_string(o) : "out" + std::to_string(o - inputs));
  return text;
}

std::string print(const map_schedule& m, int inputs) {
  const auto count = [](int n) { return std::to_string(n); };
  if (m.tile)
    return "tiles of " + count(m.tile) + " x " + count(m.tile) + " for " + operands_of(m, inputs, way::tiled) +
           (m.width > 1 ? ", in packs of " + count(m.width) : "") + (m.mirrored ? ", mirror images together" : "");
  if (m.gathered && m.short_row) return "rows of " + count(m.short_row) + ", gathered in blocks";
  if (m.short_row) return "rows of " + count(m.short_row) + " without a loop";
  const char* const cut = m.together ? ", in the same stretches" : m.stretches ? ", in stretches" : "";
  if (m.pieces) return std::string("rows in pieces") + cut;
  std::string text = m.width > 1 ? "packs of " + count(m.width) : "element by element";
  if (m.turns > 1) text += ", " + count(m.turns) + " to a thread";
  if (m.gathered) text += ", gathered in blocks";
  if (m.rows) text += ", blocks over several rows";
  const std::string odd = operands_of(m, inputs, way::each);
  if (m.width > 1 && !odd.empty()) text += ", " + odd + " element by element";
  return text + cut;
}

std::string lines(const variant& v) { return v.columns ? "columns" : "rows"; }

std::string packs(int width, int turns) {
  std::string text = width > 1 ? ", in packs of " + std::to_string(width) : "";
  if (turns > 1) text += ", " + std::to_string(turns) + " at a time";
  return text;
}

std::string held(int elements) {
  if (elements == 1) return ", an element kept by a thread";
  return elements != 0 ? ", " + std::to_string(elements) + " elements kept by a thread" : "";
}

std::string print(const row_schedule& r, const variant& v) {
  if (r.short_row) return "rows of " + std::to_string(r.short_row) + " without a loop";
  if (r.threads == 0) return lines(v) + (r.held != 0 ? ", kept by a core" : ", gone along again by each stage");
  if (r.turns > 1) return "rows through shared memory, " + std::to_string(r.turns) + " to a thread";
  return lines(v) + (r.held != 0 ? held(r.held) : ", read again by each stage") + packs(r.width, 1);
}

std::string print(const fold_schedule& f, const variant& v) {
  const std::string apart = f.apart ? ", " + std::to_string(f.width) + " to a thread" : "";
  return (f.stream ? "columns as one stream" : lines(v)) + apart + packs(f.apart ? 1 : f.width, f.turns) +
         (f.split ? ", in parts" : "");
}

std::string print(const transform_schedule& t, const variant& v) {
  if (t.points == 0) return lines(v) + ", by a library";
  return lines(v) + " of " + std::to_string(t.points) + " points, " + std::to_string(t.lines) + " to a block";
}

std::string print(const scan_schedule& s, const variant& v) {
  const char* pieces = s.threads == 0 ? ", in chunks" : s.ahead ? ", in tiles folded ahead" : ", in tiles";
  return lines(v) + held(s.held) + packs(s.width, 1) + (s.split ? pieces : "");
}

}  // namespace

std::string print(const kernel& k, const variant& v) {
  switch (form_of(k)) {
    case form::rows: return print(v.rows, v);
    case form::fold: return print(v.fold, v);
    case form::scan: return print(v.scan, v);
    case form::transform: return print(v.transform, v);
    case form::map: break;
  }
  return print(v.map, static_cast<int>(k.inputs.size()));
}

std::string name_of(const accumulator& a) {
  if (a.transform != fourier::none) return a.transform == fourier::forward ? "fft" : "ifft";
  return (a.running ? "running " : "") + (a.called ? a.called->name : codegen::name(a.what));
}

std::string print(const kernel& k) {
  std::string text = numbers_lead_somewhere(k) ? codegen::name(form_of(k)) : "malformed";
  text += "\n";
  for (std::size_t n = 0; n < k.inputs.size(); ++n)
    text += "  input " + std::to_string(n) + ": " + name(k.inputs[n].type) +
            (k.inputs[n].iota      ? " iota\n"
             : k.inputs[n].indexed ? " indexed\n"
                                   : "\n");
  for (std::size_t n = 0; n < k.scalars.size(); ++n)
    text += "  scalar " + std::to_string(n) + ": " + name(k.scalars[n]) + "\n";
  for (std::size_t n = 0; n < k.values.size(); ++n)
    text += line(numbered('v', n), k.values[n].type, source_of(k.values[n]));
  for (std::size_t n = 0; n < k.accumulators.size(); ++n) {
    const accumulator& a = k.accumulators[n];
    std::string source = name_of(a);
    for (int m = 0; m < a.members(); ++m) source += " " + numbered('v', a.folded(m));
    text += line(numbered('a', n), a.result_type(), source);
  }
  for (std::size_t n = 0; n < k.outputs.size(); ++n)
    text += "  output " + std::to_string(n) + " = " + numbered('v', k.outputs[n]) +
            (k.counts              ? ", counted\n"
             : !(n < k.everywhere) ? "\n"
             : !k.compresses       ? " at every point\n"
             : n == 0              ? " at the place\n"
                                   : ", the place\n");
  return text;
}

}  // namespace sinter::codegen
