// The CPU device: kernels are shared objects made by the system's C compiler, loaded from memory and run over ranges of
// work items, on the calling thread where the work is short and by oneTBB where it is not. The only file that sees TBB.
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <sinter/error.hpp>

#include "runtime/counters.hpp"
#include "runtime/device/host.hpp"
#include "runtime/device/interpreter.hpp"
#include "runtime/device/process.hpp"

namespace sinter::runtime {
namespace {

namespace tbb = oneapi::tbb;

using entry_point = void (*)(const void* arguments, long long begin, long long end);

// When threads pay. Measured with oneTBB 2021.8 on two cores of a cloud machine (test/runtime/device/device.cpp prints
// it for yours): while the workers still spin from the last launch, handing off and joining costs 1 to 2 us, and two
// threads beat one from 5 us of work on (10 us of work: 7.2 us, 20 us: 12 us). Once they sleep, waking them costs the
// caller 8 to 20 us, whether or not they then arrive in time to help. So a launch of less than 20 us could lose more
// than all of its time, and one of more can at worst double once, after a pause.
constexpr double worth_handing_off = 20'000;  // nanoseconds of work
constexpr double smallest_chunk = 5'000;      // nanoseconds of work: more threads than that feeds are not woken

// More chunks than threads, so that a thread that comes late or is descheduled holds up a quarter of its share and not
// all of it: with a static partition, four threads on two cores took 103 us for what chunks did in 53.
constexpr std::int64_t chunks_per_thread = 4;

// Chunks begin at multiples of this many items: no two threads write one cache line, and vector loops have no odd
// starts.
constexpr std::int64_t chunk_items = 64;

/// SINTER_NUM_THREADS is a limit: more threads than processors would only wait for each other.
int thread_count() {
  const int processors = tbb::info::default_concurrency();
  const char* text = std::getenv("SINTER_NUM_THREADS");
  if (!text || !*text) return processors;
  int count = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, failure] = std::from_chars(text, end, count);
  if (failure == std::errc{} && rest == end && count > 0) return count < processors ? count : processors;
  throw error(("SINTER_NUM_THREADS=" + std::string(text) + ": expected a number of threads, 1 or more").c_str());
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const std::size_t at = line.find(": "); at != std::string::npos) return line.substr(at + 2);
  return "CPU";
}

[[noreturn]] void cannot_load(const std::string& what, const char* why) {
  throw device_error(("cannot load a compiled kernel: " + what + ": " + why).c_str());
}

/// Images are linked without libraries; what they call comes from the process. libm is everywhere; libmvec where there
/// is none is left out, and an image that needs it says so when it is loaded.
void open_math_libraries() {
  static const bool once = [] {
    dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
    dlopen("libmvec.so.1", RTLD_NOW | RTLD_GLOBAL);
    return true;
  }();
  (void)once;
}

/// A file without a name under which a process could replace it, and which no process can write to any more.
class sealed_file {
 public:
  explicit sealed_file(const codegen::bytes& content) {
    constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    constexpr unsigned executable = 0x10;  // MFD_EXEC: since Linux 6.3, where a machine may refuse to do without it
    number_ = memfd_create("sinter_kernel", flags | executable);
    if (number_ < 0 && errno == EINVAL) number_ = memfd_create("sinter_kernel", flags);
    if (number_ < 0) cannot_load("memfd_create", std::strerror(errno));
    write_all(content);
    // Where a system knows no seals, the file still has no name.
    fcntl(number_, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
  }
  sealed_file(const sealed_file&) = delete;
  sealed_file& operator=(const sealed_file&) = delete;
  ~sealed_file() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }

 private:
  void write_all(const codegen::bytes& content) {
    for (std::size_t done = 0; done < content.size();) {
      const ssize_t n = write(number_, content.data() + done, content.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        const int why = errno;
        close(number_);
        cannot_load("writing it to memory", std::strerror(why));
      }
      done += static_cast<std::size_t>(n);
    }
  }

  int number_;
};

/// A path to an open file that no earlier image was loaded under. The loader takes equal paths for equal libraries, and
/// file numbers come back once closed; so the number of the load is spelt into the path, a bit each, as "//" or "/.",
/// which mean the same to the kernel.
std::string path_to(const sealed_file& file) {
  static std::atomic<std::uint64_t> loads{0};
  std::string path = "/proc/self";
  for (std::uint64_t n = loads.fetch_add(1, std::memory_order_relaxed); n; n /= 2) path += n % 2 ? "/." : "/";
  return path + "/fd/" + std::to_string(file.number());
}

