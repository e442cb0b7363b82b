// What a report is made of, noted while the program runs. Those who launch, call, copy and compile say so here where `recorded`;
// a report that cannot note something, for want of memory, says how much it missed and never fails the program.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "codegen/cache/images.hpp"
#include "runtime/launch/launch.hpp"
#include "runtime/report/watch.hpp"
#include "runtime/stream/stream.hpp"

namespace sinter::runtime {

using report_clock = std::chrono::steady_clock;

/// The time of one piece of work on a stream: by events where the device works asynchronously, else by the clock. Work of a
/// graph that is being made has none.
class work_clock {
 public:
  explicit work_clock(stream_state& s) noexcept;
  work_clock(const work_clock&) = delete;
  void start() noexcept;
  void stop() noexcept;

  stream_state& on;
  const bool captured;
  const bool by_events;
  event_ref before, after;
  report_clock::time_point began{}, ended{};  // of the host: where by events, of the enqueuing
};

struct launched_step {
  const compiled_step& step;
  const prepared_launch& with;
  const codegen::resolution& in;
  detail::array_node* const* temporaries;
  detail::array_node* const* outputs;
};

struct compilation {
  const compiled_step* step;
  codegen::image_origin from;
  report_clock::time_point began;
  std::size_t text_size;
};

/// Work that is no generated kernel.
enum class other_work : std::uint8_t { library, program_kernel, graph, copy_in, copy_out, copy };

void note_launch(const launched_step&, work_clock&) noexcept;
/// `bytes`: moved, or 0 where that is not known.
void note_work(other_work, const std::string& name, double bytes, work_clock&) noexcept;
void note_compilation(const compilation&) noexcept;
/// A time_range of the calling thread.
void note_range(const std::string& name, report_clock::time_point began, report_clock::time_point ended) noexcept;

/// Begins a recording whose page is written to `path` when the process ends; in `path` %p is the process's number. One that is
/// under way ends. Errors: `io_error` where a file cannot be made there.
void begin_report(const char* path);
/// Writes the page now, where there is a recording. Errors: `io_error`.
void end_report();

/// Remembers the last pieces of work, at most so many; 0: no more. Errors: std::bad_alloc.
void remember_work(std::size_t most);

/// Does a piece of work, and notes it where that is recorded.
template <class W>
void noted(other_work what, const char* name, double bytes, stream_state& on, W&& work) {
  if (!recorded()) [[likely]]
    return work();
  work_clock times(on);
  times.start();
  work();
  times.stop();
  note_work(what, name, bytes, times);
}

}  // namespace sinter::runtime
