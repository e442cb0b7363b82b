// Windows by name, as expressions of the index: a row of the table each.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <numbers>

#include <sinter/error.hpp>
#include <sinter/spectral.hpp>

#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::choose, runtime::index_of, runtime::number_node, runtime::term;

namespace {

constexpr double pi = std::numbers::pi;

// What a window is computed from: the distance of each point from the middle, and how many points there are, at least two.
struct place {
  term middle;  // -(points - 1) / 2 ... (points - 1) / 2
  double points, first, second;

  term distance() const { return apply(op::absolute, {middle}); }
  double last() const { return points - 1; }
};

term cosine(const term& angle) { return apply(op::cos, {angle}); }
term square(const term& x) { return x * x; }

// a0 + a1 cos(t) + a2 cos(2 t) + ..., t from -pi to pi.
term cosines(const place& p, std::initializer_list<double> weights) {
  const term angle = p.middle * (2 * pi / p.last());
  term sum = number_node(*weights.begin(), dtype::float64).broadcast_to(p.middle.extents());
  for (std::size_t k = 1; k < weights.size(); ++k)
    sum = sum + cosine(angle * static_cast<double>(k)) * weights.begin()[k];
  return sum;
}

term ones(const place& p) { return cosines(p, {1.0}); }
term hann(const place& p) { return cosines(p, {0.5, 0.5}); }

term barthann(const place& p) {
  const term x = p.middle / p.last();
  return 0.62 - apply(op::absolute, {x}) * 0.48 + cosine(x * (2 * pi)) * 0.38;
}
term bartlett(const place& p) { return 1.0 - p.distance() * (2 / p.last()); }
term bohman(const place& p) {
  const term x = p.distance() * (2 / p.last());
  const term inside = (1.0 - x) * cosine(x * pi) + apply(op::sin, {x * pi}) * (1 / pi);
  return choose(x < 1.0, inside, 0.0);
}
term bell(const place& p) { return cosine(p.middle * (pi / p.points)); }
term exponential(const place& p) { return apply(op::exp, {p.distance() / -p.first}); }
term gaussian(const place& p) { return apply(op::exp, {square(p.middle / p.first) * -0.5}); }
term general_gaussian(const place& p) {
  const term x = p.distance() / p.second;
  return apply(op::exp, {apply(op::power, {x, 2 * p.first}) * -0.5});
}
term kaiser(const place& p) {
  const term root = apply(op::sqrt, {1.0 - square(p.middle * (2 / p.last()))});
  return apply(op::i0, {root * p.first}) / apply(op::i0, {number_node(p.first, dtype::float64)});
}
term lanczos(const place& p) { return apply(op::sinc, {p.middle * (2 / p.last())}); }
term parzen(const place& p) {
  const term x = p.distance() * (2 / p.points), rest = 1.0 - x;
  const term near = 1.0 - square(x) * 6.0 + square(x) * x * 6.0;
  return choose(p.distance() <= p.last() / 4, near, rest * rest * rest * 2.0);
}
term triang(const place& p) { return 1.0 - p.distance() * (2 / (p.points + std::fmod(p.points, 2))); }
term tukey(const place& p) {
  if (p.first <= 0) return ones(p);
  if (p.first >= 1) return hann(p);
  // As far from the ends as this it is a cosine, between them 1.
  const double width = std::floor(p.first * p.last() / 2);
  const term from_end = p.last() / 2 - p.distance();
  const term slope = cosine((from_end * (2 / p.first / p.last()) - 1.0) * pi) * 0.5 + 0.5;
  return choose(from_end <= width, slope, 1.0);
}

struct named_window {
  const char* name;
  int numbers;  // it takes
  term (*of)(const place&);
  double otherwise = signal::window::unset;  // its number where none is given
};

const named_window windows[] = {
    {"barthann", 0, barthann},
    {"bartlett", 0, bartlett},
    {"blackman", 0,
     [](const place& p) {
       return cosines(p, {0.42, 0.5, 0.08});
     }},
    {"blackmanharris", 0,
     [](const place& p) {
       return cosines(p, {0.35875, 0.48829, 0.14128, 0.01168});
     }},
    {"bohman", 0, bohman},
    {"boxcar", 0, ones},
    {"cosine", 0, bell},
    {"exponential", 1, exponential, 1},
    {"flattop", 0,
     [](const place& p) {
       return cosines(p, {0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368});
     }},
    {"gaussian", 1, gaussian},
    {"general_gaussian", 2, general_gaussian},
    {"general_hamming", 1,
     [](const place& p) {
       return cosines(p, {p.first, 1 - p.first});
     }},
    {"hamming", 0,
     [](const place& p) {
       return cosines(p, {0.54, 0.46});
     }},
    {"hann", 0, hann},
    {"kaiser", 1, kaiser},
    {"lanczos", 0, lanczos},
    {"nuttall", 0,
     [](const place& p) {
       return cosines(p, {0.3635819, 0.4891775, 0.1365995, 0.0106411});
     }},
    {"parzen", 0, parzen},
    {"triang", 0, triang},
    {"tukey", 1, tukey, 0.5},
};

const named_window& named(const signal::window& w) {
  const auto at = std::find_if(std::begin(windows), std::end(windows),
                               [&](const named_window& n) { return std::strcmp(n.name, w.name()) == 0; });
  if (at == std::end(windows)) throw error(message("sinter: there is no window \"%s\"", w.name()).c_str());
  for (int i = 0; i < 2; ++i) {
    if (i < at->numbers && std::isnan(w.number(i)) && std::isnan(at->otherwise))
      throw error(
          message("sinter: the window \"%s\" takes %d number%s", at->name, at->numbers, at->numbers == 1 ? "" : "s")
              .c_str());
    if (i >= at->numbers && !std::isnan(w.number(i)))
      throw error(message("sinter: the window \"%s\" takes no %snumber", at->name, i == 0 ? "" : "second ").c_str());
  }
  return *at;
}

term sampled(const signal::window& w, std::int64_t points) {
  const term samples(w.samples());
  if (samples.rank() != 1 || samples.extent(0) != points)
    throw shape_error(message("sinter: a window of shape %s for segments of %lld points",
                              to_string(samples.extents()).c_str(), static_cast<long long>(points))
                          .c_str());
  return is_complex(samples.type()) ? samples : astype(samples, dtype::float64);
}

}  // namespace

node* make_window(const signal::window& w, std::int64_t points, bool periodic) {
  if (points < 0) throw shape_error(message("sinter: a window of %lld points", static_cast<long long>(points)).c_str());
  if (w.samples()) return sampled(w, points).take();
  if (!w.name()) throw error("sinter: a window without a name");
  const named_window& by = named(w);
  const std::int64_t all = points + periodic;
  const term i = astype(index_of(shape{points}, 0), dtype::float64);
  if (points <= 1) return (i * 0.0 + 1.0).take();
  const double first = std::isnan(w.number(0)) ? by.otherwise : w.number(0);
  return by.of({i - static_cast<double>(all - 1) / 2, static_cast<double>(all), first, w.number(1)}).take();
}

}  // namespace sinter::detail
