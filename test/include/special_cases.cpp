// The special cases of the array-API standard: every line of test/array_api/special_cases.txt for every dtype that it is about, and
// what folds and scans give of no elements and of NaN.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <deque>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "codegen/ir/node.hpp"
#include "test/codegen/ir/op_rows.hpp"
#include "test/include/made_at_run_time.hpp"
#include "test/support/numpy_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using detail::handle;
using detail::instruction;
using words = std::vector<std::string>;
/// A real number, or the two parts of a complex one; the operands of a call.
using number = std::vector<double>;
using operands = std::vector<number>;

constexpr double infinity = std::numeric_limits<double>::infinity(),
                 no_number = std::numeric_limits<double>::quiet_NaN();

// ---- the table

struct line {
  words given;  // the parts of all operands, one after the other
  words result;
  bool conj = false, negative = false;  // the mirror image of a line
};
struct function {
  std::string name;
  bool is_complex;
  std::vector<line> lines;
  std::string turned;  // the function that it is, of iz
  bool turns_back = false;
};

template <class Take>
number those(Take take) {
  number all;
  for (const double size : {0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 7.5, 30000.0, infinity})
    for (const double x : {size, -size})
      if (take(x)) all.push_back(x);
  if (take(no_number)) all.push_back(no_number);
  return all;
}
bool is_odd(double x) { return std::fabs(std::fmod(x, 2)) == 1; }

const std::map<std::string, number>& classes() {
  static const std::map<std::string, number> all{
      {"zero", {0.0, -0.0}},
      {"infinite", {infinity, -infinity}},
      {"finite", those([](double x) { return std::isfinite(x); })},
      {"finite-nonzero", those([](double x) { return std::isfinite(x) && x != 0; })},
      {"nonzero", those([](double x) { return x == x && x != 0; })},
      {"any", those([](double) { return true; })},
      {"real", those([](double x) { return x == x; })},
      {"pos", those([](double x) { return x > 0; })},
      {"neg", those([](double x) { return x < 0; })},
      {"pos-finite", those([](double x) { return x > 0 && x < infinity; })},
      {"neg-finite", those([](double x) { return x < 0 && x > -infinity; })},
      {"pos-odd", {1, 3, 7}},
      {"neg-odd", {-1, -3, -7}},
      {"pos-not-odd", those([](double x) { return x > 0 && !is_odd(x); })},
      {"neg-not-odd", those([](double x) { return x < 0 && !is_odd(x); })},
      {"fraction", those([](double x) { return std::isfinite(x) && x != std::floor(x); })},
      {"above-1", those([](double x) { return x > 1; })},
      {"below-1", those([](double x) { return x < -1; })},
      {"below-plus-1", those([](double x) { return x < 1; })},
      {"size-above-1", those([](double x) { return std::fabs(x) > 1; })},
      {"size-below-1", those([](double x) { return std::fabs(x) < 1; })}};
  return all;
}

double value_of(std::string word) {
  const double sign = word[0] == '-' ? -1 : 1;
  if (sign < 0) word.erase(0, 1);
  const auto pi = word.find("pi");
  if (pi == word.npos) return sign * std::stod(word);
  const double times = pi == 0 ? 1 : std::stod(word.substr(0, pi));
  const auto over = word.find('/');
  return sign * 3.14159265358979323846 * times / (over == word.npos ? 1 : std::stod(word.substr(over + 1)));
}

words words_of(const std::string& text) {
  words all;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    if (word.back() == ',') word.pop_back();
    all.push_back(word);
  }
  return all;
}

