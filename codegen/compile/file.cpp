// File descriptors and whole transfers: the only place that loops over read(2) and write(2).
// Invariant: a signal in the middle of a transfer is never seen as a failure.
#include "codegen/compile/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace sinter::codegen {
namespace {

// The kernel moves at most 2 GiB - 4 KiB in one call; asking for more is an error on some file systems.
constexpr std::size_t largest_transfer = std::size_t{1} << 30;

}  // namespace

void unique_fd::reset(int fd) noexcept {
  if (fd_ >= 0) {
    const int saved = errno;  // a failing close must not hide why the caller gives up
    ::close(fd_);
    errno = saved;
  }
  fd_ = fd;
}

unique_fd open_file(int folder, const char* name, int flags, unsigned mode) {
  for (;;) {
    const int fd = ::openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW, mode);
    if (fd >= 0 || errno != EINTR) return unique_fd(fd);
  }
}

unique_fd open_path(const char* path, int flags, unsigned mode) {
  for (;;) {
    const int fd = ::open(path, flags | O_CLOEXEC, mode);
    if (fd >= 0 || errno != EINTR) return unique_fd(fd);
  }
}

bool write_all(int fd, const void* from, std::size_t size) {
  const char* at = static_cast<const char*>(from);
  while (size > 0) {
    const ssize_t done = ::write(fd, at, std::min(size, largest_transfer));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      if (done == 0) errno = ENOSPC;  // no progress and no reason: a full device is what it means in practice
      return false;
    }
    at += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

std::ptrdiff_t read_upto(int fd, void* to, std::size_t size) {
  char* at = static_cast<char*>(to);
  std::size_t left = size;
  while (left > 0) {
    const ssize_t done = ::read(fd, at, std::min(left, largest_transfer));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return -1;
    if (done == 0) break;
    at += done;
    left -= static_cast<std::size_t>(done);
  }
  return static_cast<std::ptrdiff_t>(size - left);
}

std::vector<std::byte> read_file(const char* path) {
  const unique_fd file = open_file(AT_FDCWD, path, O_RDONLY);
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::vector<std::byte> result(static_cast<std::size_t>(status.st_size));
  if (read_upto(file.get(), result.data(), result.size()) != status.st_size) return {};
  return result;
}

}  // namespace sinter::codegen
