// Filters: what is fed back is a call (runtime/library/recurrences.hpp), all else expressions around transforms.
#include <sinter/filters.hpp>

#include <algorithm>
#include <numbers>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>

#include "runtime/frontend/filters.hpp"
#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/library/products.hpp"
#include "runtime/library/recurrences.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::along_last, runtime::axis_moved, runtime::choose, runtime::coefficients,
    runtime::fold, runtime::index_of, runtime::joined, runtime::last, runtime::mirrored, runtime::number_node,
    runtime::one_axis, runtime::repeated, runtime::sections_of, runtime::signal_operand, runtime::term;

namespace {

term forward(const term& x, std::int64_t points) {
  const bool real = !is_complex(x.type());
  return term::made(make_transform(x.held(), real ? fft::transform::from_real : fft::transform::forward,
                                   {{points}, -1, fft::norm::backward}));
}

// The bins of a spectrum at another rate: those that both have, of which the highest stands for itself and for its conjugate.
term at_other_rate(const term& spectrum, std::int64_t from, std::int64_t to, bool real) {
  const std::int64_t common = std::min(from, to), upper = common / 2 + 1;
  const int last = spectrum.rank() - 1;
  const term low = spectrum.along(last, slice(0, upper));
  const bool is_shared = common % 2 == 0 && from != to;
  if (real) {
    if (!is_shared) return low;
    const term k = index_of(shape{upper}, 0);
    return low * astype(choose(k == common / 2, to < from ? 2.0 : 0.5, 1.0), real_part_of(spectrum.type()));
  }
  shape between = spectrum.extents();
  between[last] = to - common;
  const term none = number_node(0, spectrum.type()).broadcast_to(between);
  const term high = spectrum.along(last, slice(from - (common - upper), from));
  const term all = joined({low, none, high}, last);
  if (!is_shared) return all;
  const term k = index_of(shape{to}, 0), zero = astype(0, spectrum.type());
  const auto bin = [&](std::int64_t i) { return spectrum.along(last, slice(i, i + 1)); };
  if (to < from) return all + choose(k == common / 2, bin(from - common / 2), zero);
  const term half = bin(common / 2) * astype(0.5, real_part_of(spectrum.type()));
  return choose((k == common / 2) | (k == to - common / 2), half, all);
}

// What a window over all frequencies leaves of those of a signal.
term weights_of(const signal::window& w, std::int64_t points, bool real) {
  term weights = term::made(make_window(w, points, true));
  if (!w.samples()) weights = term::made(make_shifted_to_centre(weights.held(), {-1, {}}, true));
  if (!real) return weights;
  const term turned = term::made(make_roll(term::made(make_flip(weights.get(), {-1, {}})).get(), 1, 0));
  return ((weights + turned) * 0.5).along(0, slice(0, points / 2 + 1));
}

[[noreturn]] void throw_cutoffs(const char* why) { throw error(message("sinter: firwin with %s", why).c_str()); }

// The edges of what passes, as parts of half the rate: pairs.
runtime::list<double> bands_of(const double* cutoffs, std::size_t count, const signal::firwin_options& how) {
  runtime::list<double> edges;
  const bool one = how.pass_zero == signal::pass::low || how.pass_zero == signal::pass::high;
  if (one ? count != 1 : count < 2) throw_cutoffs(one ? "other than one cutoff" : "fewer than two cutoffs");
  if (how.pass_zero == signal::pass::low || how.pass_zero == signal::pass::stop) edges.push_back(0);
  double before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double c = cutoffs[i] / (how.fs / 2);
    if (!(c > before && c < 1)) throw_cutoffs("cutoffs that do not rise between 0 and half the rate");
    edges.push_back(before = c);
  }
  if (edges.size() % 2) edges.push_back(1);
  return edges;
}

term padded_to(const term& coefficients, std::int64_t count) {
  const std::int64_t more = count - coefficients.extent(0);
  return more == 0 ? coefficients
                   : joined({coefficients, number_node(0, coefficients.type()).broadcast_to(shape{more})}, 0);
}

