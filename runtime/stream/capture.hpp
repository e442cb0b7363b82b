// A capture under way: the stream it began on, the streams that joined it, and the memory its operations use. Evaluations,
// copies and storages only see these functions; what comes of a capture is a graph, in graph.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <sinter/detail/where.hpp>

#include "codegen/ir/node.hpp"
#include "runtime/stream/stream.hpp"

namespace sinter::runtime {

/// What a graph's operations need for as long as it lives: pinned memory that they copy from, host functions.
using held_thing = std::unique_ptr<void, void (*)(void*) noexcept>;

/// A storage that was there before the capture, and the captured operations on it.
struct captured_use {
  bool written = false;
  stream_state* writer = nullptr;
  std::vector<stream_state*> readers;
};

class capture_state {
 public:
  explicit capture_state(stream_state& begun_on);
  ~capture_state();

  stream_state& origin;
  const std::uint64_t number;  // never 0, and no other capture's
  const std::thread::id thread = std::this_thread::get_id();
  std::vector<stream_state*> joined;  // held

  /// Work outside that every launch waits for.
  struct dependency {
    stream_state* on;
    std::uint64_t position;
  };
  std::vector<dependency> dependencies;
  /// Pinned: no other storage gets their memory while the graph may use it.
  std::unordered_map<detail::storage*, captured_use> uses;
  /// Made in this capture: alive, and dropped again; the memory of those serves the capture's next storages.
  std::unordered_set<detail::storage*> own;
  std::unordered_multimap<std::size_t, detail::storage*> spare;    // by size
  std::unordered_map<stream_state*, detail::storage*> tickets;     // of the graph's own: it may run beside its streams
  std::unordered_multimap<stream_state*, detail::storage*> words;  // the same of scans
  std::vector<held_thing> held;
  detail::where last_statement;  // of those that could say where they stand
};

/// What a stream is a part of, or null. Errors: `device_error` where another thread captures it.
capture_state* capture_of(const stream_state&);
/// A stream becomes a part of the capture, behind what is captured on its origin so far. Nothing where it is one already.
/// Errors: `device_error` for a stream that cannot be captured, or is a part of another capture.
void join_capture(capture_state&, stream_state&);
/// The streams of a capture are ordinary ones again.
void leave_capture(capture_state&) noexcept;
/// Errors: `device_error`: what a capture makes can be used elsewhere only once its graph has been launched.
[[noreturn]] void refuse_captured_storage();
/// Every launch of the graph comes after this.
void depend(capture_state&, stream_state& on, std::uint64_t position);
/// Gives a graph something to keep. Errors: `out_of_memory`, and then it is gone.
void hold(capture_state&, void* thing, void (*destroy)(void*) noexcept);

/// Notes a captured operation on a storage from outside and orders it in the capture. False: the storage is the capture's
/// own, and ordered like any other.
bool read_captured(capture_state&, detail::storage&, stream_state& on);
bool write_captured(capture_state&, detail::storage&, stream_state& on);
bool is_own(const capture_state&, const detail::storage&) noexcept;

/// A dropped storage of the capture's own with memory of that size, or null; and the way back. False: it is not its own.
detail::storage* reuse(capture_state&, std::size_t bytes);
void adopt(capture_state&, detail::storage&);
bool drop(capture_state&, detail::storage&) noexcept;

/// " (at file:line)" where the place is known, else " (after file:line)", the last statement captured that was.
std::string place_in_capture(const detail::where&);
/// Errors: `device_error` naming what cannot be a part of a graph, why, and where.
[[noreturn]] void refuse_captured_wait(const char* what, const detail::where&);
/// The same where the stream is captured, for calls that cannot say where they stand.
void refuse_while_capturing(const stream_state&, const char* what);

}  // namespace sinter::runtime
