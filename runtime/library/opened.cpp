#include "runtime/library/opened.hpp"

#include <cstdlib>
#include <cstring>

#include <dlfcn.h>

namespace sinter::runtime {

namespace {

// What is missing in an opened file; empty: nothing.
std::string fill_in(void* library, std::span<const library_function> functions) {
  std::string missing;
  for (const library_function& f : functions) {
    void* const symbol = dlsym(library, f.name);
    if (!symbol) missing += (missing.empty() ? "" : ", ") + std::string(f.name);
    std::memcpy(f.pointer, &symbol, sizeof symbol);
  }
  return missing;
}

}  // namespace

std::vector<std::string> chosen_files(const char* variable, std::vector<std::string> usual) {
  if (const char* const named = ::secure_getenv(variable)) return {named};
  return usual;
}

bool open_library(const library_place& place, std::span<const library_function> functions, std::string& why) {
  why = std::string(place.name) + " was not found; it is in " + place.package + "; looked for";
  for (const std::string& file : place.files) {
    void* const library = file.empty() ? nullptr : dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
      why += " " + (file.empty() ? "nothing" : file);
      continue;
    }
    const std::string missing = fill_in(library, functions);
    if (missing.empty()) return true;
    dlclose(library);
    why += " " + file + " (which lacks " + missing + ")";
  }
  return false;
}

}  // namespace sinter::runtime
