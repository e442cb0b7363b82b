// Quantiles: rows in order, places that follow from how many elements there are, and what lies between two of them.
#include <sinter/quantiles.hpp>

#include <cmath>
#include <complex>
#include <limits>

#include <sinter/detail/rearrange.hpp>
#include <sinter/device.hpp>
#include <sinter/error.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/list.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"
#include "runtime/library/order.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::choose, runtime::fold, runtime::number_node, runtime::one_axis,
    runtime::term;

namespace {

constexpr double nan_number = std::numeric_limits<double>::quiet_NaN();

// ---- places: in plain numbers, or in expressions where they differ from row to row

double floor_of(double x) { return std::floor(x); }
double ceil_of(double x) { return std::ceil(x); }
double rint_of(double x) { return std::nearbyint(x); }
double less_of(double a, double b) { return a < b ? a : b; }
double more_of(double a, double b) { return a > b ? a : b; }
double pick(bool which, double a, double b) { return which ? a : b; }
// Rounded before anything is taken from it: whether a place is whole hangs on that.
double product_of(double a, double b) {
  const volatile double product = a * b;
  return product;
}
term floor_of(const term& x) { return apply(op::floor, {x}); }
term ceil_of(const term& x) { return apply(op::ceil, {x}); }
term rint_of(const term& x) { return apply(op::rint, {x}); }
term less_of(const term& a, const term& b) { return apply(op::minimum, {a, b}); }
term more_of(const term& a, const term& b) { return apply(op::maximum, {a, b}); }
term pick(const term& which, const term& a, const term& b) { return choose(which, a, b); }
term product_of(const term& a, const term& b) { return computed(a * b); }

// Where a fraction lies among the elements, counted from 0.
enum class lies : std::uint8_t {
  between_ends,  // (n - 1) q
  in_steps,      // n q - 1
  by_weights     // n q + alpha + q (1 - alpha - beta) - 1
};
// And what becomes of it.
enum class reads : std::uint8_t { interpolated, averaged, inverted, closest, lower, higher, midpoint, nearest };

struct method_row {
  lies at;
  reads how;
  double alpha = 0, beta = 0;
};
// In the order of quantile_method.
constexpr method_row methods_of_quantiles[] = {
    {lies::in_steps, reads::inverted},
    {lies::in_steps, reads::averaged},
    {lies::in_steps, reads::closest},
    {lies::by_weights, reads::interpolated, 0, 1},
    {lies::by_weights, reads::interpolated, 0.5, 0.5},
    {lies::by_weights, reads::interpolated, 0, 0},
    {lies::between_ends, reads::interpolated},
    {lies::by_weights, reads::interpolated, 1 / 3.0, 1 / 3.0},
    {lies::by_weights, reads::interpolated, 3 / 8.0, 3 / 8.0},
    {lies::between_ends, reads::lower},
    {lies::between_ends, reads::higher},
    {lies::between_ends, reads::midpoint},
    {lies::between_ends, reads::nearest},
};

// Two neighbours, or twice one element, and how much of the way from the first to the second.
template <class N>
struct neighbours {
  N low, high, weight;
};

template <class N>
N place_of(const method_row& m, const N& n, const N& q) {
  switch (m.at) {
    case lies::between_ends: return product_of(n - 1, q);
    case lies::in_steps: return product_of(n, q) - 1;
    default: return product_of(n, q) + (q * (1 - m.alpha - m.beta) + m.alpha) - 1;
  }
}

template <class N>
neighbours<N> neighbours_of(const method_row& m, const N& n, const N& q) {
  const N place = place_of(m, n, q), before = floor_of(place);
  neighbours<N> r{before, before + 1, place - before};
  switch (m.how) {
    case reads::interpolated: break;
    case reads::averaged: r.weight = pick(r.weight == 0, N(0.5), N(1.0)); break;
    case reads::midpoint: r.weight = pick(r.weight == 0, N(0.0), N(0.5)); break;
    case reads::inverted: r.low = r.high = pick(r.weight == 0, r.low, r.high); break;
    case reads::closest: {
      const N half_before = floor_of(place - 0.5), exact = place - 0.5;
      const N odd = half_before - floor_of(half_before / 2) * 2;
      r.low = r.high = pick((half_before == exact) & (odd == 1), half_before, half_before + 1);
      break;
    }
    case reads::lower: r.low = r.high = before; break;
    case reads::higher: r.low = r.high = ceil_of(place); break;
    case reads::nearest: r.low = r.high = rint_of(place); break;
  }
  for (N* p : {&r.low, &r.high}) *p = more_of(less_of(*p, n - 1), N(0.0));
  return r;
}

bool reads_one(const method_row& m) {
  return m.how != reads::interpolated && m.how != reads::averaged && m.how != reads::midpoint;
}

// ---- rows

// What lies along some axes, as the last axis behind the others.
struct rows_over {
  rows_over(const term& of, const axis_list& axes) : kept_ones(of.extents()) {
    const shape& s = of.extents();
    const std::uint32_t mask = axis_mask(axes, s);
    axis_list from{0, {}}, to{0, {}};
    shape all;
    all.set_size(s.size());
    int kept = 0;
    for (int d = 0; d < s.size(); ++d) {
      if (mask >> d & 1) from.axes[from.count++] = d, length *= s[d], kept_ones[d] = 1;
      else all[kept++] = s[d];
    }
    if (kept == max_rank) runtime::require_one_axis_more(s, "quantiles over no axis");
    for (to.count = 0; to.count < from.count; ++to.count) to.axes[to.count] = to.count - from.count;
    all.set_size(kept + 1);
    all[kept] = length;
    const term moved = from.count == 0 ? of : term::made(make_moved(of.get(), from, to));
    rows = term::made(make_reshape(moved.get(), all.begin(), all.size()));
  }
  int axis() const { return rows.rank() - 1; }
  // A result of the shape of the rows, behind `lead` axes of its own.
  node* back(const term& t, int lead, bool keepdims) const {
    if (!keepdims) return t.take();
    shape all;
    if (lead + kept_ones.size() > max_rank) runtime::require_one_axis_more(kept_ones, "quantiles");
    all.set_size(lead + kept_ones.size());
    for (int d = 0; d < all.size(); ++d) all[d] = d < lead ? t.extent(d) : kept_ones[d - lead];
    return make_reshape(t.get(), all.begin(), all.size());
  }

