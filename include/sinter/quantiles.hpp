// Medians, quantiles and modes: the elements along axes in order, and what is read off between them in the kernel of what uses it.
// Not in sinter.hpp.
#pragma once

#include <vector>

#include <sinter/order.hpp>

namespace sinter {

/// How a quantile is made of the two elements that it lies between. Source: the methods of numpy.quantile.
enum class quantile_method : unsigned char {
  inverted_cdf,
  averaged_inverted_cdf,
  closest_observation,
  interpolated_inverted_cdf,
  hazen,
  weibull,
  linear,
  median_unbiased,
  normal_unbiased,
  lower,
  higher,
  midpoint,
  nearest
};

/// Over which axes: `quantile(a, 0.9, {.axis = 0, .method = quantile_method::hazen})`.
struct quantile_options {
  axes axis = axes::all();
  detail::truth keepdims = false;
  quantile_method method = quantile_method::linear;
};
struct median_options {
  axes axis = axes::all();
  detail::truth keepdims = false;
};

namespace detail {

/// What an array of no axis or of one holds. Errors: `shape_error`. Stream behaviour: waits.
SINTER_API std::vector<double> read_fractions(handle);

/// One fraction, or several: `0.5`, `{0.25, 0.75}`, a vector or a span of doubles, to which it refers, or an array, which it reads.
class fractions {
 public:
  template <class X>
    requires std::is_arithmetic_v<X>
  constexpr fractions(X one) : one_(static_cast<double>(one)) {}
  constexpr fractions(std::initializer_list<double> several) : fractions(several.begin(), several.size()) {}
  template <host_memory<const double*> List>
  constexpr fractions(const List& several) : fractions(several.data(), several.size()) {}
  template <expression E>
  fractions(const E& several)
      : read_(read_fractions(handle(take_node(astype<double>(several))))),
        count_(read_.size()),
        listed_(several.ndim() == 1) {}

  bool listed() const { return listed_; }
  const double* begin() const { return several_ ? several_ : read_.empty() ? &one_ : read_.data(); }
  std::size_t size() const { return count_; }

 private:
  constexpr fractions(const double* at, std::size_t count) : several_(at), count_(count), listed_(true) {}

