// The plans that transforms keep: how many, which go, and what a graph or a thread still needs.
#include <doctest/doctest.h>

#include <complex>
#include <sstream>
#include <thread>
#include <vector>

#include <sinter/fft.hpp>
#include <sinter/fft_plans.hpp>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using complexes = array<std::complex<double>>;

// Of a transform of so many points, made and looked at: its first number is the sum of what was transformed.
bool is_right(std::int64_t points) {
  const complexes numbers = astype<std::complex<double>>(arange<double>(points)), z = fft::fft(numbers);
  return std::abs(complexes(z(0)).item() - static_cast<double>(points * (points - 1)) / 2) < 1e-9;
}
bool has_plans() { return device::current() != device::interpreter(); }

struct usual_plans {
  fft::plan_cache plans = fft::config::get_plan_cache();
  usual_plans() { plans.clear(); }
  ~usual_plans() { plans.set_size(64); }
};

}  // namespace

TEST_CASE("fft plans: those used last are kept") {
  usual_plans of;
  if (!has_plans()) {
    CHECK(is_right(24));
    CHECK(of.plans.get_curr_size() == 0);
    return;
  }
  CHECK(of.plans.get_size() == 64);
  of.plans.set_size(2);
  for (std::int64_t n : {24, 25, 24, 26, 24}) CHECK(is_right(n));
  CHECK(of.plans.get_curr_size() == 2);
  CHECK(of.plans.get_hits() == 2);
  CHECK(of.plans.get_misses() == 3);
  CHECK(is_right(25));  // it had to go
  CHECK(of.plans.get_misses() == 4);
  std::ostringstream text;
  text << of.plans;
  CHECK(text.str() == "plans of Fourier transforms: 2 of 2; 2 found, 4 made");
  of.plans.clear();
  CHECK(of.plans.get_curr_size() == 0);
  CHECK(of.plans.get_hits() == 0);
  CHECK(of.plans.get_size() == 2);
  of.plans.set_size(0);
  CHECK(is_right(24));
  CHECK(of.plans.get_curr_size() == 0);
  of.plans.set_size(-1);
  for (std::int64_t n = 8; n < 88; ++n) REQUIRE(is_right(n));
  CHECK(of.plans.get_curr_size() == 80);
  fft::config::set_plan_cache_size(5);
  CHECK(of.plans.get_curr_size() == 5);
}

TEST_CASE("fft plans: a graph keeps its own") {
  usual_plans of;
  array<double> x = arange<double>(40);
  complexes z = zeros<std::complex<double>>({40});
  const graph g = capture([&] { z(ellipsis) = fft::fft(x); });
  of.plans.set_size(0);
  for (std::int64_t n : {12, 13, 14}) CHECK(is_right(n));
  synchronize();
  CHECK(is_right(15));
  x += 1;
  g.launch();
  CHECK(std::abs(complexes(z(0)).item() - 820.0) < 1e-9);
}

TEST_CASE("fft plans: threads whose plans have to go") {
  usual_plans of;
  of.plans.set_size(1);
  std::vector<std::thread> threads;
  std::vector<int> right(4, 0);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) right[static_cast<std::size_t>(t)] += is_right(16 + (t + i) % 3);
    });
  for (std::thread& t : threads) t.join();
  for (int r : right) CHECK(r == 20);
}

TEST_CASE("fft plans: lengths that are fast") {
  CHECK(fft::next_fast_len(1) == 1);
  CHECK(fft::next_fast_len(13) == 14);
  CHECK(fft::next_fast_len(13, true) == 15);
  CHECK(fft::next_fast_len(97) == 98);
  CHECK(fft::next_fast_len(97, true) == 100);
  CHECK(fft::next_fast_len(1021) == 1024);
  // Each that is skipped has another prime.
  const auto is_fast = [](std::int64_t n, bool real) {
    for (const std::int64_t p : {2, 3, 5, real ? 5 : 7, real ? 5 : 11})
      while (n % p == 0) n /= p;
    return n == 1;
  };
  for (std::int64_t n = 1; n < 3'000; n += 1 + n / 50)
    for (const bool real : {false, true}) {
      std::int64_t first = n;
      while (!is_fast(first, real)) ++first;
      CHECK(fft::next_fast_len(n, real) == first);
    }
  CHECK(fft::next_fast_len(4'001'000, true) == 4'050'000);
  CHECK_THROWS_AS(static_cast<void>(fft::next_fast_len(0)), shape_error);
}
