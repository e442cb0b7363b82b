// Files of a user's, named by paths, as a whole. What goes wrong is an `io_error` that names the function, the path and the reason.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sinter::detail {

[[noreturn]] void refuse_file(const char* function, const char* path, const std::string& why);
/// The reason is that of a number of errno.
[[noreturn]] void refuse_file(const char* function, const char* path, int number, const char* more = "");

std::string read_whole(const char* function, const char* path);
/// The pieces, one behind the other, in place of what the file had. Errors: also where the system finds on closing that it cannot
/// keep what it took.
void write_whole(const char* function, const char* path, std::span<const std::string_view> pieces);
inline void write_whole(const char* function, const char* path, std::string_view all) {
  write_whole(function, path, std::span(&all, 1));
}

/// The elements of a vector, as bytes.
template <class List>
std::string_view bytes_of(const List& list) {
  return {reinterpret_cast<const char*>(list.data()), list.size() * sizeof *list.data()};
}

}  // namespace sinter::detail
