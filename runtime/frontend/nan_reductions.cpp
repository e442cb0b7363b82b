#include <sinter/nan_reductions.hpp>

#include <complex>
#include <limits>

#include "runtime/frontend/terms.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::choose, runtime::fold, runtime::term;

namespace {

bool has_nan(const term& t) { return kind_of(t.type()) >= kind::floating; }
term is_number(const term& t) { return !apply(op::isnan, {t}); }
bool is_max(reduction what) { return what == reduction::max || what == reduction::argmax; }

double infinite(reduction what) {
  const double infinity = std::numeric_limits<double>::infinity();
  return is_max(what) ? -infinity : infinity;
}
// What every number stands in for, of a fold of extremes.
term worst(reduction what, dtype t) {
  const double part = infinite(what);
  return astype(is_complex(t) ? term(std::complex<double>(part, part)) : term(part), t);
}

}  // namespace

reduce_options without_nan(node* of, const reduce_options& how) {
  const term elements = term::of(of);
  if (!has_nan(elements)) return how;
  reduce_options all = how;
  term numbers = is_number(elements);
  if (how.where) numbers = numbers & term::of(how.where.get()).broadcast_to(elements.extents());
  all.where = lazy<bool>(numbers.take());
  return all;
}

node* make_replaced_nan(handle of, double by) {
  const term elements(std::move(of));
  if (!has_nan(elements)) return elements.take();
  return choose(is_number(elements), elements, astype(by, elements.type())).take();
}

node* make_nan_extreme(handle of, reduction what, const reduce_options& how) {
  const term elements(std::move(of));
  const dtype type = elements.type();
  if (!has_nan(elements)) return make_reduction(elements.held(), what, type, how);
  const reduce_options numbers = without_nan(elements.get(), how);
  if (how.initial) return make_reduction(elements.held(), what, type, numbers);
  const term mask = term::of(numbers.where.get());
  const axis_list& axes = how.axis.list();
  const term found = fold(what, choose(mask, elements, worst(what, type)), axes, how.keepdims);
  const term any = fold(reduction::any, mask, axes, how.keepdims);
  return choose(any, found, astype(std::numeric_limits<double>::quiet_NaN(), type)).take();
}

node* make_nan_position(handle of, reduction what, const reduce_options& how) {
  const term elements(std::move(of));
  if (!has_nan(elements)) return make_reduction(elements.held(), what, dtype::int64, how);
  // As NumPy has it, complex or not: an infinity without an imaginary part.
  const term numbers = choose(is_number(elements), elements, astype(infinite(what), elements.type()));
  return make_reduction(numbers.held(), what, dtype::int64, how);
}

node* make_nan_variance(handle of, dtype type, const reduce_options& how, bool root) {
  const term elements(std::move(of));
  const reduce_options numbers = without_nan(elements.get(), how);
  const term variance = term::made(make_variance(elements.held(), type, numbers, root));
  if (!numbers.where) return variance.take();
  const term mask = term::of(numbers.where.get()).broadcast_to(elements.extents());
  const term count = fold(reduction::sum, mask, how.axis.list(), how.keepdims);
  return choose(count > how.ddof, variance, astype(std::numeric_limits<double>::quiet_NaN(), type)).take();
}

}  // namespace sinter::detail
