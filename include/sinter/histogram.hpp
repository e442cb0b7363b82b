// Counts of numbers and of bins. How many there are, or where bins lie, may depend on values, so these evaluate; sums do not depend
// on the order in which a GPU comes to the elements. Not in sinter.hpp.
#pragma once

#include <utility>
#include <vector>

#include <sinter/join.hpp>

namespace sinter {

/// Bins: a number of equal ones, or their edges, which rise: `10`, `{0.0, 2.0, 7.0}`, an array.
class histogram_bins {
 public:
  template <class Int>
    requires std::is_integral_v<Int> histogram_bins(Int count) : count_(detail::integer(count)) {}
    histogram_bins(std::initializer_list<double> edges)
        : edges_(detail::make_from_host(dtype::float64, shape(edges.size()), edges.begin())) {}
    template <detail::expression E>
    histogram_bins(E&& edges) : edges_(detail::take_node(astype<double>(std::forward<E>(edges)))) {}
    bool is_number() const { return !edges_; }
    std::int64_t count() const { return count_; }
    const detail::handle& edges() const { return edges_; }

   private:
    std::int64_t count_ = 0;
    detail::handle edges_;
};

/// From where to where equal bins lie; else from the smallest to the largest element.
struct histogram_range {
  histogram_range() = default;
  histogram_range(double first, double last) : low(first), high(last), is_given(true) {}
  double low = 0, high = 0;
  bool is_given = false;
};

/// How to count: `histogram<double>(a, 20, {.range = {0, 1}, .density = true})`.
struct histogram_options {
  histogram_range range{};
  bool density = false;  ///< over the number of elements and the bin's width; of floating results
};

namespace detail {

SINTER_API node* make_bincount(handle numbers, handle weights,
                               std::int64_t minlength);  // weights: null where there are none
struct histogram_parts {
  node *counts, *edges;
};
SINTER_API histogram_parts make_histogram(handle of, handle weights, const histogram_bins&, dtype,
                                          const histogram_options&);
SINTER_API node* make_bin_edges(handle of, const histogram_bins&, const histogram_range&);
SINTER_API node* make_histogramdd(handle sample, const histogram_bins*, std::size_t bins, const histogram_range*,
                                  std::size_t ranges, bool density, std::vector<handle>& edges);

}  // namespace detail

/// How to count: `bincount(k, {.minlength = 256})`.
struct bincount_options {
  std::int64_t minlength = 0;  ///< numbers that are counted at least
};
/// How often each number from 0 on is there. Shapes: one axis, of one more than the largest number, or `minlength`. Dtypes: int64.
/// Errors: `error` for a number below 0. Stream behaviour: waits for the largest. Source: numpy.bincount.
template <detail::index_or_mask X>
array<std::int64_t> bincount(X&& x, const bincount_options& how = {}) {
  return array<std::int64_t>(detail::make_bincount(
      detail::handle(detail::take_node(astype<std::int64_t>(std::forward<X>(x)))), {}, how.minlength));
}
template <detail::index_or_mask X>
array<std::int64_t> bincount(X&& x, detail::integer minlength) {
  return sinter::bincount(std::forward<X>(x), bincount_options{minlength});
}
/// The sums of their weights. Dtypes: double.
template <detail::index_or_mask X, detail::expression W>
array<double> bincount(X&& x, W&& weights, const bincount_options& how = {}) {
  detail::handle of(detail::take_node(astype<std::int64_t>(std::forward<X>(x))));
  detail::handle by(detail::take_node(astype<double>(std::forward<W>(weights))));
  return array<double>(detail::make_bincount(std::move(of), std::move(by), how.minlength));
}
template <detail::index_or_mask X, detail::expression W>
array<double> bincount(X&& x, W&& weights, detail::integer minlength) {
  return sinter::bincount(std::forward<X>(x), std::forward<W>(weights), bincount_options{minlength});
}

/// The edges of bins. Dtypes: double. Errors: `error` for edges that fall, no bins, or a range that is not finite. Stream
/// behaviour: waits for the smallest and the largest element, unless a range is given. Source: numpy.histogram_bin_edges, without
/// rules that choose a number.
template <detail::expression E>
array<double> histogram_bin_edges(E&& e, const histogram_bins& bins = 10, const histogram_range& range = {}) {
  detail::handle of(detail::take_node(astype<double>(std::forward<E>(e))));
  return array<double>(detail::make_bin_edges(std::move(of), bins, range));
}
/// What histogram gives.
template <class R>
struct histogram_result {
  array<R> counts;
  array<double> edges;
};
/// How many elements lie in each bin, and the edges: `auto [counts, edges] = histogram(a, 10);`. The last bin has both its edges;
/// what lies outside, and NaN, does not count. Dtypes: int64, or as chosen: `histogram<double>`; elements are compared as doubles.
/// Errors: as histogram_bin_edges; `dtype_error` for a density that is not floating. Source: numpy.histogram.
template <element R = std::int64_t, detail::expression E>
histogram_result<R> histogram(E&& e, const histogram_bins& bins = 10, const histogram_options& how = {}) {
  detail::handle of(detail::take_node(astype<double>(std::forward<E>(e))));
  const auto parts = detail::make_histogram(std::move(of), {}, bins, dtype_of<R>, how);
  return {array<R>(parts.counts), array<double>(parts.edges)};
}
template <element R = std::int64_t, detail::expression E>
histogram_result<R> histogram(E&& e, const histogram_bins& bins, const histogram_range& range) {
  return histogram<R>(std::forward<E>(e), bins, histogram_options{.range = range});
}
/// The sums of their weights. Dtypes: double.
template <detail::expression E, detail::expression W>
histogram_result<double> histogram(E&& e, W&& weights, const histogram_bins& bins, const histogram_options& how = {}) {
  detail::handle of(detail::take_node(astype<double>(std::forward<E>(e))));
  detail::handle by(detail::take_node(astype<double>(std::forward<W>(weights))));
  const auto parts = detail::make_histogram(std::move(of), std::move(by), bins, dtype::float64, how);
  return {array<double>(parts.counts), array<double>(parts.edges)};
}

/// Counts over bins of several variables, and the edges of each.
struct histogram_grid {
  array<double> counts;
  std::vector<array<double>> edges;
};
/// Of a sample, a row for each observation and a column for each variable. Bins: one for all variables, or one for each; so for
/// ranges. Source: numpy.histogramdd, without weights.
template <detail::expression S>
histogram_grid histogramdd(S&& sample, const std::vector<histogram_bins>& bins = {10},
                           const std::vector<histogram_range>& ranges = {}, bool density = false) {
  detail::handle of(detail::take_node(astype<double>(std::forward<S>(sample))));
  std::vector<detail::handle> edges;
  histogram_grid all{array<double>(detail::make_histogramdd(std::move(of), bins.data(), bins.size(), ranges.data(),
                                                            ranges.size(), density, edges)),
                     {}};
  for (detail::handle& e : edges) all.edges.push_back(array<double>(e.take()));
  return all;
}
/// With so many bins for each variable: `histogramdd(sample, 20)`.
template <detail::expression S, std::integral Bins>
histogram_grid histogramdd(S&& sample, Bins bins, const std::vector<histogram_range>& ranges = {},
                           bool density = false) {
  return histogramdd(std::forward<S>(sample), std::vector<histogram_bins>{bins}, ranges, density);
}
/// Of two variables. Source: numpy.histogram2d.
template <detail::expression X, detail::expression Y>
histogram_grid histogram2d(X&& x, Y&& y, const std::vector<histogram_bins>& bins = {10},
                           const std::vector<histogram_range>& ranges = {}, bool density = false) {
  const lazy<double> columns[] = {lazy<double>(detail::take_node(astype<double>(std::forward<X>(x)))),
                                  lazy<double>(detail::take_node(astype<double>(std::forward<Y>(y))))};
  return histogramdd(stack(tuple(columns[0], columns[1]), 1), bins, ranges, density);
}
/// With so many bins for each: `histogram2d(x, y, 20)`.
template <detail::expression X, detail::expression Y, std::integral Bins>
histogram_grid histogram2d(X&& x, Y&& y, Bins bins, const std::vector<histogram_range>& ranges = {},
                           bool density = false) {
  return histogram2d(std::forward<X>(x), std::forward<Y>(y), std::vector<histogram_bins>{bins}, ranges, density);
}

SINTER_OF_AN_ARRAY(bincount)
SINTER_OF_AN_ARRAY(histogram)

}  // namespace sinter
