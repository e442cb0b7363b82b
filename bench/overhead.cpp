// What an evaluation costs the host beyond the launch it ends in. The launch it is compared with is the very one Sinter
// makes, the same kernel with the same grid and arguments, noted and repeated through the driver alone; on the CPU, where
// a launch is the work itself, the kernel's function is called.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "bench/forms.hpp"
#include "bench/recorder.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/driver.hpp"
#include "samples/equation_of_state.hpp"

namespace {

namespace sn = sinter;
using sn::array;
using namespace sn::runtime;

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
  array<T> kept = f(inputs);  // its memory is what the recorded launches write to
  std::vector<bench::launched> launches = bench::recorder::launches_of([&] { kept(sn::ellipsis) = f(inputs); });
  const std::int64_t n = kept.size();
  if (launches.size() != 1) return s.wrong(name, n, std::to_string(launches.size()) + " launches, not one");
  const driver* const cuda = bench::driver_of_current();
  const auto raw = [&, &launch = launches[0]] { launch.again(cuda); };
  const std::vector<T> expected = kept.get();
  kept(sn::ellipsis) = sn::zeros<T>(kept.shape());
  raw();
  if (kept.get() != expected) return s.wrong(name, n, "the recorded launch gave something else");

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

/// A statement as an ocean model has them: ten shifted views of 3-D arrays, stored into the inside of another. `which` makes
/// statements of different types.
template <int which>
void inside(array<double>& to, const std::vector<array<double>>& a) {
  using sn::_, sn::slice;
  const auto left = slice(_, -2), middle = slice(1, -1), right = slice(2, _);
  const auto at = [&](int i) -> const array<double>& { return a[static_cast<std::size_t>((i + which) % 7)]; };
  auto advected = at(0)(right, middle, middle) * at(1)(middle, middle, middle) -
                  at(0)(left, middle, middle) * at(1)(left, middle, middle) +
                  at(2)(middle, right, middle) * at(3)(middle, middle, middle) -
                  at(2)(middle, left, middle) * at(3)(middle, left, middle);
  const auto mixed = at(4)(middle, middle, right) - at(5)(middle, middle, left);
  if constexpr (which % 2 == 0) to(middle, middle, middle) = std::move(advected) * (0.5 + which) + mixed;
  else to(middle, middle, middle) = mixed - std::move(advected) / (1.5 + which);
}

/// Fifty of them against the fifty launches they become.
void ocean_model(bench::session& s) {
  const char* const name = "host: 50 statements of 10 views";
  if (!s.wants(name)) return;
  const std::int64_t across = 24, deep = 8, n = across * across * deep;
  std::vector<array<double>> in, out;
  for (unsigned i = 0; i < 7; ++i)
    in.push_back(sn::asarray(bench::numbers<double>(n, 0.5, 1.5, i), {across, across, deep}));
  for (unsigned i = 0; i < 5; ++i) out.push_back(sn::zeros<double>({across, across, deep}));
  const auto step = [&] {
    [&]<std::size_t... which>(std::index_sequence<which...>) {
      (inside<static_cast<int>(which)>(out[which % 5], in), ...);
    }
    (std::make_index_sequence<50>());
  };
  step();  // compiles
  std::vector<bench::launched> launches = bench::recorder::launches_of(step);
  if (launches.size() != 50) return s.wrong(name, n, std::to_string(launches.size()) + " launches, not 50");
  const driver* const cuda = bench::driver_of_current();
  const auto raw = [&] {
    for (bench::launched& l : launches) l.again(cuda);
  };
  const auto t = s.host_times({bench::repeat(step), bench::repeat(raw)}, n);
  bench::row r{name, n, t[0], {}, {t[1].us, "raw launches"}};
  print(r, 0);
  s.keep(std::move(r));
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
  ocean_model(s);
  allocation(s);
  return s.finish();
}
