// Windows, spectra and short-time transforms: SciPy's values, refusals, and how many kernels they take.
#include <doctest/doctest.h>

#include <sinter/spectral.hpp>

#include "test/include/looking.hpp"
#include "test/include/signal_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using signal::detrending, signal::scaling, signal::boundary;

template <class T>
constexpr bool is_real = !detail::is_complex(dtype_of<T>);
template <class T>
constexpr bool is_inexact_real = std::is_floating_point_v<T>;

template <class T, class S>
void check_spectrum(const std::string& name, const S& s) {
  check_signal(name + " 0", dtype_of<T>, s.f);
  check_signal(name + " 1", dtype_of<T>, s.p);
}
template <class T, class S>
void check_spectra(const std::string& name, const S& s) {
  check_signal(name + " 0", dtype_of<T>, s.f);
  check_signal(name + " 1", dtype_of<T>, s.t);
  check_signal(name + " 2", dtype_of<T>, s.z);
}
template <class T, class S>
void check_sampled(const std::string& name, const S& s) {
  check_signal(name + " 0", dtype_of<T>, s.t);
  check_signal(name + " 1", dtype_of<T>, s.x);
}

void check_window(const char* text, const signal::window& w) {
  for (const auto& [points, periodic] :
       {std::pair(1, true), {2, false}, {16, true}, {17, true}, {16, false}, {17, false}}) {
    const std::string name = std::string("window ") + text + " " + std::to_string(points) + (periodic ? " 1" : " 0");
    check_signal(name, dtype::float64, signal::get_window(w, points, periodic));
  }
}

}  // namespace

TEST_CASE("spectral: windows") {
  for (const char* name : {"barthann", "bartlett", "blackman", "blackmanharris", "bohman", "boxcar", "cosine",
                           "flattop", "hamming", "hann", "lanczos", "nuttall", "parzen", "triang", "tukey"})
    check_window(name, name);
  check_window("exponential 3.0", {"exponential", 3});
  check_window("gaussian 4.5", {"gaussian", 4.5});
  check_window("general_gaussian 1.5 3.0", {"general_gaussian", 1.5, 3});
  check_window("general_hamming 0.7", {"general_hamming", 0.7});
  check_window("kaiser 8.6", {"kaiser", 8.6});
  check_window("tukey 0.3", {"tukey", 0.3});
  check_window("tukey 1.2", {"tukey", 1.2});
  check_window("tukey 0.0", {"tukey", 0.0});
  CHECK_THROWS_WITH(static_cast<void>(signal::get_window("han", 8)), "sinter: there is no window \"han\"");
  CHECK_THROWS_WITH(static_cast<void>(signal::get_window("kaiser", 8)), "sinter: the window \"kaiser\" takes 1 number");
  CHECK_THROWS_WITH(static_cast<void>(signal::get_window({"hann", 2}, 8)),
                    "sinter: the window \"hann\" takes no number");
  CHECK_THROWS_AS(static_cast<void>(signal::get_window(ones({7}), 8)), shape_error);
  CHECK(array<double>(signal::get_window("hann", 0)).size() == 0);
}

TEST_CASE("spectral: a periodogram of fewer points is of the first samples") {
  const array<double> x = noise<double>({3, 100});
  const auto of_ten = signal::periodogram(x, {.nfft = 10}), of_first = signal::periodogram(x(_, slice(10)));
  CHECK(array_equal(of_ten.p, of_first.p));
  CHECK(array_equal(of_ten.f, of_first.f));
}

TEST_CASE_TEMPLATE("spectral: power", T, int, float, double, std::complex<double>) {
  const array<T> x50 = noise<T>({50}), x600 = noise<T>({600}), x40 = noise<T>({40}), x300 = noise<T>({300});
  check_signal("detrend linear", dtype_of<T>, signal::detrend(noise<T>({37})));
  check_signal("detrend constant", dtype_of<T>, signal::detrend(noise<T>({4, 6}), detrending::constant, 0));
  check_spectrum<T>("periodogram", signal::periodogram(x50, {.fs = 10}));
  check_spectrum<T>("welch", signal::welch(x600, {.fs = 100}));
  check_spectrum<T>("welch few", signal::welch(x40));
  check_spectrum<T>("csd", signal::csd(x300, x300(slice(_, _, -1)) * 2, {.nperseg = 64}));
  if constexpr (is_real<T>) {
    const array<T> x31 = noise<T>({3, 31}), x100 = noise<T>({100});
    check_spectrum<T>("periodogram long",
                      signal::periodogram(x31, {.window = "hann", .nfft = 64, .scaling = scaling::spectrum}));
    check_spectrum<T>("periodogram short",
                      signal::periodogram(noise<T>({31}), {.nfft = 16, .detrend = detrending::none}));
    check_spectrum<T>("welch options", signal::welch(noise<T>({200, 3}), {.fs = 2,
                                                                          .window = {"kaiser", 5.0},
                                                                          .nperseg = 32,
                                                                          .noverlap = 20,
                                                                          .nfft = 45,
                                                                          .detrend = detrending::linear,
                                                                          .scaling = scaling::spectrum,
                                                                          .axis = 0}));
    check_spectrum<T>("welch two sides", signal::welch(x100, {.nperseg = 25, .return_onesided = false}));
    // Of integers halves are no integers.
    const auto other = roll(x300, 3) + strong(detail::spectral_real<lazy<T>, lazy<T>>(0.5)) * x300(slice(_, _, -1));
    check_spectrum<T>("coherence", signal::coherence(x300, other, {.nperseg = 32}));
    check_spectra<T>("spectrogram", signal::spectrogram(noise<T>({2, 400}), {.fs = 8, .nperseg = 64}));
    check_spectra<T>(
        "spectrogram axis",
        signal::spectrogram(noise<T>({90, 2}), {.window = "hamming", .nperseg = 20, .noverlap = 7, .axis = 0}));
  }
  if constexpr (is_inexact_real<T>) {
    const array<double> wide = 0.5 + arange<double>(32) / 64;
    check_spectrum<T>("welch samples", signal::welch(noise<T>({2, 100}), {.window = wide}));
  }
}

