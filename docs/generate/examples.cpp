#include "docs/generate/examples.hpp"

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <stdexcept>

namespace docs {
namespace {

namespace fs = std::filesystem;

// Examples write files into the current folder.
class files_go_elsewhere {
 public:
  files_go_elsewhere() { fs::current_path(made_); }
  ~files_go_elsewhere() {
    fs::current_path(before_);
    fs::remove_all(made_);
  }

 private:
  static fs::path make() {
    std::string name = fs::temp_directory_path() / "sinter_reference.XXXXXX";
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot make a folder for the files of examples");
    return name;
  }
  const fs::path before_ = fs::current_path(), made_ = make();
};

}  // namespace

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
