// The table of the C library's functions that a text may call, and how they are declared.
#include "codegen/source/library.hpp"

#include <algorithm>
#include <vector>

#include "codegen/source/tokens.hpp"

namespace sinter::codegen {

namespace {

// `vector`: glibc's libmvec has a version for whole registers. Of glibc
// 2.36 all of them were measured against longer arithmetic (SSE4, AVX2 and AVX-512 versions, float and double, millions
// of arguments of every size): at most 3.6 units in the last place but for logf (3.93) and AVX-512's erff (4.0), and no
// different NaN, infinity, sign of zero or subnormal than the scalar function. So no function is held back, and two are bettered.
struct library_function {
  std::string_view name;
  int arity;
  bool vector;
};

constexpr library_function library[] = {
    {"acos", 1, true},   {"acosh", 1, true},   {"asin", 1, true},       {"asinh", 1, true}, {"atan", 1, true},
    {"atan2", 2, true},  {"atanh", 1, true},   {"cbrt", 1, true},       {"ceil", 1, false}, {"copysign", 2, false},
    {"cos", 1, true},    {"cosh", 1, true},    {"erf", 1, true},        {"erfc", 1, true},  {"exp", 1, true},
    {"exp10", 1, true},  {"exp2", 1, true},    {"expm1", 1, true},      {"fabs", 1, false}, {"floor", 1, false},
    {"fma", 3, false},   {"fmax", 2, false},   {"fmin", 2, false},      {"fmod", 2, false}, {"hypot", 2, true},
    {"j0", 1, false},    {"j1", 1, false},     {"lgamma", 1, false},    {"log", 1, true},   {"log10", 1, true},
    {"log1p", 1, true},  {"log2", 1, true},    {"nextafter", 2, false}, {"pow", 2, true},   {"rint", 1, false},
    {"round", 1, false}, {"sin", 1, true},     {"sinh", 1, true},       {"sqrt", 1, false}, {"tan", 1, true},
    {"tanh", 1, true},   {"tgamma", 1, false}, {"trunc", 1, false},     {"y0", 1, false},   {"y1", 1, false},
};

// Functions whose shape is their own: they have somewhere to put the sign.
struct odd_function {
  std::string_view single, twice, parameters;
};

constexpr odd_function odd_library[] = {{"lgammaf_r", "lgamma_r", "T, int *"}};

std::string odd_declaration(std::string_view name, std::string_view parameters, std::string_view type) {
  std::string out = "extern " + std::string(type) + " " + std::string(name) + "(" + std::string(parameters) + ");\n";
  return out.replace(out.find('T'), 1, type);
}

// With vectors of 16 it takes two thirds of the time of libmvec's, and is at most 1.3 units in the last place off; shorter ones
// are better served by libmvec. Below 1 a polynomial of the square, which is what x is multiplied by, less one; above, one less
// 2^-z, z being one of x. Coefficients are of the least largest error. A number is made
// whole by its last bits: a conversion gcc would not compute without need, and a subtraction the fast mode would fold away.
constexpr std::string_view own_erff =
    "#if defined __AVX512F__ && defined __FMA__\n"
    "static inline float sinter_own_erff(float x) {\n"
    "  const float s = x * x, size = __builtin_fabsf(x), a = size < 4 ? size : 4;\n"
    "  float below = __builtin_fmaf(0x1.496ac6p-14f, s, -0x1.a3f73cp-11f);\n"
    "  below = __builtin_fmaf(below, s, 0x1.5405bcp-8f);\n"
    "  below = __builtin_fmaf(below, s, -0x1.b7f90ep-6f);\n"
    "  below = __builtin_fmaf(below, s, 0x1.ce2cf8p-4f);\n"
    "  below = __builtin_fmaf(below, s, -0x1.81273ep-2f);\n"
    "  below = __builtin_fmaf(below, s, 0x1.06eba8p-3f);\n"
    "  below = __builtin_fmaf(x, below, x);\n"
    "  float z = __builtin_fmaf(-0x1.19f336p-12f, a, 0x1.16b25ap-8f);\n"
    "  z = __builtin_fmaf(z, a, -0x1.021830p-5f);\n"
    "  z = __builtin_fmaf(z, a, 0x1.30a4b0p-3f);\n"
    "  z = __builtin_fmaf(z, a, 0x1.d75f3ap-1f);\n"
    "  z = __builtin_fmaf(z, a, 0x1.a0448cp+0f);\n"
    "  z = __builtin_fmaf(z, a, 0x1.02529cp-11f);\n"
    "  const float moved = z + 0x1.8p23f;\n"
    "  int whole;\n"
    "  __builtin_memcpy(&whole, &moved, sizeof whole);\n"
    "  whole -= 0x4b400000;\n"
    "  const float part = z - (float)whole;\n"
    "  float power = __builtin_fmaf(-0x1.5c08e4p-10f, part, 0x1.3d0c52p-7f);\n"
    "  power = __builtin_fmaf(power, part, -0x1.c6b6e4p-5f);\n"
    "  power = __builtin_fmaf(power, part, 0x1.ebf918p-3f);\n"
    "  power = __builtin_fmaf(power, part, -0x1.62e428p-1f);\n"
    "  power = __builtin_fmaf(power, part, 0x1.000002p+0f);\n"
    "  const int bits = (127 - whole) << 23;\n"
    "  float scale;\n"
    "  __builtin_memcpy(&scale, &bits, sizeof scale);\n"
    "  const float above = __builtin_copysignf(__builtin_fmaf(-power, scale, 1), x);\n"
    "  const float number = size < 1 ? below : above;\n"
    "  return x != x ? x : number;\n"
    "}\n"
    "#undef erff\n"
    "#define erff sinter_own_erff\n"
    "#endif\n";

// libmvec's leaves numbers whose result is infinite, zero or subnormal to the scalar function, one by one: ten times the time for what a
// mask made -1e9 or less. Here all go through the same steps, subnormal results by their own slowness alone, and none is more than 1.01 units in
// the last place off (libmvec's 2.6). The power of two is two factors, since one of them may be no number; what is left is a polynomial
// whose coefficients are of the least largest error. Fast mode would make one factor of the two.
constexpr std::string_view own_expf =
    "#if defined __FMA__ && !defined SINTER_REORDERS\n"
    "static inline float sinter_own_expf(float x) {\n"
    "  const float least = x < -105 ? -105 : x, a = least > 90 ? 90 : least;\n"
    "  const float moved = __builtin_fmaf(a, 0x1.715476p+0f, 0x1.8p23f), whole = moved - 0x1.8p23f;\n"
    "  const float part = __builtin_fmaf(whole, 0x1.05c610p-29f, __builtin_fmaf(whole, -0x1.62e430p-1f, a));\n"
    "  float power = __builtin_fmaf(0x1.6a2430p-10f, part, 0x1.1239e4p-7f);\n"
    "  power = __builtin_fmaf(power, part, 0x1.5558f2p-5f);\n"
    "  power = __builtin_fmaf(power, part, 0x1.555492p-3f);\n"
    "  power = __builtin_fmaf(power, part, 0x1.fffffcp-2f);\n"
    "  power = __builtin_fmaf(power, part * part, part) + 1;\n"
    "  unsigned bits;\n"
    "  __builtin_memcpy(&bits, &moved, sizeof bits);\n"
    "  const unsigned half = bits >> 1, one = 0x3f800000, first = (half << 23) + one;\n"
    "  const unsigned second = x < -0x1.9fe368p+6f ? 0 : ((bits - half) << 23) + one;\n"
    "  float by, more;\n"
    "  __builtin_memcpy(&by, &first, sizeof by);\n"
    "  __builtin_memcpy(&more, &second, sizeof more);\n"
    "  return power * by * more;\n"
    "}\n"
    "#undef expf\n"
    "#define expf sinter_own_expf\n"
    "#endif\n";

// Of our own, in place of the library's of one precision, where there are vectors.
struct own_function {
  std::string_view name;  // as the text calls it
  std::string_view text;
};
constexpr own_function own[] = {{"erff", own_erff}, {"expf", own_expf}};

std::vector<std::string_view> names_called(std::string_view source) {
  std::vector<std::string_view> names;
  while (!source.empty()) {
    const std::string_view token = take_token(source);
    if (starts_name(token[0]) && source.starts_with('(')) names.push_back(token);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool calls(const std::vector<std::string_view>& names, const std::string& name) {
  return std::binary_search(names.begin(), names.end(), std::string_view(name));
}

}  // namespace

bool is_library_function(std::string_view name) {
  return std::any_of(std::begin(library), std::end(library), [&](const auto& f) { return f.name == name; });
}

bool is_vector_function(std::string_view name) {
  return std::any_of(std::begin(library), std::end(library), [&](const auto& f) { return f.vector && f.name == name; });
}

namespace {

// Functions that gcc writes as instructions are declared plainly; `extern` on the rest tells the compiler stage to link the
// library they are in (codegen/compile/cpu.cpp).
bool is_instruction(std::string_view name) {
  for (const std::string_view inlined : {"ceil", "copysign", "fabs", "floor", "fma", "rint", "sqrt", "trunc"})
    if (name == inlined) return true;
  return false;
}

/// Does every compiler give what the function does of a number that it knows? All of these are rounded correctly.
bool is_exact(std::string_view name) {
  for (const std::string_view exact : {"fmax", "fmin", "fmod", "nextafter", "round"})
    if (name == exact) return true;
  return is_instruction(name);
}

// NVRTC makes numbers of functions of numbers that it knows, tanf of x == x say, which are not those of CUDA's functions.
constexpr std::string_view kept_numbers =
    "template <class A>\n"
    "static __device__ __forceinline__ A sinter_kept(A a) { return a; }\n"
    "static __device__ __forceinline__ float sinter_kept(float a) {\n"
    "  int bits = __float_as_int(a);\n"
    "  asm(\"\" : \"+r\"(bits));\n"
    "  return __int_as_float(bits);\n"
    "}\n"
    "static __device__ __forceinline__ double sinter_kept(double a) {\n"
    "  long long bits = __double_as_longlong(a);\n"
    "  asm(\"\" : \"+l\"(bits));\n"
    "  return __longlong_as_double(bits);\n"
    "}\n";

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
  const std::vector<std::string_view> names = names_called(source);
  std::string out;
  for (const library_function& f : library) {
    const std::string name(f.name);
    if (calls(names, name + "f")) out += declaration(f, "float", name + "f", vectorised) + renamed(f, name + "f");
    if (calls(names, name)) out += declaration(f, "double", name, vectorised) + renamed(f, name);
  }
  for (const own_function& f : own)
    if (vectorised && calls(names, std::string(f.name))) out += f.text;
  for (const odd_function& f : odd_library) {
    if (calls(names, std::string(f.single))) out += odd_declaration(f.single, f.parameters, "float");
    if (calls(names, std::string(f.twice))) out += odd_declaration(f.twice, f.parameters, "double");
  }
  return out;
}

std::string functions_at_run_time(std::string_view source) {
  const std::vector<std::string_view> names = names_called(source);
  std::string out;
  const auto add = [&](const library_function& f, const std::string& name) {
    if (!calls(names, name)) return;
    const bool one = f.arity == 1;
    out += std::string(one ? "template <class A>" : "template <class A, class B>") +
           "\nstatic __device__ __forceinline__ auto sinter_" + name + (one ? "(A a)" : "(A a, B b)") + " { return " +
           name + (one ? "(sinter_kept(a))" : "(sinter_kept(a), sinter_kept(b))") + "; }\n#define " + name +
           " sinter_" + name + "\n";
  };
  for (const library_function& f : library) {
    if (is_exact(f.name)) continue;
    add(f, std::string(f.name) + "f");
    add(f, std::string(f.name));
  }
  return out.empty() ? "" : std::string(kept_numbers) + out;
}

void define(overloads& all, const std::string& name, const std::string& rest) {
  all.first += "#pragma push_macro(\"" + name + "\")\n#undef " + name + "\n#define " + name + rest + "\n";
  all.last += "#pragma pop_macro(\"" + name + "\")\n";
}

namespace {

/// What C has under another name, or as a macro that goes by the type.
constexpr struct {
  std::string_view name, rest;
} plain_macros[] = {
    {"min", "(a, b) ((a) < (b) ? (a) : (b))"}, {"max", "(a, b) ((a) > (b) ? (a) : (b))"},
    {"isnan", "(a) __builtin_isnan(a)"},       {"isinf", "(a) (__builtin_isinf(a) != 0)"},
    {"isfinite", "(a) __builtin_isfinite(a)"}, {"signbit", "(a) (__builtin_signbit(a) != 0)"},
};

}  // namespace

overloads overloads_for(std::string_view source, bool vectorised, std::string (*branches)(std::string_view)) {
  overloads all;
  define(all, "true", " 1");
  define(all, "false", " 0");
  for (const auto& macro : plain_macros)
    if (has_name(source, macro.name)) define(all, std::string(macro.name), std::string(macro.rest));
  if (has_name(source, "abs"))
    define(all, "abs",
           "(a) _Generic((a)" + branches("abs") +
               ", float: __builtin_fabsf, double: __builtin_fabs, long: __builtin_labs"
               ", long long: __builtin_llabs, default: __builtin_abs)(a)");
  const char* const lists[] = {"(a)", "(a, b)", "(a, b, c)"};
  const char* const kinds[] = {"(a)", "(a) + (b)", "(a) + (b) + (c)"};
  for (const library_function& f : library) {
    const std::string name(f.name), single = name + "f", ours = is_instruction(f.name) ? "" : "sinter_";
    if (!has_name(source, name) && !has_name(source, single)) continue;
    all.first += declaration(f, "double", name, vectorised) + declaration(f, "float", single, vectorised);
    define(all, name,
           lists[f.arity - 1] + (" _Generic(" + std::string(kinds[f.arity - 1])) + branches(name) + ", float: " + ours +
               single + ", default: " + ours + name + ")" + lists[f.arity - 1]);
    if (!ours.empty()) define(all, single, " " + ours + single);
  }
  return all;
}

}  // namespace sinter::codegen
