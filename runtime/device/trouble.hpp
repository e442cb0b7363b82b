// Indices that were found out of range while a kernel ran. Its values were 0 there; who waits for the device is told.
#pragma once

#include <atomic>
#include <mutex>

#include "codegen/ir/kernel.hpp"

namespace sinter::runtime {

class device_impl;

/// Where the kernels of a device note the first such index since the last report.
class index_troubles {
 public:
  explicit index_troubles(device_impl& of) : device_(of) {}
  index_troubles(const index_troubles&) = delete;

  /// The note, in memory that device and host have in common; there for the life of the device. Errors: `out_of_memory`.
  codegen::index_trouble* note();
  /// Errors: `index_error` where one has been noted, which is then forgotten.
  void report() {
    codegen::index_trouble* const noted = note_.load(std::memory_order_acquire);
    if (noted && __atomic_load_n(&noted->noted, __ATOMIC_ACQUIRE)) [[unlikely]]
      raise(*noted);
  }
  /// Before the device's memory goes.
  void close() noexcept;

 private:
  [[noreturn]] static void raise(codegen::index_trouble&);

  device_impl& device_;
  std::mutex making_;
  std::atomic<codegen::index_trouble*> note_{nullptr};
};

}  // namespace sinter::runtime
