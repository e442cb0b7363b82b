#include <sinter/softmax.hpp>

#include <limits>

#include <sinter/error.hpp>

#include "codegen/ir/broadcast.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::choose, runtime::fold, runtime::term;

namespace {

term exp(const term& x) { return apply(op::exp, {x}); }
term log(const term& x) { return apply(op::log, {x}); }

// What is taken away before exponentials are: the largest, where that is a number.
term pivot_of(const term& x, const axis_list& axes, bool keepdims) {
  if (x.extents().elements() == 0 && reduced_count(x.get(), axes) == 0) return 0;
  const term largest = fold(reduction::max, x, axes, keepdims);
  return choose(apply(op::isfinite, {largest}), largest, 0);
}

term floating(handle of, dtype type) {
  if (is_complex(type)) throw dtype_error("sinter: exponentials over their sum are of real numbers");
  return astype(term(std::move(of)), widened(type));
}

}  // namespace

node* make_logsumexp(handle of, handle weights, dtype type, const reduce_options& how) {
  term x = floating(std::move(of), type), b = x;
  const bool is_weighted = static_cast<bool>(weights);
  if (is_weighted) {
    b = astype(term(std::move(weights)), x.type());
    shape both = x.extents();
    if (codegen::broadcast(both, b.extents())) x = x.broadcast_to(both), b = b.broadcast_to(both);
    x = choose(b == 0, -std::numeric_limits<double>::infinity(), x);
  }
  if (how.where)
    x = choose(term::of(how.where.get()).broadcast_to(x.extents()), x, -std::numeric_limits<double>::infinity());
  const axis_list& axes = how.axis.list();
  const term pivot = pivot_of(x, axes, true);
  term exponentials = exp(x - pivot);
  if (is_weighted) exponentials = b * exponentials;
  // The largest is folded in the shape of the result too: what has that shape is computed where the rows are.
  const term sum = fold(reduction::sum, exponentials, axes, how.keepdims);
  return astype(log(sum) + pivot_of(x, axes, how.keepdims), type).take();
}

node* make_softmax(handle of, dtype type, softmax_of what, const axis_list& axes) {
  const term x = floating(std::move(of), type);
  const term from_pivot =
      x - (what == softmax_of::exponentials ? fold(reduction::max, x, axes, true) : pivot_of(x, axes, true));
  const term exponentials = exp(from_pivot), sum = fold(reduction::sum, exponentials, axes, true);
  return astype(what == softmax_of::exponentials ? exponentials / sum : from_pivot - log(sum), type).take();
}

}  // namespace sinter::detail
