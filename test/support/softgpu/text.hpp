// Reading kernel text before it goes to the host compiler: which kernels there are, and the one construct that the shim
// cannot express. A scanner of tokens, not a parser: it knows comments, literals and names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace softgpu {

struct kernel_in_text {
  std::string name;              // with its namespaces
  bool of_template = false;      // only there where a name expression asks for it
  unsigned most_threads = 1024;  // __launch_bounds__
};

struct scanned_text {
  std::string text;   // with `extern __shared__ T x[];` written so that a host compiler takes it
  std::string title;  // the last of the comment lines that the text begins with
  std::vector<kernel_in_text> kernels;
  bool together = false;  // barriers, shuffles and the like: threads of a block have to take turns
};

scanned_text scan(std::string_view source);

/// What follows the text: the record by which a loaded module is found (module.hpp), with what name expressions ask for.
std::string module_trailer(const scanned_text&, const std::vector<std::string>& name_expressions);

}  // namespace softgpu
