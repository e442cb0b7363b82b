// Owned file descriptors and whole transfers, for the compilers' scratch files and the disk cache.
// Invariant: nothing here throws for a file-system reason; the caller reads errno and decides what it means.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace sinter::codegen {

/// A file descriptor that closes itself. -1: none.
class unique_fd {
 public:
  unique_fd() = default;
  explicit unique_fd(int fd) noexcept : fd_(fd) {}
  unique_fd(unique_fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  unique_fd& operator=(unique_fd&& other) noexcept {
    reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~unique_fd() { reset(); }

  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  int release() noexcept { return std::exchange(fd_, -1); }
  void reset(int fd = -1) noexcept;

 private:
  int fd_ = -1;
};

/// openat(2) with O_CLOEXEC and O_NOFOLLOW always set. Errors: an empty unique_fd, and errno.
unique_fd open_file(int folder, const char* name, int flags, unsigned mode = 0);

/// open(2) of a path that a user gave, which may lead over links. O_CLOEXEC is always set. Errors: as open_file.
unique_fd open_path(const char* path, int flags, unsigned mode = 0);

/// Writes all of it. Errors: false, and errno.
bool write_all(int fd, const void* from, std::size_t size);

/// Reads until `size` bytes or the end of the file: how many there were. Errors: -1, and errno.
std::ptrdiff_t read_upto(int fd, void* to, std::size_t size);

/// A whole regular file; empty where there is none or it cannot be read, which is for the caller to explain.
std::vector<std::byte> read_file(const char* path);

}  // namespace sinter::codegen
