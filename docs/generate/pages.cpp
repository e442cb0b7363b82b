// Entries as Markdown.
#include <algorithm>
#include <cctype>
#include <map>
#include <ostream>

#include "docs/generate/pages.hpp"

namespace docs {
namespace {

// A < outside code would begin a tag.
std::string escaped(const std::string& text) {
  std::string all;
  bool is_code = false;
  for (const char c : text) {
    if (c == '`') is_code = !is_code;
    if (c == '<' && !is_code) all += '\\';
    all += c;
  }
  return all;
}

// Lines of at most 128 characters, as the rest of the documentation has.
void write_wrapped(std::ostream& out, const std::string& given, const std::string& indent = "") {
  const std::string text = escaped(given);
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const bool is_first = column == 0, wraps = !is_first && column + 1 + end - at > 128;
    if (wraps) out << '\n' << indent, column = indent.size();
    else if (!is_first) out << ' ', ++column;
    out << text.substr(at, end - at);
    column += end - at;
    for (at = end; at < text.size() && text[at] == '\n'; ++at) out << '\n', column = 0;
    if (at < text.size() && text[at] == ' ') ++at;
  }
  out << '\n';
}

std::string title_of(const entry& e) {
  std::string all = e.name;
  for (const std::string& more : e.also) all += ", " + more;
  return all;
}

// What GitHub makes of a heading.
std::string anchor_of(const std::string& title) {
  std::string anchor;
  for (const char c : title) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') anchor += static_cast<char>(std::tolower(c));
    else if (c == ' ') anchor += '-';
  }
  return anchor;
}

std::string stem_of(const page& p) { return p.header.substr(0, p.header.rfind('.')); }

void write_example(std::ostream& out, const example& x) {
  out << "\n```cpp\n" << x.sinter << '\n';
  if (!x.numpy.empty()) out << "// NumPy: " << x.numpy << '\n';
  out << "```\n```\n" << x.result << "\n```\n";
}

void write_entry(std::ostream& out, const entry& e, const std::vector<example>& examples) {
  out << "\n## " << title_of(e) << "\n\n```cpp\n";
  for (const std::string& s : e.signatures) out << s << '\n';
  out << "```\n";
  if (!e.sentence.empty()) out << '\n', write_wrapped(out, e.sentence);
  if (!e.parts.empty() || !e.source.empty()) out << '\n';
  for (const std::string& p : e.parts) write_wrapped(out, "- " + p, "  ");
  if (!e.source.empty()) write_wrapped(out, "- Source: " + e.source + ".", "  ");
  for (const example& x : examples)
    if (x.name == e.name || std::find(e.also.begin(), e.also.end(), x.name) != e.also.end()) write_example(out, x);
}

}  // namespace

void write_page(std::ostream& out, const page& p, const std::vector<example>& examples) {
  out << "# " << p.header << "\n\n";
  write_wrapped(out, p.about);
  out << "\nMade from `include/sinter/" << p.header
      << "` and the examples in `docs/generate` by `./dev docs`; edit the comments there.\n";
  for (const entry& e : p.entries) write_entry(out, e, examples);
}

void write_index(std::ostream& out, const std::vector<page>& pages) {
  out << "# Reference\n\n";
  write_wrapped(
      out,
      "Every function and type of the public headers, a page for each header. In a signature `expression` is an "
      "array or an expression, `number` a C++ number, `any` either or what the text says; what a call may choose is "
      "in angle brackets. The members of a struct are in the order that `{.axis = 1, .keepdims = true}` has to follow; "
      "`integer`, `truth` and `optional_number` among them are given as an integer, a bool and a number. Each example "
      "was run when the page was made, and prints what NumPy prints, where nothing else is said. The elementwise "
      "functions, with the bounds on their errors, are in [operations.md](../operations.md).");
  out << "\nThe examples take\n\n```cpp\n#include <sinter/sinter.hpp>  // and the header of the page\nnamespace sn = "
         "sinter;\n"
         "using sn::array, sn::_, sn::slice;\n\n"
      << example_operands() << "```\n\n| header | |\n|---|---|\n";
  for (const page& p : pages)
    out << "| [" << p.header << "](" << stem_of(p) << ".md) | " << escaped(p.about.substr(0, p.about.find(". ")))
        << " |\n";
  std::map<std::string, std::string> names;
  for (const std::string& name : operation_names()) names.emplace(name, "../operations.md");
  for (const page& p : pages)
    for (const entry& e : p.entries) {
      const std::string place = stem_of(p) + ".md#" + anchor_of(title_of(e));
      names.emplace(e.name, place);
      for (const std::string& name : e.also) names.emplace(name, place);
    }
  out << "\n## Names\n\n";
  std::string list;
  for (const auto& [name, where] : names) list += (list.empty() ? "[`" : ", [`") + name + "`](" + where + ")";
  write_wrapped(out, list);
}

}  // namespace docs
