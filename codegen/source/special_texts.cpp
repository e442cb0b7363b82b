// Texts that a compiler has taken as C++ become texts of prelude.def: numbers and functions of the C library get the suffix of
// their type, other rows that of a helper.
#include "codegen/source/special_texts.hpp"

#include <algorithm>
#include <deque>
#include <string>

#include "codegen/source/library.hpp"
#include "codegen/source/tokens.hpp"

namespace sinter::codegen {
namespace {

struct special_row {
  std::string_view name, parameters, text;
};
struct series_row {
  std::string_view name, single, twice;
};

constexpr special_row special_rows[] = {
#define SINTER_SPECIAL(name, parameters, ...) {#name, #parameters, #__VA_ARGS__},
#include "codegen/ir/special.def"
#undef SINTER_SPECIAL
};
constexpr series_row series_rows[] = {
#define SINTER_POLYNOMIAL(name, single, twice) {#name, #single, #twice},
#include "codegen/ir/special_series.def"
#undef SINTER_POLYNOMIAL
};

bool is_row(std::string_view name) {
  const auto named = [&](const auto& row) { return row.name == name; };
  return std::any_of(std::begin(special_rows), std::end(special_rows), named) ||
         std::any_of(std::begin(series_rows), std::end(series_rows), named);
}

/// T(1.5) and T(1), as they stand between the parentheses.
std::string number(std::string_view text) {
  const bool real = text.find_first_of(".e") != std::string_view::npos;
  return real ? std::string(text) + "$" : "(T)" + std::string(text);
}

/// The name of a function that is called, as prelude.def has it; `_of` marks those of the library that rows are named as.
std::string called(std::string_view name) {
  if (is_row(name)) return std::string(name) + "@";
  if (name.ends_with("_of")) return std::string(name.substr(0, name.size() - 3)) + "$";
  return std::string(name) + (is_library_function(name) ? "$" : "");
}

/// The preprocessor has put a text in one line: a line for each statement again.
std::string in_lines(std::string_view text) {
  std::string out, indent;
  int open = 0;
  const auto end_line = [&] {
    while (out.ends_with(' ')) out.pop_back();
    if (!out.empty() && !out.ends_with('\n')) out += '\n';
  };
  for (const char c : text) {
    if (c == '(') ++open;
    if (c == ')') --open;
    if (c == '}') {
      end_line();
      indent.resize(indent.size() - 2);
    }
    if (out.empty() || out.ends_with('\n')) {
      if (c == ' ') continue;
      out += indent;
    }
    out += c;
    if (c == '{') indent += "  ";
    if (open == 0 && (c == ';' || c == '{' || c == '}')) end_line();
  }
  end_line();
  return out;
}

std::string special_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view token = take_token(text);
    if (!text.starts_with('(')) {
      out += token;
    } else if (token == "T") {
      const std::size_t end = text.find(')');
      out += number(text.substr(1, end - 1));
      text.remove_prefix(end + 1);
    } else {
      out += called(token);
    }
  }
  return in_lines(out);
}

/// Horner's rule, of the numbers in "(a, b, c)".
std::string series_text(std::string_view numbers) {
  std::string out;
  numbers = numbers.substr(1, numbers.size() - 2);
  while (!numbers.empty()) {
    const std::size_t end = std::min(numbers.find(", "), numbers.size());
    const std::string one = std::string(numbers.substr(0, end)) + "$;\n";
    const bool negative = one.starts_with('-');
    out += out.empty() ? "T r = " + one : "r = r * x " + (negative ? "- " + one.substr(1) : "+ " + one);
    numbers.remove_prefix(std::min(end + 2, numbers.size()));
  }
  return out + "return r;\n";
}

/// Keeps a text as long as the program runs.
std::string_view kept(std::string text) {
  static auto* const all = new std::deque<std::string>;
  return all->emplace_back(std::move(text));
}

std::vector<helper_text> make_helpers() {
  std::vector<helper_text> all;
  for (const special_row& row : special_rows)
    all.push_back(
        {row.name, row.parameters.substr(1, row.parameters.size() - 2), "T", kept(special_text(row.text)), ""});
  for (const series_row& row : series_rows)
    all.push_back({row.name, "T x", "T", kept(series_text(row.twice)), "", "", kept(series_text(row.single))});
  return all;
}

}  // namespace

std::span<const helper_text> special_helpers() {
  static const auto* const all = new std::vector<helper_text>(make_helpers());
  return *all;
}

bool has_special_text(std::string_view helper) {
  const auto is = [&](const auto& row) { return row.name == helper; };
  return is_special(helper) || std::any_of(std::begin(series_rows), std::end(series_rows), is);
}

bool is_special(std::string_view helper) {
  return std::any_of(std::begin(special_rows), std::end(special_rows), [&](auto& row) { return row.name == helper; });
}

}  // namespace sinter::codegen
