// Raw memory, as a device gives it: slow, in segments, without an order of streams. What pools are made over.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sinter::runtime {

class stream_state;

/// What kind of memory of a device. On host devices all three are the host's.
enum class memory_kind : unsigned char { device, managed, pinned };

/// Where a pool's segments come from. Any thread may call it; a pool does not call it concurrently.
class memory_source {
 public:
  virtual ~memory_source() = default;

  /// A segment whose address is a multiple of 512, or null where there is no room. Errors: what else went wrong is thrown.
  virtual std::byte* allocate(std::size_t size) = 0;
  virtual void release(std::byte* segment, std::size_t size) noexcept = 0;
  /// Comes before a batch of releases: waits until the device no longer uses what has been freed.
  virtual void settle() noexcept {}
};

/// The driver's own stream-ordered pool of one device.
class stream_ordered_source {
 public:
  virtual ~stream_ordered_source() = default;

  /// Null where there is no room. Stream behaviour: usable in the order of the stream.
  virtual std::byte* allocate(std::size_t size, stream_state& on) = 0;
  virtual void release(std::byte* block, stream_state& on) noexcept = 0;
  virtual std::size_t used() const = 0;
  virtual std::size_t reserved() const = 0;
  /// Memory beyond this many free bytes goes back to the device at the next synchronisation.
  virtual void keep(std::uint64_t bytes) = 0;
  virtual void trim(std::size_t to) = 0;
};

}  // namespace sinter::runtime
