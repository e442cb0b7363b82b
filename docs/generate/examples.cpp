#include "docs/generate/examples.hpp"

#include <regex>

#include "docs/generate/elsewhere.hpp"

namespace docs {

std::vector<example> run_examples() {
  const sn::device_scope on(sn::device::interpreter());
  const files_go_elsewhere inside;
  std::vector<example> all;
  run_shapes(all);
  run_numbers(all);
  run_choices(all);
  run_signals(all);
  run_matrices(all);
  return all;
}

#define DOCS_TEXT(...) #__VA_ARGS__
#define DOCS_TEXT_OF(...) DOCS_TEXT(__VA_ARGS__)
const char* example_operands() {
  static const std::string lines =
      std::regex_replace(std::string(DOCS_TEXT_OF(DOCS_OPERANDS)), std::regex("; ?"), ";\n");
  return lines.c_str();
}

}  // namespace docs
