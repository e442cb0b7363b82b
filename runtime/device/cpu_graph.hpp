// Capture on the devices whose memory is the host's: what would have run is kept in a list, and a launch runs the list.
#pragma once

#include <memory>
#include <vector>

#include "runtime/device/device.hpp"

namespace sinter::runtime {

/// One operation of a list.
struct host_operation {
  enum kind : unsigned char { kernel, copy, zero, call } what;
  loaded_kernel code = {};
  geometry how = {};
  std::vector<std::max_align_t> arguments = {};  // of a kernel; or the bytes that a copy from the host reads
  std::size_t size = 0;                          // of them, or of what is copied or zeroed
  std::byte* to = nullptr;
  const std::byte* from = nullptr;  // null: `arguments`
  void (*function)(void*) noexcept = nullptr;
  void* with = nullptr;

  void keep(const void* bytes, std::size_t count);
};

class host_graph final : public executable_graph {
 public:
  std::vector<host_operation> operations;
  /// The same operations but for their arguments and memory?
  bool same_shape(const host_graph&) const;
};

/// The lists being recorded, by stream; a stream that joined writes into that of the stream the capture began on.
host_graph& recording(stream_state&);
void begin_host_capture(stream_state&);
bool end_host_capture(stream_state&, std::unique_ptr<executable_graph>& graph);
void drop_host_capture(stream_state&) noexcept;

}  // namespace sinter::runtime
