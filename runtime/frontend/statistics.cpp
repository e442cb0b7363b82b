#include <sinter/statistics.hpp>

#include <algorithm>
#include <limits>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>
#include <sinter/order.hpp>
#include <sinter/products.hpp>
#include <sinter/search.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::fold, runtime::joined, runtime::one_axis, runtime::term;

namespace {

// Weights that lie along some axes of a shape, in the order in which these are named.
term weights_along(const term& w, const axis_list& axes, const shape& s) {
  std::int64_t place_of[max_rank], order[max_rank];  // which axis of the weights lies along an axis
  std::fill_n(place_of, max_rank, -1);
  bool lie_along = axes.count == w.rank();
  for (int k = 0; k < w.rank() && lie_along; ++k) {
    const int axis = runtime::checked_axis(axes.axes[k], s.size(), "average");
    lie_along = place_of[axis] < 0 && w.extent(k) == s[axis];
    place_of[axis] = k;
  }
  if (!lie_along)
    throw shape_error(message("sinter: an average of shape %s by weights of shape %s, which do not lie along its axes",
                              to_string(s).c_str(), to_string(w.extents()).c_str())
                          .c_str());
  int count = 0;
  for (int d = 0; d < s.size(); ++d)
    if (place_of[d] >= 0) order[count++] = place_of[d];
  term all = count < 2 ? w : term::made(make_transpose(w.get(), order, count));
  for (int d = 0; d < s.size(); ++d)
    if (place_of[d] < 0) all = all.with_axis(d);
  return all.broadcast_to(s);
}

}  // namespace

node* make_average(handle of, handle weights, dtype type, const reduce_options& how) {
  const term x = astype(term(std::move(of)), type);
  term w = astype(term(std::move(weights)), type);
  const axis_list& axes = how.axis.list();
  if (how.where || how.initial) throw error("sinter: average takes neither where nor initial; weights of 0 leave out");
  if (!(w.extents() == x.extents())) w = weights_along(w, axes, x.extents());
  const dtype wide = widened(type);  // sums of numbers of 16 bits are of floats, the products being theirs
  const term total = fold(reduction::sum, x * w, axes, how.keepdims, wide);
  return astype(total / fold(reduction::sum, w, axes, how.keepdims, wide), type).take();
}

namespace {

// Variables by observations.
term variables(handle of, bool rowvar) {
  const term m(std::move(of));
  if (m.rank() > 2)
    throw shape_error(
        message("sinter: covariances of an array of shape %s; it has at most two axes", to_string(m.extents()).c_str())
            .c_str());
  if (m.rank() == 0) return m.flat().with_axis(0);
  if (m.rank() == 1) return m.with_axis(0);
  return rowvar || m.extent(0) == 1 ? m : term::made(make_transpose(m.get(), nullptr, 0));
}

term observed(handle of, handle more, dtype type, bool rowvar) {
  const term x = astype(variables(std::move(of), rowvar), type);
  if (!more) return x;
  return joined({x, astype(variables(std::move(more), rowvar), type)}, 0);
}

// A square of covariances, of one variable too.
term covariance(const term& x, std::int64_t ddof) {
  const auto count = static_cast<double>(x.extent(1)), divisor = count - static_cast<double>(ddof);
  const term distance = x - fold(reduction::sum, x, one_axis(1), true) / count;
  const term other = is_complex(x.type()) ? apply(op::conjugate, {distance}) : distance;
  const handle turned(make_transpose(other.get(), nullptr, 0));
  const term sums = term::made(make_matmul(distance.held(), turned));
  return sums / (divisor > 0 ? divisor : 0.0);
}

node* without_square_of_one(const term& square) {
  return square.extent(0) == 1 ? square.at(0, 0).at(0, 0).take() : square.take();
}

}  // namespace

node* make_covariance(handle of, handle more, dtype type, const cov_options& how) {
  return without_square_of_one(covariance(observed(std::move(of), std::move(more), type, how.rowvar), how.ddof));
}

node* make_correlation(handle of, handle more, dtype type, bool rowvar) {
  const term square = covariance(observed(std::move(of), std::move(more), type, rowvar), 1);
  const term deviation = apply(op::sqrt, {apply(op::real, {term::made(make_diagonal(square.get(), 0, 0, 1))})});
  const term result = square / deviation.with_axis(1) / deviation.with_axis(0);
  const auto clipped = [](const term& t) { return apply(op::clip, {t, -1.0, 1.0}); };
  if (!is_complex(type)) return without_square_of_one(clipped(result));
  const term real = clipped(apply(op::real, {result})), imaginary = clipped(apply(op::imag, {result}));
  return without_square_of_one(apply(op::make_complex, {real, imaginary}));
}

// Of an element there come so many before it as there are less, and so many until it as there are not greater.
node* make_ranks(handle of, stats::rank_method method) {
  using stats::rank_method;
  const term x = term(std::move(of)).flat();
  const auto ranked = [&](const term& ranks) {
    const term numbers = astype(ranks, dtype::float64);
    if (!is_inexact(x.type()) || x.extent(0) == 0) return numbers.take();
    const term has_nan = fold(reduction::any, apply(op::isnan, {x}), one_axis(0), false);
    return runtime::choose(has_nan, astype(std::numeric_limits<double>::quiet_NaN(), dtype::float64), numbers).take();
  };
  if (method == rank_method::ordinal) {
    const handle order(make_argsort(x.held(), {.stable = true}));
    return ranked(term::made(make_argsort(order, {})) + 1);
  }
  const term sorted = term::made(make_sort(x.held(), {}));
  const auto found = [&](search_side side) { return term::made(make_search(sorted.held(), x.held(), side, nullptr)); };
  if (method == rank_method::min) return ranked(found(search_side::left) + 1);
  if (method == rank_method::max) return ranked(found(search_side::right));
  if (method == rank_method::average) return ranked((found(search_side::left) + found(search_side::right) + 1) * 0.5);
  if (x.extent(0) == 0) return ranked(x);
  const term is_new = sorted.along(0, slice(1, _)) != sorted.along(0, slice(_, -1));
  const term steps =
      joined({runtime::number_node(1, dtype::int64).broadcast_to(shape{1}), astype(is_new, dtype::int64)}, 0);
  const term dense = term::made(make_scan(steps.get(), reduction::sum, dtype::int64, 0));
  return ranked(runtime::taken(dense, found(search_side::left)));
}

}  // namespace sinter::detail
