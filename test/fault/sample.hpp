// The samples as functions. Each is a module of its own, compiled as it stands, whose main is called again and again with what
// it prints caught in a buffer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fault {

/// More than any sample prints. Units: characters.
inline constexpr std::size_t most_printed = 1 << 16;

/// How a sample ended.
struct ending {
  int returned = 0;
  bool threw = false;          // an exception came out of it
  std::string printed;         // to std::cout
  std::string said;            // by that exception; where there was none, to std::cerr
  const char* type = nullptr;  // of the first exception that it caught or let out: mangled name, null for none
};

class sample {
 public:
  /// Errors: std::runtime_error where the module cannot be loaded.
  explicit sample(const std::string& module);
  const std::string& name() const { return name_; }

  /// Its main with the arguments. Nothing in here but the sample itself makes calls that count.
  ending run() const;

 private:
  std::string name_;
  int (*main_)(int, char**) = nullptr;
};

/// The modules of a folder, by name.
std::vector<sample> samples_in(const std::string& folder);

}  // namespace fault
