// The arithmetic and the vocabulary of body.hpp.
#include "codegen/source/body.hpp"

#include <algorithm>

#include <sinter/error.hpp>

#include "codegen/ir/values.hpp"
#include "codegen/source/called.hpp"
#include "codegen/source/emit.hpp"
#include "codegen/source/keep.hpp"
#include "codegen/source/library.hpp"
#include "codegen/source/loads.hpp"
#include "codegen/source/pragmas.hpp"
#include "codegen/source/tokens.hpp"

namespace sinter::codegen {

using detail::facts;

namespace {

// Parameter lists of many scalars are broken into lines that can be read.
std::string listed(const std::vector<std::string>& items, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string item = items[i] + (i + 1 < items.size() ? "," : "");
    if (i && column + item.size() > 118) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (i) {
      out += " ";
    }
    out += item;
    column += item.size() + 1;
  }
  return out;
}

// Sums of narrow integers and truth values are 64 bits wide. Their elements come as 32 bits, in which a pack or a run of them
// cannot overflow: adding 64 bits takes a GPU several instructions, and a core twice the vectors.
kernel with_short_sums(kernel k) {
  for (accumulator& a : k.accumulators) {
    const value& wide = k.values[a.value];
    if (a.what != reduction::sum || !detail::is_integer(a.type) || itemsize(a.type) != 8) continue;
    if (wide.kind != value_kind::cast || k.values.size() == 0xffff) continue;
    const dtype from = k.values[wide.args[0]].type;
    if (detail::is_floating(from) || itemsize(from) > 2) continue;
    k.values.push_back({value_kind::cast, dtype::int32, op::add, {wide.args[0]}});
    a.value = static_cast<std::uint16_t>(k.values.size() - 1);
  }
  return k;
}

// A narrow integer that may have wrapped round when it was computed: an operation's result, or the low bits of a wider
// computed one.
bool may_wrap_in(const kernel& k, const value& v) {
  if (!is_narrow(v.type)) return false;
  if (v.kind == value_kind::apply) return may_wrap(v.code);
  if (v.kind != value_kind::cast) return false;
  const value& from = k.values[v.args[0]];
  return detail::is_integer(from.type) && itemsize(from.type) > itemsize(v.type) &&
         (from.kind == value_kind::apply || from.kind == value_kind::cast);
}

// The values that something is computed from, not only written.
std::vector<bool> used_again(const kernel& k) {
  std::vector<bool> used(k.values.size());
  for (const value& v : k.values)
    for (int a = 0; a < arity(v); ++a) used[v.args[a]] = true;
  for (const accumulator& a : k.accumulators)
    for (int m = 0; m < a.members(); ++m) used[a.folded(m)] = true;
  return used;
}

// The scalars that nothing does but divide by them.
std::vector<bool> scalars_that_divide(const kernel& k, dialect to) {
  std::vector<bool> divides(k.scalars.size()), is_more(k.scalars.size());
  const auto note = [&](std::uint16_t used, std::vector<bool>& as) {
    if (k.values[used].kind == value_kind::scalar) as[k.values[used].index] = true;
  };
  for (const value& v : k.values)
    for (int a = 0; a < arity(v); ++a) {
      const bool by = a == 1 && v.kind == value_kind::apply && has_divisor(v.code, k.values[v.args[1]].type, to);
      note(v.args[a], by ? divides : is_more);
    }
  for (const accumulator& a : k.accumulators) note(a.value, is_more);
  for (std::uint16_t o : k.outputs) note(o, is_more);
  for (std::size_t s = 0; s < divides.size(); ++s) divides[s] = divides[s] && !is_more[s];
  return divides;
}

bool uses_infinity(const kernel& k) {
  for (const accumulator& a : k.accumulators)
    if (detail::is_inexact(a.type) && facts(a.what).starts[0] >= detail::start::lowest) return true;
  return false;
}

}  // namespace

std::string function::call(const spelled& input, const spelled& reduced_value, const std::vector<std::string>& into,
                           const spelled& kept) const {
  std::vector<std::string> arguments;
  if (!notes.empty()) arguments.push_back(notes);
  for (int i : inputs) arguments.push_back(input(i));
  for (int g : given) arguments.push_back(kept(g));
  for (int r : reduced) arguments.push_back(reduced_value(r));
  for (int s : scalars) arguments.push_back(number("s", s));
  for (int d : divisors) arguments.push_back(number("d", d));
  const bool single = results.size() == 1;
  if (!single)
    for (const std::string& target : into) arguments.push_back(target[0] == '*' ? target.substr(1) : "&" + target);
  return (single ? into[0] + " = " : std::string()) + name + "(" + listed(arguments, 6) + ");";
}