std::vector<function> read_table() {
  std::vector<function> all;
  bool is_complex = false;
  std::ifstream file(SINTER_SOURCE_DIR "/test/array_api/special_cases.txt");
  bool conj = false, odd = false, even = false;
  for (std::string text; std::getline(file, text);) {
    if (text.empty() || text[0] == '#') continue;
    if (text[0] == '[') {
      is_complex = text == "[complex]";
      continue;
    }
    if (text[0] != ' ') {
      const words w = words_of(text);
      const bool turned = w.size() == 3 && w[1].starts_with("turned");
      all.push_back({w[0], is_complex, {}, turned ? w[2] : "", turned && w[1] == "turned"});
      const auto has = [&](const char* flag) { return std::find(w.begin(), w.end(), flag) != w.end(); };
      conj = has("conj"), odd = has("odd"), even = has("even");
      continue;
    }
    const auto equals = text.find(" = ");
    const line l{words_of(text.substr(0, equals)), words_of(text.substr(equals + 3))};
    for (const bool turned : {false, true})
      for (const bool negative : {false, true})
        if ((conj || !turned) && (odd || even || !negative)) {
          line mirrored = l;
          mirrored.conj = turned;
          mirrored.negative = negative;
          if (negative && even) mirrored.result.push_back("even");
          all.back().lines.push_back(mirrored);
        }
  }
  return all;
}

// ---- cases

struct one_case {
  operands given;
  words result;  // of the line
  bool conj, negative;
  std::string text;
};

/// All operands that a line is about.
std::vector<one_case> cases_of(const function& f, const line& l) {
  std::vector<number> choices{{}};
  for (const std::string& word : l.given) {
    std::vector<number> longer;
    const auto found = classes().find(word);
    const number values = found == classes().end() ? number{value_of(word)} : found->second;
    for (const number& before : choices)
      for (const double v : values) {
        longer.push_back(before);
        longer.back().push_back(v);
      }
    choices = longer;
  }
  const std::size_t parts = f.is_complex ? 2 : 1;
  std::vector<one_case> all;
  for (const number& flat : choices) {
    one_case c{{}, l.result, l.conj, l.negative, f.name};
    for (std::size_t i = 0; i < flat.size(); i += parts) c.given.emplace_back(&flat[i], &flat[i] + parts);
    for (const double v : flat) c.text += ' ' + std::to_string(v);
    all.push_back(c);
  }
  return all;
}

/// Operands as they are given to the function: the mirror image of the line's.
operands mirrored(const one_case& c) {
  operands all = c.given;
  for (number& x : all) {
    if (c.negative)
      for (double& part : x) part = -part;
    if (c.conj) x[1] = -x[1];
  }
  return all;
}

bool agrees(double got, double wanted, bool any_sign, double tolerance) {
  if (std::isnan(wanted)) return std::isnan(got);
  if (any_sign) return std::fabs(got) == std::fabs(wanted);
  if (wanted == 0) return got == 0 && std::signbit(got) == std::signbit(wanted);
  if (std::isinf(wanted)) return got == wanted;
  return std::fabs(got - wanted) <= tolerance * std::fabs(wanted);
}

/// Is a result, mirrored back, what the line says?
bool agrees(const one_case& c, number got, double tolerance) {
  const bool even = c.result.back() == "even";
  if (c.conj && got.size() == 2) got[1] = -got[1];
  if (c.negative && !even)
    for (double& part : got) part = -part;
  if (const std::string& first = c.result[0]; first.find("*cis") != first.npos) {
    const double size = value_of(first.substr(0, first.find('*'))), b = c.given[0][1];
    const double real = size * std::cos(b) - (first.ends_with("-1") ? 1 : 0);
    return agrees(got[0], real, false, tolerance) && agrees(got[1], size * std::sin(b), false, tolerance);
  }
  for (std::size_t p = 0; p < got.size(); ++p) {
    std::string word = c.result.at(p);
    const bool any_sign = word[0] == '?';
    if (any_sign) word.erase(0, 1);
    const double wanted = word == "x" ? c.given[0][p] : word == "y" ? c.given[1][p] : value_of(word);
    if (!agrees(got[p], wanted, any_sign, tolerance)) return false;
  }
  return true;
}

// ---- running them

