// What turns kernel text into an image a device can load. One implementation per device kind: cuda.cpp (NVRTC) and
// cpu.cpp (the system's C compiler). Neither needs a device, so a machine without a GPU can compile for one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::codegen {

using bytes = std::vector<std::byte>;

/// SINTER_MATH: `strict` forbids FMA contraction; `standard` allows it; `fast` also allows approximate functions.
enum class math_mode { standard, strict, fast };

/// Reads SINTER_MATH, once per process; unset or empty is `standard`. Errors: an unknown word is an `error`.
math_mode math_mode_from_environment();

class compiler {
 public:
  virtual ~compiler() = default;

  /// Everything the image depends on besides the source: options, architecture, compiler version, CPU features.
  virtual const std::string& identity() const = 0;

  /// "cu" or "c": the file ending of the source.
  virtual const char* extension() const = 0;

  /// Compiles. Thread-safe. Errors: `compile_error` with the log, the numbered source and the identity, where the
  /// source is at fault; `device_error` where the compiler itself failed (died, ran too long, has no room to work in).
  virtual bytes compile(std::string_view source) const = 0;
};

/// NVRTC for `sm_<arch>` (90 for compute capability 9.0), giving a cubin; where this NVRTC does not know the
/// architecture yet, PTX of the closest older one. SINTER_NVRTC names the library to use and no other. Errors:
/// `device_error` naming the libraries looked for where NVRTC cannot be opened, or the architectures it knows where all
/// are newer.
std::unique_ptr<compiler> make_cuda_compiler(int arch, math_mode mode);

/// The system's C compiler (the first of cc, gcc, clang on PATH), giving a shared object. SINTER_CC names the one to
/// use and no other; set to nothing it means none. A kernel that calls the C library must declare what it calls with
/// the word `extern` (or use a `__builtin_`): only then are libm and libmvec linked. Null where there is no compiler.
std::unique_ptr<compiler> make_cpu_compiler(math_mode mode);

}  // namespace sinter::codegen
