// What is said of a failed compilation, the same for every compiler: a line in the exception, everything in a file.
#pragma once

#include <string>
#include <string_view>

namespace sinter::codegen {

/// What a compiler knows when it fails. `source` is shown with line numbers that match the log's.
struct failure {
  std::string_view by;    ///< "the C compiler /usr/bin/cc"
  std::string_view what;  ///< "did not compile"; the kernel's name follows
  std::string_view log;
  std::string_view identity;
  std::string_view source;
  std::string_view name = {};  ///< the kernel's, where the source does not begin with it
};

/// All that is known, enough to compile it again by hand: the sentence, the full log, the identity, the numbered source.
std::string describe(const failure& failed);

/// The message of the exception, one line: who did not compile which kernel, the first error of the log, and the file that
/// `describe` was written to.
std::string report(const failure& failed);

}  // namespace sinter::codegen
