// The text of a failed compilation, the same for every compiler, so that one report is enough to reproduce it.
#pragma once

#include <string>
#include <string_view>

namespace sinter::codegen {

/// What a compiler knows when it fails. `source` is shown with line numbers that match the log's.
struct failure {
  std::string_view what;  ///< one sentence, without a full stop
  std::string_view log;
  std::string_view identity;
  std::string_view source;
};

/// The message of the exception: sentence, first error of the log, full log, identity, numbered source.
std::string describe(const failure& failed);

}  // namespace sinter::codegen
