// Design of filters with feedback, and what filters do to frequencies. Not in sinter.hpp.
#pragma once

#include <utility>

#include <sinter/complex.hpp>
#include <sinter/constants.hpp>
#include <sinter/create.hpp>
#include <sinter/filters.hpp>

namespace sinter::signal {

/// A numerator and a denominator for lfilter and filtfilt: `auto [b, a] = butter(4, 0.2);`
struct transfer_function {
  array<double> b, a;
};
/// What a filter lets through, and the unit of its cutoffs.
struct iir_options {
  pass btype = pass::low;
  double fs = 2;  ///< samples per unit of time; cutoffs are in its units
};
/// At which frequencies to look.
struct freqz_options {
  std::int64_t worN = 512;
  bool whole = false;  ///< up to the rate, else to half of it
  double fs = 2 * pi;  ///< samples per unit of time
};
/// Frequencies and what a filter does to them: `auto [w, h] = freqz(b, a);`
struct frequency_response {
  lazy<double> w;
  lazy<std::complex<double>> h;
};

}  // namespace sinter::signal

namespace sinter::detail {

/// The families that poles of low-pass filters come from.
enum class iir_family : unsigned char { butterworth, chebyshev_1, chebyshev_2 };
SINTER_API signal::transfer_function designed(iir_family, std::int64_t order, double ripple,
                                              const signal::between& cutoffs, const signal::iir_options&);
SINTER_API node* make_designed_sections(iir_family, std::int64_t order, double ripple, const signal::between& cutoffs,
                                        const signal::iir_options&);
SINTER_API signal::transfer_function resonator(double w0, double quality, double fs, bool takes_out);
SINTER_API std::pair<handle, handle> make_response(handle b, handle a, const signal::freqz_options&);
SINTER_API std::pair<handle, handle> make_sections_response(handle sos, const signal::freqz_options&);

inline signal::frequency_response as_response(std::pair<handle, handle> made) {
  return {lazy<double>(made.first.take()), lazy<std::complex<double>>(made.second.take())};
}

}  // namespace sinter::detail

