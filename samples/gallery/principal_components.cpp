// Principal components of four measurements of 344 penguins (samples/data), by the singular values of the standardised table: along which
// directions the birds differ most, and a map of them in the first two.
#include <iostream>

#include <sinter/linalg.hpp>
#include <sinter/products.hpp>

#include "gallery.hpp"

namespace sn = sinter;
using sn::_, sn::newaxis, sn::array, sn::slice;

int main(int argc, char** argv) {
  const gallery::command ask(argc, argv, "out/principal_components.png", 64);

  // Length and depth of the bill, length of the flipper, mass; birds that were not measured are left out.
  array all = sn::genfromtxt("samples/data/penguins.csv", {.delimiter = ",", .skiprows = 1, .usecols = {2, 3, 4, 5}});
  const array<bool> is_measured = !sn::any(sn::isnan(all), 1);
  const array<double> birds = all(is_measured);
  auto [mean, deviation] = sn::eval(sn::mean(birds, 0), sn::stddev(birds, 0));
  const array<double> table = (birds - mean) / deviation;

  const auto [u, s, vt] = sn::linalg::svd(table, {.full_matrices = false});
  // A direction and its opposite are the same component: the first measurement is to grow along it.
  const array<double> sign = sn::where(vt(_, 0) < 0, -1.0, 1.0);
  const array<double> components = vt * sign(_, newaxis), scores = u * s * sign;
  const array<double> variance = sn::square(s) / sn::sum(sn::square(s));
  std::cout << birds.shape()[0] << " penguins\n"
            << "part of the variance   " << sn::round(variance, 3) << '\n'
            << "of two components      " << sn::round(100 * sn::sum(variance(slice(0, 2))), 1) << " %\n"
            << "directions\n"
            << sn::round(components(slice(0, 2)), 3) << '\n'
            << "what is left of the table when all four are taken   " << std::boolalpha
            << (sn::max(sn::abs(sn::matmul(scores, components) - table)).item() < 1e-12) << '\n';

  // The file has the species one after the other.
  const array<std::int64_t> row = sn::arange(344);
  const array<std::int64_t> species =
      (sn::astype<std::int64_t>(row >= 152) + sn::astype<std::int64_t>(row >= 276))(is_measured);
  // Each pixel has the colour of the nearest bird's species, and is bright where one is.
  auto [y, x] = sn::mgrid(sn::points{3.4, -3.4, ask.size}, sn::points{-3.4, 3.4, ask.size});
  const array pixels = sn::stack({x.ravel(), y.ravel()}, 1);
  auto distance = sn::sum(sn::square(pixels(_, newaxis) - scores(_, slice(0, 2))), -1);
  auto group = species(sn::argmin(distance, 1));
  auto bright = sn::min(distance, 1) < 0.0025;
  gallery::imsave(ask.picture, (group + sn::where(bright, 0.99, 0.25)).reshape(ask.size, ask.size),
                  {.cmap = gallery::shades({{255, 170, 60}, {90, 200, 220}, {220, 110, 255}}), .vmin = 0, .vmax = 3});
}
