// Counts of numbers and of bins, against plain loops and NumPy's values; ranges, weights, densities and refusals.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <sinter/histogram.hpp>
#include <sinter/sinter.hpp>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using counts_of = std::vector<std::int64_t>;

/// The plain loop: which bins values lie in by their edges; the last has both.
counts_of by_hand(const std::vector<double>& values, const std::vector<double>& edges) {
  counts_of counts(edges.size() - 1);
  for (const double x : values)
    for (std::size_t b = 0; b + 1 < edges.size(); ++b) {
      const bool is_last = b + 2 == edges.size();
      if (x >= edges[b] && (x < edges[b + 1] || (is_last && x == edges[b + 1]))) ++counts[b];
    }
  return counts;
}

}  // namespace

TEST_CASE("histograms: bincount") {
  const array<int> x{3, 1, 1, 0, 5, 1};
  CHECK(bincount(x).get() == counts_of{1, 3, 0, 1, 0, 1});
  CHECK(bincount(x, 8).get() == counts_of{1, 3, 0, 1, 0, 1, 0, 0});
  CHECK(bincount(x(slice(_, _, 2)) + 1, 0).get() == counts_of{0, 0, 1, 0, 1, 0, 1});
  CHECK(bincount(x, array<float>{1, 2, 3, 4, 5, 0.5f}).get() == std::vector<double>{4, 5.5, 0, 1, 0, 5});
  CHECK(bincount(zeros<int>({0})).size() == 0);
  CHECK(bincount(zeros<std::uint8_t>({0}), 3).get() == counts_of{0, 0, 0});
  CHECK_THROWS_AS(bincount(array<int>{1, -1}), error);
  CHECK_THROWS_AS(bincount(array<int>{{1, 1}}), shape_error);
  CHECK_THROWS_AS(bincount(x, array<float>{1, 2}), shape_error);
  CHECK_THROWS_AS(bincount(x, -1), error);
}

TEST_CASE("histograms: equal bins, given edges, and what lies outside") {
  random::generator rng(3);
  const array<double> x = rng.normal({5000});
  for (const int bins : {1, 7, 64}) {
    const auto [counts, edges] = histogram(x, bins);
    CHECK(counts.get() == by_hand(x.get(), edges.get()));
    CHECK(sum(counts).item() == 5000);
    CHECK(edges(0).item() == min(x).item());
    CHECK(edges(-1).item() == max(x).item());
    CHECK(all(edges == histogram_bin_edges(x, bins)).item());
  }
  const auto [some, from_range] = histogram(x, 9, {.range = {-1, 0.5}});
  CHECK(some.get() == by_hand(x.get(), from_range.get()));
  const array<double> uneven{-2, -0.5, 0, 0, 3};
  const auto [given, same] = histogram(x.reshape({50, 100}), uneven);
  CHECK(given.get() == by_hand(x.get(), uneven.get()));
  CHECK(same.get() == uneven.get());
  // Whole numbers on edges, and NaN, which counts nowhere.
  const array<float> y{1, 2, 1, std::numeric_limits<float>::quiet_NaN(), 3, 9};
  CHECK(histogram(y, array<int>{0, 1, 2, 3}).first.get() == counts_of{0, 2, 2});
  CHECK(histogram(array<int>{4, 4}, 2).second.get() == std::vector<double>{3.5, 4, 4.5});
  CHECK(histogram(zeros({0}), 2).second.get() == std::vector<double>{0, 0.5, 1});
}

TEST_CASE("histograms: weights, densities and dtypes") {
  const array<double> x{0, 0.25, 0.5, 1, 3, 4}, w{1, 2, 3, 4, 5, 6};
  CHECK(histogram(x, w, 4).first.get() == std::vector<double>{6, 4, 0, 11});
  const auto [density, edges] = histogram<float>(x, array<double>{0, 1, 4}, {.density = true});
  CHECK(density.get() == std::vector<float>{0.5f, 1.0f / 6});
  CHECK(histogram<std::int32_t>(x, 4).first.get() == std::vector<std::int32_t>{3, 1, 0, 2});
  CHECK(histogram(x, w, array<double>{0, 1, 4}, {.density = true}).first.get() ==
        std::vector<double>{6.0 / 21, 15.0 / 3 / 21});
}

TEST_CASE("histograms: of several variables") {
  const array<double> x{0, 0.1, 0.9, 1, 0.5}, y{0, 1, 2, 3, 4};
  const auto grid = histogram2d(x, y, {2});
  CHECK(grid.counts.get() == std::vector<double>{2, 0, 0, 3});
  CHECK(grid.edges[1].get() == std::vector<double>{0, 2, 4});
  const auto uneven = histogram2d(x, y, {array<double>{0, 0.5, 1}, 4}, {{0, 1}, {0, 4}});
  CHECK(uneven.counts.get() == std::vector<double>{1, 1, 0, 0, 0, 0, 1, 2});
  const auto dense = histogramdd(stack({x, y}, 1), {2}, {}, true);
  CHECK(dense.counts.get() == std::vector<double>{2.0 / 5, 0, 0, 3.0 / 5});
  CHECK_THROWS_AS(histogramdd(x, {2}), shape_error);
  CHECK_THROWS_AS(histogram2d(x, y, {2, 2, 2}), shape_error);
}

TEST_CASE("histograms: what is refused") {
  const array<double> x{1, 2, 3};
  CHECK_THROWS_AS(histogram(x, 0), error);
  CHECK_THROWS_AS(histogram(x, array<double>{1, 3, 2}), error);
  CHECK_THROWS_AS(histogram(x, array<double>{1}), error);
  CHECK_THROWS_AS(histogram(x, 2, {.range = {3, 1}}), error);
  CHECK_THROWS_AS(histogram(x / 0.0, 2), error);
  CHECK_THROWS_AS(histogram(x, 2, {.density = true}), dtype_error);
  CHECK_THROWS_AS(histogram(x, array<double>{1, 2}, 2), shape_error);
}
