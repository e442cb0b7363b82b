// Copies between pageable host memory and a CUDA device through one pinned buffer, so that they run at the bus's speed
// and copy_in may return once the host memory was read. Used by cuda.cpp only; the caller has made the context
// current.
#pragma once

#include <cstddef>
#include <mutex>

#include "runtime/device/driver.hpp"

namespace sinter::runtime {

/// Two halves of pinned memory in turn: the device works on one while the host fills or empties the other. Every stream
/// that copies has its own; copies of several threads on it go one after the other.
class staging {
 public:
  staging(const driver&, fault_latch&);
  staging(const staging&) = delete;
  staging& operator=(const staging&) = delete;

  /// Returns when `from` has been read; the device may still be copying. Errors: as fault_latch::check.
  void copy_in(cu_address to, const std::byte* from, std::size_t size, cu_stream);
  /// Returns when `to` has been written.
  void copy_out(std::byte* to, cu_address from, std::size_t size, cu_stream);

  /// Gives the pinned memory back, if the driver can still be called. Needs the context current and the stream idle.
  void close() noexcept;

 private:
  struct half {
    std::byte* memory = nullptr;
    cu_event done = nullptr;
    bool pending = false;  // the device may still be using it: `done` says
  };

  bool open();
  void turn(cu_stream);
  void wait(half&);
  void read_pieces(std::byte* to, cu_address from, std::size_t size, cu_stream);
  void read_into(half&, cu_address from, std::size_t size, cu_stream);
  void release() noexcept;

  const driver& driver_;
  fault_latch& faults_;

  std::mutex busy_;
  half halves_[2];
  int filling_ = 0;       // copy_in's half ...
  std::size_t used_ = 0;  // ... and how much of it is taken
  bool opened_ = false;
  int refused_ = 0;  // copies that go without pinned memory before it is asked for again
};

}  // namespace sinter::runtime
