// Powers with a scalar exponent: small whole ones and halves have kernels of their own, whose values are
// the general function's.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <sinter/sinter.hpp>

#include "codegen/compile/compiler.hpp"
#include "codegen/ir/scalar.hpp"
#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

constexpr double exponents[] = {0,   1,    2,   3,    4,   5,    6,   8,    -1,   -2,    -3,  -4,
                                0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.5, -3.5, -0.0, 1e300, NAN, INFINITY};

template <class T>
std::vector<T> bases() {
  using limits = std::numeric_limits<T>;
  std::vector<T> all = {0, -T(0), 1, -1, limits::infinity(), -limits::infinity(), limits::quiet_NaN()};
  for (T x : {limits::min(), limits::denorm_min(), limits::max(), limits::epsilon(), T(1.5), T(0.1), T(7.3), T(1e-3),
              std::sqrt(limits::max()), std::sqrt(limits::min()), std::cbrt(limits::min()), std::cbrt(limits::max())})
    for (T near : {std::nextafter(x, T(0)), x, std::nextafter(x, limits::max())})
      all.push_back(near), all.push_back(-near);
  // C compilers that approximate take the signs of zeros for equal.
  if (codegen::math_mode_from_environment() == codegen::math_mode::fast)
    std::erase_if(all, [](T x) { return x == 0 && std::signbit(x); });
  return all;
}

/// Apart by at most some units in the last place; NaN, infinities and signs of zero exactly.
template <class T>
bool close(T got, T wanted, int units) {
  if (std::isnan(wanted)) return std::isnan(got);
  if (got == wanted) return std::signbit(got) == std::signbit(wanted);
  for (int i = 0; i < units; ++i) {
    got = std::nextafter(got, wanted);
    if (got == wanted) return true;
  }
  return false;
}

template <class T>
void check_values() {
  const std::vector<T> x = bases<T>();
  const array<T> a = asarray(x);
  for (double e : exponents) {
    const auto exponent = static_cast<T>(e);
    const std::vector<T> got = array<T>(pow(a, exponent)).get();
    for (std::size_t i = 0; i < x.size(); ++i) {
      CAPTURE(x[i]);
      CAPTURE(e);
      CAPTURE(got[i]);
      CHECK(close(got[i], std::pow(x[i], exponent), 4));
    }
  }
}

template <class T>
void check_integers() {
  using limits = std::numeric_limits<T>;
  const std::vector<T> x = {0,
                            1,
                            2,
                            3,
                            static_cast<T>(-1),
                            static_cast<T>(-2),
                            7,
                            11,
                            limits::min(),
                            limits::max(),
                            static_cast<T>(limits::max() / 2 + 1)};
  const array<T> a = asarray(x);
  for (int e : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 64}) {
    CAPTURE(e);
    const std::vector<T> got = array<T>(pow(a, e)).get();
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(got[i] == codegen::scalar::power(x[i], static_cast<T>(e)));
  }
}

}  // namespace

TEST_CASE("powers: a scalar exponent of any class gives the general function's values") {
  check_values<float>();
  check_values<double>();
  check_integers<std::int8_t>();
  check_integers<std::uint16_t>();
  check_integers<std::int32_t>();
  check_integers<std::uint64_t>();
}

TEST_CASE("powers: negative exponents of integers, and operands of other dtypes") {
  const array<std::int32_t> k{-2, -1, 0, 1, 2};
  CHECK(array<std::int32_t>(pow(k, -1)).get() == std::vector<std::int32_t>{0, -1, 0, 1, 0});
  CHECK(array<std::int32_t>(pow(k, -2)).get() == std::vector<std::int32_t>{0, 1, 0, 1, 0});
  CHECK(array<double>(pow(k, 0.5))(4).item() == std::sqrt(2.0));
  CHECK(array<std::int64_t>(pow(k, strong(std::int64_t{8}))).get() == std::vector<std::int64_t>{256, 1, 0, 1, 256});
  const array<float> third{1.f / 3};
  CHECK(array<double>(pow(third, strong(2.0))).item() == static_cast<double>(1.f / 3) * static_cast<double>(1.f / 3));
  CHECK(array<std::int8_t>(pow(array<bool>{true, false}, true)).get() == std::vector<std::int8_t>{1, 0});
}

TEST_CASE("powers: scalars of one class share a kernel, and those of different classes do not share values") {
  const array<double> x{1, 2, 3}, y{4, 5, 6};
  const auto raised = [](const array<double>& a, double e) { return array<double>(pow(a, e) + 0.25); };
  const auto compiles = [&](const array<double>& a, double e) {
    const auto before = counters().compiles + counters().disk_hits;
    CHECK(raised(a, e)(1).item() == doctest::Approx(std::pow(a(1).item(), e) + 0.25));
    return counters().compiles + counters().disk_hits - before;
  };
  for (double e : {2.0, 2.5, 3.0, 2.25}) compiles(x, e);
  for (double e : {2.0, 2.5, 3.0, 2.0, 17.0, -3.25, 3.0}) CHECK(compiles(y, e) == 0);
}

TEST_CASE("powers: every one of an expression has its own exponent") {
  const array<double> x{1, 2, 3};
  for (double e : {2.0, 2.5, 0.5, 2.0}) {
    const array<double> one = pow(x, e) + 2 * pow(x, 3.0) + pow(2.0, x) + pow(x, x);
    const array<double> ten = pow(x, 1) + pow(x, 2) + pow(x, 3) + pow(x, 4) + pow(x, 0) + pow(x, 1) + pow(x, 2) +
                              pow(x, 3) + pow(x, e) + pow(x, 2.5);
    const array<double> viewed = sum(pow(x(slice(_, _, -1)), e) * pow(x, 2));
    double total = 0;
    for (int i = 0; i < 3; ++i) {
      const double v = i + 1, w = 3 - i;
      CHECK(one(i).item() == doctest::Approx(std::pow(v, e) + 2 * v * v * v + std::pow(2, v) + std::pow(v, v)));
      CHECK(ten(i).item() ==
            doctest::Approx(2 * v + 2 * v * v + 2 * v * v * v + v * v * v * v + 1 + std::pow(v, e) + std::pow(v, 2.5)));
      total += std::pow(w, e) * v * v;
    }
    CHECK(viewed.item() == doctest::Approx(total));
  }
}
