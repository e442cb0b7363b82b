// Sums of products and norms. Products of matrices are elsewhere: these read each operand once for each result.
#include <sinter/products.hpp>

#include <algorithm>
#include <cmath>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"
#include "runtime/library/products.hpp"
#include "runtime/library/solver_calls.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::choose, runtime::fold, runtime::one_axis, runtime::sum_of_products,
    runtime::throw_unequal, runtime::term;

node* make_vecdot(handle first, handle second, bool conjugates, std::int64_t given) {
  term a(std::move(first));
  const term b(std::move(second));
  if (a.rank() == 0 || b.rank() == 0) throw_unequal("vecdot", a, b);
  // From the end, as they broadcast.
  const int back = std::min(a.rank(), b.rank()), axis = runtime::checked_axis(given, back, "vecdot") - back;
  if (a.extent(a.rank() + axis) != b.extent(b.rank() + axis)) throw_unequal("vecdot", a, b);
  if (conjugates && is_complex(a.type())) a = apply(op::conjugate, {a});
  return sum_of_products(a, b, axis).take();
}

node* make_inner(handle first, handle second) {
  const term a(std::move(first)), b(std::move(second));
  if (a.rank() == 0 || b.rank() == 0) return (a * b).take();
  if (a.extent(a.rank() - 1) != b.extent(b.rank() - 1)) throw_unequal("inner", a, b);
  if (a.rank() == 1 || b.rank() == 1) return sum_of_products(a, b, -1).take();
  return make_tensordot(a.held(), b.held(), one_axis(-1), one_axis(-1));  // each with each: a product of matrices
}

node* make_outer(handle first, handle second) {
  const term a = term(std::move(first)).flat(), b = term(std::move(second)).flat();
  // Each row reads all of b, whose neighbours may lie far apart. A complex -0 would not stay one.
  constexpr std::int64_t few_rows = 16;
  const array_node* const of = runtime::as_array_node(b.get());
  const bool lies_apart = of && !of->contiguous && a.extent(0) > few_rows && !is_complex(b.type());
  return (a.with_axis(1) * (lies_apart ? runtime::computed(b) : b)).take();
}

namespace {

using order = linalg::norm_order;

[[noreturn]] void throw_unknown_order() {
  throw error("sinter: orders of matrix norms are \"fro\", \"nuc\", 1, -1, 2, -2 and both infinities");
}

// The largest, which is 0 where there is none, or the smallest.
term extreme(const order& o, const term& sizes, const axis_list& axes, bool keepdims) {
  if (o.power < 0) return fold(reduction::min, sizes, axes, keepdims);
  if (sizes.extents().elements() > 0) return fold(reduction::max, sizes, axes, keepdims);
  const shape left = reduced_shape(sizes.extents(), axis_mask(axes, sizes.extents()), keepdims);
  return runtime::number_node(0, sizes.type()).broadcast_to(left);
}

bool is_square_root(const order& o) { return o.what != order::number || o.power == 2; }

// The norm over axes that are taken as one, of elements that are floating; sums of short numbers are of floats.
term vector_norm(const term& x, const order& o, const axis_list& axes, bool keepdims) {
  if (is_square_root(o)) {
    term squares = apply(op::square, {apply(op::real, {x})});
    if (is_complex(x.type())) squares = squares + apply(op::square, {apply(op::imag, {x})});
    return apply(op::sqrt, {fold(reduction::sum, squares, axes, keepdims)});
  }
  const term size = apply(op::absolute, {x});
  if (std::isinf(o.power)) return extreme(o, size, axes, keepdims);
  if (o.power == 0) return astype(fold(reduction::sum, size != 0, axes, keepdims), size.type());
  if (o.power == 1) return fold(reduction::sum, size, axes, keepdims);
  return apply(op::power, {fold(reduction::sum, apply(op::power, {size, o.power}), axes, keepdims), 1 / o.power});
}

// Of singular values: their sum, or one of their ends.
term norm_of_values(const term& x, const order& o, int row, int column, bool keepdims) {
  const term matrices = term::made(make_moved(x.get(), {2, {row, column}}, {2, {-2, -1}}));
  const term s = runtime::singular_values(matrices);
  const axis_list last = one_axis(-1);
  const term norm = o.what == order::nuclear ? fold(reduction::sum, s, last, false) : extreme(o, s, last, false);
  return keepdims ? term::made(make_expanded(norm.get(), {2, {row, column}})) : norm;
}

// Extremes of the sums of columns (1) and rows (infinity).
term matrix_norm(const term& x, const order& o, int row, int column, bool keepdims) {
  if (o.what == order::frobenius || o.what == order::none) return vector_norm(x, {}, {2, {row, column}}, keepdims);
  if (o.what == order::nuclear || std::abs(o.power) == 2) return norm_of_values(x, o, row, column, keepdims);
  const bool of_rows = std::isinf(o.power);
  if (!of_rows && std::abs(o.power) != 1) throw_unknown_order();
  const term sums = fold(reduction::sum, apply(op::absolute, {x}), one_axis(of_rows ? column : row), true);
  return extreme(o, sums, {2, {row, column}}, keepdims);
}

}  // namespace

node* make_norm(handle of, norm_of what, const linalg::norm_options& how) {
  const term given(std::move(of));
  const int rank = given.rank();
  const dtype result = variance_dtype(given.type());
  const term x = astype(given, widened(mean_dtype(given.type())));
  if (!how.ord.is_known) throw_unknown_order();
  const axis_list& axes = how.axis.list();
  for (int i = 0; i < axes.count; ++i) runtime::checked_axis(axes.axes[i], rank, "a norm");
  const bool is_plain = what == norm_of::any && how.ord.what == order::none;
  const int count = axes.count < 0 ? (what == norm_of::matrices ? 2 : rank) : axes.count;
  const bool as_matrix = what == norm_of::matrices || (what == norm_of::any && !is_plain && count == 2);
  if (what == norm_of::any && !is_plain && count != 1 && count != 2)
    throw shape_error(message("sinter: a norm of an order goes over one axis or two, not %d of shape %s", count,
                              to_string(given.extents()).c_str())
                          .c_str());
  if (!as_matrix) {
    if (how.ord.what == order::frobenius || how.ord.what == order::nuclear)
      throw error("sinter: \"fro\" and \"nuc\" are norms of matrices");
    return astype(vector_norm(x, how.ord, axes, how.keepdims), result).take();
  }
  const std::int64_t first = axes.count < 0 ? -2 : axes.axes[0], second = axes.count < 0 ? -1 : axes.axes[1];
  const int row = runtime::checked_axis(first, rank, "a norm"), column = runtime::checked_axis(second, rank, "a norm");
  if (row == column) throw shape_error("sinter: a norm names an axis twice");
  return astype(matrix_norm(x, how.ord, row, column, how.keepdims), result).take();
}

}  // namespace sinter::detail
