// The types of complex numbers in texts, and the table of their functions: each is the operation of complex.def.
#include "codegen/source/called_complex.hpp"

#include <algorithm>

#include "codegen/source/tokens.hpp"

namespace sinter::codegen {

namespace {

constexpr dtype both[] = {dtype::complex64, dtype::complex128};

/// C++'s name of a function, the row of complex.def, and how many complex numbers it takes. None: it takes real ones.
struct complex_function {
  std::string_view name, helper;
  int numbers;
};

constexpr complex_function functions[] = {
    {"abs", "absolute", 1},   {"acos", "arccos", 1},   {"acosh", "arccosh", 1}, {"arg", "angle", 1},
    {"asin", "arcsin", 1},    {"asinh", "arcsinh", 1}, {"atan", "arctan", 1},   {"atanh", "arctanh", 1},
    {"conj", "conjugate", 1}, {"cos", "cos", 1},       {"cosh", "cosh", 1},     {"exp", "exp", 1},
    {"imag", "imag", 1},      {"log", "log", 1},       {"log10", "log10", 1},   {"make_complex", "make", 0},
    {"norm", "norm", 1},      {"polar", "polar", 0},   {"pow", "power", 2},     {"real", "real", 1},
    {"sin", "sin", 1},        {"sinh", "sinh", 1},     {"sqrt", "sqrt", 1},     {"tan", "tan", 1},
    {"tanh", "tanh", 1},
};

bool is_named(const complex_function& f, std::string_view source) { return has_name(source, f.name); }

std::string short_name(dtype t) { return detail::facts(t).short_name; }

bool gives_real(const complex_function& f) { return find_helper(f.helper, dtype::complex64)->result == "R"; }

// In C, products and quotients are those of complex.def by the compiler's option (codegen/compile/cpu.cpp).
constexpr std::string_view types_in_c = R"(typedef _Complex float text_complex64;
typedef _Complex double text_complex128;
)";

// A real number is not made a complex one first: C does not either, and infinity times 0 i would be NaN.
constexpr std::string_view types_in_cuda = R"(template <class R> struct text_pair { typedef complex64 type; };
template <> struct text_pair<double> { typedef complex128 type; };
template <class R> struct alignas(2 * sizeof(R)) text_complex {
  typedef typename text_pair<R>::type pair;
  R re, im;
  __device__ text_complex(R real = 0, R imag = 0) : re(real), im(imag) {}
  __device__ text_complex(const pair& a) : re(a.re), im(a.im) {}
  template <class S> __device__ text_complex(const text_complex<S>& a) : re((R)a.re), im((R)a.im) {}
  __device__ operator pair() const { const pair a = {re, im}; return a; }
  __device__ text_complex operator-() const { return text_complex(-re, -im); }
  __device__ text_complex operator+() const { return *this; }
  template <class X> __device__ text_complex& operator+=(const X& x) { return *this = *this + x; }
  template <class X> __device__ text_complex& operator-=(const X& x) { return *this = *this - x; }
  template <class X> __device__ text_complex& operator*=(const X& x) { return *this = *this * x; }
  template <class X> __device__ text_complex& operator/=(const X& x) { return *this = *this / x; }
};
typedef text_complex<float> text_complex64;
typedef text_complex<double> text_complex128;
template <class T> struct text_rank { enum { value = 0 }; };
template <> struct text_rank<text_complex64> { enum { value = 1 }; };
template <> struct text_rank<text_complex128> { enum { value = 2 }; };
template <int rank> struct text_ranked {};
template <> struct text_ranked<1> { typedef text_complex64 number; typedef float part; typedef bool truth; };
template <> struct text_ranked<2> { typedef text_complex128 number; typedef double part; typedef bool truth; };
template <class A, class B> struct text_both
    : text_ranked<((int)text_rank<A>::value > (int)text_rank<B>::value ? text_rank<A>::value : text_rank<B>::value)> {};
[[maybe_unused]] static __device__ __forceinline__ complex64 text_multiply(complex64 a, complex64 b) { return multiply_c64(a, b); }
[[maybe_unused]] static __device__ __forceinline__ complex128 text_multiply(complex128 a, complex128 b) { return multiply_c128(a, b); }
[[maybe_unused]] static __device__ __forceinline__ complex64 text_divide(complex64 a, complex64 b) { return divide_c64(a, b); }
[[maybe_unused]] static __device__ __forceinline__ complex128 text_divide(complex128 a, complex128 b) { return divide_c128(a, b); }
#define TEXT_OPERATOR(result, sign, first_real, second_real, neither_real) \
  template <class A, class B> \
  static __device__ __forceinline__ typename text_both<A, B>::result operator sign(const A& a, const B& b) { \
    typedef typename text_both<A, B>::number C; \
    typedef typename text_both<A, B>::part R; \
    if constexpr ((int)text_rank<A>::value == 0) { const R x = (R)a; const C y = b; return first_real; } \
    else if constexpr ((int)text_rank<B>::value == 0) { const C x = a; const R y = (R)b; return second_real; } \
    else { const C x = a, y = b; return neither_real; } \
  }
TEXT_OPERATOR(number, +, C(x + y.re, y.im), C(x.re + y, x.im), C(x.re + y.re, x.im + y.im))
TEXT_OPERATOR(number, -, C(x - y.re, -y.im), C(x.re - y, x.im), C(x.re - y.re, x.im - y.im))
TEXT_OPERATOR(number, *, C(x * y.re, x * y.im), C(x.re * y, x.im * y), C(text_multiply(x, y)))
TEXT_OPERATOR(number, /, C(text_divide(C(x), y)), C(x.re / y, x.im / y), C(text_divide(x, y)))
TEXT_OPERATOR(truth, ==, x == y.re && y.im == 0, x.re == y && x.im == 0, x.re == y.re && x.im == y.im)
TEXT_OPERATOR(truth, !=, x != y.re || y.im != 0, x.re != y || x.im != 0, x.re != y.re || x.im != y.im)
#undef TEXT_OPERATOR
template <class Sum> struct text_part { typedef double type; };
template <> struct text_part<float> { typedef float type; };
)";

