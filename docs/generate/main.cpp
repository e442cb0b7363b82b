// Writes the pages that are made from the code: docs/operations.md and docs/reference/. `./dev docs` runs it, and a test compares.
//
//   sinter_reference <include folder> <docs folder>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <stdexcept>

#include "docs/generate/pages.hpp"

namespace {

namespace fs = std::filesystem;

// Not for programs to include, or without anything of their own.
const std::set<std::string> left_out{"sinter.hpp", "private_copy.hpp", "fmt.hpp", "special.hpp", "constants.hpp"};

std::vector<docs::page> read_headers(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& file : fs::directory_iterator(folder))
    if (file.path().extension() == ".hpp" && !left_out.contains(file.path().filename())) paths.push_back(file.path());
  std::sort(paths.begin(), paths.end());
  std::vector<docs::page> pages;
  for (const fs::path& p : paths) pages.push_back(docs::read_header(p));
  return pages;
}

// An example of nothing is of something that was renamed; and what NumPy has has an example.
void check_names(const std::vector<docs::page>& pages, const std::vector<docs::example>& examples) {
  std::set<std::string> names;
  for (const docs::page& p : pages)
    for (const docs::entry& e : p.entries) names.insert(e.name), names.insert(e.also.begin(), e.also.end());
  std::string unknown;
  for (const docs::example& x : examples)
    if (!names.contains(x.name)) unknown += ' ' + x.name;
  std::string without;
  for (const docs::page& p : pages)
    for (const docs::entry& e : p.entries) {
      // One needs zlib, and pages are the same without it. What members of a struct begin with is no call.
      const std::string& declared = e.signatures.front();
      const bool is_function = declared.find('(') < declared.find(" {\n") && declared.rfind("using ", 0) != 0 &&
                               e.name != "savez_compressed" && e.source.find("umpy.") != std::string::npos;
      const auto is_of = [&](const docs::example& x) {
        return x.name == e.name || std::count(e.also.begin(), e.also.end(), x.name);
      };
      if (is_function && std::none_of(examples.begin(), examples.end(), is_of)) without += ' ' + e.name;
    }
  if (!without.empty()) throw std::runtime_error("there is no example in docs/generate of" + without);
  if (!unknown.empty()) throw std::runtime_error("no header declares what there are examples of:" + unknown);
}

template <class Write>
void write(const fs::path& to, Write make) {
  std::ofstream out(to);
  make(out);
  out.close();
  if (!out) throw std::runtime_error("cannot write " + to.string());
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) throw std::runtime_error("sinter_reference takes the include folder and the folder to write to");
  const fs::path to = argv[2], reference = to / "reference";
  const std::vector<docs::page> pages = read_headers(fs::path(argv[1]) / "sinter");
  const std::vector<docs::example> examples = docs::run_examples();
  check_names(pages, examples);
  fs::remove_all(reference);  // a page whose header is gone
  fs::create_directories(reference);
  write(to / "operations.md", docs::write_operations);
  write(reference / "README.md", [&](std::ostream& out) { docs::write_index(out, pages); });
  for (const docs::page& p : pages)
    write(reference / fs::path(p.header).replace_extension(".md"),
          [&](std::ostream& out) { docs::write_page(out, p, examples); });
} catch (const std::exception& e) {
  std::cerr << "sinter_reference: " << e.what() << '\n';
  return 1;
}
