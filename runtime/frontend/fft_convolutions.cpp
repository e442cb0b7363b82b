// Convolutions by way of transforms: of both operands whole, or of one in blocks that overlap.
#include <algorithm>
#include <optional>
#include <utility>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>
#include <sinter/fft_plans.hpp>
#include <sinter/filters.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/list.hpp"
#include "runtime/frontend/segments.hpp"
#include "runtime/library/products.hpp"

namespace sinter::detail {

using runtime::astype, runtime::axis_moved, runtime::checked_axis, runtime::choose, runtime::index_of, runtime::term,
    runtime::view_maker;

namespace {

std::int64_t fast_length(std::int64_t n) { return fft::next_fast_len(n, true); }

struct domain {
  runtime::list<int> axes;  // that are transformed, those of one element on either side left out
  runtime::list<std::int64_t> points;
};

[[noreturn]] void throw_unfit(const term& a, const term& v) { runtime::throw_unequal("a convolution", a, v); }

domain domain_of(const term& a, const term& v, const axis_list& along) {
  domain d;
  runtime::list<bool> is_along(static_cast<std::size_t>(a.rank()), along.count < 0);
  for (int i = 0; i < along.count; ++i)
    is_along[static_cast<std::size_t>(checked_axis(along.axes[i], a.rank(), "a convolution"))] = true;
  for (int axis = 0; axis < a.rank(); ++axis) {
    const std::int64_t n = a.extent(axis), m = v.extent(axis);
    if (n == 1 || m == 1) continue;
    if (is_along[static_cast<std::size_t>(axis)]) {
      d.axes.push_back(axis);
      d.points.push_back(fast_length(n + m - 1));
    } else if (n != m) {
      throw_unfit(a, v);
    }
  }
  return d;
}

term through(const term& x, const domain& d, fft::transform what) {
  axis_list over{static_cast<int>(d.axes.size()), {}};
  std::copy(d.axes.begin(), d.axes.end(), over.axes);
  return term::made(
      make_transform(x.held(), what, {{d.points.data(), d.points.size()}, axes(over), fft::norm::backward}));
}

// a and v transformed, multiplied, and transformed back.
term product_of_transforms(const term& a, const term& v, const domain& d) {
  const bool real = !is_complex(a.type());
  const fft::transform there = real ? fft::transform::from_real : fft::transform::forward;
  const term both = through(a, d, there) * through(v, d, there);
  return through(both, d, real ? fft::transform::to_real : fft::transform::inverse);
}

// Along which of the axes one operand is longest beside the other, and how long a block of it is. Null: no block is worth it.
struct blocks {
  std::size_t which;
  std::int64_t length;
};
std::optional<blocks> blocks_of(const term& a, const term& v, const domain& d) {
  constexpr std::int64_t times = 8, least = 512;
  std::optional<blocks> best;
  double best_ratio = 0;
  for (std::size_t i = 0; i < d.axes.size(); ++i) {
    const std::int64_t n = a.extent(d.axes[i]), m = v.extent(d.axes[i]), shorter = std::min(n, m);
    const double ratio = static_cast<double>(std::max(n, m)) / static_cast<double>(shorter);
    const std::int64_t length = fast_length(std::max(times * shorter, least));
    if (ratio > best_ratio && length < d.points[i]) best = {i, length}, best_ratio = ratio;
  }
  return best;
}

// Blocks of the last axis that overlap by all but one element of the other operand, which are as many as come out wrong.
term overlapping(const term& x, std::int64_t length, std::int64_t overlap, std::int64_t count) {
  const int rank = x.rank();
  shape s = x.extents();
  s.set_size(rank + 1);
  s[rank - 1] = count, s[rank] = length;
  const term at = index_of(s, rank - 1) * (length - overlap) + index_of(s, rank) - overlap;
  const term inside = (at >= 0) & (at < x.extent(rank - 1));
  view_maker v(x.get(), s);
  for (int d = 0; d + 1 < rank; ++d) v.drive(d, 0, 1, d);
  v.compute(rank - 1, at.held(), false);
  v.guard(inside.held());
  return choose(inside, term::made(v.made()), astype(0, x.type()));
}

// The full convolution along the axis that is cut, of as many elements as transforms have along the others.
term by_blocks(const term& a, const term& v, domain d, const blocks& cut) {
  const int axis = d.axes[cut.which], last = a.rank() - 1;
  const bool swaps = v.extent(axis) > a.extent(axis);
  const term longer = axis_moved(swaps ? v : a, axis, -1), shorter = axis_moved(swaps ? a : v, axis, -1);
  const std::int64_t overlap = shorter.extent(last) - 1, step = cut.length - overlap;
  const std::int64_t all = longer.extent(last) + overlap, count = (all + step - 1) / step;
  d.axes.erase(d.axes.begin() + static_cast<std::ptrdiff_t>(cut.which));
  d.points.erase(d.points.begin() + static_cast<std::ptrdiff_t>(cut.which));
  for (int& other : d.axes) other -= other > axis;
  d.axes.push_back(last + 1);
  d.points.push_back(cut.length);
  const term made = product_of_transforms(overlapping(longer, cut.length, overlap, count), shorter.with_axis(last), d)
                        .along(last + 1, slice(overlap, cut.length));
  std::int64_t extents[max_rank];
  for (int i = 0; i < last; ++i) extents[i] = made.extent(i);
  extents[last] = count * step;
  const term flat = term::made(make_reshape(made.get(), extents, last + 1));
  return axis_moved(flat.along(last, slice(0, all)), -1, axis);
}

// The part of the full convolution that is wanted.
term cropped(term x, const term& a, const term& v, convolve_mode mode) {
  for (int d = 0; d < a.rank(); ++d) {
    const std::int64_t n = a.extent(d), m = v.extent(d);
    const bool is_convolved = x.extent(d) >= n + m - 1;  // else both have as many, and it was left out
    const std::int64_t all = is_convolved ? n + m - 1 : n;
    std::int64_t length = all;
    if (mode == convolve_mode::same) length = n;
    else if (mode == convolve_mode::valid && is_convolved) length = std::max(n, m) - std::min(n, m) + 1;
    x = x.along(d, slice((all - length) / 2, (all - length) / 2 + length));
  }
  return x;
}

}  // namespace

node* make_fft_convolved(handle given, handle with, convolve_mode mode, const axis_list& along, bool in_blocks) {
  term a(std::move(given)), v(std::move(with));
  const dtype type = filtered_dtype({a.type(), v.type()});
  if (a.rank() != v.rank()) throw_unfit(a, v);
  a = astype(a, type), v = astype(v, type);
  if (mode == convolve_mode::valid && !fits(a, v) && !fits(v, a)) throw_unfit(a, v);
  const domain d = domain_of(a, v, along);
  if (a.extents().elements() == 0 || v.extents().elements() == 0) throw_unfit(a, v);
  if (d.axes.empty()) return cropped(a * v, a, v, mode).take();
  const std::optional<blocks> cut = in_blocks && a.rank() < max_rank ? blocks_of(a, v, d) : std::nullopt;
  return cropped(cut ? by_blocks(a, v, d, *cut) : product_of_transforms(a, v, d), a, v, mode).take();
}

}  // namespace sinter::detail
