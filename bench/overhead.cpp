// What an evaluation costs the host beyond the launch it ends in. The launch it is compared with is the very one Sinter
// makes, the same kernel with the same grid and arguments, caught by a device that records and repeated through the
// driver alone; on the CPU, where a launch is the work itself, the kernel's function is called.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bench/forms.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/driver.hpp"
#include "runtime/frontend/nodes.hpp"
#include "samples/equation_of_state.hpp"

namespace {

namespace sn = sinter;
using sn::array;
using namespace sn::runtime;

/// A device that passes everything on and remembers what was launched.
class recorder final : public device_impl {
 public:
  explicit recorder(device_impl& real) : real_(real) { id = real.id, alignment_of_blocks = real.alignment_of_blocks; }
  struct launched {
    loaded_kernel kernel;
    geometry how;
    std::vector<std::byte> arguments;
  };
  std::vector<launched> launches;

  std::byte* allocate(std::size_t size) override { return real_.allocate(size); }
  void deallocate(std::byte* block, std::size_t size) noexcept override { real_.deallocate(block, size); }
  void copy_in(std::byte* to, const void* from, std::size_t size) override { real_.copy_in(to, from, size); }
  void copy_out(void* to, const std::byte* from, std::size_t size) override { real_.copy_out(to, from, size); }
  void copy(std::byte* to, const std::byte* from, std::size_t size) override { real_.copy(to, from, size); }
  void zero(std::byte* block, std::size_t size) override { real_.zero(block, size); }
  void synchronize() override { real_.synchronize(); }
  const sn::codegen::compiler* compiler() const override { return real_.compiler(); }
  sn::codegen::dialect dialect() const override { return real_.dialect(); }
  loaded_kernel load(const sn::codegen::bytes* image, const sn::codegen::kernel& source,
                     const sn::codegen::variant& of) override {
    return real_.load(image, source, of);
  }
  void launch(const loaded_kernel& kernel, const geometry& how, const void* arguments, std::size_t size) override {
    const auto* bytes = static_cast<const std::byte*>(arguments);
    launches.push_back({kernel, how, {bytes, bytes + size}});
    real_.launch(kernel, how, arguments, size);
  }
  int multiprocessors() const override { return real_.multiprocessors(); }
  std::string description() const override { return real_.description(); }

 private:
  device_impl& real_;
};

/// A launch with nothing of Sinter in it.
class raw_launch {
 public:
  explicit raw_launch(recorder::launched l) : l_(std::move(l)), size_(l_.arguments.size()) {
    if (current_device().dialect() != sn::codegen::dialect::cuda) return;
    cuda_ = find_driver(nullptr);
    current_device().synchronize();  // makes the context current
    if (cuda_->cuStreamCreate(&stream_, cu_stream_non_blocking) != cu_success) throw std::runtime_error("no stream");
  }
  void operator()() {
    if (!cuda_) {
      reinterpret_cast<void (*)(const void*, long long, long long)>(l_.kernel.entry)(l_.arguments.data(), 0,
                                                                                     l_.how.items);
      return;
    }
    void* extra[] = {cu_launch_buffer, l_.arguments.data(), cu_launch_buffer_size, &size_, cu_launch_end};
    cuda_->cuLaunchKernel(static_cast<cu_function>(l_.kernel.entry), l_.how.grid[0], l_.how.grid[1], l_.how.grid[2],
                          l_.how.block[0], l_.how.block[1], l_.how.block[2], 0, stream_, nullptr, extra);
  }
  const recorder::launched& recorded() const { return l_; }

