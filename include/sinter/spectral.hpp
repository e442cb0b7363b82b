// Spectra of signals: windows, periodograms, Welch's method, short-time transforms and back, analytic signals. Compositions of
// transforms and of elementwise work, which is in the kernels around the calls. Not in sinter.hpp.
#pragma once

#include <initializer_list>
#include <limits>
#include <utility>

#include <sinter/fft.hpp>

namespace sinter::signal {

/// A window: its name in SciPy, with the numbers that it takes, or its samples: `"hann"`, `{"kaiser", 8.6}`, `w`. The names: barthann,
/// bartlett, blackman, blackmanharris, bohman, boxcar, cosine, exponential (tau), flattop, gaussian (std), general_gaussian (p, sig),
/// general_hamming (alpha), hamming, hann, kaiser (beta), lanczos, nuttall, parzen, triang, tukey (alpha). Errors: `error` for another
/// name, or where a number is missing. Source: scipy.signal.get_window.
class window {
 public:
  /// The function's own.
  window() = default;
  window(const char* name, double first = unset, double second = unset) : name_(name), numbers_{first, second} {}
  template <sinter::detail::expression E>
  window(E&& samples) : samples_(sinter::detail::take_node(std::forward<E>(samples))) {}

  static constexpr double unset = std::numeric_limits<double>::quiet_NaN();
  /// Null: none, or samples.
  const char* name() const { return name_; }
  double number(int i) const { return numbers_[i]; }
  const sinter::detail::handle& samples() const { return samples_; }

 private:
  const char* name_ = nullptr;
  double numbers_[2] = {unset, unset};
  sinter::detail::handle samples_;
};

/// What is taken from each segment before it is transformed: nothing, its mean, or the line that fits it best.
enum class detrending : unsigned char { none, constant, linear };
/// The density of power, per unit of frequency, or the power of each line.
enum class scaling : unsigned char { density, spectrum };
/// What a short-time transform puts around the signal, half a segment on either side.
enum class boundary : unsigned char { none, zeros, even, odd, constant };

/// How to estimate a spectrum: `welch(x, {.fs = 1e3, .nperseg = 1024})`. A number below 0 is the function's own.
struct spectral_options {
  double fs = 1;            ///< samples per unit of time
  signal::window window{};  ///< hann; of a periodogram boxcar; of a spectrogram {"tukey", 0.25}
  std::int64_t nperseg =
      -1;  ///< length of a segment: 256, as many as the window has samples, or all; never more than there are
  std::int64_t noverlap = -1;  ///< of segments: half of one; of a spectrogram an eighth
  std::int64_t nfft = -1;      ///< points of a transform: nperseg; more are zeros
  detrending detrend = detrending::constant;
  bool return_onesided = true;  ///< of real signals
  signal::scaling scaling = signal::scaling::density;
  std::int64_t axis = -1;
};
/// How to transform a signal piece by piece, and back.
struct stft_options {
  double fs = 1;
  signal::window window{};
  std::int64_t nperseg = -1;
  std::int64_t noverlap = -1;
  std::int64_t nfft = -1;
  detrending detrend = detrending::none;
  bool return_onesided = true;
  signal::boundary boundary = signal::boundary::zeros;
  bool padded = true;  ///< with zeros, so that segments reach its end
  std::int64_t axis = -1;
  signal::scaling scaling = signal::scaling::spectrum;
};
struct istft_options {
  double fs = 1;
  signal::window window{};
  std::int64_t nperseg = -1;
  std::int64_t noverlap = -1;
  std::int64_t nfft = -1;
  bool boundary = true;  ///< was something put around the signal?
  std::int64_t time_axis = -1;
  std::int64_t freq_axis = -2;
  signal::scaling scaling = signal::scaling::spectrum;
};

/// Frequencies and what there is at each: `auto [f, p] = welch(x);`
template <class T>
struct spectrum {
  lazy<double> f;
  lazy<T> p;
};
/// Frequencies, times, and what there is at each of both: `auto [f, t, z] = stft(x);`
template <class T>
struct spectra {
  lazy<double> f, t;
  lazy<T> z;
};
/// Times and a signal.
template <class T>
struct sampled {
  lazy<double> t;
  lazy<T> x;
};

}  // namespace sinter::signal