/// One operation over arrays, as an expression; its code is never freed, as that of an expression's type is not.
handle applied(const std::string& name, dtype type, const std::vector<handle>& to) {
  static auto* all = new std::deque<std::tuple<std::vector<instruction>, void*, detail::fragment>>;
  int row = 0;
  while (row < detail::op_count && op_rows[row].name != name) ++row;
  REQUIRE_MESSAGE(row < detail::op_count, name);
  const dtype computed = detail::compute_dtype(op_rows[row].of, type),
              gives = detail::result_dtype(op_rows[row].of, computed);
  auto& [code, plan, made] = all->emplace_back();
  for (std::size_t i = 0; i < to.size(); ++i) code.push_back({instruction::take_node, type});
  code.push_back({static_cast<std::uint8_t>(row), gives});
  plan = nullptr;
  made = {code.data(), static_cast<std::uint16_t>(code.size()), static_cast<std::uint16_t>(to.size()), 0, gives, &plan};
  std::vector<detail::node*> nodes;
  for (const handle& h : to) nodes.push_back(h.get());
  return made_at_run_time({&made, nodes.data(), nullptr});
}

template <class T>
handle array_of(const std::vector<operands>& given, std::size_t operand) {
  std::vector<T> elements;
  for (const operands& o : given) {
    const number& x = o[operand];
    if constexpr (detail::complex_number<T>)
      elements.emplace_back(static_cast<typename T::value_type>(x[0]), static_cast<typename T::value_type>(x[1]));
    else elements.push_back(static_cast<T>(x[0]));
  }
  return handle(asarray(elements).share());
}

std::vector<number> read(detail::node* n, dtype gives) {
  std::vector<number> all;
  const auto real_parts = [&](auto type) {
    using T = decltype(type);
    return array<double>(astype<double>(lazy<T>(detail::retain(n)))).get();
  };
  switch (gives) {
    case dtype::bool_:
      for (const bool b : lazy<bool>(detail::retain(n)).get()) all.push_back({b ? 1.0 : 0.0});
      break;
    case dtype::float32:
      for (const double v : real_parts(0.0f)) all.push_back({v});
      break;
    case dtype::float64:
      for (const double v : real_parts(0.0)) all.push_back({v});
      break;
    case dtype::complex64:
      for (const auto& z : lazy<std::complex<float>>(detail::retain(n)).get()) all.push_back({z.real(), z.imag()});
      break;
    case dtype::complex128:
      for (const auto& z : lazy<std::complex<double>>(detail::retain(n)).get()) all.push_back({z.real(), z.imag()});
      break;
    default: FAIL("a result of another dtype");
  }
  return all;
}

/// A function of all its cases as an expression. Of `turned` ones the operands are turned by i. There are `count` elements, the last
/// of them the first case again: functions of as many share a kernel.
template <class T>
handle expression_of(const function& f, const std::vector<one_case>& cases, std::size_t count) {
  std::vector<operands> given;
  for (std::size_t i = 0; i < count; ++i) {
    given.push_back(mirrored(cases[i < cases.size() ? i : 0]));
    if (!f.turned.empty())
      for (number& x : given.back()) x = {x[1], -x[0]};
  }
  std::vector<handle> arrays;
  for (std::size_t i = 0; i < given.front().size(); ++i) arrays.push_back(array_of<T>(given, i));
  return applied(f.name, dtype_of<T>, arrays);
}

void check_results(const function& f, const std::vector<one_case>& cases, std::vector<number> got, dtype type) {
  REQUIRE(got.size() >= cases.size());
  const double tolerance = detail::real_part_of(type) == dtype::float32 ? 1e-6 : 1e-15;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (f.turns_back) got[i] = {-got[i][1], got[i][0]};
    std::string text = cases[i].text + (cases[i].conj ? ", conjugate" : "") + (cases[i].negative ? ", negative" : "");
    text += std::string(", ") + name(type) + ", gives";
    for (const double part : got[i]) text += ' ' + std::to_string(part);
    CHECK_MESSAGE(agrees(cases[i], got[i], tolerance), text);
  }
}

/// Functions with their cases, evaluated together.
using group = std::vector<std::pair<const function*, std::vector<one_case>>>;
template <class T>
void check_group(const group& all) {
  std::size_t count = 0;
  for (const auto& [f, cases] : all) count = std::max(count, cases.size());
  std::vector<handle> roots;
  std::vector<detail::node*> nodes, results(all.size());
  for (const auto& [f, cases] : all) {
    roots.push_back(expression_of<T>(*f, cases, count));
    nodes.push_back(roots.back().get());
  }
  detail::evaluate_all(nodes.data(), results.data(), static_cast<int>(nodes.size()), {});
  std::vector<handle> owned;
  for (detail::node* n : results) owned.emplace_back(n);
  for (std::size_t i = 0; i < all.size(); ++i)
    check_results(*all[i].first, all[i].second,
                  read(owned[i].get(), static_cast<const detail::typed_node*>(owned[i].get())->type), dtype_of<T>);
}

