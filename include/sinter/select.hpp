// Which elements: the places where something is true, choices by condition and by index, and arrays of indices that name whole
// triangles, diagonals and grids. `a(nonzero(m))`, `a(ix_(r, c))` and `a(tril_indices(n))` take them as an index list.
#pragma once

#include <array>

#include <sinter/create.hpp>
#include <sinter/gather.hpp>
#include <sinter/join.hpp>

namespace sinter {

namespace detail {
SINTER_API node* make_flat_nonzero(node*);
SINTER_API std::vector<handle> make_unraveled(node* flat, const shape&);
SINTER_API node* make_compressed(node*, node* condition, std::int64_t axis);
SINTER_API node* make_raveled(node* const* indices, std::size_t count, const shape&, index_mode);
SINTER_API node* make_chosen(node* index, node* const* parts, std::size_t count, index_mode);
SINTER_API node* make_selected(node* const* conditions, std::size_t count, node* const* parts, std::size_t part_count,
                               node* otherwise);

[[noreturn]] SINTER_API void throw_not_one_axis(const char* what, const shape&);

using places = array<std::int64_t>;
using indices = lazy<std::int64_t>;

/// Of two axes.
SINTER_API std::array<places, 2> places_in_matrix(node*);

template <class K, class List>
lazy<typename List::value_type> chosen_among(K&& which, const List& all, index_mode mode) {
  if constexpr (mask_array<K>) return chosen_among(sinter::astype<std::uint8_t>(std::forward<K>(which)), all, mode);
  else
    return lazy<typename List::value_type>(
        make_chosen(node_of(std::forward<K>(which)).get(), all.nodes(), all.size(), mode));
}
/// Numbers as arrays without axes, of the dtype that a number alone has.
template <class N>
auto as_scalars(std::initializer_list<N> numbers) {
  using T = typename element_of<default_of(kind_of(dtype_of<N>))>::type;
  std::vector<lazy<T>> all;
  for (const N x : numbers) all.emplace_back(full<T>({}, static_cast<T>(x)));
  return all;
}
template <class List>
indices raveled(const List& along, const shape& s, index_mode mode) {
  return indices(make_raveled(along.nodes(), along.size(), s, mode));
}
template <class List, class V>
auto selected_among(std::initializer_list<lazy<bool>> conditions, const List& choices, V&& otherwise) {
  using T = typename element_of<outcome_for<op::where, lazy<bool>, lazy<typename List::value_type>, V>.result>::type;
  node_list nodes;
  for (const lazy<bool>& c : conditions) nodes.push_back(c.share());
  return lazy<T>(make_selected(nodes.data(), nodes.size(), choices.nodes(), choices.size(),
                               part_of<T>(std::forward<V>(otherwise)).get()));
}
}  // namespace detail

/// The places of all elements other than zero, in C order: an array of int64 for each axis. Evaluates, as how many there are
/// depends on the elements. Errors: `index_error` for an array without axes. Stream behaviour: waits. Source: numpy.nonzero.
template <detail::expression E>
std::vector<detail::places> nonzero(E&& e) {
  return detail::each_as<detail::places>(detail::make_nonzero(detail::node_of(std::forward<E>(e)).get()));
}
/// The same under its other name. Source: numpy.where of one argument.
template <detail::expression M>
std::vector<detail::places> where(M&& mask) {
  return nonzero(std::forward<M>(mask));
}
/// Of an array of so many axes: `auto [row, column] = nonzero<2>(a);`. Errors: `shape_error` for one of others.
template <std::size_t axes, detail::expression E>
std::array<detail::places, axes> nonzero(E&& e) {
  const shape s = e.shape();
  return detail::each_of<axes>(s, nonzero(std::forward<E>(e)));
}
template <std::size_t axes, detail::expression M>
std::array<detail::places, axes> where(M&& mask) {
  return nonzero<axes>(std::forward<M>(mask));
}
/// Of the flattened elements. Source: numpy.flatnonzero.
template <detail::expression E>
detail::places flatnonzero(E&& e) {
  return detail::places(detail::make_flat_nonzero(detail::node_of(std::forward<E>(e)).get()));
}
/// A row of places for each element other than zero. Source: numpy.argwhere.
template <detail::expression E>
detail::places argwhere(E&& e) {
  if (e.ndim() == 0) return zeros<std::int64_t>({flatnonzero(std::forward<E>(e)).size(), std::int64_t{0}});
  return stack(nonzero(std::forward<E>(e)), 1);
}

/// The flattened elements where the flattened condition, of the same size, is true. Stream behaviour: waits. Errors: `index_error`
/// for another size. Source: numpy.extract.
template <detail::mask_array M, detail::expression A>
auto extract(M&& condition, A&& a) {
  return lazy<detail::element_in<A>>(std::forward<A>(a).ravel()(std::forward<M>(condition).ravel()));
}
/// The slices along an axis, or the flattened elements, where a condition of one axis is true; it may be shorter. Errors:
/// `index_error` where it is true beyond the end. Stream behaviour: waits. Source: numpy.compress.
template <detail::mask_array M = array<bool>, detail::expression A, class Axis = axis_options>
auto compress(M&& condition, A&& a, Axis axis) {
  const detail::handle of = detail::node_of(std::forward<A>(a)), by = detail::node_of(std::forward<M>(condition));
  return lazy<detail::element_in<A>>(detail::make_compressed(of.get(), by.get(), detail::axis_of(axis)));
}
template <detail::mask_array M, detail::expression A>
auto compress(M&& condition, A&& a) {
  return compress(std::forward<M>(condition), std::forward<A>(a).ravel(), 0);
}

/// At each point the element of one of several arrays: a list of them, or a tuple of any expressions. Shapes: all broadcast. Dtypes:
/// the one that they promote to. Errors: `index_error` at the next wait for an index that names none, where the mode does not say
/// otherwise; `shape_error`. Source: numpy.choose.
template <detail::index_or_mask K, detail::parts P>
auto choose(K&& which, P&& of, index_mode mode = index_mode::raise) {
  return detail::chosen_among(std::forward<K>(which), detail::join_of(std::forward<P>(of)), mode);
}
template <detail::index_or_mask K, detail::expression E>
auto choose(K&& which, std::initializer_list<E> of, index_mode mode = index_mode::raise) {
  return detail::chosen_among(std::forward<K>(which), detail::join_of(of), mode);
}
template <detail::index_or_mask K, arithmetic N>
auto choose(K&& which, std::initializer_list<N> of, index_mode mode = index_mode::raise) {
  return detail::chosen_among(std::forward<K>(which), detail::join_of(detail::as_scalars(of)), mode);
}

/// At each point the element of the first choice whose condition is true, or another value: `select({a < 0, a > 9}, tuple(-a, a *
/// 2), 7)`. Shapes: all broadcast. Dtypes: the one that the choices and the other value promote to. Errors: `shape_error` where
/// there are not as many choices as conditions. Source: numpy.select.
template <detail::parts P, detail::operand V = int>
auto select(std::initializer_list<lazy<bool>> conditions, P&& choices, V&& otherwise = 0) {
  return detail::selected_among(conditions, detail::join_of(std::forward<P>(choices)), std::forward<V>(otherwise));
}
template <detail::expression E, detail::operand V = int>
auto select(std::initializer_list<lazy<bool>> conditions, std::initializer_list<E> choices, V&& otherwise = 0) {
  return detail::selected_among(conditions, detail::join_of(choices), std::forward<V>(otherwise));
}
template <arithmetic N, detail::operand V = int>
auto select(std::initializer_list<lazy<bool>> conditions, std::initializer_list<N> choices, V&& otherwise = 0) {
  return detail::selected_among(conditions, detail::join_of(detail::as_scalars(choices)), std::forward<V>(otherwise));
}

namespace detail {
template <class T, class X, class F>
lazy<T> value_of_piece(const X& x, F& f) {
  if constexpr (scalar_operand<F>) return lazy<T>(part_of<T>(f).take());
  else return lazy<T>(part_of<T>(f(x)).take());
}
}  // namespace detail
/// `x` seen through a function, or as a number, for each condition; of several that are true the last counts. Where none is, the
/// value is 0, or that of one function more. Dtypes: that of `x`. Source: numpy.piecewise.
template <detail::expression X, class... F>
auto piecewise(X&& given, std::initializer_list<lazy<bool>> conditions, F&&... pieces) {
  using T = detail::element_in<X>;
  const lazy<T> x(detail::take_node(std::forward<X>(given)));
  const lazy<T> values[] = {detail::value_of_piece<T>(x, pieces)...};
  const bool has_otherwise = sizeof...(F) == conditions.size() + 1;
  lazy<T> y = has_otherwise ? values[sizeof...(F) - 1] : lazy<T>(detail::make_number(dtype_of<T>, {}));
  detail::node_list nodes, parts;
  for (std::size_t i = conditions.size(); i-- > 0;) {  // the first that is true of a reversed list
    nodes.push_back(conditions.begin()[i].share());
    if (i < sizeof...(F)) parts.push_back(values[i].share());
  }
  const std::size_t count = has_otherwise ? parts.size() : sizeof...(F);
  y = lazy<T>(detail::make_selected(nodes.data(), nodes.size(), parts.data(), count, detail::handle(y.share()).get()));
  return lazy<T>(detail::make_broadcast(detail::handle(y.share()).get(), broadcast_shapes(x.shape(), y.shape())));
}

/// The indices along each axis of elements, or of one, that are counted in C order; lazy. Errors: `index_error` at the next wait.
/// Source: numpy.unravel_index.
template <detail::index_or_indices K>
std::vector<detail::indices> unravel_index(K&& flat, const shape& s) {
  const detail::handle at = detail::node_of(detail::as_expression(std::forward<K>(flat)));
  const detail::handle checked(detail::make_in_range(at.get(), s.elements(), index_mode::raise));
  return detail::each_as<detail::indices>(detail::make_unraveled(checked.get(), s));
}
/// In a shape of so many axes: `auto [row, column] = unravel_index<2>(argmax(a), a.shape());`. Errors: `shape_error` for others.
template <std::size_t axes, detail::index_or_indices K>
std::array<detail::indices, axes> unravel_index(K&& flat, const shape& s) {
  return detail::each_of<axes>(s, unravel_index(std::forward<K>(flat), s));
}
/// How elements that are named by an index along each axis count in C order: of a list of arrays, a tuple, or what nonzero gives;
/// lazy. Errors: `shape_error` unless there is one for each axis; `index_error` at the next wait. Source: numpy.ravel_multi_index.
template <detail::parts P>
auto ravel_multi_index(P&& along, const shape& s, index_mode mode = index_mode::raise) {
  return detail::raveled(detail::join_of(std::forward<P>(along)), s, mode);
}
template <detail::expression E>
auto ravel_multi_index(std::initializer_list<E> along, const shape& s, index_mode mode = index_mode::raise) {
  return detail::raveled(detail::join_of(along), s, mode);
}
/// Of one element.
SINTER_API lazy<std::int64_t> ravel_multi_index(std::initializer_list<std::int64_t> along, const shape& s,
                                                index_mode mode = index_mode::raise);

namespace detail {
template <class X>
indices open_index(X&& x, int axis, int axes) {
  handle flat;
  if constexpr (mask_array<X>) flat = handle(make_flat_nonzero(node_of(std::forward<X>(x)).get()));
  else flat = part_of<std::int64_t>(std::forward<X>(x));
  if (shape_of(flat.get()).size() != 1) throw_not_one_axis("ix_", shape_of(flat.get()));
  std::int64_t extents[max_rank];
  for (int d = 0; d < axes; ++d) extents[d] = d == axis ? -1 : 1;
  return indices(make_reshape(flat.get(), extents, axes));
}
}  // namespace detail
/// Arrays of indices, or masks, of one axis each, as those of a grid: `a(ix_(rows, columns))`. Errors: `shape_error`. Source:
/// numpy.ix_.
template <class... X>
  requires((detail::index_array<X> || detail::mask_array<X>)&&...)
std::array<detail::indices, sizeof...(X)> ix_(X&&... x) {
  static_assert(sizeof...(X) <= max_rank, "sinter: arrays have at most 8 axes");
  int axis = 0;
  return {detail::open_index(std::forward<X>(x), axis++, sizeof...(X))...};
}
/// Of rows and columns, which may be lists: `a(ix_({0, 2}, {1, 3}))`.
inline std::array<detail::indices, 2> ix_(const array<std::int64_t>& rows, const array<std::int64_t>& columns) {
  return {detail::open_index(rows, 0, 2), detail::open_index(columns, 1, 2)};
}

/// The places of the elements on and below, or above, a diagonal of a matrix of `rows` and as many `columns`, if nothing else is
/// said. Evaluates. Stream behaviour: waits. Source: numpy.tril_indices, numpy.triu_indices.
SINTER_API std::array<detail::places, 2> tril_indices(std::int64_t rows, std::int64_t k = 0, std::int64_t columns = -1);
SINTER_API std::array<detail::places, 2> triu_indices(std::int64_t rows, std::int64_t k = 0, std::int64_t columns = -1);
/// The same for a matrix. Errors: `shape_error` unless it has two axes. Source: numpy.tril_indices_from, triu_indices_from.
template <detail::expression E>
auto tril_indices_from(const E& e, std::int64_t k = 0) {
  const auto [rows, columns] = e.template shape<2>();
  return tril_indices(rows, k, columns);
}
template <detail::expression E>
auto triu_indices_from(const E& e, std::int64_t k = 0) {
  const auto [rows, columns] = e.template shape<2>();
  return triu_indices(rows, k, columns);
}
/// The places where what a function makes of a square of ones is not zero: `mask_indices(3, [](auto m, auto k) { return triu(m, k);
/// }, 1)`. Evaluates. Source: numpy.mask_indices.
template <class F, class... K>
auto mask_indices(std::int64_t n, F&& f, const K&... k) {
  return detail::places_in_matrix(detail::node_of(f(ones<std::int64_t>({n, n}), k...)).get());
}
/// The places of the main diagonal of an array of `axes` axes of length n; lazy. Source: numpy.diag_indices.
template <std::size_t axes = 2>
std::array<detail::indices, axes> diag_indices(std::int64_t n) {
  return [&]<std::size_t... d>(std::index_sequence<d...>) {
    return std::array<detail::indices, axes>{
        (static_cast<void>(d), detail::indices(detail::make_iota(shape{n}, 0)))...};
  }
  (std::make_index_sequence<axes>());
}

SINTER_OF_AN_ARRAY(nonzero)

}  // namespace sinter
