// The instructions in an image, for those who look at kernels.
#pragma once

#include <string>

#include "codegen/compile/compiler.hpp"

namespace sinter::codegen {

/// What a tool wrote, or why there is nothing.
struct listing {
  std::string text;
  std::string why_not = {};
};

/// The instructions in an image: of a cubin SASS, by nvdisasm or cuobjdump of the CUDA toolkit (on PATH, or below CUDA_HOME, CUDA_PATH
/// or /usr/local/cuda), of a shared object by objdump. Errors: none; what is missing or fails is said in `why_not`.
listing disassemble(const bytes& image);

/// The same with what the kernels use before it, as comments.
std::string with_head(const std::string& uses, const listing& instructions);

}  // namespace sinter::codegen
