// Folders and files in the temporary places. Invariant: a full or missing place is passed over, never an error by itself.
#include "codegen/compile/scratch.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>

#include "codegen/compile/file.hpp"

namespace sinter::codegen {
namespace {

constexpr const char* own_files[] = {"kernel.c", "kernel.so", "image", "log", "room"};

// More than a kernel's text, object and image take together.
constexpr std::size_t enough_room = std::size_t{1} << 20;

}  // namespace

std::vector<std::string> scratch_places() {
  std::vector<std::string> result;
  const char* const chosen = ::secure_getenv("TMPDIR");
  for (const char* place : {chosen ? chosen : "", "/tmp", "/var/tmp", "/dev/shm"}) {
    if (*place == '/') result.emplace_back(place);
  }
  return result;
}

scratch_folder::scratch_folder(const std::string& place) : path_(place + "/sinter-XXXXXX") {
  if (!::mkdtemp(path_.data())) path_.clear();
}

scratch_folder::~scratch_folder() {
  if (path_.empty()) return;
  const int saved = errno;              // why the caller gives up
  for (const char* name : own_files) {  // without asking for memory: there may be none
    char path[PATH_MAX];
    std::snprintf(path, sizeof path, "%s/%s", path_.c_str(), name);
    ::unlink(path);
  }
  if (::rmdir(path_.c_str()) != 0) {
    try {
      std::error_code ignored;
      std::filesystem::remove_all(path_, ignored);
    } catch (const std::bad_alloc&) {
      // Then what a killed compiler left there stays.
    }
  }
  errno = saved;
}

bool scratch_folder::write(const char* name, std::string_view text) const {
  const unique_fd opened = open_file(AT_FDCWD, file(name).c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  return opened && write_all(opened.get(), text.data(), text.size());
}

bool scratch_folder::has_room() const {
  const bool written = write("room", std::string(enough_room, '\0'));
  const int saved = errno;
  ::unlink(file("room").c_str());
  errno = saved;
  return written;
}

std::string leave_file(const std::string& name, std::string_view text) {
  for (const std::string& place : scratch_places()) {
    const std::string path = place + "/" + name;
    const unique_fd file = open_file(AT_FDCWD, path.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK, 0600);
    struct stat status;
    if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1 ||
        status.st_uid != ::geteuid())
      continue;
    if (::ftruncate(file.get(), 0) == 0 && write_all(file.get(), text.data(), text.size())) return path;
    ::unlink(path.c_str());
  }
  return {};
}

}  // namespace sinter::codegen
