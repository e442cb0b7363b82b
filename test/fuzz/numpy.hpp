// NumPy's opinion of programs that Sinter has run: one Python process for many of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "test/fuzz/check.hpp"

namespace sinter::fuzz {

class numpy_batch {
 public:
  /// Files are written to `folder`, which is there.
  explicit numpy_batch(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// `values`: of each step, as `check` gives them.
  void add(const program&, std::vector<snapshot> values);
  /// A verdict for each program, in order: NumPy has done each step with Sinter's operands. Errors: `std::runtime_error`
  /// where Python did not come to the end.
  std::vector<verdict> run();

  static constexpr const char* ways = "a step and NumPy's";
  /// Is there a python3 with a NumPy that this can be compared with?
  static bool available();
  /// Has NumPy all dtypes of a program?
  static bool knows(const program&);

 private:
  struct entry {
    program of;
    std::vector<snapshot> values;
    std::size_t first_record;
  };
  void write() const;

  std::filesystem::path folder_;
  std::vector<entry> entries_;
  std::size_t records_ = 0;
};

}  // namespace sinter::fuzz
