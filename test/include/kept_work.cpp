// What takes long is computed once where a core uses it several times, and how the CPU goes along its maps: transposed operands,
// rows that are one stream, blocks that go through several functions. Every device gives the same values.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "test/include/looking.hpp"
#include "test/support/numpy_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

template <class T>
array<T> counted(const shape& s, int wrap) {
  std::vector<T> all(static_cast<std::size_t>(s.elements()));
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<T>(static_cast<int>(i % static_cast<std::size_t>(wrap)) - wrap / 3);
  return asarray(all, s);
}

void check_close(const array<float>& got, const array<float>& wanted) {
  REQUIRE(got.shape() == wanted.shape());
  const std::vector<float> a = got.get(), b = wanted.get();
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])) /
                                (1 + std::abs(static_cast<double>(b[i]))));
  CHECK(worst < 2e-6);
}

bool on_cpu() { return device::current().type() == device::kind::cpu; }

}  // namespace

TEST_CASE("kept work: a repeated expression that takes long is computed once on the CPU") {
  const array<float> x = counted<float>({48, 33}, 7), row = counted<float>({1, 33}, 5), y = counted<float>({48, 33}, 3);
  const array<float> e = exp(x), of_row = exp(row);
  check_close(repeat(exp(x), 4, 0), repeat(e, 4, 0));
  check_close(repeat(exp(x), 4, 1), repeat(e, 4, 1));
  check_close(tile(exp(x), {3, 2}), tile(e, {3, 2}));
  const auto named = exp(row);
  check_close(y * named + 1, y * of_row + 1);
  check_close(sum(y * named, 1), sum(y * of_row, 1));
  const int more = on_cpu() ? 1 : 0;
  CHECK(kept_launches_of([&] { array<float> r = repeat(exp(x), 4, 0); }) == 1 + more);
  CHECK(kept_launches_of([&] { array<float> r = y * named + 1; }) == 1 + more);
  CHECK(kept_launches_of([&] { array<float> r = repeat(x + 1, 4, 0); }) == 1);
  CHECK(kept_launches_of([&] { array<float> r = exp(x) * 2; }) == 1);
}

