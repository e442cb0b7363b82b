// What went wrong on a device: an index out of range, whose element is 0 then, a factorisation that failed, whose results are NaN.
// The call that waits for the device next says so.
#pragma once

#include <atomic>
#include <mutex>

#include "codegen/ir/kernel.hpp"

namespace sinter::runtime {

class device_impl;

/// Errors: `index_error` or `linalg_error` with what has been noted, which is then forgotten.
[[noreturn]] void raise(codegen::index_trouble&);
inline void report(codegen::index_trouble& noted) {
  if (__atomic_load_n(&noted.noted, __ATOMIC_ACQUIRE)) [[unlikely]]
    raise(noted);
}

/// Where the kernels of a device that does not wait for them note the first such trouble since the last report.
class index_troubles {
 public:
  explicit index_troubles(device_impl& of) : device_(of) {}
  index_troubles(const index_troubles&) = delete;

  /// The note, in memory that device and host have in common; there for the life of the device. Errors: `out_of_memory`.
  codegen::index_trouble* note();
  /// Errors: `index_error` or `linalg_error` where one has been noted, which is then forgotten.
  void report() {
    if (codegen::index_trouble* const noted = note_.load(std::memory_order_acquire)) runtime::report(*noted);
  }
  /// Before the device's memory goes.
  void close() noexcept;

 private:
  device_impl& device_;
  std::mutex making_;
  std::atomic<codegen::index_trouble*> note_{nullptr};
};

}  // namespace sinter::runtime
