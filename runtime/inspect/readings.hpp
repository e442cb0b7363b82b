// What compilers make of a kernel's texts, for dump: PTX and machine code.
#pragma once

#include <string>

#include <sinter/inspect.hpp>

#include "runtime/device/device.hpp"

namespace sinter::runtime {

/// The sections that are asked for, each below a line of its own that begins with `title`. Errors: none; a section says what is
/// missing.
struct compiled_readings {
  dump_options asked;
  /// Of CUDA text: for the device where it is a GPU, else for one of compute capability 9.0.
  std::string cuda(const std::string& text, const device_impl& on, const std::string& title) const;
  /// Of C text.
  std::string c(const std::string& text, const device_impl& on, const std::string& title) const;
};

}  // namespace sinter::runtime
