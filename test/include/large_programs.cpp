// Programs that are too large for one kernel, by any of their measures: they are evaluated in parts, on a thread's small
// stack as on the program's, and looked into in the same way. Nothing is refused for its size.
#include <doctest/doctest.h>

#include <pthread.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using doubles = std::vector<double>;

/// Runs `work` in a thread whose stack is as small as some programs make it. Units: bytes.
void on_a_small_stack(std::function<void()> work) {
  constexpr std::size_t small = 256 * 1024;
  struct task {
    std::function<void()> work;
    device on = device::current();
  } one{std::move(work)};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  REQUIRE(pthread_attr_setstacksize(&attributes, small) == 0);
  pthread_t thread;
  const auto run = [](void* of) -> void* {
    auto& t = *static_cast<task*>(of);
    const device_scope here(t.on);
    t.work();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, run, &one) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

/// x * 1 + a, again and again.
lazy<double> chain(const array<double>& a, int depth) {
  lazy<double> x = a + 0;
  for (int i = 0; i < depth; ++i) x = x * 1 + a;
  return x;
}

std::int64_t kernels_of(const lazy<double>& e) {
  const counters_snapshot before = counters();
  array<double> value = e;
  return counters().launches - before.launches;
}

}  // namespace

TEST_CASE("large programs: a chain of any depth is evaluated, on a small stack too") {
  const array<double> a{1, 2};
  for (int depth : {10, 1000, 20'000}) {
    CAPTURE(depth);
    const doubles expected{depth + 1.0, 2 * (depth + 1.0)};
    CHECK(chain(a, depth).get() == expected);
    doubles in_a_thread;
    on_a_small_stack([&] { in_a_thread = chain(a, depth).get(); });
    CHECK(in_a_thread == expected);
  }
  // Parts of one kind are one kernel, compiled once.
  CHECK(kernels_of(chain(a, 500)) == 1);
  CHECK(kernels_of(chain(a, 20'000)) < 100);
  const std::int64_t compiled = counters().compiles;
  CHECK(chain(a, 20'001).get() == doubles{20'002, 40'004});
  CHECK(counters().compiles - compiled <= 2);
}

TEST_CASE("large programs: reductions nested in one another") {
  const array<double> a{1, 2};
  lazy<double> x = a + 0;
  double expected = 2;
  for (int i = 0; i < 600; ++i) x = (max(x, {.keepdims = true}) + a) * 0.5, expected = (expected + 2) * 0.5;
  CHECK(x(1).item() == doctest::Approx(expected));
  on_a_small_stack([&] { CHECK(x(1).item() == doctest::Approx(expected)); });
}

TEST_CASE("large programs: what views multiply is computed once a part") {
  // Written out, step i has i + 1 elements under each of the last one's: 45,000 sums.
  const int steps = 300;
  const array<double> start = ones({steps + 5});
  lazy<double> e = start * 1;
  for (int i = 0; i < steps; ++i) e = (e(slice(1, _)) + e(slice(_, -1))) * 0.5;
  CHECK(e.get() == doubles(5, 1));
  CHECK(kernels_of(e) < 40);
}

TEST_CASE("large programs: more operands than a kernel can have arguments") {
  const int count = 2500;
  std::vector<array<double>> all;
  lazy<double> total = zeros({2, 3}) * 1;
  for (int i = 0; i < count; ++i) {
    all.push_back(full<double>({3, 2}, i));
    total = total + all.back().T();
  }
  CHECK(total.get() == doubles(6, count * (count - 1) / 2));
}

TEST_CASE("large programs: more domains than a program can name") {
  lazy<double> total = zeros({1}) * 1;
  double expected = 0;
  for (int i = 1; i <= 400; ++i) total = total + sum(arange<double>(i) * 2), expected += i * (i - 1);
  CHECK(total.item() == expected);
}

TEST_CASE("large programs: more reductions over one domain than a kernel has accumulators") {
  const array<double> x = arange<double>(12).reshape({4, 3});
  lazy<double> total = zeros({3}) * 1;
  for (int i = 0; i < 40; ++i) total = total + sum(x * i, 0);
  CHECK(total.get() == doubles{18 * 780, 22 * 780, 26 * 780});
}

TEST_CASE("large programs: several results, of which some are under others") {
  const array<double> a{1, 2};
  const lazy<double> low = chain(a, 3000), high = low * 2 + chain(a, 5);
  const auto [x, y, z] = eval(high, low, sum(high));
  CHECK(x.get() == doubles{6008, 12016});
  CHECK(y.get() == doubles{3001, 6002});
  CHECK(z.item() == 18024);
}

TEST_CASE("large programs: a store takes them as it takes others") {
  const array<double> a{1, 2};
  array<double> to = zeros({2, 2});
  to(_, 1) = chain(a, 5000);
  CHECK(to.get() == doubles{0, 5001, 0, 10002});
}

TEST_CASE("large programs: they are looked into as they are run, at any depth") {
  const array<double> a{1, 2};
  const lazy<double> deep = chain(a, 50'000), e = chain(a, 3000);
  on_a_small_stack([&] { CHECK(std::string(to_dot(deep).c_str()).find("digraph") == 0); });
  on_a_small_stack([&] { CHECK(std::string(explain(deep).c_str()).find("kernels: ") != std::string::npos); });
  const std::string text = explain(e).c_str();
  CHECK(text.find("kernels: " + std::to_string(kernels_of(e)) + "\n") != std::string::npos);
  CHECK(times_in(dump(e).c_str(), ": IR ====") == kernels_of(e));
}

TEST_CASE("large programs: random ones, whose parts need parts of their own") {
  // Reversed and single elements multiply what is under them, and four names stay alive side by side.
  const int n = 40;
  const unsigned last = device::current().type() == device::kind::interpreter ? 40 : 3;  // compilers take their time
  for (unsigned seed = 1; seed <= last; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto pick = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
    doubles start(n);
    for (double& v : start) v = static_cast<double>(pick(7)) - 3;
    const array<double> x = asarray(start);
    std::vector<lazy<double>> live;
    std::vector<doubles> plain;
    for (int i = 0; i < 4; ++i) {
      live.emplace_back(x + i);
      plain.push_back(start);
      for (double& v : plain.back()) v += i;
    }
    for (std::size_t steps = 150 + pick(400); steps > 0; --steps) {
      const std::size_t a = pick(4), b = pick(4), to = pick(4), at = pick(n);
      const std::size_t kind = pick(3);
      doubles made(n);
      for (std::size_t i = 0; i < n; ++i)
        made[i] = kind == 0   ? 0.5 * (plain[a][n - 1 - i] + plain[b][i])
                  : kind == 1 ? 0.5 * (plain[a][i] - plain[b][i])
                              : 0.5 * (plain[a][i] + plain[b][at]);
      live[to] = kind == 0   ? lazy<double>(0.5 * (live[a](slice(_, _, -1)) + live[b]))
                 : kind == 1 ? lazy<double>(0.5 * (live[a] - live[b]))
                             : lazy<double>(0.5 * (live[a] + live[b](slice(at, at + 1))));
      plain[to] = made;
    }
    const doubles got = array<double>(live[0] + live[1] + live[2] + live[3]).get();
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i)
      worst = std::max(worst, std::abs(got[i] - (plain[0][i] + plain[1][i] + plain[2][i] + plain[3][i])));
    CHECK(worst < 1e-9);
  }
}
