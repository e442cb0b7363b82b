// The floors of a GPU come from the driver's own calls (runtime/device/driver.hpp), those of a CPU from memcpy, and
// from memcmp where nothing is written, on one thread and on all of them, whichever is faster.
#include "bench/floors.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <oneapi/tbb/parallel_for.h>

#include "codegen/compile/compiler.hpp"
#include "codegen/ir/philox.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/driver.hpp"

namespace bench {

namespace {

using namespace sinter::runtime;
using clock = std::chrono::steady_clock;

double microseconds(clock::time_point from) {
  return std::chrono::duration<double, std::micro>(clock::now() - from).count();
}

void check(const driver& d, cu_result result) {
  if (result != cu_success) throw std::runtime_error("bench: a driver call failed: " + describe(d, result));
}

// The best of rounds, each so many calls and one `finish`: a floor that a busy machine has raised is none.
template <class F, class G>
double best_us(int rounds, int calls, F call, G finish) {
  call();
  finish();
  double best = 1e300;
  for (int r = 0; r < rounds; ++r) {
    const auto start = clock::now();
    for (int i = 0; i < calls; ++i) call();
    finish();
    best = std::min(best, microseconds(start) / calls);
  }
  return best;
}

// A stream, as a raw program would make one, in the context that Sinter shares with it.
class raw_stream {
 public:
  explicit raw_stream(const driver& d) : d_(d) {
    check(d, d.cuStreamCreateWithPriority(&s_, cu_stream_non_blocking, 0));
  }
  ~raw_stream() { d_.cuStreamDestroy_v2(s_); }
  raw_stream(const raw_stream&) = delete;
  raw_stream& operator=(const raw_stream&) = delete;
  cu_stream get() const { return s_; }
  void wait() const { check(d_, d_.cuStreamSynchronize(s_)); }

