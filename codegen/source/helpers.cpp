// Text of operations and of the helper functions they call: ops.def and prelude.def with names and types put in.
// Between the passes and the emitter. Invariant: substitution is by token, so a name never changes part of another.
#include "codegen/source/helpers.hpp"

#include <algorithm>

#include <sinter/error.hpp>

#include "codegen/source/library.hpp"
#include "codegen/source/op_texts.hpp"
#include "codegen/source/special_texts.hpp"
#include "codegen/source/tokens.hpp"

namespace sinter::codegen {
namespace {

constexpr op_texts texts[] = {
#define SINTER_OP(name, arity, rule, value, ...) {__VA_ARGS__},
#include <sinter/ops.def>
#undef SINTER_OP
};

constexpr helper_text helpers[] = {
#define SINTER_HELPER(name, parameters, result, real, integer) {#name, parameters, result, real, integer, ""},
#define SINTER_FLOATS(name, parameters, twice, single) {#name, parameters, "T", twice, "", "", single},
#define SINTER_INTEGER(...)
#define SINTER_SHORT(...)
#include "codegen/source/prelude.def"
#undef SINTER_HELPER
#undef SINTER_FLOATS
#undef SINTER_INTEGER
#undef SINTER_SHORT
};

constexpr helper_text short_helpers[] = {
#define SINTER_HELPER(...)
#define SINTER_FLOATS(...)
#define SINTER_INTEGER(...)
#define SINTER_SHORT(name, parameters, result, half, bfloat) {#name, parameters, result, half, bfloat, ""},
#include "codegen/source/prelude.def"
#undef SINTER_HELPER
#undef SINTER_FLOATS
#undef SINTER_INTEGER
#undef SINTER_SHORT
};

constexpr helper_text complex_helpers[] = {
#define SINTER_COMPLEX(name, parameters, result, text) {#name, parameters, result, "", "", text},
#define SINTER_FUNCTION SINTER_COMPLEX
#include "codegen/source/complex.def"
#undef SINTER_COMPLEX
#undef SINTER_FUNCTION
};

constexpr std::string_view complex_functions[] = {
#define SINTER_COMPLEX(...)
#define SINTER_FUNCTION(name, ...) #name,
#include "codegen/source/complex.def"
#undef SINTER_COMPLEX
#undef SINTER_FUNCTION
};

/// A row of prelude.def that stands in place of a helper's integer text.
struct integer_text {
  std::string_view name;
  bool (*serves)(int bytes, bool is_cuda);
  std::string_view text;
};

constexpr integer_text integer_texts[] = {
#define SINTER_HELPER(...)
#define SINTER_FLOATS(...)
#define SINTER_SHORT(...)
#define SINTER_INTEGER(name, where, text) \
  {#name, []([[maybe_unused]] int bytes, [[maybe_unused]] bool is_cuda) { return where; }, text},
#include "codegen/source/prelude.def"
#undef SINTER_HELPER
#undef SINTER_FLOATS
#undef SINTER_INTEGER
#undef SINTER_SHORT
};

/// A row of divisors.def.
struct divisor_row {
  bool (*serves)(int bytes, bool is_signed);
  std::string_view condition, fields, prepare, quotient;
};

constexpr divisor_row divisor_rows[] = {
#define SINTER_DIVISOR(which, condition, fields, prepare, quotient)                                               \
  {[]([[maybe_unused]] int bytes, [[maybe_unused]] bool is_signed) { return which; }, condition, fields, prepare, \
   quotient},
#include "codegen/source/divisors.def"
#undef SINTER_DIVISOR
};

/// A column of divisors.def: of the first row for that dtype whose condition the compiler meets.
std::string divisor_text(dtype t, std::string_view divisor_row::*column) {
  std::string text, end;
  for (const divisor_row& row : divisor_rows) {
    if (!row.serves(itemsize(t), detail::facts(t).is_signed)) continue;
    if (row.condition.empty()) return text.append(row.*column) + end;
    text.append("#ifdef ").append(row.condition).append("\n").append(row.*column).append("#else\n");
    end += "#endif\n";
  }
  return text;
}

std::string text_for(const helper_text& helper, dtype t, dialect d) {
  if (detail::is_complex(t)) return std::string(helper.complex);
  if (detail::is_short_floating(t)) return std::string(t == dtype::float16 ? helper.real : helper.integer);
  if (t == dtype::float32 && !helper.single.empty()) return std::string(helper.single);
  if (detail::is_floating(t)) return std::string(helper.real);
  if (d == dialect::c) {
    if (helper.name == "floor_divide_by") return divisor_text(t, &divisor_row::quotient);
    if (helper.name == "divisor")
      return "struct divisor@ by = {b == 0 ? 1 : b, b == 0 ? 0 : -1};\n" + divisor_text(t, &divisor_row::prepare) +
             "return by;\n";
  }
  for (const integer_text& row : integer_texts)
    if (row.name == helper.name && row.serves(itemsize(t), d == dialect::cuda)) return std::string(row.text);
  return std::string(helper.integer);
}

void use_helper(std::string_view name, dtype t, dialect d, helper_list& used) {
  const helper_text* helper = find_helper(name, t);
  if (!helper || text_for(*helper, t, d).empty())
    throw internal_error(("no helper " + std::string(name) + " for " + sinter::name(t)).c_str());
  if (std::find(used.begin(), used.end(), helper_use{helper->name, t}) != used.end()) return;
  const std::string text = std::string(helper->parameters) + ";" + text_for(*helper, t, d);
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view token = take_token(rest);
    if (rest.starts_with('@') && token != helper->name) use_helper(token, t, d, used);
  }
  used.push_back({helper->name, t});
}

/// May a literal with a sign stand here bare: as a whole argument of a call?
bool is_whole_argument(std::string_view before, std::string_view after) {
  while (before.ends_with(' ')) before.remove_suffix(1);
  return (before.ends_with('(') || before.ends_with(',')) && (after.starts_with(')') || after.starts_with(','));
}

/// Puts types, suffixes, helper names and (args not null) arguments into a text.
std::string fill_in(std::string_view text, dtype t, const std::string_view* args, helper_list* used,
                    dialect d = dialect::c) {
  std::string out;
  while (!text.empty()) {
    // A cast to the type it already is would only be noise.
    if (text.starts_with("(U)") && spelling(t) == modular_spelling(t)) {
      text.remove_prefix(3);
      continue;
    }
    const std::string_view token = take_token(text);
    if (token == "$") {
      const dtype part = detail::real_part_of(t);
      if (part == dtype::float32 || (!detail::is_floating(part) && itemsize(part) < 4)) out += 'f';
    } else if (token == "Q") {
      out += itemsize(t) < 4 ? "float" : "double";
    } else if (token == "T") {
      out += spelling(t);
    } else if (token == "Z") {
      out += t == dtype::float64 ? "complex128" : "complex64";
    } else if (token == "R") {
      out += spelling(detail::real_part_of(t));
    } else if (token == "U" || (token == "W" && is_narrow(t) && d == dialect::cuda)) {
      out += modular_spelling(t);
    } else if (token == "W") {
      out += spelling(t);
    } else if (token == "H") {
      out += itemsize(t) < 4 ? "unsigned short" : modular_spelling(t);
    } else if (token == "P") {
      out += itemsize(t) < 4 ? "unsigned int" : itemsize(t) == 4 ? "unsigned long long" : "unsigned __int128";
    } else if (text.starts_with('@')) {
      text.remove_prefix(1);
      if (used) use_helper(token, t, d, *used);
      out.append(token).append("_").append(detail::facts(t).short_name);
    } else if (args && token.size() == 1 && token[0] >= 'a' && token[0] <= 'c') {
      const std::string_view arg = args[token[0] - 'a'];
      const bool bare = !arg.starts_with('-') || is_whole_argument(out, text) || (out.empty() && text.empty());
      out.append(bare ? "" : "(").append(arg).append(bare ? "" : ")");
    } else {
      out += token;
    }
  }
  return out;
}

}  // namespace

const helper_text* find_helper(std::string_view name, dtype t) {
  const auto in = [&](const auto& rows) -> const helper_text* {
    const auto found = std::find_if(std::begin(rows), std::end(rows), [&](auto& h) { return h.name == name; });
    return found == std::end(rows) ? nullptr : &*found;
  };
  if (detail::is_complex(t)) return in(complex_helpers);
  if (detail::is_short_floating(t)) return in(short_helpers);
  const helper_text* const common = in(helpers);
  // The texts of special functions are made when the first of them is used.
  return common || !detail::is_floating(t) || !has_special_text(name) ? common : in(special_helpers());
}

std::string spell(op code, dtype computed, dialect d, const std::string_view args[3], helper_list& used) {
  const op_texts& row = texts[static_cast<int>(code)];
  if ((detail::is_complex(computed) || detail::is_short_floating(computed)) && code != op::where) {
    const char* const lists[] = {"@(a)", "@(a, b)", "@(a, b, c)"};
    return fill_in(std::string(detail::facts(code).name) + lists[detail::facts(code).arity - 1], computed, args, &used,
                   d);
  }
  // Of a choice between truth values that are computed gcc makes no vectors. A byte from elsewhere is true if it is not 0.
  if (code == op::where && computed == dtype::bool_ && d == dialect::c)
    return fill_in("((a != 0) & (b != 0)) | ((c != 0) & !a)", computed, args, &used, d);
  const bool real = detail::is_floating(computed);
  const char* text = !real ? row.integer : d == dialect::c && row.c ? row.c : row.cuda;
  if (!*text)
    throw internal_error((std::string("no text for ") + detail::facts(code).name + " of " + name(computed)).c_str());
  return fill_in(text, computed, args, &used, d);
}

bool calls_vector_function(op code) {
  const op_texts& row = texts[static_cast<int>(code)];
  const std::string_view text = row.c ? row.c : row.cuda, name = text.substr(0, text.find('$'));
  const std::string_view arguments = text.substr(name.size());
  return (arguments == "$(a)" || arguments == "$(a, b)") && is_vector_function(name);
}

bool has_divisor(op code, dtype computed, dialect d) {
  return d == dialect::c && detail::is_integer(computed) && find_helper(detail::facts(code).name + std::string("_by"));
}

std::string spell_by(op code, dtype computed, std::string_view dividend, std::string_view divisor, helper_list& used) {
  const std::string_view args[] = {dividend, divisor};
  return fill_in(detail::facts(code).name + std::string("_by@(a, b)"), computed, args, &used);
}

bool may_wrap(op code) {
  std::string_view text = texts[static_cast<int>(code)].integer;
  if (text.find("(U)") != std::string_view::npos) return true;
  while (!text.empty()) {
    const std::string_view token = take_token(text);
    if (text.starts_with('@') && find_helper(token)->result == std::string_view("W")) return true;
  }
  return false;
}

std::string in_32_bits(std::string_view text, dtype t, helper_list& used) {
  return fill_in("in_32_bits@(a)", t, &text, &used);
}

std::string spell_helper(std::string_view helper, dtype t, helper_list& used) {
  return fill_in(std::string(helper) + "@", t, nullptr, &used);
}

namespace {

// To 16 bits it is rounded once: from what float does not hold by way of a float that is rounded to odd.
std::string spell_shortening(dtype to, dtype from, std::string_view arg, helper_list& used) {
  const bool in_float =
      from == dtype::float32 || from == dtype::bool_ || (detail::is_integer(from) && itemsize(from) <= 2);
  const dtype through = in_float ? dtype::float32 : dtype::float64;
  const std::string number = spell_cast(through, from, arg, used);
  const std::string_view single = number;
  if (in_float) return fill_in("shorten@(a)", to, &single, &used);
  return fill_in("shorten@(round_to_odd@(a))", to, &single, &used);
}

std::string spell_complex_cast(dtype to, dtype from, std::string_view arg, helper_list& used) {
  const dtype part = detail::real_part_of(from);
  if (to == dtype::bool_) return fill_in("truth@(a)", from, &arg, &used);
  if (!detail::is_complex(to)) return spell_cast(to, part, std::string(arg) + ".re", used);
  if (detail::is_complex(from)) return fill_in(std::string("to_") + name(to) + "@(a)", from, &arg, &used);
  const std::string real = spell_cast(detail::real_part_of(to), from, arg, used);
  const std::string_view only = real;
  return fill_in("make@(a, 0)", to, &only, &used);
}

}  // namespace

std::string spell_cast(dtype to, dtype from, std::string_view arg, helper_list& used) {
  if (to == from) return std::string(arg);
  if (detail::is_complex(to) || detail::is_complex(from)) return spell_complex_cast(to, from, arg, used);
  if (detail::is_short_floating(from)) {
    const std::string number = fill_in("lengthen@(a)", from, &arg, &used);
    return spell_cast(to, dtype::float32, number, used);
  }
  if (detail::is_short_floating(to)) return spell_shortening(to, from, arg, used);
  if (to == dtype::bool_) return fill_in("a != 0", from, &arg, nullptr);
  if (detail::is_floating(from) && detail::is_integer(to))
    return fill_in(std::string("cast_") + detail::facts(to).short_name + "@(a)", from, &arg, &used);
  // gcc has no vector conversion from bool to floating, but it has both halves of one.
  const bool truth_to_floating = from == dtype::bool_ && detail::is_floating(to);
  return fill_in(truth_to_floating ? "(T)(int)a" : "(T)a", to, &arg, nullptr);
}

namespace {

std::string indented(std::string_view text) {
  std::string out;
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = text.find('\n', begin);
    out.append(text[begin] == '#' ? "" : "  ").append(text.substr(begin, end - begin)).append("\n");
  }
  return out;
}

// Are there loops in a function of special.def, or in what it calls? A sine of a large angle is one.
bool has_loops(std::string_view name) {
  const std::string_view text = find_helper(name)->real;
  if (text.find("for (") != text.npos || text.find("sin$(") != text.npos) return true;
  for (std::size_t end = text.find("@("); end != text.npos; end = text.find("@(", end + 1)) {
    const std::size_t before = text.find_last_not_of("abcdefghijklmnopqrstuvwxyz0123456789_", end - 1);
    const std::string_view called = text.substr(before + 1, end - before - 1);
    if (is_special(called) && has_loops(called)) return true;
  }
  return false;
}

bool is_long_quotient(const helper_use& use) {
  return detail::is_integer(use.type) && itemsize(use.type) == 8 &&
         (use.name == "floor_divide" || use.name == "remainder" || use.name == "fmod");
}

// Not to be put into a kernel by the dozen: ptxas 13.0 then has more branches open at a time than it has registers for. A
// logcumsumexp of a floor_divide in double lacked the value of a neighbouring lane on an H200, and has it with functions, which
// are a tenth of the code. Loops inside the elements of a pack take NVRTC seconds.
bool stands_apart(const helper_use& use, bool divides_often) {
  if (use.name == "long_quotient") return true;
  if (is_long_quotient(use)) return divides_often;
  if (is_special(use.name))
    return use.type == dtype::float64 || find_helper(use.name)->real.size() > 600 || has_loops(use.name);
  if (detail::is_complex(use.type))
    return std::ranges::find(complex_functions, use.name) != std::end(complex_functions);
  return use.type == dtype::float64 && (use.name == "fmod" || use.name == "logaddexp" || use.name == "logaddexp2");
}

}  // namespace

