// Namespace special: functions of arrays and of numbers, in the kernel of what they are part of.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>
#include <vector>

#include <sinter/sinter.hpp>
#include <sinter/special.hpp>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
namespace sp = sinter::special;

constexpr double eps = 1e-13;

}  // namespace

TEST_CASE("special: numbers give what an array of them gives in the interpreter, bit for bit") {
  device_scope on(device::interpreter());
  const double values[] = {0, 0.3, 1, 2.5, 7, 40};
  for (double x : values) {
    CAPTURE(x);
    const auto same = [](double p, double q) { return p == q || (p != p && q != q); };
    CHECK(same(sp::digamma(x), sp::digamma(array{x}).item()));
    CHECK(same(sp::erfinv(x), sp::erfinv(array{x}).item()));
    CHECK(same(sp::gammainc(2.5, x), sp::gammainc(2.5, array{x}).item()));
    CHECK(same(sp::zeta(x, 0.5), sp::zeta(array{x}, 0.5).item()));
    CHECK(same(sp::k0(x), sp::k0(array{x}).item()));
    CHECK(same(sp::jn(3, x), sp::jn(3, array{x}).item()));
  }
  static_assert(std::is_same_v<decltype(sp::expit(1.0f)), float>);
  static_assert(std::is_same_v<decltype(sp::expit(1)), double>);
}

TEST_CASE("special: functions hold what ties them together") {
  const array<double> x = linspace(0.05, 30, 500);
  const auto small = [](const auto& e) { return max(abs(e)).item() < eps; };
  CHECK(small(sp::gammainc(x, 7.5) + sp::gammaincc(x, 7.5) - 1));
  CHECK(small((sp::digamma(x + 1) - sp::digamma(x)) * x - 1));
  CHECK(small((sp::i0(x) * sp::k1(x) + sp::i1(x) * sp::k0(x)) * x - 1));  // their Wronskian
  CHECK(small((sp::j1(x) * sp::y0(x) - sp::j0(x) * sp::y1(x)) * x * (std::numbers::pi / 2) - 1));
  CHECK(small((sp::zeta(3, x) - sp::zeta(3, x + 1)) * x * x * x - 1));
  CHECK(small(sp::erf(sp::erfinv(x / 31)) / (x / 31) - 1));
  CHECK(small(sp::ndtr(sp::ndtri(x / 31)) / (x / 31) - 1));
  CHECK(small(sp::logit(sp::expit(x - 15)) - (x - 15)) == false);  // expit of 15 has few digits below one
  const array<double> m = x / 31;                                  // Legendre's relation
  CHECK(small(sp::ellipk(m) * sp::ellipe(1 - m) + sp::ellipe(m) * sp::ellipk(1 - m) -
              sp::ellipk(m) * sp::ellipk(1 - m) - std::numbers::pi / 2));
}

TEST_CASE("special: a function is part of the kernel of its user") {
  const array<float> x = linspace<float>(0.1f, 3, 1000);
  const auto work = [&] { return sum(sp::xlogy(x, sp::expit(x)) + sp::digamma(x) * sp::i0e(x)).item(); };
  work();
  CHECK(moved_by(work).launches <= 2);
}

TEST_CASE("special: what is far from 1 in between keeps its range") {
  const auto huber = [](float d, float r) { return array<float>(special::pseudo_huber(array<float>{d}, r)).item(); };
  CHECK(std::abs(huber(1e20f, 1) - 0.5f) < 1e-6f);
  CHECK(std::abs(huber(1e-10f, 1e10f) - 1) < 1e-6f);
  CHECK(std::abs(huber(1e-20f, 1) / 1e-20f - 1) < 1e-6f);
  CHECK(std::abs(huber(1e20f, 1e-5f) / 5e-11f - 1) < 1e-6f);
  CHECK(huber(INFINITY, 2) == 2);
  CHECK(huber(0, 2) == 0);
  // CUDA's hypot of the largest number is infinite.
  constexpr double most = std::numeric_limits<double>::max();
  CHECK(array<double>(special::pseudo_huber(array<double>{1}, most)).item() == most);
  CHECK(array<double>(special::pseudo_huber(array<double>{0.5}, -most)).item() == most / 2);
}

TEST_CASE_TEMPLATE("special: tails of the incomplete gamma functions keep their range", T, float, double) {
  struct row {
    bool upper;
    T a, x;
    double value;  // mpmath's
  };
  const auto rows = [] {
    if constexpr (sizeof(T) == 4)
      return std::vector<row>{{true, 7.0f, 104.0f, 1.26993979286238984e-36},
                              {true, 35295.367f, 36828.191f, 4.29476815612106743e-16},
                              {true, 65249.04f, 66068.44f, 0.000697269340602460012},
                              {false, 37607.242f, 36860.352f, 0.0000532034304682719512},
                              {false, 7834.959f, 7089.9917f, 1.73333823761789191e-18},
                              {true, 8.513952f, 108.05974f, 1.66834607138975016e-36},
                              {true, 10.311809f, 108.46233f, 1.04527844168905166e-34},
                              {true, 3864.0608f, 4639.1406f, 4.68309288610597712e-32},
                              {true, 4660.0098f, 5460.5815f, 4.95998086985102352e-29}};
    else
      return std::vector<row>{
          {false, 73450.0, 64755.0, 1.62748524508172173e-245},   {false, 111053.9, 105262.0, 2.4659316950934862e-70},
          {false, 102651.25, 97000.75, 1.68725515857070336e-72}, {true, 32637.125, 38368.5, 1.49405855505480975e-198},
          {false, 983351.75, 972607.0, 7.60737567430690792e-28}, {true, 340680.5, 348193.5, 1.07458757711731516e-37},
          {true, 20.0, 200.0, 6.58690731144073141e-61}};
  }();
  for (const auto& [upper, a, x, value] : rows) {
    CAPTURE(a);
    CAPTURE(x);
    const array<T> order{a};
    const array<T> got = upper ? array<T>(special::gammaincc(order, x)) : array<T>(special::gammainc(order, x));
    // What is e^-k is the exponential of a number with as many units in its last place.
    const double allowed = 40 + 2 * std::abs(std::log(value));
    CHECK(std::abs(got.item() - value) <= allowed * std::numeric_limits<T>::epsilon() * value);
  }
}

TEST_CASE_TEMPLATE("special: polygamma where a factor or a power is out of range", T, float, double) {
  // By mpmath.
  const struct {
    double n, x, value;
  } rows[] = {{9, 8718, 1.38673315013818406622894629285e-31},
              {60, 41.838306427001953125, -1.32716317747480779e-17},
              {40, 0.5, -1.79421668242242428e60},
              {34, 1e4, -8.69808786971859373e-100},
              {30, 11.73265552520751953125, -0.203669513774019523}};
  for (const auto& [n, x, value] : rows) {
    if (std::abs(value) > std::numeric_limits<T>::max() || std::abs(value) < std::numeric_limits<T>::min()) continue;
    CAPTURE(n);
    const array<T> order{static_cast<T>(n)};
    CHECK(array<T>(sp::polygamma(order, static_cast<T>(x))).item() ==
          doctest::Approx(value).epsilon(sizeof(T) == 4 ? 2e-6 : 2e-13));
  }
  CHECK(std::isinf(array<T>(sp::polygamma(array<T>{200}, static_cast<T>(0.01))).item()));
  CHECK(array<T>(sp::polygamma(array<T>{50}, std::numeric_limits<T>::infinity())).item() == 0);
}