// Without feedback, and from a state of zeros.
term convolved(const term& x, const term& b) {
  shape along = x.extents();
  for (int d = 0; d + 1 < x.rank(); ++d) along[d] = 1;
  along[x.rank() - 1] = b.extent(0);
  std::int64_t extents[max_rank];
  for (int d = 0; d < x.rank(); ++d) extents[d] = along[d];
  const term kernel = term::made(make_reshape(b.get(), extents, x.rank()));
  const term all = term::made(
      make_convolved(x.held(), kernel.held(), convolve_mode::full, convolution::scipy, convolve_method::direct));
  return all.along(x.rank() - 1, slice(0, x.extent(x.rank() - 1)));
}

struct filtered_terms {
  term y;
  std::optional<term> zf;
};

// Along the last axis.
filtered_terms filtered(const coefficients& by, const term& x, const term* zi) {
  const term &b = by.over, &a = by.under, first = a.at(0, 0);
  const std::int64_t count = by.count();
  if (x.extents().elements() == 0 && !zi) return {x, {}};
  if (a.extent(0) == 1 && !zi) return {convolved(x, b / first), {}};
  if (count == 1) return {x * (b.at(0, 0) / first), *zi};
  runtime::result_handles made =
      runtime::make_recurrence(x, padded_to(b / first, count), padded_to(a / first, count), zi);
  return {term(std::move(made[0])), term(std::move(made[1]))};
}

}  // namespace

node* make_resampled(handle given, std::int64_t points, const signal::resample_options& how) {
  const signal_operand x(std::move(given), how.axis, "resample");
  if (points < 1 || x.samples() < 1)
    throw shape_error(message("sinter: resample of %lld samples at %lld points", static_cast<long long>(x.samples()),
                              static_cast<long long>(points))
                          .c_str());
  const bool real = !is_complex(x.x.type());
  term spectrum = forward(x.x, x.samples());
  if (how.window.name() || how.window.samples())
    spectrum = spectrum * astype(weights_of(how.window, x.samples(), real), real_part_of(spectrum.type()));
  const term moved = at_other_rate(spectrum, x.samples(), points, real);
  const term y = term::made(make_transform(moved.held(), real ? fft::transform::to_real : fft::transform::inverse,
                                           {{points}, -1, fft::norm::backward}));
  const double gain = static_cast<double>(points) / static_cast<double>(x.samples());
  return axis_moved(y * astype(gain, real_part_of(y.type())), -1, x.axis).take();
}

node* make_fir_window(std::int64_t taps, const double* cutoffs, std::size_t count, const signal::firwin_options& how) {
  const runtime::list<double> edges = bands_of(cutoffs, count, how);
  if (taps < 1) throw_cutoffs("no taps");
  if (edges.back() == 1 && taps % 2 == 0) throw_cutoffs("an even number of taps, where half the rate is to pass");
  const term m = index_of(shape{taps}, 0) - static_cast<double>(taps - 1) / 2;
  term h = m * 0.0;
  for (std::size_t i = 0; i < edges.size(); i += 2)
    h = h + apply(op::sinc, {m * edges[i + 1]}) * edges[i + 1] - apply(op::sinc, {m * edges[i]}) * edges[i];
  h = h * term::made(make_window(how.window, taps, false));
  if (!how.scale) return h.take();
  const double middle = edges[0] == 0 ? 0 : edges[1] == 1 ? 1 : (edges[0] + edges[1]) / 2;
  const term gain = h * apply(op::cos, {m * (std::numbers::pi * middle)});
  return (h / fold(reduction::sum, gain, one_axis(0), false)).take();
}

std::pair<handle, handle> make_filtered(handle b, handle a, handle x, handle zi, dtype type, std::int64_t axis) {
  const coefficients by(std::move(b), std::move(a), type, "lfilter");
  const along_last in(std::move(x), type, axis, "lfilter");
  if (!zi) return {handle(in.back(filtered(by, in.x, nullptr).y)), {}};
  const along_last state(std::move(zi), type, axis, "lfilter");
  if (state.samples() != by.count() - 1) runtime::throw_unequal("lfilter, and of its state,", in.x, state.x);
  const filtered_terms out = filtered(by, in.x, &state.x);
  return {handle(in.back(out.y)), handle(in.back(*out.zf))};
}

