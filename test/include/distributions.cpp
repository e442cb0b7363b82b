// Distributions: against their distribution functions (Kolmogorov and Smirnov's test; chi-square for counts), parameters that are
// arrays, permutations, choices, generators of generators. Seeds are fixed, so that a test that passes goes on passing.
#include <doctest/doctest.h>

#include <algorithm>
#include <boost/math/distributions.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
namespace math = boost::math;
using sinter::random::generator;

constexpr std::int64_t count = 20'000;

/// How far the share of numbers below x is from what it should be, at most; less than 1.95 over the root of their number in all
/// but one of a thousand sets.
double distance(std::vector<double> x, const std::function<double(double)>& below) {
  std::sort(x.begin(), x.end());
  double most = 0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double share = below(x[i]), at = static_cast<double>(i);
    most = std::max({most, share - at / n, (at + 1) / n - share});
  }
  return most * std::sqrt(n);
}

template <class Law>
double distance_from(const lazy<double>& numbers, const Law& law) {
  return distance(array<double>(numbers).get(), [&](double x) { return math::cdf(law, x); });
}

/// Of whole numbers: the sum over them of (seen - wanted)^2 / wanted, in units of its standard deviation above its mean. Numbers of
/// which fewer than ten are wanted count as one.
template <class Law>
double surplus(const lazy<std::int64_t>& numbers, const Law& law, std::int64_t most) {
  std::vector<double> seen(static_cast<std::size_t>(most) + 1);
  for (const std::int64_t x : array<std::int64_t>(numbers).get())
    if (x <= most) seen[static_cast<std::size_t>(std::max<std::int64_t>(x, 0))] += 1;
  double sum = 0, classes = 0, rest_seen = 0, rest_wanted = 0;
  for (std::int64_t x = 0; x <= most; ++x) {
    const auto [least, highest] = math::support(law);
    const auto number = static_cast<double>(x);
    const bool possible = number >= static_cast<double>(least) && number <= static_cast<double>(highest);
    const double wanted = possible ? math::pdf(law, number) * static_cast<double>(count) : 0;
    rest_seen += seen[static_cast<std::size_t>(x)], rest_wanted += wanted;
    if (rest_wanted < 10) continue;
    sum += (rest_seen - rest_wanted) * (rest_seen - rest_wanted) / rest_wanted;
    ++classes, rest_seen = rest_wanted = 0;
  }
  REQUIRE(classes > 1);
  return (sum - classes) / std::sqrt(2 * classes);
}

constexpr double passes = 1.95, likely = 4;

TEST_CASE("numbers follow the distribution functions") {
  generator rng(2026);
  const shape s{count};
  CHECK(distance_from(rng.gamma(s, 2.5, 0.5), math::gamma_distribution<>(2.5, 0.5)) < passes);
  CHECK(distance_from(rng.gamma(s, 0.3), math::gamma_distribution<>(0.3, 1)) < passes);
  CHECK(distance_from(rng.standard_gamma(s, 40), math::gamma_distribution<>(40, 1)) < passes);
  CHECK(distance_from(rng.beta(s, 2, 3), math::beta_distribution<>(2, 3)) < passes);
  CHECK(distance_from(rng.beta(s, 0.5, 0.5), math::beta_distribution<>(0.5, 0.5)) < passes);
  CHECK(distance_from(rng.chisquare(s, 3), math::chi_squared(3)) < passes);
  CHECK(distance_from(rng.f(s, 5, 12), math::fisher_f(5, 12)) < passes);
  CHECK(distance_from(rng.gumbel(s, 1, 2), math::extreme_value(1, 2)) < passes);
  CHECK(distance_from(rng.laplace(s, 1, 2), math::laplace(1, 2)) < passes);
  CHECK(distance_from(rng.logistic(s, 1, 2), math::logistic(1, 2)) < passes);
  CHECK(distance_from(rng.lognormal(s, 0.5, 0.5), math::lognormal(0.5, 0.5)) < passes);
  CHECK(distance_from(rng.noncentral_chisquare(s, 3, 2), math::non_central_chi_squared(3, 2)) < passes);
  CHECK(distance_from(rng.noncentral_chisquare(s, 0.5, 2), math::non_central_chi_squared(0.5, 2)) < passes);
  CHECK(distance_from(rng.noncentral_f(s, 4, 10, 2), math::non_central_f(4, 10, 2)) < passes);
  CHECK(distance_from(lazy<double>(rng.pareto(s, 5) + 1), math::pareto(1, 5)) < passes);
  CHECK(distance_from(rng.power(s, 3), math::beta_distribution<>(3, 1)) < passes);
  CHECK(distance_from(rng.rayleigh(s, 2), math::rayleigh(2)) < passes);
  CHECK(distance_from(rng.standard_cauchy(s), math::cauchy()) < passes);
  CHECK(distance_from(rng.standard_t(s, 4), math::students_t(4)) < passes);
  CHECK(distance_from(rng.triangular(s, 0, 1, 4), math::triangular(0, 1, 4)) < passes);
  CHECK(distance_from(rng.wald(s, 2, 3), math::inverse_gaussian(2, 3)) < passes);
  CHECK(distance_from(rng.weibull(s, 1.5), math::weibull(1.5, 1)) < passes);
}

