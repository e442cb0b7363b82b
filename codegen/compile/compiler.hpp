// What turns kernel text into an image a device can load. One implementation per device kind: cuda.cpp (NVRTC) and
// cpu.cpp (the system's C compiler). Neither needs a device, so a machine without a GPU can compile for one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sinter/error.hpp>

#include "codegen/ir/target.hpp"

namespace sinter::codegen {

using bytes = std::vector<std::byte>;

/// Reads SINTER_MATH, once per process; unset or empty is `standard`. Errors: an unknown word is an `error`.
math_mode math_mode_from_environment();

/// What this process compiles for: its mode, and the C library that it runs with. Errors: as those of the mode.
target target_here(dialect);

/// A compiler that was stopped because it gave no answer. Asking again would only cost the same wait again.
class compiler_hangs : public device_error {
 public:
  using device_error::device_error;
};

/// A text that was compiled to be read.
struct compiled_text {
  bytes image;
  std::string between = {};  ///< PTX; empty: there is nothing between the text and the image
  std::string uses =
      {};  ///< registers, spills and shared memory, a line for each kernel; empty: the compiler does not say
};

class compiler {
 public:
  virtual ~compiler() = default;

  /// Everything the image depends on besides the source: options, architecture, compiler version, CPU features.
  virtual const std::string& identity() const = 0;

  /// "cu" or "c": the file ending of the source.
  virtual const char* extension() const = 0;

  /// Compiles. Thread-safe. Errors: `compile_error` with the log and the source, where the source is at fault;
  /// `compiler_hangs` where it ran too long; `device_error` where it failed otherwise (died, has no room to work in).
  virtual bytes compile(std::string_view source) const = 0;

  /// The same for those who look at kernels: it may take longer. The image has the code of that of `compile`.
  virtual compiled_text compile_to_read(std::string_view source) const { return {compile(source)}; }
};

/// NVRTC for `sm_<arch>` (90 for compute capability 9.0), giving a cubin; where this NVRTC does not know the
/// architecture yet, PTX of the closest older one. SINTER_NVRTC names the library to use and no other. Errors:
/// `device_error` naming the libraries looked for where NVRTC cannot be opened, or the architectures it knows where all
/// are newer.
std::unique_ptr<compiler> make_cuda_compiler(int arch, math_mode mode);

/// The system's C compiler (the first of cc, gcc, clang on PATH), giving a shared object. SINTER_CC names the one to
/// use and no other; set to nothing it means none. A kernel that calls the C library must declare what it calls with
/// the word `extern` (or use a `__builtin_`): only then are libm and libmvec linked. Null where there is no compiler. One
/// that has not answered yet is given 30 seconds, afterwards 2 minutes a kernel; SINTER_CC_SECONDS says otherwise.
std::unique_ptr<compiler> make_cpu_compiler(math_mode mode);

/// Why make_cpu_compiler has none to give: "SINTER_CC=nonsense names no program".
std::string why_no_cpu_compiler();

}  // namespace sinter::codegen
