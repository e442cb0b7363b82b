// The spectrogram of a sentence that was read aloud (samples/data): segments that overlap are a view, the window is in the kernel before
// their transforms, and decibels are in the one behind.
#include <iostream>

#include <sinter/filters.hpp>
#include <sinter/spectral.hpp>

#include "gallery.hpp"

namespace sn = sinter;
using sn::_, sn::array, sn::slice;

int main(int argc, char** argv) {
  const gallery::command ask(argc, argv, "out/spectrogram.png", 256);
  constexpr double rate = 16'000;
  const array<float> sound = sn::load<float>("samples/data/speech.npy") / 32'768;

  const auto [f, t, power] =
      sn::signal::spectrogram(sound, {.fs = rate, .window = "hann", .nperseg = ask.size, .noverlap = ask.size * 7 / 8});
  const array<float> decibels = 10 * sn::log10(power + 1e-12F);

  // How much of the power lies below 1 kHz, and where the voice is loudest.
  const array<float> mean = sn::signal::welch(sound, {.fs = rate, .nperseg = 512}).p;
  const array<double> lines = sn::fft::rfftfreq(512, 1 / rate);
  const array<double> low = sn::astype<double>(sn::sum(sn::where(lines < 1000, mean, 0.0F)) / sn::sum(mean));
  const array<float> loudness = sn::sum(power, 0);
  const auto loudest = sn::signal::find_peaks(loudness, {.height = 0.2 * sn::max(loudness).item(), .distance = 40}).at;
  const auto [segments] = t.shape<1>();
  std::cout << sn::round(t(segments - 1).item(), 1) << " seconds, " << f.size() << " frequencies\n"
            << "strongest        " << lines(sn::argmax(mean).item()).item() << " Hz\n"
            << "below 1000 Hz    " << sn::round(100 * low, 0) << " % of the power\n"
            << "loud moments     " << sn::round(sn::array<double>(t)(loudest), 2) << " s\n";

  // Low frequencies at the bottom, and 80 decibels from black to the brightest.
  const float top = sn::max(decibels).item();
  gallery::imsave(ask.picture, sn::flip(decibels(slice(0, ask.size * 3 / 8), _), 0),
                  {.cmap = gallery::inferno, .vmin = top - 80, .vmax = top});
}