  term rows = 0;
  shape kept_ones;
  std::int64_t length = 1;
};

term in_order(const rows_over& x) {
  return x.length < 2 || x.rows.extents().elements() == 0 ? x.rows : term(runtime::make_sort_call(x.rows, false));
}

// Of long rows only what is read need be in its place, where sorting them takes longer.
bool is_selected(const rows_over& x) {
  return x.length >= 4096 && x.rows.extents().elements() > 0 &&
         runtime::device_beside(x.rows).type() == device::kind::cpu;
}
term in_order(const rows_over& x, std::int64_t first, std::int64_t last) {
  return is_selected(x) ? term(runtime::make_partition_call(x.rows, false, false, first, last + 1)) : in_order(x);
}

// The elements of rows at places, which broadcast to the rows behind so many axes of their own.
term at_places(const term& rows, const term& places, int lead, std::int64_t lead_extent) {
  shape s;
  s.set_size(lead + rows.rank() - 1);
  if (lead) s[0] = lead_extent;
  for (int d = 0; d + 1 < rows.rank(); ++d) s[d + lead] = rows.extent(d);
  runtime::view_maker v(rows.get(), s);
  for (int d = 0; d + 1 < rows.rank(); ++d) v.drive(d, 0, 1, d + lead);
  v.compute(rows.rank() - 1, astype(places, dtype::int64).held(), false);
  return term::made(v.made());
}

// How many of a row are not NaN.
term count_of_numbers(const rows_over& x) {
  return astype(fold(reduction::sum, astype(!apply(op::isnan, {x.rows}), dtype::int64), one_axis(x.axis()), false),
                dtype::float64);
}

term nan_of(dtype t) {
  return number_node(is_complex(t) ? term(std::complex<double>(nan_number, nan_number)) : term(nan_number), t);
}

bool has_nan(const term& t) { return is_inexact(t.type()); }

// NaN is last in its row.
term with_nan_of(const term& sorted, const term& value) {
  if (!has_nan(sorted)) return value;
  const int axis = sorted.rank() - 1;
  const term last = sorted.at(axis, sorted.extent(axis) - 1);
  return choose(apply(op::isnan, {last}), astype(last, value.type()), value);
}

// Of rows of which only some ranks are in order.
term with_nan_of(const rows_over& x, const term& sorted, const term& value) {
  if (!has_nan(sorted) || !is_selected(x)) return with_nan_of(sorted, value);
  const term any = fold(reduction::any, apply(op::isnan, {sorted}), one_axis(x.axis()), false);
  return choose(any, nan_of(value.type()), value);
}

term between(const term& a, const term& b, const term& weight) {
  const term t = weight.is_number() ? weight : astype(weight, a.type());
  const term gap = b - a;
  return choose(a == b, a, choose(t >= 0.5, b - gap * (1 - t), a + gap * t));
}

// What fractions are of all, in host memory.
runtime::list<double> checked(const fractions& q, double whole) {
  runtime::list<double> all(q.begin(), q.begin() + q.size());
  for (double& f : all) {
    if (!(f >= 0 && f <= whole))
      throw error(message("sinter: a quantile of %g, which is not between 0 and %g", f, whole).c_str());
    f /= whole;
  }
  return all;
}

// A list with as many axes behind as rows have.
term listed(const runtime::list<double>& numbers, int behind) {
  shape s;
  if (behind + 1 > max_rank) throw shape_error("sinter: quantiles of an array of 8 axes have no room for one more");
  s.set_size(behind + 1);
  for (int d = 1; d <= behind; ++d) s[d] = 1;
  s[0] = static_cast<std::int64_t>(numbers.size());
  return term::made(make_from_host(dtype::float64, s, numbers.data()));
}

// Lists lie where the elements do, if that is known.
struct beside {
  explicit beside(const term& of) : on(runtime::device_beside(of)) {}
  const device_scope on;
};

struct read_off {
  term low = 0, high = 0, weight = 0;
};

// Rows of one length: places are plain numbers.
read_off of_equal_rows(const term& sorted, const method_row& m, const runtime::list<double>& q, bool is_list) {
  const int axis = sorted.rank() - 1;
  const auto n = static_cast<double>(sorted.extent(axis));
  if (!is_list) {
    const auto at = neighbours_of<double>(m, n, q[0]);
    return {sorted.at(axis, static_cast<std::int64_t>(at.low)), sorted.at(axis, static_cast<std::int64_t>(at.high)),
            number_node(at.weight, dtype::float64)};
  }
  runtime::list<double> low, high, weight;
  for (const double f : q) {
    const auto at = neighbours_of<double>(m, n, f);
    low.push_back(at.low), high.push_back(at.high), weight.push_back(at.weight);
  }
  const auto count = static_cast<std::int64_t>(q.size());
  return {at_places(sorted, listed(low, axis), 1, count), at_places(sorted, listed(high, axis), 1, count),
          listed(weight, axis)};
}

read_off of_counted_rows(const term& sorted, const term& n, const method_row& m, const runtime::list<double>& q,
                         bool is_list) {
  const term fraction = is_list ? listed(q, sorted.rank() - 1) : number_node(q[0], dtype::float64);
  const auto at = neighbours_of<term>(m, n, fraction);
  const auto count = static_cast<std::int64_t>(q.size());
  return {at_places(sorted, at.low, is_list, count), at_places(sorted, at.high, is_list, count), at.weight};
}

// Nothing to read: NaN.
term all_nan(const term& rows, dtype type, bool is_list, std::int64_t count) {
  shape s;
  s.set_size(rows.rank() - 1 + is_list);
  if (is_list) s[0] = count;
  for (int d = 0; d + 1 < rows.rank(); ++d) s[d + is_list] = rows.extent(d);
  return nan_of(type).broadcast_to(s);
}

void require_elements(const rows_over& all, const term& x) {
  if (all.length > 0) return;
  std::int64_t rows = 1;
  for (int d = 0; d < all.axis(); ++d) rows *= all.rows.extent(d);
  if (rows > 0)
    throw shape_error(
        message("sinter: a quantile of no elements, of an array of shape %s", to_string(x.extents()).c_str()).c_str());
}

// As many as elements, or those of each along the axis.
term spread_weights(const term& weights, const term& x, const axis_list& along) {
  if (weights.extents() == x.extents()) return weights;
  shape s = x.extents();
  const bool is_of_one_axis = along.count == 1 && weights.rank() == 1;
  const int axis = is_of_one_axis ? runtime::checked_axis(along.axes[0], x.rank(), "quantile") : 0;
  if (!is_of_one_axis || s[axis] != weights.extent(0))
    throw shape_error(message("sinter: quantiles of an array of shape %s with weights of shape %s",
                              to_string(x.extents()).c_str(), to_string(weights.extents()).c_str())
                          .c_str());
  for (int d = 0; d < s.size(); ++d)
    if (d != axis) s[d] = 1;
  return term::made(make_reshape(weights.get(), s.begin(), s.size())).broadcast_to(x.extents());
}

}  // namespace

