// A text stands in a generated one as a function, between macros that take back what they define.
#include "codegen/source/called.hpp"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "codegen/ir/function.hpp"
#include "codegen/ir/values.hpp"
#include "codegen/source/called_complex.hpp"
#include "codegen/source/helpers.hpp"
#include "codegen/source/library.hpp"
#include "codegen/source/tokens.hpp"

namespace sinter::codegen {

namespace {

// CUDA's qualifiers as C has them, around a preamble. An `inline` function is defined for callers that do not take it in, as in C++.
std::string with_qualifiers(const std::string& preamble) {
  return "#define __device__ __attribute__((unused, gnu_inline))\n#define __host__\n#define __forceinline__ inline\n" +
         preamble + "#undef __device__\n#undef __host__\n#undef __forceinline__\n";
}

// How a function is spelled: as texts have it, and as generated text calls it. They differ where complex numbers do.
std::string gives(const function_text& f, const std::string& number) {
  return f.results.size() == 1 ? std::string(spelling(f.results[0].type)) : "struct results" + number;
}

std::string parameters_of(const function_text& f) {
  std::string list;
  for (const function_parameter& p : f.parameters)
    list += (list.empty() ? "const " : ", const ") + std::string(spelling(p.type)) + (p.is_raw ? "* " : " ") + p.name;
  if (f.takes_position) list += std::string(list.empty() ? "" : ", ") + "const long long i";
  return list;
}

std::string qualifier(dialect to) {
  return to == dialect::cuda ? "static __device__ __forceinline__ " : "static inline __attribute__((always_inline)) ";
}

// The structs of generated text, which stand in reach under another name where a text's types hide them.
std::string results_of(const function_text& f, const std::string& number) {
  std::string members;
  for (std::size_t r = 0; r < f.results.size(); ++r) {
    const dtype type = f.results[r].type;
    members +=
        (detail::is_complex(type) ? "pair_" : "") + std::string(spelling(type)) + " r" + std::to_string(r) + "; ";
  }
  return "struct results" + number + " { " + members + "};\n";
}

std::string definition(const function_text& f, const std::string& number, dialect to) {
  std::string text = "// " + on_one_line(f.name) + "\n", first, last;
  if (f.results.size() > 1) {
    std::string all;
    for (std::size_t r = 0; r < f.results.size(); ++r) {
      const function_parameter& result = f.results[r];
      first += "  " + std::string(spelling(result.type)) + " " + result.name + " = 0;\n";
      all += (r ? ", " : "") + from_text(result.type, result.name);
    }
    text += results_of(f, number);
    last = "  const struct results" + number + " all_results = {" + all + "};\n  return all_results;\n";
  }
  if (!f.start.empty()) text += "#define start" + number + " " + f.start + "\n";
  const char* const name = passes_complex(f) ? "inside" : "called";
  return text + qualifier(to) + gives(f, number) + " " + name + number + "(" + parameters_of(f) + ") {\n" + first +
         f.body + "\n" + last + "}\n";
}

// What generated text calls, where the function itself takes or gives complex numbers as texts have them.
std::string way_in(const function_text& f, const std::string& number, dialect to) {
  std::string call = "inside" + number + "(";
  for (const function_parameter& p : f.parameters) {
    const std::string type(spelling(p.type));
    if (!call.ends_with('(')) call += ", ";
    call += detail::is_complex(p.type) && p.is_raw ? "(const text_" + type + "*)" + p.name : to_text(p.type, p.name);
  }
  if (f.takes_position) call += f.parameters.empty() ? "i" : ", i";
  call += ")";
  return qualifier(to) + gives(f, number) + " called" + number + "(" + parameters_of(f) + ") { return " +
         (f.results.size() == 1 ? from_text(f.results[0].type, call) : call) + "; }\n";
}

// An argument of a loop over points: an element of its array, or a raw one.
std::string argument(const function_text& f, int a) {
  const std::string array =
      "((const " + std::string(spelling(f.argument_type(a))) + "*)arguments[" + std::to_string(a) + "])";
  return f.is_raw(a) ? array : array + "[k]";
}

std::string call_loop_text(const function_text& f) {
  std::string call = "called0(";
  for (int a = 0; a < f.arguments(); ++a) call += (a ? ", " : "") + argument(f, a);
  call += ")";
  std::string text = "void sinter_kernel(const void* const* arguments, void* out, int count, int result) {\n";
  for (std::size_t r = 0; r < f.results.size(); ++r)
    text += "  if (result == " + std::to_string(r) + ")\n    for (int k = 0; k < count; ++k) ((" +
            std::string(spelling(f.results[r].type)) + "*)out)[k] = " + call +
            (f.results.size() > 1 ? ".r" + std::to_string(r) : "") + ";\n";
  return text + "}\n";
}

std::string fold_loop_text(const function_text& f) {
  const std::string type(spelling(f.results[0].type));
  return "void sinter_kernel(void* const* total, const void* const* in, int count) {\n  " + type +
         "* const to = total[0];\n" + "  for (int k = 0; k < count; ++k) *to = called0(*to, ((const " + type +
         "*)in[0])[k]);\n}\n" + "void sinter_finish(void* const* total) { *(" + type + "*)total[0] = start0; }\n";
}

}  // namespace

std::string on_one_line(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '\n' || c == '\r' || c == '\\'; }, ' ');
  return name;
}

