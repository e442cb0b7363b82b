// Writing kernels around function text: text.hpp.
#include "codegen/function/text.hpp"

#include <cctype>
#include <string_view>

#include <sinter/detail/config.hpp>

namespace sinter::codegen {
namespace {

std::string type_text(dtype t) { return detail::facts(t).text; }

bool has_word(std::string_view text, std::string_view word) {
  const auto inside = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if (!inside(at - 1) && !inside(at + word.size())) return true;
  return false;
}

/// What C++ has overloaded, C has not. Only what the text uses: where a library function is declared, libm is linked.
std::string c_functions(std::string_view text) {
  std::string out = "#define bool _Bool\n#define true 1\n#define false 0\n";
  for (const char* name : {"min", "max"})
    if (has_word(text, name))
      out += std::string("#define ") + name + "(a, b) ((a) " + (name[1] == 'i' ? "<" : ">") + " (b) ? (a) : (b))\n";
  const auto declare = [&](const std::string& name, int parameters) {
    if (!has_word(text, name) && !has_word(text, name + "f")) return;
    const char* const lists[] = {"(T)", "(T, T)", "(T, T, T)"};
    const char* const calls[] = {"(a)", "(a, b)", "(a, b, c)"};
    const char* const kinds[] = {"(a)", "(a) + (b)", "(a) + (b) + (c)"};
    for (const char* type : {"double", "float"}) {
      std::string list = lists[parameters - 1];
      for (std::size_t at = list.find('T'); at != std::string::npos; at = list.find('T')) list.replace(at, 1, type);
      out += std::string("extern ") + type + " " + name + (type[0] == 'f' ? "f" : "") + list + ";\n";
    }
    out += "#define " + name + calls[parameters - 1] + " _Generic(" + kinds[parameters - 1] + ", float: " + name +
           "f, default: " + name + ")" + calls[parameters - 1] + "\n";
  };
  for (const char* name :
       {"sqrt", "cbrt",  "exp",  "exp2",  "expm1", "log",  "log2", "log10",  "log1p", "sin",   "cos",
        "tan",  "asin",  "acos", "atan",  "sinh",  "cosh", "tanh", "asinh",  "acosh", "atanh", "floor",
        "ceil", "trunc", "rint", "round", "fabs",  "erf",  "erfc", "tgamma", "lgamma"})
    declare(name, 1);
  for (const char* name : {"pow", "atan2", "hypot", "fmod", "fmin", "fmax", "copysign"}) declare(name, 2);
  declare("fma", 3);
  return out;
}

struct parts {
  std::string parameters;  // of the function
  std::string arguments;   // of the kernel, each with a comma before it
  std::string call;
};

/// `from`: what stands before the name of an argument of the kernel.
parts parts_of(const function_text& f, const std::string& from) {
  parts p;
  for (const function_parameter& one : f.parameters) {
    const std::string type = type_text(one.type), name = "p_" + one.name;
    const bool raw = one.what == function_parameter::raw, value = one.what == function_parameter::value;
    p.parameters += (raw ? "const " + type + "* " : "const " + type + " ") + one.name + ", ";
    p.arguments += value ? ", const " + type + " " + name : ", const " + type + "* " + name;
    p.call += from + name;
    if (one.what == function_parameter::element) {
      p.arguments += ", const long long s_" + one.name;
      p.call += "[i * " + from + "s_" + one.name + "]";
    }
    p.call += ", ";
  }
  p.parameters += "const long long i";
  p.call += "i";
  return p;
}

std::string members(std::string arguments) {
  for (std::size_t at = arguments.find(", "); at != std::string::npos; at = arguments.find(", ", at + 1))
    arguments.replace(at, 2, "; ");
  return arguments;
}

/// The functions that both kinds of kernel call.
std::string functions(const function_text& f, const std::string& parameters, const std::string& specifiers) {
  const std::string result = type_text(f.result), head = specifiers + result + " ";
  const std::string point = head + "point(" + parameters + ") {\n";
  if (f.combine.empty()) return point + f.body + "\n}\n\n";
  return point + "  return " + f.body + ";\n}\n" + head + "combine(const " + result + " a, const " + result +
         " b) {\n  return " + f.combine + ";\n}\n" + head + "finish(const " + result + " a) {\n  return " + f.finish +
         ";\n}\n\n";
}

std::string cuda_loop(const function_text& f, const std::string& call) {
  if (f.combine.empty())
    return "  const long long step = (long long)gridDim.x * blockDim.x;\n"
           "  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)\n"
           "    out[i] = point(" +
           call + ");\n";
  const std::string result = type_text(f.result);
  return "  __shared__ " + result + " part[256];\n  const int t = threadIdx.x;\n" +
         "  for (long long o = blockIdx.x; o < count; o += gridDim.x) {\n    " + result +
         " all = identity;\n"
         "    for (long long i = o * length + t; i < (o + 1) * length; i += 256) all = combine(all, point(" +
         call +
         "));\n"
         "    part[t] = all;\n"
         "    __syncthreads();\n"
         "    for (int half = 128; half > 0; half /= 2) {\n"
         "      if (t < half) part[t] = combine(part[t], part[t + half]);\n"
         "      __syncthreads();\n"
         "    }\n"
         "    if (t == 0) out[o] = finish(part[0]);\n"
         "    __syncthreads();\n"
         "  }\n";
}

std::string c_loop(const function_text& f, const std::string& call) {
  if (f.combine.empty())
    return "#pragma GCC ivdep\n  for (long long i = begin; i < end; ++i) out[i] = point(" + call + ");\n";
  return "  for (long long o = begin; o < end; ++o) {\n    " + type_text(f.result) +
         " all = a->identity;\n"
         "    for (long long i = o * a->length; i < (o + 1) * a->length; ++i) all = combine(all, point(" +
         call + "));\n    out[o] = finish(all);\n  }\n";
}

}  // namespace

std::string function_kernel_text(const function_text& f, dialect language) {
  const bool cuda = language == dialect::cuda, folds = !f.combine.empty();
  const parts p = parts_of(f, cuda ? "" : "a->");
  const std::string result = type_text(f.result);
  const std::string head = "// Sinter " SINTER_VERSION "\n// " + std::string(folds ? "reduction" : "elementwise") +
                           " kernel " + f.name + "\n";
  const std::string arguments = result + "* out, const long long count" +
                                (folds ? ", const long long length, const " + result + " identity" : "") + p.arguments;
  if (cuda)
    return head + functions(f, p.parameters, "static __device__ __forceinline__ ") +
           "extern \"C\" __global__ void __launch_bounds__(256) sinter_kernel(" + arguments + ") {\n" +
           cuda_loop(f, p.call) + "}\n";
  return head + c_functions(f.body + " " + f.combine + " " + f.finish) + functions(f, p.parameters, "static inline ") +
         "struct arguments { " + members(arguments) +
         "; };\n"
         "void sinter_kernel(const void* block, long long begin, long long end) {\n"
         "  const struct arguments* const a = block;\n  " +
         result + "* const out = a->out;\n" + c_loop(f, p.call) + "}\n";
}

}  // namespace sinter::codegen