TEST_CASE("angles follow von Mises' distribution") {
  generator rng(7);
  for (const double kappa : {0.5, 2.0, 20.0}) {
    // The mean of the cosines of distances from mu is I1(kappa) / I0(kappa).
    const array<double> angles = rng.vonmises({count}, 1, kappa);
    const double wanted = std::cyl_bessel_i(1.0, kappa) / std::cyl_bessel_i(0.0, kappa);
    CHECK(std::fabs(mean(cos(angles - 1)).item() - wanted) < 0.02);
    CHECK(std::fabs(mean(sin(angles - 1)).item()) < 0.02);
    CHECK(all(angles >= -3.1415926535897936 && angles <= 3.1415926535897936).item());
  }
}

TEST_CASE("counts follow the probabilities") {
  generator rng(11);
  const shape s{count};
  CHECK(surplus(rng.poisson(s, 3), math::poisson(3), 30) < likely);
  CHECK(surplus(rng.poisson(s, 10), math::poisson(10), 60) < likely);
  CHECK(surplus(rng.poisson(s, 500), math::poisson(500), 800) < likely);
  CHECK(surplus(rng.binomial(s, 20, 0.3), math::binomial(20, 0.3), 20) < likely);
  CHECK(surplus(rng.binomial(s, 20, 0.9), math::binomial(20, 0.9), 20) < likely);
  CHECK(surplus(rng.binomial(s, 1000, 0.7), math::binomial(1000, 0.7), 1000) < likely);
  CHECK(surplus(lazy<std::int64_t>(rng.geometric(s, 0.25) - 1), math::geometric(0.25), 60) < likely);
  CHECK(surplus(rng.negative_binomial(s, 5, 0.4), math::negative_binomial(5, 0.4), 60) < likely);
  CHECK(surplus(rng.hypergeometric(s, 7, 10, 5), math::hypergeometric(7, 5, 17), 5) < likely);
  CHECK(surplus(rng.hypergeometric(s, 300, 200, 100), math::hypergeometric(300, 100, 500), 100) < likely);
  CHECK(surplus(rng.hypergeometric(s, 200, 300, 450), math::hypergeometric(200, 450, 500), 200) < likely);
}

TEST_CASE("numbers of heavy tails") {
  generator rng(12);
  const array<std::int64_t> zipf = rng.zipf({count}, 3), series = rng.logseries({count}, 0.6);
  // zeta(3) = 1.2020569, and -1 / log(1 - 0.6) = 1.0913567: the shares of the first numbers.
  const double of_zipf[] = {0.8319074, 0.1039884, 0.0308114}, of_series[] = {0.6548140, 0.1964442, 0.0785777};
  for (int k = 0; k < 3; ++k) {
    CHECK(std::fabs(mean(astype<double>(zipf == k + 1)).item() - of_zipf[k]) < 0.012);
    CHECK(std::fabs(mean(astype<double>(series == k + 1)).item() - of_series[k]) < 0.012);
  }
  CHECK(min(zipf).item() == 1);
  CHECK(min(series).item() == 1);
}

