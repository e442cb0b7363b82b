// Kernels that run without a compiler: the interpreter device's, and the CPU's where there is none.
#pragma once

#include <deque>
#include <mutex>

#include "codegen/ir/interpret.hpp"
#include "runtime/device/device.hpp"

namespace sinter::runtime {

/// Copies of kernels and their variants, kept for good. Any thread.
class interpreted_kernels {
 public:
  /// The program's own functions in it are compiled: text is nothing to interpret. Errors: `compile_error`; `device_error` where
  /// there is no C compiler. `on`: for messages.
  void* load(const codegen::kernel& source, const codegen::variant& layout, device on);
  void run(void* loaded, const geometry& how, const void* arguments) const {
    const auto& p = *static_cast<const program*>(loaded);
    codegen::interpret(p.kernel, p.layout, arguments, 0, how.items);
  }

 private:
  struct program {
    codegen::kernel kernel;
    codegen::variant layout;
  };

  std::mutex loading_;
  std::deque<program> programs_;  // addresses stay
};

}  // namespace sinter::runtime
