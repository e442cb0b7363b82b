// Filters with feedback from the poles of low-pass filters in continuous time (T. Parks and C. Burrus, Digital Filter Design, 1987): they are moved to
// what is to pass, brought into discrete time by the bilinear transform, and multiplied out, or paired to sections. All on the host.
#include <sinter/filter_design.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <sinter/create.hpp>
#include <sinter/error.hpp>

#include "runtime/frontend/filters.hpp"
#include "runtime/frontend/list.hpp"
#include "runtime/frontend/message.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::coefficients, runtime::fold, runtime::index_of, runtime::one_axis,
    runtime::sections_of, runtime::term;
using signal::between, signal::iir_options, signal::pass, signal::transfer_function;

namespace {

using complex = std::complex<double>;
using roots = runtime::list<complex>;
constexpr double pi = std::numbers::pi;

struct zeros_and_poles {
  roots zeros, poles;
  double gain;

  std::size_t missing_zeros() const { return poles.size() - zeros.size(); }
};

[[noreturn]] void throw_design(const char* why) { throw error(message("sinter: a filter with %s", why).c_str()); }

// The product of x - each.
complex product_of(double x, const roots& all) {
  complex product = 1;
  for (const complex& r : all) product *= x - r;
  return product;
}

// A ripple's power ratio, less 1.
double power_over_1(double decibels) { return std::expm1(0.1 * decibels * std::numbers::ln10); }

// ---- low-pass filters whose cutoff is 1

zeros_and_poles butterworth(int order) {
  zeros_and_poles f{{}, {}, 1};
  for (int m = 1 - order; m < order; m += 2) f.poles.push_back(-std::polar(1.0, pi * m / (2 * order)));
  return f;
}

zeros_and_poles chebyshev_1(int order, double ripple) {
  const double depth = std::sqrt(power_over_1(ripple)), mu = std::asinh(1 / depth) / order;
  zeros_and_poles f{{}, {}, 1};
  for (int m = 1 - order; m < order; m += 2) f.poles.push_back(-std::sinh(complex(mu, pi * m / (2 * order))));
  f.gain = product_of(0, f.poles).real();
  if (order % 2 == 0) f.gain /= std::sqrt(1 + depth * depth);
  return f;
}

zeros_and_poles chebyshev_2(int order, double ripple) {
  const double mu = std::asinh(std::sqrt(power_over_1(ripple))) / order;
  zeros_and_poles f{{}, {}, 1};
  for (int m = 1 - order; m < order; m += 2) {
    const complex on_circle = -std::polar(1.0, pi * m / (2 * order));
    f.poles.push_back(1.0 / complex(std::sinh(mu) * on_circle.real(), std::cosh(mu) * on_circle.imag()));
    if (m != 0) f.zeros.emplace_back(0, 1 / std::sin(pi * m / (2 * order)));
  }
  f.gain = (product_of(0, f.poles) / product_of(0, f.zeros)).real();
  return f;
}

// ---- to what is to pass, at frequencies of continuous time

zeros_and_poles moved_low(zeros_and_poles f, double cutoff) {
  f.gain *= std::pow(cutoff, static_cast<double>(f.missing_zeros()));
  for (roots* all : {&f.zeros, &f.poles})
    for (complex& r : *all) r *= cutoff;
  return f;
}

zeros_and_poles moved_high(zeros_and_poles f, double cutoff) {
  f.gain *= (product_of(0, f.zeros) / product_of(0, f.poles)).real();
  for (roots* all : {&f.zeros, &f.poles})
    for (complex& r : *all) r = cutoff / r;
  f.zeros.resize(f.poles.size(), 0);
  return f;
}

// Each root becomes two, around the middle of the band on either side of 0.
roots doubled(const roots& all, double middle) {
  roots both;
  for (double sign : {1.0, -1.0})
    for (const complex& r : all) both.push_back(r + sign * std::sqrt(r * r - middle * middle));
  return both;
}

zeros_and_poles moved_to_band(zeros_and_poles f, double low, double high) {
  const double width = high - low, middle = std::sqrt(low * high);
  const std::size_t missing = f.missing_zeros();
  f = moved_low(std::move(f), width / 2);
  f.gain *= std::pow(2, static_cast<double>(missing));
  f.zeros = doubled(f.zeros, middle);
  f.poles = doubled(f.poles, middle);
  f.zeros.resize(f.zeros.size() + missing, 0);
  return f;
}

zeros_and_poles moved_around_band(zeros_and_poles f, double low, double high) {
  const double width = high - low, middle = std::sqrt(low * high);
  const std::size_t missing = f.missing_zeros();
  f = moved_high(std::move(f), width / 2);
  f.zeros.resize(f.zeros.size() - missing);
  f.zeros = doubled(f.zeros, middle);
  f.poles = doubled(f.poles, middle);
  for (double sign : {1.0, -1.0}) f.zeros.resize(f.zeros.size() + missing, complex(0, sign * middle));
  return f;
}

// Two samples per unit of time.
zeros_and_poles sampled(zeros_and_poles f) {
  constexpr double twice = 4;
  f.gain *= (product_of(twice, f.zeros) / product_of(twice, f.poles)).real();
  for (roots* all : {&f.zeros, &f.poles})
    for (complex& r : *all) r = (twice + r) / (twice - r);
  f.zeros.resize(f.poles.size(), -1);
  return f;
}

zeros_and_poles family_of(iir_family which, std::int64_t order, double ripple) {
  if (order < 0 || order > 500) throw_design("an order that is negative, or above 500");
  if (which != iir_family::butterworth && !(ripple > 0 && ripple < 1000))
    throw_design("a ripple that is not above 0, or 1000 decibels");
  const int n = static_cast<int>(order);
  if (n == 0) return {{}, {}, which == iir_family::chebyshev_1 ? std::pow(10, -ripple / 20) : 1};
  switch (which) {
    case iir_family::butterworth: return butterworth(n);
    case iir_family::chebyshev_1: return chebyshev_1(n, ripple);
    default: return chebyshev_2(n, ripple);
  }
}

zeros_and_poles design(iir_family which, std::int64_t order, double ripple, const between& cutoffs,
                       const iir_options& how) {
  const bool is_one = std::isinf(cutoffs.largest);
  if (is_one != (how.btype == pass::low || how.btype == pass::high))
    throw_design(is_one ? "one cutoff, where btype has two" : "two cutoffs, where btype has one");
  const auto frequency = [&](double given) {
    const double part = given / (how.fs / 2);
    if (!(part > 0 && part < 1)) throw_design("a cutoff that does not lie between 0 and half the rate");
    return 4 * std::tan(pi * part / 2);
  };
  const double low = frequency(cutoffs.least), high = is_one ? low : frequency(cutoffs.largest);
  if (!is_one && !(low < high)) throw_design("cutoffs that do not rise");
  zeros_and_poles f = family_of(which, order, ripple);
  switch (how.btype) {
    case pass::low: return sampled(moved_low(std::move(f), low));
    case pass::high: return sampled(moved_high(std::move(f), low));
    case pass::band: return sampled(moved_to_band(std::move(f), low, high));
    default: return sampled(moved_around_band(std::move(f), low, high));
  }
}

// ---- coefficients

// Of the polynomial with these roots, the highest power first.
runtime::list<double> multiplied_out(const roots& all, double factor) {
  roots p{1};
  for (const complex& r : all) {
    p.push_back(0);
    for (std::size_t i = p.size() - 1; i > 0; --i) p[i] -= r * p[i - 1];
  }
  runtime::list<double> real;
  for (const complex& c : p) real.push_back(factor * c.real());
  return real;
}

// Roots that are real, or stand for their conjugates, too.
roots without_conjugates(const roots& all) {
  roots some;
  for (const complex& r : all) {
    const bool is_real = std::abs(r.imag()) <= 1e-10 * std::abs(r);  // what rounding leaves of the others is far above
    if (is_real) some.emplace_back(r.real());
    else if (r.imag() > 0) some.push_back(r);
  }
  return some;
}

// Poles and zeros of sections: the pole that is nearest to the circle chooses first, and takes the nearest zeros, so that no section is far
// above the others anywhere. The last section has it.
class pairing {
 public:
  explicit pairing(const zeros_and_poles& f) : zeros_(f.zeros), poles_(f.poles) {
    if (poles_.size() % 2) {
      zeros_.emplace_back(0);
      poles_.emplace_back(0);
    }
    zeros_ = without_conjugates(zeros_);
    poles_ = without_conjugates(poles_);
  }

