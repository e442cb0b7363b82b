// Peaks of a signal, on the host: each condition leaves out those that do not fit it, and notes what it found of the others.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <vector>

#include <sinter/create.hpp>
#include <sinter/error.hpp>
#include <sinter/filters.hpp>

#include "codegen/ir/node.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"
#include "runtime/library/key_rule.hpp"
#include "runtime/library/vector_sort.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/memory/transfer.hpp"

namespace sinter::detail {

using runtime::as_array_node, runtime::term;
using signal::between, signal::peak_options, signal::peaks;

namespace {

using doubles = std::vector<double>;
using samples = std::span<const double>;
using places = std::vector<std::int64_t>;
using flags = std::vector<std::uint8_t>;  // 1: this one is left

// What is known of the peaks that are left. A list is empty until its condition is looked at.
struct found {
  places at, left_edges, right_edges, left_bases, right_bases;
  doubles sizes, heights, left_thresholds, right_thresholds, prominences, widths, width_heights, left_ips, right_ips;

  template <class V>
  static void keep(V& list, const flags& kept) {
    if (list.empty()) return;
    std::size_t to = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      list[to] = list[i];
      to += kept[i];
    }
    list.resize(to);
  }
  void keep_only(const flags& kept) {
    for (places* list : {&at, &left_edges, &right_edges, &left_bases, &right_bases}) keep(*list, kept);
    for (doubles* list : {&sizes, &heights, &left_thresholds, &right_thresholds, &prominences, &widths, &width_heights,
                          &left_ips, &right_ips})
      keep(*list, kept);
  }
};

double at(samples x, std::int64_t i) { return x[static_cast<std::size_t>(i)]; }
std::int64_t size_of(samples x) { return static_cast<std::int64_t>(x.size()); }

// Those before `last` that are higher than the one before and not lower than the one behind, found without a branch: of a noisy
// signal a processor would guess half of them wrongly.
class rising_samples {
 public:
  explicit rising_samples(samples x) : x_(x) {}

  template <class F>
  void each(F f) {
    const std::int64_t last = size_of(x_) - 1;
    for (std::int64_t from = 1; from < last; from += at_once) {
      std::size_t count = 0;
      for (std::int64_t i = from; i < std::min(last, from + at_once); ++i) {
        some_[count] = i;
        count += (at(x_, i - 1) < at(x_, i)) & (at(x_, i + 1) <= at(x_, i));
      }
      for (std::size_t k = 0; k < count; ++k) f(some_[k]);
    }
  }

