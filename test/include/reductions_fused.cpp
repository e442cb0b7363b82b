// Reductions with work before and after them: one kernel where the result's shape allows it, the same values either
// way. And how accurate they are: long sums, variances far from zero.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>

#include "test/include/looking.hpp"
#include "test/include/reference.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

template <class T>
array<T> noise(const shape& s, double scale = 1, double offset = 0) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<T> all(static_cast<std::size_t>(s.elements()));
  for (T& x : all) x = static_cast<T>(offset + scale * normal(random));
  return asarray(all, s);
}

template <class E>
double error_of(const E& e, const tensor& wanted, exact floor = 1) {
  return worst(value_of(e), wanted, floor);
}

tensor with(tensor t, exact (*f)(exact)) {
  for (exact& x : t.at) x = f(x);
  return t;
}

/// The kernels an expression becomes.
template <class E>
int kernels_of(const E& e) {
  return times_in(dump(e).c_str(), ": IR ====");
}

}  // namespace

TEST_CASE("reductions: work before and after is part of the kernel") {
  const array<float> a = noise<float>({30, 200});
  const array<float> row = noise<float>({30});
  const tensor squares = with(value_of(a), [](exact x) { return x * x; });
  struct one {
    std::string name;
    lazy<float> e;
    tensor wanted;
  };
  tensor shifted = reduced(squares, fold::sum, 0b10);
  for (std::size_t i = 0; i < shifted.at.size(); ++i) shifted.at[i] = std::sqrt(shifted.at[i]) + value_of(row).at[i];
  const one all[] = {
      {"norm of rows", sqrt(sum(a * a, -1)),
       with(reduced(squares, fold::sum, 0b10), [](exact x) { return std::sqrt(x); })},
      {"norm of columns", sqrt(sum(a * a, 0)),
       with(reduced(squares, fold::sum, 0b01), [](exact x) { return std::sqrt(x); })},
      {"norm of all", sqrt(sum(square(a))),
       with(reduced(squares, fold::sum, 0b11), [](exact x) { return std::sqrt(x); })},
      {"kept axes", 1 / max(a, {.axis = 1, .keepdims = true}),
       with(reduced(value_of(a), fold::max, 0b10, true), [](exact x) { return 1 / x; })},
      {"an operand of the result's shape", sqrt(sum(a * a, -1)) + row, shifted},
      {"a part of the result's operands", sqrt(sum(a * a, -1)) + row.reshape({30, 1}).T()(0), shifted},
      {"two of one input", max(a, 1) - min(a, 1),
       [&] {
         tensor high = reduced(value_of(a), fold::max, 0b10);
         const tensor low = reduced(value_of(a), fold::min, 0b10);
         for (std::size_t i = 0; i < high.at.size(); ++i) high.at[i] -= low.at[i];
         return high;
       }()},
      {"a reduction and scalars", 2 * mean(a) + 1,
       with(reduced(value_of(a), fold::mean, 0b11), [](exact x) { return 2 * x + 1; })},
      {"a logarithm of a sum of exponentials", log(sum(exp(a), 1)),
       with(reduced(with(value_of(a), [](exact x) { return std::exp(x); }), fold::sum, 0b10),
            [](exact x) { return std::log(x); })},
  };
  for (const one& o : all) {
    CAPTURE(o.name);
    CHECK(kernels_of(o.e) == 1);
    array<float> result = o.e;
    CHECK(launches_of([&] { result = o.e; }) == 1);
    CHECK(error_of(result, o.wanted) < 2e-6);
  }
}

TEST_CASE("reductions: several results of one pass") {
  const array<float> a = noise<float>({20, 500}, 3, 1);
  const auto [first_mean, first_deviation] = eval(mean(a), stddev(a));
  CHECK(launches_of([&] { eval(mean(a), stddev(a)); }) == 1);
  CHECK(error_of(first_mean, reduced(value_of(a), fold::mean, 0b11)) < 1e-6);
  CHECK(error_of(first_deviation, reduced(value_of(a), fold::stddev, 0b11)) < 1e-6);
  CHECK(launches_of([&] {
          auto t = exp(a);
          const auto [m, v, low, high, total] = eval(mean(a, 1), var(a, 1), min(a, 1), max(a, 1), sum(t, 1));
          CHECK(error_of(v, reduced(value_of(a), fold::var, 0b10)) < 1e-6);
          CHECK(error_of(high, reduced(value_of(a), fold::max, 0b10)) == 0);
          CHECK(m.shape() == shape{20});
        }) == 1);
  // Results of two shapes need two kernels, and are right.
  const auto [rows, columns, all] = eval(sum(a, 1), sum(a, 0), sum(a));
  CHECK(error_of(rows, reduced(value_of(a), fold::sum, 0b10), 100) < 1e-6);
  CHECK(error_of(columns, reduced(value_of(a), fold::sum, 0b01), 100) < 1e-6);
  CHECK(error_of(all, reduced(value_of(a), fold::sum, 0b11), 100) < 1e-5);
}

