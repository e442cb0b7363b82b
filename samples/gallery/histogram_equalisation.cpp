// Histogram equalisation of a photograph (samples/data): the share of pixels that are as dark as a grey or darker
// becomes that grey's new value. Adding at computed indices counts, a cumsum adds up, an index array looks up.
#include <iostream>

#include "gallery.hpp"

namespace sn = sinter;
using sn::array;

array<double> histogram(const array<std::uint8_t>& photo) {
  array<double> counts = sn::zeros({256});
  sn::scatter_add(counts, photo.ravel(), 1);
  return counts / photo.size();
}

void tell(const char* name, const array<std::uint8_t>& photo) {
  const array<double> share = sn::cumsum(histogram(photo));
  std::cout << name << "mean " << sn::round(sn::mean(photo), 1) << ", quartiles";
  for (double part : {0.25, 0.5, 0.75}) std::cout << ' ' << sn::argmax(share >= part);
  std::cout << '\n';
}

int main(int argc, char** argv) {
  const gallery::command ask(argc, argv, "out/histogram_equalisation.png", 1);

  const array photo = sn::load<std::uint8_t>("samples/data/camera.npy");
  const array levels = sn::astype<std::uint8_t>(sn::round(255 * sn::cumsum(histogram(photo))));
  const array equalised = levels(photo);

  tell("as taken    ", photo);
  tell("equalised   ", equalised);
  gallery::imsave(ask.picture, sn::hstack({photo, equalised}), {.cmap = gallery::grey, .vmin = 0, .vmax = 255});
}
