// Kernels that fold rows and use the results along them: one launch, and the values that the steps have one by one.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "test/include/looking.hpp"
#include "test/support/all_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

constexpr reduce_options along(std::int64_t axis) { return {.axis = axis, .keepdims = true}; }

template <class T>
array<T> noise(const shape& s, unsigned seed = 7) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<T> all(static_cast<std::size_t>(s.elements()));
  for (T& x : all) x = static_cast<T>(normal(random));
  return asarray(all, s);
}

// A known expression over the rows along an axis: as one, and step by step, each an array.
template <class T>
struct known {
  std::string name;
  std::function<lazy<T>(const array<T>&, std::int64_t)> fused;
  std::function<array<T>(const array<T>&, std::int64_t)> steps;
};

template <class T>
std::vector<known<T>> known_softmaxes() {
  using A = array<T>;
  return {
      {"softmax",
       [](const A& x, std::int64_t d) -> lazy<T> {
         auto e = exp(x - max(x, along(d)));
         return e / sum(e, along(d));
       },
       [](const A& x, std::int64_t d) -> A {
         const A m = max(x, along(d)), e = exp(x - m), s = sum(e, along(d));
         return e / s;
       }},
      {"log_softmax",
       [](const A& x, std::int64_t d) -> lazy<T> {
         auto z = x - max(x, along(d));
         return z - log(sum(exp(z), along(d)));
       },
       [](const A& x, std::int64_t d) -> A {
         const A m = max(x, along(d)), z = x - m, e = exp(z), s = sum(e, along(d));
         return z - log(s);
       }},
      {"logsumexp",
       [](const A& x, std::int64_t d) -> lazy<T> {
         auto m = max(x, along(d));
         return log(sum(exp(x - m), along(d))) + m;
       },
       [](const A& x, std::int64_t d) -> A {
         const A m = max(x, along(d)), e = exp(x - m), s = sum(e, along(d));
         return log(s) + m;
       }},
  };
}

template <class T>
std::vector<known<T>> known_moments() {
  using A = array<T>;
  return {
      {"standardised",
       [](const A& x, std::int64_t d) -> lazy<T> {
         auto z = x - mean(x, along(d));
         return z / sqrt(mean(z * z, along(d)) + T(1e-5));
       },
       [](const A& x, std::int64_t d) -> A {
         const A m = mean(x, along(d)), z = x - m, q = z * z, v = mean(q, along(d));
         return z / sqrt(v + T(1e-5));
       }},
      {"over its norm", [](const A& x, std::int64_t d) -> lazy<T> { return x / sqrt(sum(x * x, along(d)) + T(1e-9)); },
       [](const A& x, std::int64_t d) -> A {
         const A q = x * x, s = sum(q, along(d));
         return x / sqrt(s + T(1e-9));
       }},
      {"a covariance with its own square",
       [](const A& x, std::int64_t d) -> lazy<T> {
         auto y = x * x;
         return mean((x - mean(x, along(d))) * (y - mean(y, along(d))), along(d));
       },
       [](const A& x, std::int64_t d) -> A {
         const A y = x * x, a = x - mean(x, along(d)), b = y - mean(y, along(d)), p = a * b;
         return mean(p, along(d));
       }},
  };
}

template <class T>
known<T> known_softmax_of_a_softmax() {
  using A = array<T>;
  return {"a softmax of a softmax",
          [](const A& x, std::int64_t d) -> lazy<T> {
            auto e = exp(x - max(x, along(d)));
            auto s = e / sum(e, along(d));
            auto f = exp(s - max(s, along(d)));
            return f / sum(f, along(d));
          },
          [](const A& x, std::int64_t d) -> A {
            const A m = max(x, along(d)), e = exp(x - m), t = sum(e, along(d)), s = e / t;
            const A n = max(s, along(d)), f = exp(s - n), u = sum(f, along(d));
            return f / u;
          }};
}

template <class T>
std::vector<known<T>> all_known() {
  std::vector<known<T>> all = known_softmaxes<T>();
  for (const known<T>& k : known_moments<T>()) all.push_back(k);
  all.push_back(known_softmax_of_a_softmax<T>());
  return all;
}

template <class T>
double difference(const array<T>& a, const array<T>& b) {
  CHECK(a.shape() == b.shape());
  double most = 0;
  const std::vector<T> x = a.get(), y = b.get();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double off = std::fabs(static_cast<double>(x[i]) - static_cast<double>(y[i]));
    const double size = std::fabs(static_cast<double>(y[i]));
    most = std::fmax(most, off / std::fmax(1.0, size));
    if (std::isnan(x[i]) != std::isnan(y[i])) most = 1e9;
  }
  return most;
}

template <class E>
bool every(const E& e) {
  return all(e).item();
}

