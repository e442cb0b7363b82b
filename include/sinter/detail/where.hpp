// The place a call was made from, for messages: std::source_location as far as it is needed here, which clang 14 lacks.
#pragma once

namespace sinter::detail {

struct where {
  const char* file = "";
  unsigned line = 0;  // 0: not known

  constexpr where() = default;
  static constexpr where current(const char* at_file = __builtin_FILE(), unsigned at_line = __builtin_LINE()) {
    where place;
    place.file = at_file;
    place.line = at_line;
    return place;
  }
};

}  // namespace sinter::detail
