// SINTER_LOG=1..4: what is compiled, launched, generated and allocated, on stderr. Off, a call costs one load.
#pragma once

#include <chrono>

namespace sinter::runtime {

/// 0 (off) to 4, read from SINTER_LOG once.
int log_level();

/// Prints a line, printf-wise, if the level is at least `level`: 1 kernels compiled and copies that stores make, 2 launches,
/// 3 kernel text, 4 memory.
[[gnu::format(printf, 2, 3)]] void log(int level, const char* format, ...);

class stopwatch {
 public:
  std::chrono::steady_clock::time_point began() const { return start_; }
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace sinter::runtime
