// The interpreter against loops written out: maps, layouts, reductions, positions, and how arguments are laid out.
#include "codegen/ir/interpret.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "test/codegen/ir/small_kernel.hpp"

namespace {

using namespace sinter::test;
using sinter::dtype;
using sinter::op;
using sinter::codegen::variant;
using sinter::detail::reduction;

constexpr dtype f32 = dtype::float32, f64 = dtype::float64, i32 = dtype::int32, i64 = dtype::int64;

variant layout(int rank, int reduced, std::vector<access> operands) {
  variant v;
  v.rank = static_cast<std::uint8_t>(rank);
  v.reduced = static_cast<std::uint8_t>(reduced);
  v.operands = std::move(operands);
  return v;
}

void run(const call& c) {
  sinter::codegen::verify(c.k);
  std::int64_t points = 1;
  for (int axis = 0; axis < c.v.rank - c.v.reduced; ++axis) points *= c.extents[axis];
  sinter::codegen::interpret(c.k, c.v, c.block().data(), 0, points);
}

template <class T>
std::vector<T> counted(int n, double first = 0, double step = 1) {
  std::vector<T> v(n);
  for (int k = 0; k < n; ++k) v[k] = static_cast<T>(first + k * step);
  return v;
}

sinter::codegen::kernel scaled_sum() {  // x * s + y
  kernel_builder b;
  const auto x = b.input(f32), y = b.input(f32), s = b.scalar(f32);
  return b.gives({b.apply(op::add, b.apply(op::multiply, x, s), y)});
}

}  // namespace

TEST_CASE("a map over more points than a block") {
  const auto x = counted<float>(1000), y = counted<float>(1000, 5, -2);
  std::vector<float> out(1000);
  run(call{scaled_sum(),
           layout(1, 0, {access::unit, access::unit, access::unit}),
           {1000},
           {{x.data()}, {y.data()}, {out.data()}}}
          .with(3.0f));
  for (int k = 0; k < 1000; ++k) REQUIRE(out[k] == x[k] * 3 + y[k]);
}

TEST_CASE("a range of points writes those and no others") {
  const auto x = counted<float>(700), y = counted<float>(700);
  std::vector<float> out(700, -1);
  const call c = call{scaled_sum(),
                      layout(1, 0, {access::unit, access::unit, access::unit}),
                      {700},
                      {{x.data()}, {y.data()}, {out.data()}}}
                     .with(1.0f);
  sinter::codegen::interpret(c.k, c.v, c.block().data(), 299, 601);
  for (int k = 0; k < 700; ++k) REQUIRE(out[k] == (k >= 299 && k < 601 ? 2.0f * k : -1.0f));
}

TEST_CASE("a row, a column and one element broadcast over two axes") {
  const int rows = 37, columns = 41;
  const auto row = counted<double>(columns, 1), column = counted<double>(rows, 100, 10);
  const double one = 0.25;
  std::vector<double> out(rows * columns);
  kernel_builder b;
  const auto r = b.input(f64), c = b.input(f64), o = b.input(f64);
  const auto k = b.gives({b.apply(op::multiply, b.apply(op::add, r, c), o)});
  run({k,
       layout(2, 0, {access::unit, access::still, access::fixed, access::unit}),
       {rows, columns},
       {{row.data(), 0, {0, 1}}, {column.data(), 0, {1, 0}}, {&one}, {out.data(), 0, {columns, 1}}}});
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) REQUIRE(out[i * columns + j] == (row[j] + column[i]) * one);
}

TEST_CASE("strides of any sign, with indices of either width") {
  const int n0 = 3, n1 = 5, n2 = 7;
  const auto x = counted<std::int16_t>(n0 * n1 * n2);
  for (bool wide : {false, true}) {
    std::vector<std::int16_t> out(2 * n0 * n1 * n2, -1);
    kernel_builder b;
    variant v = layout(3, 0, {access::strided, access::strided});
    v.wide = wide;
    const auto k = b.gives({b.apply(op::negative, b.input(dtype::int16))});
    // Read transposed and, along the last axis, backwards; written to every second element.
    run({k,
         v,
         {n2, n1, n0},
         {{x.data() + (n0 - 1) * n1 * n2, 0, {1, n2, -n1 * n2}}, {out.data(), 0, {2 * n1 * n0, 2 * n0, 2}}}});
    for (int i = 0; i < n2; ++i)
      for (int j = 0; j < n1; ++j)
        for (int l = 0; l < n0; ++l) {
          const int at = 2 * ((i * n1 + j) * n0 + l);
          REQUIRE(out[at] == -x[(n0 - 1 - l) * n1 * n2 + j * n2 + i]);
          REQUIRE(out[at + 1] == -1);
        }
  }
}

