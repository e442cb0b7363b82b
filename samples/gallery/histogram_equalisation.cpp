// Histogram equalisation of a photograph (samples/data): the share of pixels that are as dark as a grey or darker
// becomes that grey's new value. bincount counts, cumsum adds up, and an index array looks up.
#include <iostream>

#include <sinter/histogram.hpp>

#include "gallery.hpp"

namespace sn = sinter;
using sn::array;

/// For each grey the share of pixels that are as dark or darker.
auto shares(const array<std::uint8_t>& photo) { return sn::cumsum(sn::bincount(photo.ravel(), 256)) / photo.size(); }

void tell(const char* name, const array<std::uint8_t>& photo) {
  const array<double> share = shares(photo);
  std::cout << name << "mean " << sn::round(sn::mean(photo), 1) << ", quartiles";
  for (double part : {0.25, 0.5, 0.75}) std::cout << ' ' << sn::argmax(share >= part);
  std::cout << '\n';
}

int main(int argc, char** argv) {
  const gallery::command ask(argc, argv, "out/histogram_equalisation.png", 1);

  const array photo = sn::load<std::uint8_t>("samples/data/camera.npy");
  const array levels = sn::astype<std::uint8_t>(sn::round(255 * shares(photo)));
  const array equalised = levels(photo);

  tell("as taken    ", photo);
  tell("equalised   ", equalised);
  gallery::imsave(ask.picture, sn::hstack({photo, equalised}), {.cmap = gallery::grey, .vmin = 0, .vmax = 255});
}
