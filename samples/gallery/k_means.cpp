// Lloyd's k-means on measurements of 344 penguins (samples/data): which of three centres is nearest is an argmin over
// broadcast distances, and the new centres are sums that are added up by label.
#include <iostream>

#include <sinter/histogram.hpp>

#include "gallery.hpp"

namespace sn = sinter;
using sn::_, sn::newaxis, sn::array;

/// The squares of the distances from points in rows to each of several centres.
auto distances(const array<double>& points, const array<double>& centres) {
  return sn::sum(sn::square(points(_, newaxis) - centres), -1);
}

int main(int argc, char** argv) {
  const gallery::command ask(argc, argv, "out/k_means.png", 64);

  // The lengths of bill and flipper, with NaN where they were not taken; such rows are left out.
  array all = sn::genfromtxt("samples/data/penguins.csv", {.delimiter = ",", .skiprows = 1, .usecols = {2, 4}});
  array measured = all(!sn::any(sn::isnan(all), 1));
  auto [mean, deviation] = sn::eval(sn::mean(measured, 0), sn::stddev(measured, 0));
  const array points = (measured - mean) / deviation;

  array centres = points(array<int>{0, 150, 300}), before = sn::zeros_like(centres);
  array<std::int64_t> count;
  int rounds = 0;
  for (; !sn::allclose(centres, before); ++rounds) {
    before = centres;
    const array label = sn::argmin(distances(points, centres), 1);
    array<double> sum = sn::zeros({3, 2});
    sn::scatter_add(sum, label, points);
    count = sn::bincount(label, 3);
    centres = sum / count(_, newaxis);
  }
  std::cout << measured.shape()[0] << " penguins of " << all.shape()[0] << ", " << rounds << " rounds\n"
            << "in each group  " << count << "\ncentres, in mm\n"
            << sn::round(centres * deviation + mean, 1) << '\n';

  // Each pixel is a point: dark in the colour of the centre it is nearest to, bright where there is a penguin.
  auto [y, x] = sn::mgrid(sn::points{2.6, -2.6, ask.size}, sn::points{-2.6, 2.6, ask.size});
  array pixels = sn::stack({x.ravel(), y.ravel()}, 1);
  auto group = sn::argmin(distances(pixels, centres), 1);
  auto bright = sn::min(distances(pixels, points), 1) < 0.002;
  gallery::imsave(ask.picture, (group + sn::where(bright, 0.99, 0.3)).reshape(ask.size, ask.size),
                  {.cmap = gallery::shades({{255, 200, 90}, {110, 200, 255}, {255, 110, 140}}), .vmin = 0, .vmax = 3});
}