TEST_CASE("several outputs, one of them over an input") {
  auto x = counted<std::int32_t>(600, -300);
  const auto before = x;
  std::vector<double> wide(600);
  std::vector<char> negative(600);
  kernel_builder b;
  const auto a = b.input(i32);
  const auto squared = b.apply(op::square, a);
  const auto zero = b.scalar(i32);
  const auto k = b.gives({squared, b.apply(op::sqrt, b.cast(squared, f64)), b.apply(op::less, a, zero)});
  variant v = layout(1, 0, {access::unit, access::unit, access::unit, access::unit});
  v.aliased = true;
  run(call{k, v, {600}, {{x.data()}, {x.data()}, {wide.data()}, {negative.data()}}}.with(std::int32_t{0}));
  for (int n = 0; n < 600; ++n) {
    REQUIRE(x[n] == before[n] * before[n]);
    REQUIRE(wide[n] == std::abs(before[n]));
    REQUIRE(negative[n] == (before[n] < 0));
  }
}

TEST_CASE("scalars of every size are found where natural alignment puts them") {
  kernel_builder b;
  const auto yes = b.scalar(dtype::bool_), half = b.scalar(f64), small = b.scalar(dtype::int8), x = b.scalar(f32);
  const auto sum = b.apply(op::add, b.apply(op::add, half, b.cast(small, f64)), b.cast(x, f64));
  const auto k = b.gives({b.apply(op::where, yes, sum, half)});
  double out = 0;
  run(call{k, layout(1, 0, {access::unit}), {1}, {{&out}}}.with(true).with(0.5).with(std::int8_t{-3}).with(8.0f));
  CHECK(out == 5.5);
}

TEST_CASE("positions count from their origin") {
  const int rows = 4, columns = 300;
  std::vector<std::int64_t> out(rows * columns);
  kernel_builder b;
  const auto k = b.gives({b.input(i64, true)});
  run({k,
       layout(2, 0, {access::strided, access::unit}),
       {rows, columns},
       {{nullptr, 7, {-1000, 3}}, {out.data(), 0, {columns, 1}}}});
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) REQUIRE(out[i * columns + j] == 7 - 1000 * i + 3 * j);
}

TEST_CASE("a mean over everything, with what comes before and after it") {
  const auto x = counted<float>(5000, 1);
  const float count = 5000;
  double out = 0;
  kernel_builder b;
  const auto total = b.reduce(reduction::sum, b.cast(b.apply(op::square, b.input(f32)), f64));
  const auto n = b.scalar(f32);
  const auto k = b.gives({b.apply(op::sqrt, b.apply(op::divide, total, b.cast(n, f64)))});
  run(call{k, layout(1, 1, {access::unit, access::fixed}), {5000}, {{x.data()}, {&out}}}.with(count));
  double expected = 0;
  for (float f : x) expected += double(f * f);
  CHECK(out == std::sqrt(expected / count));
}

TEST_CASE("rows and columns reduce to several results at once") {
  const int rows = 600, columns = 5;
  std::vector<float> x(rows * columns);
  for (int n = 0; n < rows * columns; ++n) x[n] = static_cast<float>((n * 7919) % 1000) - 500;
  kernel_builder b;
  const auto in = b.input(f32);
  const auto low = b.reduce(reduction::min, in), high = b.reduce(reduction::max, in);
  const auto k = b.gives({b.apply(op::subtract, high, low), low});
  for (bool by_columns : {false, true}) {
    const int kept = by_columns ? columns : rows, folded = by_columns ? rows : columns;
    std::vector<float> range(kept), lowest(kept);
    const std::int64_t kept_step = by_columns ? 1 : columns, folded_step = by_columns ? columns : 1;
    variant v = layout(
        2, 1, {access::unit, by_columns ? access::unit : access::still, by_columns ? access::unit : access::still});
    v.columns = by_columns;
    run({k,
         v,
         {kept, folded},
         {{x.data(), 0, {kept_step, folded_step}}, {range.data(), 0, {1, 0}}, {lowest.data(), 0, {1, 0}}}});
    for (int i = 0; i < kept; ++i) {
      float expected_low = x[i * kept_step], expected_high = expected_low;
      for (int j = 0; j < folded; ++j) {
        expected_low = std::min(expected_low, x[i * kept_step + j * folded_step]);
        expected_high = std::max(expected_high, x[i * kept_step + j * folded_step]);
      }
      REQUIRE(lowest[i] == expected_low);
      REQUIRE(range[i] == expected_high - expected_low);
    }
  }
}