std::vector<double> read_fractions(handle of) {
  const term all(std::move(of));
  if (all.rank() > 1) throw shape_error("sinter: the fractions of quantiles are one, or lie along one axis");
  std::vector<double> numbers(static_cast<std::size_t>(all.extents().elements()));
  read_all(all.get(), numbers.data(), numbers.size(), {}, where{});
  return numbers;
}

node* make_quantile(handle of, const fractions& given, double whole, dtype type, const quantile_options& how,
                    bool skips) {
  const term x(std::move(of));
  if (is_complex(x.type())) throw dtype_error("sinter: quantiles are of real numbers");
  const beside lists(x);
  const runtime::list<double> q = checked(given, whole);
  const bool is_list = given.listed();
  const method_row& m = methods_of_quantiles[static_cast<int>(how.method)];
  const rows_over all(x, how.axis.list());
  const auto count = static_cast<std::int64_t>(q.size());
  if (!skips) require_elements(all, x);
  if (all.length == 0) return all.back(all_nan(all.rows, type, is_list, count), is_list, how.keepdims);
  const bool counts = skips && has_nan(x), is_one = !counts && !is_list;
  const auto at = neighbours_of<double>(m, static_cast<double>(all.length), q.empty() ? 0 : q[0]);
  const term sorted =
      is_one ? in_order(all, static_cast<std::int64_t>(at.low), static_cast<std::int64_t>(at.high)) : in_order(all);
  const read_off r =
      counts ? of_counted_rows(sorted, count_of_numbers(all), m, q, is_list) : of_equal_rows(sorted, m, q, is_list);
  const dtype computed = widened(type);
  const term low = astype(r.low, computed);
  const term value = reads_one(m) ? low : between(low, astype(r.high, computed), r.weight);
  const term result = counts ? value : is_one ? with_nan_of(all, sorted, value) : with_nan_of(sorted, value);
  return all.back(astype(result, type), is_list, how.keepdims);
}

