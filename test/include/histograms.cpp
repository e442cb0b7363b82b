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

/// The same of many bins.
counts_of by_search(const std::vector<double>& values, const std::vector<double>& edges) {
  counts_of counts(edges.size() - 1);
  for (const double x : values) {
    if (!(x >= edges.front() && x <= edges.back())) continue;
    const auto above = std::upper_bound(edges.begin(), edges.end(), x);
    ++counts[std::min(static_cast<std::size_t>(above - edges.begin()) - 1, counts.size() - 1)];
  }
  return counts;
}

}  // namespace

TEST_CASE("histograms: bincount") {
  const array<int> x{3, 1, 1, 0, 5, 1};
  CHECK(bincount(x).get() == counts_of{1, 3, 0, 1, 0, 1});
  CHECK(bincount(x, 8).get() == counts_of{1, 3, 0, 1, 0, 1, 0, 0});
  CHECK(bincount(x, {.minlength = 7}).get() == counts_of{1, 3, 0, 1, 0, 1, 0});
  CHECK(bincount(x, x * 0.5, {.minlength = 7}).get() == std::vector<double>{0, 1.5, 0, 1.5, 0, 2.5, 0});
  const array<std::int64_t> far{std::numeric_limits<std::int64_t>::max(), 1};
  CHECK_THROWS_WITH(static_cast<void>(bincount(far)),
                    "sinter: bincount of 9223372036854775807: no array has so many elements");
  CHECK_THROWS_AS(static_cast<void>(bincount(far, array<double>{1, 2})), error);
  CHECK_THROWS_AS(static_cast<void>(bincount(x, {.minlength = std::numeric_limits<std::int64_t>::max()})), error);
  CHECK(bincount(x > 0).get() == counts_of{1, 5});
  CHECK(bincount(x > 1, array<float>{1, 2, 3, 4, 5, 0.5f}).get().size() == 2);
  // Positions of several axes, that do not merge into one.
  const array<int> cube = arange<int>(0, 36).reshape(6, 6, 1) % 3 + 1;
  CHECK(bincount(pad(cube, {{0, 1}, {0, 1}, {0, 1}}).ravel() % 4).get() == counts_of{62, 12, 12, 12});
  // The same where they go back along rows, or from row to row.
  const array<std::int8_t> rows = astype<std::int8_t>(arange(32) % 3 + 1).reshape(4, 8);
  for (const int axis : {0, 1}) {
    CHECK(histogram(flip(rows, axis), 1, {.range = {-4, 4}}).counts.get() == counts_of{32});
    CHECK(bincount(flip(rows, axis).ravel()).get() == counts_of{0, 11, 11, 10});
  }
  CHECK(bincount((cube(slice(_, _, 2), _, 0).T() + 1).ravel()).get() == counts_of{0, 0, 6, 6, 6});
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
  CHECK(histogram(x, 9, {-1, 0.5}).counts.get() == some.get());
  CHECK(some.get() == by_hand(x.get(), from_range.get()));
  const array<double> uneven{-2, -0.5, 0, 0, 3};
  const auto [given, same] = histogram(x.reshape({50, 100}), uneven);
  CHECK(given.get() == by_hand(x.get(), uneven.get()));
  CHECK(same.get() == uneven.get());
  // Whole numbers on edges, and NaN, which counts nowhere.
  const array<float> y{1, 2, 1, std::numeric_limits<float>::quiet_NaN(), 3, 9};
  CHECK(histogram(y, array<int>{0, 1, 2, 3}).counts.get() == counts_of{0, 2, 2});
  CHECK(histogram(array<int>{4, 4}, 2).edges.get() == std::vector<double>{3.5, 4, 4.5});
  CHECK(histogram(zeros({0}), 2).edges.get() == std::vector<double>{0, 0.5, 1});
}

