// The profiler: what a benchmark counts, keeps, refuses and prints, and where ranges and marks go. Numbers are those of
// CuPy's behaviours. That times are right is shown with host functions that sleep on the device's stream: a sleep is
// never too short.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sinter/profiler.hpp>
#include <sinter/sinter.hpp>

#include "runtime/profiler/nvtx.hpp"
#include "test/include/looking.hpp"
#include "test/support/softgpu/softgpu.hpp"

#ifdef SINTER_HAVE_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace {

using namespace sinter;
using namespace sinter::test;
using times = std::vector<double>;

constexpr double us = 1e-6;

std::string printed(const benchmark_result& r) {
  std::ostringstream out;
  out << r;
  return out.str();
}

bool on_gpu() { return device::current().type() == device::kind::cuda; }

void sleep_ms(int n) { std::this_thread::sleep_for(std::chrono::milliseconds(n)); }

/// Twenty milliseconds of the device's time.
void keep_device_busy() {
  stream::current().launch_host_func([] { sleep_ms(20); });
}

/// The message of the error of class E that f throws.
template <class E, class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  } catch (const std::exception& other) {
    return std::string("another class: ") + other.what();
  }
  return "nothing was thrown";
}
bool has(const std::string& whole, const std::string& part) { return whole.find(part) != std::string::npos; }

/// A line of a profile's report, without its indentation.
struct row {
  std::size_t level = 0;
  std::string name;
  long long calls = 0;
  double total = 0, mean = 0, least = 0, most = 0;  // us
};

/// The lines under the heading. Names are single words here.
std::vector<row> rows_of(const profile& p) {
  std::istringstream report(p.report().c_str());
  std::string line;
  std::getline(report, line);
  std::vector<row> rows;
  while (std::getline(report, line)) {
    row r;
    r.level = line.find_first_not_of(' ') / 2;
    std::istringstream(line) >> r.name >> r.calls >> r.total >> r.mean >> r.least >> r.most;
    rows.push_back(r);
  }
  return rows;
}

int free_calls = 0;
void free_function() { ++free_calls; }

}  // namespace

// ---- what a benchmark prints

TEST_CASE("profiler: 5.4 the line that CuPy prints") {
  const times cpu{5.4 * us, 7.1 * us, 6.0 * us, 5.4 * us, 4.2 * us};
  const times gpu{6.4 * us, 4.3 * us, 8.9 * us, 9.6 * us, 3.8 * us};
  const benchmark_result r("test_name_xxx", cpu, {gpu}, {device::cuda(0)});
  const std::string of_cpu =
      "test_name_xxx       :    CPU:     5.620 us   +/-  0.943 (min:     4.200 / max:     7.100) us";
  const std::string of_gpu = "     GPU-0:     6.600 us   +/-  2.344 (min:     3.800 / max:     9.600) us";
  CHECK(printed(r) == of_cpu + of_gpu);
  CHECK(r.to_str(true).c_str() == of_cpu + of_gpu);
  CHECK(r.to_str().c_str() == of_cpu);
  CHECK(r.to_str().c_str() == of_cpu);  // looking changes nothing
}

TEST_CASE("profiler: 5.4 one repeat has no deviation; every GPU has its column") {
  const benchmark_result one("test_name_xxx", {5.4 * us}, {{6.4 * us}}, {device::cuda(0)});
  CHECK(printed(one) == "test_name_xxx       :    CPU:     5.400 us     GPU-0:     6.400 us");
  const benchmark_result three("test_name_xxx", {5.4 * us}, {{6.4 * us}, {7.0 * us}, {8.1 * us}},
                               {device::cuda(0), device::cuda(1), device::cuda(2)});
  CHECK(printed(three) ==
        "test_name_xxx       :    CPU:     5.400 us     GPU-0:     6.400 us     GPU-1:     7.000 us     GPU-2:     "
        "8.100 us");
  CHECK(printed(benchmark_result("test_name_xxx", {5.4 * us})) == "test_name_xxx       :    CPU:     5.400 us");
}

