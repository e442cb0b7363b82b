// Elementwise functions given as text, on every device that has a compiler for them.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <sinter/elementwise_kernel.hpp>

#include "test/include/ordering.hpp"
#include "test/include/texts.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using floats = std::vector<float>;

}  // namespace

TEST_CASE("elementwise kernels: a device without a compiler says so") {
  if (runs_text()) return;
  const elementwise_kernel<float(float)> twice("x", "return 2 * x;", "twice");
  CHECK(refusal<device_error>([&] {
          twice(ones<float>({3})).get();
        }).starts_with("sinter: the kernel \"twice\" is text"));
}

TEST_CASE("elementwise kernels: arrays, expressions and numbers; they broadcast and convert") {
  if (!runs_text()) return;
  const elementwise_kernel<float(float, float)> sqd("x, y", "return (x - y) * (x - y);", "sqd");
  const array<float> a{1, 2, 3}, b{3, 3, 3};
  CHECK(sqd(a, b).get() == floats{4, 1, 0});
  CHECK(sqd(a, 1).get() == floats{0, 1, 4});
  CHECK(sqd(2.0, b).get() == floats{1, 1, 1});
  CHECK(sqd(a + 1, sum(a)).get() == floats{16, 9, 4});
  CHECK(sqd(arange(3), b).get() == floats{9, 4, 1});
  const array<float> table = sqd(a.reshape({3, 1}), b);
  CHECK(table.shape() == shape{3, 3});
  CHECK(table.get() == floats{4, 4, 4, 1, 1, 1, 0, 0, 0});
  CHECK(sqd(table.T(), 0).get() == floats{16, 1, 0, 16, 1, 0, 16, 1, 0});
  CHECK(sqd(zeros<float>({0, 3}), b).shape() == shape{0, 3});
  CHECK(sqd(array<float>(sum(a)), 1.0).shape().size() == 0);
  CHECK(refusal<shape_error>([&] { (void)sqd(a, zeros<float>({2})); }) ==
        "sinter: shapes (3,) and (2,) do not broadcast in the kernel \"sqd\"");
  CHECK(refusal<shape_error>([&] { (void)sqd(1, 2); }).find("no argument gives the kernel \"sqd\" a shape") !=
        std::string::npos);
}

TEST_CASE("elementwise kernels: raw parameters and the place of the element") {
  if (!runs_text()) return;
  const elementwise_kernel<double(raw<double>, std::int64_t, bool)> shifted(
      "x, n, twice", "const double v = x[(i + 1) % n]; return twice ? 2 * v : v;");
  const array<double> x = arange<double>(6);
  CHECK(shifted(x, 6, array<bool>{true, false, true, false, true, false}).get() ==
        std::vector<double>{2, 2, 6, 4, 10, 0});
  // What is raw is in C order, whatever it is a view of.
  const array<double> turned = x.reshape({2, 3}).T();
  CHECK(shifted(turned, 6, zeros<bool>({3, 2})).get() == std::vector<double>{3, 1, 4, 2, 5, 0});
}

TEST_CASE("elementwise kernels: the functions of mathematics are those of the argument's type") {
  if (!runs_text()) return;
  const char text[] = "return sqrt(x) + pow(x, y) + min(x, y) + fabs(-y) + max(exp(x), y);";
  const elementwise_kernel<float(float, float)> single("x, y", text);
  const elementwise_kernel<double(double, double)> both("x, y", text);
  const double expected = std::sqrt(2.0) + 8 + 2 + 3 + std::exp(2.0);
  CHECK(single(full<float>({4}, 2), 3).get()[3] == doctest::Approx(expected).epsilon(1e-6));
  CHECK(both(full<double>({4}, 2), 3).get()[3] == doctest::Approx(expected).epsilon(1e-14));
}

