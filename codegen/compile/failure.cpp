// Puts the report of a failed compilation together, on the way from a compiler to a compile_error.
// Invariant: nothing is shortened in the file; the message alone says what is wrong.
#include "codegen/compile/failure.hpp"

#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdio>

#include "codegen/compile/scratch.hpp"

namespace sinter::codegen {
namespace {

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// The first line with an error in it, or else the first that says anything.
std::string_view first_error(std::string_view log) {
  std::string_view first;
  while (!log.empty()) {
    const std::string_view line = take_line(log);
    if (line.find("error") != std::string_view::npos) return line;
    if (first.empty()) first = line;
  }
  return first;
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

// The generator writes what a kernel is into its second line: "// map: f32 f32 -> f32, 1 axis".
std::string kernel_name(const failure& failed) {
  if (!failed.name.empty()) return "the kernel \"" + std::string(failed.name) + "\"";
  std::string_view source = failed.source;
  const bool ours = source.starts_with("// Sinter ");
  take_line(source);
  if (!ours || !source.starts_with("// ")) return "a kernel";
  return "the kernel \"" + std::string(take_line(source).substr(3)) + "\"";
}

std::string sentence(const failure& failed) {
  std::string text = "sinter: " + std::string(failed.by) + " " + std::string(failed.what) + " " + kernel_name(failed);
  if (const std::string_view error = first_error(failed.log); !error.empty()) text += ": " + std::string(error);
  return text;
}

}  // namespace

std::string describe(const failure& failed) {
  std::string message = sentence(failed) + "\n";
  append_section(message, "log", failed.log);
  append_section(message, "compiled with", failed.identity);
  append_section(message, "source", numbered(failed.source));
  return message;
}

std::string report(const failure& failed) {
  char name[64];  // the same failure again writes the same file
  std::snprintf(name, sizeof name, "sinter-%u-%016llx.log", static_cast<unsigned>(::geteuid()),
                static_cast<unsigned long long>(XXH3_64bits(failed.source.data(), failed.source.size())));
  const std::string file = leave_file(name, describe(failed));
  return sentence(failed) + (file.empty() ? "; its log and source could not be written to any temporary folder"
                                          : "; log and source: " + file);
}

}  // namespace sinter::codegen
