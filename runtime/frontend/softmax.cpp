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
term pivot_of(const term& x, const axis_list& axes) {
  const term largest = fold(reduction::max, x, axes, true);
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
  const term pivot = pivot_of(x, axes);
  term exponentials = exp(x - pivot);
  if (is_weighted) exponentials = b * exponentials;
  const term sum = log(fold(reduction::sum, exponentials, axes, how.keepdims));
  // The axes of the pivot have one element each: its sum over them is itself.
  const term back = how.keepdims ? pivot : fold(reduction::sum, pivot, axes, false);
  return astype(sum + back, type).take();
}

node* make_softmax(handle of, dtype type, softmax_of what, const axis_list& axes) {
  const term x = floating(std::move(of), type);
  const term from_pivot =
      x - (what == softmax_of::exponentials ? fold(reduction::max, x, axes, true) : pivot_of(x, axes));
  const term exponentials = exp(from_pivot), sum = fold(reduction::sum, exponentials, axes, true);
  return astype(what == softmax_of::exponentials ? exponentials / sum : from_pivot - log(sum), type).take();
}

}  // namespace sinter::detail