TEST_CASE("profiler: 5.4 wide numbers and names push what follows; names are padded by characters") {
  CHECK(printed(benchmark_result("a name of more than twenty characters", {12.5})) ==
        "a name of more than twenty characters:    CPU: 12500000.000 us");
  CHECK(printed(benchmark_result("gr\u00f6\u00dfe", {0.0})) == "gr\u00f6\u00dfe               :    CPU:     0.000 us");
  CHECK(printed(benchmark_result(nullptr, {0.0})) == "                    :    CPU:     0.000 us");
}

TEST_CASE("profiler: results are values") {
  benchmark_result a("a", {1.0, 2.0}, {{3.0, 4.0}}, {device::cuda(2)});
  const benchmark_result copy = a;
  a = benchmark_result("b", {9.0});
  CHECK(std::string(a.name()) == "b");
  CHECK(std::string(copy.name()) == "a");
  CHECK(copy.cpu_times() == times{1.0, 2.0});
  REQUIRE(copy.gpu_times().size() == 1);
  CHECK(copy.gpu_times()[0] == times{3.0, 4.0});
  REQUIRE(copy.devices().size() == 1);
  CHECK(copy.devices()[0] == device::cuda(2));
  a = copy;
  CHECK(a.cpu_times() == copy.cpu_times());
}

TEST_CASE("profiler: lists of times that do not fit") {
  CHECK(has(message_of<shape_error>([] { benchmark_result("x", {}); }), "at least one time"));
  CHECK(has(message_of<shape_error>([] { benchmark_result("x", {1.0}, {{1.0}}, {}); }), "1 GPUs for 0 devices"));
  CHECK(has(message_of<shape_error>([] {
              benchmark_result("x", {1.0, 2.0}, {{1.0}}, {device::cuda()});
            }),
            "1 GPU times for 2 CPU times"));
}

// ---- what a benchmark does

TEST_CASE("profiler: 5.1 and 5.3 calls are counted, warm-up is not timed") {
  int calls = 0;
  const benchmark_result r = benchmark([&] { ++calls; }, {.n_repeat = 10, .name = "count", .n_warmup = 3});
  CHECK(calls == 13);
  CHECK(std::string(r.name()) == "count");
  REQUIRE(r.cpu_times().size() == 10);
  REQUIRE(r.gpu_times().size() == (on_gpu() ? 1 : 0));
  REQUIRE(r.devices().size() == r.gpu_times().size());
  for (const double t : r.cpu_times()) CHECK(t >= 0);
  for (const times& gpu : r.gpu_times()) {
    CHECK(gpu.size() == 10);
    for (const double t : gpu) CHECK(t >= 0);
  }
  CHECK(has(printed(r), "GPU-") == on_gpu());
  if (on_gpu()) CHECK(r.devices()[0] == device::current());

  calls = 0;
  CHECK(benchmark([&] { ++calls; }, {.n_repeat = 1, .n_warmup = 0}).cpu_times().size() == 1);
  CHECK(calls == 1);
}

TEST_CASE("profiler: 5.1 the CPU time is the call's, the GPU time lies between the events") {
  for (const bool own_stream : {false, true}) {
    CAPTURE(own_stream);
    const stream mine = own_stream ? stream() : stream::null();
    const stream_scope in(mine);
    const benchmark_result r = benchmark([] { keep_device_busy(); }, {.n_repeat = 4, .n_warmup = 1});
    const double least = *std::min_element(r.cpu_times().begin(), r.cpu_times().end());
    if (!on_gpu()) {
      CHECK(least >= 0.020);
      continue;
    }
    CHECK(least < 0.020);  // a call that waited would take as long as the device, each time
    for (const double t : r.gpu_times()[0]) CHECK(t >= 0.0199);  // events are exact to half a microsecond
  }
}

TEST_CASE("profiler: 5.1 the first call does not wait for what the warm-up enqueued") {
  bool warm = false;
  const auto first_is_slow = [&] {
    if (!warm) stream::current().launch_host_func([] { sleep_ms(400); });
    warm = true;
  };
  const benchmark_result r = benchmark(first_is_slow, {.n_repeat = 3, .n_warmup = 1, .max_duration = 0.2});
  CHECK(r.cpu_times().size() == 3);
}