body::body(const kernel& kernel_, const variant& variant_, const target& goal_)
    : k(form_of(kernel_) == form::fold ? with_short_sums(kernel_) : kernel_),
      v(variant_),
      goal(goal_),
      to(goal.to),
      divides(scalars_that_divide(k, to)),
      rounded(products_side_by_side(k, goal.math)),
      texts(texts_of(k)),
      shape(form_of(k)),
      stages(v.map.staged ? stages_by_function(k)
             : v.map.once ? stages_after(k, same_for_all_rows(k, v))
                          : stages_of(k, keeper_for(k, v, to))),
      cut(v.map.stretches ? stretches_of(k, v) : stretches{}) {
  arguments = parameters(k, v);
  if (v.map.stretches) ask_in_stretches();
  for (parameter& p : arguments)
    if (p.what == parameter::input && is_byte_of_truth(p.index)) p.type = "const unsigned char*";
  index = v.wide ? "long long" : "int";
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const std::string called = shape == form::map && stages.size() == 1 ? "point"
                               : shape == form::fold                    ? "element"
                                                                        : number("stage", static_cast<int>(s));
    points.push_back(
        make_function(called, results_of(k, stages[s]), v.map.stretches ? given_in_stretches() : stages[s].given));
    once.emplace_back();
    if (!stages[s].once.empty()) once.back() = make_function(number("row", static_cast<int>(s)), stages[s].once, {});
  }
  std::vector<std::uint16_t> results;
  for (int o : row_outputs()) results.push_back(k.outputs[static_cast<std::size_t>(o)]);
  if (!results.empty()) result = make_function("result", results, {});
}

void body::ask_in_stretches() {
  for (std::uint16_t b : cut.borders) borders.push_back(make_function(number("border", b), {b}, {}));
  for (const settled_load& l : cut.loads) {
    const value& at = k.values[l.value];
    std::vector<std::uint16_t> asked;
    if (at.index & with_offset) asked.push_back(at.args[1]);
    if (guard_of(at)) asked.push_back(static_cast<std::uint16_t>(*guard_of(at)));
    places.push_back(asked.empty() ? function{} : make_function(number("place", l.value), asked, {}));
  }
}
std::vector<std::uint16_t> body::given_in_stretches() const {
  std::vector<std::uint16_t> all = cut.borders;
  for (const settled_load& l : cut.loads) all.push_back(l.value);
  return all;
}

std::vector<int> body::row_outputs() const {
  std::vector<int> all;
  for (std::size_t o = 0; o < k.outputs.size(); ++o)
    if (!is_everywhere(k, o)) all.push_back(static_cast<int>(o));
  return all;
}

// What a value that is no leaf is computed by, given the names of those before it.
std::string body::spell_value(const value& at, const std::vector<std::string>& names, bool stay_wide) const {
  const auto narrow = [&](std::string text) { return stay_wide ? in_32_bits(text, at.type, used_) : text; };
  if (at.kind == value_kind::cast) {
    const std::string& from = names[at.args[0]];
    return stay_wide ? narrow(from) : spell_cast(at.type, k.values[at.args[0]].type, from, used_);
  }
  if (at.kind == value_kind::call) return spell_call(at, names);
  if (at.kind != value_kind::apply) return spell_access(at, names, to);
  if (is_rounded(at)) {
    const std::string& a = names[at.args[0]];
    return (at.type == dtype::float32 ? "__fmul_rn(" : "__dmul_rn(") + a + ", " +
           (at.code == op::square ? a : names[at.args[1]]) + ")";
  }
  const int count = arity(at);
  std::string truth[3];
  std::string_view args[3];
  for (int a = 0; a < count; ++a) {
    args[a] = names[at.args[a]];
    if (count == 2 && is_byte(k.values[at.args[a]]) && !is_byte(k.values[at.args[1 - a]]))
      args[a] = truth[a] = "(" + std::string(args[a]) + " != 0)";
  }
  const value& last = k.values[at.args[count - 1]];
  const bool by_divisor = last.kind == value_kind::scalar && divides[last.index];
  return narrow(by_divisor ? spell_by(at.code, last.type, args[0], args[1], used_)
                           : spell(at.code, last.type, to, args, used_));
}

std::string body::name_of(const function_text* f, const char* prefix) const {
  return number(prefix, static_cast<int>(std::find(texts.begin(), texts.end(), f) - texts.begin()));
}

