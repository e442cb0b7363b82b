// Filters: convolutions by transforms, feedback, design by windows, another rate, peaks. Not in sinter.hpp.
#pragma once

#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <sinter/signal.hpp>
#include <sinter/spectral.hpp>

namespace sinter::signal {

/// Which frequencies a filter lets through: of one cutoff those below or above it, of two those between or outside them.
enum class pass : unsigned char { low, high, band, stop };
/// How to design a filter by a window.
struct firwin_options {
  signal::window window = "hamming";
  pass pass_zero = pass::low;
  bool scale = true;  ///< the middle of what passes is not damped
  double fs = 2;      ///< samples per unit of time; cutoffs are in its units
};
struct resample_options {
  std::int64_t axis = 0;
  signal::window window{};  ///< over the frequencies; none unless one is given
};

/// What comes out of a filter, and its state then, with which it goes on: `auto [y, zf] = lfilter(b, a, x, zi);`
template <class T>
struct filtered {
  lazy<T> y, zf;
};

/// What a signal is taken to be beyond its ends: turned around its end point, mirrored at it, constant, or nothing.
enum class padtype : unsigned char { odd, even, constant, none };
/// How to filter forth and back.
struct filtfilt_options {
  std::int64_t axis = -1;
  signal::padtype padtype = signal::padtype::odd;
  std::int64_t padlen = -1;  ///< samples at each end; -1: three times as many as the filter has coefficients
};

/// What a signal is beyond its ends to savgol_filter; `interp`: the ends have the polynomial of the first window, and of the last.
enum class savgol_mode : unsigned char { mirror, constant, nearest, wrap, interp };
/// How to fit polynomials to windows.
struct savgol_options {
  int deriv = 0;     ///< which derivative is wanted
  double delta = 1;  ///< from one sample to the next, for derivatives
  std::int64_t axis = -1;
  savgol_mode mode = savgol_mode::interp;
  double cval = 0;  ///< of mode constant
};

/// A least value, or a least and a largest one.
struct between {
  constexpr between(double from) : least(from) {}
  constexpr between(double from, double to) : least(from), largest(to) {}
  double least, largest = std::numeric_limits<double>::infinity();
};
/// Which peaks are wanted: `find_peaks(x, {.height = 0.5, .distance = 20})`. Those that do not fit are left out in this order.
struct peak_options {
  std::optional<between> plateau_size{};  ///< samples at the top
  std::optional<between> height{};
  std::optional<between> threshold{};  ///< how far above its neighbours
  std::optional<double> distance{};    ///< samples to the next; the lower ones go first, and of equal ones the earlier
  std::optional<between>
      prominence{};  ///< how far above the higher of the lowest points on either side before there is a higher peak
  std::optional<between> width{};  ///< samples, as wide as it is at `rel_height` of the prominence
  std::int64_t wlen = -1;          ///< samples around a peak that are looked at; -1: all
  double rel_height = 0.5;
};
/// Where peaks are, and what was asked about them; the other arrays are empty. Units: samples, but for heights.
struct peaks {
  array<std::int64_t> at;
  array<double> peak_heights;
  array<double> left_thresholds, right_thresholds;
  array<double> prominences;
  array<std::int64_t> left_bases, right_bases;
  array<double> widths, width_heights, left_ips, right_ips;
  array<std::int64_t> plateau_sizes, left_edges, right_edges;
};

}  // namespace sinter::signal

namespace sinter::detail {

SINTER_API node* make_fft_convolved(handle a, handle v, convolve_mode, const axis_list&, bool in_blocks);
SINTER_API node* make_resampled(handle, std::int64_t points, const signal::resample_options&);
SINTER_API node* make_fir_window(std::int64_t taps, const double* cutoffs, std::size_t count,
                                 const signal::firwin_options&);
/// zi: null for a state of zeros.
SINTER_API std::pair<handle, handle> make_filtered(handle b, handle a, handle x, handle zi, dtype, std::int64_t axis);
SINTER_API std::pair<handle, handle> make_sections_filtered(handle sos, handle x, handle zi, dtype, std::int64_t axis);
SINTER_API node* make_step_state(handle b, handle a, dtype);
SINTER_API node* make_sections_step_state(handle sos, dtype);
SINTER_API node* make_filtered_twice(handle b, handle a, handle x, dtype, const signal::filtfilt_options&);
SINTER_API node* make_sections_filtered_twice(handle sos, handle x, dtype, const signal::filtfilt_options&);
SINTER_API node* make_savgol_weights(std::int64_t window, std::int64_t order, const signal::savgol_options&);
SINTER_API node* make_savgol_filtered(handle x, dtype, std::int64_t window, std::int64_t order,
                                      const signal::savgol_options&);
SINTER_API node* make_median_filtered(handle x, const std::int64_t* sizes, std::size_t count);
SINTER_API signal::peaks find_peaks(handle, const signal::peak_options&);

/// What filters compute in: float, double, or complex of these.
constexpr dtype filtered_dtype(std::initializer_list<dtype> all) {
  dtype t = dtype::bool_;
  for (dtype each : all) t = promote(t, each);
  return !is_inexact(t) ? dtype::float64 : widened(t);
}
template <class... E>
using filtered_type = typename element_of<filtered_dtype({dtype_of<element_in<E>>...})>::type;
template <class T>
signal::filtered<T> as_filtered(std::pair<handle, handle> made) {
  return {lazy<T>(made.first.take()), lazy<T>(made.second.take())};
}

/// A number as the denominator of a filter whose numerator is a B: of its dtype.
template <class B, class A>
auto denominator(A a) {
  using T = filtered_type<B>;
  static_assert(complex_number<T> || !complex_number<A>,
                "sinter: a complex denominator of a real filter; write it as a list: {a}");
  return array<T>{a};
}

}  // namespace sinter::detail

