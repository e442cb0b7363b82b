// A recording as data: filled by recording.cpp, written as JSON by page.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/inspect/graph.hpp"
#include "runtime/report/recording.hpp"

namespace sinter::runtime {

/// Units: seconds since the recording began.
using seconds = double;

/// One kind of work: a kernel, a library's function, a kind of copy.
struct work_record {
  const compiled_step* step = nullptr;      // of a generated kernel, whose
  const compiled_kernel* kernel = nullptr;  // text is made when the page is
  codegen::variant as_cuda, as_c;
  bool has_cuda = false, has_c = false;
  int program = -1, part = 0;  // the graph it is in, and which of its kernels it is
  other_work what{};           // of other work
  std::string name;
  std::string over;                   // the domain, at the first launch
  std::vector<std::string> operands;  // likewise

  compiled_facts compiled;
  std::int64_t launches = 0, timed = 0, captured = 0;
  seconds total = 0, least = 0, most = 0;
  double bytes = 0, points = 0;  // of those that were timed
  std::map<std::pair<std::string, unsigned>, std::int64_t> places;
};

/// One piece of work of a history. Times are NaN until they are known.
struct remembered_work {
  std::uint32_t lane, work;
  seconds began, lasted;
  double bytes;
  std::string file;
  unsigned line;
};

struct timeline_event {
  std::uint32_t lane, work;
  seconds began, lasted;
};

struct compilation_record {
  std::string name;
  codegen::image_origin from;
  seconds began, lasted;
  std::size_t text_size;
};

struct range_record {
  std::uint32_t thread;
  std::string name;
  seconds began, lasted;
};

struct memory_sample {
  seconds at;
  std::size_t used, total;
};

/// A device's memory over time. Kept short: where there are too many samples every second one goes, into its neighbour's peak.
class memory_curve {
 public:
  void add(const memory_sample&);
  const std::vector<memory_sample>& samples() const { return samples_; }
  std::size_t most_used = 0;

 private:
  static constexpr std::size_t most_samples = 4096;
  std::vector<memory_sample> samples_;
  seconds apart_ = 0;  // closer ones are one sample
};

/// Times that a GPU has taken, read off events as they come to pass.
class event_times {
 public:
  struct pending {
    event_ref before, after;
    std::size_t number;      // of the work
    std::uint64_t sequence;  // among all that was remembered
    std::uint32_t lane;
    double bytes, points;
  };
  explicit event_times(device_impl& d) : device(d) {}

  /// Waits once, for an event to count from.
  void begin(stream_state& on, report_clock::time_point since);
  bool begun() const { return static_cast<bool>(base_); }
  void add(pending p) { waiting_.push_back(std::move(p)); }
  std::size_t waiting() const { return waiting_.size(); }
  /// Calls read(pending, began, lasted) for what has come to pass; `wait`: for everything.
  template <class F>
  void read(bool wait, F f) {
    while (!waiting_.empty()) {
      pending& p = waiting_.front();
      if (wait) device.synchronize(p.after->handle);
      else if (!device.done(p.after->handle)) return;
      const seconds lasted = device.elapsed_milliseconds(p.before->handle, p.after->handle) / 1e3;
      const seconds began = base_at_ + device.elapsed_milliseconds(base_->handle, p.before->handle) / 1e3;
      f(p, began, lasted);
      move_base(p, began);
      waiting_.pop_front();
    }
  }
  void drop() { waiting_.clear(); }

  device_impl& device;

 private:
  void move_base(const pending&, seconds began);
  event_ref base_;
  seconds base_at_ = 0;
  std::deque<pending> waiting_;
};

/// Of a report, or of a history, which has the last pieces of work in place of the sums.
struct recording {
  recording(std::string to, std::size_t remembers, report_clock::time_point);

  const std::string path;
  const std::size_t remembers;       // 0: it is a report's
  std::deque<remembered_work> last;  // at most so many
  std::uint64_t forgotten = 0;       // before them
  const report_clock::time_point since;
  const std::int64_t began_at;  // seconds since 1970
  std::array<std::uint64_t, 16> counters_before{};

  std::vector<work_record> work;
  std::unordered_map<const void*, std::uint32_t> work_of_kernel;
  std::map<std::pair<other_work, std::string>, std::uint32_t> work_of_name;
  std::vector<std::string> lanes;
  std::vector<device_impl*> device_of_lane;
  std::unordered_map<const stream_state*, std::uint32_t> lane_of_stream;
  std::unordered_map<const fusion*, int> program_of;
  std::vector<program_graph> programs;
  std::vector<timeline_event> events;
  std::vector<compilation_record> compilations;
  std::vector<range_record> ranges;
  std::map<device_impl*, memory_curve> memory;
  std::map<device_impl*, event_times> times;
  std::int64_t left_out = 0;  // events and ranges beyond what a page has room for
  std::int64_t missed = 0;    // for want of memory, or because the device said no

  seconds at(report_clock::time_point t) const { return std::chrono::duration<double>(t - since).count(); }
};

/// A line of history, without anything that changes.
struct history_line {
  std::string name, stream, file;
  unsigned line;
  seconds began, lasted;
  double bytes;
};
/// The history there is, oldest first. Waits for what it times.
std::vector<history_line> remembered_work_so_far();

/// The page of a finished recording. Errors: std::bad_alloc.
std::string page_of(const recording&, report_clock::time_point ended);

/// What a device's memory gives. Units: bytes a second; 0: not known.
struct memory_speed {
  double bandwidth = 0;
  bool measured = false;
};
memory_speed speed_of(const device_impl&);

}  // namespace sinter::runtime
