// Newton's method for z^3 = 1, started everywhere in a part of the complex plane: which of the three roots is found is
// a fractal. A step is one kernel of complex numbers; which root a point came to is an argmin over distances.
#include <complex>
#include <iostream>
#include <numbers>
#include <tuple>

#include "gallery.hpp"

namespace sn = sinter;
using sn::_, sn::newaxis, sn::ellipsis, sn::array;

int main(int argc, char** argv) {
  const gallery::command ask(argc, argv, "out/newton_fractal.png", 96);
  constexpr std::complex<double> i(0, 1);

  const array roots = sn::exp(2 * std::numbers::pi / 3 * i * sn::arange<double>(3));
  auto side = sn::linspace(-1.5, 1.5, ask.size);
  array z = side - i * side(_, newaxis);
  array<int> steps = sn::zeros<int>(z.shape());

  for (int step = 0; step < 40; ++step) {
    auto change = (z * z * z - 1) / (3 * z * z);
    std::tie(z, steps) = sn::eval(z - change, steps + (sn::abs(change) > 1e-6));
  }
  auto distance = sn::abs(z(ellipsis, newaxis) - roots);
  array<std::int64_t> root = sn::argmin(distance, -1);

  std::cout << "roots      " << sn::round(roots, 3) << '\n'
            << "found by   " << sn::round(sn::mean(root(ellipsis, newaxis) == sn::arange(3), {.axis = {0, 1}}), 2)
            << " of all points\n"
            << "steps      " << sn::round(sn::mean(steps), 1) << " in the mean\n";
  auto light = 1 / (1 + 0.05 * sn::square(steps - sn::min(steps)));
  gallery::imsave(ask.picture, root + 0.99 * light,
                  {.cmap = gallery::shades({{255, 190, 80}, {90, 180, 255}, {230, 90, 120}}), .vmin = 0, .vmax = 3});
}