std::string type_definitions(std::string_view text, dialect d) {
  std::string out;
  for (const dtype t : {dtype::float16, dtype::bfloat16})
    if (has_name(text, spelling(t))) out += "typedef unsigned short " + std::string(spelling(t)) + ";\n";
  for (const dtype t : {dtype::complex64, dtype::complex128}) {
    const std::string type(spelling(t)), parts = " { " + std::string(spelling(detail::real_part_of(t))) + " re, im; }";
    if (!has_name(text, type)) continue;
    const std::string bytes = std::to_string(itemsize(t));
    out += d == dialect::c ? "typedef struct __attribute__((aligned(" + bytes + ")))" + parts + " " + type + ";\n"
                           : "struct alignas(" + bytes + ") " + type + parts + ";\n";
  }
  return out;
}

std::string shuffle_definitions(std::string_view text, dtype t) {
  std::string out;
  const std::string type(spelling(t));
  for (const char* name : {"__shfl_sync", "__shfl_down_sync", "__shfl_up_sync"}) {
    if (!has_name(text, name)) continue;
    const auto part = [&](const char* of) {
      return "  a." + std::string(of) + " = " + name + "(mask, a." + of + ", lane, width);\n";
    };
    out += "static __device__ __forceinline__ " + type + " " + name + "(unsigned mask, " + type +
           " a, int lane, int width = 32) {\n" + part("re") + part("im") + "  return a;\n}\n";
  }
  return out;
}

