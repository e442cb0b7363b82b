// Where a compiler works, and where the log of a failed compilation stays: $TMPDIR and the places behind it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sinter::codegen {

/// Absolute folders in the order they are tried: $TMPDIR, /tmp, /var/tmp, /dev/shm.
std::vector<std::string> scratch_places();

/// A folder that only this user can enter. Removing it also removes what a killed compiler left there.
class scratch_folder {
 public:
  /// Below `place`. Errors: an empty path, and errno.
  explicit scratch_folder(const std::string& place);
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const char* name) const { return path_ + "/" + name; }

  /// Errors: false, and errno.
  bool write(const char* name, std::string_view text) const;
  /// Could a compiler still write a kernel's files here? Tried, since neither its exit status nor its words say so reliably.
  bool has_room() const;

 private:
  std::string path_;
};

/// Writes a file for the user to read, in the first place that takes it; a file of the same name is replaced if it is this
/// user's. Returns its path, or nothing where no place took it.
std::string leave_file(const std::string& name, std::string_view text);

}  // namespace sinter::codegen
