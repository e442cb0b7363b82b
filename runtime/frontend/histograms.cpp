#include <sinter/histogram.hpp>

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include <sinter/create.hpp>
#include <sinter/error.hpp>
#include <sinter/eval.hpp>

#include "runtime/frontend/message.hpp"
#include "runtime/frontend/search.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::detail {

using runtime::astype, runtime::choose, runtime::count_before, runtime::term;

namespace {

using places = lazy<std::int64_t>;

lazy<double> numbers_of(const handle& n) { return lazy<double>(retain(n.get())); }
places places_of(const term& t) { return places(t.take()); }

// Adds 1, or weights, at places below `count`; others go to one place behind, which is dropped.
template <class T>
array<T> counted(std::int64_t count, const places& at, const handle& weights) {
  array<T> all = sinter::zeros<T>({count + 1});
  if (weights) scatter_add(all, at, sinter::astype<T>(numbers_of(weights)));
  else scatter_add(all, at, lazy<T>(full(at.shape(), T(1))));
  return all(slice(0, count));
}

// The elements and their weights in one axis of one length.
void flatten(handle& of, handle& weights, const char* what) {
  if (weights && !(shape_of(of.get()) == shape_of(weights.get())))
    throw shape_error(message("sinter: %s of shape %s by weights of shape %s", what,
                              to_string(shape_of(of.get())).c_str(), to_string(shape_of(weights.get())).c_str())
                          .c_str());
  of = handle(term(std::move(of)).flat().take());
  if (weights) weights = handle(term(std::move(weights)).flat().take());
}

}  // namespace

