// What the tests of files and processes share: a folder that goes away, an environment that comes back, work in a
// child.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "codegen/compile/compiler.hpp"

namespace sinter::test {

using codegen::bytes;

class scratch {
 public:
  scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "sinter-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data()) ? name : "";
  }
  ~scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Sets (or, with null, unsets) a variable until the end of the scope.
class environment {
 public:
  environment(const char* name, const char* value) : name_(name) {
    const char* old = ::getenv(name);
    had_ = old != nullptr;
    if (had_) old_ = old;
    set(value);
  }
  ~environment() { set(had_ ? old_.c_str() : nullptr); }
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;

 private:
  void set(const char* value) {
    if (value) {
      ::setenv(name_, value, 1);
    } else {
      ::unsetenv(name_);
    }
  }

  const char* name_;
  std::string old_;
  bool had_;
};

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

inline bytes to_bytes(const std::string& text) {
  const std::byte* from = reinterpret_cast<const std::byte*>(text.data());
  return bytes(from, from + text.size());
}

inline std::string to_text(const bytes& data) { return {reinterpret_cast<const char*>(data.data()), data.size()}; }

struct child_report {
  int exit_code = -1;  ///< 98: an exception came out
  int signal = 0;
  std::string errors;  ///< what it wrote to stderr

  auto lines() const { return std::count(errors.begin(), errors.end(), '\n'); }
};

/// Runs `work` in a forked child, whose exit code is what `work` returns. For what a process does once, or may die of.
template <class Work>
child_report in_child(Work work) {
  std::FILE* errors = std::tmpfile();
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::fileno(errors), STDERR_FILENO);
    int code = 98;
    try {
      code = work();
    } catch (...) {
    }
    std::fflush(stderr);
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  child_report report;
  if (WIFEXITED(status)) report.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) report.signal = WTERMSIG(status);
  std::rewind(errors);
  for (int c; (c = std::fgetc(errors)) != EOF;) report.errors += static_cast<char>(c);
  std::fclose(errors);
  return report;
}

/// Gives up root, if there, for good: permissions do not bind root. Only in a child.
inline bool become_nobody() {
  if (::geteuid() != 0) return true;
  return ::setgid(65534) == 0 && ::setuid(65534) == 0;
}

}  // namespace sinter::test