 private:
  const driver& d_;
  cu_stream s_ = nullptr;
};

double empty_launch_us(const driver& d, const device_impl& on, bool quick) {
  const auto image = on.compiler()->compile("extern \"C\" __global__ void empty() {}\n");
  cu_module module = nullptr;
  cu_function empty = nullptr;
  check(d, d.cuModuleLoadDataEx(&module, image.data(), 0, nullptr, nullptr));
  check(d, d.cuModuleGetFunction(&empty, module, "empty"));
  const raw_stream s(d);
  const double us = best_us(
      quick ? 3 : 15, 5000,
      [&] { check(d, d.cuLaunchKernel(empty, 40, 1, 1, 256, 1, 1, 0, s.get(), nullptr, nullptr)); }, [&] { s.wait(); });
  d.cuModuleUnload(module);
  return us;
}

// The largest buffers that fit without crowding other programs out, up to a gibibyte: well beyond any cache.
double device_copy_bandwidth(const driver& d, bool quick) {
  std::size_t free = 0, total = 0;
  check(d, d.cuMemGetInfo_v2(&free, &total));
  const std::size_t size = std::min(free / 4, std::size_t{1} << 30);
  cu_address from = 0, to = 0;
  check(d, d.cuMemAlloc_v2(&from, size));
  check(d, d.cuMemAlloc_v2(&to, size));
  const raw_stream s(d);
  check(d, d.cuMemsetD8Async(from, 1, size, s.get()));
  const double us = best_us(
      quick ? 3 : 15, 10, [&] { check(d, d.cuMemcpyDtoDAsync_v2(to, from, size, s.get())); }, [&] { s.wait(); });
  d.cuMemFree_v2(from);
  d.cuMemFree_v2(to);
  return 2.0 * static_cast<double>(size) / us / 1e3;
}

// Every thread makes so many blocks of four words.
constexpr const char* words_kernel = R"(
extern "C" __global__ void __launch_bounds__(256) words(unsigned* out, const unsigned seed, const int blocks) {
  unsigned total = 0;
  for (int b = 0; b < blocks; ++b) {
    unsigned c0 = (blockIdx.x * 256 + threadIdx.x) * blocks + b, c1 = 0, c2 = 0, c3 = 0, k0 = seed, k1 = 0;
#pragma unroll
    for (int round = 0; round < 10; ++round) {
      const unsigned long long p = (unsigned long long)c0 * 0xD2511F53u, q = (unsigned long long)c2 * 0xCD9E8D57u;
      c0 = (unsigned)(q >> 32) ^ c1 ^ k0;
      c1 = (unsigned)q;
      c2 = (unsigned)(p >> 32) ^ c3 ^ k1;
      c3 = (unsigned)p;
      asm("" : "+r"(c0));
      asm("" : "+r"(c2));
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    total += c0 + c1 + c2 + c3;
  }
  if (total == 1) *out = total;
}
)";

double device_words_per_us(const driver& d, const device_impl& on, bool quick) {
  const auto image = on.compiler()->compile(words_kernel);
  cu_module module = nullptr;
  cu_function words = nullptr;
  check(d, d.cuModuleLoadDataEx(&module, image.data(), 0, nullptr, nullptr));
  check(d, d.cuModuleGetFunction(&words, module, "words"));
  cu_address out = 0;
  check(d, d.cuMemAlloc_v2(&out, 4));
  const raw_stream s(d);
  unsigned seed = 42;
  int blocks = quick ? 8 : 128;
  void* arguments[] = {&out, &seed, &blocks};
  const unsigned grid = static_cast<unsigned>(on.multiprocessors()) * 32;
  const double us = best_us(
      quick ? 3 : 15, 10,
      [&] { check(d, d.cuLaunchKernel(words, grid, 1, 1, 256, 1, 1, 0, s.get(), arguments, nullptr)); },
      [&] { s.wait(); });
  d.cuMemFree_v2(out);
  d.cuModuleUnload(module);
  return 4.0 * grid * 256 * blocks / us;
}

double host_words_per_us(bool quick) {
  const std::uint64_t blocks = quick ? 10'000 : 1'000'000, parts = 64;
  std::atomic<std::uint32_t> total = 0;
  const double us = best_us(
      quick ? 3 : 9, 1,
      [&] {
        oneapi::tbb::parallel_for(std::uint64_t{0}, parts, [&](std::uint64_t part) {
          std::uint32_t sum = 0;
          for (std::uint64_t b = blocks * part / parts; b < blocks * (part + 1) / parts; ++b) {
            const auto w = sinter::codegen::scalar::philox(b, 0, 42);
            sum += w[0] + w[1] + w[2] + w[3];
          }
          total += sum;
        });
      },
      [] {});
  return 4.0 * static_cast<double>(blocks) / us;
}

}  // namespace

void floors::measure(bool quick) {
  device_impl& on = current_device();
  quick_ = quick;
  cuda_ = on.id.type() == sinter::device::kind::cuda;
  if (!cuda_) {
    void (*volatile nothing)() = [] {};
    launch_us_ = best_us(
        9, 10'000, [&] { nothing(); }, [] {});
    const double bytes = quick ? 1e7 : 4e8;
    bandwidth_ = bytes / host_copy_us(bytes / 2, bytes / 2) / 1e3;
    return;
  }
  on.synchronize();  // makes the context current on this thread
  const driver& d = *find_driver(nullptr);
  launch_us_ = empty_launch_us(d, on, quick);
  bandwidth_ = device_copy_bandwidth(d, quick);
}

// Moves as many bytes as the work does. Where less is written than read, the rest is read by comparing two equal
// halves.
double floors::host_copy_us(double read, double written) {
  const auto known = copies_.find({read, written});
  if (known != copies_.end()) return known->second;
  const auto copied = static_cast<std::size_t>(std::min(read, written));
  const auto compared = static_cast<std::size_t>(std::max(read - written, 0.0) / 2);
  const std::size_t size = std::max({copied, compared, std::size_t{1}});
  const std::unique_ptr<char[]> a(new char[size]), b(new char[size]);
  std::memset(a.get(), 1, size);  // memory never written to is one page of zeros, which would stay in the cache
  std::memset(b.get(), 1, size);
  int (*volatile compare)(const void*, const void*, std::size_t) = std::memcmp;  // so that it is not left out
  const auto part = [&](std::size_t i, std::size_t parts) {
    const auto at = [&](std::size_t whole, std::size_t k) { return whole * k / parts; };
    std::memcpy(b.get() + at(copied, i), a.get() + at(copied, i), at(copied, i + 1) - at(copied, i));
    compare(b.get() + at(compared, i), a.get() + at(compared, i), at(compared, i + 1) - at(compared, i));
  };
  const int rounds = quick_ ? 3 : 9;
  const int calls = static_cast<int>(std::clamp(2e7 / (read + written + 1), 1.0, 5000.0));
  double us = best_us(
      rounds, calls, [&] { part(0, 1); }, [] {});
  const auto threads = static_cast<std::size_t>(current_device().multiprocessors());
  if (threads > 1 && size >= 100'000)
    us = std::min(us, best_us(
                          rounds, calls,
                          [&] {
                            oneapi::tbb::parallel_for(std::size_t{0}, 4 * threads,
                                                      [&](std::size_t i) { part(i, 4 * threads); });
                          },
                          [] {}));
  return copies_[{read, written}] = us;
}

bound floors::of(double read, double written, int launches) {
  const double calls = launches * launch_us_;
  const double bytes = cuda_ ? (read + written) / bandwidth_ / 1e3 : host_copy_us(read, written) * launches;
  if (calls >= bytes) return {calls, cuda_ ? "launch" : "call", read + written};
  return {bytes, cuda_ ? "bytes" : written < read / 100 ? "reading" : "memcpy", read + written};
}

bound floors::of_words(double words) {
  if (words_per_us_ == 0)
    words_per_us_ =
        cuda_ ? device_words_per_us(*find_driver(nullptr), current_device(), quick_) : host_words_per_us(quick_);
  return {words / words_per_us_, "words"};
}

}  // namespace bench