 private:
  static constexpr std::int64_t at_once = 1024;
  samples x_;
  std::array<std::int64_t, at_once> some_;
};

// Samples higher than both neighbours; of a run of equal ones the middle.
found local_maxima(samples x, bool with_edges) {
  found all;
  rising_samples(x).each([&](std::int64_t i) {
    std::int64_t ahead = i + 1;
    while (ahead < size_of(x) - 1 && at(x, ahead) == at(x, i)) ++ahead;
    if (!(at(x, ahead) < at(x, i))) return;
    all.at.push_back((i + ahead - 1) / 2);
    if (!with_edges) return;
    all.left_edges.push_back(i);
    all.right_edges.push_back(ahead - 1);
  });
  return all;
}

bool is_in(double value, const between& range) { return range.least <= value && value <= range.largest; }

void keep_in(found& all, const doubles& values, const between& range) {
  flags kept;
  for (double v : values) kept.push_back(is_in(v, range));
  all.keep_only(kept);
}

void by_threshold(found& all, samples x, const between& range) {
  flags kept;
  for (std::int64_t p : all.at) {
    all.left_thresholds.push_back(at(x, p) - at(x, p - 1));
    all.right_thresholds.push_back(at(x, p) - at(x, p + 1));
    const auto [low, high] = std::minmax(all.left_thresholds.back(), all.right_thresholds.back());
    kept.push_back(range.least <= low && high <= range.largest);
  }
  all.keep_only(kept);
}

// The highest go first, and take out those that are too near.
void by_distance(found& all, samples x, double given) {
  const auto distance = static_cast<std::int64_t>(std::ceil(std::min(given, static_cast<double>(x.size()))));
  std::vector<runtime::placed_key> order;
  const runtime::equal_rule<std::uint64_t> rule(dtype::float64, false);
  for (std::size_t k = 0; k < all.at.size(); ++k)
    order.push_back({k, rule.key(std::bit_cast<std::uint64_t>(at(x, all.at[k])))});
  runtime::sort_keys(order.data(), order.size());
  flags kept(all.at.size(), 1);
  for (auto of = order.rbegin(); of != order.rend(); ++of) {
    const std::size_t highest = of->place;
    if (!kept[highest]) continue;
    for (std::size_t k = highest; k-- > 0 && all.at[highest] - all.at[k] < distance;) kept[k] = 0;
    for (std::size_t k = highest + 1; k < kept.size() && all.at[k] - all.at[highest] < distance; ++k) kept[k] = 0;
  }
  all.keep_only(kept);
}

void find_prominences(found& all, samples x, std::int64_t wlen) {
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
void find_widths(found& all, samples x, double rel_height) {
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

found selected(samples x, const peak_options& how) {
  found all = local_maxima(x, how.plateau_size.has_value());
  if (how.plateau_size) {
    for (std::size_t i = 0; i < all.at.size(); ++i)
      all.sizes.push_back(static_cast<double>(all.right_edges[i] - all.left_edges[i] + 1));
    keep_in(all, all.sizes, *how.plateau_size);
  }
  if (how.height) {
    for (std::int64_t p : all.at) all.heights.push_back(at(x, p));
    keep_in(all, all.heights, *how.height);
  }
  if (how.threshold) by_threshold(all, x, *how.threshold);
  if (how.distance) by_distance(all, x, *how.distance);
  if (how.prominence || how.width) find_prominences(all, x, how.wlen);
  if (how.prominence) keep_in(all, all.prominences, *how.prominence);
  if (how.width) {
    find_widths(all, x, how.rel_height);
    keep_in(all, all.widths, *how.width);
  }
  return all;
}

// A signal in the host's memory: where it lies, or a copy of what a GPU has.
class host_samples {
 public:
  explicit host_samples(const array<double>& of)
      : packed_(as_array_node(of.node())->contiguous ? retain(of.node()) : make_copy(of.node())) {
    const array_node& a = *as_array_node(packed_.get());
    if (a.memory->device->asynchronous()) copied_ = of.get();
    else in_place_ = reinterpret_cast<const double*>(runtime::read_in_place(*a.memory, a.data(), where{}));
    size_ = static_cast<std::size_t>(of.size());
  }
  samples all() const { return {in_place_ ? in_place_ : copied_.data(), size_}; }

 private:
  handle packed_;
  doubles copied_;
  const double* in_place_ = nullptr;
  std::size_t size_;
};

}  // namespace

peaks find_peaks(handle given, const peak_options& how) {
  const term x(std::move(given));
  if (x.rank() != 1)
    throw shape_error(message("sinter: find_peaks of an array of shape %s", to_string(x.extents()).c_str()).c_str());
  if (is_complex(x.type())) throw dtype_error("sinter: find_peaks takes real signals");
  if (how.distance && !(*how.distance >= 1)) throw error("sinter: find_peaks with a distance below 1");
  if (how.wlen != -1 && how.wlen < 2) throw error("sinter: find_peaks with a wlen below 2");
  if (how.rel_height < 0) throw error("sinter: find_peaks with a negative rel_height");
  const host_samples read(array<double>(lazy<double>(runtime::astype(x, dtype::float64).take())));
  found all = selected(read.all(), how);
  const places sizes(all.sizes.begin(), all.sizes.end());
  return {asarray(all.at),
          asarray(all.heights),
          asarray(all.left_thresholds),
          asarray(all.right_thresholds),
          asarray(all.prominences),
          asarray(all.left_bases),
          asarray(all.right_bases),
          asarray(all.widths),
          asarray(all.width_heights),
          asarray(all.left_ips),
          asarray(all.right_ips),
          asarray(sizes),
          asarray(all.left_edges),
          asarray(all.right_edges)};
}

}  // namespace sinter::detail
