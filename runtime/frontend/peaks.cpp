// Peaks of a signal, on the host: each condition leaves out those that do not fit it, and notes what it found of the others.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <sinter/error.hpp>
#include <sinter/filters.hpp>

#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::detail {

using runtime::term;
using signal::between, signal::peak_options, signal::peaks;

namespace {

using doubles = std::vector<double>;
using places = std::vector<std::int64_t>;

// What is known of the peaks that are left. A list is empty until its condition is looked at.
struct found {
  places at, left_edges, right_edges, left_bases, right_bases;
  doubles sizes, heights, left_thresholds, right_thresholds, prominences, widths, width_heights, left_ips, right_ips;

  template <class V>
  static void keep(V& list, const std::vector<bool>& kept) {
    if (list.empty()) return;
    std::size_t to = 0;
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (kept[i]) list[to++] = list[i];
    list.resize(to);
  }
  void keep_only(const std::vector<bool>& kept) {
    for (places* list : {&at, &left_edges, &right_edges, &left_bases, &right_bases}) keep(*list, kept);
    for (doubles* list : {&sizes, &heights, &left_thresholds, &right_thresholds, &prominences, &widths, &width_heights,
                          &left_ips, &right_ips})
      keep(*list, kept);
  }
};

double at(const doubles& x, std::int64_t i) { return x[static_cast<std::size_t>(i)]; }
std::int64_t size_of(const doubles& x) { return static_cast<std::int64_t>(x.size()); }

// Samples higher than both neighbours; of a run of equal ones the middle.
found local_maxima(const doubles& x) {
  found all;
  const std::int64_t last = size_of(x) - 1;
  for (std::int64_t i = 1; i < last; ++i) {
    if (!(at(x, i - 1) < at(x, i))) continue;
    std::int64_t ahead = i + 1;
    while (ahead < last && at(x, ahead) == at(x, i)) ++ahead;
    if (!(at(x, ahead) < at(x, i))) continue;
    all.at.push_back((i + ahead - 1) / 2);
    all.left_edges.push_back(i);
    all.right_edges.push_back(ahead - 1);
    i = ahead;
  }
  return all;
}

bool is_in(double value, const between& range) { return range.least <= value && value <= range.largest; }

void keep_in(found& all, const doubles& values, const between& range) {
  std::vector<bool> kept;
  for (double v : values) kept.push_back(is_in(v, range));
  all.keep_only(kept);
}

void by_threshold(found& all, const doubles& x, const between& range) {
  std::vector<bool> kept;
  for (std::int64_t p : all.at) {
    all.left_thresholds.push_back(at(x, p) - at(x, p - 1));
    all.right_thresholds.push_back(at(x, p) - at(x, p + 1));
    const auto [low, high] = std::minmax(all.left_thresholds.back(), all.right_thresholds.back());
    kept.push_back(range.least <= low && high <= range.largest);
  }
  all.keep_only(kept);
}

// The highest go first, and take out those that are too near.
void by_distance(found& all, const doubles& x, double given) {
  const auto distance = static_cast<std::int64_t>(std::ceil(given));
  std::vector<std::size_t> order(all.at.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return at(x, all.at[i]) < at(x, all.at[j]); });
  std::vector<bool> kept(all.at.size(), true);
  for (auto of = order.rbegin(); of != order.rend(); ++of) {
    if (!kept[*of]) continue;
    for (std::size_t k = *of; k-- > 0 && all.at[*of] - all.at[k] < distance;) kept[k] = false;
    for (std::size_t k = *of + 1; k < kept.size() && all.at[k] - all.at[*of] < distance; ++k) kept[k] = false;
  }
  all.keep_only(kept);
}