  runtime::list<double> sections(double gain) {
    runtime::list<runtime::list<double>> rows;
    while (!poles_.empty()) rows.push_back(next());
    runtime::list<double> all;
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) all.insert(all.end(), row->begin(), row->end());
    if (all.empty()) all = {1, 0, 0, 1, 0, 0};
    for (int i = 0; i < 3; ++i) all[static_cast<std::size_t>(i)] *= gain;
    return all;
  }

 private:
  static bool is_real(const complex& r) { return r.imag() == 0; }

  // The one with the least value of `of` among those that fit, taken out.
  template <class Of, class Fits>
  static complex take(roots& from, Of of, Fits fits) {
    auto best = from.end();
    for (auto r = from.begin(); r != from.end(); ++r)
      if (fits(*r) && (best == from.end() || of(*r) < of(*best))) best = r;
    const complex taken = *best;
    from.erase(best);
    return taken;
  }
  static double from_circle(const complex& r) { return std::abs(1 - std::abs(r)); }
  static bool any(const complex&) { return true; }

  runtime::list<double> next() {
    const complex pole = take(poles_, from_circle, any);
    const auto far = [&](const complex& z) { return std::abs(z - pole); };
    const roots both{pole, is_real(pole) ? take(poles_, from_circle, is_real) : std::conj(pole)};
    roots nearest{take(zeros_, far, any)};
    nearest.push_back(is_real(nearest[0]) ? take(zeros_, far, is_real) : std::conj(nearest[0]));
    runtime::list<double> row = multiplied_out(nearest, 1);
    const runtime::list<double> under = multiplied_out(both, 1);
    row.insert(row.end(), under.begin(), under.end());
    return row;
  }

