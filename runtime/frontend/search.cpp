#include "runtime/frontend/search.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include <sinter/error.hpp>
#include <sinter/search.hpp>

#include "runtime/frontend/message.hpp"
#include "runtime/library/interpolation.hpp"
#include "runtime/library/order.hpp"
#include "runtime/library/search.hpp"

namespace sinter::runtime {

namespace {

// Comparisons in the order in which NaN comes last: of what is sorted with a value, which is the same in all steps of a search.
struct search_order {
  const term& value;
  bool has_nan, or_equal;
  term is_nan;  // of the value

  search_order(const term& sorted, const term& v, bool or_equal_)
      : value(v),
        has_nan(detail::kind_of(detail::promote(sorted.type(), v.type())) >= detail::kind::floating),
        or_equal(or_equal_),
        is_nan(v != v) {}

  // Is the element less than the value, or not greater?
  term passes(const term& element) const {
    if (!has_nan) return or_equal ? element <= value : element < value;
    if (or_equal) return !((value < element) | ((element != element) & !is_nan));
    return (element < value) | (is_nan & (element == element));
  }
};

// Is an element, where it is read, computed by more than a conversion? In a search it would be by every value that comes to it.
bool is_work(const term& t) {
  const auto* const e = static_cast<const detail::expression_node*>(typed(t.get()));
  return e->kind == detail::node_kind::expression && (e->code->nodes > 1 || e->code->length > 2);
}

// On a CPU, where values that rise need next to no steps.
term count_by_call(const term& given, const term& values, bool or_equal, const term* falls) {
  const dtype of = detail::promote(given.type(), values.type());
  const term sorted = falls ? choose(*falls, given.along(0, slice(_, _, -1)), given) : given;
  return term(make_search_call(astype(sorted, of), astype(values, of), or_equal));
}

}  // namespace

// What may still come before is halved in each step. All values take the same steps, and none reads outside.
term count_before(const term& given, const term& values, bool or_equal, const term* falls) {
  const std::int64_t n = given.extent(0);
  term count = number_node(0, dtype::int64).broadcast_to(values.extents());
  if (n == 0 || values.extents().elements() == 0) return count;
  if (has_search_call(given, values)) return count_by_call(given, values, or_equal, falls);
  const bool is_read_often = n / 16 <= values.extents().elements();
  const term sorted = is_read_often && is_work(given) ? computed(given) : given;
  const search_order order(sorted, values, or_equal);
  const auto passes = [&](std::int64_t before) {
    const term at = before == 0 ? count : count + before;
    return order.passes(taken(sorted, falls ? choose(*falls, n - 1 - at, at) : at));
  };
  for (std::int64_t left = n, half; left > 1; left -= half) {
    half = left / 2;
    count = choose(passes(half - 1), count + half, count);
  }
  return count + astype(passes(0), dtype::int64);
}

}  // namespace sinter::runtime

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::choose, runtime::count_before, runtime::number_node, runtime::taken,
    runtime::term;

namespace {

void require_one_axis(const term& t, const char* what) {
  if (t.rank() != 1)
    throw shape_error(
        message("sinter: %s an array of shape %s; it has one axis", what, to_string(t.extents()).c_str()).c_str());
}

}  // namespace

node* make_search(handle of, handle given, search_side side, node* sorter) {
  term sorted(std::move(of));
  require_one_axis(sorted, "a search in");
  if (sorter) sorted = term::made(make_take(sorted.get(), sorter, 0));
  return count_before(sorted, term(std::move(given)), side == search_side::right).take();
}

node* make_digitize(handle given, handle of, bool right) {
  const term values(std::move(given)), bins(std::move(of));
  require_one_axis(bins, "digitize by");
  const std::int64_t n = bins.extent(0);
  if (n == 0) return count_before(bins, values, !right).take();
  const term falls = bins.at(0, 0) > bins.at(0, n - 1);
  const term count = count_before(bins, values, !right, &falls);
  return choose(falls, n - count, count).take();
}

namespace {

// Of a function that repeats: within one period, in order, and with a point of the next one on each side.
void within_one_period(term& x, term& xp, term& fp, const optional_number& given) {
  const double period = std::abs(term::of_bits(given.type, given.bits).bits_as(dtype::float64).as_double);
  if (!(period > 0 && period <= std::numeric_limits<double>::max()))
    throw error(message("sinter: interp with a period of %g", period).c_str());
  x = x % period;
  const term folded = xp % period, order(runtime::make_argsort_call(folded, false));
  xp = taken(folded, order), fp = taken(fp, order);
  const auto first = [](const term& t) { return t.along(0, slice(0, 1)); };
  const auto last = [](const term& t) { return t.along(0, slice(t.extent(0) - 1, t.extent(0))); };
  // Made arrays, or every step of every search would join them again.
  xp = runtime::evaluated(runtime::joined({last(xp) - period, xp, first(xp) + period}, 0));
  fp = runtime::evaluated(runtime::joined({last(fp), fp, first(fp)}, 0));
}

}  // namespace

node* make_interp(handle at, handle places, handle given, dtype type, const interp_options& how) {
  term x = astype(term(std::move(at)), dtype::float64);
  term xp = astype(term(std::move(places)), dtype::float64), fp = astype(term(std::move(given)), type);
  require_one_axis(xp, "interp over");
  if (!(xp.extents() == fp.extents()) || xp.extent(0) == 0)
    throw shape_error(message("sinter: interp between values of shape %s at places of shape %s",
                              to_string(fp.extents()).c_str(), to_string(xp.extents()).c_str())
                          .c_str());
  if (how.period) within_one_period(x, xp, fp, how.period);
  if (type == dtype::float64 && runtime::has_search_call(xp, x)) {
    const auto number = [](const optional_number& o) {
      return o ? std::optional(term::of_bits(o.type, o.bits).bits_as(dtype::float64).as_double) : std::nullopt;
    };
    return term(runtime::make_interpolation_call(x, xp, fp, number(how.left), number(how.right))).take();
  }
  const std::int64_t n = xp.extent(0);
  const auto outside = [&](const optional_number& o, std::int64_t end) {
    return o ? number_node(term::of_bits(o.type, o.bits), type) : fp.at(0, end);
  };
  const term left = outside(how.left, 0), right = outside(how.right, n - 1);
  const term low = xp.at(0, 0), high = xp.at(0, n - 1);
  term inside = fp.at(0, n - 1);
  if (n > 1) {
    const term count = count_before(xp, x, true);
    const term j = apply(op::clip, {count - 1, 0, n - 2});
    const term x0 = taken(xp, j), x1 = taken(xp, j + 1), y0 = taken(fp, j), y1 = taken(fp, j + 1);
    const term slope = (y1 - y0) / (x1 - x0);
    const term from_left = slope * (x - x0) + y0, from_right = slope * (x - x1) + y1;
    // An infinite value on one side has no slope: as NumPy tries, from the other side, and where both are one.
    const term either = choose(apply(op::isnan, {from_left}),
                               choose(apply(op::isnan, {from_right}) & (y0 == y1), y0, from_right), from_left);
    inside = choose(x == high, inside, choose(x == x0, y0, either));
  }
  const term within = choose(x < low, left, choose(x > high, right, inside));
  return choose(x != x, astype(x, type), within).take();
}

}  // namespace sinter::detail
