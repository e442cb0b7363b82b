// Grids of coordinates and windows.
#include <sinter/grids.hpp>

#include <algorithm>
#include <cmath>
#include <new>
#include <numbers>

#include <sinter/error.hpp>
#include <sinter/functions.hpp>
#include <sinter/special.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::choose, runtime::term, runtime::typed;

node* make_mesh(node* n, int axis, int axes, const shape& whole, bool sparse) {
  std::int64_t extents[max_rank];
  std::fill_n(extents, axes, 1);
  extents[axis] = typed(n)->extents.elements();
  const handle open(make_reshape(n, extents, axes));
  return sparse ? retain(open.get()) : make_broadcast(open.get(), whole);
}

node* make_progression(std::int64_t count, std::int64_t first, std::int64_t step) {
  const lazy<std::int64_t> i(make_iota(shape{count}, 0));
  return lazy<std::int64_t>(i * step + first).release_node();
}

node* make_diagonal_mask(std::int64_t rows, std::int64_t columns, std::int64_t k) {
  const shape s{rows, columns};
  const lazy<std::int64_t> row(make_iota(s, 0)), column(make_iota(s, 1));
  return lazy<bool>(column - row == k).release_node();
}

node* make_slice_range(const index_item& s) {
  if (!s.has_stop) throw shape_error("sinter: a slice of a grid has an end: mgrid(slice(0, 3), slice(5))");
  const std::int64_t start = s.has_start ? s.start : 0;
  return make_progression(arange_length(start, s.stop, s.step), start, s.step);
}

node* make_point_range(double start, double stop, std::int64_t count) {
  const lazy<std::int64_t> i(make_iota(shape{count}, 0));
  const double step = count > 1 ? (stop - start) / static_cast<double>(count - 1) : 0;
  return lazy<double>(fma(i, step, -0.0) + start).release_node();
}

std::vector<handle> make_indices(const shape& s) try {
  std::vector<handle> along;
  for (int d = 0; d < s.size(); ++d) along.push_back(handle(make_iota(s, d)));
  return along;
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

node* make_linspace(node* start, node* stop, std::int64_t count, const spaced_options& how) {
  const dtype t = typed(start)->type;
  const shape ends[] = {typed(start)->extents, typed(stop)->extents}, s = broadcast_of(ends, 2);
  const int rank = s.size() + 1, axis = runtime::checked_axis(how.axis, rank, "linspace");
  const term low = term::of(start).broadcast_to(s).with_axis(axis),
             high = term::of(stop).broadcast_to(s).with_axis(axis);
  shape along;
  along.set_size(rank);
  for (int d = 0; d < rank; ++d) along[d] = d == axis ? count : 1;
  const term place = term::made(make_iota(along, axis)), i = astype(place, t);
  // A device that has a multiplication and an addition in one would join a bare product to what is added.
  const auto product = [&](const term& a, const term& b) {
    return is_floating(t) ? apply(op::fma, {a, b, -0.0}) : a * b;
  };
  const term divisor = static_cast<double>(std::max<std::int64_t>(how.endpoint ? count - 1 : count, 1));
  const term distance = high - low, step = distance / divisor;
  // A distance so small that its steps are nothing is multiplied first.
  const term values = choose(step == 0, product(i / divisor, distance), product(i, step)) + low;
  if (!how.endpoint || count < 2) return values.take();
  // The last value is the stop itself, not the start plus a rounded multiple of the step.
  return choose(place == count - 1, high, values).take();
}

}  // namespace sinter::detail

namespace sinter {

namespace {

// 1 - count, 3 - count, ... count - 1: as far from the middle on both sides.
lazy<double> from_middle(std::int64_t count) {
  return lazy<double>(astype<double>(
      lazy<std::int64_t>(detail::make_iota(shape{std::max<std::int64_t>(count, 0)}, 0)) * 2 - (count - 1)));
}

// NumPy rounds the angle, the cosine's product and each sum.
lazy<double> cosine(std::int64_t count, double times, double weight) {
  const auto last = static_cast<double>(std::max<std::int64_t>(count - 1, 1));
  return lazy<double>(fma(cos(from_middle(count) * (std::numbers::pi * times) / last), weight, -0.0));
}

}  // namespace

array<double> geomspace(double start, double stop, detail::integer count, spaced_options how) {
  if (start == 0 || stop == 0) throw error("sinter: geomspace from or to zero");
  const double sign = start < 0 ? -1 : 1;
  if ((start < 0) != (stop < 0)) throw error("sinter: geomspace between bounds of different signs");
  const lazy<std::int64_t> i(detail::make_iota(shape{count}, 0));
  const double low = std::log10(start * sign), high = std::log10(stop * sign);
  const lazy<double> between = power(10.0, linspace(low, high, count, how)) * sign;
  const lazy<double> from_start = where(i == 0, strong(start), between);
  return where(i == count - 1 && how.endpoint && count > 1, strong(stop), from_start);
}

lazy<double> bartlett(std::int64_t points) {
  const auto last = static_cast<double>(std::max<std::int64_t>(points - 1, 1));
  const lazy<double> n = from_middle(points);
  return where(n <= 0, n / last + 1, 1 - n / last);
}
lazy<double> blackman(std::int64_t points) { return cosine(points, 1, 0.5) + 0.42 + cosine(points, 2, 0.08); }
lazy<double> hamming(std::int64_t points) { return cosine(points, 1, 0.46) + 0.54; }
lazy<double> hanning(std::int64_t points) { return cosine(points, 1, 0.5) + 0.5; }
lazy<double> kaiser(std::int64_t points, double beta) {
  const lazy<double> place = from_middle(points) / static_cast<double>(std::max<std::int64_t>(points - 1, 1));
  return special::i0(sqrt(1 - square(place)) * beta) / special::i0(beta);
}

}  // namespace sinter
