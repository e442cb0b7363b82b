// Decides whether a folder may hold code that this process will run.
#pragma once

#include <string>

#include "codegen/compile/file.hpp"

namespace sinter::codegen {

/// A folder that passed the gate, or why it did not.
struct gate_answer {
  unique_fd folder;
  int error = 0;        ///< errno, where the file system refused
  std::string refusal;  ///< a clause such as "it belongs to another user"; empty where the folder is open
};

/// `folder` made absolute, without a slash or dot at the end (behind which a symbolic link would be followed).
std::string normal_folder(std::string folder);

/// Opens a folder that is a real directory of this user and closed to all others. The checks are made on the open
/// directory, so what is used through it is what was checked. Never throws for a file-system reason.
gate_answer open_trusted(const std::string& folder);

/// The same, after making what is missing of the path, each part with mode 0700.
gate_answer make_trusted(const std::string& folder);

/// Where files lie until they are published, and where damaged ones end.
inline constexpr const char* limbo = "tmp";

/// Opens a folder below a trusted one, making it first if asked. Errors: an empty unique_fd, and errno.
unique_fd open_below(int cache, const char* folder, bool make);

}  // namespace sinter::codegen