std::vector<const function_text*> texts_of(const kernel& k) {
  std::vector<const function_text*> all;
  const auto note = [&](const function_text* f) {
    if (f && std::find(all.begin(), all.end(), f) == all.end()) all.push_back(f);
  };
  for (const value& v : k.values) note(v.called);
  for (const accumulator& a : k.accumulators) note(a.called);
  return all;
}

bool names_position(std::string_view body, const std::vector<std::string>& parameters) {
  return has_name(body, "i") && std::find(parameters.begin(), parameters.end(), "i") == parameters.end();
}

bool computes_in_complex(const std::vector<const function_text*>& all) {
  return std::ranges::any_of(all, [](const function_text* f) { return has_complex(*f); });
}

std::string bodies_of(const std::vector<const function_text*>& all) {
  std::string bodies;
  for (const function_text* f : all) bodies += f->preamble + "\n" + f->body + "\n";
  return bodies;
}

void use_helpers(const std::vector<const function_text*>& all, dialect to, helper_list& used) {
  if (computes_in_complex(all)) use_complex_helpers(bodies_of(all), to, used);
}

std::string definitions(const std::vector<const function_text*>& all, dialect to, bool vectorised) {
  if (all.empty()) return "";
  std::string text, ways_in;
  std::vector<std::string_view> before;  // what several texts of one kernel share is defined once
  for (std::size_t n = 0; n < all.size(); ++n) {
    const std::string preamble = all[n]->preamble.empty() ? "" : all[n]->preamble + "\n";
    if (std::find(before.begin(), before.end(), all[n]->preamble) == before.end()) {
      before.push_back(all[n]->preamble);
      text += to == dialect::cuda || preamble.empty() ? preamble : with_qualifiers(preamble);
    }
    text += definition(*all[n], std::to_string(n), to);
    if (passes_complex(*all[n])) ways_in += way_in(*all[n], std::to_string(n), to);
  }
  const std::string bodies = bodies_of(all);
  const bool complex = computes_in_complex(all);
  overloads around;
  if (complex) around = complex_overloads(bodies, to);
  if (to == dialect::c) {
    const overloads real = overloads_for(bodies, vectorised, complex ? complex_branches : no_branches);
    around.first += real.first;
    around.last += real.last;
  }
  return around.first + text + around.last + ways_in;
}

std::string interpreted_text(const function_text& f, const target& goal) {
  const bool vectorised = goal.has_vector_math && goal.math != math_mode::strict;
  helper_list used;
  use_helpers({&f}, dialect::c, used);
  std::string helpers;
  for (const helper_use& h : used) helpers += helper_definition(h, dialect::c);
  const std::string own = definitions({&f}, dialect::c, vectorised);
  return "// Sinter " SINTER_VERSION "\n// " + on_one_line(f.name) + ", interpreted\n" + "typedef _Bool bool;\n" +
         type_definitions(helpers + own, dialect::c) +
         "#define INFINITY __builtin_inff()\n#define NAN __builtin_nanf(\"\")\n" + declarations(helpers, vectorised) +
         helpers + own + (f.start.empty() ? call_loop_text(f) : fold_loop_text(f));
}

std::string literal(dtype t, detail::scalar_bits bits) {
  char text[64];
  if (detail::is_complex(t)) {
    const dtype part = detail::real_part_of(t);
    detail::scalar_bits parts[2] = {};
    for (int p = 0; p < 2; ++p) std::memcpy(parts[p].bytes, bits.bytes + p * itemsize(part), itemsize(part));
    return std::string("make_") + detail::facts(t).short_name + "(" + literal(part, parts[0]) + ", " +
           literal(part, parts[1]) + ")";
  }
  if (detail::is_floating(t)) {
    const bool single = t == dtype::float32;
    const double v = single ? static_cast<double>(bits.as_float) : bits.as_double;
    if (std::isnan(v)) return "NAN";
    if (std::isinf(v)) return v < 0 ? "(-INFINITY)" : "INFINITY";
    std::snprintf(text, sizeof text, "(%a%s)", v, single ? "f" : "");
    return text;
  }
  if (t == dtype::bool_) return bits.as_bool ? "1" : "0";
  if (!detail::facts(t).is_signed) std::snprintf(text, sizeof text, "%" PRIu64 "ull", bits.as_unsigned);
  else if (bits.as_signed == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807ll - 1)";
  else std::snprintf(text, sizeof text, "(%" PRId64 "ll)", bits.as_signed);
  return text;
}

}  // namespace sinter::codegen
