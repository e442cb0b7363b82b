// A folder for the files that examples write.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace docs {

/// Makes a new folder the current one until the end of the scope, and removes it then.
class files_go_elsewhere {
 public:
  files_go_elsewhere() { std::filesystem::current_path(made_); }
  ~files_go_elsewhere() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(made_);
  }
  files_go_elsewhere(const files_go_elsewhere&) = delete;
  files_go_elsewhere& operator=(const files_go_elsewhere&) = delete;

 private:
  static std::filesystem::path make() {
    std::string name = std::filesystem::temp_directory_path() / "sinter_docs.XXXXXX";
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot make a folder for the files of examples");
    return name;
  }
  const std::filesystem::path before_ = std::filesystem::current_path(), made_ = make();
};

}  // namespace docs
