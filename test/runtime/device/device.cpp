// Devices without a GPU: CPU images loaded and run over ranges, on one thread and on many; which device a word means;
// scopes; what is said where there is no driver. The CUDA driver's errors and the staging of copies run against a table
// made here.
#include "runtime/device/device.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <sstream>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

#include <sinter/error.hpp>

#include "runtime/counters.hpp"
#include "runtime/device/driver.hpp"
#include "runtime/device/staging.hpp"
#include "runtime/stream/table.hpp"

namespace {

using namespace sinter;
using codegen::bytes;
using runtime::device_impl;
using runtime::geometry;
using runtime::loaded_kernel;

/// A shared object made by the system's compiler the way images are; empty where there is no compiler.
bytes compile(const std::string& source) {
  char folder[] = "/tmp/sinter-test-XXXXXX";
  if (!mkdtemp(folder)) return {};
  const std::string base = std::string(folder) + "/kernel";
  std::ofstream(base + ".c") << source;
  const std::string command = "cc -O2 -shared -fPIC -nostdlib -o " + base + ".so " + base + ".c 2>/dev/null";
  bytes image;
  if (std::system(command.c_str()) == 0) {
    std::ifstream file(base + ".so", std::ios::binary);
    const std::vector<char> read{std::istreambuf_iterator<char>(file), {}};
    image.resize(read.size());
    std::memcpy(image.data(), read.data(), read.size());
  }
  unlink((base + ".c").c_str());
  unlink((base + ".so").c_str());
  rmdir(folder);
  return image;
}

const char* const range_source = R"(
struct arguments { double* out; long long* calls; long long* begins; };
double exp(double);
void sinter_kernel(const void* packed, long long begin, long long end) {
  const struct arguments* a = packed;
  long long call = __atomic_fetch_add(a->calls, 1, __ATOMIC_RELAXED);
  if (call < 4096) a->begins[call] = begin;
  for (long long i = begin; i < end; ++i) a->out[i] += exp(0.0) + (double)i;
}
void sinter_finish(const void* packed, long long begin, long long end) {
  const struct arguments* a = packed;
  for (long long i = begin; i < end; ++i) a->out[i] = -a->out[i];
})";

struct range_arguments {
  double* out;
  long long* calls;
  long long* begins;
};

struct range_run {
  std::vector<double> out;
  long long calls = 0;
  std::vector<long long> begins = std::vector<long long>(4096);

  range_run(device_impl& d, const loaded_kernel& kernel, const geometry& g) : out(static_cast<std::size_t>(g.items)) {
    const range_arguments a{out.data(), &calls, begins.data()};
    d.launch(kernel, g, &a, sizeof a, d.streams().default_stream());
    begins.resize(static_cast<std::size_t>(calls));
  }
  /// Was every item visited once, and finished if it was among the first `finished`?
  bool right(std::int64_t finished) const {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double expected = 1.0 + static_cast<double>(i);
      if (out[i] != (static_cast<std::int64_t>(i) < finished ? -expected : expected)) return false;
    }
    return true;
  }
};

geometry work(std::int64_t items, double nanoseconds_per_item, std::int64_t finish_items = 0) {
  geometry g;
  g.items = items;
  g.work_per_item = nanoseconds_per_item;
  g.finish_items = finish_items;
  return g;
}

