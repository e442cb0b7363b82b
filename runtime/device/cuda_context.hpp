// What the parts of a CUDA device share: the driver, the latch for its errors, the primary context, the device's facts.
// Whatever calls the driver has gone through use() first.
#pragma once

#include <memory>
#include <string>

#include "runtime/device/driver.hpp"

namespace sinter::runtime {

/// What was read once about a device.
struct cuda_properties {
  cu_device handle = 0;
  std::string name;
  std::string pci_bus;
  int capability = 0;  // 90 for 9.0
  int multiprocessors = 0;
  int cache = 0;                    // bytes, of the second level
  int clock = 0, memory_clock = 0;  // kHz; 0: the driver does not say
  int bus_width = 0;                // bits
  std::size_t memory = 0;
  int driver_version = 0;
};

/// A device's primary context, which it shares with CUDA code of other libraries, held for as long as this lives.
class cuda_context {
 public:
  cuda_context(const driver&, int ordinal);
  cuda_context(const cuda_context&) = delete;
  cuda_context& operator=(const cuda_context&) = delete;
  ~cuda_context();

  const driver& api;
  fault_latch faults;
  const cuda_properties properties;
  cu_context handle = nullptr;

  /// Makes the context current on this thread. Asks the driver each time instead of remembering: other libraries switch
  /// contexts too, and what is allocated or launched under theirs would land on another device without an error. The
  /// question is a thread-local read inside the driver. Errors: `device_lost`.
  void use() {
    faults.raise_if_lost();
    cu_context now = nullptr;
    api.cuCtxGetCurrent(&now);
    if (now != handle) [[unlikely]]
      faults.check(api.cuCtxSetCurrent(handle), "cuCtxSetCurrent");
  }
  /// For destructors and noexcept functions. False: leave the driver alone.
  bool use_if_alive() noexcept { return faults.usable() && api.cuCtxSetCurrent(handle) == cu_success; }
  void check(cu_result result, const char* call) { faults.check(result, call); }
};

class device_impl;
class program_module;
/// Loads a cubin or PTX. Errors: `device_error` with what the driver says of it, `out_of_memory`.
cu_module load_image(cuda_context&, device_impl&, const void* image, std::size_t size);
std::unique_ptr<program_module> load_program_module(cuda_context&, device_impl&, const void* image, std::size_t size);

}  // namespace sinter::runtime