std::string body::spell_call(const value& at, const std::vector<std::string>& names) const {
  if (at.called->results.size() > 1) return number("c", results_from(at, names)) + number(".r", number_of(at));
  const std::string text = spell_whole_call(at, names);
  return guard_of(at) ? names[*guard_of(at)] + " ? " + text + " : 0" : text;
}

std::string body::spell_whole_call(const value& at, const std::vector<std::string>& names) const {
  std::vector<std::string> given;
  for (int a = 0; a < at.called->arguments(); ++a) given.push_back(names[at.args[a]]);
  return name_of(at.called, "called") + "(" + listed(given, 6) + ")";
}

// Several results of one call are taken from one struct, `c<number>` of the first of these values that the function computes.
int body::results_from(const value& at, const std::vector<std::string>& names) const {
  const auto same = [&](const value& other) {
    return other.called == at.called && other.args == at.args && (other.index & with_guard) == (at.index & with_guard);
  };
  const auto self = static_cast<std::size_t>(&at - k.values.data());
  for (std::size_t i = 0; i < self; ++i)
    if (k.values[i].kind == value_kind::call && names[i].starts_with('t') && same(k.values[i]))
      return static_cast<int>(i);
  return static_cast<int>(self);
}

void body::write_results(writer& w, const value& at, const std::vector<std::string>& names) const {
  const int self = static_cast<int>(&at - k.values.data());
  if (at.called->results.size() < 2 || results_from(at, names) != self) return;
  const std::string declared = "struct " + name_of(at.called, "results") + number(" c", self);
  if (!guard_of(at)) return w.line("  const ", declared, " = ", spell_whole_call(at, names), ";");
  w.line("  ", declared, " = {0};");
  w.line("  if (", names[*guard_of(at)], ") ", number("c", self), " = ", spell_whole_call(at, names), ";");
}

function body::make_function(std::string function_name, const std::vector<std::uint16_t>& roots,
                             const std::vector<std::uint16_t>& given) {
  function f;
  f.name = std::move(function_name);
  f.given.assign(given.begin(), given.end());
  const std::vector<bool> needed = made_of(k, roots, given), again = used_again(k);
  std::vector<std::string> names(k.values.size());
  writer w;
  int temporaries = 0;
  for (std::size_t i = 0; i < k.values.size(); ++i) {
    if (!needed[i]) continue;
    const value& at = k.values[i];
    if (std::find(given.begin(), given.end(), i) != given.end()) {
      names[i] = number("g", static_cast<int>(i));
      continue;
    }
    const auto leaf = [&](std::vector<int>& list, const char* prefix, int its) {
      names[i] = number(prefix, its);
      list.push_back(its);
    };
    switch (at.kind) {
      case value_kind::input: leaf(f.inputs, "x", at.index); break;
      case value_kind::scalar:
        divides[at.index] ? leaf(f.divisors, "d", at.index) : leaf(f.scalars, "s", at.index);
        break;
      case value_kind::reduced:
      case value_kind::scanned: leaf(f.reduced, "r", result_member(at.index)); break;
      default:
        const bool stay_wide = to == dialect::cuda && again[i] && may_wrap_in(k, at);
        if (at.kind == value_kind::call) write_results(w, at, names);
        names[i] = number("t", temporaries++);
        w.line("  const ", std::string(spelling(at.type)), " ", names[i], " = ", spell_value(at, names, stay_wide),
               ";");
        if (at.kind == value_kind::check) f.notes = to == dialect::cuda ? "watch" : "trouble";
        f.everywhere = f.everywhere && at.kind != value_kind::check && at.kind != value_kind::call;
    }
  }
  for (std::uint16_t r : roots) f.results.push_back(k.values[r].type);
  if (roots.size() == 1) w.line("  return ", names[roots[0]], ";");
  else
    for (std::size_t r = 0; r < roots.size(); ++r) w.line("  *y", std::to_string(r), " = ", names[roots[r]], ";");
  f.text = heading_of(f) + w.take() + "}\n";
  return f;
}

std::string body::heading_of(const function& f) const {
  const std::string qualifier =
      to == dialect::cuda ? "static __device__ __forceinline__ " : "static inline __attribute__((always_inline)) ";
  const std::string gives = f.results.size() == 1 ? spelled_result(f, 0) : "void";
  const std::string start = qualifier + gives + " " + f.name + "(";
  const std::vector<std::string> parameters = parameters_of(f);
  std::size_t length = start.size();
  for (const std::string& p : parameters) length += p.size() + 2;
  return start + (length > 120 ? "\n    " : "") + listed(parameters, 4) + ") {\n";
}

