// What the reference is made of: entries read from the headers, and examples that were run.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace docs {

/// A function, a type or a member: its comment's parts, and how it is declared.
struct entry {
  std::string name;                     // as a program spells it within the namespace
  std::string sentence;                 // what comes before the parts that have names
  std::vector<std::string> parts;       // "Shapes: ...", "Errors: ...", in the order of the comment
  std::string source;                   // NumPy's name, or another library's; may be empty
  std::vector<std::string> signatures;  // of all overloads; of types with their members
  std::vector<std::string> also;        // other names that the comment is about
};

/// A header: its own sentence, and what it declares.
struct page {
  std::string header;  // "join.hpp"
  std::string about;
  std::vector<entry> entries;
};
/// Reads a public header. Errors: std::runtime_error.
page read_header(const std::string& path);

/// Both spellings of a call, and what Sinter printed.
struct example {
  std::string name, numpy, sinter, result;
};
/// Runs all examples, on the interpreter: its results have the same bits everywhere.
std::vector<example> run_examples();
/// The declarations of what the examples are of.
const char* example_operands();

/// The page of elementwise operations, and their names.
void write_operations(std::ostream&);
std::vector<std::string> operation_names();
/// The page of a header, and the index of all.
void write_page(std::ostream&, const page&, const std::vector<example>&);
void write_index(std::ostream&, const std::vector<page>&);

}  // namespace docs
