// The Mandelbrot set: for which c does z = z * z + c stay small? Points that have escaped are dropped under a mask, so
// that each step computes those alone that are still of interest.
#include <complex>
#include <iostream>

#include "gallery.hpp"

namespace sn = sinter;
using sn::_, sn::newaxis, sn::array;

int main(int argc, char** argv) {
  const gallery::command ask(argc, argv, "out/mandelbrot.png", 96);
  constexpr std::complex<double> i(0, 1);
  constexpr int steps = 100;

  array plane = sn::linspace(-2, 0.7, ask.size * 9 / 8) + i * sn::linspace(1.2, -1.2, ask.size)(_, newaxis);
  array<double> escape = sn::full(plane.shape(), double(steps));  // the step at which a point escapes

  array c = plane.ravel(), z = c;
  array places = sn::arange(c.size());
  for (int step = 0; step < steps && places.size() > 0; ++step) {
    array gone = sn::abs(z) > 16;
    array left = !gone;
    // The distance tells the part of a step, so that the colours have no edges.
    sn::put(escape, places(gone), step + 1 - sn::log2(sn::log2(sn::abs(z(gone)))));
    places = places(left), c = c(left), z = z(left);
    z = z * z + c;
  }

  auto inside = escape == steps;
  std::cout << "points         " << plane.size() << " of " << plane.dtype() << '\n'
            << "never escape   " << sn::round(100 * sn::mean(inside), 0) << " %\n"
            << "area           " << sn::round(2.7 * 2.4 * sn::mean(inside), 1) << '\n';
  gallery::imsave(ask.picture, sn::where(inside, 0, sn::log1p(escape)), {.cmap = gallery::inferno});
}