// In the order in which function::call gives the arguments.
std::vector<std::string> body::parameters_of(const function& f) const {
  std::vector<std::string> parameters;
  if (!f.notes.empty())
    parameters.push_back((to == dialect::cuda ? "index_watch& " : "struct index_trouble* ") + f.notes);
  for (int i : f.inputs)
    parameters.push_back((is_indexed(i) ? "const " + type(i) + "* " : type(i) + " ") + number("x", i));
  for (int g : f.given) {
    const bool is_load = k.values[g].kind == value_kind::load;
    parameters.push_back(std::string(is_load ? spell_elements(k.values[g].type, to) : spelling(k.values[g].type)) +
                         " " + number("g", g));
  }
  for (int r : f.reduced) parameters.push_back(member_type(r) + " " + number("r", r));
  for (int s : f.scalars) parameters.push_back(std::string(spelling(k.scalars[s])) + " " + number("s", s));
  for (int d : f.divisors) parameters.push_back("struct " + divisor_name(k.scalars[d]) + " " + number("d", d));
  for (std::size_t r = 0; f.results.size() > 1 && r < f.results.size(); ++r)
    parameters.push_back(spelled_result(f, r) + "* y" + std::to_string(r));
  return parameters;
}

bool body::is_read_at_points(int input) const {
  const auto reads = [&](const function& f) {
    return std::find(f.inputs.begin(), f.inputs.end(), input) != f.inputs.end();
  };
  const bool is_place = std::ranges::any_of(
      cut.loads, [&](const settled_load& l) { return k.values[k.values[l.value].args[0]].index == input; });
  return is_place || std::ranges::any_of(points, reads) || std::ranges::any_of(borders, reads) ||
         std::ranges::any_of(places, reads);
}

std::string body::head(std::string_view kernel_text) const {
  std::string about = std::string("// ") + codegen::name(shape) + ":";
  for (const accumulator& a : k.accumulators)
    about += " " + (a.transform == fourier::none ? codegen::name(a.what) : codegen::name_of(a)) + " " +
             facts(a.type).short_name;
  about += k.reduces() ? " of" : "";
  for (const input& i : k.inputs)
    about += std::string(" ") + (i.iota ? "index" : facts(i.type).short_name) + (i.indexed ? "[]" : "");
  about += " ->";
  for (std::uint16_t o : k.outputs) about += std::string(" ") + facts(k.values[o].type).short_name;
  about += ", " + std::to_string(v.rank) + (v.rank == 1 ? " axis" : " axes");
  for (const function_text* f : texts) about += (f == texts[0] ? ", calling " : ", ") + on_one_line(f->name);
  if (v.reduced) about += " (" + std::to_string(v.reduced) + " reduced" + (v.columns ? ", columns)" : ")");
  // What functions of the program's own may call stands before them, and what calls them behind.
  std::string before = load_definitions(k, to, v.map.stretches), functions;
  const bool often = divides_often(k);
  if (std::ranges::any_of(used_, [](const helper_use& h) { return h.name == "philox"; }))
    before += is_straight(k) ? "enum { has_branches = 0 };\n" : "enum { has_branches = 1 };\n";
  helper_list helpers = used_;
  use_helpers(texts, to, helpers);
  for (const helper_use& h : helpers) before += helper_definition(h, to, often);
  for (const function& f : borders) functions += f.text;
  for (const function& f : places) functions += f.text;
  for (std::size_t s = 0; s < points.size(); ++s) functions += once[s].text + points[s].text;
  functions += result.text;
  std::string out =
      "// Sinter " SINTER_VERSION ", generator " + std::to_string(generator_version) + "\n" + about + "\n";
  const bool c = to == dialect::c;
  if (c) out += compiler_pragmas(k, v, goal.math, used_);
  if (c) out += "typedef _Bool bool;\n";
  // Loops' tails call the scalar functions, whose last bits differ from the vector ones: strict results have no position.
  const bool vectorised = goal.has_vector_math && goal.math != math_mode::strict;
  const std::string own = definitions(texts, to, vectorised);
  out += type_definitions(before + own + functions + std::string(kernel_text), to);
  std::vector<dtype> shuffled;
  for (const accumulator& a : k.accumulators) {
    if (c || !detail::is_complex(a.type) || std::find(shuffled.begin(), shuffled.end(), a.type) != shuffled.end())
      continue;
    shuffled.push_back(a.type);
    functions += shuffle_definitions(kernel_text, a.type);
  }
  const std::string all = before + own + functions;
  const auto names = [&](const char* constant) { return has_name(all, constant); };
  if (names("INFINITY") || uses_infinity(k))
    out += std::string("#define INFINITY ") + (c ? "__builtin_inff()\n" : "__int_as_float(0x7f800000)\n");
  if (names("NAN"))
    out += std::string("#define NAN ") + (c ? "__builtin_nanf(\"\")\n" : "__int_as_float(0x7fffffff)\n");
  if (c) out += declarations(before + functions, vectorised);
  else if (goal.math == math_mode::strict) out += functions_at_run_time(all);
  return out + "\n" + all + "\n";
}