namespace sinter::detail {

enum class spectral : unsigned char { periodogram, welch, csd, coherence, spectrogram };
struct made_spectrum {
  handle f, t, values;
};
SINTER_API node* make_window(const signal::window&, std::int64_t points, bool periodic);
SINTER_API made_spectrum make_spectrum(handle x, handle y, spectral, const signal::spectral_options&);
SINTER_API made_spectrum make_stft(handle, const signal::stft_options&);
SINTER_API made_spectrum make_istft(handle, const signal::istft_options&, bool onesided);
SINTER_API node* make_analytic(handle, std::int64_t points, std::int64_t axis);
SINTER_API node* make_detrended(handle, signal::detrending, std::int64_t axis, const integers& breaks);

template <class A, class B>
using spectral_real =
    std::conditional_t<std::is_same_v<transform_real<A>, float> && std::is_same_v<transform_real<B>, float>, float,
                       double>;
template <class T>
signal::spectrum<T> as_spectrum(made_spectrum made) {
  return {lazy<double>(made.f.take()), lazy<T>(made.values.take())};
}
template <class T>
signal::spectra<T> as_spectra(made_spectrum made) {
  return {lazy<double>(made.f.take()), lazy<double>(made.t.take()), lazy<T>(made.values.take())};
}
template <class A, class B>
made_spectrum spectrum_of_two(A&& x, B&& y, spectral what, const signal::spectral_options& how) {
  handle a(take_node(std::forward<A>(x))), b(take_node(std::forward<B>(y)));
  return make_spectrum(std::move(a), std::move(b), what, how);
}

}  // namespace sinter::detail

