// Convolutions: result i is the sum over k of v(k) a(i + start - k), of those products whose both factors are there; or by transforms.
#include <sinter/signal.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>
#include <sinter/filters.hpp>

#include "runtime/device/device.hpp"
#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/list.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"
#include "runtime/library/products.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::choose, runtime::computed, runtime::fold, runtime::index_of,
    runtime::number_node, runtime::term, runtime::view_maker;

namespace {

// A kernel of so many elements is written out, so that the sum is elementwise and its operands are views; a longer one is a fold
// over an axis more for each axis.
constexpr std::int64_t most_written_out = 32;

// Which results of the full convolution there are, by axis.
struct window {
  shape start, length;
};

// Truth that nothing makes false where an index needs no check.
void add_check(handle& all, const term& check) {
  all = all ? handle((term::of(all.get()) & check).take()) : handle(check.take());
}

// a at every result, moved by the place of one element of the kernel, and where that lies inside. `first`: the axis of `s` that
// moves along axis 0 of a.
struct moved {
  term elements;
  handle inside;  // null: everywhere
};

moved moved_by(const term& a, const window& w, const shape& at) {
  view_maker v(a.get(), w.length);
  handle inside;
  for (int d = 0; d < a.rank(); ++d) {
    const std::int64_t shift = w.start[d] - at[d];
    v.drive(d, shift, 1, d);
    const term i = index_of(w.length, d);
    if (shift < 0) add_check(inside, i >= -shift);
    if (w.length[d] - 1 + shift >= a.extent(d)) add_check(inside, i < a.extent(d) - shift);
  }
  if (inside) v.guard(inside);
  return {term::made(v.made()), std::move(inside)};
}

bool is_truth(const term& t) { return t.type() == dtype::bool_; }

term written_out(const term& a, const term& v, const window& w, dtype type) {
  term sum = astype(0, type);
  shape at = v.extents();
  for (int d = 0; d < v.rank(); ++d) at[d] = 0;
  for (std::int64_t k = 0, count = v.extents().elements(); k < count; ++k) {
    const moved m = moved_by(a, w, at);
    term weight = v;
    for (int d = 0; d < v.rank(); ++d) weight = weight.at(0, at[d]);
    term product = is_truth(sum) ? m.elements & weight : m.elements * weight;
    if (m.inside) product = choose(term::of(m.inside.get()), product, astype(0, type));
    sum = k == 0 ? product : is_truth(sum) ? sum | product : sum + product;
    for (int d = v.rank() - 1; d >= 0 && ++at[d] == v.extent(d); --d) at[d] = 0;
  }
  return astype(sum, type);
}

// `a` at the points of a convolution: the results, and behind their axes those of the kernel, which are folded.
term at_points(const term& a, const shape& all, const runtime::list<term>& places, const handle& inside) {
  view_maker view(a.get(), all);
  for (int d = 0; d < a.rank(); ++d) view.compute(d, places[static_cast<std::size_t>(d)].held(), false);
  if (inside) view.guard(inside);
  return term::made(view.made());
}

// How often a kernel that is written out asks whether an element is there. Each is a border for a core's loop over a row: of more
// it has long given up, 200,000 by 31 numbers of `same` took 3,500 us, and 300 folded.
constexpr std::int64_t most_checks = 8;

std::int64_t checks_written_out(const term& a, const term& v, const window& w) {
  std::int64_t checks = 0;
  for (int d = 0; d < a.rank(); ++d) {
    std::int64_t along = 0;
    for (std::int64_t k = 0; k < v.extent(d); ++k) {
      const std::int64_t shift = w.start[d] - k;
      along += (shift < 0) + (w.length[d] - 1 + shift >= a.extent(d));
    }
    checks += along * (v.extents().elements() / v.extent(d));
  }
  return checks;
}

// The sum of the products. `there`: what is zero where no element of `a` is, and may be null.
term folded(const term& a, const term& v, const window& w, dtype type, const term* there = nullptr) {
  const int rank = a.rank();
  if (2 * rank > max_rank)
    throw shape_error(message("sinter: a convolution over %d axes by more than %lld elements", rank,
                              static_cast<long long>(most_written_out))
                          .c_str());
  shape all = w.length;
  all.set_size(2 * rank);
  for (int d = 0; d < rank; ++d) all[rank + d] = v.extent(d);
  runtime::list<term> places;
  handle inside;
  axis_list behind{rank, {}};
  for (int d = 0; d < rank; ++d) {
    const term at = index_of(all, d) - index_of(all, rank + d) + w.start[d];
    if (w.start[d] - (v.extent(d) - 1) < 0) add_check(inside, at >= 0);
    if (w.start[d] + w.length[d] - 1 >= a.extent(d)) add_check(inside, at < a.extent(d));
    places.push_back(at);
    behind.axes[d] = rank + d;
  }
  const term elements = at_points(a, all, places, inside);
  term product = type == dtype::bool_ ? elements & v : elements * v;
  if (inside) product = choose(term::of(inside.get()), product, astype(0, product.type()));
  if (there)
    product =
        choose(at_points(*there, all, places, {}) != astype(0, there->type()), product, astype(0, product.type()));
  return fold(type == dtype::bool_ ? reduction::any : reduction::sum, product, behind, false, type);
}

// The same with zeros all around `a`, so that every point has an element: loads that ask where they are make no vectors on a CPU. What
// an infinity or a NaN makes of a zero is left out.
term folded_among_zeros(const term& a, const term& v, const window& w, dtype type) {
  window around{v.extents(), w.length};
  shape all = w.length;
  for (int d = 0; d < a.rank(); ++d) around.start[d] = v.extent(d) - 1, all[d] += around.start[d];
  view_maker view(a.get(), all);
  handle inside;
  for (int d = 0; d < a.rank(); ++d) {
    const std::int64_t first = w.start[d] - around.start[d];
    view.drive(d, first, 1, d);
    const term at = index_of(all, d) + first;
    add_check(inside, (at >= 0) & (at < a.extent(d)));
  }
  view.guard(inside);
  const term wide = computed(term::made(view.made()));
  const term kernel = term::made(make_copy(v.get()));  // it may lie backwards
  if (!is_inexact(type)) return folded(wide, kernel, around, type);
  const term truth =
      astype(term::of(inside.get()).broadcast_to(all), itemsize(type) <= 4 ? dtype::float32 : dtype::float64);
  const term there = computed(truth);
  return folded(wide, kernel, around, type, &there);
}

// From so many results on what lies inside of `a` with the whole kernel is folded apart from the ends: it needs no check, which
// takes a third of the time. Along several axes there would be more kernels to compile than is gained.
constexpr std::int64_t least_cut = 1 << 14;
// From so many products on zeros around `a` are worth a kernel more to a core. A GPU waits for no check: there they take as long, or
// a fifth longer.
constexpr std::int64_t least_widened = 1 << 11;

term flipped(const term& t) { return term::made(make_flip(t.get(), {})); }
// Of runs of a kernel that lies the other way round the last comes first.
term flipped_blocks(const term& t) { return term::made(make_flip(t.get(), runtime::one_axis(0))); }

term zeros_of(std::int64_t n, dtype type) { return number_node(0, type).broadcast_to(shape{n}); }

// An array of the first n elements, and zeros where there are fewer.
term of_length(const term& t, std::int64_t n) {
  if (t.extent(0) >= n) return runtime::evaluated(t.along(0, slice(0, n)));
  return runtime::evaluated(runtime::joined({t, zeros_of(n - t.extent(0), t.type())}, 0));
}

// For each of some runs of `n` elements and each of n results, the sum of the products of a run and of the n elements of `a` from the
// result's on; or of the last ones, one more for each result.
term sums_of_runs(const term& a, const term& runs, bool only_last, dtype type) {
  const std::int64_t n = runs.extent(1);
  const term x = term::made(make_windows(a.get(), &n, 1, {1, {0}})), y = runs.with_axis(1);
  term product = type == dtype::bool_ ? x & y : x * y;
  if (only_last) {
    const shape square{n, n};
    product = choose(index_of(square, 0) + index_of(square, 1) >= n - 1, product, astype(0, product.type()));
  }
  return fold(type == dtype::bool_ ? reduction::any : reduction::sum, product, runtime::one_axis(2), false, type);
}

// The first `count` results, which have ever more of the kernel inside. Of blocks of so many results the second half takes what the first
// half of the kernel's elements gives without a check; halves are such ends themselves, of which those of one length are one
// fold. So the products are those that are there, and few ask whether they are: correlating 5,000 numbers with themselves took
// 10,800 us with zeros around them, and takes 2,540. The kernel is copied the other way round, as a reshape of what lies
// backwards is read by computed indices (9,170).
constexpr std::int64_t least_block = 128;

term first_end(const term& first, const term& kernel, std::int64_t count, dtype type) {
  std::int64_t blocks = 1;
  while (count / (2 * blocks) >= least_block) blocks *= 2;
  const std::int64_t length = (count + blocks - 1) / blocks, n = length * blocks;
  const term a = of_length(first, n), v = term::made(make_copy(flipped(of_length(kernel, n)).get()));
  const term begun =
      runtime::evaluated(runtime::joined({zeros_of(length - 1, a.type()), a.along(0, slice(0, length))}, 0));
  term sum = flipped_blocks(sums_of_runs(begun, v.reshaped({blocks, length}), true, type)).flat();
  for (std::int64_t half = length, pairs = blocks / 2; pairs > 0; half *= 2, pairs /= 2) {
    const term runs = v.reshaped({pairs, 2 * half}).along(1, slice(half, _));
    const term more = computed(flipped_blocks(sums_of_runs(a.along(0, slice(1, 2 * half)), runs, false, type)));
    const term placed = choose(index_of(shape{pairs, 2, half}, 1) != 0, more.with_axis(1), astype(0, type));
    sum = type == dtype::bool_ ? sum | placed.flat() : sum + placed.flat();
  }
  return astype(sum, type).along(0, slice(0, count));
}

bool is_on_core() { return runtime::current_device().dialect() == codegen::dialect::c; }

bool reaches_outside(const term& a, const term& v, const window& w) {
  for (int d = 0; d < a.rank(); ++d)
    if (w.start[d] < v.extent(d) - 1 || w.start[d] + w.length[d] > a.extent(d)) return true;
  return false;
}

term folded_at_ends(const term& a, const term& v, const window& w, dtype type) {
  const bool many = w.length.elements() * v.extents().elements() >= least_widened;
  return many && is_on_core() && reaches_outside(a, v, w) ? folded_among_zeros(a, v, w, type) : folded(a, v, w, type);
}

// From so many products of an end on it is halved. A GPU waits for no check.
constexpr std::int64_t least_halved = 1 << 18;

// What has the whole kernel inside, between two ends.
term folded_between_ends(const term& a, const term& v, const window& w, dtype type) {
  const std::int64_t end = v.extent(0) - 1, inside = a.extent(0) - end;
  const term middle = folded(a, v, {shape{end}, shape{inside}}, type);
  const term first = first_end(a, v, end, type), last = flipped(first_end(flipped(a), flipped(v), end, type));
  return runtime::joined({first, middle, last}, 0).along(0, slice(w.start[0], w.start[0] + w.length[0]));
}

term folded_in_parts(const term& a, const term& v, const window& w, dtype type) {
  const std::int64_t end = v.extent(0) - 1;
  if (a.rank() == 1 && is_on_core() && end * end >= least_halved && w.length[0] >= a.extent(0))
    return folded_between_ends(a, v, w, type);
  const std::int64_t n = w.length[0], inside = std::clamp<std::int64_t>(v.extent(0) - 1 - w.start[0], 0, n);
  const std::int64_t outside = std::clamp(a.extent(0) - w.start[0], inside, n), bounds[] = {0, inside, outside, n};
  if (a.rank() > 1 || n < least_cut || outside - inside < n / 2) return folded_at_ends(a, v, w, type);
  runtime::list<term> parts;
  runtime::list<node*> nodes;
  for (int i = 0; i < 3; ++i) {
    if (bounds[i] == bounds[i + 1]) continue;
    const window part{shape{w.start[0] + bounds[i]}, shape{bounds[i + 1] - bounds[i]}};
    parts.push_back(i == 1 ? folded(a, v, part, type) : folded_at_ends(a, v, part, type));
    nodes.push_back(parts.back().get());
  }
  return parts.size() == 1 ? parts[0] : term::made(make_joined(nodes.data(), nodes.size(), 0));
}

window window_of(const term& a, const term& v, convolve_mode mode, bool of_first, bool behind_middle) {
  window w{a.extents(), a.extents()};
  for (int d = 0; d < a.rank(); ++d) {
    const std::int64_t n = a.extent(d), m = v.extent(d), longer = std::max(n, m), shorter = std::min(n, m);
    switch (mode) {
      case convolve_mode::full: w.start[d] = 0, w.length[d] = n + m - 1; break;
      case convolve_mode::valid: w.start[d] = shorter - 1, w.length[d] = longer - shorter + 1; break;
      case convolve_mode::same:
        w.length[d] = of_first ? n : longer;
        w.start[d] = (n + m - 1 - w.length[d] + behind_middle) / 2;
    }
  }
  w.length.check();
  return w;
}

bool can_be_transformed(dtype t) { return is_inexact(t) && !is_short_floating(t); }

// From so many products on transforms are quicker: by so many for each step that a point takes, of a sequence in blocks of some times the
// shorter one; and on a GPU, where launches are most of what small ones take, not before a number of its own.
bool is_quicker_by_transforms(const term& a, const term& v, const window& w) {
  constexpr double of_step = 10, block_of_shorter = 16, least_on_gpu = 1 << 26;
  double points = 1;
  for (int d = 0; d < a.rank(); ++d) points *= static_cast<double>(a.extent(d) + v.extent(d) - 1);
  const auto shorter = static_cast<double>(std::min(a.extents().elements(), v.extents().elements()));
  const double together = a.rank() == 1 ? std::min(points, block_of_shorter * shorter) : points;
  const double products = static_cast<double>(w.length.elements()) * shorter;
  return products > of_step * points * std::log2(together) && (is_on_core() || products > least_on_gpu);
}

// `turned`: NumPy correlates the longer with the shorter one, and turns what comes of that round.
node* convolved(const term& a, const term& v, convolve_mode mode, convolution as, convolve_method how, bool turned) {
  const bool of_sequences = as == convolution::numpy;
  if (of_sequences && !turned && (a.rank() == 0 || v.rank() == 0))
    return convolved(a.rank() == 0 ? a.flat() : a, v.rank() == 0 ? v.flat() : v, mode, as, how, false);
  if (a.rank() != v.rank() || (of_sequences && a.rank() != 1)) runtime::throw_unequal("a convolution", a, v);
  if (a.extents().elements() == 0 || v.extents().elements() == 0) runtime::throw_unequal("a convolution", a, v);
  if (mode == convolve_mode::valid && !fits(a, v) && !fits(v, a)) runtime::throw_unequal("a convolution", a, v);
  const dtype type = promote(a.type(), v.type());
  if (a.rank() == 0) return (a * v).take();
  const window w = window_of(a, v, mode, !of_sequences, of_sequences && turned && v.extent(0) > a.extent(0));
  if (how == convolve_method::fft && !can_be_transformed(type))
    throw dtype_error("sinter: only floating and complex elements are convolved by transforms; astype<double>(a)");
  if (how == convolve_method::fft ||
      (how == convolve_method::automatic && can_be_transformed(type) && is_quicker_by_transforms(a, v, w)))
    return make_fft_convolved(a.held(), v.held(), mode, {}, a.rank() == 1);
  const bool swap = v.extents().elements() > a.extents().elements();
  const term& longer = swap ? v : a;
  const term& shorter = swap ? a : v;
  const bool writes_out = shorter.extents().elements() <= most_written_out &&
                          (!is_on_core() || checks_written_out(longer, shorter, w) <= most_checks);
  return astype(writes_out ? written_out(longer, shorter, w, type) : folded_in_parts(longer, shorter, w, type), type)
      .take();
}

}  // namespace

node* make_convolved(handle a, handle v, convolve_mode mode, convolution as, convolve_method how) {
  return convolved(term(std::move(a)), term(std::move(v)), mode, as, how, false);
}

node* make_correlated(handle a, handle given, convolve_mode mode, convolution as, convolve_method how) {
  term v(std::move(given));
  if (is_complex(v.type())) v = apply(op::conjugate, {v});
  return convolved(term(std::move(a)), term::made(make_flip(v.get(), {})), mode, as, how, true);
}

}  // namespace sinter::detail
