// Filters that look at a window around each sample: polynomials that fit it, and its median.
#include <sinter/filters.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>
#include <sinter/products.hpp>
#include <sinter/quantiles.hpp>

#include "runtime/frontend/filters.hpp"
#include "runtime/frontend/message.hpp"

namespace sinter::detail {

using runtime::along_last, runtime::astype, runtime::beyond, runtime::joined, runtime::last, runtime::mirrored,
    runtime::number_node, runtime::repeated, runtime::term;
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

// What a signal is taken to be `count` samples on before it and behind it.
beyond beyond_ends(const term& x, std::int64_t count, const savgol_options& how) {
  if (how.mode == savgol_mode::mirror) return mirrored(x, count);
  if (how.mode == savgol_mode::nearest) return repeated(x, count);
  if (how.mode == savgol_mode::wrap)
    return {last(x, slice(x.extent(x.rank() - 1) - count, _)), last(x, slice(0, count))};
  shape s = x.extents();
  s[x.rank() - 1] = count;
  const term around = number_node(how.cval, x.type()).broadcast_to(s);
  return {around, around};
}

// The sums of what weights say of each window.
term over_windows(const term& x, const std::vector<double>& weights) {
  const shape count{static_cast<std::int64_t>(weights.size())};
  std::int64_t extents[max_rank];
  std::fill_n(extents, x.rank(), 1);
  extents[x.rank() - 1] = count[0];
  const term all = astype(term::made(make_from_host(dtype::float64, count, weights.data())), real_part_of(x.type()));
  const term kernel = term::made(make_reshape(all.get(), extents, x.rank()));
  return term::made(make_correlated(x.held(), astype(kernel, x.type()).held(), convolve_mode::valid, convolution::scipy,
                                    convolve_method::direct));
}

}  // namespace

node* make_savgol_weights(std::int64_t window, std::int64_t order, const savgol_options& how) {
  std::vector<double> weights = fit_of_window(window, order, how).weights(0);
  std::reverse(weights.begin(), weights.end());  // a convolution turns them round
  return make_from_host(dtype::float64, shape{window}, weights.data());
}

node* make_savgol_filtered(handle given, dtype type, std::int64_t window, std::int64_t order,
                           const savgol_options& how) {
  const fit_of_window fit(window, order, how);
  const along_last in(std::move(given), type, how.axis, "savgol_filter");
  const std::int64_t half = window / 2, n = in.samples();
  const bool is_fitted = how.mode == savgol_mode::interp;
  if (is_fitted ? window > n : how.mode == savgol_mode::mirror ? half >= n : half > n)
    throw shape_error(message("sinter: savgol_filter of %lld samples with a window of %lld", static_cast<long long>(n),
                              static_cast<long long>(window))
                          .c_str());
  const int axis = in.x.rank() - 1;
  if (!is_fitted) {
    const auto [before, behind] = beyond_ends(in.x, half, how);
    return in.back(over_windows(joined({before, in.x, behind}, axis), fit.weights(0)));
  }
  const term middle = over_windows(in.x, fit.weights(0));
  if (half == 0) return in.back(middle);
  // Of samples of one window, from `first` on, where the polynomial that fits it is looked at.
  const auto end = [&](const slice& of, std::int64_t first) {
    std::vector<double> weights;
    for (std::int64_t i = first; i < first + half; ++i)
      for (double w : fit.weights(i)) weights.push_back(w);
    const term by = astype(term::made(make_from_host(dtype::float64, shape{half, window}, weights.data())), type);
    return term::made(make_matmul(last(in.x, of).held(), handle(make_swapped(by.get(), 0, 1))));
  };
  return in.back(joined({end(slice(0, window), -half), middle, end(slice(n - window, n), 1)}, axis));
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
