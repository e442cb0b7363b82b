// Filters, spectra and cosine transforms. The floor reads what is given once, and writes the result once.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <sinter/dct.hpp>
#include <sinter/filters.hpp>
#include <sinter/signal.hpp>
#include <sinter/spectral.hpp>

#include "bench/forms.hpp"

namespace {

namespace sn = sinter;
using sn::array;

const std::vector<double> numerator{0.0976, 0.1953, 0.0976}, denominator{1, -0.9428, 0.3333};

/// What the filter of the second order gives of one row, by a loop.
std::vector<double> filtered(const std::vector<double>& x) {
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t k = 0; k < 3 && k <= i; ++k)
      y[i] += numerator[k] * x[i - k] - (k == 0 ? 0.0 : denominator[k] * y[i - k]);
  return y;
}

void filters(bench::session& s, std::int64_t rows, std::int64_t n) {
  const std::string of = ", " + std::to_string(rows) + "x" + std::to_string(n);
  const std::vector<double> host = bench::numbers<double>(rows * n, -1, 1, 1);
  const array<double> x = array<double>(sn::asarray(host)).reshape(rows, n);
  const array<double> b = sn::asarray(numerator), a = sn::asarray(denominator);
  const double bytes = 8.0 * static_cast<double>(rows * n);
  if (const std::string name = "lfilter, order 2" + of; s.wants(name)) {
    const array<double> y = sn::signal::lfilter(b, a, x);
    const std::vector<double> want = filtered({host.end() - n, host.end()}), got = array<double>(y(rows - 1)).get();
    const std::string bad = bench::disagreement(got, 1e-9, 1, [&](std::size_t i) { return want[i]; });
    if (!bad.empty()) s.wrong(name, rows * n, bad);
    else s.measure(name, rows * n, bytes, bytes, [&] { array<double> r = sn::signal::lfilter(b, a, x); });
  }
  if (const std::string name = "sosfilt, 2 sections" + of; s.wants(name)) {
    const std::vector<double> section{numerator[0], numerator[1], numerator[2], 1, denominator[1], denominator[2]};
    const array<double> sos = sn::tile(array<double>(sn::asarray(section)), {2, 1});
    s.measure(name, rows * n, bytes, bytes, [&] { array<double> r = sn::signal::sosfilt(sos, x); });
  }
}

void spectra(bench::session& s, std::int64_t n) {
  const array<float> x = sn::asarray(bench::numbers<float>(n, -1, 1, 2));
  const double bytes = 4.0 * static_cast<double>(n);
  if (const std::string name = "welch float32, segments of 1024"; s.wants(name))
    s.measure(name, n, bytes, 0, [&] { array<float> p = sn::signal::welch(x, {.nperseg = 1024}).p; });
  const array<float> m = x.reshape(n / 1000, 1000);
  if (const std::string name = "dct float32, rows of 1000"; s.wants(name))
    s.measure(name, n, bytes, bytes, [&] { array<float> r = sn::fft::dct(m); });
  const array<float> taps = sn::asarray(bench::numbers<float>(1001, -1, 1, 3));
  if (const std::string name = "fftconvolve float32, 1001 taps"; s.wants(name))
    s.measure(name, n, bytes, bytes, [&] { array<float> r = sn::signal::fftconvolve(x, taps); });
  const array<float> few = taps(sn::slice(101));
  if (const std::string name = "convolve float32, 101 taps"; s.wants(name))
    s.measure(name, n, bytes, bytes, [&] { array<float> r = sn::convolve(x, few); });
  const array<float> some = x(sn::slice(20'000));
  if (const std::string name = "correlate float32, 20000 with itself"; s.wants(name))
    s.measure(name, 20'000, 0, 0, [&] { array<float> r = sn::correlate(some, some, sn::convolve_mode::full); });
  if (const std::string name = "mean of windows float32, 101 elements"; s.wants(name))
    s.measure(name, n, bytes, bytes, [&] { array<float> r = sn::mean(sn::sliding_window_view(x, 101), 1); });
}

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv, "Filters, spectra and cosine transforms");
  const std::int64_t n = s.quick() ? 64'000 : s.largest() / 100 * 4;
  filters(s, 1, n);
  filters(s, 64, n / 64);
  spectra(s, n);
  return s.finish();
}