// 240 of them in a pack of eight took NVRTC more than a minute: each has a branch.
bool divides_often(const kernel& k) {
  constexpr auto most_written_out = 16;
  return std::ranges::count_if(k.values, [](const value& v) {
           const bool divides = v.code == op::floor_divide || v.code == op::remainder || v.code == op::fmod;
           return v.kind == value_kind::apply && divides && detail::is_integer(v.type) && itemsize(v.type) == 8;
         }) > most_written_out;
}

std::string helper_definition(const helper_use& use, dialect d, bool divides_often) {
  const helper_text* helper = find_helper(use.name, use.type);
  std::string out;
  if (use.name == "divisor")
    out = fill_in(
        "struct divisor@ {\n" + indented("T b, keep;\n" + divisor_text(use.type, &divisor_row::fields)) + "};\n",
        use.type, nullptr, nullptr);
  if (d == dialect::c)
    out += use.name == "fmod_unless" ? "#pragma omp declare simd notinbranch\nstatic __attribute__((noinline)) "
                                     : "static inline ";
  else
    out += stands_apart(use, divides_often) ? "static __device__ __noinline__ " : "static __device__ __forceinline__ ";
  out += fill_in(helper->result, use.type, nullptr, nullptr, d);
  out.append(" ").append(use.name).append("_").append(detail::facts(use.type).short_name);
  out += "(" + fill_in(helper->parameters, use.type, nullptr, nullptr) + ") {\n";
  return out + indented(fill_in(text_for(*helper, use.type, d), use.type, nullptr, nullptr, d)) + "}\n";
}

}  // namespace sinter::codegen