  roots zeros_, poles_;
};

// ---- responses

class circle {
 public:
  explicit circle(const signal::freqz_options& how)
      : share_(astype(index_of(shape{checked(how.worN)}, 0), dtype::float64) *
               ((how.whole ? 2 : 1) / static_cast<double>(how.worN))),
        fs_(how.fs) {}

  term frequencies() const { return share_ * (fs_ / 2); }
  term response(const coefficients& by) const { return sum_of(by.over) / sum_of(by.under); }

 private:
  static std::int64_t checked(std::int64_t count) {
    return count < 1 ? throw error("sinter: freqz at no frequency") : count;
  }
  // The sum of c(k) exp(-i w k).
  term sum_of(const term& c) const {
    const term angle = (share_ * -pi).with_axis(1) * astype(index_of(shape{c.extent(0)}, 0), dtype::float64);
    const term each = c * apply(op::make_complex, {apply(op::cos, {angle}), apply(op::sin, {angle})});
    return fold(reduction::sum, each, one_axis(1), false);
  }

  const term share_;  // of half the rate
  const double fs_;
};

}  // namespace

transfer_function designed(iir_family which, std::int64_t order, double ripple, const between& cutoffs,
                           const iir_options& how) {
  const zeros_and_poles f = design(which, order, ripple, cutoffs, how);
  return {asarray(multiplied_out(f.zeros, f.gain)), asarray(multiplied_out(f.poles, 1))};
}

node* make_designed_sections(iir_family which, std::int64_t order, double ripple, const between& cutoffs,
                             const iir_options& how) {
  const zeros_and_poles f = design(which, order, ripple, cutoffs, how);
  const runtime::list<double> all = pairing(f).sections(f.gain);
  return make_from_host(dtype::float64, shape{static_cast<std::int64_t>(all.size() / 6), 6}, all.data());
}

transfer_function resonator(double w0, double quality, double fs, bool takes_out) {
  const double part = w0 / (fs / 2);
  if (!(part > 0 && part < 1)) throw_design("a frequency that does not lie between 0 and half the rate");
  if (!(quality > 0)) throw_design("a quality that is not above 0");
  const double gain = 1 / (1 + std::tan(pi * part / quality / 2)), middle = std::cos(pi * part);
  const array<double> a{1, -2 * gain * middle, 2 * gain - 1};
  if (takes_out) return {array<double>{gain, -2 * gain * middle, gain}, a};
  return {array<double>{1 - gain, 0, gain - 1}, a};
}

std::pair<handle, handle> make_response(handle b, handle a, const signal::freqz_options& how) {
  const coefficients by(std::move(b), std::move(a), dtype::complex128, "freqz");
  const circle all(how);
  return {all.frequencies().held(), all.response(by).held()};
}

std::pair<handle, handle> make_sections_response(handle sos, const signal::freqz_options& how) {
  const runtime::list<coefficients> sections = sections_of(std::move(sos), dtype::complex128, "freqz_sos");
  if (sections.empty()) throw shape_error("sinter: freqz_sos of no sections");
  const circle all(how);
  term product = all.response(sections[0]);
  for (std::size_t s = 1; s < sections.size(); ++s) product = product * all.response(sections[s]);
  return {all.frequencies().held(), product.held()};
}

}  // namespace sinter::detail