/// Sets an environment variable for the length of a scope.
class environment {
 public:
  environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before, had_ = true;
    setenv(name, value, 1);
  }
  ~environment() { had_ ? setenv(name_, before_.c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::string before_;
  bool had_ = false;
};

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("cpu: an image is loaded from memory and visits every item once") {
  const bytes image = compile(range_source);
  if (image.empty()) return;
  const auto cpu = runtime::make_cpu_device();
  const loaded_kernel kernel = cpu->load(&image, {}, {});
  REQUIRE(kernel.entry);
  REQUIRE(kernel.finish);
  const std::uint64_t before = runtime::count_of(runtime::counter::launches);

  const range_run inline_run(*cpu, kernel, work(1000, 1, 10));
  CHECK(inline_run.calls == 1);
  CHECK(inline_run.right(10));

  for (const std::int64_t items : {2, 7, 63, 64, 65, 1000, 4096, 100'003}) {
    CAPTURE(items);
    const range_run handed_off(*cpu, kernel, work(items, 1e9, items / 2));
    CHECK(handed_off.right(items / 2));
    if (cpu->multiprocessors() > 1) CHECK(handed_off.calls > 1);
    if (items >= 100'000)
      for (const long long begin : handed_off.begins) CHECK(begin % 64 == 0);
  }
  const range_run nothing(*cpu, kernel, work(0, 1));
  CHECK(nothing.calls == 0);
  CHECK(runtime::count_of(runtime::counter::launches) - before == 10);
}

TEST_CASE("cpu: several threads may launch at once") {
  const bytes image = compile(range_source);
  if (image.empty()) return;
  const auto cpu = runtime::make_cpu_device();
  const loaded_kernel kernel = cpu->load(&image, {}, {});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) wrong += !range_run(*cpu, kernel, work(10'000, 20, 100)).right(100);
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("cpu: many images under the same file number stay apart") {
  const std::uint64_t mark = 0x5117E5117E5117E1;
  bytes image = compile(
      "static volatile const long long mark = 0x5117E5117E5117E1;\n"
      "void sinter_kernel(const void* a, long long b, long long e) { **(long long* const*)a = mark; }\n");
  if (image.empty()) return;
  const auto at = std::search(image.begin(), image.end(), reinterpret_cast<const std::byte*>(&mark),
                              reinterpret_cast<const std::byte*>(&mark) + 8);
  REQUIRE(at != image.end());
  const auto cpu = runtime::make_cpu_device();
  std::vector<loaded_kernel> kernels;
  for (long long i = 0; i < 100; ++i) {
    std::memcpy(&*at, &i, 8);
    kernels.push_back(cpu->load(&image, {}, {}));
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    long long seen = -1;
    long long* out = &seen;
    cpu->launch(kernels[i], work(1, 1), &out, sizeof out, cpu->streams().default_stream());
    CHECK(seen == static_cast<long long>(i));
  }
}

TEST_CASE("cpu: what cannot be loaded says why") {
  const auto cpu = runtime::make_cpu_device();
  const bytes nonsense(100);
  CHECK_THROWS_AS(cpu->load(&nonsense, {}, {}), device_error);
  if (const bytes other = compile("int other;\n"); !other.empty())
    CHECK_THROWS_AS(cpu->load(&other, {}, {}), internal_error);
  if (cpu->compiler()) {
    CHECK(cpu->dialect() == codegen::dialect::c);
    CHECK_THROWS_AS(cpu->load(nullptr, {}, {}), internal_error);
  }
}

TEST_CASE("cpu: without a compiler the interpreter serves") {
  const environment none("SINTER_CC", "");
  const auto cpu = runtime::make_cpu_device();
  CHECK(cpu->compiler() == nullptr);
  CHECK(cpu->dialect() == codegen::dialect::none);
  CHECK(cpu->id == device::cpu());
  CHECK(cpu->load(nullptr, {}, {}).entry != nullptr);
}

TEST_CASE("cpu: a number of threads that cannot be read is an error") {
  for (const char* wrong : {"0", "-1", "two", "2x"}) {
    const environment threads("SINTER_NUM_THREADS", wrong);
    CHECK_THROWS_AS(runtime::make_cpu_device(), error);
  }
}

TEST_CASE("cpu: SINTER_NUM_THREADS holds") {
  const environment threads("SINTER_NUM_THREADS", "1");
  const auto cpu = runtime::make_cpu_device();
  CHECK(cpu->multiprocessors() == 1);
  if (const bytes image = compile(range_source); !image.empty())
    CHECK(range_run(*cpu, cpu->load(&image, {}, {}), work(1000, 1e6)).calls == 1);
}

TEST_CASE("host memory: copies, zeroes and counts") {
  for (const auto& d : {runtime::make_cpu_device(), runtime::make_interpreter_device()}) {
    CAPTURE(d->description());
    constexpr std::size_t size = 3 << 20;
    std::vector<std::byte> there(size), back(size);
    for (std::size_t i = 0; i < size; ++i) there[i] = static_cast<std::byte>(i * 7);
    runtime::memory_source& memory = d->memory(runtime::memory_kind::device);
    runtime::stream_state& on = d->streams().default_stream();
    std::byte* a = memory.allocate(size);
    std::byte* b = memory.allocate(size);
    CHECK(reinterpret_cast<std::uintptr_t>(a) % 512 == 0);
    const std::uint64_t before = runtime::count_of(runtime::counter::bytes_copied);
    d->copy_in(a, there.data(), size, on);
    d->copy(b, a, size, on);
    d->copy_out(back.data(), b, size, on);
    CHECK(runtime::count_of(runtime::counter::bytes_copied) - before == 3 * size);
    CHECK(there == back);
    d->zero(b, size, on);
    d->synchronize();
    CHECK(std::all_of(b, b + size, [](std::byte x) { return x == std::byte{0}; }));
    memory.release(a, size);
    memory.release(b, size);
  }
}

TEST_CASE("device: words, scopes and printing") {
  CHECK(runtime::device_named("cpu") == device::cpu());
  CHECK(runtime::device_named("interpreter") == device::interpreter());
  for (const char* wrong : {"gpu", "CPU", "cuda:", "cuda:x", "cuda:-1", "cuda:1 ", "cpu:0"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(runtime::device_named(wrong), error);
  }
  CHECK(device::available(device::cpu()));
  CHECK(device::available(device::interpreter()));
  CHECK_FALSE(device::available(device(device::kind::cpu, 1)));
  CHECK_FALSE(device::available(device::cuda(-1)));
  CHECK_FALSE(device::available(device::cuda(10'000)));
  CHECK_THROWS_AS(runtime::implementation(device(device::kind::cpu, 1)), device_error);
  std::ostringstream out;
  out << device::cpu() << ' ' << device::cuda(3) << ' ' << device::interpreter();
  CHECK(out.str() == "cpu cuda:3 interpreter");

  const device before = device::current();
  {
    const device_scope outer(device::interpreter());
    CHECK(device::current() == device::interpreter());
    CHECK(&runtime::current_device() == &runtime::implementation(device::interpreter()));
    {
      const device_scope inner(device::cpu());
      CHECK(device::current() == device::cpu());
      synchronize();
    }
    CHECK(device::current() == device::interpreter());
    CHECK_THROWS_AS(device_scope(device::cuda(10'000)), device_error);
    CHECK(device::current() == device::interpreter());
    std::thread([&] { CHECK(device::current() == before); }).join();  // scopes are a thread's own
  }
  CHECK(device::current() == before);
}

TEST_CASE("device: a machine without a GPU says what was looked for") {
  std::string why;
  if (runtime::cuda_device_count(&why) > 0) return;
  CHECK(contains(why, std::getenv("SINTER_CUDA_DRIVER") ? "SINTER_CUDA_DRIVER" : "libcuda"));
  CHECK(device::cuda_count() == 0);
  CHECK_FALSE(device::available(device::cuda()));
  CHECK(runtime::device_named(nullptr) == device::cpu());
  CHECK(runtime::make_cuda_device(0) == nullptr);
  for (const char* word : {"cuda", "cuda:0", "cuda:7"}) {
    try {
      runtime::device_named(word);
      FAIL("there is no such device");
    } catch (const device_error& e) {
      CHECK(contains(e.what(), word));
      CHECK(contains(e.what(), why.c_str()));
    }
  }
}

TEST_CASE("driver: what is not a driver is described, not used") {
  std::string why;
  CHECK(runtime::open_driver("/nonexistent/libcuda.so", &why) == nullptr);
  CHECK(contains(why, "/nonexistent/libcuda.so"));
  CHECK(contains(why, "SINTER_CUDA_DRIVER"));
  CHECK(runtime::open_driver("libc.so.6", &why) == nullptr);
  CHECK(contains(why, "it lacks cuInit"));
  CHECK(runtime::open_driver("/nonexistent/libcuda.so", nullptr) == nullptr);
}

namespace {

/// A driver's table whose stream runs only when a caller waits for it: what was not waited for has not happened.
struct fake {
  struct event {
    int recorded = 0, reached = 0;  // a second record makes the first one forgotten
  };
  static event* of(runtime::cu_event e) { return reinterpret_cast<event*>(e); }
  static inline std::deque<std::function<void()>> stream;
  static inline int pinned = 0, events = 0, waits = 0;
  static inline bool no_pinned_memory = false;

  static void run_all() {
    while (!stream.empty()) stream.front()(), stream.pop_front();
  }
  static runtime::driver table() {
    runtime::driver d;
    d.cuGetErrorName = [](int result, const char** text) {
      *text = result == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_INVALID_VALUE";
      return result == 12345 ? 1 : 0;
    };
    d.cuGetErrorString = [](int, const char** text) { return *text = "the driver's words", 0; };
    d.cuMemAllocHost_v2 = [](void** memory, std::size_t size) {
      if (no_pinned_memory) return 2;
      return *memory = std::malloc(size), ++pinned, 0;
    };
    d.cuMemFreeHost = [](void* memory) { return std::free(memory), --pinned, 0; };
    d.cuEventCreate = [](runtime::cu_event* e, unsigned flags) {
      CHECK(flags == 2);
      return *e = reinterpret_cast<runtime::cu_event>(new event), ++events, 0;
    };
    d.cuEventDestroy_v2 = [](runtime::cu_event e) { return delete of(e), --events, 0; };
    d.cuEventRecord = [](runtime::cu_event e, runtime::cu_stream) {
      stream.push_back([e, number = ++of(e)->recorded] { of(e)->reached = number; });
      return 0;
    };
    d.cuEventSynchronize = [](runtime::cu_event e) {
      ++waits;
      while (of(e)->reached != of(e)->recorded) stream.front()(), stream.pop_front();
      return 0;
    };
    d.cuStreamSynchronize = [](runtime::cu_stream) { return run_all(), 0; };
    d.cuMemcpyHtoDAsync_v2 = [](runtime::cu_address to, const void* from, std::size_t size, runtime::cu_stream) {
      stream.push_back([=] { std::memcpy(reinterpret_cast<void*>(to), from, size); });
      return 0;
    };
    d.cuMemcpyDtoHAsync_v2 = [](void* to, runtime::cu_address from, std::size_t size, runtime::cu_stream) {
      stream.push_back([=] { std::memcpy(to, reinterpret_cast<const void*>(from), size); });
      return 0;
    };
    return d;
  }
};

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("driver: errors are translated, and a sticky one is for ever") {
  const runtime::driver d = fake::table();
  runtime::fault_latch faults(d, "cuda:0");
  faults.check(0, "cuInit");
  CHECK_THROWS_AS(faults.check(2, "cuMemAllocHost_v2"), out_of_memory);
  CHECK_THROWS_AS(faults.check(1, "cuStreamCreate"), device_error);
  CHECK(contains(message_of([&] { faults.check(1, "cuMemAlloc_v2"); }),
                 "cuMemAlloc(...) failed: CUDA_ERROR_INVALID_VALUE: the driver's words"));
  CHECK(contains(message_of([&] { faults.check(12345, "cuInit"); }), "CUDA error 12345"));
  CHECK(faults.usable());
  faults.raise_if_lost();

  CHECK_THROWS_AS(faults.check(700, "cuStreamSynchronize"), device_lost);
  CHECK_FALSE(faults.usable());
  const std::string first = message_of([&] { faults.raise_if_lost(); });
  CHECK(contains(first, "cuda:0 is lost"));
  CHECK(contains(first, "cuStreamSynchronize(...) failed: CUDA_ERROR_ILLEGAL_ADDRESS"));
  CHECK(message_of([&] { faults.check(719, "cuLaunchKernel"); }) == first);
  CHECK(message_of([&] { faults.check(1, "cuLaunchKernel"); }) == first);
  faults.note(716, "cuMemFree_v2");
  CHECK(message_of([&] { faults.raise_if_lost(); }) == first);

  runtime::fault_latch quiet(d, "cuda:1");
  quiet.note(1, "cuMemFree_v2");
  CHECK(quiet.usable());
  quiet.note(719, "cuMemFree_v2");
  CHECK_THROWS_AS(quiet.raise_if_lost(), device_lost);
  runtime::fault_latch given_up(d, "cuda:2");
  given_up.lose(1, "cuStreamEndCapture");
  CHECK(contains(message_of([&] { given_up.raise_if_lost(); }), "cuStreamEndCapture(...) failed"));
  for (const int sticky : {4, 214, 700, 702, 710, 714, 715, 716, 717, 718, 719}) CHECK(runtime::is_sticky(sticky));
  for (const int passing : {0, 1, 2, 200, 500, 600, 701, 999}) CHECK_FALSE(runtime::is_sticky(passing));
}

TEST_CASE("staging: copies of every size arrive, in any order, with the device as late as it may be") {
  const runtime::driver d = fake::table();
  for (const bool refused : {false, true}) {
    fake::no_pinned_memory = refused;
    fake::waits = 0;
    runtime::fault_latch faults(d, "cuda:0");
    runtime::staging staging(d, faults);
    std::vector<unsigned char> on_device(24 << 20), expected(on_device.size());
    const auto address = [&](std::size_t at) { return reinterpret_cast<runtime::cu_address>(on_device.data() + at); };
    std::uint32_t random = 1;
    const auto next = [&] { return random = random * 1664525 + 1013904223, random >> 8; };
    for (int step = 0; step < 300; ++step) {
      const std::size_t size = 1 + next() % (step % 30 == 0 ? 12u << 20 : step % 3 == 0 ? 300'000 : 100);
      const std::size_t at = next() % (on_device.size() - size);
      std::vector<std::byte> host(size);
      if (next() % 4) {
        std::memset(host.data(), static_cast<int>(next() % 256), size);
        std::memcpy(expected.data() + at, host.data(), size);
        staging.copy_in(address(at), host.data(), size, nullptr);
        std::fill(host.begin(), host.end(), std::byte{0xEE});  // it has been read: the caller may do as it likes
      } else {
        staging.copy_out(host.data(), address(at), size, nullptr);
        REQUIRE(std::memcmp(host.data(), expected.data() + at, size) == 0);
      }
    }
    fake::run_all();
    CHECK(on_device == expected);
    CHECK(fake::pinned == (refused ? 0 : 1));
    staging.close();
    CHECK(fake::pinned == 0);
    CHECK(fake::events == 0);
  }
  fake::no_pinned_memory = true;
  {
    runtime::fault_latch faults(d, "cuda:0");
    runtime::staging staging(d, faults);
    long long from = 7, to = 0;
    const auto copy = [&] {
      staging.copy_in(reinterpret_cast<runtime::cu_address>(&to), reinterpret_cast<const std::byte*>(&from),
                      sizeof from, nullptr);
    };
    copy();
    fake::no_pinned_memory = false;
    copy();
    CHECK(fake::pinned == 0);
    for (int i = 0; i < 100; ++i) copy();
    CHECK(fake::pinned == 1);  // it was asked for again
    fake::run_all();
    CHECK(to == 7);
    staging.close();
  }
  // Small copies one after the other fill the buffer before the copies wait.
  runtime::fault_latch faults(d, "cuda:0");
  runtime::staging staging(d, faults);
  fake::waits = 0;
  long long target = 0;
  for (long long i = 0; i < 10'000; ++i)
    staging.copy_in(reinterpret_cast<runtime::cu_address>(&target), reinterpret_cast<const std::byte*>(&i), sizeof i,
                    nullptr);
  CHECK(fake::waits == 0);
  fake::run_all();
  CHECK(target == 9999);
  staging.close();
}

TEST_CASE("cpu: what a launch costs, inline and handed to threads") {
  const bytes image = compile("void sinter_kernel(const void* a, long long b, long long e) {}\n");
  if (image.empty()) return;
  const auto cpu = runtime::make_cpu_device();
  const loaded_kernel kernel = cpu->load(&image, {}, {});
  using clock = std::chrono::steady_clock;
  const auto median = [&](const geometry& g, int runs, std::chrono::microseconds pause) {
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) {
      if (pause.count()) std::this_thread::sleep_for(pause);
      const auto begin = clock::now();
      cpu->launch(kernel, g, nullptr, 0, cpu->streams().default_stream());
      times.push_back(std::chrono::duration<double, std::micro>(clock::now() - begin).count());
    }
    std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
    return times[static_cast<std::size_t>(runs) / 2];
  };
  const std::chrono::microseconds none{0}, long_enough_to_sleep{5000};
  median(work(1 << 20, 1), 100, none);
  std::printf("cpu: an empty launch inline %.2f us; handed off to %d threads %.2f us, %.2f us after a pause of 5 ms\n",
              median(work(100, 1), 1000, none), cpu->multiprocessors(), median(work(1 << 20, 1), 1000, none),
              median(work(1 << 20, 1), 100, long_enough_to_sleep));
}