 private:
  recorder::launched l_;
  std::size_t size_;
  const driver* cuda_ = nullptr;
  cu_stream stream_ = nullptr;
};

template <class T>
array<T> recorded_array(recorder& on, const array<T>& like) {
  array<T> a(new_array(sn::dtype_of<T>, like.shape(), on));
  const std::vector<T> elements = like.get();
  a.set(elements);
  return a;
}

void print(const bench::row& r, double building) {
  static bool first = true;
  if (std::exchange(first, false))
    std::printf("%-34s %11s %11s %11s %11s %23s %6s\n", "nanoseconds of the host", "n", "evaluation", "raw launch",
                "overhead", "building the expression", "noise");
  std::printf("%-34s %11lld %11.0f %11.0f %11.0f %23.0f %5.0f%%\n", r.name.c_str(), static_cast<long long>(r.n),
              1e3 * r.fused.us, 1e3 * r.floor.us, 1e3 * (r.fused.us - r.floor.us), 1e3 * building,
              100 * r.fused.spread);
  std::fflush(stdout);
}

/// Evaluates f(inputs...) into a new array again and again. Building the expression and dropping the result are part of
/// it.
template <class T, class F>
void measure(bench::session& s, const char* name, F f, const std::vector<array<T>>& inputs) {
  if (!s.wants(name)) return;
  static recorder& spy = *new recorder(current_device());  // arrays of this device may outlive main
  spy.launches.clear();
  std::vector<array<T>> copies;
  for (const array<T>& a : inputs) copies.push_back(recorded_array(spy, a));
  spy.launches.clear();
  const array<T> kept = f(copies);  // its memory is what the recorded launches write to
  const array<T> expected = f(inputs);
  const std::int64_t n = expected.size();
  if (spy.launches.size() != 1) return s.wrong(name, n, std::to_string(spy.launches.size()) + " launches, not one");
  if (kept.get() != expected.get()) return s.wrong(name, n, "the recorded evaluation gave something else");
  raw_launch raw(spy.launches[0]);

  const auto evaluate = [&] { array<T> z = f(inputs); };
  const auto build = [&] { [[maybe_unused]] auto e = f(inputs); };
  const auto t = s.host_times({bench::repeat(evaluate), bench::repeat(raw), bench::repeat(build)}, n);
  bench::row r{name, n, t[0], {}, {t[1].us, "raw launch"}};
  print(r, t[2].us);
  s.keep(std::move(r));
}

void expressions(bench::session& s, std::int64_t n) {
  using many = std::vector<array<float>>;
  many in;
  for (unsigned i = 0; i < 4; ++i) in.push_back(sn::asarray(bench::numbers<float>(n, 0.5, 1.5, i)));
  measure(
      s, "host: 1 leaf: x + 1", [](const many& a) { return a[0] + 1; }, in);
  measure(
      s, "host: 2 leaves: sqrt(x*x + y*y)", [](const many& a) { return sqrt(a[0] * a[0] + a[1] * a[1]); }, in);
  measure(
      s, "host: 4 leaves: a*b + c*d", [](const many& a) { return a[0] * a[1] + a[2] * a[3]; }, in);
  measure(
      s, "host: 12 operators",
      [](const many& a) {
        return sqrt(exp(-a[0] * a[0]) + sin(a[1]) * sin(a[1])) * (a[0] + 2.0 * a[1] - 1.0) / (1.0 + a[0] * a[0]);
      },
      in);
}

/// On the CPU small enough to stay on one thread, as the raw call does.
void equation_of_state(bench::session& s) {
  const std::int64_t across = s.on_cpu() ? 8 : 32, n = across * across * 4;
  std::vector<array<double>> in{sn::asarray(bench::numbers<double>(n, 0.01, 10, 1), {across, across, std::int64_t{4}}),
                                sn::asarray(bench::numbers<double>(n, -12, 20, 2), {across, across, std::int64_t{4}}),
                                sn::asarray(bench::numbers<double>(4, 0, 1000, 3), {1, 1, 4})};
  measure(
      s, "host: equation_of_state, 82 names",
      [](const std::vector<array<double>>& a) { return dynamic_enthalpy_derivative(a[0], a[1], a[2]); }, in);
}

/// A block from the pool and back; beside it malloc and free, or the driver's own pool where there is one to ask.
void allocation(bench::session& s) {
  if (!s.wants("empty(1 MB)")) return;
  const auto ours = [] { array<float> a = sn::empty<float>({250'000}); };
  const auto theirs = [] {
    void* volatile block = std::malloc(1'000'000);
    std::free(block);
  };
  const auto t = s.host_times({bench::repeat(ours), bench::repeat(theirs)}, 1);
  bench::row r{"empty(1 MB) and free", 250'000, t[0], {}, {t[1].us, "malloc"}};
  print(r, 0);
  s.keep(std::move(r));
}

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv, "The host's time of one evaluation");
  expressions(s, 1'000);
  equation_of_state(s);
  allocation(s);
  return s.finish();
}