TEST_CASE("reductions: results that broadcast back over what they came from") {
  const array<double> a = noise<double>({15, 40}, 2, 10);
  const auto standardised = [](const tensor& t, unsigned mask) {
    const tensor m = reduced(t, fold::mean, mask, true), s = reduced(t, fold::stddev, mask, true);
    tensor out = t;
    for (std::size_t i = 0; i < t.at.size(); ++i) {
      const std::size_t row = i / 40, column = i % 40, at = mask == 0b10 ? row : mask == 0b01 ? column : 0;
      out.at[i] = (t.at[i] - m.at[at]) / s.at[at];
    }
    return out;
  };
  const tensor t = value_of(a);
  auto rows = (a - mean(a, {.axis = 1, .keepdims = true})) / stddev(a, {.axis = 1, .keepdims = true});
  auto columns = (a - mean(a, {.axis = 0, .keepdims = true})) / stddev(a, {.axis = 0, .keepdims = true});
  auto dropped = (a - mean(a, 0)) / stddev(a, 0);
  auto all = (a - mean(a)) / stddev(a);
  CHECK(error_of(rows, standardised(t, 0b10)) < 1e-13);
  CHECK(error_of(columns, standardised(t, 0b01)) < 1e-13);
  CHECK(error_of(dropped, standardised(t, 0b01)) < 1e-13);
  CHECK(error_of(all, standardised(t, 0b11)) < 1e-13);
  // Mean and deviation are one pass, so there are two kernels at most.
  CHECK(kernels_of(rows) <= 2);
  CHECK(kernels_of(columns) <= 2);
  CHECK(kernels_of(all) <= 2);
  // Rows that would sum up to another row: nothing of the wrong axis may be joined.
  const array<double> square = noise<double>({12, 12});
  auto both = square / sum(square, 0) + square / sum(square, {.axis = 1, .keepdims = true});
  const tensor q = value_of(square), down = reduced(q, fold::sum, 0b01), across = reduced(q, fold::sum, 0b10);
  tensor wanted = q;
  for (std::size_t i = 0; i < 144; ++i) wanted.at[i] = q.at[i] / down.at[i % 12] + q.at[i] / across.at[i / 12];
  CHECK(error_of(both, wanted) < 1e-11);
  auto crossed = sum(square, 0)(_, newaxis) + sum(square, 1);
  for (std::size_t i = 0; i < 144; ++i) wanted.at[i] = down.at[i / 12] + across.at[i % 12];
  CHECK(error_of(crossed, wanted) < 1e-13);
  auto reversed = sum(square, 1)(slice(_, _, -1)) - sum(square, 1);
  CHECK(value_of(reversed).at[0] == doctest::Approx(static_cast<double>(across.at[11] - across.at[0])));
  auto mirrored = square + sum(square, 0)(slice(_, _, -1)) * sum(square, 0);  // one result, read in two ways
  for (std::size_t i = 0; i < 144; ++i) wanted.at[i] = q.at[i] + down.at[11 - i % 12] * down.at[i % 12];
  CHECK(error_of(mirrored, wanted) < 1e-12);
}

TEST_CASE("reductions: softmax, and reductions of reductions") {
  const array<float> a = noise<float>({8, 50}, 5);
  auto e = exp(a - max(a, {.axis = 1, .keepdims = true}));
  auto softmax = e / sum(e, {.axis = 1, .keepdims = true});
  const tensor got = value_of(softmax), t = value_of(a);
  for (std::size_t row = 0; row < 8; ++row) {
    exact top = -1e30L, total = 0;
    for (std::size_t i = 0; i < 50; ++i) top = std::fmax(top, t.at[row * 50 + i]);
    for (std::size_t i = 0; i < 50; ++i) total += std::exp(t.at[row * 50 + i] - top);
    for (std::size_t i = 0; i < 50; i += 7)
      CHECK(static_cast<double>(got.at[row * 50 + i]) ==
            doctest::Approx(static_cast<double>(std::exp(t.at[row * 50 + i] - top) / total)).epsilon(1e-5));
  }
  CHECK(error_of(sum(softmax, 1), tensor{shape{8}, std::vector<exact>(8, 1)}) < 1e-6);
  CHECK(mean(max(a, 1) - min(a, 1)).item() > 0);
  CHECK(error_of(max(mean(a, 1)), reduced(reduced(t, fold::mean, 0b10), fold::max, 1)) < 1e-6);
  CHECK(error_of(stddev(a - mean(a, {.axis = 1, .keepdims = true}), {.axis = 1}), reduced(t, fold::stddev, 0b10)) <
        1e-6);
}

