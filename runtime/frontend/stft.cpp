// Short-time transforms and back, analytic signals.
#include <algorithm>
#include <span>
#include <utility>

#include <sinter/error.hpp>
#include <sinter/pad.hpp>
#include <sinter/spectral.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/list.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/segments.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::axis_moved, runtime::checked_axis, runtime::choose, runtime::cut,
    runtime::cut_of, runtime::fold, runtime::index_of, runtime::number_node, runtime::one_axis, runtime::power_of,
    runtime::signal_operand, runtime::term, runtime::times_of, runtime::transforms_of, runtime::view_maker,
    runtime::window_of;

namespace {

signal::window window_or_hann(const signal::window& w) { return w.name() || w.samples() ? w : signal::window("hann"); }

// More samples around the last axis.
term extended(const term& x, std::int64_t before, std::int64_t after, signal::boundary how) {
  if (before == 0 && after == 0) return x;
  pad_width each[max_rank] = {};
  each[x.rank() - 1] = {before, after};
  const pad_widths widths(std::span<const pad_width>(each, static_cast<std::size_t>(x.rank())));
  if (how == signal::boundary::zeros) return term::made(make_padded(x.get(), widths, scalar_bits{}));
  pad_options mirrored;
  mirrored.reflect_type = how == signal::boundary::odd ? reflect_type::odd : reflect_type::even;
  const pad_mode mode = how == signal::boundary::constant ? pad_mode::edge : pad_mode::reflect;
  return term::made(make_padded(x.get(), widths, mode, mirrored));
}

// Where pieces that begin at `breaks` begin and end, in order.
runtime::list<std::int64_t> piece_edges(const integers& breaks, std::int64_t samples) {
  runtime::list<std::int64_t> edges(breaks.begin(), breaks.begin() + breaks.size());
  edges.push_back(0);
  edges.push_back(samples);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  if (edges.front() < 0 || edges.back() > samples)
    throw shape_error(message("sinter: detrend of a piece that begins at %lld, of %lld samples",
                              static_cast<long long>(edges.front() < 0 ? edges.front() : edges.back()),
                              static_cast<long long>(samples))
                          .c_str());
  return edges;
}

// What segments of the last axis but one are worth where they overlap, each moved by a step: the sums of up to `length / step` of them.
term overlapped(const term& segments, const cut& c, std::int64_t samples) {
  const int rank = segments.rank();
  shape s = segments.extents();
  s[rank - 2] = samples;
  s[rank - 1] = (c.length + c.step - 1) / c.step;  // segments that may reach a sample
  const term at = index_of(s, rank - 2), back = index_of(s, rank - 1);
  const term segment = apply(op::floor_divide, {at, c.step}) - back, place = at - segment * c.step;
  const term inside = (segment >= 0) & (segment < segments.extent(rank - 2)) & (place < c.length);
  view_maker v(segments.get(), s);
  for (int d = 0; d < rank - 2; ++d) v.drive(d, 0, 1, d);
  v.compute(rank - 2, segment.held(), false);
  v.compute(rank - 1, place.held(), false);
  v.guard(inside.held());
  const term piece = choose(inside, term::made(v.made()), astype(0, segments.type()));
  return fold(reduction::sum, piece, one_axis(-1), false, segments.type());
}

// With the axes of frequencies and of times as the last two, in this order.
term ordered(const term& z, const signal::istft_options& how) {
  if (z.rank() < 2) throw shape_error("sinter: istft takes an axis of frequencies and one of times");
  const int time = checked_axis(how.time_axis, z.rank(), "istft"),
            freq = checked_axis(how.freq_axis, z.rank(), "istft");
  if (time == freq) throw shape_error("sinter: istft takes two axes, and both are the same");
  const axis_list from{2, {freq, time}}, to{2, {-2, -1}};
  return term::made(make_moved(z.get(), from, to));
}

}  // namespace

made_spectrum make_stft(handle given, const signal::stft_options& how) {
  const signal_operand x(std::move(given), how.axis, "stft");
  cut c = cut_of(window_or_hann(how.window), how.nperseg, how.noverlap, how.nfft, x.samples(), {256, 2});
  c.onesided = how.return_onesided && !is_complex(x.x.type()) && !is_complex(window_of(c).type());
  const bool surrounded = how.boundary != signal::boundary::none;
  const std::int64_t half = surrounded ? c.length / 2 : 0, samples = x.samples() + 2 * half;
  term all = extended(x.x, half, half, how.boundary);
  // Of a step that is left over: as many zeros as make it a whole one.
  const std::int64_t beyond = (c.step - (samples - c.length) % c.step) % c.step % c.length;
  if (how.padded) all = extended(all, 0, beyond, signal::boundary::zeros);
  const term z = transforms_of(all, c, how.detrend);
  const term power = power_of(window_of(c), how.scaling, how.fs);
  const term scaled = z * astype(1.0 / apply(op::sqrt, {power}), real_part_of(z.type()));
  const double first = static_cast<double>(c.length) / 2 - (surrounded ? static_cast<double>(c.length) / 2 : 0);
  const term t = times_of(c, z.extent(z.rank() - 2), first, how.fs);
  return {runtime::frequencies_of(c, how.fs), t.held(), axis_moved(axis_moved(scaled, -1, -2), -2, x.axis).held()};
}