template <class T>
void check(const array<T>& x, std::int64_t axis, double allowed) {
  for (auto number = static_cast<unsigned>(x.shape()[0] + x.shape()[x.ndim() - 1]);
       const known<T>& k : all_known<T>()) {
    if (!takes_in_turn(number++)) continue;
    CAPTURE(k.name);
    CAPTURE(axis);
    CAPTURE(x.shape()[0]);
    CAPTURE(x.shape()[x.ndim() - 1]);
    array<T> fused;
    const std::int64_t launches = launches_of([&] { fused = k.fused(x, axis); });
    CHECK(launches == 1);
    CHECK(difference(fused, k.steps(x, axis)) <= allowed);
  }
}

}  // namespace

TEST_CASE("rows: of every length, along the inner axis and the outer one, are one kernel") {
  for (const std::int64_t length : {1, 2, 3, 5, 16, 31, 64, 100, 257, 1000, 1024, 4096}) {
    check(noise<float>({3, length}), 1, 4e-6);
    check(noise<float>({length, 3}), 0, 4e-6);
  }
  for (const std::int64_t length : {1, 7, 256, 1500}) {
    check(noise<double>({5, length}), -1, 1e-13);
    check(noise<double>({length, 40}), 0, 1e-13);
  }
}

TEST_CASE("rows: longer than what a thread keeps, and many of them") {
  check(noise<float>({2, 20'000}), 1, 2e-5);
  check(noise<float>({6'000, 9}), 0, 2e-5);
  check(noise<float>({700, 33}), 1, 4e-6);
  check(noise<float>({33, 700}), 0, 4e-6);
}

// A GPU's block would have a few such columns only: there they take a kernel for each fold.
TEST_CASE("rows: columns that are long and many") {
  const array<float> x = noise<float>({1'100, 1'000});
  for (const known<float>& k : all_known<float>()) {
    CAPTURE(k.name);
    array<float> fused;
    CHECK(launches_of([&] { fused = k.fused(x, 0); }) <= 3);
    CHECK(difference(fused, k.steps(x, 0)) <= 2e-5);
  }
}

TEST_CASE("rows: in the middle, of several axes, through views") {
  check(noise<float>({4, 30, 6}), 1, 4e-6);
  check(array<float>(noise<float>({9, 40}).T()), 1, 4e-6);
  const array<float> wide = noise<float>({12, 51});
  check(array<float>(wide(slice(1, 9), slice(3, 40))), 1, 4e-6);
  const array<float> x = wide(_, slice(1, _, 2));  // a view: its rows are strided
  check(x, 1, 4e-6);
  const array<float> y = wide.T();
  check(y, 1, 4e-6);
  check(y, 0, 4e-6);
}

TEST_CASE("rows: over two axes of four, and over all") {
  const array<float> x = noise<float>({3, 8, 5, 10});
  for (const axes& over : {axes{0, 2}, axes{1, 3}, axes{2, 3}, axes{0, 1}, axes{0, 1, 2, 3}}) {
    const reduce_options how{.axis = over, .keepdims = true};
    auto z = x - mean(x, how);
    array<float> fused;
    CHECK(launches_of([&] { fused = z / sqrt(mean(z * z, how)); }) == 1);
    const array<float> m = mean(x, how), d = x - m, q = d * d, v = mean(q, how);
    CHECK(difference<float>(fused, d / sqrt(v)) <= 4e-6);
  }
}

TEST_CASE("rows: several results of one kernel, at every point and for each row") {
  const array<float> x = noise<float>({40, 65});
  auto m = mean(x, along(1));
  auto z = x - m;
  auto v = mean(z * z, along(1));
  array<float> a, b, c;
  CHECK(launches_of([&] {
          auto [p, q, r] = eval(z / sqrt(v), m, v);
          a = p, b = q, c = r;
        }) == 1);
  const array<float> wanted_m = m, wanted_z = x - wanted_m, wanted_v = mean(wanted_z * wanted_z, along(1));
  CHECK(difference<float>(a, wanted_z / sqrt(wanted_v)) <= 4e-6);
  CHECK(difference<float>(b, wanted_m) <= 1e-6);
  CHECK(difference<float>(c, wanted_v) <= 4e-6);
}

TEST_CASE("rows: integers and truth values are exact") {
  std::vector<std::int32_t> all;
  for (int i = 0; i < 21 * 50; ++i) all.push_back(i * 7919 % 1013 - 500);
  const array<std::int32_t> x = asarray(all, shape{21, 50});
  for (const std::int64_t d : {0, 1}) {
    array<std::int32_t> fused;
    CHECK(launches_of([&] { fused = (x - min(x, along(d))) * 3 + max(x, along(d)); }) == 1);
    const array<std::int32_t> low = min(x, along(d)), high = max(x, along(d));
    CHECK(every(fused == (x - low) * 3 + high));
    array<bool> above;
    CHECK(launches_of([&] { above = (x > 0) == any(x > 400, along(d)); }) == 1);
    const array<bool> some = any(x > 400, along(d));
    CHECK(every(above == ((x > 0) == some)));
  }
}

TEST_CASE("rows: of which one has NaN, or of no length, are as the steps") {
  array<float> x = noise<float>({3, 20});
  x(1, 4) = std::nanf("");
  check(x, 1, 4e-6);
  const array<float> none = zeros<float>({0, 5});
  CHECK(array<float>(none - sum(none, along(0))).shape() == shape{0, 5});
  const array<float> empty_rows = zeros<float>({5, 0});
  const array<float> r = empty_rows / sum(empty_rows, along(1));
  CHECK(r.shape() == shape{5, 0});
  auto [points, sums] = eval(empty_rows - sum(empty_rows, along(1)), sum(empty_rows, along(1)));
  CHECK(every(sums == 0.0f));
}

TEST_CASE("rows: of no elements read none, where parts are joined") {
  const array<std::complex<double>> none = zeros<std::complex<double>>({0});
  const auto joined = stack(tuple(none, none, none), 0);
  CHECK(array<std::complex<double>>(none + any(joined, along(1))).shape() == shape{3, 0});
  const array<float> few = zeros<float>({0});
  const auto rows = stack(tuple(few, few + 1), 0);
  const auto [all, sums] = eval(rows - sum(rows, along(1)), sum(rows, along(1)));
  CHECK(all.shape() == shape{2, 0});
  CHECK(sums.get() == std::vector<float>{0, 0});
}

TEST_CASE("rows: stored over what they are made of") {
  const array<float> start = noise<float>({16, 30});
  for (const std::int64_t d : {0, 1}) {
    const array<float> m = mean(start, along(d)), wanted = start - m;
    array<float> x = start + 0.0f;
    x(ellipsis) = x - mean(x, along(d));
    CHECK(difference(x, wanted) <= 2e-6);
    array<float> y = start + 0.0f;
    y -= mean(y, along(d));
    CHECK(difference(y, wanted) <= 2e-6);
  }
  // Each row's result is made of a column: rows cannot be written before all columns are read.
  const array<float> square_of = noise<float>({24, 24});
  array<float> x = square_of + 0.0f;
  const array<float> s = sum(square_of * square_of.T(), along(1)), wanted = square_of / s;
  x(ellipsis) = x / sum(x * x.T(), along(1));
  CHECK(difference(x, wanted) <= 2e-5);
}

TEST_CASE("rows: results that are used along other rows need a kernel of their own") {
  const array<float> x = noise<float>({20, 30});
  const array<float> a = mean(x, along(1)), b = x - a, c = mean(b, along(0)), wanted = b - c;
  auto centred = x - mean(x, along(1));
  array<float> both;
  CHECK(launches_of([&] { both = centred - mean(centred, along(0)); }) == 2);
  CHECK(difference(both, wanted) <= 2e-6);
  const array<float> y = noise<float>({20, 20});
  const array<float> m = mean(y, 1), turned = y - m;  // along the wrong axis: column j takes the mean of row j
  CHECK(difference<float>(array<float>(y - mean(y, 1)), turned) <= 2e-6);
}

TEST_CASE("rows: too long for a block are shared out, with the same values") {
  const array<float> x = noise<float>({2, 300'000});
  auto e = x * x;
  const array<float> s = sum(e, along(1)), wanted = e / s;
  array<float> fused;
  CHECK(launches_of([&] { fused = e / sum(e, along(1)); }) == 2);
  CHECK(difference(fused, wanted) <= 1e-9);
}

TEST_CASE("rows: another shape of what a reduction over no axis gives is made after it") {
  const array<float> x = noise<float>({6});
  auto same = sum(x, {.axis = {}});
  auto [count, pairs] = eval(arange(6).reshape({3, 2}), same.reshape({2, 3}));
  CHECK(count(2, 1).item() == 5);
  CHECK(every(pairs == x.reshape({2, 3})));
}

TEST_CASE("rows: many short ones, wherever they begin, go through shared memory in turns") {
  const array<float> all = noise<float>({700'003, 3});
  for (const std::int64_t first : {0, 1}) {
    const array<float> x = all(slice(first, _)), squares = x * x, sums = sum(squares, along(1)), norms = sqrt(sums);
    array<float> fused, in_place = x + 0.0f;
    CHECK(launches_of([&] { fused = x / sqrt(sum(x * x, along(1))); }) == 1);
    CHECK(difference(fused, array<float>(x / norms)) <= 1e-6);
    in_place(ellipsis) = in_place / sqrt(sum(in_place * in_place, along(1)));
    CHECK(every(in_place == fused));
  }
}
