// benchmark: the loop around a call that has lost its type, and what is printed of the times. The call through a
// pointer costs a nanosecond or two, a tenth of what reading the clock does.
#include <sinter/profiler.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <new>
#include <ostream>
#include <string>
#include <utility>

#include <sinter/error.hpp>
#include <sinter/stream.hpp>

#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/profiler/columns.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/order.hpp"

namespace sinter {

struct benchmark_result::state {
  std::string name;
  std::vector<double> cpu_times;
  std::vector<std::vector<double>> gpu_times;
  std::vector<sinter::device> devices;
};

namespace {

using runtime::device_impl;
using clock = std::chrono::steady_clock;

double seconds_between(clock::time_point from, clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

/// The events around the calls, of one GPU.
class gpu_timer {
 public:
  explicit gpu_timer(device_impl& of) : before_(runtime::make_event(of, {})), after_(runtime::make_event(of, {})) {}
  void start() { before_.record(); }
  void stop() { after_.record(); }
  void wait_for_start() const { before_.synchronize(); }
  void wait() const { after_.synchronize(); }
  double seconds() const { return 1e-3 * elapsed_time(before_, after_); }

 private:
  event before_, after_;
};

void check(const benchmark_options& how, detail::where at) {
  const auto refuse = [&](const std::string& what) { throw error((what + detail::at(at)).c_str()); };
  if (how.n_repeat < 1)
    refuse(detail::message("sinter: benchmark: n_repeat is %lld, and at least one call has to be timed",
                           static_cast<long long>(how.n_repeat)));
  if (how.n_warmup < 0)
    refuse(detail::message("sinter: benchmark: n_warmup is %lld, and there are no fewer than no calls",
                           static_cast<long long>(how.n_warmup)));
  if (!(how.max_duration >= 0))
    refuse(detail::message("sinter: benchmark: max_duration is %g, and has to be a number of seconds, 0 or more",
                           how.max_duration));
}

/// `solver.cpp:42`. CuPy takes the function's name, which a lambda has not.
std::string name_of(const benchmark_options& how, detail::where at) {
  if (how.name) return how.name;
  const char* const folder_end = std::strrchr(at.file, '/');
  return detail::message("%s:%u", folder_end ? folder_end + 1 : at.file, at.line);
}

/// Between the calls. Not all at once: max_duration may end the benchmark long before n_repeat does.
void append(std::vector<double>& times, double seconds) {
  try {
    times.push_back(seconds);
  } catch (const std::bad_alloc&) {
    throw out_of_memory("sinter: benchmark: the host has no room for the times", sizeof(double), 0, 0);
  }
}

/// `    CPU:     5.620 us   +/-  0.943 (min:     4.200 / max:     7.100) us`. The deviation is the population's.
std::string item(const std::string& label, const std::vector<double>& times) {
  const double count = static_cast<double>(times.size());
  double sum = 0;
  for (const double t : times) sum += t;
  const double mean = sum / count;
  using runtime::fixed;
  constexpr double us = 1e6;
  std::string text = "    " + label + ": " + fixed(us * mean, 9) + " us";
  if (times.size() == 1) return text;
  double squares = 0;
  for (const double t : times) squares += (t - mean) * (t - mean);
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  return text + "   +/- " + fixed(us * std::sqrt(squares / count), 6) + " (min: " + fixed(us * *least, 9) +
         " / max: " + fixed(us * *most, 9) + ") us";
}

}  // namespace

benchmark_result detail::benchmark(void (*call)(void*), void* with, const benchmark_options& how, where at) try {
  check(how, at);
  const auto refuse_captured = [](device_impl& d) {
    runtime::refuse_while_capturing(runtime::current_stream(d), "benchmark");
  };
  refuse_captured(runtime::current_device());

  std::vector<device> gpus;
  std::vector<gpu_timer> timers;
  for (const device d : how.devices.empty() ? std::vector{device::current()} : how.devices) {
    device_impl& on = runtime::implementation(d);
    refuse_captured(on);
    if (!on.asynchronous()) continue;  // has finished when the call returns: all of it is CPU time
    gpus.push_back(d);
    timers.emplace_back(on);
  }

  for (std::int64_t i = 0; i < how.n_warmup; ++i) call(with);
  // What the warm-up enqueued is no part of the first call's time.
  for (gpu_timer& t : timers) t.start();
  for (const gpu_timer& t : timers) t.wait_for_start();

  std::vector<double> cpu;
  std::vector<std::vector<double>> gpu(timers.size());
  double duration = 0;
  for (std::int64_t i = 0; i < how.n_repeat; ++i) {
    for (gpu_timer& t : timers) t.start();
    const clock::time_point begun = clock::now();
    call(with);
    const clock::time_point returned = clock::now();
    for (gpu_timer& t : timers) t.stop();
    for (const gpu_timer& t : timers) t.wait();
    append(cpu, seconds_between(begun, returned));
    for (std::size_t g = 0; g < timers.size(); ++g) append(gpu[g], timers[g].seconds());
    duration += seconds_between(begun, clock::now());
    if (duration > how.max_duration) break;
  }
  return benchmark_result(name_of(how, at).c_str(), std::move(cpu), std::move(gpu), std::move(gpus));
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

benchmark_result::benchmark_result(const char* called, std::vector<double> cpu, std::vector<std::vector<double>> gpu,
                                   std::vector<device> of) try {
  if (cpu.empty()) throw shape_error("sinter: a benchmark's result has at least one time");
  if (gpu.size() != of.size()) {
    throw shape_error(
        detail::message("sinter: a benchmark's result with times of %zu GPUs for %zu devices", gpu.size(), of.size())
            .c_str());
  }
  for (const std::vector<double>& times : gpu) {
    if (times.size() == cpu.size()) continue;
    throw shape_error(
        detail::message("sinter: a benchmark's result with %zu GPU times for %zu CPU times", times.size(), cpu.size())
            .c_str());
  }
  state_ = new state{called ? called : "", std::move(cpu), std::move(gpu), std::move(of)};
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

benchmark_result::benchmark_result(const char* called, std::vector<double> cpu)
    : benchmark_result(called, std::move(cpu), {}, {}) {}
benchmark_result::benchmark_result(const benchmark_result& other) try : state_(new state(*other.state_)) {
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}
benchmark_result::benchmark_result(benchmark_result&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
benchmark_result& benchmark_result::operator=(const benchmark_result& other) & {
  return *this = benchmark_result(other);
}
benchmark_result& benchmark_result::operator=(benchmark_result&& other) & noexcept {
  std::swap(state_, other.state_);
  return *this;
}
benchmark_result::~benchmark_result() { delete state_; }

const char* benchmark_result::name() const { return state_->name.c_str(); }
const std::vector<double>& benchmark_result::cpu_times() const { return state_->cpu_times; }
const std::vector<std::vector<double>>& benchmark_result::gpu_times() const { return state_->gpu_times; }
const std::vector<device>& benchmark_result::devices() const { return state_->devices; }

text benchmark_result::to_str(bool show_gpu) const try {
  std::string line = runtime::left(state_->name, 20) + ":" + item("CPU", state_->cpu_times);
  for (std::size_t g = 0; show_gpu && g < state_->devices.size(); ++g)
    line += " " + item("GPU-" + std::to_string(state_->devices[g].ordinal()), state_->gpu_times[g]);
  return text(line.c_str());
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

std::ostream& operator<<(std::ostream& out, const benchmark_result& r) { return out << r.to_str(true); }

}  // namespace sinter
