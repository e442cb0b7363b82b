// Edges of a photograph (samples/data), after Sobel: differences of what lies around each pixel, as sums over windows
// that slide over the picture. Windows are views: nothing is copied, and each picture is one kernel.
#include <iostream>

#include "gallery.hpp"

namespace sn = sinter;
using sn::array;

/// The sums of the pixels around each pixel, weighted; the picture goes on as its edge is.
template <class E>
auto correlate(const E& picture, const array<float>& weights) {
  auto windows =
      sn::sliding_window_view(sn::pad(picture, weights.shape()[0] / 2, sn::pad_mode::edge), weights.shape<2>());
  return sn::sum(windows * weights, {.axis = {-2, -1}});
}

int main(int argc, char** argv) {
  const gallery::command ask(argc, argv, "out/edges.png", 1);
  const array<float> photo = sn::load<float>("samples/data/camera.npy") / 255;

  const array<float> bell{1, 4, 6, 4, 1};  // blurs, so that grain makes no edges
  const array<float> smooth = correlate(photo, bell * bell(sn::_, sn::newaxis) / 256);

  const array<float> sobel{{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
  auto across = correlate(smooth, sobel), down = correlate(smooth, sobel.T());
  const array<float> strength = sn::hypot(across, down);
  auto direction = sn::degrees(sn::arctan2(down, across)) % 180;

  auto strong = strength > 1;
  auto upright = sn::abs(direction - 90) > 67.5;
  std::cout << "strongest   " << sn::round(sn::max(strength), 2) << '\n'
            << "edges       " << sn::round(100 * sn::mean(strong), 1) << " % of all pixels\n"
            << "upright     " << sn::round(100 * sn::mean(upright(strong)), 0) << " % of these\n";
  gallery::imsave(ask.picture, sn::hstack(sn::tuple(photo, 1 - sn::minimum(strength, 1))),
                  {.cmap = gallery::grey, .vmin = 0, .vmax = 1});
}