TEST_CASE("profiler: 5.2 max_duration ends it after a repeat") {
  int calls = 0;
  const auto f = [&] {
    ++calls;
    sleep_ms(2);
  };
  SUBCASE("one is made in any case") {
    const benchmark_result r = benchmark(f, {.n_warmup = 2, .max_duration = 0});
    CHECK(r.cpu_times().size() == 1);
    CHECK(calls == 3);
  }
  SUBCASE("the repeats are added up, the warm-up is not") {
    const benchmark_result r = benchmark(f, {.n_warmup = 4, .max_duration = 0.005});
    const std::size_t n = r.cpu_times().size();
    CHECK(n >= 1);
    CHECK(n <= 3);  // each takes 2 ms or more
    CHECK(static_cast<std::size_t>(calls) == n + 4);
    CHECK(std::accumulate(r.cpu_times().begin(), r.cpu_times().end() - 1, 0.0) <= 0.005);
    for (const times& gpu : r.gpu_times()) CHECK(gpu.size() == n);
  }
  SUBCASE("no limit") {
    CHECK(benchmark(f, {.n_repeat = 5, .max_duration = std::numeric_limits<double>::infinity()}).cpu_times().size() ==
          5);
  }
}

TEST_CASE("profiler: 5.1 options that make no sense") {
  int calls = 0;
  const auto f = [&] { ++calls; };
  CHECK(has(message_of<error>([&] { benchmark(f, {.n_repeat = 0}); }), "n_repeat is 0"));
  CHECK(has(message_of<error>([&] { benchmark(f, {.n_repeat = -5}); }), "n_repeat is -5"));
  CHECK(has(message_of<error>([&] { benchmark(f, {.n_warmup = -1}); }), "n_warmup is -1"));
  CHECK(has(message_of<error>([&] { benchmark(f, {.max_duration = -1}); }), "max_duration is -1"));
  CHECK(has(message_of<error>([&] { benchmark(f, {.max_duration = std::nan("")}); }), "max_duration"));
  const int line = __LINE__ + 1;
  const std::string said = message_of<error>([&] { benchmark(f, {.n_repeat = 0}); });
  CHECK(has(said, "profiler.cpp:" + std::to_string(line)));
  CHECK(has(message_of<device_error>([&] { benchmark(f, {.devices = {device::cuda(63)}}); }), "cuda:63"));
  CHECK(calls == 0);
}

TEST_CASE("profiler: the GPUs that are asked for") {
  int calls = 0;
  const benchmark_result none =
      benchmark([&] { ++calls; }, {.n_repeat = 2, .n_warmup = 0, .devices = {device::cpu(), device::interpreter()}});
  CHECK(calls == 2);
  CHECK(none.gpu_times().empty());
  std::vector<device> all;
  for (int i = 0; i < device::cuda_count(); ++i) all.push_back(device::cuda(i));
  if (all.empty()) return;
  const benchmark_result r = benchmark([] {}, {.n_repeat = 3, .n_warmup = 0, .devices = all});
  CHECK((r.devices() == all));
  REQUIRE(r.gpu_times().size() == all.size());
  for (const times& gpu : r.gpu_times()) CHECK(gpu.size() == 3);
}

TEST_CASE("profiler: evaluations are timed, and their results dropped") {
  const array<float> a = linspace<float>(0, 1, 1000);
  const array<float> expected = a * 2 + 1;
  array<float> kept;
  const auto work = [&] { return kept = a * 2 + 1; };
  static_cast<void>(benchmark(work, {.n_repeat = 2, .n_warmup = 1}));  // compiles
  const std::size_t used = default_memory_pool().used_bytes();
  const std::int64_t launched = launches_of([&] {
    const benchmark_result r = benchmark(work, {.n_repeat = 7, .n_warmup = 2});
    CHECK(r.cpu_times().size() == 7);
  });
  CHECK(launched == 9);
  CHECK(default_memory_pool().used_bytes() == used);
  CHECK(kept.get() == expected.get());
}

TEST_CASE("profiler: what can be called") {
  free_calls = 0;
  benchmark(free_function, {.n_repeat = 2, .n_warmup = 1});
  benchmark(&free_function, {.n_repeat = 2, .n_warmup = 1});
  CHECK(free_calls == 6);

  struct counter {
    int calls = 0;
    counter() = default;
    counter(const counter&) = delete;  // is called where it is
    int operator()() { return ++calls; }
  } c;
  benchmark(c, {.n_repeat = 2, .n_warmup = 1});
  CHECK(c.calls == 3);
  const auto shares = [one = std::make_unique<int>(1)] { return *one; };
  CHECK(benchmark(shares, {.n_repeat = 2}).cpu_times().size() == 2);
}