node* make_weighted_quantile(handle of, handle by, const fractions& given, double whole, dtype type,
                             const quantile_options& how, bool skips) {
  const term x(std::move(of)), weights = spread_weights(term(std::move(by)), x, how.axis.list());
  if (how.method != quantile_method::inverted_cdf) throw error("sinter: weights go with the method inverted_cdf");
  const beside lists(x);
  const runtime::list<double> q = checked(given, whole);
  const bool is_list = given.listed();
  const rows_over all(x, how.axis.list()), each(weights, how.axis.list());
  const auto count = static_cast<std::int64_t>(q.size());
  const int axis = all.axis();
  if (!skips) require_elements(all, x);
  if (all.length == 0) return all.back(all_nan(all.rows, type, is_list, count), is_list, how.keepdims);
  const handle order = runtime::make_argsort_call(all.rows, false);
  const term sorted = term::made(make_take_along(all.rows.get(), order.get(), axis));
  term weight = term::made(make_take_along(each.rows.get(), order.get(), axis));
  if (skips && has_nan(x)) weight = choose(apply(op::isnan, {sorted}), 0.0, weight);
  const term sum = term::made(make_scan(weight.get(), reduction::sum, dtype::float64, axis));
  const term total = sum.along(axis, slice(all.length - 1, all.length));
  // What weighs nothing at the start is below the fraction 0, too.
  const term below = choose(sum == 0, -1.0, sum / total);
  const term fraction = is_list ? listed(q, axis + 1) : number_node(q[0], dtype::float64);
  const term passed = fold(reduction::sum, astype(below < fraction, dtype::int64), one_axis(-1), false);
  const term value = at_places(sorted, apply(op::minimum, {passed, all.length - 1}), is_list, count);
  const term result = choose(total.at(axis, 0) > 0, astype(value, type), nan_of(type));
  return all.back(skips ? result : with_nan_of(sorted, result), is_list, how.keepdims);
}

