// Elements by index: take and take_along_axis. `a(indices)` is in index lists (index.hpp).
#pragma once

#include <sinter/array.hpp>

namespace sinter {

/// What becomes of an index that is out of range: an error, what is left by division, or the nearest that is in range.
enum class index_mode : unsigned char { raise, wrap, clip };

namespace detail {
SINTER_API node* make_in_range(node* index, std::int64_t extent, index_mode);
template <class K>
concept index_or_indices = index_array<K> ||
    (std::integral<std::remove_cvref_t<K>> && !std::same_as<std::remove_cvref_t<K>, bool>);
}  // namespace detail

/// The elements of the flattened `a` that integers name, an array of them or a list, `take(a, {0, 2})`; lazy and fused. Shapes:
/// that of the indices. Errors: as of `a(indices)`. Source: numpy.take.
template <detail::expression A, detail::index_array K = array<std::int64_t>>
auto take(A&& a, K&& indices) {
  return lazy<detail::element_in<A>>(std::forward<A>(a).ravel()(std::forward<K>(indices)));
}
/// What they name along an axis. Shapes: the axis becomes those of the indices. Errors: `shape_error` for a wrong axis.
template <detail::expression A, detail::index_array K = array<std::int64_t>, class Axis = axis_options>
auto take(A&& a, K&& indices, Axis axis) {
  const detail::handle of(detail::take_node(std::forward<A>(a))), by(detail::take_node(std::forward<K>(indices)));
  return lazy<detail::element_in<A>>(detail::make_take(of.get(), by.get(), detail::axis_of(axis)));
}
/// Of one integer. Shapes: none; along an axis, those of the others. Errors: `index_error`, at once.
template <detail::expression A, std::integral K>
lazy<detail::element_in<A>> take(A&& a, K index) {
  return std::forward<A>(a).ravel()(index);
}
template <detail::expression A, std::integral K, class Axis = axis_options>
lazy<detail::element_in<A>> take(A&& a, K index, Axis axis) {
  const detail::handle of(detail::take_node(std::forward<A>(a)));
  return lazy<detail::element_in<A>>(
      detail::make_take_one(of.get(), static_cast<std::int64_t>(index), detail::axis_of(axis)));
}
/// With indices that are out of range wrapped or clipped, negative ones, too: `take(a, k, 1, index_mode::clip)`.
template <detail::expression A, detail::index_or_indices K = array<std::int64_t>>
auto take(A&& a, K&& indices, detail::integer axis, index_mode mode) {
  const shape s = a.shape();
  const std::int64_t at = axis + (axis < 0 ? s.size() : 0);
  const std::int64_t extent = at >= 0 && at < s.size() ? s[static_cast<int>(at)] : 1;  // of no axis: take refuses it
  const detail::handle of(detail::take_node(std::forward<A>(a)));
  detail::handle by(detail::take_node(detail::as_expression(std::forward<K>(indices))));
  if (mode != index_mode::raise) by = detail::handle(detail::make_in_range(by.get(), extent, mode));
  return lazy<detail::element_in<A>>(detail::make_take(of.get(), by.get(), axis));
}
template <detail::expression A, detail::index_or_indices K = array<std::int64_t>>
auto take(A&& a, K&& indices, index_mode mode) {
  return take(std::forward<A>(a).ravel(), std::forward<K>(indices), 0, mode);
}
template <detail::expression A, class K>
  requires(!detail::index_array<K> && !std::integral<K>)
detail::refused<double, detail::index_fault<K>, K> take(A&&, const K&, detail::anything = 0, detail::anything = 0);
/// Along an axis, an element for each of the indices, which have the other axes of `a` or broadcast with them. Source:
/// numpy.take_along_axis.
template <detail::expression A, detail::index_array K, class Axis = axis_options>
auto take_along_axis(A&& a, K&& indices, Axis axis) {
  const detail::handle of(detail::take_node(std::forward<A>(a))), by(detail::take_node(std::forward<K>(indices)));
  return lazy<detail::element_in<A>>(detail::make_take_along(of.get(), by.get(), detail::axis_of(axis)));
}

SINTER_METHOD_OF(take)

}  // namespace sinter
