// The directory gate of the disk cache: a process that can write into the folder can run code as this user.
// Invariant: a descriptor leaves here only for a directory owned by the effective user with no group or other
// permissions.
#include "codegen/cache/gate.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace sinter::codegen {
namespace {

gate_answer refused(std::string why, int error = 0) { return {unique_fd(), error, std::move(why)}; }

// Makes one component and looks at what came of it: between mkdir and here another user may have been in the parent.
gate_answer make_component(const std::string& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) == 0) return {};
  if (errno != ENOENT) return refused(std::string("it cannot be reached: ") + std::strerror(errno), errno);
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return refused(std::string("it cannot be made: ") + std::strerror(errno), errno);
  }
  if (::lstat(path.c_str(), &status) != 0) {
    return refused(std::string("it cannot be reached: ") + std::strerror(errno), errno);
  }
  if (!S_ISDIR(status.st_mode) || status.st_uid != ::geteuid()) return refused("another user made part of its path");
  return {};
}

}  // namespace

std::string normal_folder(std::string folder) {
  std::error_code failed;
  std::string result = std::filesystem::absolute(folder, failed).string();
  if (failed) return folder;  // no working directory; the gate will say that the path cannot be reached
  while (result.size() > 1 && (result.back() == '/' || result.ends_with("/."))) result.pop_back();
  return result;
}

gate_answer open_trusted(const std::string& folder) {
  unique_fd opened = open_file(AT_FDCWD, folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (!opened) {
    const int error = errno;
    struct stat status;
    if (::lstat(folder.c_str(), &status) == 0 && S_ISLNK(status.st_mode)) return refused("it is a symbolic link");
    return refused(std::string("it cannot be opened: ") + std::strerror(error), error);
  }
  struct stat status;
  if (::fstat(opened.get(), &status) != 0) {
    return refused(std::string("it cannot be examined: ") + std::strerror(errno), errno);
  }
  if (status.st_uid != ::geteuid()) return refused("it belongs to another user");
  if (status.st_mode & (S_IRWXG | S_IRWXO)) return refused("other users can enter it (chmod 700 would do)");
  return {std::move(opened), 0, {}};
}

gate_answer make_trusted(const std::string& folder) {
  gate_answer answer = open_trusted(folder);
  if (answer.error != ENOENT) return answer;
  for (std::size_t slash = folder.find('/', 1);; slash = folder.find('/', slash + 1)) {
    gate_answer made = make_component(folder.substr(0, slash));
    if (!made.refusal.empty()) return made;
    if (slash == std::string::npos) return open_trusted(folder);
  }
}

unique_fd open_below(int cache, const char* folder, bool make) {
  unique_fd opened = open_file(cache, folder, O_RDONLY | O_DIRECTORY);
  if (opened || errno != ENOENT || !make) return opened;
  const std::string path(folder);
  for (std::size_t slash = path.find('/');; slash = path.find('/', slash + 1)) {
    if (::mkdirat(cache, path.substr(0, slash).c_str(), 0700) != 0 && errno != EEXIST) return unique_fd();
    if (slash == std::string::npos) return open_file(cache, folder, O_RDONLY | O_DIRECTORY);
  }
}

}  // namespace sinter::codegen
