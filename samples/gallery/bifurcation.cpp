// The logistic map x -> r * x * (1 - x), for many r at once: where x settles down, how that divides, and how it becomes
// chaos. The picture counts how often x came to each place, by adding at computed indices.
#include <iostream>

#include "gallery.hpp"

namespace sn = sinter;
using sn::array;

int main(int argc, char** argv) {
  const gallery::command ask(argc, argv, "out/bifurcation.png", 120);
  const auto height = ask.size, width = ask.size * 3 / 2;

  const array r = sn::linspace(2.8, 4, width);
  const array column = sn::arange(width);
  array<double> x = sn::full({width}, 0.4), exponent = sn::zeros({width});
  array<int> seen = sn::zeros<int>({height, width});

  constexpr int steps = 600, settled = 200;
  for (int step = 0; step < steps; ++step) {
    x = r * x * (1 - x);
    if (step < settled) continue;
    exponent += sn::log(sn::abs(r * (1 - 2 * x))) / (steps - settled);  // Lyapunov's: how fast neighbours part
    array row = sn::astype<std::int64_t>((1 - x) * (height - 1));
    sn::scatter_add(seen(row, column), 1);
  }

  auto places = sn::count_nonzero(seen, 0);
  std::cout << "r = 2.8    settles at " << sn::round(x(0), 4) << ", where 1 - 1 / r is " << sn::round(1 - 1 / r(0), 4)
            << '\n'
            << "chaos      at " << sn::round(100 * sn::mean(exponent > 0), 0) << " % of r, first above "
            << sn::round(r(sn::argmax(exponent > 0)), 1) << '\n'
            << "r = 4      comes to " << sn::round(100 * places(-1) / height, -1)
            << " % of all places, its exponent is " << sn::round(exponent(-1), 1) << '\n';
  gallery::imsave(ask.picture, sn::log1p(seen), {.cmap = gallery::inferno});
}