  double one_ = 0;
  const double* several_ = nullptr;
  std::vector<double> read_;  // of an array
  std::size_t count_ = 1;
  bool listed_ = false;
};

/// `whole`: the fraction that the largest element has. `skips`: NaN does not count.
SINTER_API node* make_quantile(handle, const fractions&, double whole, dtype, const quantile_options&, bool skips);
SINTER_API node* make_weighted_quantile(handle, handle weights, const fractions&, double whole, dtype,
                                        const quantile_options&, bool skips);
SINTER_API node* make_median(handle, dtype, const median_options&, bool skips);

template <class E>
using quantile_type = typename element_of<mean_dtype(dtype_of<element_in<E>>)>::type;
template <class E>
auto quantile_of(E&& e, const fractions& q, double whole, const quantile_options& how, bool skips) {
  using R = quantile_type<E>;
  static_assert(!complex_number<R>, "sinter: quantiles are of real numbers");
  return lazy<R>(make_quantile(handle(take_node(std::forward<E>(e))), q, whole, dtype_of<R>, how, skips));
}
template <class E, class W>
auto quantile_of(E&& e, W&& weights, const fractions& q, double whole, const quantile_options& how, bool skips) {
  using R = quantile_type<E>;
  static_assert(!complex_number<R>, "sinter: quantiles are of real numbers");
  handle of(take_node(std::forward<E>(e))), by(take_node(astype<double>(std::forward<W>(weights))));
  return lazy<R>(make_weighted_quantile(std::move(of), std::move(by), q, whole, dtype_of<R>, how, skips));
}
inline constexpr quantile_options by_weight{.method = quantile_method::inverted_cdf};

}  // namespace detail

/// The element in the middle, or the mean of the two there; NaN where there is one among them, or no element. Dtypes: as mean. Errors:
/// `shape_error`. Source: numpy.median.
template <detail::expression E>
auto median(E&& e, const median_options& how = {}) {
  using R = detail::quantile_type<E>;
  return lazy<R>(detail::make_median(detail::handle(detail::take_node(std::forward<E>(e))), dtype_of<R>, how, false));
}
template <detail::expression E>
auto median(E&& e, std::int64_t axis) {
  return sinter::median(std::forward<E>(e), median_options{.axis = axis});
}
/// Of what is not NaN. Source: numpy.nanmedian.
template <detail::expression E>
auto nanmedian(E&& e, const median_options& how = {}) {
  using R = detail::quantile_type<E>;
  return lazy<R>(detail::make_median(detail::handle(detail::take_node(std::forward<E>(e))), dtype_of<R>, how, true));
}
template <detail::expression E>
auto nanmedian(E&& e, std::int64_t axis) {
  return sinter::nanmedian(std::forward<E>(e), median_options{.axis = axis});
}

/// The element below which a fraction of all lies, from 0 to 1, or several: `quantile(a, {0.25, 0.75}, 0)`. NaN where there is one among
/// them. Shapes: of several fractions an axis in front. Dtypes: as mean, with every method. Errors: `error` for other fractions;
/// `shape_error` where there is no element. Source: numpy.quantile.
template <detail::expression E>
auto quantile(E&& e, const detail::fractions& q, const quantile_options& how = {}) {
  return detail::quantile_of(std::forward<E>(e), q, 1, how, false);
}
template <detail::expression E>
auto quantile(E&& e, const detail::fractions& q, std::int64_t axis) {
  return sinter::quantile(std::forward<E>(e), q, quantile_options{.axis = axis});
}
/// The first element that with those below it weighs that fraction of all: `quantile(a, 0.9, weights, {...})`. Shapes: the weights
/// have the operand's, or one axis, along the only one that is gone through. They are not looked at: NaN where their sum is not above 0.
/// Errors: `error` for another method than inverted_cdf. Source: weights of numpy.quantile.
template <detail::expression E, detail::expression W>
auto quantile(E&& e, const detail::fractions& q, W&& weights, const quantile_options& how = detail::by_weight) {
  return detail::quantile_of(std::forward<E>(e), std::forward<W>(weights), q, 1, how, false);
}
/// The same in percent. Source: numpy.percentile.
template <detail::expression E>
auto percentile(E&& e, const detail::fractions& q, const quantile_options& how = {}) {
  return detail::quantile_of(std::forward<E>(e), q, 100, how, false);
}
template <detail::expression E>
auto percentile(E&& e, const detail::fractions& q, std::int64_t axis) {
  return sinter::percentile(std::forward<E>(e), q, quantile_options{.axis = axis});
}
template <detail::expression E, detail::expression W>
auto percentile(E&& e, const detail::fractions& q, W&& weights, const quantile_options& how = detail::by_weight) {
  return detail::quantile_of(std::forward<E>(e), std::forward<W>(weights), q, 100, how, false);
}
/// Of what is not NaN. Source: numpy.nanquantile.
template <detail::expression E>
auto nanquantile(E&& e, const detail::fractions& q, const quantile_options& how = {}) {
  return detail::quantile_of(std::forward<E>(e), q, 1, how, true);
}
template <detail::expression E>
auto nanquantile(E&& e, const detail::fractions& q, std::int64_t axis) {
  return sinter::nanquantile(std::forward<E>(e), q, quantile_options{.axis = axis});
}
template <detail::expression E, detail::expression W>
auto nanquantile(E&& e, const detail::fractions& q, W&& weights, const quantile_options& how = detail::by_weight) {
  return detail::quantile_of(std::forward<E>(e), std::forward<W>(weights), q, 1, how, true);
}
/// The same in percent. Source: numpy.nanpercentile.
template <detail::expression E>
auto nanpercentile(E&& e, const detail::fractions& q, const quantile_options& how = {}) {
  return detail::quantile_of(std::forward<E>(e), q, 100, how, true);
}
template <detail::expression E>
auto nanpercentile(E&& e, const detail::fractions& q, std::int64_t axis) {
  return sinter::nanpercentile(std::forward<E>(e), q, quantile_options{.axis = axis});
}
template <detail::expression E, detail::expression W>
auto nanpercentile(E&& e, const detail::fractions& q, W&& weights, const quantile_options& how = detail::by_weight) {
  return detail::quantile_of(std::forward<E>(e), std::forward<W>(weights), q, 100, how, true);
}

namespace stats {

struct mode_options {
  axes axis = 0;
  sinter::detail::truth keepdims = false;
};
/// The element that is there most often, the smallest of several, and how often: `auto [mode, count] = stats::mode(a);`.
template <element T>
struct mode_result {
  lazy<T> mode;
  lazy<std::int64_t> count;
};

}  // namespace stats

namespace detail {
SINTER_API node_pair make_mode(handle, const stats::mode_options&);
}

namespace stats {

/// Over axes, the first unless said otherwise; all NaN are one. Errors: `shape_error`, also where there is no element. Source:
/// scipy.stats.mode.
template <sinter::detail::expression E>
auto mode(E&& e, const mode_options& how = {}) {
  using T = sinter::detail::element_in<E>;
  const auto two =
      sinter::detail::make_mode(sinter::detail::handle(sinter::detail::take_node(std::forward<E>(e))), how);
  return mode_result<T>{lazy<T>(two.first), lazy<std::int64_t>(two.second)};
}

}  // namespace stats

SINTER_OF_AN_ARRAY(median)
SINTER_OF_AN_ARRAY(percentile)
SINTER_OF_AN_ARRAY(quantile)
SINTER_WITHOUT_TEXT(percentile)
SINTER_WITHOUT_TEXT(quantile)

}  // namespace sinter