TEST_CASE("parameters are numbers, arrays or expressions that broadcast") {
  generator rng(3);
  const array<double> means = {1.0, 100.0, 10000.0};
  const array<double> averages = mean(astype<double>(rng.poisson({4000, 3}, means)), 0);
  for (int i = 0; i < 3; ++i) CHECK(std::fabs(averages(i).item() / means(i).item() - 1) < 0.1);
  CHECK(rng.gamma<float>({2, 3}, means + 1, 2).shape() == shape{2, 3});
  CHECK_THROWS_AS(rng.poisson({4}, means), shape_error);
  CHECK_THROWS_AS(rng.gamma({4}, -1), error);
  CHECK_THROWS_AS(rng.binomial({4}, 10, 1.5), error);
  CHECK_THROWS_AS(rng.triangular({4}, 0, 5, 4), error);
}

TEST_CASE("draws are lazy, pure and fused") {
  generator rng(5);
  const auto x = rng.gamma({1000}, 2);
  const array<double> first = x, again = x;
  CHECK(first.get() == again.get());
  CHECK(moved_by([&] {
          const array<double> y = exp(-rng.gamma({1000}, 2)) + 1;
          synchronize();
        }).launches == 1);
}

TEST_CASE("vectors: dirichlet and normal ones with a factor of their covariance") {
  generator rng(9);
  const array<double> shares = rng.dirichlet({5000}, array{1.0, 2.0, 5.0});
  CHECK(shares.shape() == shape{5000, 3});
  CHECK(all(abs(sum(shares, 1) - 1) < 1e-12).item());
  const std::vector<double> averages = mean(shares, 0).get();
  CHECK(std::fabs(averages[0] - 0.125) < 0.01);
  CHECK(std::fabs(averages[2] - 0.625) < 0.01);
  const array<double> factor = {{2.0, 0.0}, {1.0, 1.0}}, middle = {10.0, -10.0};
  const array<double> points = rng.multivariate_normal({20'000}, middle, factor);
  const array<double> centred = points - mean(points, {.axis = 0, .keepdims = true});
  CHECK(std::fabs(mean(points(_, 0)).item() - 10) < 0.06);
  CHECK(std::fabs(mean(centred(_, 0) * centred(_, 0)).item() - 4) < 0.15);
  CHECK(std::fabs(mean(centred(_, 0) * centred(_, 1)).item() - 2) < 0.1);
  CHECK(std::fabs(mean(centred(_, 1) * centred(_, 1)).item() - 2) < 0.1);
}

TEST_CASE("parameters near an end of what they may be") {
  generator rng(4);
  constexpr std::int64_t n = 50'000;
  // Of a mean far above the scale Wald's is Levy's distribution, whose tenth part is 1 / z^2 with P(|normal| > z) = 0.1.
  const array<double> w = rng.wald({n}, 1e9, 1);
  CHECK(min(w).item() > 0);
  CHECK(std::fabs(mean(w < 0.36961).item() - 0.1) < 0.01);
  CHECK(rng.weibull({3}, 0.0).get() == std::vector<double>{0, 0, 0});
  CHECK(std::fabs(mean(rng.zipf({n}, 1.00001) == 1).item() - 0.0226) < 0.003);
  const array<double> b = rng.beta({n}, 0.005, 0.005);
  CHECK(std::fabs(mean(b == 0).item() - 0.0120) < 0.003);
  CHECK(std::fabs(mean(b).item() - 0.5) < 0.02);
  const array<double> uniform = rng.beta({n}, 1, 1);
  CHECK(std::fabs(mean(uniform < 0.25).item() - 0.25) < 0.01);
  CHECK(std::fabs(var(uniform).item() - 1 / 12.0) < 0.003);
}

TEST_CASE("draws of vectors and along an axis: what is refused") {
  generator rng(9), same(9);
  const shape most{1, 1, 1, 1, 1, 1, 1, 1};
  const array<double> two = {1.0, 2.0};
  CHECK_THROWS_AS((void)rng.dirichlet(most, two), shape_error);
  CHECK_THROWS_AS((void)rng.multivariate_normal(most, two, eye(2)), shape_error);
  CHECK_THROWS_AS((void)rng.dirichlet({std::int64_t{1} << 58}, two), shape_error);
  array<double> a = ones({2, 3});
  for (const std::int64_t axis : {std::int64_t{2}, std::int64_t{-3}, std::int64_t{3000}, std::int64_t{1} << 32}) {
    CHECK_THROWS_AS((void)rng.permutation(a, axis), shape_error);
    CHECK_THROWS_AS(rng.shuffle(a, axis), shape_error);
  }
  CHECK(rng.permutation(5).get() == same.permutation(5).get());
}

TEST_CASE("permutations have every number once, each order as often as any other") {
  generator rng(1);
  for (const std::int64_t n : {0, 1, 2, 5, 100, 4096, 4097, 100'000}) {
    std::vector<std::int64_t> all = array<std::int64_t>(rng.permutation(n)).get();
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i) REQUIRE(all[i] == static_cast<std::int64_t>(i));
  }
  std::vector<int> orders(64);
  for (int i = 0; i < 2400; ++i) {
    const std::vector<std::int64_t> p = array<std::int64_t>(rng.permutation(4)).get();
    ++orders[static_cast<std::size_t>(p[0] * 16 + p[1] * 4 + p[2])];
  }
  for (const int times : orders) CHECK((times == 0 || (times > 60 && times < 145)));  // 24 orders, 100 times each
  // Where a number of many goes has nothing to do with where it was.
  const array<double> p = astype<double>(rng.permutation(50'000)), i = arange<double>(50'000);
  const double correlation = (mean(p * i) - mean(p) * mean(i)).item() / var(i).item();
  CHECK(std::fabs(correlation) < 0.02);
}

TEST_CASE("choices with probabilities come as often as these say") {
  generator rng(12);
  const array<double> p{0.1, 0.0, 0.3, 0.6};
  const int n = 40'000;
  const array<std::int64_t> drawn = rng.choice(4, {n}, p);
  for (int k = 0; k < 4; ++k) {
    const double expected = n * p(k).item(), times = static_cast<double>(count_nonzero(drawn == k).item());
    CAPTURE(k);
    CHECK(std::fabs(times - expected) <= 4 * std::sqrt(expected * (1 - p(k).item())));
  }
  // The same draws whatever the weights come to, and of an array its elements.
  generator one(3), ten(3), names(3);
  const std::vector<std::int64_t> places = one.choice(4, {50}, p).get();
  CHECK(ten.choice(4, {50}, p * 10).get() == places);
  const std::vector<int> chosen = names.choice(array<int>{10, 20, 30, 40}, {50}, astype<float>(p)).get();
  for (std::size_t i = 0; i < places.size(); ++i) CHECK(chosen[i] == 10 * (places[i] + 1));
  CHECK(rng.choice(4, {2, 3}, p).shape() == shape{2, 3});
  CHECK_THROWS_AS((void)rng.choice(5, {2}, p), shape_error);
}

// Of 1, 4 and 5 in ten: the chance of two is that of the first times that of the second among those left.
TEST_CASE("choices with probabilities and without replacement are made one after the other") {
  generator rng(13);
  const array<double> p{0.1, 0.0, 0.4, 0.5};
  const int n = 4000;
  int times[4][4] = {};
  for (int i = 0; i < n; ++i) {
    const std::vector<std::int64_t> two = rng.choice(4, {2}, p, {.replace = false}).get();
    ++times[two[0]][two[1]];
  }
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b) {
      CAPTURE(a);
      CAPTURE(b);
      const double first = p(a).item(), second = p(b).item() / (1 - first), chance = a == b ? 0 : first * second;
      CHECK(std::fabs(times[a][b] - n * chance) <= 4 * std::sqrt(n * chance * (1 - chance)));
    }
  CHECK(rng.choice(array<int>{5, 6, 7, 8}, {3}, p, {.replace = false}).shape() == shape{3});
  // The least weight comes before none, and so does any before one below 0.
  for (const double none : {0.0, -1.0})
    CHECK(rng.choice(3, {2}, array<double>{none, 1e-310, 1}, {.replace = false}).get() ==
          std::vector<std::int64_t>{2, 1});
  CHECK_THROWS_WITH((void)rng.choice(4, {4}, p, {.replace = false}),
                    "sinter: a choice of 4 among 3 without replacement");
}

TEST_CASE("shuffles, choices and generators of generators") {
  generator rng(8);
  array<int> a = astype<int>(arange(12)).reshape({4, 3});
  rng.shuffle(a);
  CHECK(sum(a, 0).get() == std::vector<std::int64_t>{18, 22, 26});
  const array<int> columns = rng.permutation(a, 1);
  CHECK(sum(columns, 1).get() == sum(a, 1).get());
  std::vector<std::int64_t> few = array<std::int64_t>(rng.choice(arange(10), {6}, {.replace = false})).get();
  std::sort(few.begin(), few.end());
  CHECK(std::unique(few.begin(), few.end()) == few.end());
  CHECK(rng.choice(array{1.5, 2.5}, {3, 2}).shape() == shape{3, 2});
  CHECK_THROWS_AS(rng.choice(arange(10), {11}, {.replace = false}), error);
  std::vector<generator> children = rng.spawn(2);
  const std::vector<double> one = children[0].random({4}).get(), two = children[1].random({4}).get();
  CHECK(one != two);
  generator same(8), other(8);
  CHECK(same.spawn(1)[0].random({4}).get() == other.spawn(1)[0].random({4}).get());
}

}  // namespace

TEST_CASE("counts: several that sum to a number") {
  random::generator rng(11);
  const array<double> p{0.2, 0.0, 0.5, 0.3, 0.0};
  constexpr std::int64_t n = 40, draws = 20'000;
  const array<std::int64_t> counts = rng.multinomial({draws}, n, p);
  CHECK(counts.shape() == shape{draws, 5});
  CHECK(all(sum(counts, 1) == n).item());
  CHECK(min(counts).item() == 0);
  CHECK(max(counts(_, 1)).item() == 0);
  CHECK(max(counts(_, 4)).item() == 0);
  for (std::int64_t k : {0, 2, 3}) {
    const double share = p(k).item(), expected = static_cast<double>(n) * share;
    const auto of = astype<double>(counts(_, k));
    CHECK(std::abs(mean(of).item() - expected) < 5 * std::sqrt(expected * (1 - share) / draws));
    CHECK(std::abs(var(of).item() / (expected * (1 - share)) - 1) < 0.06);
  }
  // What two kinds have in common: one more of one is one less of the others.
  const double together = mean((astype<double>(counts(_, 0)) - 8) * (astype<double>(counts(_, 2)) - 20)).item();
  CHECK(std::abs(together + n * 0.2 * 0.5) < 0.3);
  const array<std::int64_t> again = random::generator(11).multinomial({draws}, n, p);
  CHECK(again.get() == counts.get());
  // Weights of several rows, and weights that do not sum to 1.
  const array<double> rows{{1, 0}, {0, 3}, {2, 2}};
  const array<std::int64_t> each = rng.multinomial({3}, 1000, rows);
  CHECK(each(0).get() == std::vector<std::int64_t>{1000, 0});
  CHECK(each(1).get() == std::vector<std::int64_t>{0, 1000});
  CHECK(std::abs(each(2, 0).item() - 500) < 90);
  CHECK(array<std::int64_t>(rng.multinomial({4}, 7, ones({1}))).get() == std::vector<std::int64_t>(4, 7));
  CHECK(array<std::int64_t>(rng.multinomial({0, 2}, 7, p)).shape() == shape{0, 2, 5});
  CHECK_THROWS_AS(static_cast<void>(rng.multinomial({3}, -1, p)), error);
  CHECK_THROWS_AS(static_cast<void>(rng.multinomial({3}, 5, zeros<double>({0}))), shape_error);
  CHECK_THROWS_AS(static_cast<void>(rng.multinomial({3}, 5, ones<double>({}))), shape_error);
  CHECK_THROWS_AS(static_cast<void>(rng.multinomial({3}, 5, ones({2, 4}))), shape_error);

  const array<std::int64_t> balls{16, 8, 4, 0};
  const array<std::int64_t> drawn = rng.multivariate_hypergeometric({draws}, balls, 6);
  CHECK(drawn.shape() == shape{draws, 4});
  CHECK(all(sum(drawn, 1) == 6).item());
  CHECK(all(drawn >= 0).item());
  CHECK(all(drawn <= minimum(balls, 6)).item());
  for (std::int64_t k : {0, 1, 2}) {
    const double share = static_cast<double>(balls(k).item()) / 28, variance = 6 * share * (1 - share) * 22 / 27;
    const auto of = astype<double>(drawn(_, k));
    CHECK(std::abs(mean(of).item() - 6 * share) < 5 * std::sqrt(variance / draws));
    CHECK(std::abs(var(of).item() / variance - 1) < 0.06);
  }
  CHECK(array<std::int64_t>(rng.multivariate_hypergeometric({2}, balls, 28))(1).get() == balls.get());
}
