// What a text is made for.
#pragma once

#include "codegen/ir/kernel.hpp"

namespace sinter::codegen {

/// SINTER_MATH: `strict` forbids FMA contraction; `standard` allows it; `fast` also allows approximate functions.
enum class math_mode { standard, strict, fast };

/// Nothing that makes a text asks what else there is: equal kernels have equal texts for equal targets, whichever process makes them.
struct target {
  dialect to;
  math_mode math = math_mode::standard;
  bool has_vector_math = false;  // C: does the C library have functions of vectors?
};

}  // namespace sinter::codegen