node* make_median(handle of, dtype type, const median_options& how, bool skips) {
  const term x(std::move(of));
  const rows_over all(x, how.axis.list());
  if (all.length == 0) return all.back(all_nan(all.rows, type, false, 1), 0, how.keepdims);
  const bool counts = skips && has_nan(x);
  const term sorted = counts ? in_order(all) : in_order(all, (all.length - 1) / 2, all.length / 2);
  const dtype computed = widened(type);
  const int axis = all.axis();
  if (!counts) {
    const term low = astype(sorted.at(axis, (all.length - 1) / 2), computed);
    const term high = astype(sorted.at(axis, all.length / 2), computed);
    const term middle = all.length % 2 ? low : (low + high) / 2;
    return all.back(astype(with_nan_of(all, sorted, middle), type), 0, how.keepdims);
  }
  const term n = count_of_numbers(all);
  const term first = more_of(floor_of((n - 1) / 2), 0.0), second = floor_of(n / 2);
  const term low = astype(at_places(sorted, first, 0, 1), computed);
  const term high = astype(at_places(sorted, apply(op::minimum, {second, all.length - 1}), 0, 1), computed);
  const term middle = choose(first == second, low, (low + high) / 2);
  return all.back(astype(choose(n == 0, astype(nan_number, middle.type()), middle), type), 0, how.keepdims);
}

node_pair make_mode(handle of, const stats::mode_options& how) {
  const term x(std::move(of));
  const rows_over all(x, how.axis.list());
  if (all.length == 0)
    throw shape_error(
        message("sinter: the mode of no elements, of an array of shape %s", to_string(x.extents()).c_str()).c_str());
  const term sorted = in_order(all);
  const int axis = all.axis();
  const std::int64_t n = all.length;
  // How long the run of equal elements is that ends at each: the longest, and of several the first, has the mode.
  shape first = sorted.extents(), along;
  first[axis] = 1;
  along.set_size(axis + 1);
  for (int d = 0; d <= axis; ++d) along[d] = d == axis ? n : 1;
  term is_same = number_node(false, dtype::bool_).broadcast_to(first);
  if (n > 1) {
    const term before = sorted.along(axis, slice(0, n - 1)), after = sorted.along(axis, slice(1, n));
    term equal = after == before;
    if (has_nan(x)) equal = equal | (apply(op::isnan, {before}) & apply(op::isnan, {after}));
    is_same = runtime::joined({is_same, equal}, axis);
  }
  const term i = runtime::index_of(along, axis);
  const term starts = choose(is_same, 0, i);
  const term start = term::made(make_scan(starts.get(), reduction::max, dtype::int64, axis));
  const term length = i - start + 1;
  const term at = fold(reduction::argmax, length, one_axis(axis), false);
  const term count = fold(reduction::max, length, one_axis(axis), false);
  const handle value(all.back(at_places(sorted, at, 0, 1), 0, how.keepdims));
  node* const counted = all.back(count, 0, how.keepdims);
  return {retain(value.get()), counted};
}

}  // namespace sinter::detail
