// Namespace special: functions of arrays and of numbers, in the kernel of what they are part of.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <type_traits>

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
  const auto above = [](auto a, auto x) {
    return array<decltype(a)>(special::gammaincc(array<decltype(a)>{a}, x)).item();
  };
  CHECK(std::abs(above(7.0f, 104.0f) / 1.26994e-36f - 1) < 1e-5f);
  CHECK(std::abs(above(35295.367f, 36828.191f) / 4.29e-16f - 1) < 1e-2f);
  CHECK(std::abs(array<double>(special::gammainc(array<double>{73450.0}, 64755.0)).item() / 1.6e-245 - 1) < 0.05);
}
