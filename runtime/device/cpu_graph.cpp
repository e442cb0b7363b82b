// The lists themselves. A capture is one thread's, and its list hangs on the stream it began on.
#include "runtime/device/cpu_graph.hpp"

#include <cstring>

#include "runtime/stream/capture.hpp"

namespace sinter::runtime {

void host_operation::keep(const void* bytes, std::size_t count) {
  arguments.resize((count + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
  if (count) std::memcpy(arguments.data(), bytes, count);
  size = count;
}

bool host_graph::same_shape(const host_graph& other) const {
  if (operations.size() != other.operations.size()) return false;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const host_operation &a = operations[i], &b = other.operations[i];
    if (a.what != b.what || a.code.entry != b.code.entry) return false;
  }
  return true;
}

host_graph& recording(stream_state& s) {
  return static_cast<host_graph&>(*s.capture.load(std::memory_order_relaxed)->origin.recording);
}

void begin_host_capture(stream_state& s) { s.recording = std::make_unique<host_graph>(); }

bool end_host_capture(stream_state& s, std::unique_ptr<executable_graph>& graph) {
  std::unique_ptr<executable_graph> recorded = std::move(s.recording);
  const bool same = graph && static_cast<host_graph&>(*graph).same_shape(static_cast<host_graph&>(*recorded));
  graph = std::move(recorded);
  return same;
}

void drop_host_capture(stream_state& s) noexcept { s.recording.reset(); }

}  // namespace sinter::runtime
