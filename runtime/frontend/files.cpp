#include "runtime/frontend/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <system_error>

#include <sinter/error.hpp>

#include "codegen/compile/file.hpp"
#include "runtime/frontend/message.hpp"

namespace sinter::detail {

void refuse_file(const char* function, const char* path, const std::string& why) {
  throw io_error(message("sinter: %s: %s: %s", function, path, why.c_str()).c_str());
}

void refuse_file(const char* function, const char* path, int number, const char* more) {
  refuse_file(function, path, std::generic_category().message(number) + more);
}

std::string read_whole(const char* function, const char* path) {
  const codegen::unique_fd file = codegen::open_path(path, O_RDONLY);
  if (!file) refuse_file(function, path, errno);
  constexpr std::size_t piece = 1 << 20;
  std::string all;
  for (std::ptrdiff_t got = piece; got == static_cast<std::ptrdiff_t>(piece);) {
    const std::size_t before = all.size();
    all.resize(before + piece);
    got = codegen::read_upto(file.get(), all.data() + before, piece);
    if (got < 0) refuse_file(function, path, errno);
    all.resize(before + static_cast<std::size_t>(got));
  }
  return all;
}

void write_whole(const char* function, const char* path, std::span<const std::string_view> pieces) {
  codegen::unique_fd file = codegen::open_path(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (!file) refuse_file(function, path, errno);
  if (!std::all_of(pieces.begin(), pieces.end(),
                   [&](std::string_view p) { return codegen::write_all(file.get(), p.data(), p.size()); }))
    refuse_file(function, path, errno, "; the file is not complete");
  if (::close(file.release()) != 0 && errno != EINTR)
    refuse_file(function, path, errno, "; the file may not be complete");
}

}  // namespace sinter::detail