std::string body::extent(int from, int upto) const {
  std::string product;
  for (int d = from; d < upto; ++d) product += (product.empty() ? "" : " * ") + number("n", d);
  return product.empty() ? "1" : product;
}

void body::unravel(writer& w, int from, int upto, const std::string& flat, const std::string& rest) const {
  if (from >= upto) return;
  if (upto - from == 1) return w.line("const ", index, " ", number("i", from), " = ", flat, ";");
  w.line(index, " ", rest, " = ", flat, ";");
  for (int d = upto - 1; d > from; --d) {
    w.line("const ", index, " ", number("i", d), " = ", rest, " % ", number("n", d), ";");
    w.line(rest, " /= ", number("n", d), ";");
  }
  w.line("const ", index, " ", number("i", from), " = ", rest, ";");
}

std::string body::offset(int operand, int from, int upto, int skip) const {
  std::string out;
  for (int d = from; d < upto; ++d)
    if (d != skip && needs_stride(k, v, operand, d))
      out += " + " + number("i", d) + " * " + name(operand) + number("_step", d);
  return out;
}

std::string body::element(int operand, const std::string& base, const std::string& i) const {
  std::string at;
  const bool compound = i.find(' ') != std::string::npos;
  switch (v.operands[operand]) {
    case access::unit:
    case access::column:
    case access::staged: at = i; break;
    case access::strided:
      at = compound ? "(" + i + ")" : i;
      if (const int step = named_step(v.map.of(operand))) at += " * " + std::to_string(step);
      else if (v.map.of(operand) == way::back) at = "-" + at;
      else at += " * " + name(operand) + number("_step", fastest());
      break;
    default: break;
  }
  if (!is_element(operand)) return at.empty() ? base : base + " + " + at;
  return at.empty() ? "*" + base : base + "[" + at + "]";
}

std::string body::name(int operand) const {
  return operand < inputs() ? number("in", operand) : number("out", operand - inputs());
}

std::string body::type(int operand) const {
  if (is_byte_of_truth(operand)) return "unsigned char";
  return std::string(spelling(operand_type(k, operand)));
}

bool body::is_rounded(const value& at) const {
  return to == dialect::cuda && rounded[static_cast<std::size_t>(&at - k.values.data())];
}

// Of a byte and a comparison gcc makes no vectors, but of two comparisons.
bool body::is_byte(const value& truth) const {
  if (truth.type != dtype::bool_ || to != dialect::c) return false;
  const auto is_same = [&](const settled_load& l) { return &k.values[l.value] == &truth; };
  return truth.kind == value_kind::input ? is_byte_of_truth(truth.index) : std::ranges::any_of(cut.loads, is_same);
}

bool body::is_byte_of_truth(int operand) const {
  if (to != dialect::c || operand >= inputs() || k.inputs[operand].type != dtype::bool_) return false;
  // A function that a program wrote takes places of truth values as it says.
  const auto is_given = [&](const value& at) {
    for (int a = 0; at.kind == value_kind::call && a < arity(at); ++a) {
      const value& given = k.values[at.args[a]];
      if (given.kind == value_kind::input && given.index == operand && k.inputs[operand].indexed) return true;
    }
    return false;
  };
  return std::none_of(k.values.begin(), k.values.end(), is_given);
}

std::string emit(const kernel& k, const variant& v, const target& goal) {
  const body b(k, v, goal);
  writer w;
  if (goal.to == dialect::cuda) write_cuda_kernel(w, b);
  else write_cpu_kernel(w, b);
  // The kernel is written first: folding may use helpers that the head defines.
  const std::string kernel_text = w.take();
  return b.head(kernel_text) + kernel_text;
}

}  // namespace sinter::codegen