TEST_CASE("reductions: long sums keep their digits") {
  // The bounds are those of sixteen running sums over parts: a plain running sum would be off by 0.3% and by 1e-2
  // absolutely. The interpreter is one running sum, in order.
  const bool plain = device::current() == device::interpreter();
  const array<float> tenth = full<float>({1 << 20}, 0.1f);
  const double wanted = static_cast<double>(0.1f) * (1 << 20);
  CHECK(std::abs(sum(tenth).item() - wanted) / wanted < (plain ? 5e-2 : 1e-5));
  CHECK(std::abs(mean(tenth).item() - 0.1f) < (plain ? 5e-3 : 1e-6));
  const array<float> rows = full<float>({70, 100'000}, 0.1f);
  CHECK(worst(value_of(mean(rows, 1)), tensor{shape{70}, std::vector<exact>(70, 0.1f)}, 0.1L) < (plain ? 2e-2 : 2e-3));
  const array<double> doubles = full<double>({1 << 20}, 0.1);
  CHECK(std::abs(sum(doubles).item() - 0.1 * (1 << 20)) < 1e-4);
  CHECK(sum(array<float>{1e8f, 1, -1e8f}).dtype() == dtype::float32);
}

TEST_CASE("reductions: variance of numbers far from zero") {
  for (const shape& s : {shape{1000}, shape{40'000}}) {
    const array<double> far = noise<double>(s, 1, 1e8);
    CHECK(error_of(var(far), reduced(value_of(far), fold::var, 1), 1e-30L) < 1e-9);
    CHECK(error_of(stddev(far), reduced(value_of(far), fold::stddev, 1), 1e-30L) < 1e-9);
    const array<float> near = noise<float>(s, 1, 1e4);
    CHECK(error_of(var(near), reduced(value_of(near), fold::var, 1), 1e-30L) < 1e-6);
    array<double> outlier = noise<double>(s, 1, 0);
    outlier(0) = 1e6;
    CHECK(error_of(var(outlier), reduced(value_of(outlier), fold::var, 1), 1e-30L) < 1e-9);
    outlier(0) = 1e10;
    CHECK(error_of(var(outlier), reduced(value_of(outlier), fold::var, 1), 1e-30L) < 1e-9);
    array<float> first = noise<float>(s, 1, 0);
    first(0) = 1e4f;
    CHECK(error_of(var(first), reduced(value_of(first), fold::var, 1), 1e-30L) < 1e-6);
  }
  const array<double> rows = noise<double>({6, 300}, 0.5, -3e7);
  CHECK(error_of(var(rows, 1), reduced(value_of(rows), fold::var, 0b10), 1e-30L) < 1e-9);
  CHECK(error_of(var(rows, 0), reduced(value_of(rows), fold::var, 0b01), 1e-30L) < 1e-9);
  CHECK(var(full<double>({999}, 1e15 + 0.5)).item() == 0);
  CHECK(var(full<float>({999}, 3.3f)).item() == 0);
  CHECK(var(array<std::int64_t>{1'000'000'000'000, 1'000'000'000'002}).item() == 1);
  CHECK(var(array<std::uint8_t>{250, 5}).item() == 15006.25);  // the distance is not taken in 8 bits
  CHECK(std::isnan(var(array<double>{1, INFINITY, 2}).item()));
}

TEST_CASE("in strict mode a reduction has the same bits alone and beside others") {
  const rerun strict("strict process: reductions beside others", {{"SINTER_MATH", "strict"}});
  INFO(strict.output);
  CHECK(strict.ok);
}

TEST_CASE("strict process: reductions beside others" * doctest::skip()) {
  for (const shape& s : {shape{99, 3}, shape{3000, 5}, shape{300, 300}, shape{50, 1000}})
    for (const int axis : {0, 1}) {
      const array<double> x = sin(reshape(arange(s.elements()) * 1.0, s));
      const array<float> y = astype<float>(cos(x));
      const array<double> total = sum(x, {.axis = axis}), product = prod(x + 1.5, {.axis = axis});
      const array<float> narrow = sum(y, {.axis = axis});
      const auto [a, b, c, spread] =
          eval(sum(x, {.axis = axis}), prod(x + 1.5, {.axis = axis}), sum(y, {.axis = axis}), var(x, {.axis = axis}));
      INFO(s[0], " rows, axis ", axis, ", ", sum(spread).item());
      CHECK(array_equal(a, total).item());
      CHECK(array_equal(b, product).item());
      CHECK(array_equal(c, narrow).item());
    }
}
