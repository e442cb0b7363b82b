// Devices without a GPU: CPU images loaded and run over ranges, on one thread and on many; which device a word means;
// scopes; what is said where there is no GPU. What is asked of a driver is in driver.cpp.
#include "runtime/device/device.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

#include <sinter/error.hpp>

#include "runtime/counters.hpp"
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