TEST_CASE("profiler: a benchmark without a name is called by its place") {
  const int line = __LINE__ + 1;
  const benchmark_result r = benchmark([] {}, {.n_repeat = 1});
  CHECK(std::string(r.name()) == "profiler.cpp:" + std::to_string(line));
}

TEST_CASE("profiler: what the function throws passes through, and the next benchmark works") {
  for (const int after : {0, 1, 4}) {
    int calls = 0;
    const auto f = [&] {
      if (calls++ == after) throw std::runtime_error("of the function's own");
    };
    CHECK_THROWS_AS(benchmark(f, {.n_repeat = 10, .n_warmup = 2}), std::runtime_error);
    CHECK(calls == after + 1);
  }
  CHECK(benchmark([] {}, {.n_repeat = 3}).cpu_times().size() == 3);
}

TEST_CASE("profiler: no benchmark while a graph is captured") {
  int calls = 0;
  const std::string said =
      message_of<device_error>([&] { const graph g = capture([&] { benchmark([&] { ++calls; }); }); });
  CHECK(has(said, "benchmark"));
  CHECK(calls == 0);
}

TEST_CASE("profiler: threads benchmark at the same time") {
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&right, d = device::current(), t] {
      const device_scope in(d);
      const benchmark_result r = benchmark([] {}, {.n_repeat = 10 + t});
      right += r.cpu_times().size() == static_cast<std::size_t>(10 + t);
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(right == 4);
}

// ---- ranges

TEST_CASE("profiler: 5.5 ranges and marks that are refused") {
  const auto range = [](const char* message, time_range_options how) { const time_range r(message, how); };
  CHECK(has(message_of<error>([&] { range("r", {.color_id = 0, .argb_color = 0}); }), "give one of them"));
  CHECK(has(message_of<error>([&] { range(nullptr, {}); }), "without a message"));
  CHECK(has(message_of<error>([&] { range("r", {.color_id = -2}); }), "color_id is -2"));
  CHECK(has(message_of<error>([&] { range("r", {.argb_color = -2}); }), "argb_color is -2"));
  CHECK(has(message_of<error>([&] { range("r", {.argb_color = 0x100000000}); }), "32 bits"));
  CHECK(has(message_of<error>([] { mark("m", {.color_id = 1, .argb_color = 0xFF00FF00}); }), "give one of them"));
  CHECK(has(message_of<error>([] { mark(nullptr); }), "without a message"));
  CHECK(has(message_of<device_error>([] { const graph g = capture([] { const time_range r("r", {.sync = true}); }); }),
            "time_range with sync"));
}

TEST_CASE("profiler: 5.5 sync waits for the device at both ends") {
  std::atomic<int> done{0};
  const auto work = [&] {
    stream::current().launch_host_func([&done] {
      sleep_ms(20);
      ++done;
    });
  };
  work();
  {
    const time_range r("synchronous", {.sync = true});
    CHECK(done == 1);
    work();
  }
  CHECK(done == 2);
}

TEST_CASE("profiler: a profile adds up ranges by what they are in") {
  const profile p;
  for (int i = 0; i < 3; ++i) {
    const time_range step(std::string("step").c_str());  // the text is copied
    for (int k = 0; k < 2; ++k) {
      const time_range solve("solve", {.color_id = k});
      sleep_ms(1);
    }
    mark("converged");
  }
  { const time_range solve("solve"); }
  mark("end");

  const std::vector<row> rows = rows_of(p);
  REQUIRE(rows.size() == 5);
  CHECK(rows[0].name == "step");
  CHECK(rows[1].name == "solve");
  CHECK(rows[2].name == "converged");
  CHECK(rows[3].name == "solve");
  CHECK(rows[4].name == "end");
  const std::vector<std::size_t> levels{rows[0].level, rows[1].level, rows[2].level, rows[3].level, rows[4].level};
  CHECK(levels == std::vector<std::size_t>{0, 1, 1, 0, 0});
  const std::vector<long long> calls{rows[0].calls, rows[1].calls, rows[2].calls, rows[3].calls, rows[4].calls};
  CHECK(calls == std::vector<long long>{3, 6, 3, 1, 1});

  CHECK(rows[1].least >= 1000);
  CHECK(rows[1].most >= rows[1].least);
  CHECK(rows[1].mean * 6 == doctest::Approx(rows[1].total));
  CHECK(rows[1].total >= 6 * rows[1].least * 0.999999);
  CHECK(rows[0].total >= rows[1].total);  // what is outside contains what is inside
}