TEST_CASE("histograms: weights, densities and dtypes") {
  const array<double> x{0, 0.25, 0.5, 1, 3, 4}, w{1, 2, 3, 4, 5, 6};
  CHECK(histogram(x, w, 4).counts.get() == std::vector<double>{6, 4, 0, 11});
  const auto [density, edges] = histogram<float>(x, array<double>{0, 1, 4}, {.density = true});
  CHECK(density.get() == std::vector<float>{0.5f, 1.0f / 6});
  CHECK(histogram<std::int32_t>(x, 4).counts.get() == std::vector<std::int32_t>{3, 1, 0, 2});
  CHECK(histogram(x, w, array<double>{0, 1, 4}, {.density = true}).counts.get() ==
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
  CHECK_THROWS_WITH_AS(histogramdd(ones({10, 9}), 2), "sinter: 9 axes asked for; arrays have at most 8", shape_error);
}

namespace {

/// The plain loop over positions.
counts_of counted_by_hand(const std::vector<std::int64_t>& at, std::int64_t count) {
  counts_of counts(static_cast<std::size_t>(count));
  for (const std::int64_t p : at) ++counts[static_cast<std::size_t>(p)];
  return counts;
}

}  // namespace

TEST_CASE("histograms: counts of few numbers and of many, most of them alike, of every length") {
  for (const std::int64_t bins : {1, 2, 1024, 1025, 8192, 8193, 70'000})
    for (const std::int64_t n : {1, 7, 8, 9, 2047, 2048, 4097, 140'001}) {
      if (n > 5000 && bins < 8192 && bins != 2) continue;
      INFO(bins);
      INFO(n);
      std::vector<std::int64_t> spread, alike;
      for (std::int64_t k = 0; k < n; ++k) {
        spread.push_back(k * 7919 % bins);
        alike.push_back(k % 31 == 5 ? k % bins : bins - 1);
      }
      const array<std::int64_t> all = asarray(spread), most = asarray(alike);
      CHECK(bincount(all, bins).get() == counted_by_hand(spread, bins));
      CHECK(bincount(most, bins).get() == counted_by_hand(alike, bins));
      // Computed ones, and some that do not begin where vectors do.
      CHECK(bincount(most * 1 + 0, bins).get() == counted_by_hand(alike, bins));
      const array<std::int64_t> behind = all(slice(1, _));
      CHECK(bincount(behind, bins).get() ==
            counted_by_hand(std::vector<std::int64_t>(spread.begin() + 1, spread.end()), bins));
      const array<std::int64_t> apart =
          repeat(all, 2) * (arange(2 * n) % 2);  // what lies between is no position of all
      const array<std::int64_t> every_second = apart(slice(1, _, 2));
      CHECK(bincount(every_second, bins).get() == counted_by_hand(spread, bins));
    }
}

TEST_CASE("histograms: a division finds the bins that a search among the edges finds") {
  const double inf = std::numeric_limits<double>::infinity();
  const histogram_range ranges[] = {{0, 1},           {-1, 0.5},       {0.1, 0.7},      {1e9, 1e9 + 1},
                                    {1e16, 1e16 + 4}, {-1e300, 1e300}, {1e-320, 3e-320}};
  for (const histogram_range& r : ranges)
    for (const int bins : {1, 3, 10, 256, 10'007}) {
      if (r.high < 1e-310 && bins > 10) continue;  // rounded edges fall
      INFO(r.low);
      INFO(bins);
      const array<double> edges = histogram_bin_edges(array<double>{0.0}, bins, r);
      // Every edge, and its neighbours on either side.
      std::vector<double> values;
      for (const double e : edges.get()) {
        values.insert(values.end(), {std::nextafter(e, -inf), e, std::nextafter(e, inf)});
      }
      values.insert(values.end(), {-inf, inf, std::nan("")});
      const array<double> x = asarray(values);
      const counts_of by_division = histogram(x, bins, {.range = r}).counts.get();
      CHECK(by_division == by_search(values, edges.get()));
      CHECK(histogram(x, edges).counts.get() == by_division);  // linspace is known by its elements
      if (bins <= 256) CHECK(by_division == by_hand(values, edges.get()));
    }
  const array<float> y = random::generator(5).uniform<float>({20'000});
  const std::vector<float> host = y.get();
  const auto [counts, edges] = histogram(y, 256, {.range = {0, 1}});
  CHECK(counts.get() == by_hand(std::vector<double>(host.begin(), host.end()), edges.get()));
  CHECK(histogram(full({5000}, 0.25), 8, {.range = {0, 1}}).counts.get() == counts_of{0, 0, 5000, 0, 0, 0, 0, 0});
}

TEST_CASE("histograms: edges that are even but for one") {
  const std::vector<double> even = linspace(-3, 3, 50).get();
  for (const double moved : {0.0, 1e-9, 1.0 / 2100, 1.0 / 2000, 1.0 / 300, 1.0 / 4, 0.9}) {
    CAPTURE(moved);
    std::vector<double> edges = even, values;
    edges[17] += moved * (edges[1] - edges[0]);
    edges[30] -= moved * (edges[1] - edges[0]);
    for (const double e : edges)
      for (const double near : {e, std::nextafter(e, -9), std::nextafter(e, 9), e + 1e-4, e - 1e-4, e + 0.05})
        values.push_back(near);
    for (const double e : even) values.push_back(e);
    CHECK(histogram(asarray(values), asarray(edges)).counts.get() == by_search(values, edges));
  }
  CHECK(histogram(array<double>{1, 2, 3}, array<double>{2, 2, 2}).counts.get() == counts_of{0, 1});
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(histogram(array<double>{1, 2, -3}, array<double>{-inf, 0, inf}).counts.get() == counts_of{1, 2});
  CHECK_THROWS_WITH((void)histogram(array<double>{1}, array<double>{0, std::nan(""), 2}),
                    "sinter: edges of bins that fall");
}

TEST_CASE("histograms: edges in a list") {
  const array<double> a{1, 2, 3, 4, 5, 6};
  const auto [counts, edges] = histogram(a, {0.0, 2.0, 7.0});
  CHECK(counts.get() == counts_of{1, 5});
  CHECK(edges.get() == std::vector<double>{0, 2, 7});
  CHECK(histogram(a, {0, 2, 7}, {.density = false}).counts.get() == counts_of{1, 5});
  CHECK(digitize(a, {2, 4}).get() == counts_of{0, 1, 1, 2, 2, 2});
  CHECK(digitize(2, {2, 4}, true).item() == 0);
}

TEST_CASE("histograms: of several variables, a number of bins for each") {
  const array<double> a{0, 1, 2, 2}, b{0, 0, 1, 3};
  CHECK(histogram2d(a, b, 3).counts.get() == histogram2d(a, b, {3}).counts.get());
  CHECK(histogramdd(stack({a, b}, 1), 2).counts.get() == histogramdd(stack({a, b}, 1), {2, 2}).counts.get());
}
