// Sobol points: SciPy's, evenly spread also where they are scrambled, fused with what uses them.
#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include <sinter/quasi.hpp>

#include "test/include/looking.hpp"

using namespace sinter;
using namespace sinter::test;

TEST_CASE("sobol: SciPy's points") {
  std::ifstream file(SINTER_SOURCE_DIR "/test/numpy/golden/sobol.txt");
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    std::istringstream words(line);
    std::int64_t d, skipped, n;
    words >> d >> skipped >> n;
    qmc::sobol points(d);
    const array<double> x = points.fast_forward(skipped).random(n);
    CAPTURE(d);
    CHECK(x.shape() == shape{n, d});
    CHECK(points.num_generated() == skipped + n);
    for (const double value : x.get()) {
      std::int64_t wanted;
      words >> wanted;
      REQUIRE(value == static_cast<double>(wanted) * 0x1p-30);
    }
  }
  CHECK(lines == 7);
}

TEST_CASE("sobol: one after the other, and again") {
  qmc::sobol points(4);
  const array<double> first = points.random(3), next = points.random_base2(2);
  const array<double> all = points.reset().random(7);
  CHECK(array<double>(concatenate(tuple(first, next))).get() == all.get());
  CHECK(array<double>(points.random(0)).shape() == shape{0, 4});
  CHECK_THROWS_AS(static_cast<void>(qmc::sobol(0)), error);
  CHECK_THROWS_AS(static_cast<void>(qmc::sobol(257)), error);
  CHECK_THROWS_AS(static_cast<void>(points.random(std::int64_t{1} << 30)), error);
  CHECK_THROWS_AS(static_cast<void>(points.random(-1)), error);
  CHECK(points.num_generated() == 7);
}

TEST_CASE("sobol: scrambled points are in every part of the cube once") {
  random::generator rng(5), other(6);
  qmc::sobol points(6, rng), elsewhere(6, other);
  const array<double> x = points.random_base2(8);
  CHECK(x.get() != array<double>(elsewhere.random_base2(8)).get());
  for (std::int64_t j = 0; j < 6; ++j) {
    const std::vector<std::int64_t> parts = array<std::int64_t>(astype<std::int64_t>(x(_, j) * 256)).get();
    CHECK(std::set<std::int64_t>(parts.begin(), parts.end()).size() == 256);
  }
  // The integral of a product of cosines is 1, to more digits than from random points.
  const auto f = prod(1 + 0.5 * cos(6.283185307179586 * points.reset().random_base2(12)), -1);
  CHECK(std::abs(mean(f).item() - 1) < 1e-3);
  CHECK(launches_of([&] { array<double> of = mean(prod(points.reset().random(1000), -1)); }) <= 2);
}
