// Recordings: one at a time, under one lock. The page is written at the first of the process's exit handlers, while the driver still
// answers (runtime/device/process.hpp).
#include "runtime/report/recording.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <memory>
#include <mutex>

#include <fcntl.h>
#include <unistd.h>

#include <sinter/error.hpp>

#include "codegen/compile/file.hpp"
#include "codegen/ir/formula.hpp"
#include "runtime/counters.hpp"
#include "runtime/device/process.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/launch/measure.hpp"
#include "runtime/library/call.hpp"
#include "runtime/log.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/never_destroyed.hpp"
#include "runtime/report/record.hpp"
#include "runtime/stream/order.hpp"
#include "runtime/stream/table.hpp"

namespace sinter::runtime {

constinit std::atomic<unsigned> watching::now{watching::not_asked};

namespace {

constexpr std::size_t most_events = 40'000, most_ranges = 10'000, most_pending = 4'096, usual_pending = 64;

struct {
  std::mutex busy;
  recording* report = nullptr;
  recording* history = nullptr;
} constinit recordings;

template <class F>
void note_in(recording* r, F& f) noexcept {
  if (!r) return;
  try {
    f(*r);
  } catch (...) {
    ++r->missed;
  }
}

/// Calls f with each recording there is, under the lock. What f cannot note is counted.
template <class F>
void note(F f) noexcept {
  const std::lock_guard hold(recordings.busy);
  note_in(recordings.report, f);
  note_in(recordings.history, f);
}
template <class F>
void note_in_report(F f) noexcept {
  const std::lock_guard hold(recordings.busy);
  note_in(recordings.report, f);
}

std::uint32_t lane_of(recording& r, const stream_state& s) {
  const auto [at, fresh] = r.lane_of_stream.try_emplace(&s, static_cast<std::uint32_t>(r.lanes.size()));
  if (fresh) {
    const bool first = &s == &s.device.streams().first();
    r.lanes.push_back(to_text(s.device.id) + (first ? "" : " stream " + std::to_string(s.number)));
    r.device_of_lane.push_back(&s.device);
  }
  return at->second;
}

void add_time(recording& r, std::uint32_t lane, std::size_t number, seconds began, seconds lasted, double bytes,
              double points, std::uint64_t sequence) {
  if (r.remembers) {
    if (sequence < r.forgotten) return;
    remembered_work& w = r.last[static_cast<std::size_t>(sequence - r.forgotten)];
    w.began = began, w.lasted = lasted;
    return;
  }
  work_record& w = r.work[number];
  w.least = w.timed == 0 ? lasted : std::min(w.least, lasted);
  w.most = std::max(w.most, lasted);
  w.total += lasted;
  w.bytes += bytes;
  w.points += points;
  ++w.timed;
  if (r.events.size() < most_events) r.events.push_back({lane, static_cast<std::uint32_t>(number), began, lasted});
  else ++r.left_out;
}

void read_events(recording& r, event_times& of, bool wait) {
  of.read(wait, [&](const event_times::pending& p, seconds began, seconds lasted) {
    add_time(r, p.lane, p.number, began, lasted, p.bytes, p.points, p.sequence);
  });
}

/// Its number.
std::uint64_t remember(recording& r, std::uint32_t lane, std::size_t number, double bytes) {
  if (!r.remembers) return 0;
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const detail::where* const place = memory_of_thread.place;
  r.last.push_back({lane, static_cast<std::uint32_t>(number), unknown, unknown, bytes, place ? place->file : "",
                    place ? place->line : 0});
  if (r.last.size() > r.remembers) r.last.pop_front(), ++r.forgotten;
  return r.forgotten + r.last.size() - 1;
}

void note_time(recording& r, std::size_t number, work_clock& c, double bytes, double points) {
  work_record& w = r.work[number];
  ++w.launches;
  if (const detail::where* const place = memory_of_thread.place; place && !r.remembers)
    ++w.places[{place->file, place->line}];
  const std::uint32_t lane = lane_of(r, c.on);
  const std::uint64_t sequence = remember(r, lane, number, bytes);
  if (c.captured) {
    ++w.captured;
    return;
  }
  if (!c.by_events) {
    add_time(r, lane, number, r.at(c.began), r.at(c.ended) - r.at(c.began), bytes, points, sequence);
    return;
  }
  if (!c.before || !c.after) {
    ++r.missed;
    return;
  }
  event_times& times = r.times.try_emplace(&c.on.device, c.on.device).first->second;
  if (!times.begun()) times.begin(c.on, r.since);
  times.add({c.before, c.after, number, sequence, lane, bytes, points});
  if (times.waiting() % usual_pending == 0) read_events(r, times, times.waiting() >= most_pending);
}

void sample_memory(recording& r, device_impl& d) {
  if (r.remembers) return;
  if (const device_pool* const p = default_pools().find(d)) {
    const pool_usage now = p->blocks.usage();
    r.memory[&d].add({r.at(report_clock::now()), now.used, now.total});
  }
}

int program_of(recording& r, const launched_step& l) {
  if (!l.step.of) return -1;
  const auto [at, fresh] = r.program_of.try_emplace(l.step.of, static_cast<int>(r.programs.size()));
  if (fresh) {
    array_names names;
    graph_drawer drawing(names, false);
    drawing.begin_program(l.in, l.step.of->temporaries);
    for (const auto& s : l.step.of->steps) drawing.add(s->step, nullptr);
    r.programs.push_back(std::move(drawing.graph));
  }
  return at->second;
}

std::vector<std::string> operands_of(const launched_step& l) {
  const codegen::step& s = l.step.step;
  std::vector<std::string> all;
  for (std::size_t i = 0; i < s.inputs.size(); ++i) {
    const codegen::operand& o = l.in.operands[s.inputs[i].operand];
    std::string text = s.kernel.inputs[i].iota ? "positions" : name(s.kernel.inputs[i].type);
    if (s.inputs[i].temporary >= 0) text += ", of a kernel before";
    else if (o.from) text += " " + detail::to_string(o.from->extents) + (o.from->contiguous ? "" : ", a view");
    all.push_back("x" + std::to_string(i) + ": " + text);
  }
  for (std::size_t i = 0; i < s.outputs.size(); ++i)
    all.push_back("y" + (s.outputs.size() > 1 ? std::to_string(i) : "") + ": " +
                  name(codegen::operand_type(s.kernel, static_cast<int>(s.inputs.size() + i))) + " " +
                  detail::to_string(l.outputs[i]->extents));
  return all;
}

/// How a language has the kernel: as launched, or as it would be on a device of that language.
bool variant_in(codegen::dialect language, const launched_step& l, codegen::variant& into) {
  into = l.with.kernel->variant;
  if (l.with.kernel->language == language) return true;
  binding b;
  const target to = target_like(language, target_of(*l.with.kernel->device));
  if (!bind_for(l.step.step, l.in, l.temporaries, l.outputs, to, b)) return false;
  into = b.variant;
  return true;
}

void describe(recording& r, const launched_step& l, work_record& w) {
  w.over = detail::to_string(l.in.spaces[l.step.step.domain].extents);
  w.operands = operands_of(l);
  w.has_cuda = variant_in(codegen::dialect::cuda, l, w.as_cuda);
  w.has_c = variant_in(codegen::dialect::c, l, w.as_c);
  w.compiled = l.outputs[0]->memory->device->facts_of(w.kernel->code, l.with.how);
  w.program = program_of(r, l);
  if (l.step.of)
    while (l.step.of->steps[static_cast<std::size_t>(w.part)].get() != &l.step) ++w.part;
}

std::uint32_t work_of(recording& r, const launched_step& l) {
  const auto found = r.work_of_kernel.find(l.with.kernel);
  if (found != r.work_of_kernel.end()) return found->second;
  work_record w;
  w.step = &l.step;
  w.kernel = l.with.kernel;
  w.name = codegen::formula(l.step.step.kernel);
  if (!r.remembers) describe(r, l, w);
  const auto number = static_cast<std::uint32_t>(r.work.size());
  r.work.push_back(std::move(w));
  r.work_of_kernel.emplace(l.with.kernel, number);
  return number;
}

std::uint32_t thread_number() {
  static std::atomic<std::uint32_t> threads{0};
  thread_local const std::uint32_t mine = threads.fetch_add(1, std::memory_order_relaxed);
  return mine;
}

// ---- the file

[[noreturn]] void cannot_write(const std::string& path, int why) {
  throw io_error(
      detail::message("sinter: the report cannot be written to %s: %s", path.c_str(), std::strerror(why)).c_str());
}

/// Readers see the old file or the new one.
void replace_file(const std::string& path, const std::string& text) {
  const std::string beside = path + "." + std::to_string(getpid()) + ".part";
  codegen::unique_fd to = codegen::open_path(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (!to) cannot_write(path, errno);
  if (codegen::write_all(to.get(), text.data(), text.size()) && close(to.release()) == 0 &&
      std::rename(beside.c_str(), path.c_str()) == 0)
    return;
  const int why = errno;
  unlink(beside.c_str());
  cannot_write(path, why);
}

std::string with_process_number(std::string path) {
  if (const std::size_t at = path.find("%p"); at != std::string::npos) path.replace(at, 2, std::to_string(getpid()));
  return path;
}

/// What of a path can be known to fail now.
void check_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (access(folder.c_str(), W_OK) != 0) cannot_write(path, errno);
}

void start(const char* path) {
  const std::string to = with_process_number(path);
  if (to.empty()) throw io_error("sinter: report of an empty path");
  check_path(to);
  auto fresh = std::make_unique<recording>(to, 0, report_clock::now());
  for (unsigned c = 0; c < counter_kinds; ++c) fresh->counters_before[c] = count_of(static_cast<counter>(c));
  before_exit(+[] {
    try {
      end_report();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
    }
  });
  const std::lock_guard hold(recordings.busy);
  recordings.report = fresh.release();
  watching::now.fetch_or(watching::by_report);
}

std::unique_ptr<recording> take() {
  const std::lock_guard hold(recordings.busy);
  watching::now.fetch_and(~unsigned{watching::by_report});
  return std::unique_ptr<recording>(std::exchange(recordings.report, nullptr));
}

/// The environment's wishes. What is wrong with them is said, and the program goes on.
unsigned read_environment() noexcept {
  if (log_level() >= 2) watching::now.fetch_or(watching::by_log);
  if (const char* const path = ::secure_getenv("SINTER_REPORT"); path && *path) {
    try {
      start(path);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s (SINTER_REPORT)\n", e.what());
    }
  }
  return watching::now.fetch_and(~unsigned{watching::not_asked});
}

}  // namespace

unsigned watching::ask() noexcept {
  static const unsigned once = read_environment();
  (void)once;
  return now.load(std::memory_order_relaxed);
}

// ---- clocks

work_clock::work_clock(stream_state& s) noexcept
    : on(s),
      captured(s.capture.load(std::memory_order_relaxed) != nullptr),
      by_events(s.device.asynchronous() && !captured && recorded()) {}

void work_clock::start() noexcept {
  if (by_events) {
    try {
      before = make_event(on.device, {.timing = true});
      after = make_event(on.device, {.timing = true});
      on.device.record(before->handle, on);
    } catch (...) {
      before = {};  // the work goes without a time; what is wrong with the device it will say itself
    }
  }
  began = report_clock::now();
}

void work_clock::stop() noexcept {
  ended = report_clock::now();
  if (!before) return;
  try {
    on.device.record(after->handle, on);
  } catch (...) {
    before = {};
  }
}

void event_times::begin(stream_state& on, report_clock::time_point since) {
  event_ref fresh = make_event(device, {.timing = true});
  device.record(fresh->handle, on);
  device.synchronize(fresh->handle);
  base_at_ = std::chrono::duration<double>(report_clock::now() - since).count();
  base_ = std::move(fresh);
}

// The driver gives distances as floats, which are exact enough over a second.
void event_times::move_base(const pending& p, seconds began) {
  if (began - base_at_ < 1) return;
  base_ = p.before;
  base_at_ = began;
}

void memory_curve::add(const memory_sample& s) {
  most_used = std::max(most_used, s.used);
  if (!samples_.empty() && s.at - samples_.back().at < apart_) {
    samples_.back().used = std::max(samples_.back().used, s.used);
    samples_.back().total = std::max(samples_.back().total, s.total);
    return;
  }
  samples_.push_back(s);
  if (samples_.size() < most_samples) return;
  apart_ = 4 * (samples_.back().at - samples_.front().at) / most_samples;
  std::vector<memory_sample> all = std::move(samples_);
  samples_.clear();
  for (const memory_sample& each : all) add(each);
}

recording::recording(std::string to, std::size_t most, report_clock::time_point now)
    : path(std::move(to)), remembers(most), since(now), began_at(std::time(nullptr)) {}

// ---- what is noted

void note_launch(const launched_step& l, work_clock& times) noexcept {
  note([&](recording& r) {
    sample_memory(r, times.on.device);
    note_time(r, work_of(r, l), times, l.with.bytes, l.with.points);
  });
}

void note_work(other_work what, const std::string& name, double bytes, work_clock& times) noexcept {
  note([&](recording& r) {
    const auto [at, fresh] = r.work_of_name.try_emplace({what, name}, static_cast<std::uint32_t>(r.work.size()));
    if (fresh) {
      work_record w;
      w.what = what;
      w.name = name;
      r.work.push_back(std::move(w));
    }
    sample_memory(r, times.on.device);
    note_time(r, at->second, times, bytes, 0);
  });
}

void note_compilation(const compilation& c) noexcept {
  const auto now = report_clock::now();
  note_in_report([&](recording& r) {
    r.compilations.push_back(
        {codegen::formula(c.step->step.kernel), c.from, r.at(c.began), r.at(now) - r.at(c.began), c.text_size});
  });
}

void note_range(const std::string& name, report_clock::time_point began, report_clock::time_point ended) noexcept {
  note_in_report([&](recording& r) {
    if (began < r.since) return;
    if (r.ranges.size() < most_ranges)
      r.ranges.push_back({thread_number(), name, r.at(began), r.at(ended) - r.at(began)});
    else ++r.left_out;
  });
}

void begin_report(const char* path) {
  end_report();
  start(path);
}

void end_report() {
  const std::unique_ptr<recording> done = take();
  if (!done || forked()) return;
  for (auto& [device, times] : done->times) {
    try {
      read_events(*done, times, true);
    } catch (...) {
      done->missed += static_cast<std::int64_t>(times.waiting());  // the device is lost
      times.drop();
    }
  }
  replace_file(done->path, page_of(*done, report_clock::now()));
}

void remember_work(std::size_t most) {
  watchers();  // what the environment asks for comes first
  auto fresh = most ? std::make_unique<recording>("", most, report_clock::now()) : nullptr;
  const std::lock_guard hold(recordings.busy);
  const std::unique_ptr<recording> before(std::exchange(recordings.history, fresh.release()));
  if (most) watching::now.fetch_or(watching::by_history);
  else watching::now.fetch_and(~unsigned{watching::by_history});
}

std::vector<history_line> remembered_work_so_far() {
  const std::lock_guard hold(recordings.busy);
  std::vector<history_line> all;
  if (!recordings.history) return all;
  recording& r = *recordings.history;
  for (auto& [device, times] : r.times) read_events(r, times, true);
  for (const remembered_work& w : r.last)
    all.push_back({r.work[w.work].name, r.lanes[w.lane], w.file, w.line, w.began, w.lasted, w.bytes});
  return all;
}

}  // namespace sinter::runtime