namespace sinter::signal {

/// Butterworth's filter, which is as flat as can be: `butter(4, 0.2)`, `butter(3, {0.1, 0.4}, pass::band)`, `butter(3, {10, 50}, {.btype = pass::band, .fs = 1000})`. Shapes: order + 1
/// coefficients, or twice the order and one for two cutoffs. Dtypes: double; computed on the host. Units: cutoffs as fs; 1 is half the
/// rate unless said otherwise. Errors: `error` for cutoffs that do not lie between 0 and half the rate, or are not as many as btype has.
/// Source: scipy.signal.butter.
inline transfer_function butter(sinter::detail::integer order, const between& Wn, const iir_options& how = {}) {
  return sinter::detail::designed(sinter::detail::iir_family::butterworth, order, 0, Wn, how);
}
inline transfer_function butter(sinter::detail::integer order, const between& Wn, pass btype) {
  return butter(order, Wn, iir_options{.btype = btype});
}
/// The same as sections, for sosfilt and sosfiltfilt, which loses fewer digits from some eight coefficients on. Shapes: (sections, 6). Source:
/// scipy.signal.butter of output "sos".
inline array<double> butter_sos(sinter::detail::integer order, const between& Wn, const iir_options& how = {}) {
  return array<double>(
      sinter::detail::make_designed_sections(sinter::detail::iir_family::butterworth, order, 0, Wn, how));
}
inline array<double> butter_sos(sinter::detail::integer order, const between& Wn, pass btype) {
  return butter_sos(order, Wn, iir_options{.btype = btype});
}
/// Chebyshev's filter of type 1, which falls faster and ripples by `rp` where it lets through. Units: decibels. Errors: `error`, also for a ripple
/// that is not above 0. Source: scipy.signal.cheby1.
inline transfer_function cheby1(sinter::detail::integer order, double rp, const between& Wn,
                                const iir_options& how = {}) {
  return sinter::detail::designed(sinter::detail::iir_family::chebyshev_1, order, rp, Wn, how);
}
inline transfer_function cheby1(sinter::detail::integer order, double rp, const between& Wn, pass btype) {
  return cheby1(order, rp, Wn, iir_options{.btype = btype});
}
/// The same as sections. Source: scipy.signal.cheby1 of output "sos".
inline array<double> cheby1_sos(sinter::detail::integer order, double rp, const between& Wn,
                                const iir_options& how = {}) {
  return array<double>(
      sinter::detail::make_designed_sections(sinter::detail::iir_family::chebyshev_1, order, rp, Wn, how));
}
inline array<double> cheby1_sos(sinter::detail::integer order, double rp, const between& Wn, pass btype) {
  return cheby1_sos(order, rp, Wn, iir_options{.btype = btype});
}
/// Chebyshev's filter of type 2, which ripples `rs` below where it lets nothing through. Units: decibels; cutoffs are where it first is so far
/// below. Errors: as cheby1. Source: scipy.signal.cheby2.
inline transfer_function cheby2(sinter::detail::integer order, double rs, const between& Wn,
                                const iir_options& how = {}) {
  return sinter::detail::designed(sinter::detail::iir_family::chebyshev_2, order, rs, Wn, how);
}
inline transfer_function cheby2(sinter::detail::integer order, double rs, const between& Wn, pass btype) {
  return cheby2(order, rs, Wn, iir_options{.btype = btype});
}
/// The same as sections. Source: scipy.signal.cheby2 of output "sos".
inline array<double> cheby2_sos(sinter::detail::integer order, double rs, const between& Wn,
                                const iir_options& how = {}) {
  return array<double>(
      sinter::detail::make_designed_sections(sinter::detail::iir_family::chebyshev_2, order, rs, Wn, how));
}
inline array<double> cheby2_sos(sinter::detail::integer order, double rs, const between& Wn, pass btype) {
  return cheby2_sos(order, rs, Wn, iir_options{.btype = btype});
}
/// A filter that takes out a frequency, as wide as it divided by Q. Units: as fs. Errors: `error`. Source: scipy.signal.iirnotch.
inline transfer_function iirnotch(double w0, double Q, double fs = 2) {
  return sinter::detail::resonator(w0, Q, fs, true);
}
/// A filter that takes out all others. Source: scipy.signal.iirpeak.
inline transfer_function iirpeak(double w0, double Q, double fs = 2) {
  return sinter::detail::resonator(w0, Q, fs, false);
}

/// What a filter does to frequencies. Shapes: (worN) both. Dtypes: double and complex128. Errors: `shape_error`. Source: scipy.signal.freqz.
template <sinter::detail::expression B = array<double>, sinter::detail::expression A = array<double>>
frequency_response freqz(B&& b, A&& a, const freqz_options& how = {}) {
  using namespace sinter::detail;
  handle over(take_node(std::forward<B>(b))), under(take_node(std::forward<A>(a)));
  return as_response(make_response(std::move(over), std::move(under), how));
}
template <sinter::detail::expression B = array<double>, sinter::arithmetic A>
frequency_response freqz(B&& b, A a, const freqz_options& how = {}) {
  return freqz(std::forward<B>(b), sinter::detail::denominator<B>(a), how);
}
/// Of a filter without feedback.
template <sinter::detail::expression B>
frequency_response freqz(B&& b, const freqz_options& how = {}) {
  return freqz(std::forward<B>(b), sinter::ones({1}), how);
}
/// Of sections. Source: scipy.signal.freqz_sos, also sosfreqz.
template <sinter::detail::expression S>
frequency_response freqz_sos(S&& sos, const freqz_options& how = {}) {
  using namespace sinter::detail;
  return as_response(make_sections_response(handle(take_node(std::forward<S>(sos))), how));
}

}  // namespace sinter::signal
