// Other shapes of the same elements: axes dropped, added and moved, parts, windows. Of an array they are views, of an expression
// lazy; nothing is copied.
#pragma once

#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include <sinter/array.hpp>
#include <sinter/detail/rearrange.hpp>

namespace sinter {

namespace detail {

/// What a view of an E is: of an array an array.
template <class E>
using view_of = typename viewed<std::remove_cvref_t<E>, element_in<E>>::type;

template <class E>
handle node_of(E&& e) {
  return handle(take_node(std::forward<E>(e)));
}

/// An expression, or a number, as a node of element type T: as it is stored.
template <class T, class E>
handle part_of(E&& e) {
  if constexpr (scalar_operand<E>) return handle(make_number(dtype_of<T>, to_bits(stored_scalar<T>(e))));
  else if constexpr (std::same_as<element_in<E>, T>) return handle(take_node(std::forward<E>(e)));
  else return handle(take_node(astype<T>(std::forward<E>(e))));
}

/// The parts of an E, each as a view.
template <class E>
std::vector<view_of<E>> views_of(std::vector<handle> parts) {
  std::vector<view_of<E>> all;
  all.reserve(parts.size());
  for (handle& p : parts) all.push_back(view_of<E>(p.take()));
  return all;
}
[[noreturn]] SINTER_API void throw_part_count(std::size_t parts, std::size_t names);
/// Parts that a program names. Errors: `shape_error` where there are not so many.
template <std::size_t names, class T>
std::array<T, names> as_many(std::vector<T> parts) {
  if (parts.size() != names) throw_part_count(parts.size(), names);
  return [&]<std::size_t... i>(std::index_sequence<i...>) { return std::array<T, names>{std::move(parts[i])...}; }
  (std::make_index_sequence<names>());
}
template <class E>
auto split_at(E&& e, const integers& parts, std::int64_t axis, bool may_differ = false) {
  const handle of = node_of(std::forward<E>(e));
  return views_of<E>(parts.listed() ? make_parts(of.get(), parts.begin(), parts.size(), axis)
                                    : make_equal_parts(of.get(), *parts.begin(), axis, may_differ));
}

}  // namespace detail

/// Without the axes of extent one, or without some of them. Errors: `shape_error` for an axis that has another extent. Source:
/// numpy.squeeze.
template <detail::expression E>
detail::view_of<E> squeeze(E&& e, axes of = axes::all()) {
  return detail::view_of<E>(detail::make_squeezed(detail::node_of(std::forward<E>(e)).get(), of.list()));
}
/// With new axes of extent one at these places of the result. Errors: `shape_error` for a place that is not there, or named twice.
/// Source: numpy.expand_dims.
template <detail::expression E>
detail::view_of<E> expand_dims(E&& e, axes at) {
  return detail::view_of<E>(detail::make_expanded(detail::node_of(std::forward<E>(e)).get(), at.list()));
}
/// Two axes exchanged. Errors: `shape_error`. Source: numpy.swapaxes.
template <detail::expression E>
detail::view_of<E> swapaxes(E&& e, detail::integer axis1, detail::integer axis2) {
  return detail::view_of<E>(detail::make_swapped(detail::node_of(std::forward<E>(e)).get(), axis1, axis2));
}
/// Axes moved to other places; the others keep their order. Errors: `shape_error`. Source: numpy.moveaxis.
template <detail::expression E>
detail::view_of<E> moveaxis(E&& e, axes from, axes to) {
  return detail::view_of<E>(detail::make_moved(detail::node_of(std::forward<E>(e)).get(), from.list(), to.list()));
}
/// An axis moved back until it lies before another one. Errors: `shape_error`. Source: numpy.rollaxis.
template <detail::expression E>
detail::view_of<E> rollaxis(E&& e, detail::integer axis, detail::integer start = 0) {
  return detail::view_of<E>(detail::make_rolled_axis(detail::node_of(std::forward<E>(e)).get(), axis, start));
}
/// The axes in the order given: transpose under the array API's name. Source: numpy.permute_dims.
template <detail::expression E, detail::numbers_in_a_row Order = std::initializer_list<std::int64_t>>
auto permute_dims(E&& e, const Order& order) {
  return std::forward<E>(e).transpose(order);
}
/// The last two axes exchanged. Errors: `shape_error` for fewer. Source: numpy.matrix_transpose.
template <detail::expression E>
auto matrix_transpose(E&& e) {
  return swapaxes(std::forward<E>(e), -1, -2);
}
/// One axis: the method as a function. Source: numpy.ravel.
template <detail::expression E>
auto ravel(E&& e) {
  return std::forward<E>(e).ravel();
}
/// With one axis, two or three at least. New axes come first; with three, those of a matrix stay in front. Source:
/// numpy.atleast_1d, atleast_2d, atleast_3d.
template <detail::expression E>
detail::view_of<E> atleast_1d(E&& e) {
  return detail::view_of<E>(detail::make_at_least(detail::node_of(std::forward<E>(e)).get(), 1, false));
}
template <detail::expression E>
detail::view_of<E> atleast_2d(E&& e) {
  return detail::view_of<E>(detail::make_at_least(detail::node_of(std::forward<E>(e)).get(), 2, false));
}
template <detail::expression E>
detail::view_of<E> atleast_3d(E&& e) {
  return detail::view_of<E>(detail::make_at_least(detail::node_of(std::forward<E>(e)).get(), 3, false));
}

/// The shape that shapes broadcast to. Errors: `shape_error`. Source: numpy.broadcast_shapes.
template <std::convertible_to<shape>... S>
shape broadcast_shapes(const S&... s) {
  const shape all[] = {shape(), shape(s)...};
  return detail::broadcast_of(all, sizeof...(S) + 1);
}
inline shape broadcast_shapes(std::initializer_list<shape> all) {
  return detail::broadcast_of(all.begin(), all.size());
}
/// All of them repeated to the shape that they broadcast to, lazily, as a tuple. Errors: `shape_error`. Source:
/// numpy.broadcast_arrays.
template <detail::expression... E>
std::tuple<lazy<detail::element_in<E>>...> broadcast_arrays(E&&... e) {
  const shape to = broadcast_shapes(e.shape()...);
  return {lazy<detail::element_in<E>>(detail::make_broadcast(detail::node_of(std::forward<E>(e)).get(), to))...};
}

/// The parts of an axis: so many of equal length, or those between positions, `{2, 5}`, which clip as a slice's bounds do.
/// Errors: `shape_error` where it has no so many equal parts. Source: numpy.split.
template <detail::expression E, class Axis = axis_options>
auto split(E&& e, const detail::integers& parts, Axis axis = {0}) {
  return detail::split_at(std::forward<E>(e), parts, detail::axis_of(axis));
}
/// So many of them, to be named: `auto [x, y, z] = split<3>(a, 1);`.
template <std::size_t parts, detail::expression E, class Axis = axis_options>
auto split(E&& e, Axis axis = {0}) {
  return detail::as_many<parts>(split(std::forward<E>(e), static_cast<std::int64_t>(parts), axis));
}
/// The same, but the first parts may be one longer than the others. Source: numpy.array_split.
template <detail::expression E, class Axis = axis_options>
auto array_split(E&& e, const detail::integers& parts, Axis axis = {0}) {
  return detail::split_at(std::forward<E>(e), parts, detail::axis_of(axis), true);
}
/// Along the second axis, or the only one; along the first; along the third. Errors: `shape_error` for fewer axes. Source:
/// numpy.hsplit, vsplit, dsplit.
template <detail::expression E>
auto hsplit(E&& e, const detail::integers& parts) {
  return detail::split_at(std::forward<E>(e), parts, detail::split_axis(e.shape(), 1, "hsplit"));
}
template <detail::expression E>
auto vsplit(E&& e, const detail::integers& parts) {
  return detail::split_at(std::forward<E>(e), parts, detail::split_axis(e.shape(), 2, "vsplit"));
}
template <detail::expression E>
auto dsplit(E&& e, const detail::integers& parts) {
  return detail::split_at(std::forward<E>(e), parts, detail::split_axis(e.shape(), 3, "dsplit"));
}
/// The elements at each place of an axis, which has gone: `stack` undone. Errors: `shape_error`. Source: numpy.unstack.
template <detail::expression E, class Axis = axis_options>
auto unstack(E&& e, Axis axis = {0}) {
  return detail::views_of<E>(detail::make_unstacked(detail::node_of(std::forward<E>(e)).get(), detail::axis_of(axis)));
}
/// So many of them, to be named: `auto [x, y] = unstack<2>(points, 1);`. Errors: `shape_error` where there are not so many.
template <std::size_t parts, detail::expression E, class Axis = axis_options>
auto unstack(E&& e, Axis axis = {0}) {
  return detail::as_many<parts>(unstack(std::forward<E>(e), axis));
}

/// Elements of an array in any shape and with any strides, from its first one on; an element may have several places. Those of an
/// expression are strides of its value, which is computed first. Units: elements, where NumPy has bytes. Errors: `index_error`
/// where the view would leave the array; `shape_error` where there is not a stride for each axis, or where the array's own
/// elements do not lie together. Source: numpy.lib.stride_tricks.as_strided.
template <detail::expression E>
auto as_strided(E&& e, const shape& s, const detail::integers& strides) {
  return lazy<detail::element_in<E>>(
      detail::make_strided(detail::node_of(std::forward<E>(e)).get(), s, strides.begin(), strides.size()));
}
/// The windows of a length that slide along an axis, or of several lengths along as many axes: the axes of a window are the last
/// ones. Without axes there is a length for each. Errors: `shape_error` for a window that is longer than its axis. Source:
/// numpy.lib.stride_tricks.sliding_window_view.
template <detail::expression E>
auto sliding_window_view(E&& e, const detail::integers& lengths, axes along = axes::all()) {
  return lazy<detail::element_in<E>>(
      detail::make_windows(detail::node_of(std::forward<E>(e)).get(), lengths.begin(), lengths.size(), along.list()));
}

SINTER_METHOD_OF(squeeze)
SINTER_METHOD_OF(swapaxes)

/// What the methods of these names are. Source: numpy.copy, numpy.ndim, numpy.size.
template <detail::expression E>
auto copy(const E& e) {
  return e.copy();
}
template <detail::expression E>
int ndim(const E& e) {
  return e.ndim();
}
template <detail::expression E>
std::int64_t size(const E& e) {
  return e.size();
}

}  // namespace sinter
