// Functions and reductions given as text are computed in the kernel of what they are part of, and have the values there that they
// have alone.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <sinter/elementwise_kernel.hpp>

#include "test/include/ordering.hpp"
#include "test/include/texts.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using floats = std::vector<float>;
using doubles = std::vector<double>;
using integers = std::vector<int>;

const elementwise_kernel<float(float, float)>& sqd() {
  static const elementwise_kernel<float(float, float)> f("x, y", "const float d = x - y;\nreturn d * d;", "sqd");
  return f;
}

// Evaluates in one launch.
template <class E>
auto in_one(E&& e) {
  array<detail::element_in<E>> value;
  CHECK(launches_of([&] { value = std::forward<E>(e); }) == 1);
  return value;
}

}  // namespace

TEST_CASE("fused texts: before and after, one launch") {
  if (!runs_text()) return;
  const array<float> x{1, 2, 3, 4}, y{4, 3, 2, 1};
  CHECK(in_one(sqd()(x + 1, y) * 2 - x).get() == floats{7, -2, 5, 28});
  CHECK(in_one(sqd()(sqd()(x, y), sqd()(y, 1))).get() == floats{0, 9, 0, 81});
  CHECK(in_one(sum(sqd()(x, y))).item() == 20);
  CHECK(in_one(sqrt(sum(sqd()(x + y, 1), 0)) + 1).item() == 9);
  auto named = sqd()(x, y);  // computed once in a kernel, for all of its uses
  CHECK(in_one(named * named + named).get() == floats{90, 2, 2, 90});
  CHECK(times_in(dump(named * named + named).c_str(), "= called0(") == 2);  // once in each dialect
}

TEST_CASE("fused texts: many arguments of different dtypes, numbers among them") {
  if (!runs_text()) return;
  const elementwise_kernel<double(float, std::int64_t, bool, double)> four("a, n, keep, s",
                                                                           "return keep ? a * n + s : -s;", "four");
  const array<float> a{1, 2, 3};
  const array<bool> keep{true, false, true};
  CHECK(in_one(four(a, 10, keep, 0.5) + 1).get() == doubles{11.5, 0.5, 31.5});
  CHECK(in_one(four(1.5, arange(3), true, full<float>({2, 1}, 1))).get() == doubles{1, 2.5, 4, 1, 2.5, 4});

  const elementwise_kernel<int(std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, int, std::uint32_t, float)>
      seven("a, b, c, d, e, f, g", "return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * (int)f + (int)g;");
  const array<int> n{1, 2};
  CHECK(in_one(seven(n, n, 1, n, n + 1, n, n * 2.5f) - 1).get() == integers{121112, 232126});
  CHECK(in_one(seven(1, 2, 3, 4, 5, 6, n)).get() == integers{654322, 654323});
}

TEST_CASE("fused texts: several results, together and apart") {
  if (!runs_text()) return;
  const elementwise_kernel<std::tuple<float, int>(float, float)> split(
      "x, y", "whole, rest", "rest = (int)(x / y);\nwhole = x - rest * y;", "split");
  const array<float> x{7, 8, 9};
  auto [whole, rest] = split(x, 4);
  CHECK(in_one(whole * 10 + rest).get() == doubles{31, 2, 12});
  array<float> first;
  array<int> second;
  CHECK(launches_of([&, &w = whole, &r = rest] { std::tie(first, second) = eval(w + 1, r * 2); }) == 1);
  CHECK(first.get() == floats{4, 1, 2});
  CHECK(second.get() == integers{2, 4, 4});
  CHECK(times_in(dump(whole * 10 + rest).c_str(), " = called0(") == 2);  // one call in each dialect
  CHECK(in_one(concatenate(tuple(whole, whole * 0 - rest))).get() == doubles{3, 0, 1, -1, -2, -2});
  CHECK(in_one(sum(whole) + max(rest)).item() == 6);
  CHECK(refusal([] { elementwise_kernel<std::tuple<int, int>(int)> two("x", "a", "a = x;", "two"); }) ==
        "sinter: the signature of the kernel \"two\" has 2 results, and \"a\" names 1");
}

