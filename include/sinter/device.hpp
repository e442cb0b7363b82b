// Devices: where arrays live and kernels run.
#pragma once

#include <cstddef>
#include <iosfwd>

#include <sinter/detail/config.hpp>

namespace sinter {

/// A device: the CPU, one of the CUDA GPUs, or the interpreter (the tests' oracle).
class device {
 public:
  enum class kind : unsigned char { cpu, cuda, interpreter };

  static constexpr device cpu() { return {kind::cpu, 0}; }
  static constexpr device cuda(int ordinal = 0) { return {kind::cuda, ordinal}; }
  static constexpr device interpreter() { return {kind::interpreter, 0}; }
  /// The calling thread's current device: SINTER_DEVICE (`cpu`, `cuda`, `cuda:1`, `interpreter`) where set, else the first GPU,
  /// else the CPU. Errors: `device_error` for a device that is not there. Source: cupy.cuda.Device.
  SINTER_API static device current();
  /// Is there such a device? Never throws.
  SINTER_API static bool available(device);
  /// The number of CUDA devices. Source: cupy.cuda.runtime.getDeviceCount.
  SINTER_API static int cuda_count();

  constexpr device(enum kind k, int ordinal) : kind_(k), ordinal_(ordinal) {}
  constexpr device() = default;
  constexpr enum kind type() const { return kind_; }
  constexpr int ordinal() const { return ordinal_; }
  friend constexpr bool operator==(device, device) = default;

 private:
  enum kind kind_ = kind::cpu;
  int ordinal_ = 0;
};

/// Facts about a device. Units: bytes.
struct device_properties {
  char name[256];
  char pci_bus[16];        ///< cuda: `0000:3b:00.0`
  int compute_capability;  ///< cuda: 90 for 9.0; else 0
  int multiprocessors;     ///< cuda: SMs; cpu: threads
  std::size_t total_memory;
  std::size_t free_memory;
};
/// Errors: `device_error` for a device that is not there. Source: cupy.cuda.runtime.getDeviceProperties.
SINTER_API device_properties properties(device);

/// `cpu`, `cuda:0`, `interpreter`.
SINTER_API std::ostream& operator<<(std::ostream&, device);

/// Makes a device current for the calling thread until the end of the scope. Errors: `device_error` for a device that is not
/// there. Source: `with cupy.cuda.Device(1):`.
class [[nodiscard]] SINTER_API device_scope {
 public:
  explicit device_scope(device);
  device_scope(const device_scope&) = delete;
  device_scope& operator=(const device_scope&) = delete;
  ~device_scope();

 private:
  device before_;
  bool had_;
};

/// Waits for the current device. Stream behaviour: everything enqueued before has finished. Errors: `device_lost`.
/// Source: cupy.cuda.Device().synchronize().
SINTER_API void synchronize();

}  // namespace sinter