TEST_CASE("elementwise kernels: a shape for what has none") {
  if (!runs_text()) return;
  const elementwise_kernel<float(raw<float>, std::int64_t)> every("x, step", "return x[i * step];");
  const array<float> x = arange<float>(12);
  CHECK(every(x, 3, {4}).get() == floats{0, 3, 6, 9});
  CHECK(every(x, 2, {2, 3}).shape() == shape{2, 3});
  CHECK(every(x, array<std::int64_t>{{1}, {2}}, {2, 3}).get() == floats{0, 1, 2, 6, 8, 10});
  CHECK(refusal<shape_error>([&] {
          (void)every(x, array<std::int64_t>{1, 2}, {3});
        }) == "sinter: shapes (3,) and (2,) do not broadcast in the kernel \"elementwise_kernel\"");
  CHECK(refusal<shape_error>([&] {
          (void)every(x, array<std::int64_t>{1, 2}, {1});
        }) == "sinter: shapes (1,) and (2,) do not broadcast in the kernel \"elementwise_kernel\"");
  const elementwise_kernel<std::tuple<float, float>(raw<float>)> ends("x", "first, last",
                                                                      "first = x[i]; last = x[11 - i];");
  const auto [first, last] = ends(x, {2});
  CHECK(first.get() == floats{0, 1});
  CHECK(last.get() == floats{11, 10});
}

TEST_CASE("elementwise kernels: a preamble has functions that texts call, once for all of one kernel") {
  if (!runs_text()) return;
  const char before[] =
      "__device__ inline float squared(float v) { return v * v; }\n"
      "__host__ __device__ float halved(const float v) { return sqrtf(squared(v)) / 2; }\n";
  const elementwise_kernel<float(float)> half_of("x", "return halved(x);", "half_of", before);
  const elementwise_kernel<float(float)> square_of("x", "return squared(x);", "square_of", before);
  const array<float> x{1, 2, 4};
  CHECK(half_of(x).get() == floats{0.5, 1, 2});
  CHECK((half_of(x) + square_of(x)).get() == floats{1.5, 5, 18});
  const reduction_kernel<float(float)> norm("x", "squared(x)", "a + b", "halved(a)", 0, "norm", before);
  CHECK(norm(x).item() == 10.5F);
  const elementwise_kernel<float(float)> other(
      "x", "return squared(x);", "square_of",
      "__device__ __forceinline__ float squared(float v) { return v * v + 1; }");
  CHECK(other(x).get() == floats{2, 5, 17});
}

TEST_CASE("elementwise kernels: elements of 16 bits are floats in the text") {
  if (!runs_text()) return;
  const elementwise_kernel<half(half, bfloat16, raw<half>)> sums("x, y, z", "return x * y + z[i];");
  const array<half> x = astype<half>(array<float>{1, 2, 3});
  CHECK(astype<float>(sums(x, bfloat16(2), x)).get() == floats{3, 6, 9});
  const elementwise_kernel<std::tuple<half, float>(half)> parts("x", "a, b", "a = x / 2; b = x / 3;");
  const auto [a, b] = parts(x);
  CHECK(astype<float>(a).get() == floats{0.5, 1, 1.5});
  CHECK(b.get() == floats{1.0F / 3, 2.0F / 3, 1});
  const reduction_kernel<half(half)> most("x", "x", "max(a, b)", "a + 1", half(0));
  CHECK(float(most(x).item()) == 4);
}

TEST_CASE("elementwise kernels: one launch, compiled once, and a message for what does not compile") {
  if (!runs_text()) return;
  const array<double> a = ones({100});
  const counters_snapshot before = counters();
  for (int round = 0; round < 3; ++round) {
    const elementwise_kernel<double(double)> counted("x", "return x + 41; /* counted */");
    CHECK(holds(array<double>(counted(a)), 42));
  }
  const counters_snapshot after = counters();
  CHECK(after.launches - before.launches == 3);
  CHECK(after.compiles + after.disk_hits - before.compiles - before.disk_hits == 1);

  const elementwise_kernel<double(double)> wrong("x", "return missing;", "wrong");
  const std::string said = refusal<compile_error>([&] { array<double>(wrong(a) + 1); });
  CHECK(said.find("wrong") != std::string::npos);
  CHECK(said.find("missing") != std::string::npos);
  CHECK(refusal([] { elementwise_kernel<float(float)> two("x, y", "return x;", "two"); }) ==
        "sinter: the signature of the kernel \"two\" has 1 parameters, and \"x, y\" names 2");
  CHECK(refusal([] { elementwise_kernel<float(float)> none("x", " \n", "none"); }) ==
        "sinter: the text of the kernel \"none\" is empty");
}

