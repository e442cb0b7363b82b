#include "runtime/frontend/segments.hpp"

#include <algorithm>
#include <utility>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>
#include <sinter/reduce.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/transforms.hpp"

namespace sinter::runtime {

using namespace detail;

namespace {

[[noreturn]] void throw_unfit(const char* what, std::int64_t value) {
  throw shape_error(message("sinter: segments with %s %lld", what, static_cast<long long>(value)).c_str());
}

// They are the last axis but one then.
term segments_of(const term& x, const cut& c) {
  const std::int64_t length[] = {c.length};
  const term all = term::made(make_windows(x.get(), length, 1, one_axis(-1)));
  return c.step == 1 ? all : all.along(all.rank() - 2, slice(_, _, c.step));
}

}  // namespace

term axis_moved(const term& x, std::int64_t from, std::int64_t to) {
  return term::made(make_moved(x.get(), one_axis(from), one_axis(to)));
}

term transformable(const term& x) {
  return astype(x, is_complex(x.type()) ? complex_for(x.type()) : real_part_of(complex_for(x.type())));
}

signal_operand::signal_operand(handle given, std::int64_t along, const char* what) : x(std::move(given)), axis(0) {
  if (x.rank() == 0) x = x.flat();
  axis = checked_axis(along, x.rank(), what);
  x = axis_moved(transformable(x), axis, -1);
}

cut cut_of(const signal::window& window, std::int64_t nperseg, std::int64_t noverlap, std::int64_t nfft,
           std::int64_t samples, usual_cut usual) {
  cut c{window, nperseg, 0, nfft, false};
  if (c.length < 0) c.length = window.samples() ? typed(window.samples().get())->extents.elements() : usual.length;
  if (samples >= 0 && !window.samples().get()) c.length = std::min(c.length, samples);
  if (c.length < 1 || (samples >= 0 && c.length > samples)) throw_unfit("length", c.length);
  const std::int64_t overlap = noverlap < 0 ? c.length / usual.overlapping : noverlap;
  if (overlap >= c.length) throw_unfit("an overlap no less than their length:", overlap);
  c.step = c.length - overlap;
  if (c.points < 0) c.points = c.length;
  if (c.points < c.length) throw_unfit("more samples than points of a transform:", c.length);
  return c;
}

term window_of(const cut& c) { return term::made(make_window(c.window, c.length, true)); }

term detrended(const term& x, signal::detrending what) {
  if (what == signal::detrending::none) return x;
  const term level = x - term::made(make_mean(x.held(), x.type(), one_axis(-1), true));
  if (what == signal::detrending::constant) return level;
  const std::int64_t count = x.extent(x.rank() - 1);
  const auto n = static_cast<double>(count);
  const double squares = count < 2 ? 1 : n * (n * n - 1) / 12;
  const term time = astype(index_of(shape{count}, 0) - (n - 1) / 2, real_part_of(x.type()));
  return level - fold(reduction::sum, level * time, one_axis(-1), true) * (1 / squares) * time;
}

term transforms_of(const term& x, const cut& c, signal::detrending trend) {
  const term segments = detrended(segments_of(x, c), trend), window = window_of(c);
  const dtype type = is_complex(window.type()) ? complex_for(x.type()) : x.type();
  const dtype weight = is_complex(window.type()) ? type : real_part_of(type);
  const term product = astype(segments, type) * astype(window, weight);
  const fft::transform what = c.onesided ? fft::transform::from_real : fft::transform::forward;
  return term::made(make_transform(product.held(), what, {{c.points}, -1, fft::norm::backward}));
}

term power_of(const term& window, signal::scaling scaling, double fs) {
  const term real = is_complex(window.type()) ? apply(op::real, {window}) : window;
  const bool is_density = scaling == signal::scaling::density;
  const term sum = fold(reduction::sum, is_density ? real * real : real, one_axis(-1), false);
  return is_density ? sum * fs : sum * sum;
}

handle frequencies_of(const cut& c, double fs) { return handle(make_frequencies(c.points, 1 / fs, c.onesided)); }

term times_of(const cut& c, std::int64_t segments, double first, double fs) {
  return (index_of(shape{segments}, 0) * static_cast<double>(c.step) + first) / fs;
}

}  // namespace sinter::runtime