std::string qualifier(dialect to) {
  return to == dialect::cuda ? "[[maybe_unused]] static __device__ __forceinline__ "
                             : "static inline __attribute__((always_inline, unused)) ";
}

std::string conversions(dtype t, dialect to) {
  const std::string pair(spelling(t)), number = "text_" + pair;
  const char* const made = to == dialect::c ? "__builtin_complex(a.re, a.im)" : "a";
  const char* const parts = to == dialect::c ? "{__real__ a, __imag__ a}" : "{a.re, a.im}";
  return "typedef " + pair + " pair_" + pair + ";\n" + qualifier(to) + number + " " + to_text(t, pair + " a") +
         " { return " + made + "; }\n" + qualifier(to) + pair + " " + from_text(t, number + " a") + " { const " + pair +
         " z = " + parts + "; return z; }\n";
}

/// A function's name for one dtype, where they have to differ: in C, and where arguments are numbers that may be converted.
std::string own_name(const complex_function& f, dtype t) { return "text_" + std::string(f.name) + "_" + short_name(t); }

std::string definition(const complex_function& f, dtype t, dialect to) {
  const bool is_overload = to == dialect::cuda && f.numbers > 0;
  const std::string part(spelling(detail::real_part_of(t))), number = "text_" + std::string(spelling(t));
  const std::string type = f.numbers == 0 ? part : number;
  const auto given = [&](const char* a) { return f.numbers == 0 ? std::string(a) : from_text(t, a); };
  const bool two = f.numbers != 1;
  const std::string call =
      std::string(f.helper) + "_" + short_name(t) + "(" + given("a") + (two ? ", " + given("b") : std::string()) + ")";
  return qualifier(to) + (gives_real(f) ? part : number) + " " + (is_overload ? std::string(f.name) : own_name(f, t)) +
         "(" + type + " a" + (two ? ", " + type + " b" : "") + ") { return " +
         (gives_real(f) ? call : to_text(t, call)) + "; }\n";
}

// Of two real numbers, that may be of any types.
std::string chooser(const complex_function& f) {
  const std::string name(f.name);
  const std::string part = "typename text_part<decltype(A() + B())>::type";
  return "template <class A, class B> " + qualifier(dialect::cuda) + "text_complex<" + part + "> " + name +
         "(A a, B b) {\n  if constexpr (sizeof(" + part + ") == 4) return " + own_name(f, dtype::complex64) +
         "((float)a, (float)b);\n  else return " + own_name(f, dtype::complex128) + "((double)a, (double)b);\n}\n";
}

}  // namespace

bool passes_complex(const function_text& f) {
  const auto is = [](const function_parameter& p) { return detail::is_complex(p.type); };
  return std::ranges::any_of(f.parameters, is) || std::ranges::any_of(f.results, is);
}

bool has_complex(const function_text& f) {
  for (const char* const name : {"complex64", "complex128", "make_complex", "polar"})
    if (has_name(f.body, name) || has_name(f.preamble, name)) return true;
  return passes_complex(f);
}

std::string to_text(dtype t, const std::string& number) {
  return detail::is_complex(t) ? "to_text_" + short_name(t) + "(" + number + ")" : number;
}

std::string from_text(dtype t, const std::string& number) {
  return detail::is_complex(t) ? "from_text_" + short_name(t) + "(" + number + ")" : number;
}

void use_complex_helpers(std::string_view source, dialect to, helper_list& used) {
  for (const dtype t : both) {
    for (const complex_function& f : functions)
      if (is_named(f, source)) spell_helper(f.helper, t, used);
    for (const char* const helper : {"make", "multiply", "divide"})
      if (to == dialect::cuda || helper == std::string_view("make")) spell_helper(helper, t, used);
  }
}

std::string complex_branches(std::string_view function) {
  const std::string name(function);
  if (std::ranges::find(functions, function, &complex_function::name) == std::end(functions)) return "";
  return ", _Complex float: text_" + name + "_c64, _Complex double: text_" + name + "_c128";
}

overloads complex_overloads(std::string_view source, dialect to) {
  overloads all{std::string(to == dialect::c ? types_in_c : types_in_cuda), ""};
  for (const dtype t : both) all.first += conversions(t, to);
  for (const complex_function& f : functions) {
    if (!is_named(f, source)) continue;
    for (const dtype t : both) all.first += definition(f, t, to);
    if (to == dialect::cuda && f.numbers == 0) all.first += chooser(f);
    if (to == dialect::cuda || is_library_function(f.name) || f.name == "abs") continue;
    const std::string single = f.numbers == 0 ? "float" : "_Complex float", name = "text_" + std::string(f.name);
    const std::string list = f.numbers == 0 ? "(a, b)" : "(a)", kind = f.numbers == 0 ? "(a) + (b)" : "(a)";
    define(all, std::string(f.name),
           list + " _Generic(" + kind + ", " + single + ": " + name + "_c64, default: " + name + "_c128)" + list);
  }
  for (const dtype t : both) {  // no macros before, which NVRTC could not bring back
    const std::string type(spelling(t));
    all.first += "#define " + type + " text_" + type + "\n";
    all.last += "#undef " + type + "\n";
  }
  return all;
}

}  // namespace sinter::codegen
