// Puts the report of a failed compilation together, on the way from a compiler to a compile_error.
// Invariant: nothing is shortened; the first line alone says what is wrong.
#include "codegen/compile/failure.hpp"

#include <algorithm>
#include <cstdio>

namespace sinter::codegen {
namespace {

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view first_error(std::string_view log) {
  while (!log.empty()) {
    const std::string_view line = take_line(log);
    if (line.find("error") != std::string_view::npos) return line;
  }
  return {};
}

void append_section(std::string& to, std::string_view title, std::string_view text) {
  if (text.empty()) return;
  to += "\n";
  to += title;
  to += ":\n";
  to += text;
  if (text.back() != '\n') to += '\n';
}

std::string numbered(std::string_view source) {
  std::string result;
  for (int number = 1; !source.empty(); ++number) {
    char margin[24];
    std::snprintf(margin, sizeof margin, "%5d | ", number);
    result += margin;
    result += take_line(source);
    result += '\n';
  }
  return result;
}

}  // namespace

std::string describe(const failure& failed) {
  std::string message(failed.what);
  if (const std::string_view error = first_error(failed.log); !error.empty()) {
    message += ": ";
    message += error;
  }
  message += '\n';
  append_section(message, "log", failed.log);
  append_section(message, "compiled with", failed.identity);
  append_section(message, "source", numbered(failed.source));
  return message;
}

}  // namespace sinter::codegen
