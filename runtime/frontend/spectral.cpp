// Estimates of spectra as expressions: segments that overlap are a view, what is done to them before their transforms is one kernel,
// and what is done with these another.
#include <algorithm>
#include <utility>

#include <sinter/reduce.hpp>
#include <sinter/spectral.hpp>

#include "runtime/frontend/segments.hpp"
#include "runtime/library/products.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::axis_moved, runtime::choose, runtime::cut, runtime::frequencies_of,
    runtime::index_of, runtime::one_axis, runtime::power_of, runtime::signal_operand, runtime::term, runtime::times_of,
    runtime::transforms_of, runtime::window_of;

namespace {

// Powers or products, of which those that stand for a negative frequency, too, count twice.
term scaled(const term& powers, const term& power, const cut& c) {
  const dtype real = real_part_of(powers.type());
  const term scale = astype(1.0 / power, real);
  if (!c.onesided) return powers * scale;
  const term k = index_of(shape{c.points / 2 + 1}, 0);
  const term alone = c.points % 2 == 0 ? (k == 0) | (k == c.points / 2) : k == 0;
  return powers * choose(alone, scale, scale * 2.0);
}

term squared(const term& z) {
  const term re = apply(op::real, {z}), im = apply(op::imag, {z});
  return re * re + im * im;
}

const char* name_of(spectral what) {
  constexpr const char* names[] = {"periodogram", "welch", "csd", "coherence", "spectrogram"};
  return names[static_cast<int>(what)];
}

cut cut_of(spectral what, const signal::spectral_options& how, std::int64_t samples) {
  signal::window window = how.window;
  if (!window.name() && !window.samples()) {
    if (what == spectral::periodogram) window = "boxcar";
    else if (what == spectral::spectrogram) window = {"tukey", 0.25};
    else window = "hann";
  }
  if (what != spectral::periodogram)
    return runtime::cut_of(window, how.nperseg, how.noverlap, how.nfft, samples,
                           {256, what == spectral::spectrogram ? 8 : 2});
  return runtime::cut_of(window, samples, 0, how.nfft, samples, {samples, 1});  // all of it is one segment
}

term mean_of_segments(const term& powers) {
  return term::made(make_mean(powers.held(), powers.type(), one_axis(-2), false));
}

}  // namespace

made_spectrum make_spectrum(handle given, handle other, spectral what, const signal::spectral_options& how) {
  const char* const name = name_of(what);
  signal_operand x(std::move(given), how.axis, name);
  if (what == spectral::periodogram && how.nfft >= 0 && how.nfft < x.samples())
    x.x = runtime::last(x.x, slice(0, how.nfft));
  cut c = cut_of(what, how, x.samples());
  const bool is_pair = static_cast<bool>(other);
  const signal_operand y = is_pair ? signal_operand(std::move(other), how.axis, name) : x;
  if (y.samples() != x.samples()) runtime::throw_unequal(name, x.x, y.x);
  c.onesided = how.return_onesided && !is_complex(x.x.type()) && !is_complex(y.x.type()) &&
               !(c.window.samples() && is_complex(term(c.window.samples()).type()));
  const term power = power_of(window_of(c), how.scaling, how.fs);
  const term of_x = transforms_of(x.x, c, how.detrend);
  handle f = frequencies_of(c, how.fs);
  if (what == spectral::spectrogram) {
    const term powers = axis_moved(scaled(squared(of_x), power, c), -1, -2);
    const term t = times_of(c, of_x.extent(of_x.rank() - 2), static_cast<double>(c.length) / 2, how.fs);
    // Frequencies take the signal's axis; the segments are behind all.
    return {std::move(f), t.held(), axis_moved(powers, -2, x.axis).held()};
  }
  if (!is_pair)
    return {std::move(f), {}, axis_moved(mean_of_segments(scaled(squared(of_x), power, c)), -1, x.axis).held()};
  const term of_y = transforms_of(y.x, c, how.detrend);
  const term both = mean_of_segments(scaled(apply(op::conjugate, {of_x}) * of_y, power, c));
  if (what == spectral::csd) return {std::move(f), {}, axis_moved(both, -1, x.axis).held()};
  const term alone =
      mean_of_segments(scaled(squared(of_x), power, c)) * mean_of_segments(scaled(squared(of_y), power, c));
  return {std::move(f), {}, axis_moved(squared(both) / alone, -1, x.axis).held()};
}

}  // namespace sinter::detail
