// The table of the C library's functions that a text may call, and how they are declared.
#include "codegen/source/library.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>
#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

#include "codegen/source/tokens.hpp"

namespace sinter::codegen {

namespace {

// `vector`: glibc's libmvec has a version for whole registers. Of glibc
// 2.36 all of them were measured against longer arithmetic (SSE4, AVX2 and AVX-512 versions, float and double, millions
// of arguments of every size): at most 3.6 units in the last place but for logf (3.93) and AVX-512's erff (4.0), and no
// different NaN, infinity, sign of zero or subnormal than the scalar function. So no function is held back.
struct library_function {
  std::string_view name;
  int arity;
  bool vector;
};

constexpr library_function library[] = {
    {"acos", 1, true},       {"acosh", 1, true}, {"asin", 1, true},  {"asinh", 1, true},  {"atan", 1, true},
    {"atan2", 2, true},      {"atanh", 1, true}, {"cbrt", 1, true},  {"ceil", 1, false},  {"copysign", 2, false},
    {"cos", 1, true},        {"cosh", 1, true},  {"erf", 1, true},   {"erfc", 1, true},   {"exp", 1, true},
    {"exp10", 1, true},      {"exp2", 1, true},  {"expm1", 1, true}, {"fabs", 1, false},  {"floor", 1, false},
    {"fma", 3, false},       {"fmax", 2, false}, {"fmin", 2, false}, {"fmod", 2, false},  {"hypot", 2, true},
    {"lgamma", 1, false},    {"log", 1, true},   {"log10", 1, true}, {"log1p", 1, true},  {"log2", 1, true},
    {"nextafter", 2, false}, {"pow", 2, true},   {"rint", 1, false}, {"round", 1, false}, {"sin", 1, true},
    {"sinh", 1, true},       {"sqrt", 1, false}, {"tan", 1, true},   {"tanh", 1, true},   {"tgamma", 1, false},
    {"trunc", 1, false},
};

bool calls(const std::vector<std::string_view>& names, const std::string& name) {
  return std::binary_search(names.begin(), names.end(), std::string_view(name));
}

// Functions that gcc writes as instructions are declared plainly; `extern` on the rest tells the compiler stage to link the
// library they are in (codegen/compile/cpu.cpp).
bool is_instruction(std::string_view name) {
  for (const std::string_view inlined : {"ceil", "copysign", "fabs", "floor", "fma", "rint", "sqrt", "trunc"})
    if (name == inlined) return true;
  return false;
}

// Under a name of our own: gcc would join the sine and cosine of a value into a call that does not vectorise, and fold
// functions of constants to values that the library's functions do not give.
std::string declaration(const library_function& f, const char* type, const std::string& name, bool vectorised) {
  std::string parameters = type;
  for (int n = 1; n < f.arity; ++n) parameters.append(", ").append(type);
  if (is_instruction(f.name)) return std::string(type) + " " + name + "(" + parameters + ");\n";
  const char* attributes = vectorised && f.vector ? "const, simd(\"notinbranch\")" : "const";
  return "extern __attribute__((" + std::string(attributes) + ")) " + type + " sinter_" + name + "(" + parameters +
         ") __asm__(\"" + name + "\");\n";
}

std::string renamed(const library_function& f, const std::string& name) {
  return is_instruction(f.name) ? "" : "#define " + name + " sinter_" + name + "\n";
}

}  // namespace

std::string declarations(std::string_view source, bool vectorised) {
  std::vector<std::string_view> names;
  while (!source.empty()) {
    const std::string_view token = take_token(source);
    if (starts_name(token[0]) && source.starts_with('(')) names.push_back(token);
  }
  std::sort(names.begin(), names.end());
  std::string out;
  for (const library_function& f : library) {
    const std::string name(f.name);
    if (calls(names, name + "f")) out += declaration(f, "float", name + "f", vectorised) + renamed(f, name + "f");
    if (calls(names, name)) out += declaration(f, "double", name, vectorised) + renamed(f, name);
  }
  // The one function whose shape is its own: it has somewhere to put the sign.
  if (calls(names, "lgammaf_r")) out += "extern float lgammaf_r(float, int *);\n";
  if (calls(names, "lgamma_r")) out += "extern double lgamma_r(double, int *);\n";
  return out;
}

overloads overloads_for(std::string_view source, bool vectorised) {
  overloads all;
  const auto define = [&](const std::string& name, const std::string& rest) {
    all.first += "#define " + name + rest + "\n";
    all.last += "#undef " + name + "\n";
  };
  define("true", " 1");
  define("false", " 0");
  if (has_name(source, "min")) define("min", "(a, b) ((a) < (b) ? (a) : (b))");
  if (has_name(source, "max")) define("max", "(a, b) ((a) > (b) ? (a) : (b))");
  const char* const lists[] = {"(a)", "(a, b)", "(a, b, c)"};
  const char* const kinds[] = {"(a)", "(a) + (b)", "(a) + (b) + (c)"};
  for (const library_function& f : library) {
    const std::string name(f.name), single = name + "f", ours = is_instruction(f.name) ? "" : "sinter_";
    if (!has_name(source, name) && !has_name(source, single)) continue;
    all.first += declaration(f, "double", name, vectorised) + declaration(f, "float", single, vectorised);
    define(name, lists[f.arity - 1] + (" _Generic(" + std::string(kinds[f.arity - 1])) + ", float: " + ours + single +
                     ", default: " + ours + name + ")" + lists[f.arity - 1]);
    if (!ours.empty()) define(single, " " + ours + single);
  }
  return all;
}

bool has_vector_math() {
#if defined(__x86_64__) && defined(__GLIBC__)
  char* minor = nullptr;
  const long major = std::strtol(gnu_get_libc_version(), &minor, 10);
  return major > 2 || (major == 2 && *minor == '.' && std::strtol(minor + 1, nullptr, 10) >= 35);
#else
  return false;
#endif
}

}  // namespace sinter::codegen
