#include "codegen/compile/toolkit.hpp"

#include <cstdlib>

#include "codegen/compile/process.hpp"

namespace sinter::codegen {

namespace {

// The environment of a privileged program belongs to the user who started it: it must not choose a library to run.
std::string from_environment(const char* name) {
  const char* value = ::secure_getenv(name);
  return value ? value : "";
}

// Where the user says the toolkit is.
std::vector<std::string> chosen_roots() {
  std::vector<std::string> roots;
  for (const char* root_of : {"CUDA_HOME", "CUDA_PATH"})
    if (std::string root = from_environment(root_of); !root.empty()) roots.push_back(std::move(root));
  return roots;
}

}  // namespace

std::vector<std::string> toolkit_files(const char* variable, std::initializer_list<const char*> names) {
  if (::secure_getenv(variable)) return {from_environment(variable)};  // a choice is not second-guessed
  std::vector<std::string> result(names.begin(), names.end()), folders;
  for (const std::string& root : chosen_roots()) {
    folders.push_back(root + "/lib64");
    folders.push_back(root + "/lib");
  }
#if defined(__aarch64__)
  const char* const target = "/usr/local/cuda/targets/sbsa-linux/lib";
#else
  const char* const target = "/usr/local/cuda/targets/x86_64-linux/lib";
#endif
  for (const char* folder : {"/usr/local/cuda/lib64", "/usr/local/cuda/lib", target}) folders.emplace_back(folder);
  for (const std::string& folder : folders)
    for (const char* name : names) result.push_back(folder + "/" + name);
  return result;
}

std::string toolkit_program(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (std::string found = program_on_path(name); !found.empty()) return found;
  std::vector<std::string> roots = chosen_roots();
  roots.emplace_back("/usr/local/cuda");
  for (const std::string& root : roots)
    for (const char* name : names)
      if (std::string path = root + "/bin/" + name; path.front() == '/' && is_program(path)) return path;
  return {};
}

}  // namespace sinter::codegen