TEST_CASE("fused texts: views of arguments and of calls; the place of an element stays its own") {
  if (!runs_text()) return;
  const array<float> x = arange<float>(12).reshape({3, 4}) + 0.0f;
  CHECK(in_one(sqd()(x.T(), 1).T()(1, slice(_, _, 2))).get() == floats{9, 25});
  CHECK(in_one(sqd()(x(_, slice(_, _, -1)), x)(0)).get() == floats{9, 1, 1, 9});
  CHECK(in_one(sqd()(x, x(slice(0, 1))).ravel()).get() == floats{0, 0, 0, 0, 16, 16, 16, 16, 64, 64, 64, 64});
  const elementwise_kernel<float(float)> place("x", "return x + 100 * i;", "place");
  CHECK(in_one(place(x).T()(1)).get() == floats{101, 505, 909});
  CHECK(in_one(place(x)(2, slice(1, 3)) + 0).get() == floats{909, 1010});
  CHECK(in_one(place(full<float>({2}, 1) + ones<float>({2, 1}))).get() == floats{2, 102, 202, 302});
}

TEST_CASE("fused texts: none and no axes") {
  if (!runs_text()) return;
  CHECK((sqd()(zeros<float>({0, 3}), 1) + 1).shape() == shape{0, 3});
  CHECK(array<float>(sqd()(zeros<float>({0, 3}), 1) + 1).size() == 0);
  CHECK(in_one(sum(sqd()(zeros<float>({0}), 1))).item() == 0);
  CHECK(in_one(sqd()(array<float>(sum(ones<float>({3}))), 1) * 2).item() == 8);
}

TEST_CASE("fused texts: rows, scans, gathers and joins") {
  if (!runs_text()) return;
  const array<float> x = arange<float>(600).reshape({6, 100}) / 100.0f;
  const elementwise_kernel<float(float, float)> raised("x, top", "return exp(x - top);", "raised");
  const reduce_options rows{.axis = 1, .keepdims = true};
  auto e = raised(x, max(x, rows));
  const array<float> p = in_one(e / sum(e, rows)), q = exp(x - max(x, rows)) / sum(exp(x - max(x, rows)), rows);
  CHECK(bool(all(abs(p - q) < 1e-6f)));
  const array<float> y{1, 2, 3, 4};
  CHECK(in_one(cumsum(sqd()(y, 1))).get() == floats{0, 1, 5, 14});
  CHECK(in_one(sqd()(cumsum(y), 1)).get() == floats{0, 4, 25, 81});
  CHECK(in_one(take(sqd()(y, 1), array<int>{3, 0, 2}) + 1).get() == floats{10, 1, 5});
  CHECK(in_one(sqd()(y(array<int>{3, -4}), 1)).get() == floats{9, 0});
  CHECK(in_one(concatenate(tuple(sqd()(y, 1), y * 2)) + 1).get() == floats{1, 2, 5, 10, 3, 5, 7, 9});
  CHECK(in_one(pad(sqd()(y, 1), 1)).get() == floats{0, 0, 1, 4, 9, 0});
}

TEST_CASE("fused texts: nothing is computed where a join has another part") {
  if (!runs_text()) return;
  // Of zeros this would not end, or stop the program; and the raw argument would be read outside.
  const elementwise_kernel<int(int)> halved("x", "int n = 100 / x;\nwhile (n % 2 == 0) n /= 2;\nreturn n;", "halved");
  const array<int> x{1, 4, 3, 50};
  CHECK(in_one(concatenate(tuple(halved(x), halved(x + 1)))).get() == integers{25, 25, 33, 1, 25, 5, 25, 1});
  const elementwise_kernel<int(int, raw<int>)> next("x, all", "return x + all[i + 1];", "next");
  const array<int> shorter = x(slice(0, 3));
  CHECK(in_one(concatenate(tuple(zeros<int>({1000}), next(shorter, x))))(slice(1000, _)).get() == integers{5, 7, 53});
}

TEST_CASE("fused texts: raw arguments") {
  if (!runs_text()) return;
  const elementwise_kernel<float(float, raw<float>, int)> stencil(
      "x, all, n", "return x - 0.5f * (all[(i + 1) % n] + all[(i + n - 1) % n]);", "stencil");
  array<float> x{1, 2, 4, 8};
  const floats expected{-4, -0.5f, -1, 5.5f};
  CHECK(in_one(stencil(x, x, 4) * 2).get() == floats{-8, -1, -2, 11});
  CHECK(in_one(sum(stencil(x, x, 4))).item() == 0);
  for (float round = 1; round < 6; ++round) {  // a launch that is kept ready is given other arrays
    const array<float> other = x * round;
    CHECK(in_one(stencil(x, other, 4)).get() ==
          floats{1 - 5 * round, 2 - 2.5f * round, 4 - 5 * round, 8 - 2.5f * round});
  }
  // What is raw is read at other points than the one that is stored.
  x(ellipsis) = stencil(x, x, 4);
  CHECK(x.get() == expected);
  auto later = stencil(x, x, 4);
  x(ellipsis) = 0;
  CHECK(later.get() == floats{-6.5f, 2, -3.5f, 8});
  CHECK(stencil(arange<float>(4), arange<float>(8)(slice(_, _, 2)), 4).get() == floats{-4, -1, -2, 1});
}

