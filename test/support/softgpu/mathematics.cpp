// Inverses by Newton's method from a rough start, Bessel functions by their series: mathematics.hpp.
#include "mathematics.hpp"

#include <cmath>
#include <limits>

namespace softgpu {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// A root of erfc(x) = y for y in (0, 1].
double upper_half(double y) {
  const double t = std::sqrt(-2 * std::log(y / 2));
  double x = (t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))) /
             std::sqrt(2.0);
  // Halley's steps, from five digits.
  for (int i = 0; i < 3; ++i) {
    const double slope = -2 / std::sqrt(pi) * std::exp(-x * x);
    if (slope == 0) break;
    const double off = (std::erfc(x) - y) / slope;
    x -= off / (1 + x * off);
  }
  return x;
}

/// The terms of (x/2)^(2k + order) / (k! (k + order)!), scaled by exp(-|x|) once they are large.
double bessel_i(int order, double x) {
  const double a = std::fabs(x);
  if (a > 30) {
    // Hankel's expansion: its terms fall by 8 a / (4 order^2 - (2k-1)^2) each.
    double sum = 1, term = 1;
    for (int k = 1; k < 30; ++k) {
      const double next = term * -(4.0 * order * order - (2.0 * k - 1) * (2.0 * k - 1)) / (8 * a * k);
      if (std::fabs(next) >= std::fabs(term)) break;
      term = next;
      sum += term;
    }
    const double value = std::exp(a) / std::sqrt(2 * pi * a) * sum;
    return order == 1 && x < 0 ? -value : value;
  }
  double term = order == 0 ? 1 : a / 2, sum = term;
  for (int k = 1; k < 500 && term > sum * 1e-18; ++k) {
    term *= a * a / 4 / (static_cast<double>(k) * (k + order));
    sum += term;
  }
  return order == 1 && x < 0 ? -sum : sum;
}

}  // namespace

double erfcinv(double y) {
  if (!(y >= 0 && y <= 2)) return nan;
  if (y == 0) return infinity;
  if (y == 2) return -infinity;
  return y <= 1 ? upper_half(y) : -upper_half(2 - y);
}

double erfinv(double y) {
  if (!(y >= -1 && y <= 1)) return nan;
  const double a = std::fabs(y);
  if (a == 1) return std::copysign(infinity, y);
  if (a < 0.5) {
    double x = a * std::sqrt(pi) / 2 * (1 + a * a * pi / 12);
    for (int i = 0; i < 4; ++i) {
      const double off = (std::erf(x) - a) / (2 / std::sqrt(pi) * std::exp(-x * x));
      x -= off / (1 + x * off);
    }
    return std::copysign(x, y);
  }
  return std::copysign(upper_half(1 - a), y);
}

double normcdfinv(double y) { return -std::sqrt(2.0) * erfcinv(2 * y); }
double cyl_bessel_i0(double x) { return bessel_i(0, x); }
double cyl_bessel_i1(double x) { return bessel_i(1, x); }

}  // namespace softgpu