TEST_CASE("profiler: a report is a table") {
  const profile p;
  CHECK(std::string(p.report().c_str()) ==
        "range                               calls       total us        mean us         min us         max us\n");
  mark("gr\u00f6\u00dfe");
  {
    const time_range outer("outer");
    mark("a mark");
    CHECK(has(p.report().c_str(), "\nouter                                   0\n  a mark "));  // has not ended yet
  }
  const std::string report = p.report().c_str();
  CHECK(has(report, "\ngr\u00f6\u00dfe                                   1\n"));
  CHECK(has(report, "\nouter                                   1 "));
  CHECK(has(report, "\n  a mark                                1\n"));
}

TEST_CASE("profiler: a profile counts what begins and ends in it") {
  auto begun_before = std::make_unique<time_range>("before");
  std::unique_ptr<time_range> begun_within;
  {
    const profile p;
    { const time_range r("inner"); }
    begun_before.reset();
    begun_within = std::make_unique<time_range>("within");
    const std::vector<row> rows = rows_of(p);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].name == "inner");
    CHECK(rows[0].level == 0);  // what it lies in began before
  }
  const profile later;
  { const time_range r("inner"); }
  begun_within.reset();  // begun in a profile that is no more
  const std::vector<row> rows = rows_of(later);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].name == "inner");
  CHECK(rows[0].level == 0);
}

TEST_CASE("profiler: profiles overlap, each with its own sums") {
  const profile outer;
  { const time_range r("first"); }
  {
    const profile inner;
    { const time_range r("second"); }
    REQUIRE(rows_of(inner).size() == 1);
    CHECK(rows_of(inner)[0].name == "second");
  }
  { const time_range r("third"); }
  const std::vector<row> rows = rows_of(outer);
  REQUIRE(rows.size() == 3);
  CHECK(rows[2].name == "third");
  CHECK(array<int>(arange<int>(3) + 1).get() == std::vector{1, 2, 3});  // the device is none the worse
}

TEST_CASE("profiler: 5.5 a profile starts and stops the driver's collection, outermost first and last, and may fail") {
  const char* const driver = std::getenv("SINTER_CUDA_DRIVER");
  if (!on_gpu() || !driver) return;  // only of softgpu can it be asked
  const softgpu::controls plan = softgpu::controls::open(driver);
  constexpr int invalid_value = 1;
  std::string failed;
  const auto nested = [] {
    const profile outer;
    const profile inner;
  };
  nested();  // the context is current from now on
  for (int at = 0; at < 100; ++at) {
    plan.softgpu_fail(at, invalid_value, 0);
    const std::string said = message_of<device_error>(nested);
    const bool reached = plan.softgpu_failed() > 0;
    const std::string call = plan.softgpu_call_name();
    plan.softgpu_fail(-1, 0, 0);
    if (!reached) break;
    if (said != "nothing was thrown") CHECK(has(said, call.substr(0, call.find("_v2"))));
    if (call.starts_with("cuProfiler")) failed += call + " ";
  }
  CHECK(failed == "cuProfilerStart cuProfilerStop ");  // once each, although there are two profiles
}

TEST_CASE("profiler: ranges of several threads come together, each nested in its own") {
  constexpr int threads = 4, rounds = 200;
  const profile p;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([] {
      for (int i = 0; i < rounds; ++i) {
        const time_range outer("outer");
        const time_range inner("inner");
        mark("here");
      }
    });
  }
  for (std::thread& t : all) t.join();
  const std::vector<row> rows = rows_of(p);
  REQUIRE(rows.size() == 3);
  for (const row& r : rows) CHECK(r.calls == threads * rounds);
  CHECK(rows[0].name == "outer");
  CHECK(rows[1].level == 1);
  CHECK(rows[2].level == 2);
}

