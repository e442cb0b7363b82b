// Filters that look at a window around each sample: polynomials that fit it, and its median.
#include <sinter/filters.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>
#include <sinter/products.hpp>
#include <sinter/quantiles.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/list.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/segments.hpp"

namespace sinter::detail {

using runtime::astype, runtime::axis_moved, runtime::checked_axis, runtime::joined, runtime::number_node, runtime::term;
using signal::savgol_mode, signal::savgol_options;

namespace {

// What the samples of a window count to the polynomial that fits them best, in its middle or at another sample: sums of Gram's polynomials,
// which are orthogonal on such a window (P. Gorry, Analytical Chemistry 62, 1990). Nothing is solved, so nothing loses its digits.
class fit_of_window {
 public:
  fit_of_window(std::int64_t window, std::int64_t order, const savgol_options& how)
      : half_(window / 2), order_(static_cast<int>(order)), deriv_(how.deriv), scale_(std::pow(how.delta, -how.deriv)) {
    if (window < 1 || window % 2 == 0) throw_bad("a window of an even number of samples, or of none");
    if (order < 0 || order >= window) throw_bad("polynomials of an order that is not below the window's length");
    if (how.deriv < 0) throw_bad("a derivative below 0");
    for (std::int64_t i = -half_; i <= half_; ++i) window_.push_back(polynomials(static_cast<double>(i), 0));
  }

  /// Of each sample of the window, of the polynomial at `at`, which counts from the middle.
  std::vector<double> weights(std::int64_t at) const {
    const std::vector<double> there = polynomials(static_cast<double>(at), deriv_);
    std::vector<double> all;
    for (const std::vector<double>& here : window_) {
      double sum = 0, norm = 1 / (2 * half() + 1);
      for (int k = 0; k <= order_; ++k) {
        sum += (2 * k + 1) * norm * here[static_cast<std::size_t>(k)] * there[static_cast<std::size_t>(k)];
        norm *= (2 * half() - k) / (2 * half() + k + 2);
      }
      all.push_back(sum * scale_);
    }
    return all;
  }

 private:
  [[noreturn]] static void throw_bad(const char* why) {
    throw error(message("sinter: a Savitzky-Golay filter with %s", why).c_str());
  }
  double half() const { return static_cast<double>(half_); }

  // A derivative of the polynomials of orders up to the last, at a place.
  std::vector<double> polynomials(double at, int deriv) const {
    std::vector<double> values, below;  // below: of the derivative before
    if (deriv > 0) below = polynomials(at, deriv - 1);
    values.push_back(deriv == 0 ? 1 : 0);
    for (int k = 1; k <= order_; ++k) {
      const auto before = static_cast<std::size_t>(k - 1);
      const double under = k * (2 * half() - k + 1);
      double value = (4 * k - 2) / under * (at * values[before] + (deriv > 0 ? deriv * below[before] : 0));
      if (k > 1) value -= (k - 1) * (2 * half() + k) / under * values[before - 1];
      values.push_back(value);
    }
    return values;
  }