template <class... T>
void check_table(bool is_complex, std::size_t at_a_time) {
  const std::vector<function> table = read_table();
  std::size_t checked = 0;
  group together;
  const auto check = [&] {
    (check_group<T>(together), ...);
    together.clear();
  };
  for (const function& f : table) {
    if (f.is_complex != is_complex) continue;
    const function* from = &f;
    for (const function& g : table)
      if (g.is_complex == is_complex && g.name == f.turned) from = &g;
    std::vector<one_case> cases;
    for (const line& l : from->lines)
      for (const one_case& c : cases_of(*from, l)) cases.push_back(c);
    REQUIRE(!cases.empty());
    checked += cases.size();
    together.emplace_back(&f, std::move(cases));
    if (together.size() == at_a_time) check();
  }
  if (!together.empty()) check();
  CHECK(checked > 1000);
}

}  // namespace

TEST_CASE("special cases: functions of real numbers") { check_table<double, float>(false, 16); }
TEST_CASE("special cases: functions of complex numbers") {
  check_table<std::complex<double>, std::complex<float>>(true, 6);
}

TEST_CASE_TEMPLATE("special cases: folds and scans of no elements, and of NaN", T, float, double) {
  const array<T> none = zeros<T>({0}), rows = zeros<T>({0, 2}), columns = zeros<T>({2, 0});
  CHECK(sum(none).item() == 0);
  CHECK(prod(none).item() == 1);
  CHECK(std::isnan(mean(none).item()));
  CHECK(std::isnan(var(none).item()));
  CHECK(std::isnan(stddev(none).item()));
  CHECK_THROWS_AS((void)max(none).item(), shape_error);
  CHECK_THROWS_AS((void)min(none).item(), shape_error);
  CHECK_FALSE(any(none).item());
  CHECK(all(none).item());
  CHECK(sum(rows, 0).get() == std::vector<T>{0, 0});
  CHECK(prod(columns, 1).get() == std::vector<T>{1, 1});
  CHECK(sum(columns, 0).shape() == shape{0});
  CHECK(all(isnan(mean(rows, 0))).item());
  CHECK(cumulative_sum(none).shape() == shape{0});
  CHECK(cumulative_sum(none, {.include_initial = true}).get() == std::vector<T>{0});
  CHECK(cumulative_prod(none, {.include_initial = true}).get() == std::vector<T>{1});

  const auto odd = static_cast<T>(no_number);
  for (const std::size_t count : {1, 2, 5, 3000}) {
    CAPTURE(count);
    std::vector<T> elements(count, T(2));
    elements[count / 2] = odd;
    const array<T> x = asarray(elements);
    for (const T folded :
         {sum(x).item(), prod(x).item(), mean(x).item(), var(x).item(), stddev(x).item(), max(x).item(), min(x).item()})
      CHECK(std::isnan(folded));
    CHECK(argmax(x).item() == static_cast<std::int64_t>(count / 2));
    CHECK(argmin(x).item() == static_cast<std::int64_t>(count / 2));
    CHECK(any(x).item());
    const std::vector<T> sums = cumulative_sum(x).get(), products = cumulative_prod(x).get();
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(std::isnan(sums[i]) == (i >= count / 2));
      CHECK(std::isnan(products[i]) == (i >= count / 2));
    }
  }
  const auto high = static_cast<T>(infinity);
  CHECK(sum(array<T>{high, 1, high}).item() == high);
  CHECK(std::isnan(sum(array<T>{high, -high}).item()));
  CHECK(std::isnan(prod(array<T>{high, 0}).item()));
  CHECK(max(array<T>{-high, 1}).item() == 1);
  CHECK(std::isnan(mean(array<T>{high, -high}).item()));
  CHECK(std::isnan(var(array<T>{high, 1}).item()));
}
