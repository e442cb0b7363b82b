// Shared libraries that are opened when the first call needs them. No header of theirs is included anywhere: declarations are our
// own, so that Sinter is built without them, and a program starts on a machine that lacks them.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace sinter::runtime {

/// Where a library is looked for.
struct library_place {
  const char* name;                // in messages: "OpenBLAS"
  std::vector<std::string> files;  // in order
  const char* package;             // that has it
};

/// A function of a library, and where its address goes.
struct library_function {
  const char* name;
  void* pointer;  // to a pointer to a function
};

/// The files to try: the one that a variable of the environment names, alone; else the given ones.
std::vector<std::string> chosen_files(const char* variable, std::vector<std::string> usual);

/// Opens the first file that is there and has all functions, for the rest of the process. False: none, and `why` says what was
/// looked for and which package has it.
bool open_library(const library_place&, std::span<const library_function>, std::string& why);

/// A library's table of functions, filled when this is made: once in a process. Without the library it says why.
template <class Table>
struct opened {
  explicit opened(const library_place& place) : is_there(open_library(place, table.functions(), why)) {}
  Table table;
  std::string why;
  const bool is_there;
};

}  // namespace sinter::runtime