namespace sinter::signal {

/// The convolution of arrays, by way of their transforms: faster than the direct form for long operands, and a little less exact. Shapes: as
/// many axes in both; along axes that are left out they broadcast. Dtypes: float of float16 and float32, complex64, double and complex128.
/// Errors: `shape_error`. Stream behaviour: as `fft::fft`. Source: scipy.signal.fftconvolve.
template <sinter::detail::expression A, sinter::detail::expression V = array<sinter::detail::element_in<A>>>
auto fftconvolve(A&& a, V&& v, convolve_mode mode = convolve_mode::full, const axes& along = axes::all()) {
  using namespace sinter::detail;
  using T = filtered_type<A, V>;
  handle x(take_node(std::forward<A>(a))), y(take_node(std::forward<V>(v)));
  return lazy<T>(make_fft_convolved(std::move(x), std::move(y), mode, along.list(), false));
}
/// The same of a long signal and a short one, which is transformed in blocks that overlap. Source: scipy.signal.oaconvolve.
template <sinter::detail::expression A, sinter::detail::expression V = array<sinter::detail::element_in<A>>>
auto oaconvolve(A&& a, V&& v, convolve_mode mode = convolve_mode::full, const axes& along = axes::all()) {
  using namespace sinter::detail;
  using T = filtered_type<A, V>;
  handle x(take_node(std::forward<A>(a))), y(take_node(std::forward<V>(v)));
  return lazy<T>(make_fft_convolved(std::move(x), std::move(y), mode, along.list(), true));
}

/// A signal at so many points that lie equally far apart, by way of its transform: it is taken to go on as it began. Shapes: `points`
/// along the axis, which is the first unless said otherwise. Dtypes: float of float16 and float32, double; complex of complex. Errors:
/// `shape_error`. Source: scipy.signal.resample.
template <sinter::detail::expression E>
auto resample(E&& e, sinter::detail::integer points, const resample_options& how = {}) {
  using namespace sinter::detail;
  return lazy<filtered_type<E>>(make_resampled(handle(take_node(std::forward<E>(e))), points, how));
}

/// The taps of a filter of finite response with linear phase: `firwin(65, 0.2)`, `firwin(65, {0.1, 0.3}, {.pass_zero = pass::band})`. Units:
/// cutoffs as fs; 1 is half the rate unless said otherwise. Errors: `error` for cutoffs that do not rise from 0 to fs / 2, or are not as many
/// as what passes has; also for an even number of taps where fs / 2 passes. Source: scipy.signal.firwin.
inline lazy<double> firwin(sinter::detail::integer taps, std::initializer_list<double> cutoffs,
                           const firwin_options& how = {}) {
  return lazy<double>(sinter::detail::make_fir_window(taps, cutoffs.begin(), cutoffs.size(), how));
}
inline lazy<double> firwin(sinter::detail::integer taps, double cutoff, const firwin_options& how = {}) {
  return lazy<double>(sinter::detail::make_fir_window(taps, &cutoff, 1, how));
}

/// A signal through a filter with a numerator b and a denominator a: a(0) y(n) = b(0) x(n) + b(1) x(n - 1) + ... - a(1) y(n - 1) - ...
/// With one number as denominator it is a convolution, in the kernel of what uses it. Shapes: b and a have one axis; the result is as x.
/// Dtypes: what the three promote to, of integers double. Errors: `shape_error`. Stream behaviour: enqueued; a call between the kernels of
/// what surrounds it. Source: scipy.signal.lfilter.
template <sinter::detail::expression B = array<double>, sinter::detail::expression A = array<double>,
          sinter::detail::expression X>
auto lfilter(B&& b, A&& a, X&& x, sinter::detail::integer axis = -1) {
  using namespace sinter::detail;
  using T = filtered_type<B, A, X>;
  handle over(take_node(std::forward<B>(b))), under(take_node(std::forward<A>(a))), of(take_node(std::forward<X>(x)));
  return lazy<T>(make_filtered(std::move(over), std::move(under), std::move(of), {}, dtype_of<T>, axis).first.take());
}
template <sinter::detail::expression B = array<double>, sinter::detail::expression A = array<double>,
          sinter::detail::expression X>
auto lfilter(B&& b, A&& a, X&& x, axis_options how) {
  return lfilter(std::forward<B>(b), std::forward<A>(a), std::forward<X>(x), how.axis);
}
/// Of a denominator that is one number: `lfilter(taps, 1, x)`.
template <sinter::detail::expression B = array<double>, sinter::arithmetic A, sinter::detail::expression X>
auto lfilter(B&& b, A a, X&& x, sinter::detail::integer axis = -1) {
  return lfilter(std::forward<B>(b), sinter::detail::denominator<B>(a), std::forward<X>(x), axis);
}
/// From a state, and with the state behind it. Shapes: the state is as x, but for the axis, which has one number fewer than the longer of b
/// and a; it broadcasts.
template <sinter::detail::expression B = array<double>, sinter::detail::expression A = array<double>,
          sinter::detail::expression X, sinter::detail::expression Z>
auto lfilter(B&& b, A&& a, X&& x, Z&& zi, sinter::detail::integer axis = -1) {
  using namespace sinter::detail;
  using T = filtered_type<B, A, X, Z>;
  handle over(take_node(std::forward<B>(b))), under(take_node(std::forward<A>(a))), of(take_node(std::forward<X>(x)));
  handle from(take_node(std::forward<Z>(zi)));
  return as_filtered<T>(
      make_filtered(std::move(over), std::move(under), std::move(of), std::move(from), dtype_of<T>, axis));
}
/// A signal through sections of the second order, one after the other. Shapes: (sections, 6): b and a of each. Errors: `shape_error`. Source:
/// scipy.signal.sosfilt.
template <sinter::detail::expression S = array<double>, sinter::detail::expression X>
auto sosfilt(S&& sos, X&& x, sinter::detail::integer axis = -1) {
  using namespace sinter::detail;
  using T = filtered_type<S, X>;
  handle by(take_node(std::forward<S>(sos))), of(take_node(std::forward<X>(x)));
  return lazy<T>(make_sections_filtered(std::move(by), std::move(of), {}, dtype_of<T>, axis).first.take());
}
template <sinter::detail::expression S = array<double>, sinter::detail::expression X>
auto sosfilt(S&& sos, X&& x, axis_options how) {
  return sosfilt(std::forward<S>(sos), std::forward<X>(x), how.axis);
}
/// From a state, and with the state behind it. Shapes: the sections, then as x with two numbers along the axis.
template <sinter::detail::expression S = array<double>, sinter::detail::expression X, sinter::detail::expression Z>
auto sosfilt(S&& sos, X&& x, Z&& zi, sinter::detail::integer axis = -1) {
  using namespace sinter::detail;
  using T = filtered_type<S, X, Z>;
  handle by(take_node(std::forward<S>(sos))), of(take_node(std::forward<X>(x))), from(take_node(std::forward<Z>(zi)));
  return as_filtered<T>(make_sections_filtered(std::move(by), std::move(of), std::move(from), dtype_of<T>, axis));
}

/// The state a filter is in that has had a step of height 1 for ever: times a signal's first sample it is one to begin with. Shapes: one number
/// fewer than the longer of b and a. Errors: `shape_error`. Source: scipy.signal.lfilter_zi.
template <sinter::detail::expression B = array<double>, sinter::detail::expression A = array<double>>
auto lfilter_zi(B&& b, A&& a) {
  using namespace sinter::detail;
  using T = filtered_type<B, A>;
  handle over(take_node(std::forward<B>(b))), under(take_node(std::forward<A>(a)));
  return lazy<T>(make_step_state(std::move(over), std::move(under), dtype_of<T>));
}
/// Such states of sections. Shapes: (sections, 2). Source: scipy.signal.sosfilt_zi.
template <sinter::detail::expression S = array<double>>
auto sosfilt_zi(S&& sos) {
  using namespace sinter::detail;
  using T = filtered_type<S>;
  return lazy<T>(make_sections_step_state(handle(take_node(std::forward<S>(sos))), dtype_of<T>));
}
/// A signal through a filter forth and back, which leaves phases as they are: `filtfilt(b, a, x)`. Shapes and dtypes: as lfilter. Errors:
/// `shape_error`, also where the signal is no longer than padlen. Source: scipy.signal.filtfilt of method "pad".
template <sinter::detail::expression B = array<double>, sinter::detail::expression A = array<double>,
          sinter::detail::expression X>
auto filtfilt(B&& b, A&& a, X&& x, const filtfilt_options& how = {}) {
  using namespace sinter::detail;
  using T = filtered_type<B, A, X>;
  handle over(take_node(std::forward<B>(b))), under(take_node(std::forward<A>(a))), of(take_node(std::forward<X>(x)));
  return lazy<T>(make_filtered_twice(std::move(over), std::move(under), std::move(of), dtype_of<T>, how));
}
template <sinter::detail::expression B = array<double>, sinter::arithmetic A, sinter::detail::expression X>
auto filtfilt(B&& b, A a, X&& x, const filtfilt_options& how = {}) {
  return filtfilt(std::forward<B>(b), sinter::detail::denominator<B>(a), std::forward<X>(x), how);
}
/// The same of sections. Stream behaviour: waits for the sections unless padlen is given, as those of the first order count less. Source:
/// scipy.signal.sosfiltfilt.
template <sinter::detail::expression S = array<double>, sinter::detail::expression X>
auto sosfiltfilt(S&& sos, X&& x, const filtfilt_options& how = {}) {
  using namespace sinter::detail;
  using T = filtered_type<S, X>;
  handle by(take_node(std::forward<S>(sos))), of(take_node(std::forward<X>(x)));
  return lazy<T>(make_sections_filtered_twice(std::move(by), std::move(of), dtype_of<T>, how));
}

/// What a convolution takes to fit a polynomial to each window and to have its value in the middle, or a derivative (A. Savitzky and M. Golay).
/// Shapes: (window). Dtypes: double. Errors: `error` for a window that is even, or an order that is not below it. Source:
/// scipy.signal.savgol_coeffs.
inline array<double> savgol_coeffs(sinter::detail::integer window, sinter::detail::integer polyorder,
                                   const savgol_options& how = {}) {
  return array<double>(sinter::detail::make_savgol_weights(window, polyorder, how));
}
/// A signal smoothed by polynomials of an order in windows of a length: `savgol_filter(x, 11, 3)`. Shapes: as x. Dtypes: as lfilter. Errors: as
/// savgol_coeffs; `shape_error` where the window, or half of it in another mode than interp, is longer than the signal. Source:
/// scipy.signal.savgol_filter.
template <sinter::detail::expression X>
auto savgol_filter(X&& x, sinter::detail::integer window, sinter::detail::integer polyorder,
                   const savgol_options& how = {}) {
  using namespace sinter::detail;
  using T = filtered_type<X>;
  return lazy<T>(make_savgol_filtered(handle(take_node(std::forward<X>(x))), dtype_of<T>, window, polyorder, how));
}
/// The median of what is around each element, zeros around the array: `medfilt(x, 5)`, `medfilt(image, {3, 5})`. Shapes: one length for all axes,
/// or one for each. Dtypes: real; those of x. Where a NaN is around there is no median: NaN. Errors: `error` for a length that is
/// even, `shape_error`. Source: scipy.signal.medfilt.
template <sinter::detail::expression X>
auto medfilt(X&& x, const sinter::detail::integers& kernel_size = 3) {
  using namespace sinter::detail;
  static_assert(!is_complex(dtype_of<element_in<X>>), "sinter: complex numbers have no median");
  handle of(take_node(std::forward<X>(x)));
  return lazy<element_in<X>>(make_median_filtered(std::move(of), kernel_size.begin(), kernel_size.size()));
}

/// The peaks of a signal: samples, or runs of equal ones, whose neighbours on both sides are lower. Evaluates, as how many there are depends
/// on values; they are looked for on the host. Shapes: one axis. Dtypes: real; it is looked at in double. Errors: `shape_error`,
/// `dtype_error`; `error` for a distance below 1, a wlen below 2, a negative rel_height. Stream behaviour: waits. Source: scipy.signal.find_peaks.
template <sinter::detail::expression E>
peaks find_peaks(E&& e, const peak_options& how = {}) {
  using namespace sinter::detail;
  return sinter::detail::find_peaks(handle(take_node(std::forward<E>(e))), how);
}

}  // namespace sinter::signal