TEST_CASE("elementwise kernels: another process takes a compiled text from the disk") {
  if (!runs_text()) return;
  const elementwise_kernel<double(double)> kept("x", "return x + 42; /* kept */");
  CHECK(holds(array<double>(kept(ones({100}))), 43));
  const rerun child("process with a function on the disk: its text is not compiled");
  INFO(child.output);
  CHECK(child.ok);
}
TEST_CASE("process with a function on the disk: its text is not compiled" * doctest::skip()) {
  const array<double> a = ones({100});
  array<double> result;
  const counters_snapshot moved =
      moved_by([&] { result = elementwise_kernel<double(double)>("x", "return x + 42; /* kept */")(a); });
  CHECK(moved.compiles == 0);
  CHECK(moved.disk_hits == 1);
  CHECK(moved.launches == 1);
  CHECK(holds(result, 43));
}

TEST_CASE("elementwise kernels: calls are in order on streams, and can be captured") {
  if (!runs_text()) return;
  const elementwise_kernel<double(double, double)> add("x, y", "return x + y;");
  rehearsed([&] {
    const stream s1, s2;
    array<double> a = on(s1, [] { return slowly(zeros({1000})); });
    const array<double> b = on(s2, [&] { return add(a, 1); });
    on(s1, [&] { a(ellipsis) = -1.0; });
    CHECK(holds(b, 9));
  });
  array<double> x = ones({8}), y;
  const graph g = capture([&] { y = add(x, add(x, 1)); });
  x(ellipsis) = 4.0;
  g.launch();
  CHECK(holds(y, 9));
}

TEST_CASE("reduction kernels: over all axes, one and several; they broadcast, and an empty one is its identity") {
  if (!runs_text()) return;
  const reduction_kernel<float(float, float)> l2("x, y", "(x - y) * (x - y)", "a + b", "sqrt(a)", 0, "l2");
  const array<float> a = arange<float>(24).reshape({2, 3, 4}) + 0.0f;
  CHECK(l2(a, 0).item() == doctest::Approx(std::sqrt(4324.0)));
  CHECK(l2(array<float>{3, 0}, array<float>{0, 4}).item() == 5);
  for (int axis : {0, 1, 2, -1}) {
    INFO(axis);
    const array<float> expected = sqrt(sum(a * a, axis));
    CHECK(l2(a, 0, axis).shape() == expected.shape());
    CHECK(bool(all(abs(l2(a, 0, axis) - expected) < 1e-4f)));
  }
  const array<float> outer = l2(a, a(0, 0), {.axis = {0, 2}, .keepdims = true});
  CHECK(outer.shape() == shape{1, 3, 1});
  CHECK(bool(all(abs(outer - sqrt(sum(square(a - a(0, 0)), {.axis = {0, 2}, .keepdims = true}))) < 1e-4f)));
  CHECK(bool(all(abs(l2(a.T(), 0, 0) - sqrt(sum(a * a, 2)).T()) < 1e-4f)));
  const reduction_kernel<std::int64_t(std::int64_t)> most("x", "x", "max(a, b)", "a", -1);
  CHECK(most(zeros<std::int64_t>({0, 2})).item() == -1);
  CHECK(most(zeros<std::int64_t>({0, 2}), 0).get() == std::vector<std::int64_t>{-1, -1});
  CHECK(most(arange(100'000) % 777).item() == 776);
  const reduction_kernel<std::int64_t(std::int64_t)> unfinished("x", "x", "max(a, b)", "", -1);
  CHECK(unfinished(arange(100'000) % 777).item() == 776);
  CHECK(refusal([] { reduction_kernel<float(float)> none("x", "x", "", "a", 0, "none"); }) ==
        "sinter: the text that combines of the kernel \"none\" is empty");
  const reduction_kernel<bool(double)> any_negative("x", "x < 0", "a || b", "a", false);
  CHECK(any_negative(arange<double>(1000).reshape({10, 100}) - 900.5, 1).get() ==
        std::vector<bool>{true, true, true, true, true, true, true, true, true, true});
  CHECK(any_negative(arange<double>(1000).reshape({10, 100}) - 100.5, 1).get()[2] == false);
  CHECK(!refusal<shape_error>([&] { (void)l2(a, 0, 3); }).empty());
}
