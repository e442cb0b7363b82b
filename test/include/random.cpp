// Random numbers: the bits of each draw, which are the same on every device; law 6; ranges, moments and distributions; what is
// refused. The seeds are fixed, so a bound that holds once holds always.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <sinter/histogram.hpp>

#include "codegen/ir/philox.hpp"
#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using sinter::random::generator;
namespace scalar = codegen::scalar;

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

/// How far the distribution of `x` is from one, times the root of the number: Kolmogorov and Smirnov's statistic. Above 1.95
/// for one seed in a thousand.
template <class T, class F>
double distance_from(std::vector<T> x, F distribution) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double f = distribution(static_cast<double>(x[i]));
    largest = std::max({largest, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  return largest * std::sqrt(n);
}

struct moments {
  double mean = 0, variance = 0, skew = 0, kurtosis = 0;
};
template <class T>
moments moments_of(const std::vector<T>& x) {
  moments m;
  const auto n = static_cast<double>(x.size());
  for (T v : x) m.mean += static_cast<double>(v) / n;
  for (T v : x) m.variance += std::pow(static_cast<double>(v) - m.mean, 2) / n;
  for (T v : x) m.skew += std::pow((static_cast<double>(v) - m.mean) / std::sqrt(m.variance), 3) / n;
  for (T v : x) m.kurtosis += std::pow((static_cast<double>(v) - m.mean) / std::sqrt(m.variance), 4) / n;
  return m;
}

/// Deviations of the mean of n numbers from `mean`, were their deviation `of_one`.
double deviations(double found, double mean, double of_one, std::size_t n) {
  return std::abs(found - mean) / of_one * std::sqrt(static_cast<double>(n));
}

constexpr std::int64_t many = 200'000;

template <class T>
void check_normal(const std::vector<T>& x) {
  const moments m = moments_of(x);
  CHECK(deviations(m.mean, 0, 1, x.size()) < 3.5);
  CHECK(deviations(m.variance, 1, std::sqrt(2), x.size()) < 3.5);
  CHECK(deviations(m.skew, 0, std::sqrt(6), x.size()) < 3.5);
  CHECK(deviations(m.kurtosis, 3, std::sqrt(24), x.size()) < 3.5);
  CHECK(distance_from(x, [](double v) { return 0.5 * std::erfc(-v / std::sqrt(2)); }) < 1.95);
  // Neighbours come from one pair, and pairs from one block.
  for (std::size_t step : {1u, 2u, 4u}) {
    double product = 0, squares = 0;
    for (std::size_t i = 0; i + step < x.size(); ++i) {
      product += static_cast<double>(x[i]) * static_cast<double>(x[i + step]);
      squares += std::pow(static_cast<double>(x[i]) * static_cast<double>(x[i + step]), 2);
    }
    const auto n = static_cast<double>(x.size() - step);
    CHECK(deviations(product / n, 0, 1, x.size()) < 3.5);
    CHECK(deviations(squares / n, 1, std::sqrt(8), x.size()) < 3.5);
  }
}

template <class T>
std::vector<T> values(lazy<T> e) {
  return array<T>(std::move(e)).get();
}

}  // namespace

TEST_CASE("random: every device has the bits of the blocks that its element counts to") {
  for (const shape& s : {shape{7}, shape{1031}, shape{3, 5}, shape{6, 8}, shape{2, 3, 5, 7}, shape{1, 64, 1}}) {
    CAPTURE(s);
    generator rng(0x123456789abcdef);
    const std::uint64_t seed = 0x123456789abcdef;
    const auto f = values(rng.uniform<float>(s));
    const auto d = values(rng.uniform(s));
    const auto i = values(rng.integers<std::int32_t>(s, -50, 50));
    const auto u = values(rng.integers<std::uint64_t>(s, 0, ~0ull, {.endpoint = true}));
    const auto b = array<bool>(rng.bernoulli(s, 0.25)).get();
    const auto n = values(rng.normal<float>(s));
    const auto m = values(rng.normal(s));
    for (std::size_t k = 0; k < f.size(); ++k) {
      CAPTURE(k);
      CHECK(f[k] == scalar::random_float32(k, 0, seed));
      CHECK(d[k] == scalar::random_float64(k, 1, seed));
      CHECK(i[k] == static_cast<int>(scalar::multiply_high(scalar::random_uint64(k, 2, seed), 100)) - 50);
      CHECK(u[k] == scalar::random_uint64(k, 3, seed));
      CHECK(b[k] == (scalar::random_uint64(k, 4, seed) >> 62 == 0));
      CHECK(std::abs(n[k] - scalar::normal_float32(k, 5, seed)) < 4e-6f);  // a GPU's sine is 4e-7 off
      CHECK(std::abs(m[k] - scalar::normal_float64(k, 6, seed)) < 1e-14);
    }
  }
}

