// Products of vectors and matrices, and norms: what needs no decomposition. Those of vectors are folds of expressions, so that operands
// and what follows are computed in their kernel; those of matrices are calls of a library.
#pragma once

#include <sinter/join.hpp>
#include <sinter/rearrange.hpp>

namespace sinter {

namespace linalg {

/// Which norm: none given, a number (infinity too), "fro" or "nuc".
class norm_order {
 public:
  enum kind : unsigned char { none, number, frobenius, nuclear };
  constexpr norm_order() = default;
  template <class V>
    requires std::is_arithmetic_v<V>
  constexpr norm_order(V p) : power(static_cast<double>(p)), what(number) {}
  constexpr norm_order(const char* name)
      : what(name[0] == 'n' ? nuclear : frobenius), is_known(spells("fro", name) || spells("nuc", name)) {}
  double power = 2;
  kind what = none;
  bool is_known = true;

 private:
  static constexpr bool spells(const char* word, const char* name) {
    while (*word && *word == *name) ++word, ++name;
    return *word == *name;
  }
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
SINTER_API node* make_matmul(handle a, handle b);
SINTER_API node* make_dot(handle a, handle b);
SINTER_API node* make_matvec(handle matrices, handle vectors);
SINTER_API node* make_vecmat(handle vectors, handle matrices);
SINTER_API node* make_tensordot(handle a, handle b, const axis_list& of_a, const axis_list& of_b);
SINTER_API node* make_tensordot(handle a, handle b, std::int64_t count);
SINTER_API node* make_matrix_power(handle, std::int64_t);
SINTER_API node* make_multi_dot(node* const*, std::size_t count);
SINTER_API node* make_einsum(const char* subscripts, node* const*, std::size_t count);

/// What is wrong with the subscripts of an einsum over so many operands; null: nothing that can be seen without them.
constexpr const char* fault_of_subscripts(const char* text, std::size_t operands) {
  std::size_t commas = 0;
  bool arrow = false;
  for (const char* c = text; *c; ++c) {
    const bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
    if (letter || *c == ' ') continue;
    if (*c == ',' && !arrow) ++commas;
    else if (*c == '-' && c[1] == '>' && !arrow) arrow = true, ++c;
    else if (*c == '.' && c[1] == '.' && c[2] == '.') c += 2;
    else return "subscripts are letters, commas, an ellipsis and one arrow";
  }
  return commas + 1 == operands ? nullptr : "as many lists of labels as operands are wanted";
}
[[noreturn]] SINTER_API void throw_wrong_subscripts(const char* text, const char* what);

/// Checked when compiled where they are a literal.
template <std::size_t operands>
class subscripts {
 public:
  template <std::size_t length>
  consteval subscripts(const char (&literal)[length]) : text(literal) {
    if (fault_of_subscripts(text, operands)) throw "sinter: einsum: these subscripts do not fit the operands";
  }
  template <class S>
    requires requires(const S& s) { s.c_str(); }
  subscripts(const S& given) : text(given.c_str()) {
    if (const char* const what = fault_of_subscripts(text, operands)) throw_wrong_subscripts(text, what);
  }
  const char* text;
};
SINTER_API node* make_outer(handle a, handle b);
enum class norm_of : unsigned char { any, vectors, matrices };
SINTER_API node* make_norm(handle, norm_of, const linalg::norm_options&);

template <class A, class B>
using product_of = result_type<element_in<A>, element_in<B>>;
/// The dtype of norms: that of the parts of floating elements, else double.
template <class E>
using norm_type = typename element_of<variance_dtype(dtype_of<element_in<E>>)>::type;

}  // namespace detail

/// The product of matrices: of those in the last two axes, one with one. Shapes: (..., m, k) and (..., k, n) give (..., m, n), where
/// the axes before broadcast; an operand of one axis is a row on the left and a column on the right, whose axis is not in the result.
/// Dtypes: what the operands promote to. Numbers of 16 bits are added up in float; integers wrap; of bool it is whether any product
/// is true. Errors: `shape_error`. Stream behaviour: matrices are multiplied by a library, OpenBLAS or cuBLAS, between the kernels of
/// what surrounds them; products with vectors and of small matrices are in these kernels. Source: numpy.matmul.
template <detail::expression A, detail::expression B = array<detail::element_in<A>>>
auto matmul(A&& a, B&& b) {
  detail::handle x(detail::take_node(std::forward<A>(a))), y(detail::take_node(std::forward<B>(b)));
  return lazy<detail::product_of<A, B>>(detail::make_matmul(std::move(x), std::move(y)));
}
/// As matmul, but for operands of more axes: over the last axis of one and the last but one of the other, with the other axes of both
/// in the result; a number multiplies. Source: numpy.dot.
template <detail::expression A, detail::expression B = array<detail::element_in<A>>>
auto dot(A&& a, B&& b) {
  detail::handle x(detail::take_node(std::forward<A>(a))), y(detail::take_node(std::forward<B>(b)));
  return lazy<detail::product_of<A, B>>(detail::make_dot(std::move(x), std::move(y)));
}
/// A number times each element.
template <detail::expression A, arithmetic B>
auto dot(A&& a, B b) {
  return std::forward<A>(a) * b;
}
/// A number times each element, the number first.
template <arithmetic A, detail::expression B>
auto dot(A a, B&& b) {
  return a * std::forward<B>(b);
}
/// Each matrix times the vector beside it. Shapes: (..., m, k) and (..., k) give (..., m). Source: numpy.matvec.
template <detail::expression A, detail::expression B = array<detail::element_in<A>>>
auto matvec(A&& matrices, B&& vectors) {
  detail::handle x(detail::take_node(std::forward<A>(matrices))), y(detail::take_node(std::forward<B>(vectors)));
  return lazy<detail::product_of<A, B>>(detail::make_matvec(std::move(x), std::move(y)));
}
/// Each vector, conjugated, times the matrix beside it. Shapes: (..., k) and (..., k, n) give (..., n). Source: numpy.vecmat.
template <detail::expression A, detail::expression B = array<detail::element_in<A>>>
auto vecmat(A&& vectors, B&& matrices) {
  detail::handle x(detail::take_node(std::forward<A>(vectors))), y(detail::take_node(std::forward<B>(matrices)));
  return lazy<detail::product_of<A, B>>(detail::make_vecmat(std::move(x), std::move(y)));
}
/// The sums of products over axes of both: `tensordot(a, b, {1, 2}, {0, 1})`. Shapes: the other axes of one, then those of the other.
/// Dtypes and stream behaviour: as matmul. Errors: `shape_error`. Source: numpy.tensordot.
template <detail::expression A, detail::expression B>
auto tensordot(A&& a, B&& b, axes of_a, axes of_b) {
  detail::handle x(detail::take_node(std::forward<A>(a))), y(detail::take_node(std::forward<B>(b)));
  return lazy<detail::product_of<A, B>>(detail::make_tensordot(std::move(x), std::move(y), of_a.list(), of_b.list()));
}
/// As NumPy writes it: `tensordot(a, b, {{1, 2}, {0, 1}})`.
template <detail::expression A, detail::expression B>
auto tensordot(A&& a, B&& b, const axes (&of_both)[2]) {
  return sinter::tensordot(std::forward<A>(a), std::forward<B>(b), of_both[0], of_both[1]);
}
/// Over so many last axes of one and first of the other.
template <detail::expression A, detail::expression B>
auto tensordot(A&& a, B&& b, detail::integer count = 2) {
  detail::handle x(detail::take_node(std::forward<A>(a))), y(detail::take_node(std::forward<B>(b)));
  return lazy<detail::product_of<A, B>>(detail::make_tensordot(std::move(x), std::move(y), count));
}
/// The sums of products by labels of axes: `einsum("bij,bjk->bik", a, b)`. What several operands share and the result does not have is
/// added up; a label that stands twice in one is a diagonal. Shapes: without an arrow the result has the labels that stand once, in
/// alphabetical order; an ellipsis stands for axes without labels, which broadcast. Dtypes: what the operands promote to, in which
/// integers wrap. Errors: a literal that does not fit is refused when compiled; `shape_error`, `error`. Stream behaviour: products of
/// matrices as in matmul, of more than two operands the cheapest first; what is left is fused. Source: numpy.einsum.
template <detail::expression... E>
auto einsum(detail::subscripts<sizeof...(E)> labels, E&&... operands) {
  const detail::handle held[] = {detail::handle(detail::take_node(std::forward<E>(operands)))...};
  detail::node* nodes[sizeof...(E)];
  for (std::size_t i = 0; i < sizeof...(E); ++i) nodes[i] = held[i].get();
  return lazy<detail::promoted<E...>>(detail::make_einsum(labels.text, nodes, sizeof...(E)));
}
/// The sums of products along an axis, the first operand conjugated. Shapes: the operands broadcast, the axis goes. Dtypes: what the
/// operands promote to, in which integers wrap. Errors: `shape_error`. Source: numpy.vecdot.
template <detail::expression A, detail::expression B = array<detail::element_in<A>>>
auto vecdot(A&& a, B&& b, detail::integer axis = -1) {
  detail::handle x(detail::take_node(std::forward<A>(a))), y(detail::take_node(std::forward<B>(b)));
  return lazy<detail::product_of<A, B>>(detail::make_vecdot(std::move(x), std::move(y), true, axis));
}
/// Of all elements in C order. Source: numpy.vdot.
template <detail::expression A, detail::expression B = array<detail::element_in<A>>>
auto vdot(A&& a, B&& b) {
  return vecdot(std::forward<A>(a).ravel(), std::forward<B>(b).ravel());
}
/// The sums of products along the last axes, of each row of one with each row of the other; nothing is conjugated. Shapes: those of
/// both without their last axes. Source: numpy.inner.
template <detail::expression A, detail::expression B = array<detail::element_in<A>>>
auto inner(A&& a, B&& b) {
  detail::handle x(detail::take_node(std::forward<A>(a))), y(detail::take_node(std::forward<B>(b)));
  return lazy<detail::product_of<A, B>>(detail::make_inner(std::move(x), std::move(y)));
}
/// Every element of one times every one of the other, both flattened. Source: numpy.outer.
template <detail::expression A, detail::expression B = array<detail::element_in<A>>>
auto outer(A&& a, B&& b) {
  detail::handle x(detail::take_node(std::forward<A>(a))), y(detail::take_node(std::forward<B>(b)));
  return lazy<detail::product_of<A, B>>(detail::make_outer(std::move(x), std::move(y)));
}

namespace linalg {

/// A norm. Without an order the root of the sum of squares, over all axes where none is named. With one and no axis: of one axis a
/// vector's, of two a matrix's. Orders of vectors: infinity, -infinity, 0, any number; of matrices: "fro", 1, -1, infinity,
/// -infinity, and of their singular values "nuc", the sum, 2, the largest, and -2, the smallest. Dtypes: that of the elements' parts, or double for integers; numbers of 16 bits are added up in float. Errors:
/// `shape_error`; `error` for other orders; as of `svdvals`. Source: numpy.linalg.norm.
template <sinter::detail::expression E>
auto norm(E&& e, const norm_options& how = {}) {
  using namespace sinter::detail;
  return lazy<norm_type<E>>(make_norm(handle(take_node(std::forward<E>(e))), norm_of::any, how));
}
/// The order and the axes as NumPy takes them: `norm(a, 1, 0)`, `norm(a, "nuc")`.
template <sinter::detail::expression E, std::convertible_to<norm_order> Order>
auto norm(E&& e, const Order& ord, const axes& axis = axes::all()) {
  return norm(std::forward<E>(e), norm_options{.ord = ord, .axis = axis});
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
/// A square matrix times itself, so often, or its inverse. Shapes: (..., n, n). Errors: `shape_error`; `dtype_error` for the inverse of
/// integers; `linalg_error`. Source: numpy.linalg.matrix_power.
template <sinter::detail::expression E>
auto matrix_power(E&& e, sinter::detail::integer n) {
  using namespace sinter::detail;
  return lazy<element_in<E>>(make_matrix_power(handle(take_node(std::forward<E>(e))), n));
}
/// The product of several matrices in the order that takes the fewest operations. Shapes: of two axes; the first and the last may be
/// vectors. Errors: `shape_error`. Source: numpy.linalg.multi_dot.
template <sinter::detail::expression... E>
  requires(sizeof...(E) > 0)
auto multi_dot(E&&... operands) {
  using namespace sinter::detail;
  const handle held[] = {handle(take_node(std::forward<E>(operands)))...};
  node* nodes[sizeof...(E)];
  for (std::size_t i = 0; i < sizeof...(E); ++i) nodes[i] = held[i].get();
  return lazy<promoted<E...>>(make_multi_dot(nodes, sizeof...(E)));
}
/// Of a list of arrays, as NumPy has it: `multi_dot({a, b, c})`.
template <class T>
lazy<T> multi_dot(std::initializer_list<array<T>> operands) {
  const sinter::detail::join_list<T> all(operands.begin(), operands.size());
  return lazy<T>(sinter::detail::make_multi_dot(all.nodes(), all.size()));
}
using sinter::matmul;
using sinter::outer;
using sinter::tensordot;
using sinter::vecdot;

}  // namespace linalg
}  // namespace sinter