  const std::int64_t half_;
  const int order_, deriv_;
  const double scale_;
  std::vector<std::vector<double>> window_;  // the polynomials at each of its samples
};

term last(const term& t, const slice& s) { return t.along(t.rank() - 1, s); }

// Beyond its ends, `count` samples on each side.
term extended(const term& x, std::int64_t count, const savgol_options& how) {
  const std::int64_t n = x.extent(x.rank() - 1);
  const slice backwards(_, _, -1);
  const int axis = x.rank() - 1;
  shape s = x.extents();
  s[axis] = count;
  switch (how.mode) {
    case savgol_mode::mirror:
      return joined(
          {last(last(x, slice(1, count + 1)), backwards), x, last(last(x, slice(n - 1 - count, n - 1)), backwards)},
          axis);
    case savgol_mode::wrap: return joined({last(x, slice(n - count, n)), x, last(x, slice(0, count))}, axis);
    case savgol_mode::nearest:
      return joined({last(x, slice(0, 1)).broadcast_to(s), x, last(x, slice(n - 1, n)).broadcast_to(s)}, axis);
    default: {
      const term around = astype(number_node(how.cval, dtype::float64), x.type()).broadcast_to(s);
      return joined({around, x, around}, axis);
    }
  }
}

// The sums of what weights say of each window.
term over_windows(const term& x, const std::vector<double>& weights) {
  const shape count{static_cast<std::int64_t>(weights.size())};
  std::int64_t extents[max_rank];
  std::fill_n(extents, x.rank(), 1);
  extents[x.rank() - 1] = count[0];
  const term all = astype(term::made(make_from_host(dtype::float64, count, weights.data())), real_part_of(x.type()));
  const term kernel = term::made(make_reshape(all.get(), extents, x.rank()));
  return term::made(
      make_correlated(x.held(), astype(kernel, x.type()).held(), convolve_mode::valid, convolution::scipy));
}

}  // namespace

node* make_savgol_weights(std::int64_t window, std::int64_t order, const savgol_options& how) {
  std::vector<double> weights = fit_of_window(window, order, how).weights(0);
  std::reverse(weights.begin(), weights.end());  // a convolution turns them round
  return make_from_host(dtype::float64, shape{window}, weights.data());
}

node* make_savgol_filtered(handle given, dtype type, std::int64_t window, std::int64_t order,
                           const savgol_options& how) {
  term x(std::move(given));
  const fit_of_window fit(window, order, how);
  const int axis = checked_axis(how.axis, x.rank(), "savgol_filter");
  x = astype(axis_moved(x, axis, -1), type);
  const std::int64_t half = window / 2, n = x.extent(x.rank() - 1);
  const bool is_fitted = how.mode == savgol_mode::interp;
  if (is_fitted ? window > n : how.mode == savgol_mode::mirror ? half >= n : half > n)
    throw shape_error(message("sinter: savgol_filter of %lld samples with a window of %lld", static_cast<long long>(n),
                              static_cast<long long>(window))
                          .c_str());
  if (!is_fitted) return axis_moved(over_windows(extended(x, half, how), fit.weights(0)), -1, axis).take();
  if (half == 0) return axis_moved(over_windows(x, fit.weights(0)), -1, axis).take();
  std::vector<double> ends[2];
  for (std::int64_t i = -half; i < 0; ++i)
    for (double w : fit.weights(i)) ends[0].push_back(w);
  for (std::int64_t i = 1; i <= half; ++i)
    for (double w : fit.weights(i)) ends[1].push_back(w);
  const auto end = [&](const term& of, const std::vector<double>& weights) {
    const term by = astype(term::made(make_from_host(dtype::float64, shape{half, window}, weights.data())), type);
    return term::made(make_matmul(of.held(), handle(make_swapped(by.get(), 0, 1))));
  };
  const term y = joined({end(last(x, slice(0, window)), ends[0]), over_windows(x, fit.weights(0)),
                         end(last(x, slice(n - window, n)), ends[1])},
                        x.rank() - 1);
  return axis_moved(y, -1, axis).take();
}

node* make_median_filtered(handle given, const std::int64_t* sizes, std::size_t count) {
  const term x(std::move(given));
  if (count != 1 && static_cast<int>(count) != x.rank())
    throw shape_error(
        message("sinter: medfilt of an array of shape %s with %zu lengths", to_string(x.extents()).c_str(), count)
            .c_str());
  term wide = x;
  std::int64_t lengths[max_rank];
  for (int d = 0; d < x.rank(); ++d) {
    lengths[d] = sizes[count == 1 ? 0 : d];
    if (lengths[d] < 1 || lengths[d] % 2 == 0) throw error("sinter: medfilt with a length that is even, or below 1");
    shape s = wide.extents();
    s[d] = lengths[d] / 2;
    if (s[d] == 0) continue;
    const term zeros = number_node(0, x.type()).broadcast_to(s);
    wide = joined({zeros, wide, zeros}, d);
  }
  if (x.extents().elements() == 0 || x.rank() == 0) return x.take();
  const term windows =
      term::made(make_windows(wide.get(), lengths, static_cast<std::size_t>(x.rank()), axes::all().list()));
  axis_list within{x.rank(), {}};
  for (int d = 0; d < x.rank(); ++d) within.axes[d] = x.rank() + d;
  median_options how;
  how.axis = axes(within);
  return make_median(windows.held(), x.type(), how, false);
}

}  // namespace sinter::detail