TEST_CASE(
    "kept work: searches, draws and functions with loops are computed once where they are gathered or stand in a "
    "column") {
  const array<double> sorted = linspace(0, 1, 1000), at = arange<double>(0, 600) * 0.0017, b = ones({600, 80});
  const array<std::int64_t> k = arange<std::int64_t>(0, 20'000) * 7 % 600, found = searchsorted(sorted, at);
  const array<double> logarithms = special::gammaln(at + 1), gammas = random::generator(3).gamma({600}, 2, 1);
  CHECK(array<std::int64_t>(searchsorted(sorted, at)(k)).get() == array<std::int64_t>(found(k)).get());
  CHECK(array<double>(special::gammaln(at + 1)(_, newaxis) + b).get() ==
        array<double>(logarithms(_, newaxis) + b).get());
  CHECK(array<double>(random::generator(3).gamma({600}, 2, 1)(_, newaxis) * b).get() ==
        array<double>(gammas(_, newaxis) * b).get());
  const int more = on_cpu() ? 1 : 0;
  CHECK(kept_launches_of([&] { array<std::int64_t> r = searchsorted(sorted, at)(k); }) == 1 + more);
  CHECK(kept_launches_of([&] { array<double> r = special::gammaln(at + 1)(_, newaxis) + b; }) == 1 + more);
  CHECK(kept_launches_of([&] { array<double> r = exp(at)(_, newaxis) + b; }) == 1);  // before the loop, by the compiler
}

TEST_CASE("kept work: what is made of a row that all rows read is computed once by the kernel") {
  for (const auto& [rows, length] : {std::pair<std::int64_t, std::int64_t>{2, 70}, {70, 3}, {200, 33}, {9, 20'000}}) {
    CAPTURE(rows);
    CAPTURE(length);
    const array<float> a = counted<float>({rows, length}, 13), row = counted<float>({1, length}, 31) * 0.1f;
    const array<float> wide = counted<float>({1, 2 * length}, 7) * 0.1f, of_row = exp(row),
                       of_wide = log(wide * wide + 1);
    check_close(a * exp(row) + row, a * of_row + row);
    check_close(exp(row) + exp(row) * a * log(wide(_, slice(_, _, 2)) * wide(_, slice(_, _, 2)) + 1),
                of_row + of_row * a * of_wide(_, slice(_, _, 2)));
    check_close(broadcast_to(exp(row), {rows, length}) * 2, of_row * 2 + a * 0);
    CHECK(kept_launches_of([&] { array<float> r = a * exp(row) + row; }) == 1);
    // One element beside the row is the same for all rows, too.
    const array<float> one = sum(row);
    check_close(a + arctan2(row, one), a + array<float>(arctan2(row, one)));
    check_close(broadcast_to(arctan2(row, one), {rows, length}) + one, array<float>(arctan2(row, one)) + one + a * 0);
    // Indices along a row are such a row: a window, forwards and backwards, beside what tells rows apart.
    const array<float> window = astype<float>(hanning(length)),
                       down = arange<float>(static_cast<float>(rows)).reshape(rows, 1);
    check_close(a * astype<float>(hanning(length)) + row, a * window + row);
    check_close(a * flip(astype<float>(hanning(length)), 0) + down, a * array<float>(flip(window, 0)) + down);
    CHECK(kept_launches_of([&] { array<float> r = a * astype<float>(hanning(length)); }) == 1);
  }
}

TEST_CASE("kept work: a window made of indices is computed once for all rows in C") {
  for (const std::int64_t length : {600, 40}) {
    const array<double> x = ones<double>({9, length});
    const std::string text = dump(x * hanning(length)).c_str();
    CHECK(text.find("const long long count = n1 - left") != std::string::npos);
  }
}

TEST_CASE("kept work: a node that is used through several views is computed once on the CPU") {
  const array<float> x = counted<float>({60, 41}, 7), y = counted<float>({59, 41}, 11);
  const array<float> stored = exp(x);
  const auto e = exp(x);
  check_close(roll(e, 1) - e, roll(stored, 1) - stored);
  check_close(roll(e, 3, 1) + e * 2, roll(stored, 3, 1) + stored * 2);
  check_close(e(slice(1, _)) - e(slice(_, -1)) * y, stored(slice(1, _)) - stored(slice(_, -1)) * y);
  const auto nested = exp(roll(e, 2) * 0.1 - e * 0.1);
  const array<float> stored_nested = exp(roll(stored, 2) * 0.1 - stored * 0.1);
  check_close(nested + roll(nested, 5), stored_nested + roll(stored_nested, 5));
  check_close(sum(roll(e, 1) * e, 0), sum(roll(stored, 1) * stored, 0));
  const array<float> top = max(x, 1);
  check_close(cumsum(roll(e, 1) - e, 1), cumsum(roll(stored, 1) - stored, 1));
  const int more = on_cpu() ? 1 : 0;
  CHECK(kept_launches_of([&] { array<float> r = roll(e, 1) - e; }) == 1 + more);
  CHECK(kept_launches_of([&] { array<float> r = roll(exp(x), 1); }) == 1);
}

TEST_CASE_TEMPLATE("layouts: transposed operands of every size of edge", T, float, double, std::int16_t, std::int64_t) {
  for (const std::int64_t n : {1, 7, 16, 31, 32, 33, 70}) {
    for (const std::int64_t m : {16, 17, 40, 64, 67}) {
      CAPTURE(n);
      CAPTURE(m);
      const array<T> a = counted<T>({n, m}, 23), b = counted<T>({m, n}, 19), c = counted<T>({2, m, n}, 17);
      const std::vector<T> x = a.get(), y = b.get(), z = c.get();
      const array<T> turned = a + b.T(), planes = c.transpose({0, 2, 1}) - a;
      const std::vector<T> r = turned.get(), p = planes.get();
      int wrong = 0;
      const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < m; ++j) {
          wrong += r[at(i * m + j)] != static_cast<T>(x[at(i * m + j)] + y[at(j * n + i)]);
          for (std::int64_t k = 0; k < 2; ++k)
            wrong += p[at((k * n + i) * m + j)] != static_cast<T>(z[at((k * m + j) * n + i)] - x[at(i * m + j)]);
        }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE_TEMPLATE("layouts: rows that are one stream, with a row that all of them read", T, float, double, std::int8_t,
                   std::int32_t) {
  for (const std::int64_t length : {2, 3, 5, 8, 9, 24, 63, 64, 65}) {
    for (const std::int64_t rows : {63, 64, 65, 200}) {
      CAPTURE(length);
      CAPTURE(rows);
      const array<T> a = counted<T>({rows, length}, 11), wide = counted<T>({1, 2 * length}, 7),
                     one = counted<T>({1, length}, 5);
      const auto other = wide(_, slice(_, _, 2));
      const std::vector<T> x = a.get(), v = wide.get(), w = one.get();
      array<T> r = a * one - other;
      std::vector<T> got = r.get();
      int wrong = 0;
      for (std::size_t i = 0; i < got.size(); ++i) {
        const std::size_t l = i % static_cast<std::size_t>(length);
        wrong += got[i] != static_cast<T>(static_cast<T>(x[i] * w[l]) - v[2 * l]);
      }
      CHECK(wrong == 0);
      r(ellipsis) = r + one;  // in place
      const std::vector<T> again = r.get();
      for (std::size_t i = 0; i < got.size(); ++i)
        wrong += again[i] != static_cast<T>(got[i] + w[i % static_cast<std::size_t>(length)]);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("maps: elements that go through several functions, in blocks and what is left of them") {
  for (const std::int64_t n : {1, 127, 128, 129, 1000}) {
    CAPTURE(n);
    const array<float> x = counted<float>({n}, 40) * 0.05;
    const array<double> wide = x.astype<double>();
    const auto of = [](const auto& v) { return sin(exp(v * 0.5) + log(v * v + 1)) * erf(v) - tanh(v); };
    check_close(of(x), of(wide).template astype<float>());
    array<float> in_place = x;
    in_place(ellipsis) = of(in_place);
    check_close(in_place, of(x));
  }
}

TEST_CASE("erf: float32 is what float64 is, rounded") {
  std::vector<float> all;
  for (float v = 1e-6f; v < 6; v *= 1.0007f) all.push_back(v), all.push_back(-v);
  for (const float v : {0.0f, -0.0f, INFINITY, -INFINITY}) all.push_back(v);
  const std::vector<float> got = array<float>(erf(asarray(all))).get();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double wanted = std::erf(static_cast<double>(all[i]));
    CHECK(std::signbit(got[i]) == std::signbit(all[i]));
    CHECK(std::abs(got[i] - wanted) <= 5 * 0x1p-24 * std::max(2 * std::abs(wanted), 1e-30));
    CHECK(std::abs(got[i]) <= 1);
  }
  CHECK(std::isnan(array<float>(erf(asarray(std::vector<float>(3, NAN)))).get()[1]));
}

TEST_CASE("kept work: what is used at few points besides is not put into memory") {
  const array<float> x = counted<float>({60, 67}, 7);
  const auto e = exp(x);
  CHECK(kept_launches_of([&] { array<float> r = e - e(0, 0); }) == 1);
  CHECK(kept_launches_of([&] { array<float> r = e - e(_, slice(_, 1)); }) == 1);
  CHECK(kept_launches_of([&] { array<float> r = sum(e - e(0, 0)); }) == 1);
  // Near 55 a last bit of exp, which one and several elements at a time may have different, is 4e-6; 64 is above all of them.
  check_close((e - e(_, slice(_, 1))) / 64, (array<float>(e) - array<float>(e)(_, slice(_, 1))) / 64);
}