node* make_bincount(handle of, handle weights, std::int64_t minlength) try {
  if (shape_of(of.get()).size() != 1) throw shape_error("sinter: bincount of numbers that have one axis");
  if (minlength < 0) throw error("sinter: bincount takes a minlength no less than 0");
  flatten(of, weights, "bincount");
  const places x(std::move(of).take());
  std::int64_t count = minlength;
  if (x.size() > 0) {
    const auto [low, high] = sinter::eval(sinter::min(x), sinter::max(x));
    if (low.item() < 0) throw error("sinter: bincount of a number below 0");
    count = std::max(count, high.item() + 1);
  }
  if (weights) return counted<double>(count, x, weights).release_node();
  return counted<std::int64_t>(count, x, weights).release_node();
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

namespace {

histogram_range range_of(const lazy<double>& x, const histogram_range& given) {
  histogram_range r = given;
  if (!given.is_given) {
    r = {0, 1};
    if (x.size() > 0) {
      const auto [low, high] = sinter::eval(sinter::min(x), sinter::max(x));
      r = {low.item(), high.item()};
    }
  }
  if (!std::isfinite(r.low) || !std::isfinite(r.high) || r.low > r.high)
    throw error(message("sinter: a histogram from %g to %g", r.low, r.high).c_str());
  if (r.low == r.high) r = {r.low - 0.5, r.high + 0.5};
  return r;
}

array<double> edges_of(const lazy<double>& x, const histogram_bins& bins, const histogram_range& range) {
  if (!bins.is_number()) {
    array<double> edges = numbers_of(bins.edges());
    if (edges.ndim() != 1 || edges.size() < 2)
      throw error("sinter: the edges of bins have one axis, and at least two elements");
    const std::int64_t last = edges.size() - 1;
    if (!sinter::all(edges(slice(1, _)) >= edges(slice(0, last))).item())
      throw error("sinter: edges of bins that fall");
    return edges;
  }
  if (bins.count() < 1) throw error("sinter: a histogram of no bins");
  const histogram_range r = range_of(x, range);
  return linspace(r.low, r.high, bins.count() + 1);
}

// Which bin each element lies in; outside all, `outside`.
term bins_of(const term& x, const array<double>& edges, std::int64_t outside) {
  const term e = term::of(edges.node());
  const std::int64_t last = edges.size() - 1;
  const term before = count_before(e, x, true) - 1, high = e.at(0, last);
  const term bin = choose(x == high, last - 1, before);
  return choose((x >= e.at(0, 0)) & (x <= high), bin, outside);
}

template <class T>
node* counts_or_density(const array<T>& counts, const array<double>& edges, bool density) {
  if (!density) return array<T>(counts).release_node();
  const std::int64_t last = edges.size() - 1;
  const auto widths = edges(slice(1, _)) - edges(slice(0, last));
  const lazy<double> wide(sinter::astype<double>(counts));
  return array<double>(wide / widths / sinter::sum(wide)).release_node();
}

}  // namespace

node* make_bin_edges(handle of, const histogram_bins& bins, const histogram_range& range) try {
  return edges_of(numbers_of(of), bins, range).release_node();
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

histogram_parts make_histogram(handle of, handle weights, const histogram_bins& bins, dtype type,
                               const histogram_options& how) try {
  if (how.density && !is_floating(type)) throw dtype_error("sinter: a density is floating: histogram<double>(a)");
  flatten(of, weights, "histogram");
  const lazy<double> x = numbers_of(of);
  array<double> edges = edges_of(x, bins, how.range);
  const std::int64_t count = edges.size() - 1;
  const places at = places_of(bins_of(term(std::move(of)), edges, count));
  handle counts(type == dtype::int64 ? counts_or_density(counted<std::int64_t>(count, at, weights), edges, false)
                                     : counts_or_density(counted<double>(count, at, weights), edges, how.density));
  if (type != dtype::int64 && type != dtype::float64)
    counts = handle(evaluate(handle(astype(term(std::move(counts)), type).take()).get(), where{}));
  return {counts.take(), edges.release_node()};
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

node* make_histogramdd(handle given, const histogram_bins* bins, std::size_t bin_count, const histogram_range* ranges,
                       std::size_t range_count, bool density, std::vector<handle>& edges) try {
  const array<double> sample = numbers_of(given);
  const shape s = sample.shape();
  const auto variables = static_cast<std::size_t>(s.size() == 2 ? s[1] : 0);
  if (variables == 0 || (bin_count != 1 && bin_count != variables) || (range_count > 1 && range_count != variables))
    throw shape_error(message("sinter: a histogram of %zu bins and %zu ranges of a sample of shape %s", bin_count,
                              range_count, to_string(s).c_str())
                          .c_str());
  shape grid;
  grid.set_size(static_cast<int>(variables));
  term at = 0, is_outside = false;
  std::vector<array<double>> all;
  for (std::size_t v = 0; v < variables; ++v) {
    const lazy<double> x(sample(_, static_cast<std::int64_t>(v)));
    all.push_back(edges_of(x, bins[bin_count == 1 ? 0 : v],
                           range_count == 0 ? histogram_range() : ranges[range_count == 1 ? 0 : v]));
    const std::int64_t count = all.back().size() - 1;
    grid[static_cast<int>(v)] = count;
    const term bin = bins_of(term::of(handle(x.share()).get()), all.back(), -1);
    is_outside = v == 0 ? bin < 0 : is_outside | (bin < 0);
    at = v == 0 ? bin : at * count + bin;
  }
  grid.check();
  const std::int64_t cells = grid.elements();
  lazy<double> counts(counted<double>(cells, places_of(choose(is_outside, cells, at)), {}).reshape(grid));
  if (density) {
    counts = lazy<double>(counts / sinter::sum(counts));
    for (std::size_t v = 0; v < variables; ++v) {
      term widths = term::of(handle(lazy<double>(all[v](slice(1, _)) - all[v](slice(0, -1))).share()).get());
      for (std::size_t d = v + 1; d < variables; ++d) widths = widths.with_axis(widths.rank());
      counts = lazy<double>((term::of(handle(counts.share()).get()) / widths).take());
    }
  }
  for (array<double>& e : all) edges.push_back(handle(e.release_node()));
  return array<double>(counts).release_node();
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace sinter::detail
