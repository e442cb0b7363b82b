// Examples of spectra and filters. SciPy's values of them are in test/numpy/golden/signal.txt.
#include <cmath>
#include <complex>

#include <sinter/dct.hpp>
#include <sinter/filters.hpp>
#include <sinter/sinter.hpp>
#include <sinter/spectral.hpp>

#include "docs/generate/examples.hpp"

#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"

namespace docs {

void run_signals(std::vector<example>& all) {
  DOCS_OPERANDS
  EXAMPLE(signal::get_window, "", sn::round(sn::signal::get_window({"kaiser", 8.6}, 5), 6));
  EXAMPLE(signal::detrend, "", sn::round(sn::signal::detrend(array{1.0, 3.0, 4.0, 6.0}), 6) + 0);
  EXAMPLE(signal::periodogram, "", sn::round(sn::signal::periodogram(sn::asarray(v), {.fs = 4}).p, 6));
  EXAMPLE(signal::welch, "", sn::round(sn::signal::welch(sn::asarray(v), {.nperseg = 2}).p, 6));
  EXAMPLE(signal::csd, "", sn::round(sn::abs(sn::signal::csd(sn::asarray(v), sn::asarray(v) * 2).p), 6));
  EXAMPLE(signal::coherence, "",
          sn::round(sn::signal::coherence(sn::asarray(v), sn::asarray(v) * 2, {.nperseg = 2}).p, 6));
  EXAMPLE(signal::spectrogram, "", sn::signal::spectrogram(sn::asarray(v), {.nperseg = 2, .noverlap = 1}).t);
  EXAMPLE(signal::stft, "", sn::round(sn::abs(sn::signal::stft(sn::asarray(v), {.nperseg = 2}).z), 6));
  EXAMPLE(signal::istft, "", sn::signal::istft(sn::signal::stft(sn::asarray(v), {.nperseg = 2}).z).x);
  EXAMPLE(signal::hilbert, "", sn::round(sn::abs(sn::signal::hilbert(sn::asarray(v))), 6));
  EXAMPLE(signal::fftconvolve, "", sn::round(sn::signal::fftconvolve(f, array<float>{1, 0, -1}), 5) + 0);
  EXAMPLE(signal::oaconvolve, "", sn::round(sn::signal::oaconvolve(f, array<float>{1, 0, -1}), 5) + 0);
  EXAMPLE(signal::resample, "", sn::round(sn::signal::resample(sn::asarray(v), 6), 6));
  EXAMPLE(signal::firwin, "", sn::round(sn::signal::firwin(5, 0.4), 6));
  EXAMPLE(signal::lfilter, "", sn::signal::lfilter(array{1.0}, array{1.0, -0.5}, sn::asarray(v)));
  EXAMPLE(signal::sosfilt, "", sn::signal::sosfilt(array<double>{{1, 0, 0, 1, -0.5, 0}}, sn::asarray(v)));
  EXAMPLE(fft::dct, "", sn::round(sn::fft::dct(sn::asarray(v)), 6));
  EXAMPLE(fft::idct, "", sn::round(sn::fft::idct(sn::fft::dct(sn::asarray(v))), 6));
  EXAMPLE(fft::dst, "", sn::round(sn::fft::dst(sn::asarray(v), {.norm = sn::fft::norm::ortho}), 6));
  EXAMPLE(fft::idst, "", sn::round(sn::fft::idst(sn::fft::dst(sn::asarray(v))), 6));
  EXAMPLE(fft::dctn, "", sn::round(sn::fft::dctn(a), 6) + 0);
  EXAMPLE(fft::idctn, "", sn::round(sn::fft::idctn(sn::fft::dctn(a)), 6));
  EXAMPLE(fft::dstn, "", sn::round(sn::fft::dstn(a), 6));
  EXAMPLE(fft::idstn, "", sn::round(sn::fft::idstn(sn::fft::dstn(a)), 6));
  EXAMPLE(signal::find_peaks, "", sn::signal::find_peaks(array{0, 2, 1, 4, 4, 0}, {.height = 3}).at);
}

}  // namespace docs
