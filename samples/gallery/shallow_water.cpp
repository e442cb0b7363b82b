// The shallow-water equations: a drop falls into a basin, and its waves run to the walls and back. Heights live in the
// middle of the cells, velocities on the faces between them; each line of a step is a kernel.
#include <cmath>
#include <iostream>

#include "gallery.hpp"

namespace sn = sinter;
using sn::_, sn::slice, sn::newaxis, sn::array;

constexpr auto lower = slice(_, -1), upper = slice(1, _), inner = slice(1, -1);

int main(int argc, char** argv) {
  const gallery::command ask(argc, argv, "out/shallow_water.png", 96);
  const auto n = ask.size;
  constexpr float gravity = 9.81f, density = 1000, side = 1000;  // metres, seconds, kilograms
  const float dx = side / static_cast<float>(n), dt = 0.3f * dx / std::sqrt(gravity * 11);

  array<float> x = (sn::arange<float>(n) + 0.5) / float(n);
  array<float> drop = 2 * sn::exp(-200 * (sn::square(x - 0.35) + sn::square(x(_, newaxis) - 0.4)));
  array<float> h = 10 + drop;  // the water's depth
  array<float> u = sn::zeros<float>({n, n + 1}), v = sn::zeros<float>({n + 1, n}), east = u, south = v;

  auto tell = [&](int step) {
    auto speed2 = sn::square(0.5 * (u(_, lower) + u(_, upper))) + sn::square(0.5 * (v(lower, _) + v(upper, _)));
    auto [volume, energy, high] =
        sn::eval(sn::mean(h), sn::mean(h * speed2 + gravity * sn::square(h - 10)), sn::max(h));
    std::cout << "step " << step << ": depth " << sn::round(volume, 3) << " m in the mean, at most "
              << sn::round(high, 1) << " m; energy " << sn::round(density / 2 * energy, 0) << " J a square metre\n";
  };

  const int steps = static_cast<int>(2.5 * double(n));
  tell(0);
  for (int step = 0; step < steps; ++step) {
    u(_, inner) -= gravity * dt / dx * sn::diff(h, {.axis = 1});  // the walls stay at rest
    v(inner, _) -= gravity * dt / dx * sn::diff(h, {.axis = 0});
    east(_, inner) = u(_, inner) * (h(_, upper) + h(_, lower)) / 2;  // what flows through the faces
    south(inner, _) = v(inner, _) * (h(upper, _) + h(lower, _)) / 2;
    h -= dt / dx * (sn::diff(east, {.axis = 1}) + sn::diff(south, {.axis = 0}));
  }
  tell(steps);
  gallery::imsave(ask.picture, h, {.cmap = gallery::coolwarm, .vmin = 9.5, .vmax = 10.5});
}