made_spectrum make_istft(handle given, const signal::istft_options& how, bool onesided) {
  const term z = ordered(runtime::transformable(term(std::move(given))), how);
  const std::int64_t lines = z.extent(z.rank() - 2), even = onesided ? 2 * (lines - 1) : lines;
  const std::int64_t length = how.nperseg < 0 ? even : how.nperseg;
  const std::int64_t points = how.nfft >= 0 ? how.nfft : onesided && length == even + 1 ? length : even;
  cut c = cut_of(window_or_hann(how.window), length, how.noverlap, points, -1, {length, 2});
  c.onesided = onesided;
  const term window = window_of(c);
  const dtype type = onesided ? real_part_of(z.type()) : z.type();
  const term rows = axis_moved(z, -2, -1);
  const fft::transform back = onesided ? fft::transform::to_real : fft::transform::inverse;
  const term pieces = term::made(make_transform(rows.held(), back, {{points}, -1, fft::norm::backward}));
  const term weights = astype(window, is_complex(window.type()) ? type : real_part_of(type));
  const std::int64_t segments = z.extent(z.rank() - 1), samples = c.length + (segments - 1) * c.step;
  const term sum = overlapped(pieces.along(pieces.rank() - 1, slice(_, c.length)) * weights, c, samples);
  const term squares = (window * window).with_axis(0).broadcast_to(shape{segments, c.length});
  const term norm = overlapped(squares, c, samples);
  const term scale = apply(op::sqrt, {power_of(window, how.scaling, how.fs)});
  const term all = sum * astype(scale / choose(norm > 1e-10, norm, 1.0), real_part_of(type));
  const std::int64_t half = how.boundary ? c.length / 2 : 0;
  if (2 * half > samples) throw shape_error("sinter: istft of fewer samples than lie outside the signal");
  const term x = all.along(all.rank() - 1, slice(half, samples - half));
  const term t = index_of(shape{samples - 2 * half}, 0) / how.fs;
  // The signal takes the place of whichever of its two axes comes first, as one of them has gone.
  const int time = checked_axis(how.time_axis, z.rank(), "istft"),
            freq = checked_axis(how.freq_axis, z.rank(), "istft");
  return {{}, t.held(), axis_moved(x, -1, time - (freq < time)).held()};
}

node* make_analytic(handle given, std::int64_t points, std::int64_t axis) {
  const signal_operand x(std::move(given), axis, "hilbert");
  if (is_complex(x.x.type())) throw dtype_error("sinter: hilbert takes real signals");
  const std::int64_t n = points < 0 ? x.samples() : points;
  const term z = term::made(make_transform(x.x.held(), fft::transform::forward, {{n}, -1, fft::norm::backward}));
  const term k = index_of(shape{n}, 0);
  const term alone = n % 2 == 0 ? (k == 0) | (k == n / 2) : k == 0;
  const term weight = choose(alone, 1.0, choose(k < (n + 1) / 2, 2.0, 0.0));
  const term half = z * astype(weight, real_part_of(z.type()));
  const term back = term::made(make_transform(half.held(), fft::transform::inverse, {{n}, -1, fft::norm::backward}));
  return axis_moved(back, -1, x.axis).take();
}

node* make_detrended(handle given, signal::detrending what, std::int64_t axis, const integers& breaks) {
  const signal_operand x(std::move(given), axis, "detrend");
  if (what != signal::detrending::linear) return axis_moved(runtime::detrended(x.x, what), -1, x.axis).take();
  const runtime::list<std::int64_t> edges = piece_edges(breaks, x.samples());
  runtime::list<term> pieces;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i)
    pieces.push_back(runtime::detrended(runtime::last(x.x, slice(edges[i], edges[i + 1])), what));
  if (pieces.empty()) pieces.push_back(x.x);
  return axis_moved(runtime::joined(pieces, x.x.rank() - 1), -1, x.axis).take();
}

}  // namespace sinter::detail
