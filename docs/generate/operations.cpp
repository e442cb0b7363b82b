// docs/operations.md, the page of the elementwise operations: made from the rows of ops.def as the preprocessor sees them and from
// the rules as the types of expressions use them.
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "codegen/source/op_texts.hpp"
#include "docs/generate/examples.hpp"
#include "docs/generate/pages.hpp"

namespace {

using sinter::dtype;
using sinter::detail::rule;

struct row {
  std::string_view name;
  rule of;
  const char* rule_name;
  sinter::codegen::op_texts texts;
  std::string (*example)();
};

// ---- what a function gives of the operands that the page names

template <rule of, class F>
std::string example_of(F f) {
  if constexpr (of == rule::bits || of == rule::integers || of == rule::bit_count) {
    const sinter::array<std::int64_t> i{12, -7, 5}, k{5, 3, 2};
    return docs::shown(f(i, k, i));
  } else {
    const sinter::array<double> x{0.25, 0.5, 0.75}, y{1.0, 2.0, -3.0}, n{1, 2, 3};
    const auto given = f(x, y, x);
    if constexpr (!sinter::detail::complex_number<sinter::detail::element_in<decltype(given)>>)
      if (all(given != given).item()) return docs::shown(f(n, y, x));
    return docs::shown(given);
  }
}
// The number of operands is that of the row.
#define EXAMPLE_1(f, of) \
  [] { return example_of<rule::of>([](const auto& x, const auto&, const auto&) { return f(x); }); }
#define EXAMPLE_2(f, of) \
  [] { return example_of<rule::of>([](const auto& x, const auto& y, const auto&) { return f(x, y); }); }
#define EXAMPLE_3(f, of) \
  [] { return example_of<rule::of>([](const auto& x, const auto& y, const auto& z) { return f(x, y, z); }); }

constexpr row rows[] = {
#define SINTER_OP(name, arity, rule_, value, ...) \
  {#name, rule::rule_, #rule_, {__VA_ARGS__}, EXAMPLE_##arity(sinter::name, rule_)},
#define SINTER_SPECIAL_OP(name, ...) SINTER_OP(special::name, __VA_ARGS__)
#define SINTER_DRAW(...)
#define SINTER_PART(...)
#include <sinter/ops.def>
#undef SINTER_OP
};

/// What a rule says beyond its dtypes. No default: a new rule does not compile without its sentence.
const char* sentence(rule r) {
  switch (r) {
    case rule::number: return "computes in the promoted dtype";
    case rule::number_not_bool: return "the same; bool is refused, as NumPy refuses it";
    case rule::step: return "the same; bool counts as int8";
    case rule::real_number: return "computes in the promoted dtype; no complex numbers";
    case rule::integral_step: return "the same; bool counts as int8";
    case rule::quotient: return "floating point; integers become float64";
    case rule::real: return "floating point; integers become the smallest type that holds them, at least float32";
    case rule::analytic: return "the same, and complex numbers";
    case rule::part: return "computes in the promoted dtype; complex numbers give that of their parts";
    case rule::angle: return "floating point, and complex numbers, which give the dtype of their parts";
    case rule::pair: return "floating point; gives the complex dtype of two such parts";
    case rule::comparison: return "compares in the promoted dtype";
    case rule::logic: return "takes its operands as truth values";
    case rule::choice: return "the first operand is a truth value, the dtypes are those of the others";
    case rule::bits: return "bool and integers only";
    case rule::integers: return "integers only; bool counts as int8";
    case rule::bit_count: return "the same; gives uint8";
    case rule::test: return "looks at a value without changing it";
    case rule::real_test: return "the same; no complex numbers";
    case rule::words_to_uint32:
    case rule::words_to_uint64:
    case rule::words_to_float32:
    case rule::words_to_float64: return "random numbers";
  }
  return "";
}

/// The comments of ops.def that stand right above a row, by the name of that row: the page's headings.
std::map<std::string, std::string, std::less<>> headings() {
  std::map<std::string, std::string, std::less<>> found;
  std::ifstream table(SINTER_OPS_DEF);
  std::string before;
  std::string line;
  for (; std::getline(table, line); before = line)
    for (const auto& [macro, space] : {std::pair("SINTER_OP(", ""), std::pair("SINTER_SPECIAL_OP(", "special::")})
      if (const std::size_t start = std::string_view(macro).size();
          line.starts_with(macro) && before.starts_with("// "))
        found[space + line.substr(start, line.find(',') - start)] = before.substr(3);
  return found;
}

/// Text that may stand in a cell.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string code(std::string_view text) { return text.empty() ? "" : "`" + cell(text) + "`"; }

void write_rows(std::ostream& page) {
  const auto heading = headings();
  for (const row& r : rows) {
    if (const auto here = heading.find(r.name); here != heading.end()) {
      page << "\n## " << here->second << "\n\n| name | NumPy | rule | ulp | | example |\n|---|---|---|---|---|---|\n";
    }
    page << "| " << code(r.name) << " | " << code(r.texts.numpy) << " | " << r.rule_name << " | " << r.texts.ulp
         << " | " << cell(r.texts.says) << " | " << code(r.example()) << " |\n";
  }
}

void write_rules(std::ostream& page) {
  constexpr dtype columns[] = {dtype::bool_,   dtype::int8,    dtype::uint16,  dtype::int32,    dtype::int64,
                               dtype::float16, dtype::float32, dtype::float64, dtype::complex64};
  page << "\n## Rules\n\nOperands are first promoted to one dtype, as NumPy 2 promotes them. A column is that dtype; "
          "the "
          "cell is what the operation\ngives.\n\n| rule | |";
  for (const dtype t : columns) page << ' ' << sinter::name(t) << " |";
  page << "\n|---|---|";
  for ([[maybe_unused]] const dtype t : columns) page << "---|";
  page << '\n';

  std::set<rule> written;
  for (const row& r : rows) {
    if (!written.insert(r.of).second) continue;
    page << "| " << r.rule_name << " | " << sentence(r.of) << " |";
    for (const dtype t : columns) {
      const dtype gives = sinter::detail::result_dtype(r.of, sinter::detail::compute_dtype(r.of, t));
      page << ' ' << (sinter::detail::accepts(r.of, t) ? sinter::name(gives) : "refused") << " |";
    }
    page << '\n';
  }
}

}  // namespace

void docs::write_operations(std::ostream& page) {
  const sinter::device_scope on(sinter::device::interpreter());
  page << "# Elementwise operations\n\n"
          "Made from `include/sinter/ops.def` by `./dev docs`; edit the rows there.\n\n"
          "**name** is a function of namespace `sinter`. **NumPy** is what it is called there. **rule** says which "
          "dtypes it "
          "takes and\ngives (the last table). **ulp** is the bound on its error in units in the last place, in the "
          "default "
          "mode, on every device;\n0 means correctly rounded.\n"
          "**example** is what the function gives of `x = {0.25, 0.5, 0.75}`, `y = {1, 2, -3}` and `x` again, as many "
          "as it takes; of `{1, 2, 3}`\nin place of `x` where that gives NaN alone, and of integers `{12, -7, 5}` and "
          "`{5, 3, 2}` where it takes nothing else.\n\n"
          "Of float16 and bfloat16 an operation computes in float and rounds once: it is at most one unit in the last "
          "place of "
          "these off,\nand correctly rounded where the bound is 0. Of complex numbers the error is the distance in the "
          "plane, in "
          "units in the last place\nof the size of the result: 0 where the operation only adds, chooses or compares, 4 "
          "of products, "
          "quotients, `sqrt`, `absolute` and\n`sign`, and 8 of functions; of `power` that times 1 + |b| (1 + "
          "|log a|).\n\n"
          "Bounds of `special::` are measured over the ranges of `test/numpy/scipy_values.py`. Beside a zero that is "
          "not "
          "at 0, as `digamma`, `expi`\nand Bessel functions have, the error is that of a result of 1. Known to be "
          "worse, "
          "or out of range, outside: `betainc` of parameters that are\nbelow 1e-5 or thousands of times each other, "
          "`beta` "
          "and `betaln` with one number far below 0, `binom` and `comb` of tiny and of huge numbers.\n";
  write_rows(page);
  write_rules(page);
}

std::vector<std::string> docs::operation_names() {
  std::vector<std::string> names;
  for (const row& r : rows) names.emplace_back(r.name);
  return names;
}
