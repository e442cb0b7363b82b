#include "runtime/library/opened.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <dlfcn.h>

#include <sinter/error.hpp>

#include "runtime/frontend/message.hpp"

namespace sinter::runtime {

namespace {

// What is missing in an opened file; empty: nothing.
std::string fill_in(void* library, std::span<const library_function> functions) {
  std::string missing;
  for (const library_function& f : functions) {
    void* const symbol = dlsym(library, f.name);
    if (!symbol && !f.may_be_none) missing += (missing.empty() ? "" : ", ") + std::string(f.name);
    std::memcpy(f.pointer, &symbol, sizeof symbol);
  }
  return missing;
}

}  // namespace

library_place usual_place(const char* name, const char* variable, std::initializer_list<const char*> files,
                          const char* package, void (*opened_first)(void* library)) {
  if (const char* const named = ::secure_getenv(variable)) return {name, variable, {named}, package, opened_first};
  return {name, variable, {files.begin(), files.end()}, package, opened_first};
}

search open_library(const library_place& place, std::span<const library_function> functions, std::string& why) {
  static std::mutex one_at_a_time;  // of two that want one file, the second finds it as the first has made it
  const std::lock_guard hold(one_at_a_time);
  why = std::string(place.name) + " was not found; it is in " + place.package + "; looked for";
  for (const std::string& file : place.files) {
    void* const there = file.empty() ? nullptr : dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    void* const library = file.empty() ? nullptr : dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (there) dlclose(there);
    if (library) {
      const std::string missing = fill_in(library, functions);
      if (missing.empty()) {
        if (!there && place.opened_first) place.opened_first(library);
        return search::found;
      }
      dlclose(library);
      why += " " + file + " (which lacks " + missing + ")";
      continue;
    }
    if (file.empty()) {
      why += " nothing";
      continue;
    }
    const char* const given = dlerror();
    const std::string said = given ? given : "nothing says why";
    // What the loader says is in the program's language, and names the file that is not there: this one, or one that it needs.
    const bool is_absent = said.find(std::strerror(ENOENT)) != said.npos;
    if (!is_absent || ::secure_getenv(place.variable))
      throw device_error(detail::message("sinter: %s could not be opened: %s", file.c_str(), said.c_str()).c_str());
    why += " " + (said.find(file) != said.npos ? file : file + " (" + said + ")");
  }
  return search::in_vain;
}

}  // namespace sinter::runtime