TEST_CASE_TEMPLATE("spectral: short-time transforms", T, int, float, double, std::complex<double>) {
  check_spectra<T>("stft", signal::stft(noise<T>({150}), {.fs = 4, .nperseg = 32}));
  if constexpr (is_real<T>) {
    check_spectra<T>("stft plain", signal::stft(noise<T>({2, 100}), {.nperseg = 21,
                                                                     .noverlap = 5,
                                                                     .nfft = 30,
                                                                     .boundary = boundary::none,
                                                                     .padded = false,
                                                                     .scaling = scaling::density}));
    check_spectra<T>(
        "stft even",
        signal::stft(noise<T>({70}), {.nperseg = 16, .detrend = detrending::constant, .boundary = boundary::even}));
    check_signal("hilbert", dtype_of<T>, signal::hilbert(noise<T>({3, 20})));
    check_signal("hilbert odd", dtype_of<T>, signal::hilbert(noise<T>({21, 2}), 27, 0));
  }
  if constexpr (is_inexact_real<T>) {
    const array<T> x100 = noise<T>({100});
    check_spectra<T>("stft odd",
                     signal::stft(noise<T>({70, 2}), {.nperseg = 16, .boundary = boundary::odd, .axis = 0}));
    check_spectra<T>("stft edge",
                     signal::stft(noise<T>({70}), {.nperseg = 15, .noverlap = 9, .boundary = boundary::constant}));
    check_sampled<T>("istft", signal::istft(signal::stft(noise<T>({2, 150}), {.nperseg = 32}).z, {.fs = 2}));
    check_sampled<T>("istft part", signal::istft(signal::stft(x100, {.nperseg = 20, .noverlap = 15}).z * T(0.5),
                                                 {.nperseg = 20, .noverlap = 15}));
    const auto plain = signal::stft(
        x100,
        {.window = "hamming", .nperseg = 20, .boundary = boundary::none, .padded = false, .scaling = scaling::density});
    check_sampled<T>("istft plain",
                     signal::istft(plain.z, {.window = "hamming", .boundary = false, .scaling = scaling::density}));
  }
}

TEST_CASE("spectral: complex signals come back") {
  const array<std::complex<double>> x = noise<std::complex<double>>({128});
  const auto back = signal::istft<std::complex<double>>(signal::stft(x, {.nperseg = 32}).z).x;
  CHECK(array<double>(max(abs(back(slice(0, 128)) - x))).item() < 1e-14);
  // An axis elsewhere, and frequencies behind times.
  const array<double> rows = noise<double>({96, 3});
  const array<std::complex<double>> z = signal::stft(rows, {.nperseg = 16, .axis = 0}).z;
  CHECK(z.shape() == shape{9, 3, 13});
  const array<double> again = signal::istft(z, {.time_axis = 2, .freq_axis = 0}).x;
  CHECK(again.shape() == shape{3, 96});
  CHECK(array<double>(max(abs(again.T() - rows))).item() < 1e-14);
}

TEST_CASE("spectral: refusals") {
  const array<double> x = ones({100});
  CHECK_THROWS_AS(static_cast<void>(signal::welch(x, {.nperseg = 32, .noverlap = 32})), shape_error);
  CHECK_THROWS_AS(static_cast<void>(signal::welch(x, {.nperseg = 32, .nfft = 16})), shape_error);
  CHECK_THROWS_AS(static_cast<void>(signal::welch(x, {.window = ones({200})})), shape_error);
  CHECK_THROWS_AS(static_cast<void>(signal::welch(x, {.axis = 1})), shape_error);
  CHECK_THROWS_AS(static_cast<void>(signal::stft(zeros<double>({0}))), shape_error);
  CHECK_THROWS_AS(static_cast<void>(signal::csd(x, ones({50}))), shape_error);
  CHECK_THROWS_AS(static_cast<void>(signal::hilbert(noise<std::complex<double>>({8}))), dtype_error);
  CHECK_THROWS_AS(static_cast<void>(signal::istft(ones({8}))), shape_error);
  CHECK_THROWS_AS(static_cast<void>(signal::welch(x, {.window = "no such"})), error);
}

TEST_CASE("spectral: what surrounds the transforms is fused with them") {
  const array<float> x = noise<float>({4096});
  std::ostringstream text;
  text << explain(log10(signal::welch(x * 2, {.nperseg = 512}).p));
  CHECK(times_in(text.str(), "calls: 1") == 1);
}

TEST_CASE("spectral: two samples lie on a line") {
  CHECK(all(abs(signal::detrend(array<double>{{1, 4}, {-2, 3}})) < 1e-15).item());
  CHECK(signal::detrend(array<double>{5}).get() == std::vector<double>{0});
}
