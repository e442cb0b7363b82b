// A text stands in a generated one as a function, between macros that take back what they define.
#include "codegen/source/called.hpp"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <limits>

#include "codegen/ir/function.hpp"
#include "codegen/ir/values.hpp"
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

std::string definition(const function_text& f, const std::string& number, dialect to) {
  std::string text = "// " + on_one_line(f.name) + "\n", first, last;
  if (f.results.size() > 1) {
    std::string members, all;
    for (std::size_t r = 0; r < f.results.size(); ++r) {
      const std::string type(spelling(f.results[r].type));
      members += type + " r" + std::to_string(r) + "; ";
      first += "  " + type + " " + f.results[r].name + " = 0;\n";
      all += (r ? ", " : "") + f.results[r].name;
    }
    text += "struct results" + number + " { " + members + "};\n";
    last = "  const struct results" + number + " all_results = {" + all + "};\n  return all_results;\n";
  }
  if (!f.start.empty()) text += "#define start" + number + " " + f.start + "\n";
  const char* const qualifier =
      to == dialect::cuda ? "static __device__ __forceinline__ " : "static inline __attribute__((always_inline)) ";
  return text + qualifier + gives(f, number) + " called" + number + "(" + parameters_of(f) + ") {\n" + first + f.body +
         "\n" + last + "}\n";
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

std::string definitions(const std::vector<const function_text*>& all, dialect to, bool vectorised) {
  std::string text, bodies;
  std::vector<std::string_view> before;  // what several texts of one kernel share is defined once
  for (std::size_t n = 0; n < all.size(); ++n) {
    const std::string preamble = all[n]->preamble.empty() ? "" : all[n]->preamble + "\n";
    if (std::find(before.begin(), before.end(), all[n]->preamble) == before.end()) {
      before.push_back(all[n]->preamble);
      text += to == dialect::cuda || preamble.empty() ? preamble : with_qualifiers(preamble);
      bodies += preamble;
    }
    text += definition(*all[n], std::to_string(n), to);
    bodies += all[n]->body + "\n";
  }
  if (to == dialect::cuda || all.empty()) return text;
  const overloads around = overloads_for(bodies, vectorised);
  return around.first + text + around.last;
}

std::string interpreted_text(const function_text& f, const target& goal) {
  return "// Sinter " SINTER_VERSION "\n// " + on_one_line(f.name) + ", interpreted\n" + "typedef _Bool bool;\n" +
         "#define INFINITY __builtin_inff()\n#define NAN __builtin_nanf(\"\")\n" +
         definitions({&f}, dialect::c, goal.has_vector_math && goal.math != math_mode::strict) +
         (f.start.empty() ? call_loop_text(f) : fold_loop_text(f));
}

std::string literal(dtype t, detail::scalar_bits bits) {
  char text[64];
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
