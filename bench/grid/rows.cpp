// The rows, and what a plain loop over doubles gives for each.
#include <algorithm>
#include <cmath>

#include "bench/grid/work.hpp"

namespace bench::grid {

namespace {

using numbers = std::vector<double>;

template <class F>
numbers each(std::int64_t n, F f) {
  numbers out(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) out[static_cast<std::size_t>(i)] = static_cast<double>(f(i));
  return out;
}
/// Of the elements f(0), f(1), ...: sum, least, largest and the sum of squared distances from the mean.
struct folded {
  double sum = 0, least = INFINITY, largest = -INFINITY, squares = 0;
  template <class F>
  folded(std::int64_t n, F f) {
    for (std::int64_t i = 0; i < n; ++i) {
      const auto v = static_cast<double>(f(i));
      sum += v, least = std::min(least, v), largest = std::max(largest, v);
    }
    for (std::int64_t i = 0; i < n; ++i) {
      const double d = static_cast<double>(f(i)) - sum / static_cast<double>(n);
      squares += d * d;
    }
  }
};
folded of_row(const inputs& in, std::int64_t r) {
  return {in.columns, [&](std::int64_t c) { return in.x[r * in.columns + c]; }};
}
folded of_column(const inputs& in, std::int64_t c) {
  return {in.rows, [&](std::int64_t r) { return in.x[r * in.columns + c]; }};
}
folded of_line(const inputs& in) {
  return {in.n, [&](std::int64_t i) { return in.x[i]; }};
}
double cdf(double d) { return 0.5 * (1 + std::erf(d * std::sqrt(0.5))); }

numbers black_scholes(const inputs& in) {
  return each(in.n, [&](std::int64_t i) {
    const double s = in.price[i], k = in.strike[i], t = in.time[i], v = 0.2, r = 0.05;
    const double d1 = (std::log(s / k) + (r + 0.5 * v * v) * t) / (v * std::sqrt(t));
    return s * cdf(d1) - k * std::exp(-r * t) * cdf(d1 - v * std::sqrt(t));
  });
}
numbers twelve_operators(const inputs& in) {
  return each(in.n, [&](std::int64_t i) {
    const double x = in.x[i], y = in.y[i];
    return std::sqrt(std::exp(-x * x) + std::sin(y) * std::sin(y)) * (x + 2 * y - 1) / (1 + x * x);
  });
}
numbers softmax(const inputs& in) {
  numbers out;
  for (std::int64_t r = 0; r < in.rows; ++r) {
    const double top = of_row(in, r).largest;
    const numbers e = each(in.columns, [&](std::int64_t c) { return std::exp(in.x[r * in.columns + c] - top); });
    double sum = 0;
    for (const double v : e) sum += v;
    for (const double v : e) out.push_back(v / sum);
  }
  return out;
}
numbers layer_norm(const inputs& in) {
  numbers out;
  for (std::int64_t r = 0; r < in.rows; ++r) {
    const folded f = of_row(in, r);
    const auto n = static_cast<double>(in.columns);
    for (std::int64_t c = 0; c < in.columns; ++c)
      out.push_back((in.x[r * in.columns + c] - f.sum / n) / std::sqrt(f.squares / n + 1e-5));
  }
  return out;
}
numbers standardised_columns(const inputs& in) {
  numbers out(static_cast<std::size_t>(in.n));
  for (std::int64_t c = 0; c < in.columns; ++c) {
    const folded f = of_column(in, c);
    const auto n = static_cast<double>(in.rows);
    for (std::int64_t i = c; i < in.n; i += in.columns)
      out[static_cast<std::size_t>(i)] = (in.x[i] - f.sum / n) / std::sqrt(f.squares / n);
  }
  return out;
}
numbers over_norms(const inputs& in) {
  return each(in.n, [&](std::int64_t i) {
    double squares = 0;
    for (std::int64_t j = i - i % in.columns; j < i - i % in.columns + in.columns; ++j)
      squares += double{in.x[j]} * in.x[j];
    return in.x[i] / std::sqrt(squares);
  });
}
numbers stencil(const inputs& in) {
  return each((in.rows - 2) * (in.columns - 2), [&](std::int64_t i) {
    const float* const at = in.x + (i / (in.columns - 2) + 1) * in.columns + i % (in.columns - 2) + 1;
    return 0.25 * (double{at[in.columns]} + at[-in.columns] + at[1] + at[-1]);
  });
}

#define OF(expression) [](const inputs& in) -> numbers { return expression; }
#define EACH(expression) OF(each(in.n, [&](std::int64_t i) { return expression; }))

const row_kind all[] = {
    {"sum of x", row_kind::line, 4, 0, OF({of_line(in).sum})},
    {"max of x", row_kind::line, 4, 0, OF({of_line(in).largest})},
    {"min and max of x", row_kind::line, 4, 0, OF((numbers{of_line(in).least, of_line(in).largest}))},
    {"mean and var of x", row_kind::line, 4, 0,
     OF((numbers{of_line(in).sum / double(in.n), of_line(in).squares / double(in.n)}))},
    {"sum of (x - y)^2", row_kind::line, 8, 0,
     OF({folded(in.n, [&](std::int64_t i) { return std::pow(double{in.x[i]} - in.y[i], 2); }).sum})},
    {"sum of int8", row_kind::line, 1, 0, OF({folded(in.n, [&](std::int64_t i) { return in.bytes[i]; }).sum})},
    {"sums of rows", row_kind::matrix, 4, 0, OF(each(in.rows, [&](std::int64_t r) { return of_row(in, r).sum; }))},
    {"maxima of rows", row_kind::matrix, 4, 0,
     OF(each(in.rows, [&](std::int64_t r) { return of_row(in, r).largest; }))},
    {"sums of columns", row_kind::matrix, 4, 0,
     OF(each(in.columns, [&](std::int64_t c) { return of_column(in, c).sum; }))},
    {"maxima of columns", row_kind::matrix, 4, 0,
     OF(each(in.columns, [&](std::int64_t c) { return of_column(in, c).largest; }))},
    {"sums of rows of 3", row_kind::threes, 4, 4.0 / 3,
     OF(each(in.rows, [&](std::int64_t r) { return of_row(in, r).sum; }))},
    {"sums of 3 columns", row_kind::threes, 4, 0,
     OF(each(in.columns, [&](std::int64_t c) { return of_column(in, c).sum; }))},
    {"softmax of rows", row_kind::matrix, 4, 4, softmax},
    {"layer norm of rows", row_kind::matrix, 4, 4, layer_norm},
    {"standardised columns", row_kind::matrix, 4, 4, standardised_columns},
    {"rows of 3 over their norms", row_kind::threes, 4, 4, over_norms},
    {"rows of 3 times a row, plus 1", row_kind::threes, 4, 4, EACH(in.x[i] * in.y[i % in.columns] + 1)},
    {"a plus its transpose", row_kind::matrix, 4, 4,
     EACH(in.x[i] + in.x[i % in.columns * in.columns + i / in.columns])},
    {"stencil of 5 points", row_kind::matrix, 4, 4, stencil},
    {"both axes reversed, times 2", row_kind::matrix, 4, 4, EACH(in.x[in.n - 1 - i] * 2)},
    {"matrix times row plus column", row_kind::matrix, 4, 4,
     EACH(in.x[i] * in.y[i % in.columns] + in.time[i / in.columns])},
    {"every other element, times 2", row_kind::line, 4, 2,
     OF(each((in.n + 1) / 2, [&](std::int64_t i) { return in.x[2 * i] * 2; }))},
    {"sqrt(x*x + y*y)", row_kind::line, 8, 4, EACH(std::hypot(in.x[i], in.y[i]))},
    {"12 operators on x and y", row_kind::line, 8, 4, twelve_operators},
    {"Black-Scholes of 3 arrays", row_kind::line, 12, 4, black_scholes},
    {"where(x > 0.5, x, 0)", row_kind::line, 4, 4, EACH(in.x[i] > 0.5F ? in.x[i] : 0)},
    {"int32 divided by 7, down", row_kind::line, 4, 4, EACH(std::floor(double(in.k[i]) / 7))},
};

}  // namespace

std::span<const row_kind> rows() { return all; }

}  // namespace bench::grid