namespace {

// A signal through one section after the other, from states of zeros or from those, which become the ones behind it.
term through(const runtime::list<coefficients>& sections, term y, runtime::list<term>* states) {
  for (std::size_t s = 0; s < sections.size(); ++s) {
    term* const from = states ? &(*states)[s] : nullptr;
    filtered_terms out = filtered(sections[s], y, from);
    y = out.y;
    if (from) *from = *out.zf;
  }
  return y;
}

term stacked(const runtime::list<term>& states, const term& none) {
  runtime::list<node*> parts;
  for (const term& t : states) parts.push_back(t.get());
  return parts.empty() ? none : term::made(make_stacked(parts.data(), parts.size(), 0));
}

}  // namespace

std::pair<handle, handle> make_sections_filtered(handle sos, handle x, handle zi, dtype type, std::int64_t axis) {
  const runtime::list<coefficients> sections = sections_of(std::move(sos), type, "sosfilt");
  const along_last in(std::move(x), type, axis, "sosfilt");
  if (!zi) return {handle(in.back(through(sections, in.x, nullptr))), {}};
  const term given = axis_moved(astype(term(std::move(zi)), type), in.axis + 1, -1);
  if (given.extent(given.rank() - 1) != 2) runtime::throw_unequal("sosfilt, and of its states,", in.x, given);
  runtime::list<term> states;
  for (std::size_t s = 0; s < sections.size(); ++s) states.push_back(given.at(0, static_cast<std::int64_t>(s)));
  const term y = through(sections, in.x, &states);
  return {handle(in.back(y)), axis_moved(stacked(states, given), -1, in.axis + 1).held()};
}

// ---- forth and back

namespace {

term sum_of(const term& t) { return fold(reduction::sum, t, one_axis(0), false); }

// What a constant signal leaves in a filter: it goes through unchanged but for a factor, and each number of the state is what is to come.
term step_state(const coefficients& by) {
  const term first = by.under.at(0, 0);
  const term over = padded_to(by.over / first, by.count()), under = padded_to(by.under / first, by.count());
  const term rest = over - under * over.at(0, 0);
  const auto sums = [](const term& t) { return term::made(make_scan(t.get(), reduction::sum, t.type(), 0)); };
  return (sums(under) * (sum_of(rest) / sum_of(under)) - sums(rest)).along(0, slice(0, by.count() - 1));
}
runtime::list<term> step_states(const runtime::list<coefficients>& sections) {
  runtime::list<term> all;
  std::optional<term> factor;
  for (const coefficients& by : sections) {
    const term state = step_state(by);
    all.push_back(factor ? state * *factor : state);
    const term own = sum_of(by.over) / sum_of(by.under);
    factor = factor ? *factor * own : own;
  }
  return all;
}

class forth_and_back {
 public:
  forth_and_back(const along_last& in, const signal::filtfilt_options& how, std::int64_t usual, const char* what)
      : x_(in.x),
        by_(how.padtype),
        samples_(in.samples()),
        edge_(by_ == signal::padtype::none ? 0
              : how.padlen < 0             ? usual
                                           : how.padlen) {
    if (samples_ <= edge_)
      throw shape_error(message("sinter: %s of %lld samples, %lld of which are to go on at each end", what,
                                static_cast<long long>(samples_), static_cast<long long>(edge_))
                            .c_str());
  }

  /// `pass(x, first)`: x through the filter, whose state is as if `first` had gone on for ever.
  template <class Pass>
  term filtered_by(Pass pass) const {
    const term wide = extended(), there = pass(wide, last(wide, slice(0, 1)));
    const term back = pass(last(there, backwards), last(there, slice(-1, _)));
    return last(last(back, backwards), slice(edge_, edge_ + samples_));
  }

 private:
  static inline const slice backwards{_, _, -1};

  term extended() const {
    if (edge_ == 0) return x_;
    const int axis = x_.rank() - 1;
    const auto [end, other_end] = repeated(x_, edge_);
    if (by_ == signal::padtype::constant) return joined({end, x_, other_end}, axis);
    const auto [before, behind] = mirrored(x_, edge_);
    if (by_ == signal::padtype::even) return joined({before, x_, behind}, axis);
    return joined({end + end - before, x_, other_end + other_end - behind}, axis);
  }