void find_prominences(found& all, const doubles& x, std::int64_t wlen) {
  for (std::int64_t p : all.at) {
    const std::int64_t half = wlen < 2 ? size_of(x) : (wlen | 1) / 2;
    const std::int64_t first = std::max<std::int64_t>(p - half, 0), last = std::min(p + half, size_of(x) - 1);
    const auto lowest = [&](std::int64_t step, std::int64_t& base) {
      double low = at(x, p);
      base = p;
      for (std::int64_t i = p; first <= i && i <= last && at(x, i) <= at(x, p); i += step)
        if (at(x, i) < low) low = at(x, base = i);
      return low;
    };
    std::int64_t left, right;
    const double low = lowest(-1, left), other = lowest(1, right);
    all.prominences.push_back(at(x, p) - std::max(low, other));
    all.left_bases.push_back(left);
    all.right_bases.push_back(right);
  }
}

// Between samples the signal is a line.
void find_widths(found& all, const doubles& x, double rel_height) {
  for (std::size_t k = 0; k < all.at.size(); ++k) {
    const std::int64_t p = all.at[k];
    const double height = at(x, p) - all.prominences[k] * rel_height;
    const auto crossing = [&](std::int64_t step, std::int64_t base) {
      std::int64_t i = p;
      while (i != base && height < at(x, i)) i += step;
      const double there = at(x, i);
      if (!(there < height)) return static_cast<double>(i);
      return static_cast<double>(i) - static_cast<double>(step) * (height - there) / (at(x, i - step) - there);
    };
    const double left = crossing(-1, all.left_bases[k]), right = crossing(1, all.right_bases[k]);
    all.widths.push_back(right - left);
    all.width_heights.push_back(height);
    all.left_ips.push_back(left);
    all.right_ips.push_back(right);
  }
}

found selected(const doubles& x, const peak_options& how) {
  found all = local_maxima(x);
  if (how.plateau_size) {
    for (std::size_t i = 0; i < all.at.size(); ++i)
      all.sizes.push_back(static_cast<double>(all.right_edges[i] - all.left_edges[i] + 1));
    keep_in(all, doubles(all.sizes), *how.plateau_size);
  }
  if (how.height) {
    for (std::int64_t p : all.at) all.heights.push_back(at(x, p));
    keep_in(all, doubles(all.heights), *how.height);
  }
  if (how.threshold) by_threshold(all, x, *how.threshold);
  if (how.distance) by_distance(all, x, *how.distance);
  if (how.prominence || how.width) find_prominences(all, x, how.wlen);
  if (how.prominence) keep_in(all, doubles(all.prominences), *how.prominence);
  if (how.width) {
    find_widths(all, x, how.rel_height);
    keep_in(all, doubles(all.widths), *how.width);
  }
  return all;
}

template <class T>
array<T> on_device(const std::vector<T>& list) {
  return array<T>(
      handle(make_from_host(dtype_of<T>, shape{static_cast<std::int64_t>(list.size())}, list.data())).take());
}

}  // namespace

peaks find_peaks(handle given, const peak_options& how) {
  const term x(std::move(given));
  if (x.rank() != 1)
    throw shape_error(message("sinter: find_peaks of an array of shape %s", to_string(x.extents()).c_str()).c_str());
  if (is_complex(x.type())) throw dtype_error("sinter: find_peaks takes real signals");
  if (how.distance && !(*how.distance >= 1)) throw error("sinter: find_peaks with a distance below 1");
  const doubles samples = array<double>(lazy<double>(runtime::astype(x, dtype::float64).take())).get();
  found all = selected(samples, how);
  const places sizes(all.sizes.begin(), all.sizes.end());
  if (!how.plateau_size) all.left_edges.clear(), all.right_edges.clear();
  return {on_device(all.at),
          on_device(all.heights),
          on_device(all.left_thresholds),
          on_device(all.right_thresholds),
          on_device(all.prominences),
          on_device(all.left_bases),
          on_device(all.right_bases),
          on_device(all.widths),
          on_device(all.width_heights),
          on_device(all.left_ips),
          on_device(all.right_ips),
          on_device(sizes),
          on_device(all.left_edges),
          on_device(all.right_edges)};
}

}  // namespace sinter::detail