TEST_CASE("fused texts: reductions") {
  if (!runs_text()) return;
  const reduction_kernel<float(float, float)> l2("x, y", "(x - y) * (x - y)", "a + b", "sqrt(a)", 0, "l2");
  const array<float> x = arange<float>(12).reshape({3, 4}) + 0.0f;
  CHECK(in_one(l2(x(0) * 2, 2.0f) + 1).item() == doctest::Approx(1 + std::sqrt(4.0 + 0 + 4 + 16)));
  CHECK(in_one(x / l2(x, 0, {.axis = 1, .keepdims = true}))(1).get()[3] ==
        doctest::Approx(7 / std::sqrt(16.0 + 25 + 36 + 49)));
  const reduction_kernel<std::int64_t(std::int64_t)> span("x", "x", "a > b ? a : b", "a * 2", INT64_MIN, "span");
  std::tuple<array<std::int64_t>, array<std::int64_t>> both;
  const array<std::int64_t> n = arange(1000) % 77;
  CHECK(launches_of([&] { both = eval(span(n), sum(n)); }) == 1);
  CHECK(std::get<0>(both).item() == 152);
  const reduction_kernel<double(double)> lowest("x", "x", "fmin(a, b)", "a", std::numeric_limits<double>::infinity());
  CHECK(in_one(lowest(arange<double>(100'000).reshape({100, 1000}) - 7.5, 0))(slice(0, 2)).get() ==
        doubles{-7.5, -6.5});
  CHECK(lowest(zeros<double>({0})).item() == std::numeric_limits<double>::infinity());
  const reduction_kernel<float(float, raw<float>)> steps("x, all", "fabs(all[i + 1] - x)", "fmax(a, b)", "a", 0);
  const array<float> y{1, 2, 5, 3, 3};
  CHECK(in_one(steps(y(slice(0, 4)), y)).item() == 3);
}

TEST_CASE("fused texts: as many arguments as a kernel has room for, and programs in parts") {
  if (!runs_text()) return;
  const elementwise_kernel<int(int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int)>
      all("a, b, c, d, e, f, g, h, k, l, m, n, o, p, q, r, s",
          "return a + b + c + d + e + f + g + h + k + l + m + n + o + p + q + r + s;");
  const array<int> x{1, 2};
  CHECK(in_one(all(x, x, x, 1, x, x, x, 1, x, x, x, x + 1, x, x, x, x, x) * 2).get() == integers{36, 66});

  const elementwise_kernel<double(double, raw<double>, int)> next("x, all, n", "return x + all[(i + 1) % n];", "next");
  const array<double> y{1, 2, 4};
  lazy<double> chain = next(y, y, 3);
  for (int step = 0; step < 1500; ++step) chain = next(chain, y, 3) - y;  // y(1) - y, 1500 times
  CHECK(array<double>(chain).get() == doubles{1503, 3006, -4495});
}

TEST_CASE("fused texts: two kernels of one name are two") {
  if (!runs_text()) return;
  const elementwise_kernel<float(float)> one("x", "return x + 1;", "k"), two("x", "return x * 3;", "k");
  const elementwise_kernel<float(float)> again("x", "return x + 1;", "k");
  const array<float> x{1, 2};
  CHECK(in_one(one(x) * 10 + two(x) + again(x)).get() == floats{25, 39});
  CHECK(times_in(dump(one(x) + again(x)).c_str(), "return x + 1;") == 2);  // one of them, in two dialects
}

TEST_CASE("fused texts: what a text says is not compiled is shown with the kernel's name and the lines around it") {
  if (!runs_text()) return;
  const elementwise_kernel<float(float)> wrong("x", "return misspelt(x);", "my kernel");
  std::string message, source;
  try {
    sum(exp(wrong(ones<float>({4})))).item();
  } catch (const compile_error& e) {
    message = e.what();
    source = e.source();
  }
  CHECK(message.find("my kernel") != std::string::npos);
  CHECK(message.find("misspelt") != std::string::npos);
  CHECK(source.find("// my kernel\n") != std::string::npos);
  CHECK(source.find("return misspelt(x);") != std::string::npos);
}

TEST_CASE("fused texts: explain names them") {
  const array<double> x = ones({3});
  const std::string said = explain(sqd()(x, 2) + 1.0f).c_str();
  CHECK(said.find("sqd(float32(x0), 2)") != std::string::npos);
}