  const term x_;
  const signal::padtype by_;
  const std::int64_t samples_, edge_;
};

// How many coefficients sections have when they are one filter: what is 0 at the end of all is none.
std::int64_t taps_of(const runtime::list<coefficients>& sections) {
  const auto count = static_cast<std::int64_t>(sections.size());
  const auto zeros = [&](term coefficients::*part) {
    term all = number_node(0, dtype::int64);
    for (const coefficients& by : sections) all = all + astype((by.*part).at(0, 2) == 0, dtype::int64);
    return all;
  };
  std::int64_t least = 0;
  read_item(apply(op::minimum, {zeros(&coefficients::over), zeros(&coefficients::under)}).get(), &least, {});
  return 2 * count + 1 - least;
}

}  // namespace

node* make_step_state(handle b, handle a, dtype type) {
  return step_state(coefficients(std::move(b), std::move(a), type, "lfilter_zi")).take();
}

node* make_sections_step_state(handle sos, dtype type) {
  const term none = number_node(0, type).broadcast_to(shape{0, 2});
  return stacked(step_states(sections_of(std::move(sos), type, "sosfilt_zi")), none).take();
}

node* make_filtered_twice(handle b, handle a, handle x, dtype type, const signal::filtfilt_options& how) {
  const coefficients by(std::move(b), std::move(a), type, "filtfilt");
  const along_last in(std::move(x), type, how.axis, "filtfilt");
  const forth_and_back both(in, how, 3 * by.count(), "filtfilt");
  const term state = step_state(by);
  return in.back(both.filtered_by([&](const term& t, const term& first) {
    const term from = first * state;
    return filtered(by, t, &from).y;
  }));
}

node* make_sections_filtered_twice(handle sos, handle x, dtype type, const signal::filtfilt_options& how) {
  const runtime::list<coefficients> sections = sections_of(std::move(sos), type, "sosfiltfilt");
  const along_last in(std::move(x), type, how.axis, "sosfiltfilt");
  const bool is_given = how.padlen >= 0 || how.padtype == signal::padtype::none;
  const forth_and_back both(in, how, is_given ? 0 : 3 * taps_of(sections), "sosfiltfilt");
  const runtime::list<term> states = step_states(sections);
  return in.back(both.filtered_by([&](const term& t, const term& first) {
    runtime::list<term> from;
    for (const term& s : states) from.push_back(first * s);
    return through(sections, t, &from);
  }));
}

}  // namespace sinter::detail

namespace sinter::runtime {

using namespace detail;

along_last::along_last(handle given, dtype type, std::int64_t along, const char* what)
    : x(std::move(given)), axis(checked_axis(along, x.rank(), what)) {
  x = astype(axis_moved(x, axis, -1), type);
}

coefficients::coefficients(handle b, handle a, dtype type, const char* what)
    : over(astype(term(std::move(b)), type)), under(astype(term(std::move(a)), type)) {
  for (const term* t : {&over, &under})
    if (t->rank() != 1 || t->extent(0) == 0)
      throw shape_error(
          message("sinter: %s with coefficients of shape %s", what, to_string(t->extents()).c_str()).c_str());
}

list<coefficients> sections_of(handle sos, dtype type, const char* what) {
  const term all = astype(term(std::move(sos)), type);
  if (all.rank() != 2 || all.extent(1) != 6)
    throw shape_error(message("sinter: %s with sections of shape %s", what, to_string(all.extents()).c_str()).c_str());
  list<coefficients> sections;
  for (std::int64_t s = 0; s < all.extent(0); ++s) {
    const term row = all.at(0, s);
    sections.push_back({row.along(0, slice(0, 3)), row.along(0, slice(3, 6))});
  }
  return sections;
}

beyond mirrored(const term& x, std::int64_t count) {
  const std::int64_t n = x.extent(x.rank() - 1);
  const slice backwards(_, _, -1);
  return {last(last(x, slice(1, count + 1)), backwards), last(last(x, slice(n - 1 - count, n - 1)), backwards)};
}

beyond repeated(const term& x, std::int64_t count) {
  shape s = x.extents();
  s[x.rank() - 1] = count;
  return {last(x, slice(0, 1)).broadcast_to(s), last(x, slice(-1, _)).broadcast_to(s)};
}

}  // namespace sinter::runtime
