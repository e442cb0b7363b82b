// The pinned buffer's two halves. Invariant: the host writes to a half only after the event behind the device's last
// use of it. That the device reads what copy_in left before copy_out overwrites it needs no event: both are on one
// stream.
#include "runtime/device/staging.hpp"

#include <algorithm>
#include <cstring>

#include "runtime/log.hpp"

namespace sinter::runtime {
namespace {

constexpr std::size_t half_size = std::size_t{2} << 20;
// A long copy goes in pieces, so that the bus has something to do while the host prepares the next one. 1 MiB takes the
// host about 100 us and the bus 20 to 40, against 2 to 3 for the call.
constexpr std::size_t piece = std::size_t{1} << 20;
constexpr std::size_t line = 64;    // small copies begin at cache lines
constexpr int copies_without = 64;  // after the driver had no pinned memory: asking takes it milliseconds

}  // namespace

staging::staging(const driver& d, fault_latch& faults) : driver_(d), faults_(faults) {}

/// At first use. False where the driver has no pinned memory left to give: then copies go straight from pageable memory
/// for a while.
bool staging::open() {
  if (opened_) return true;
  if (refused_ > 0) {
    --refused_;
    return false;
  }
  try {
    void* memory = nullptr;
    faults_.check(driver_.cuMemAllocHost_v2(&memory, 2 * half_size), "cuMemAllocHost_v2");
    halves_[0].memory = static_cast<std::byte*>(memory);
    halves_[1].memory = halves_[0].memory + half_size;
    for (half& h : halves_) faults_.check(driver_.cuEventCreate(&h.done, cu_event_disable_timing), "cuEventCreate");
  } catch (...) {
    faults_.raise_if_lost();
    release();
    refused_ = copies_without;
    log(4, "no pinned memory for copies: they go straight from pageable memory, and wait");
    return false;
  }
  return opened_ = true;
}

void staging::release() noexcept {
  for (half& h : halves_)
    if (h.done) driver_.cuEventDestroy_v2(h.done);
  if (halves_[0].memory) driver_.cuMemFreeHost(halves_[0].memory);
  for (half& h : halves_) h = {};
  opened_ = false;
}

void staging::close() noexcept {
  if (faults_.usable()) release();
}

void staging::wait(half& h) {
  if (!h.pending) return;
  faults_.check(driver_.cuEventSynchronize(h.done), "cuEventSynchronize");
  h.pending = false;
}

/// The half is full: marks where the device is done with it, and goes on in the other one.
void staging::turn(cu_stream on) {
  half& full = halves_[filling_];
  faults_.check(driver_.cuEventRecord(full.done, on), "cuEventRecord");
  full.pending = true;
  wait(halves_[1 - filling_]);
  filling_ = 1 - filling_;
  used_ = 0;
}

void staging::copy_in(cu_address to, const std::byte* from, std::size_t size, cu_stream on) {
  std::lock_guard hold(busy_);
  if (!open()) {
    faults_.check(driver_.cuMemcpyHtoDAsync_v2(to, from, size, on), "cuMemcpyHtoDAsync_v2");
    faults_.check(driver_.cuStreamSynchronize(on), "cuStreamSynchronize");
    return;
  }
  while (size > 0) {
    if (used_ >= half_size) turn(on);
    const std::size_t now = std::min({size, piece, half_size - used_});
    std::byte* pinned = halves_[filling_].memory + used_;
    std::memcpy(pinned, from, now);
    faults_.check(driver_.cuMemcpyHtoDAsync_v2(to, pinned, now, on), "cuMemcpyHtoDAsync_v2");
    used_ += (now + line - 1) / line * line;
    to += now;
    from += now;
    size -= now;
  }
}

void staging::read_into(half& h, cu_address from, std::size_t size, cu_stream on) {
  faults_.check(driver_.cuMemcpyDtoHAsync_v2(h.memory, from, size, on), "cuMemcpyDtoHAsync_v2");
  faults_.check(driver_.cuEventRecord(h.done, on), "cuEventRecord");
  h.pending = true;
}

void staging::copy_out(std::byte* to, cu_address from, std::size_t size, cu_stream on) {
  std::lock_guard hold(busy_);
  if (!open()) {
    faults_.check(driver_.cuMemcpyDtoHAsync_v2(to, from, size, on), "cuMemcpyDtoHAsync_v2");
    faults_.check(driver_.cuStreamSynchronize(on), "cuStreamSynchronize");
    return;
  }
  try {
    read_pieces(to, from, size, on);
  } catch (...) {
    // A piece that is still on its way must not arrive in what the next copy_in has put there.
    faults_.note(driver_.cuStreamSynchronize(on), "cuStreamSynchronize");
    throw;
  }
  used_ = 0;  // all before this on the stream is over: both halves are free
}

void staging::read_pieces(std::byte* to, cu_address from, std::size_t size, cu_stream on) {
  const auto length = [&](std::size_t at) { return std::min(piece, size - at); };
  int reading = 0;
  read_into(halves_[reading], from, length(0), on);
  for (std::size_t at = 0; at < size; at += piece, reading = 1 - reading) {
    if (at + piece < size) read_into(halves_[1 - reading], from + at + piece, length(at + piece), on);
    wait(halves_[reading]);
    std::memcpy(to + at, halves_[reading].memory, length(at));
  }
}

}  // namespace sinter::runtime
