// Signals cut into segments that overlap, for spectra and for short-time transforms.
#pragma once

#include <sinter/spectral.hpp>

#include "runtime/frontend/terms.hpp"

namespace sinter::runtime {

/// An axis moved elsewhere.
term axis_moved(const term&, std::int64_t from, std::int64_t to);
/// A slice of the last axis.
inline term last(const term& x, const slice& s) { return x.along(x.rank() - 1, s); }
/// Numbers of a dtype that transforms take.
term transformable(const term&);

/// A signal along its last axis.
struct signal_operand {
  term x;
  int axis;  // where it was

  /// Errors: `shape_error`.
  signal_operand(detail::handle, std::int64_t along, const char* what);
  std::int64_t samples() const { return x.extent(x.rank() - 1); }
};

/// How a signal is cut.
struct cut {
  signal::window window;
  std::int64_t length, step, points;  // of a segment, from one to the next, of a transform
  bool onesided;
};
/// What a caller left to choose: so long a segment, and the part of one that overlaps.
struct usual_cut {
  std::int64_t length, overlapping;
};
/// `samples`: of the signal, no fewer than a segment has; -1: any number. Errors: `shape_error`.
cut cut_of(const signal::window&, std::int64_t nperseg, std::int64_t noverlap, std::int64_t nfft, std::int64_t samples,
           usual_cut);

term window_of(const cut&);
/// Without the mean of the last axis, or the line through it that fits best.
term detrended(const term&, signal::detrending);
/// Of the segments of the last axis: frequencies along the last axis of the result, segments along the one before it.
term transforms_of(const term&, const cut&, signal::detrending);
/// By how much powers are too large: a number.
term power_of(const term& window, signal::scaling, double fs);
detail::handle frequencies_of(const cut&, double fs);
/// Of so many segments, the first of which is at a place.
term times_of(const cut&, std::int64_t segments, double first, double fs);

}  // namespace sinter::runtime
