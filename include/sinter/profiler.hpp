// How long a call takes, on the host and on the GPUs, and what a profiler shows of a program: named ranges, marks,
// and the part of a run that is worth collecting. The loop of a benchmark is in the library; a user's file pays for
// one call of it.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <type_traits>
#include <vector>

#include <sinter/detail/where.hpp>
#include <sinter/device.hpp>
#include <sinter/inspect.hpp>

namespace sinter {

namespace runtime {
struct open_range;
class profile_state;
}  // namespace runtime

/// How a benchmark is run.
struct benchmark_options {
  std::int64_t n_repeat = 10000;               ///< timed calls
  const char* name = nullptr;                  ///< in the report; null: the file and line of the benchmark
  std::int64_t n_warmup = 10;                  ///< calls before those, which are not timed
  double max_duration = __builtin_huge_val();  ///< seconds that the timed calls may take; one is made in any case
  std::vector<sinter::device> devices = {};    ///< GPUs to be timed; empty: the current device
};

/// The times of a benchmark. Prints as CuPy's does, in microseconds: the mean, then the standard deviation, the least
/// and the most where there are several.
class SINTER_API benchmark_result {
 public:
  /// Shapes: cpu_times has one entry a repeat, at least one; gpu_times one list of that length for each of `devices`.
  /// Units: seconds. Errors: `shape_error` where the lengths do not fit.
  benchmark_result(const char* name, std::vector<double> cpu_times, std::vector<std::vector<double>> gpu_times,
                   std::vector<device> devices);
  /// Of the host alone.
  benchmark_result(const char* name, std::vector<double> cpu_times);
  benchmark_result(const benchmark_result&);
  benchmark_result(benchmark_result&&) noexcept;
  benchmark_result& operator=(const benchmark_result&) &;
  benchmark_result& operator=(benchmark_result&&) & noexcept;
  ~benchmark_result();

  const char* name() const;
  /// What each call took on the host, without what it left to the device. Units: seconds.
  const std::vector<double>& cpu_times() const;
  /// For each GPU, what lay between the events around each call. Empty where no GPU was timed. Units: seconds.
  const std::vector<std::vector<double>>& gpu_times() const;
  /// The GPUs, in the order of gpu_times.
  const std::vector<device>& devices() const;

  /// One line, without its end. `<<` prints the GPUs too.
  text to_str(bool show_gpu = false) const;

 private:
  struct state;
  state* state_;
};
SINTER_API std::ostream& operator<<(std::ostream&, const benchmark_result&);

namespace detail {

SINTER_API benchmark_result benchmark(void (*call)(void*), void* with, const benchmark_options&, where);

/// Is a value of R an expression that has not run? Arrays, which have, also have a value_type.
template <class R>
concept unevaluated = expression<R> && !requires {
  typename std::remove_cvref_t<R>::value_type;
};

template <class F>
void call_for_benchmark(F& f) {
  if constexpr (requires { f(); }) {
    static_assert(!unevaluated<decltype(f())>,
                  "sinter: the function returns an expression, which benchmark does not evaluate; return array(e)");
    static_cast<void>(f());
  } else {
    static_assert(never<F>, "sinter: benchmark calls its function without arguments: benchmark([&] { f(a); })");
  }
}

}  // namespace detail

/// Calls f n_warmup times, and then times it n_repeat times, or until max_duration is over. Each time an event is
/// recorded on the current stream before and after the call, and then waited for: the CPU time is the call's alone,
/// the GPU time lies between the events. Work that f gives to other streams counts as far as the current one waits
/// for it. On the CPU and the interpreter everything is in the CPU time. Units: seconds. Errors: `error` for options
/// that make no sense, `device_error` for a device that is not there, or while a graph is captured; whatever f
/// throws. Stream behaviour: enqueued on the current stream of each device; waits. Source: cupyx.profiler.benchmark.
template <class F>
benchmark_result benchmark(F&& f, benchmark_options how = {}, detail::where at = detail::where::current()) {
  auto call = [&f] { detail::call_for_benchmark(f); };
  return detail::benchmark([](void* erased) { (*static_cast<decltype(call)*>(erased))(); }, &call, how, at);
}

/// How a range looks and when its ends are.
struct time_range_options {
  int color_id = -1;             ///< one of eight colours, counted round from 0, which is green; -1: the tool chooses
  std::int64_t argb_color = -1;  ///< 0xFF00FF00 is a green; -1: none given
  bool sync = false;             ///< wait for the device at both ends, so that the range contains the work it started
};

/// A named range of the calling thread's time, from here to the end of the scope; ranges nest. Profilers such as
/// Nsight Systems show it (NVTX, where Sinter was built with it), and `profile` adds it up. Errors: `error` for a
/// null message, for both kinds of colour and for one that is none; with `sync`, `device_lost`, and `device_error`
/// while a graph is captured. Stream behaviour: with `sync` waits for the device that is current where the range
/// begins, else does not wait. Source: cupyx.profiler.time_range.
class [[nodiscard]] SINTER_API time_range {
 public:
  /// The message is copied.
  explicit time_range(const char* message, time_range_options = {});
  time_range(const time_range&) = delete;
  time_range& operator=(const time_range&) = delete;
  /// On the thread where it began. What goes wrong while it waits is for the next call to report.
  ~time_range();

 private:
  runtime::open_range* open_;  // null: no profile adds it up
  device device_;
  bool sync_;
};

/// How a mark looks: as time_range_options.
struct mark_options {
  int color_id = -1;
  std::int64_t argb_color = -1;
};

/// A named point of the calling thread's time. Errors: as time_range. Source: cupy.cuda.nvtx.Mark.
SINTER_API void mark(const char* message, mark_options = {});

/// The part of a run that is worth looking at, until the end of the scope. A profiler that was told to wait for it
/// (nsys --capture-range=cudaProfilerApi, ncu --profile-from-start off) collects in it; of several that overlap on a
/// device, from the first to the last. It also adds up the ranges of all threads that begin and end in it, on every
/// device and without any tool. Errors: `device_error`, `device_lost`. Stream behaviour: does not wait. Source:
/// cupyx.profiler.profile.
class [[nodiscard]] SINTER_API profile {
 public:
  profile();
  profile(const profile&) = delete;
  profile& operator=(const profile&) = delete;
  ~profile();

  /// What has ended so far: a tree of ranges, two spaces a level, in the order in which they first ended; how often,
  /// and how long on the clock in all, on average, at least and at most. Of a mark, how often. Units: microseconds.
  text report() const;

 private:
  runtime::profile_state* state_;
};

}  // namespace sinter
