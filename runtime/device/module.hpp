// A loaded module of a program's own: kernels and variables by name. Generated kernels have theirs loaded by the device.
#pragma once

#include <cstddef>
#include <vector>

#include <sinter/kernel.hpp>

#include "runtime/device/device.hpp"

namespace sinter::runtime {

/// What a device says of a kernel.
struct kernel_facts {
  kernel_attributes attributes;
  bool parameters_known = false;  // older drivers do not tell
  struct parameter {
    std::size_t offset, size;
  };
  std::vector<parameter> parameters;
};

/// It stays loaded as long as the process lives: a graph may have its kernels. Any thread.
class program_module {
 public:
  virtual ~program_module() = default;
  /// A kernel by its name in the image; null where there is none. Errors: `device_error`.
  virtual void* find_kernel(const char* name) = 0;
  virtual kernel_facts facts_of(void* kernel) = 0;
  /// Lets blocks of a kernel have so much dynamic shared memory. Units: bytes.
  virtual void allow_shared(void* kernel, std::size_t bytes) = 0;
  /// A variable's address; null where there is none.
  virtual std::byte* find_variable(const char* name, std::size_t& size) = 0;
};

}  // namespace sinter::runtime
