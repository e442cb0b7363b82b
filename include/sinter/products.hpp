// Sums of products, and norms: whatever needs no decomposition. They are folds of expressions, so that operands and what follows
// are computed in their kernel.
#pragma once

#include <sinter/rearrange.hpp>

namespace sinter {

namespace linalg {

/// Which norm: none given, a number (infinity too), or "fro".
class norm_order {
 public:
  enum kind : unsigned char { none, number, frobenius };
  constexpr norm_order() = default;
  template <class V>
    requires std::is_arithmetic_v<V>
  constexpr norm_order(V p) : power(static_cast<double>(p)), what(number) {}
  constexpr norm_order(const char* name)
      : what(frobenius), is_known(name[0] == 'f' && name[1] == 'r' && name[2] == 'o' && !name[3]) {}
  double power = 2;
  kind what = none;
  bool is_known = true;
};

/// How to take a norm: `norm(a, {.ord = 1, .axis = 0})`.
struct norm_options {
  norm_order ord{};
  axes axis = axes::all();
  sinter::detail::truth keepdims = false;
};

}  // namespace linalg

namespace detail {

/// The sum of products, in the dtype that the operands promote to, as NumPy's products have it; of bool whether any is true.
SINTER_API node* make_vecdot(handle a, handle b, bool conjugates, std::int64_t axis);
SINTER_API node* make_inner(handle a, handle b);
SINTER_API node* make_outer(handle a, handle b);
enum class norm_of : unsigned char { any, vectors, matrices };
SINTER_API node* make_norm(handle, norm_of, const linalg::norm_options&);

template <class A, class B>
using product_of = result_type<element_in<A>, element_in<B>>;
/// The dtype of norms: that of the parts of floating elements, else double.
template <class E>
using norm_type = typename element_of<variance_dtype(dtype_of<element_in<E>>)>::type;

}  // namespace detail

/// The sums of products along an axis, the first operand conjugated. Shapes: the operands broadcast, the axis goes. Dtypes: what the
/// operands promote to, in which integers wrap. Errors: `shape_error`. Source: numpy.vecdot.
template <detail::expression A, detail::expression B>
auto vecdot(A&& a, B&& b, detail::integer axis = -1) {
  detail::handle x(detail::take_node(std::forward<A>(a))), y(detail::take_node(std::forward<B>(b)));
  return lazy<detail::product_of<A, B>>(detail::make_vecdot(std::move(x), std::move(y), true, axis));
}
/// Of all elements in C order. Source: numpy.vdot.
template <detail::expression A, detail::expression B>
auto vdot(A&& a, B&& b) {
  return vecdot(std::forward<A>(a).ravel(), std::forward<B>(b).ravel());
}
/// The sums of products along the last axes, of each row of one with each row of the other; nothing is conjugated. Shapes: those of
/// both without their last axes. Source: numpy.inner.
template <detail::expression A, detail::expression B>
auto inner(A&& a, B&& b) {
  detail::handle x(detail::take_node(std::forward<A>(a))), y(detail::take_node(std::forward<B>(b)));
  return lazy<detail::product_of<A, B>>(detail::make_inner(std::move(x), std::move(y)));
}
/// Every element of one times every one of the other, both flattened. Source: numpy.outer.
template <detail::expression A, detail::expression B>
auto outer(A&& a, B&& b) {
  detail::handle x(detail::take_node(std::forward<A>(a))), y(detail::take_node(std::forward<B>(b)));
  return lazy<detail::product_of<A, B>>(detail::make_outer(std::move(x), std::move(y)));
}

namespace linalg {

/// A norm. Without an order the root of the sum of squares, over all axes where none is named. With one and no axis: of one axis a
/// vector's, of two a matrix's. Orders of vectors: infinity, -infinity, 0, any number; of matrices: "fro", 1, -1, infinity,
/// -infinity. Dtypes: that of the elements' parts, or double for integers; numbers of 16 bits are added up in float. Errors:
/// `shape_error`; `error` for orders that need singular values. Source: numpy.linalg.norm.
template <sinter::detail::expression E>
auto norm(E&& e, const norm_options& how = {}) {
  using namespace sinter::detail;
  return lazy<norm_type<E>>(make_norm(handle(take_node(std::forward<E>(e))), norm_of::any, how));
}
/// The norm of vectors along axes that are taken as one. Source: numpy.linalg.vector_norm.
template <sinter::detail::expression E>
auto vector_norm(E&& e, const norm_options& how = {}) {
  using namespace sinter::detail;
  return lazy<norm_type<E>>(make_norm(handle(take_node(std::forward<E>(e))), norm_of::vectors, how));
}
/// The norm of the matrices in the last two axes; Frobenius' where no order is given. Source: numpy.linalg.matrix_norm.
template <sinter::detail::expression E>
auto matrix_norm(E&& e, const norm_options& how = {}) {
  using namespace sinter::detail;
  return lazy<norm_type<E>>(make_norm(handle(take_node(std::forward<E>(e))), norm_of::matrices, how));
}
/// The sums along the diagonals of the last two axes. Source: numpy.linalg.trace.
template <sinter::detail::choice R = void, sinter::detail::expression E>
auto trace(E&& e, sinter::detail::integer offset = 0) {
  return sinter::trace<R>(std::forward<E>(e), offset, -2, -1);
}
using sinter::outer;
using sinter::vecdot;

}  // namespace linalg
}  // namespace sinter
