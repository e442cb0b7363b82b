// SINTER_LOG.
#include "runtime/log.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace sinter::runtime {

int log_level() {
  static const int level = [] {
    const char* asked = std::getenv("SINTER_LOG");
    return asked ? std::atoi(asked) : 0;
  }();
  return level;
}

void log(int level, const char* format, ...) {
  if (log_level() < level) return;
  char line[1 << 16];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "sinter: %s\n", line);
}

}  // namespace sinter::runtime