loaded_kernel load_image(const codegen::bytes& image) {
  open_math_libraries();
  const sealed_file file(image);
  void* library = dlopen(path_to(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* why = dlerror();
    cannot_load("dlopen", why ? why : "unknown error");
  }
  void* entry = dlsym(library, "sinter_kernel");
  void* finish = dlsym(library, "sinter_finish");
  if (entry) return {entry, finish};  // the library stays open for the life of the process
  dlclose(library);
  throw internal_error("a compiled kernel has no function sinter_kernel");
}

/// loaded_kernel::finish of a kernel that the interpreter runs: an address at which there is no function.
char interpreted;

class cpu_device final : public host_device {
 public:
  cpu_device() : host_device(device::cpu(), 0), threads_(thread_count()), arena_(threads_) {}

  const codegen::compiler* compiler() const override {
    prepare();
    return given_up_.load(std::memory_order_relaxed) ? nullptr : compiler_.get();
  }
  codegen::dialect dialect() const override {
    prepare();
    return compiler_ ? codegen::dialect::c : codegen::dialect::none;
  }
  bool do_without_compiler(const char* why) override {
    if (given_up_.exchange(true)) return true;
    std::fprintf(stderr, "%s\nsinter: it is not asked again; kernels are interpreted from now on, which is slow\n",
                 why);
    return true;
  }

  loaded_kernel load(const codegen::bytes* image, const codegen::kernel& source,
                     const codegen::variant& layout) override {
    if (image) return load_image(*image);
    if (compiler()) throw internal_error("the CPU device was asked to load a kernel without its image");
    return {programs_.load(source, layout, id), &interpreted};
  }

  int multiprocessors() const override { return threads_; }
  std::string description() const override {
    return name() + " (" + std::to_string(threads_) + (threads_ == 1 ? " thread)" : " threads)");
  }

 protected:
  void run(const loaded_kernel& kernel, const geometry& how, const void* arguments, std::size_t) override {
    if (kernel.finish == &interpreted) [[unlikely]]
      return programs_.run(kernel.entry, how, arguments);
    run_phase(reinterpret_cast<entry_point>(kernel.entry), arguments, how.items, how.work_per_item);
    if (kernel.finish && how.finish_items > 0)
      run_phase(reinterpret_cast<entry_point>(kernel.finish), arguments, how.finish_items, how.work_per_item);
  }
  std::string name() const override { return processor_name(); }

 private:
  void run_phase(entry_point entry, const void* arguments, std::int64_t items, double work_per_item) {
    const double work = static_cast<double>(items) * work_per_item;
    if (work < worth_handing_off || threads_ == 1 || items < 2 || forked()) {
      if (items > 0) entry(arguments, 0, items);
      return;
    }
    hand_off(entry, arguments, items, work);
  }

  void hand_off(entry_point entry, const void* arguments, std::int64_t items, double work) {
    const double fed = work / smallest_chunk;
    std::int64_t chunks = chunks_per_thread * threads_;
    if (fed < static_cast<double>(chunks)) chunks = static_cast<std::int64_t>(fed);
    if (items < chunks) chunks = items;
    std::int64_t length = (items + chunks - 1) / chunks;
    // A few long items, such as the rows of a reduction, are worth a thread each; then lines are shared at the seams
    // only.
    if (length >= chunk_items) length = (length + chunk_items - 1) / chunk_items * chunk_items;
    chunks = (items + length - 1) / length;
    arena_.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<std::int64_t>(0, chunks, 1),
          [=](const tbb::blocked_range<std::int64_t>& mine) {
            const std::int64_t end = mine.end() * length;
            entry(arguments, mine.begin() * length, end < items ? end : items);
          },
          tbb::simple_partitioner{});
    });
  }

  /// Finds the compiler, or makes the interpreter, at first need. The dialect is asked for in every evaluation: one
  /// load then.
  void prepare() const {
    if (prepared_.load(std::memory_order_acquire)) return;
    std::lock_guard hold(preparing_);
    if (prepared_.load(std::memory_order_relaxed)) return;
    compiler_ = codegen::make_cpu_compiler(codegen::math_mode_from_environment());
    if (!compiler_) {
      std::fprintf(stderr, "sinter: %s; kernels are interpreted, which is slow\n",
                   codegen::why_no_cpu_compiler().c_str());
    }
    prepared_.store(true, std::memory_order_release);
  }

  const int threads_;
  tbb::task_arena arena_;
  mutable std::mutex preparing_;
  mutable std::atomic<bool> prepared_{false};
  mutable std::unique_ptr<codegen::compiler> compiler_;
  std::atomic<bool> given_up_{false};  // the compiler hangs
  interpreted_kernels programs_;       // where there is no compiler
};

}  // namespace

int host_threads() {
  static const int count = thread_count();
  return count;
}

void run_on_threads(std::int64_t parts, void (*part)(void*, std::int64_t), void* with) {
  static auto& arena = *new tbb::task_arena(host_threads());
  if (parts == 1 || host_threads() == 1 || forked()) {
    for (std::int64_t i = 0; i < parts; ++i) part(with, i);
    return;
  }
  arena.execute([&] { tbb::parallel_for(std::int64_t{0}, parts, [&](std::int64_t i) { part(with, i); }); });
}

std::unique_ptr<device_impl> make_cpu_device() { return std::make_unique<cpu_device>(); }

}  // namespace sinter::runtime