TEST_CASE("profiler: an exception ends ranges, and they may end in any order") {
  const profile p;
  try {
    const time_range outer("outer");
    const time_range inner("inner");
    throw std::runtime_error("out of both");
  } catch (const std::runtime_error&) {
  }
  auto first = std::make_unique<time_range>("first");
  auto second = std::make_unique<time_range>("second");
  first.reset();
  { const time_range third("third"); }
  second.reset();
  { const time_range fourth("fourth"); }
  std::string names;
  for (const row& r : rows_of(p)) names += std::to_string(r.level) + r.name + " ";
  CHECK(names == "0outer 1inner 0first 0second 1third 0fourth ");
}

// ---- NVTX: a tool that is a part of this program

#ifdef SINTER_HAVE_NVTX

namespace {

/// What the tool has seen, on the thread of the test that listens.
struct seen_by_tool {
  bool attached = false;
  std::thread::id listening;
  std::string calls;
} tool;

std::string described(const char* what, const nvtxEventAttributes_t* a) {
  std::ostringstream text;
  text << what << ' ' << (a->messageType == NVTX_MESSAGE_TYPE_ASCII ? a->message.ascii : "?");
  if (a->colorType == NVTX_COLOR_ARGB) text << ' ' << std::hex << a->color;
  return text.str();
}

void note(const std::string& call) {
  if (tool.listening == std::this_thread::get_id()) tool.calls += call + "; ";
}
void NVTX_API see_mark(const nvtxEventAttributes_t* a) { note(described("mark", a)); }
int NVTX_API see_push(const nvtxEventAttributes_t* a) {
  note(described("push", a));
  return 0;
}
int NVTX_API see_pop() {
  note("pop");
  return 0;
}

template <class F>
void replace(NvtxFunctionTable table, int which, F* with) {
  *table[which] = reinterpret_cast<NvtxFunctionPointer>(with);
}

/// NVTX calls it once, and hands out its table of functions for the tool to put its own in.
int NVTX_API attach(NvtxGetExportTableFunc_t export_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size)) return 0;
  if (size <= NVTX_CBID_CORE_RangePop) return 0;
  replace(table, NVTX_CBID_CORE_MarkEx, &see_mark);
  replace(table, NVTX_CBID_CORE_RangePushEx, &see_push);
  replace(table, NVTX_CBID_CORE_RangePop, &see_pop);
  tool.attached = true;
  return 1;
}

/// Where a tool is linked in, NVTX finds it by this pointer, at the first range of the program.
[[maybe_unused]] const bool linked_in = (InitializeInjectionNvtx2_fnptr = &attach, true);

}  // namespace

TEST_CASE("profiler: 5.5 a tool sees ranges and marks, in order, with their colours") {
  REQUIRE(runtime::nvtx::built_in());
  tool.listening = std::this_thread::get_id();
  {
    const time_range outer("outer");
    mark("a mark");
    {
      const time_range inner("inner", {.argb_color = 0xFF00FF00});
      mark("green", {.color_id = 0});
    }
    mark("green again", {.color_id = 8});
    CHECK_THROWS_AS(const time_range r("refused", {.color_id = 1, .argb_color = 1}), error);
    try {
      const time_range left("left");
      throw 1;
    } catch (int) {
    }
  }
  tool.listening = {};
  const char* const another = std::getenv("NVTX_INJECTION64_PATH");
  if (another && !tool.attached) {
    MESSAGE("another tool is attached");
    return;
  }
  REQUIRE(tool.attached);
  CHECK(tool.calls ==
        "push outer; mark a mark; push inner ff00ff00; mark green ff009e73; pop; mark green again ff009e73; "
        "push left; pop; pop; ");
}

#else

TEST_CASE("profiler: 5.5 without NVTX, ranges still go to profiles") {
  CHECK(!runtime::nvtx::built_in());
  const profile p;
  { const time_range r("seen"); }
  REQUIRE(rows_of(p).size() == 1);
  CHECK(rows_of(p)[0].name == "seen");
}

#endif
