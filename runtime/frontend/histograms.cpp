#include <sinter/histogram.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

#include <sinter/create.hpp>
#include <sinter/error.hpp>
#include <sinter/eval.hpp>

#include "codegen/function/count.hpp"
#include "codegen/ir/work.hpp"
#include "runtime/device/device.hpp"
#include "runtime/eval.hpp"
#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/frontend/search.hpp"
#include "runtime/frontend/terms.hpp"
#include "runtime/launch/count.hpp"
#include "runtime/launch/scatter.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/operation.hpp"

namespace sinter::detail {

using runtime::apply, runtime::as_array_node, runtime::astype, runtime::choose, runtime::count_before;
using runtime::taken, runtime::term, runtime::typed;

namespace {

using places = lazy<std::int64_t>;

lazy<double> numbers_of(const handle& n) { return lazy<double>(retain(n.get())); }
places places_of(const term& t) { return places(t.take()); }

// The interpreter counts by a scatter, as it does all else by expressions.
bool counts_by_itself(const runtime::device_impl& on) { return on.dialect() != codegen::dialect::none; }
bool counts_by_itself(node* n) { return counts_by_itself(*as_array_node(n)->memory->device); }

// Integers that hold every position and the one behind all, in which these are least to write and to read.
dtype position_type(std::int64_t count) {
  if (count <= std::numeric_limits<std::uint16_t>::max()) return dtype::uint16;
  return count <= std::numeric_limits<std::int32_t>::max() ? dtype::int32 : dtype::int64;
}

// The array that an expression only takes, also where it widens integers.
array_node* array_of(node* n) {
  if (array_node* const a = as_array_node(n)) return a;
  const auto* const e = static_cast<const expression_node*>(runtime::typed(n));
  if (e->kind != node_kind::expression || e->code->nodes != 1 || e->code->length > 2) return nullptr;
  if (e->code->length == 2 && e->code->code[1].code != instruction::cast) return nullptr;
  array_node* const a = as_array_node(e->children[0]);
  return a && (is_integer(a->type) || a->type == e->type) && a->extents == e->extents ? a : nullptr;
}

// The elements as an array without gaps.
handle laid_out(node* n) {
  array_node* const given = array_of(n);
  handle made(given && given->type == typed(n)->type ? retain(given) : evaluate(n, where{}));
  return as_array_node(made.get())->contiguous ? std::move(made) : handle(make_copy(made.get(), where{}));
}

// Adds 1 at each position.
void add_counts(array_node& all, const array_node& at) {
  runtime::stream_state& on = runtime::current_stream(*all.memory->device);
  const runtime::position_counts of{at.type, at.data(), reinterpret_cast<std::int64_t*>(all.data()),
                                    at.extents.elements(), all.extents.elements()};
  runtime::operation op(on);
  op.reads(at.memory);
  op.writes(all.memory);
  runtime::count_positions(of, on);
  op.done();
  op.has_read(at.memory);
  op.has_written(all.memory);
}

// The counts of positions up to `last` in the kernel that computes these, where one does that and has room for them; else null.
handle counted_as_computed(const term& positions, std::int64_t last) {
  const runtime::device_impl* const on = codegen::device_below(typed(positions.get()));
  const int room = codegen::form_of_count(dtype::int32, positions.extent(0), last + 1).few;
  if (!on || on->dialect() != codegen::dialect::cuda || room == 0) return {};
  const term numbers = astype(positions, dtype::int32);
  runtime::request r{typed(numbers.get()), &numbers.extents()};
  return runtime::count(r, room, last + 1) ? handle(r.into) : handle();
}

// How often each position below `count` is there; others go to one place behind, which is dropped.
array<std::int64_t> counted(std::int64_t count, const places& at) {
  const handle asked(at.share());
  array_node* const given = array_of(asked.get());
  const term positions = term::of(given ? given : asked.get());
  const bool is_counted = given ? counts_by_itself(given) : counts_by_itself(runtime::current_device());
  if (!given && at.ndim() == 1)
    if (handle all = counted_as_computed(positions, count)) return array<std::int64_t>(all.take())(slice(0, count));
  if (is_counted && at.size() > 0) {
    const dtype type = given ? given->type : position_type(count);
    const handle made = laid_out(astype(positions, type).get());
    // An expression is computed where its arrays are.
    const device_scope on(device_of(made.get()));
    array<std::int64_t> all = sinter::zeros<std::int64_t>({count});
    if (counts_by_itself(made.get())) {
      if (count > 0) add_counts(*as_array_node(all.node()), *as_array_node(made.get()));
      return all;
    }
  }
  array<std::int64_t> all = sinter::zeros<std::int64_t>({count + 1});
  scatter_add(all, at, places(full(at.shape(), std::int64_t(1))));
  return all(slice(0, count));
}

// The sums of their weights. A host is not asked to look at positions once more, as a kernel that computes them would.
array<double> summed(std::int64_t count, const places& at, const handle& weights) {
  const handle asked(at.share());
  const runtime::device_impl* const below = codegen::device_below(typed(asked.get()));
  if (runtime::scatters_runs(below ? *below : runtime::current_device())) {
    const handle made = laid_out(asked.get()), values = laid_out(weights.get());
    if (device_of(made.get()) == device_of(values.get())) {
      const device_scope on(device_of(made.get()));
      array<double> all = sinter::zeros({count + 1});
      scatter(*as_array_node(all.node()), *as_array_node(made.get()), *as_array_node(values.get()), 1, {true});
      return all(slice(0, count));
    }
  }
  array<double> all = sinter::zeros({count + 1});
  scatter_add(all, at, numbers_of(weights));
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
  constexpr std::int64_t most_counted = std::int64_t{1} << 60;
  if (minlength < 0 || minlength > most_counted)
    throw error("sinter: bincount takes a minlength no less than 0, of which there can be as many elements");
  flatten(of, weights, "bincount");
  const places x(std::move(of).take());
  std::int64_t count = minlength;
  if (x.size() > 0) {
    const auto [low, high] = sinter::eval(sinter::min(x), sinter::max(x));
    if (low.item() < 0) throw error("sinter: bincount of a number below 0");
    if (high.item() >= most_counted)
      throw error(
          message("sinter: bincount of %lld: no array has so many elements", static_cast<long long>(high.item()))
              .c_str());
    count = std::max(count, high.item() + 1);
  }
  return weights ? summed(count, x, weights).release_node() : counted(count, x).release_node();
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

// Edges, and whether they are so far apart and so evenly that a division tells a number's bin, or the one beside it.
struct bin_edges {
  array<double> all;
  bool are_even = false;
  histogram_range between = {};
};

// Edges are rounded where numbers of the range's ends are: far less than a bin has to be between them.
bool can_divide(const histogram_range& r, std::int64_t bins) {
  constexpr double least = 0x1p-40;
  const double width = (r.high - r.low) / static_cast<double>(bins);
  return std::isfinite(width) && width > least * std::max(std::abs(r.low), std::abs(r.high)) &&
         width >= std::numeric_limits<double>::min() / least && bins < std::numeric_limits<std::int32_t>::max();
}

constexpr double near = 0x1p-8;  // an edge; units: widths of bins

// Of edges that a program gives: those of linspace are even.
bin_edges as_given(array<double> edges) {
  if (edges.ndim() != 1 || edges.size() < 2)
    throw error("sinter: the edges of bins have one axis, and at least two elements");
  const std::vector<double> all = edges.get();
  for (std::size_t i = 1; i < all.size(); ++i)
    if (!(all[i] >= all[i - 1])) throw error("sinter: edges of bins that fall");
  const histogram_range r{all.front(), all.back()};
  const auto bins = static_cast<std::int64_t>(all.size() - 1);
  const double width = (r.high - r.low) / static_cast<double>(bins);
  bool are_even = can_divide(r, bins);
  for (std::size_t i = 0; i < all.size() && are_even; ++i)
    are_even = std::abs(all[i] - (r.low + static_cast<double>(i) * width)) < near / 8 * width;
  return {std::move(edges), are_even, r};
}

bin_edges edges_of(const lazy<double>& x, const histogram_bins& bins, const histogram_range& range) {
  if (!bins.is_number()) return as_given(numbers_of(bins.edges()));
  if (bins.count() < 1) throw error("sinter: a histogram of no bins");
  const histogram_range r = range_of(x, range);
  return {linspace(r.low, r.high, bins.count() + 1), can_divide(r, bins.count()), r};
}

// Numbers of at most 32 bits that an expression only widens; of others, the node itself.
term not_widened(const term& x) {
  const auto* const e = static_cast<const expression_node*>(runtime::typed(x.get()));
  if (e->kind != node_kind::expression || e->code->nodes != 1 || e->code->length != 2) return x;
  const auto* const from = static_cast<const typed_node*>(e->children[0]);
  const bool is_float = from->type == dtype::float32 || is_short_floating(from->type);
  return is_float && from->extents == e->extents ? astype(term::of(e->children[0]), dtype::float32) : x;
}

// Are numbers of bins right within an eighth of that where they are computed in float? Four roundings, of numbers as large as the edges
// and the number of bins.
bool is_right_in_float(const bin_edges& edges) {
  constexpr double rounding = 0x1p-24;
  const histogram_range& r = edges.between;
  const auto count = static_cast<double>(edges.all.size() - 1);
  const double largest = std::max(std::abs(r.low), std::abs(r.high)), width = (r.high - r.low) / count;
  return 4 * rounding * (count + largest / width) < near / 8 && width > 0x1p-100 && largest < 0x1p100;
}

// The last of even edges that is no greater than x, which lies between the first and below the last: by a division and, near an edge, by
// the edge itself, as NumPy does. Others are not read: how far an edge may be from its place was asked before, and is far less.
term even_edge_before(const term& x, const bin_edges& edges) {
  const histogram_range& r = edges.between;
  const term quotient = (x - r.low) * (static_cast<double>(edges.all.size() - 1) / (r.high - r.low));
  const term nearest = apply(op::rint, {quotient}), number = astype(nearest, dtype::int32);
  const term is_near = apply(op::absolute, {quotient - nearest}) < near;
  runtime::view_maker edge(edges.all.node(), number.extents());
  edge.compute(0, number.held(), false);
  edge.guard(is_near.held());
  const term after = choose(x >= term::made(edge.made()), number, number - 1);
  return choose(is_near, after, astype(quotient, dtype::int32));
}

// Which bin each element lies in; outside all, `outside`.
term bins_of(const term& x, const bin_edges& edges, std::int64_t outside) {
  const term e = term::of(edges.all.node());
  const std::int64_t last = edges.all.size() - 1;
  const term high = e.at(0, last), is_inside = (x >= e.at(0, 0)) & (x <= high);
  const term number = edges.are_even && is_right_in_float(edges) ? not_widened(x) : x;
  const term before = edges.are_even
                          ? astype(even_edge_before(choose(is_inside, number, edges.between.low), edges), dtype::int64)
                          : count_before(e, x, true) - 1;
  return choose(is_inside, choose(x == high, last - 1, before), outside);
}

node* counts_or_density(const array<double>& counts, const array<double>& edges, bool density) {
  if (!density) return array<double>(counts).release_node();
  const std::int64_t last = edges.size() - 1;
  const auto widths = edges(slice(1, _)) - edges(slice(0, last));
  return array<double>(counts / widths / sinter::sum(counts)).release_node();
}

}  // namespace

node* make_bin_edges(handle of, const histogram_bins& bins, const histogram_range& range) try {
  return edges_of(numbers_of(of), bins, range).all.release_node();
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

histogram_parts make_histogram(handle of, handle weights, const histogram_bins& bins, dtype type,
                               const histogram_options& how) try {
  if (how.density && !is_floating(type)) throw dtype_error("sinter: a density is floating: histogram<double>(a)");
  flatten(of, weights, "histogram");
  const lazy<double> x = numbers_of(of);
  bin_edges edges = edges_of(x, bins, how.range);
  const std::int64_t count = edges.all.size() - 1;
  const places at = places_of(bins_of(term(std::move(of)), edges, count));
  handle counts;
  if (weights) {
    counts = handle(counts_or_density(summed(count, at, weights), edges.all, how.density));
  } else {
    const array<std::int64_t> whole = counted(count, at);
    counts = handle(type == dtype::int64
                        ? array<std::int64_t>(whole).release_node()
                        : counts_or_density(array<double>(sinter::astype<double>(whole)), edges.all, how.density));
  }
  if (type != dtype::int64 && type != dtype::float64)
    counts = handle(evaluate(handle(astype(term(std::move(counts)), type).take()).get(), where{}));
  return {counts.take(), edges.all.release_node()};
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
  grid.set_size(static_cast<int>(std::min<std::size_t>(variables, std::numeric_limits<int>::max())));
  term at = 0, is_outside = false;
  std::vector<bin_edges> all;
  for (std::size_t v = 0; v < variables; ++v) {
    const lazy<double> x(sample(_, static_cast<std::int64_t>(v)));
    all.push_back(edges_of(x, bins[bin_count == 1 ? 0 : v],
                           range_count == 0 ? histogram_range() : ranges[range_count == 1 ? 0 : v]));
    const std::int64_t count = all.back().all.size() - 1;
    grid[static_cast<int>(v)] = count;
    const term bin = bins_of(term::of(handle(x.share()).get()), all.back(), -1);
    is_outside = v == 0 ? bin < 0 : is_outside | (bin < 0);
    at = v == 0 ? bin : at * count + bin;
  }
  grid.check();
  const std::int64_t cells = grid.elements();
  lazy<double> counts(sinter::astype<double>(counted(cells, places_of(choose(is_outside, cells, at))).reshape(grid)));
  if (density) {
    counts = lazy<double>(counts / sinter::sum(counts));
    for (std::size_t v = 0; v < variables; ++v) {
      term widths = term::of(handle(lazy<double>(all[v].all(slice(1, _)) - all[v].all(slice(0, -1))).share()).get());
      for (std::size_t d = v + 1; d < variables; ++d) widths = widths.with_axis(widths.rank());
      counts = lazy<double>((term::of(handle(counts.share()).get()) / widths).take());
    }
  }
  for (bin_edges& e : all) edges.push_back(handle(e.all.release_node()));
  return array<double>(counts).release_node();
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace sinter::detail
