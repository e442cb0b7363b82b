// Runs the blocks of README.md and docs/guide, and compares what they print with what the pages say.
//
//   sinter_guide <the folder whose files they may read>
#include <exception>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "docs/generate/elsewhere.hpp"
#include "test/guide/guide.hpp"

namespace guide {
namespace {

struct {
  std::string page;
  int line = 0;
} here;
std::ostringstream captured;
int wrong = 0, compared = 0;

std::vector<void (*)()>& sections() {
  static std::vector<void (*)()> all;
  return all;
}

// What was printed since it was last asked for, without spaces and lines at its ends.
std::string take() {
  std::string text = std::move(captured).str();
  captured.str("");
  text.erase(text.find_last_not_of(" \n") + 1);
  return text;
}

// Three dots stand for anything.
bool is_like(std::string_view text, std::string_view pattern) {
  const std::size_t dots = pattern.find("...");
  if (dots == pattern.npos) return text == pattern;
  if (text.substr(0, dots) != pattern.substr(0, dots)) return false;
  const std::string_view rest = pattern.substr(dots + 3);
  for (std::size_t from = dots; from <= text.size(); ++from)
    if (is_like(text.substr(from), rest)) return true;
  return false;
}

void complain(const std::string& what) {
  std::cerr << here.page << ':' << here.line << ": " << what << '\n';
  ++wrong;
}

void nothing_is_left() {
  if (const std::string text = take(); !text.empty())
    complain("this is printed, and the page has no text for it:\n" + text);
}

}  // namespace

void at(const char* page, int line) {
  nothing_is_left();
  here = {page, line};
}

void printed(const char* page, int line, const char* text) {
  std::string expected = text;
  expected.erase(expected.find_last_not_of(" \n") + 1);
  const std::string is = take();
  here = {page, line};
  ++compared;
  if (!is_like(is, expected)) complain("printed is\n" + is + "\nand not\n" + expected);
}

section::section(void (*run)()) { sections().push_back(run); }

int run_all(const std::filesystem::path& data) {
  std::streambuf* const before = std::cout.rdbuf(captured.rdbuf());
  for (void (*run)() : sections()) {
    const docs::files_go_elsewhere inside;
    for (const auto& file : std::filesystem::directory_iterator(data))
      std::filesystem::create_symlink(file.path(), file.path().filename());
    try {
      run();
    } catch (const std::exception& e) {
      complain(std::string("this ends with an exception: ") + e.what());
    }
    nothing_is_left();
  }
  std::cout.rdbuf(before);
  std::cout << sections().size() << " sections, " << compared << " texts, " << wrong << " complaints\n";
  return wrong > 0 || compared == 0;
}

}  // namespace guide

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "sinter_guide takes the folder whose files the blocks may read\n";
    return 1;
  }
  return guide::run_all(std::filesystem::absolute(argv[1]));
}