TEST_CASE("random: a draw is the same numbers however often it is evaluated, and a later one others") {
  generator rng(42);
  const auto first = rng.uniform<float>({1000}), second = rng.uniform<float>({1000});
  const array<float> late = second, early = first, again = second;
  CHECK(all(late == again).item());
  CHECK(sum(early == late).item() < 3);
  CHECK(all(first == early && second == late).item());
  CHECK(all(first - first == 0).item());
  // A copy goes on as the generator does.
  generator copy = rng;
  CHECK(all(rng.normal({50}) == copy.normal({50})).item());
  // Another seed, other numbers; none but of the system, others each time.
  generator other(43), anywhere, elsewhere;
  CHECK(sum(generator(42).uniform<float>({100'000}) == other.uniform<float>({100'000})).item() < 10);
  CHECK(sum(anywhere.uniform({100}) == elsewhere.uniform({100})).item() == 0);
}

TEST_CASE("random: an element has its number through whatever view it is read") {
  generator rng(7);
  const auto e = rng.integers<std::int32_t>({6, 8, 10}, 1'000'000'000);
  const array<std::int32_t> a = e;
  const auto same = [](auto x, auto y) { return x.shape() == y.shape() && all(x == y).item(); };
  CHECK(same(e(_, _, slice(1, _)), a(_, _, slice(1, _))));
  CHECK(same(e(3), a(3)));
  CHECK(same(e(_, 5, slice(2, 9)), a(_, 5, slice(2, 9))));
  CHECK(same(e(_, _, slice(_, _, -1)), a(_, _, slice(_, _, -1))));
  CHECK(same(e(_, slice(1, _, 2), slice(_, _, 3)), a(_, slice(1, _, 2), slice(_, _, 3))));
  CHECK(same(transpose(e), transpose(a)));
  CHECK(same(transpose(e, {1, 0, 2}), transpose(a, {1, 0, 2})));
  CHECK(same(e.reshape({48, 10}), a.reshape({48, 10})));
  CHECK(same(broadcast_to(e(0), {3, 8, 10}), broadcast_to(a(0), {3, 8, 10})));
  CHECK(same(e(_, newaxis) + 0, a(_, newaxis) + 0));
  for (int axis = 0; axis < 3; ++axis) {
    CHECK(same(sum(e, axis), sum(a, axis)));
    CHECK(same(max(e(_, _, slice(3, _)), axis), max(a(_, _, slice(3, _)), axis)));
  }
  CHECK(same(sum(e, {.axis = {0, 2}}), sum(a, {.axis = {0, 2}})));
  CHECK(sum(e).item() == sum(a).item());
  for (int from : {0, 1, 2, 3, 4, 9})
    CHECK(sum(e.reshape({480})(slice(from, _))).item() == sum(a.reshape({480})(slice(from, _))).item());
  // Flat draws of odd beginnings, whose packs are not those of the blocks.
  const auto flat = rng.uniform<float>({10'007});
  const array<float> kept = flat;
  for (int from : {0, 1, 2, 3, 4, 5, 17}) {
    array<float> rest = flat(slice(from, _)), into = zeros<float>({10'007});
    into(slice(from, _)) = flat(slice(from, _)) * 1;
    CHECK(same(rest, kept(slice(from, _))));
    CHECK(same(into(slice(from, _)), kept(slice(from, _))));
    CHECK(sum(flat(slice(from, _)) < 0.5).item() == sum(kept(slice(from, _)) < 0.5).item());
  }
  array<float> grid = zeros<float>({50, 12});
  const auto square_ = rng.uniform<float>({50, 12});
  grid(_, slice(_, _, 2)) = square_(_, slice(_, _, 2)) * 1;
  CHECK(same(grid(_, slice(_, _, 2)), array<float>(square_)(_, slice(_, _, 2))));
}

TEST_CASE("random: draws are part of the kernel that uses them") {
  generator rng(42);
  const auto x = rng.uniform<float>({1'000'000}), y = rng.uniform<float>({1'000'000});
  const auto inside = sum(x * x + y * y < 1);
  std::int64_t count = 0;
  CHECK(launches_of([&] { count = inside.item(); }) == 1);
  CHECK(count / 250'000.0 == doctest::Approx(3.14159).epsilon(0.002));
  array<float> a = x, b = y;
  CHECK(sum(a * a + b * b < 1).item() == count);
  CHECK(launches_of([&] { array<double> r = rng.normal({100}, 1, 2) + rng.exponential({100}); }) == 1);
  // Another draw is another number for the same kernel.
  generator counting(3);
  for (std::uint64_t draw = 0; draw < 10; draw += 2) {
    const array<float> r = counting.uniform<float>(1000) + 1;
    const array<float> other_length = counting.uniform<float>(500 + draw) + 1;
    CHECK(r(77).item() == scalar::random_float32(77, draw, 3) + 1);
    CHECK(other_length(77).item() == scalar::random_float32(77, draw + 1, 3) + 1);
  }
  const auto pi = [&] { return array<std::int64_t>(sum(rng.uniform<float>({1000}) < 0.5)); };
  pi();
  CHECK(moved_by([&] { pi(), pi(); }).compiles == 0);
}

TEST_CASE("random: law 7: in strict mode fused draws are the bits of evaluated ones") {
  const rerun strict("strict process: draws", {{"SINTER_MATH", "strict"}});
  INFO(strict.output);
  CHECK(strict.ok);
}

TEST_CASE("strict process: draws" * doctest::skip()) {
  generator rng(9);
  for (const shape& s : {shape{100'037}, shape{33, 17}}) {
    const auto u = rng.uniform<float>(s, -2, 3);
    const auto z = rng.normal<float>(s, 1, 0.3), e = rng.exponential<float>(s, 4);
    const auto d = rng.normal(s);
    const auto i = rng.integers<std::int16_t>(s, -9, 9);
    const array<float> a = u, b = z, c = e;
    const array<double> f = d;
    const array<std::int16_t> g = i;
    CHECK(all(exp(z * 0.1) + u * z - e / (u + 10) == exp(b * 0.1) + a * b - c / (a + 10)).item());
    const array<double> fused = d * d + z * i, steps = f * f + b * g;
    CHECK(all(fused == steps).item());
    CHECK(all(z == b && e == c && u == a).item());
    CHECK(all(d == f).item());
    CHECK(sum(z).item() == sum(b).item());
    CHECK(all(sum(d, 0) == sum(f, 0)).item());
  }
}

TEST_CASE("random: uniform numbers") {
  generator rng(1);
  const auto f = values(rng.random<float>({many}));
  const auto d = values(rng.uniform({many}, -3, 5));
  const auto [low, high] = std::minmax_element(f.begin(), f.end());
  CHECK(*low >= 0);
  CHECK(*high < 1);
  CHECK(distance_from(f, [](double v) { return v; }) < 1.95);
  CHECK(distance_from(d, [](double v) { return (v + 3) / 8; }) < 1.95);
  CHECK(deviations(moments_of(f).mean, 0.5, std::sqrt(1.0 / 12), f.size()) < 3.5);
  for (float v : f) REQUIRE(v * 16'777'216 == std::floor(v * 16'777'216));
  // What rounds up to the bound stays below it.
  const auto narrow = values(rng.uniform<float>({1000}, 1, 1 + 0x1p-23));
  CHECK(std::all_of(narrow.begin(), narrow.end(), [](float v) { return v == 1; }));
  const auto two = values(rng.uniform<float>({many}, 1, 2));
  CHECK(*std::max_element(two.begin(), two.end()) < 2);
  CHECK(*std::min_element(two.begin(), two.end()) >= 1);
  const auto one = values(rng.uniform({5}, 2, 2));
  CHECK(std::all_of(one.begin(), one.end(), [](double v) { return v == 2; }));
}

TEST_CASE("random: normal numbers") {
  generator rng(2);
  check_normal(values(rng.standard_normal<float>({many})));
  check_normal(values(rng.standard_normal({many})));
  auto x = values(rng.normal({many}, 10, 0.5));
  for (double& v : x) v = (v - 10) / 0.5;
  check_normal(x);
  const auto same = values(rng.normal<float>({3}, 4, 0));
  CHECK(std::all_of(same.begin(), same.end(), [](float v) { return v == 4; }));
}

TEST_CASE("random: exponential numbers") {
  generator rng(3);
  const auto f = values(rng.standard_exponential<float>({many}));
  const auto d = values(rng.exponential({many}, 2));
  CHECK(*std::min_element(f.begin(), f.end()) >= 0);
  CHECK(distance_from(f, [](double v) { return -std::expm1(-v); }) < 1.95);
  CHECK(distance_from(d, [](double v) { return -std::expm1(-v / 2); }) < 1.95);
  CHECK(deviations(moments_of(d).mean, 2, 2, d.size()) < 3.5);
}

TEST_CASE("random: bernoulli") {
  generator rng(4);
  for (double p : {0.5, 0.01, 0.9, 1e-4}) {
    const auto count = static_cast<double>(sum(rng.bernoulli({many}, p)).item());
    CHECK(deviations(count / many, p, std::sqrt(p * (1 - p)), many) < 3.5);
  }
  CHECK(!any(rng.bernoulli({1000}, 0)).item());
  CHECK(all(rng.bernoulli({1000}, 1)).item());
}

TEST_CASE("random: integers") {
  generator rng(5);
  std::vector<double> of_each(7);
  for (std::int64_t v : values(rng.integers({many}, -3, 3, {.endpoint = true}))) {
    REQUIRE(v >= -3);
    REQUIRE(v <= 3);
    ++of_each[static_cast<std::size_t>(v + 3)];
  }
  double chi_squared = 0;
  for (double n : of_each) chi_squared += std::pow(n - many / 7.0, 2) / (many / 7.0);
  CHECK(chi_squared < 22.5);  // of 6 degrees: one seed in a thousand
  // Ends, of each dtype.
  const auto bytes = values(rng.integers<std::int8_t>({20'000}, -128, 128));
  CHECK(*std::min_element(bytes.begin(), bytes.end()) == -128);
  CHECK(*std::max_element(bytes.begin(), bytes.end()) == 127);
  const auto truths = array<bool>(rng.integers<bool>({100}, 2)).get();
  CHECK(std::count(truths.begin(), truths.end(), true) > 20);
  CHECK(all(rng.integers({50}, highest, highest, {.endpoint = true}) == highest).item());
  CHECK(all(rng.integers({50}, lowest, lowest + 1) == lowest).item());
  CHECK(all(rng.integers<std::uint64_t>({50}, ~0ull - 1, ~0ull) == ~0ull - 1).item());
  CHECK(all(rng.integers<std::uint16_t>({50}, 65'535, 65'536) == 65'535).item());
  // Ranges that take 128 bits: thirds of three quarters of all numbers are alike likely.
  const std::int64_t quarter = std::int64_t{1} << 62;
  const auto wide = values(rng.integers({many}, lowest, quarter));
  std::vector<double> thirds(3);
  for (std::int64_t v : wide) ++thirds[static_cast<std::size_t>((static_cast<std::uint64_t>(v) + (1ull << 63)) >> 62)];
  for (double n : thirds) CHECK(deviations(n / many, 1.0 / 3, std::sqrt(2.0 / 9), many) < 3.5);
  const auto beyond = values(rng.integers({many}, 0, (std::int64_t{1} << 32) + 1));
  CHECK(deviations(moments_of(beyond).mean / 0x1p32, 0.5, std::sqrt(1.0 / 12), many) < 3.5);
  const auto full = values(rng.integers({1000}, lowest, highest, {.endpoint = true}));
  CHECK(std::count_if(full.begin(), full.end(), [](std::int64_t v) { return v < 0; }) > 400);
}

TEST_CASE("random: shapes of no axis and of no element") {
  generator rng(6);
  CHECK(rng.uniform().shape() == shape{});
  const double one = rng.uniform().item();
  CHECK(one == scalar::random_float64(0, 1, 6));
  CHECK(rng.normal<float>({}).shape() == shape{});
  CHECK(array<float>(rng.normal<float>({0})).shape() == shape{0});
  CHECK(array<std::int64_t>(rng.integers({3, 0}, 5)).shape() == shape{3, 0});
  CHECK(sum(rng.uniform({0, 4})).item() == 0);
  CHECK(array<double>(sum(rng.uniform({0, 4}), 0)).shape() == shape{4});
  CHECK(rng.uniform(5).shape() == shape{5});
}

TEST_CASE("random: what is refused says why, and takes no draw") {
  generator rng(8), untouched(8);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH_AS(generator(-1), "sinter: a seed of -1; a seed is not negative", error);
  CHECK_THROWS_WITH_AS(
      rng.uniform({2}, 1, 0),
      "sinter: uniform numbers from 1 to 0; the bounds are finite, and so is their distance in float64, "
      "and low is not above high",
      error);
  CHECK_THROWS_AS(rng.uniform({2}, 0, infinity), error);
  CHECK_THROWS_AS(rng.uniform({2}, std::nan(""), 1), error);
  CHECK_THROWS_AS(rng.uniform<float>({2}, -3e38, 3e38), error);
  CHECK_THROWS_WITH_AS(rng.normal({2}, 0, -1), "sinter: normal numbers of scale -1; a scale is not negative", error);
  CHECK_THROWS_AS(rng.exponential({2}, std::nan("")), error);
  CHECK_THROWS_WITH_AS(rng.bernoulli({2}, 1.5), "sinter: a probability of 1.5; it is from 0 to 1", error);
  CHECK_THROWS_WITH_AS(rng.integers({2}, 5, 5), "sinter: integers from 5 to 5, without the latter: there are none",
                       error);
  CHECK_THROWS_WITH_AS(rng.integers({2}, 0, -7, {.endpoint = true}),
                       "sinter: integers from 0 to -7, with the latter: there are none", error);
  CHECK_THROWS_WITH_AS(rng.integers<std::int8_t>({2}, 0, 129), "sinter: integers from 0 to 129: int8 does not hold 128",
                       dtype_error);
  CHECK_THROWS_AS(rng.integers<std::uint8_t>({2}, -1, 5), dtype_error);
  CHECK_THROWS_AS(rng.integers({2}, 0, ~0ull), dtype_error);
  CHECK_THROWS_AS(rng.uniform({-1}), shape_error);
  CHECK(rng.uniform().item() == untouched.uniform().item());
}

TEST_CASE_TEMPLATE("random: dirichlet of small parameters is of numbers, and choices are among what there is", T, float,
                   double) {
  random::generator rng(5);
  const array<T> small = rng.dirichlet<T>({20'000}, full<double>({3}, 1e-3));
  CHECK(!any(isnan(small)).item());
  CHECK(all(abs(sum(small, 1) - 1) < 1e-5).item());
  CHECK(all(abs(mean(small, 0) - 1.0 / 3) < 0.02).item());
  const array<T> several = rng.dirichlet<T>({20'000}, array<double>{1, 2, 5});
  CHECK(all(abs(mean(several, 0) - array<double>{0.125, 0.25, 0.625}) < 0.01).item());
  CHECK(all(abs(var(several, 0) - array<double>{0.125 * 0.875, 0.25 * 0.75, 0.625 * 0.375} / 9) < 0.002).item());
  CHECK(max(rng.choice(3, {5}, zeros<double>({3}))).item() < 3);
}

TEST_CASE("random: numbers below n without replacement") {
  random::generator rng(7);
  CHECK(sort(rng.choice(10, {10}, {.replace = false})).get() == arange(10).get());
  CHECK(rng.choice(10, 3, {.replace = false}).shape() == shape{3});
  CHECK(rng.choice(4, {50}, {.replace = true}).shape() == shape{50});
  CHECK_THROWS_AS((void)rng.choice(2, {3}, {.replace = false}), error);
}

TEST_CASE("random: some of many without replacement are different, and any of them, in any order") {
  random::generator rng(11);
  for (const std::int64_t n : std::vector<std::int64_t>{4'097, 5'000, 100'003, 1'000'003, 5'000'000'021}) {
    const std::int64_t wanted = std::min<std::int64_t>(n / 4, 40'000);
    INFO(wanted, " of ", n);
    const array<std::int64_t> some = rng.choice(n, {wanted}, {.replace = false});
    const array<std::int64_t> ordered = sort(some);
    CHECK(all(ordered(slice(1, _)) > ordered(slice(0, -1))).item());
    CHECK((min(some).item() >= 0 && max(some).item() < n));
    // Where they are, where they stand, and what stands beside each: 16 classes with 15 degrees of freedom each.
    const array<std::int64_t> places = floor_divide(arange(wanted) * 16, wanted),
                              classes = floor_divide(some, (n + 15) / 16);
    const array<std::int64_t> beside = classes(slice(1, _)) * 16 + classes(slice(0, -1));
    const auto spread = [](const array<std::int64_t>& in, std::int64_t bins) {
      const array<double> found = astype<double>(bincount(in, {.minlength = bins})),
                          expected = full<double>({bins}, double(in.size()) / double(bins));
      return (sum(square(found - expected) / expected) / double(bins - 1)).item();
    };
    CHECK(spread(classes, 16) < 2.5);
    CHECK(spread(places * 16 + classes, 256) < 1.4);
    CHECK(spread(beside, 256) < 1.4);
    CHECK(spread(some % 16, 16) < 2.5);
  }
  // The first of two among many generators.
  std::vector<double> first, second;
  for (unsigned seed = 0; seed < 400; ++seed) {
    const std::vector<std::int64_t> two = random::generator(seed).choice(10'000, {2}, {.replace = false}).get();
    first.push_back(double(two[0]) / 1e4), second.push_back(double(two[1]) / 1e4);
  }
  const array<double> x = asarray(first), y = asarray(second);
  CHECK(std::abs(mean(x).item() - 0.5) < 0.05);
  CHECK(std::abs(mean(y).item() - 0.5) < 0.05);
  CHECK(std::abs(mean((x - 0.5) * (y - 0.5)).item()) < 0.015);
}

TEST_CASE("random: a part of an array is shuffled in place") {
  random::generator rng(7);
  array<std::int64_t> a = arange(40).reshape(2, 20);
  rng.shuffle(a(1));
  CHECK(a(0).get() == arange(20).get());
  CHECK(a(1).get() != arange(20, 40).get());
  CHECK(sort(a(1)).get() == arange(20, 40).get());
}

TEST_CASE_TEMPLATE("random: parameters of arrays", T, float, double) {
  random::generator rng = random::default_rng(5), same(5);
  const array<double> means{0, 100, -50}, deviations{1, 0.5, 4};
  const array<T> x = rng.normal<T>({50'000, 3}, means, deviations);
  CHECK(all(abs(mean(x, 0) - means) < 0.03 * deviations).item());
  CHECK(all(abs(stddev(x, 0) / deviations - 1) < 0.02).item());
  CHECK(all(abs(x - (same.normal<T>({50'000, 3}) * astype<T>(deviations) + astype<T>(means))) < 1e-4).item());
  const array<T> u = rng.uniform<T>({50'000, 3}, means, means + 2);
  CHECK(all((u >= means) & (u <= means + 2)).item());
  CHECK(all(abs(mean(u, 0) - means - 1) < 0.02).item());
  const array<T> e = rng.exponential<T>({50'000, 3}, deviations);
  CHECK(all(abs(mean(e, 0) / deviations - 1) < 0.03).item());
  CHECK(all(isnan(rng.normal<T>({4, 1}, 0, array<double>{-1.0}))).item());
  CHECK_THROWS_AS(static_cast<void>(rng.normal<T>({2}, means)), shape_error);
}