namespace sinter::signal {

/// A window's samples. `fftbins`: one period of it, for transforms; else it ends as it begins. Shapes: one axis of so many points. Errors:
/// `error` for a name that there is not; `shape_error` for samples that are not as many. Source: scipy.signal.get_window.
inline lazy<double> get_window(const window& w, sinter::detail::integer points, bool fftbins = true) {
  return lazy<double>(sinter::detail::make_window(w, points, fftbins));
}
/// A signal without its mean, or without the line that fits it best, along an axis; of the pieces that begin at `bp` each without its
/// own line. Dtypes: float of float16, float32, else double;
/// complex of complex. Errors: `shape_error`, also for a piece beyond the end. Source: scipy.signal.detrend, with the line as SciPy's default.
template <sinter::detail::expression E>
auto detrend(E&& e, detrending what = detrending::linear, sinter::detail::integer axis = -1,
             const sinter::detail::integers& bp = 0) {
  using namespace sinter::detail;
  using R = transform_real<E>;
  using T = std::conditional_t<is_complex(dtype_of<element_in<E>>), std::complex<R>, R>;
  return lazy<T>(make_detrended(handle(take_node(std::forward<E>(e))), what, axis, bp));
}

/// The power of a signal at each frequency, from one transform of all of it. Shapes: nfft / 2 + 1 points along the axis, or nfft for
/// complex signals. Dtypes: float of float16, float32 and complex64, double of others. Units: cycles per unit of 1 / fs; the signal's
/// squared, per unit of frequency. Errors: `shape_error`, `error` for a window. Stream behaviour: as `fft::fft`. Source:
/// scipy.signal.periodogram.
template <sinter::detail::expression E>
auto periodogram(E&& e, const spectral_options& how = {}) {
  using namespace sinter::detail;
  return as_spectrum<transform_real<E>>(
      make_spectrum(handle(take_node(std::forward<E>(e))), {}, spectral::periodogram, how));
}
/// The mean of the periodograms of segments that overlap. Shapes, dtypes, units and errors: as periodogram. Source: scipy.signal.welch, of
/// average mean.
template <sinter::detail::expression E>
auto welch(E&& e, const spectral_options& how = {}) {
  using namespace sinter::detail;
  return as_spectrum<transform_real<E>>(make_spectrum(handle(take_node(std::forward<E>(e))), {}, spectral::welch, how));
}
/// The spectrum of two signals' cross-correlation, which is complex. Shapes: they broadcast. Source: scipy.signal.csd.
template <sinter::detail::expression X, sinter::detail::expression Y>
auto csd(X&& x, Y&& y, const spectral_options& how = {}) {
  using namespace sinter::detail;
  return as_spectrum<std::complex<spectral_real<X, Y>>>(
      spectrum_of_two(std::forward<X>(x), std::forward<Y>(y), spectral::csd, how));
}
/// How much of one signal's power at each frequency follows linearly from the other's: 0 to 1. Source: scipy.signal.coherence.
template <sinter::detail::expression X, sinter::detail::expression Y>
auto coherence(X&& x, Y&& y, const spectral_options& how = {}) {
  using namespace sinter::detail;
  return as_spectrum<spectral_real<X, Y>>(
      spectrum_of_two(std::forward<X>(x), std::forward<Y>(y), spectral::coherence, how));
}
/// The periodograms of segments, one after the other. Shapes: frequencies in place of the axis, and a last axis for the segments.
/// Source: scipy.signal.spectrogram of mode psd.
template <sinter::detail::expression E>
auto spectrogram(E&& e, const spectral_options& how = {}) {
  using namespace sinter::detail;
  return as_spectra<transform_real<E>>(
      make_spectrum(handle(take_node(std::forward<E>(e))), {}, spectral::spectrogram, how));
}

/// The transforms of segments that overlap, each times a window. Shapes: frequencies in place of the axis, and a last axis for the
/// segments. Dtypes: complex64 of float16, float32 and complex64, complex128 of others. Errors: `shape_error`, `error` for a window.
/// Stream behaviour: as `fft::fft`. Source: scipy.signal.stft.
template <sinter::detail::expression E>
auto stft(E&& e, const stft_options& how = {}) {
  using namespace sinter::detail;
  return as_spectra<transform_complex<E>>(make_stft(handle(take_node(std::forward<E>(e))), how));
}
/// The signal of which these are the transforms: what overlaps is added up, and divided by the windows' squares. Where no window
/// reaches, it is 0. Dtypes: real, of transforms of which half is given; `istft<std::complex<double>>(z)` is of all of them. Errors:
/// `shape_error`. Source: scipy.signal.istft.
template <class T = void, sinter::detail::expression E>
auto istft(E&& e, const istft_options& how = {}) {
  using namespace sinter::detail;
  constexpr bool onesided = std::is_void_v<T>;
  using R = std::conditional_t<onesided, transform_real<E>, transform_complex<E>>;
  static_assert(onesided || std::is_same_v<T, R>, "sinter: istft of these gives other complex numbers");
  made_spectrum made = make_istft(handle(take_node(std::forward<E>(e))), how, onesided);
  return sampled<R>{lazy<double>(made.t.take()), lazy<R>(made.values.take())};
}

/// The analytic signal: a real signal and, as imaginary part, its Hilbert transform. Shapes: `points` along the axis, or as many as there
/// are; more are zeros. Dtypes: complex. Errors: `dtype_error` for complex signals. Source: scipy.signal.hilbert.
template <sinter::detail::expression E>
auto hilbert(E&& e, sinter::detail::integer points = -1, sinter::detail::integer axis = -1) {
  using namespace sinter::detail;
  return lazy<transform_complex<E>>(make_analytic(handle(take_node(std::forward<E>(e))), points, axis));
}

}  // namespace sinter::signal
