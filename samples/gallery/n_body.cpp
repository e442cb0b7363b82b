// Gravity between bodies: all differences of positions at once, by broadcasting against a new axis. Two clouds of
// them fall past each other; energy tells how good the leapfrog is. Accelerations are two kernels, and no array of
// differences is ever made.
#include <cmath>
#include <iostream>
#include <utility>

#include "gallery.hpp"

namespace sn = sinter;
using sn::_, sn::slice, sn::newaxis, sn::array;

constexpr auto inner = slice(1, -1);        // of a picture: its border is where those come that are outside
constexpr double softening2 = 0.05 * 0.05;  // bodies are no points: near ones do not fling each other away

/// From each body to each other one, and the squares of how far that is.
auto between(const array<double>& x) {
  sn::lazy<double> d = x - x(_, newaxis);
  return std::pair(d, sn::lazy<double>(sn::sum(d * d, -1) + softening2));
}

array<double> acceleration(const array<double>& x) {
  auto [d, r2] = between(x);
  const double mass = 1 / double(x.shape()[0]);
  return mass * sn::sum(d / (r2 * sn::sqrt(r2))(_, _, newaxis), 1);
}

/// Kinetic and potential, of bodies with a mass of 1 together.
double energy(const array<double>& x, const array<double>& v) {
  const double n = double(x.shape()[0]);
  auto [d, r2] = between(x);
  auto pairs = sn::triu(1 / sn::sqrt(r2), 1);
  return (0.5 / n * sn::sum(v * v) - sn::sum(pairs) / (n * n)).item();
}

int main(int argc, char** argv) {
  const gallery::command ask(argc, argv, "out/n_body.png", 32);
  const auto n = ask.size;
  constexpr double dt = 0.005;
  constexpr std::int64_t pixels = 320;

  sn::random::generator rng(3);
  array<double> x = rng.normal({n, 3}, 0, 0.25);
  x(slice(n / 2), 0) -= 0.7;
  x(slice(n / 2, _), 0) += 0.7;
  array<double> v = sn::zeros(x.shape());
  v(slice(n / 2), 1) = 0.4;
  v(slice(n / 2, _), 1) = -0.4;
  array<int> seen = sn::zeros<int>({pixels, pixels});  // how often a body was at each place, seen from above

  const double before = energy(x, v);
  array<double> a = acceleration(x);
  for (int step = 0; step < 600; ++step) {
    v += dt / 2 * a;
    x += dt * v;
    a = acceleration(x);
    v += dt / 2 * a;
    array place = sn::astype<int>(sn::clip((x + 1.5) / 3, 0, 0.9999) * pixels);
    sn::scatter_add(seen(place(_, 1), place(_, 0)), 1);
  }
  const double after = energy(x, v), drift = std::abs(after / before - 1);
  std::cout << "energy     " << sn::round(before, 2) << " at first, " << sn::round(after, 2) << " at last\n"
            << "drift      " << (drift < 0.01 ? "less than 1 %" : "more than 1 %") << '\n'
            << "momentum   " << (sn::all(sn::abs(sn::sum(v, 0)) < 1e-9) ? "none" : "some") << '\n';
  gallery::imsave(ask.picture, sn::log1p(seen(inner, inner)), {.cmap = gallery::inferno});
}