TEST_CASE("what comes after a reduction may read an array of the kept axes") {
  const int rows = 300, columns = 3;
  const auto x = counted<std::int64_t>(rows * columns), bias = counted<std::int64_t>(rows, 1000);
  std::vector<std::int64_t> out(rows);
  kernel_builder b;
  const auto in = b.input(i64), after = b.input(i64);
  const auto k = b.gives({b.apply(op::add, b.reduce(reduction::sum, in), after)});
  run({k,
       layout(2, 1, {access::unit, access::still, access::still}),
       {rows, columns},
       {{x.data(), 0, {columns, 1}}, {bias.data(), 0, {1, 0}}, {out.data(), 0, {1, 0}}}});
  for (int i = 0; i < rows; ++i) REQUIRE(out[i] == x[3 * i] + x[3 * i + 1] + x[3 * i + 2] + bias[i]);
}

TEST_CASE("in order, two reduced axes fold in row-major order") {
  const auto x = counted<float>(2 * 20 * 30, 1);
  std::vector<float> out(2);
  kernel_builder b;
  const auto k = b.gives({b.reduce(reduction::sum, b.apply(op::reciprocal, b.input(f32)))});
  // The first reduced axis is the array's last one.
  variant in_order = layout(3, 2, {access::strided, access::still});
  in_order.in_order = true;
  run({k, in_order, {2, 30, 20}, {{x.data(), 0, {600, 1, 30}}, {out.data(), 0, {1, 0, 0}}}});
  for (int i = 0; i < 2; ++i) {
    float expected = 0;
    for (int j = 0; j < 30; ++j)
      for (int l = 0; l < 20; ++l) expected += 1 / x[i * 600 + l * 30 + j];
    CHECK(out[i] == expected);
  }
}

TEST_CASE("reductions over nothing give their identity") {
  const float none = 0;
  float sum = -1, prod = -1, low = -1, high = -1;
  char any = -1, all = -1;
  std::int32_t least = -1, most = -1;
  kernel_builder b;
  const auto x = b.input(f32), n = b.cast(x, i32), t = b.cast(x, dtype::bool_);
  const auto k = b.gives({b.reduce(reduction::sum, x), b.reduce(reduction::prod, x), b.reduce(reduction::min, x),
                          b.reduce(reduction::max, x), b.reduce(reduction::any, t), b.reduce(reduction::all, t),
                          b.reduce(reduction::min, n), b.reduce(reduction::max, n)});
  run({k,
       layout(1, 1, std::vector<access>(9, access::unit)),
       {0},
       {{&none}, {&sum}, {&prod}, {&low}, {&high}, {&any}, {&all}, {&least}, {&most}}});
  CHECK(sum == 0);
  CHECK(prod == 1);
  CHECK(low == std::numeric_limits<float>::infinity());
  CHECK(high == -std::numeric_limits<float>::infinity());
  CHECK(any == 0);
  CHECK(all == 1);
  CHECK(least == std::numeric_limits<std::int32_t>::max());
  CHECK(most == std::numeric_limits<std::int32_t>::lowest());
}

TEST_CASE("NaN wins a minimum, integers wrap, truth is found anywhere") {
  std::vector<float> x = counted<float>(500, 1);
  x[400] = std::numeric_limits<float>::quiet_NaN();
  float low = 0;
  std::uint8_t product = 0;
  char any = 0, all = 1;
  kernel_builder b;
  const auto in = b.input(f32), other = b.input(dtype::uint8);
  const auto k =
      b.gives({b.reduce(reduction::min, in), b.reduce(reduction::prod, other),
               b.reduce(reduction::any, b.apply(op::isnan, in)), b.reduce(reduction::all, b.apply(op::isfinite, in))});
  const std::vector<std::uint8_t> threes(500, 3);
  run({k,
       layout(1, 1, std::vector<access>(6, access::unit)),
       {500},
       {{x.data()}, {threes.data()}, {&low}, {&product}, {&any}, {&all}}});
  std::uint8_t expected = 1;
  for (std::uint8_t three : threes) expected = static_cast<std::uint8_t>(expected * three);
  CHECK(std::isnan(low));
  CHECK(product == expected);
  CHECK(any == 1);
  CHECK(all == 0);
}
