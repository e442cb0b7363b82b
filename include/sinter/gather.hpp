// Elements by index: take and take_along_axis. `a(indices)` is in index lists (index.hpp).
#pragma once

#include <sinter/array.hpp>

namespace sinter {

/// The elements of the flattened `a` that integers name; lazy and fused. Shapes: that of the indices. Errors: as of
/// `a(indices)`. Source: numpy.take.
template <detail::expression A, detail::index_array K>
auto take(A&& a, K&& indices) {
  return lazy<detail::element_in<A>>(std::forward<A>(a).ravel()(std::forward<K>(indices)));
}
/// What they name along an axis. Shapes: the axis becomes those of the indices. Errors: `shape_error` for a wrong axis.
template <detail::expression A, detail::index_array K>
auto take(A&& a, K&& indices, detail::integer axis) {
  const detail::handle of(detail::take_node(std::forward<A>(a))), by(detail::take_node(std::forward<K>(indices)));
  return lazy<detail::element_in<A>>(detail::make_take(of.get(), by.get(), axis));
}
/// Of one integer. Shapes: none; along an axis, those of the others. Errors: `index_error`, at once.
template <detail::expression A, std::integral K>
lazy<detail::element_in<A>> take(A&& a, K index) {
  return std::forward<A>(a).ravel()(index);
}
template <detail::expression A, std::integral K>
lazy<detail::element_in<A>> take(A&& a, K index, detail::integer axis) {
  const detail::handle of(detail::take_node(std::forward<A>(a)));
  return lazy<detail::element_in<A>>(detail::make_take_one(of.get(), static_cast<std::int64_t>(index), axis));
}
template <detail::expression A, detail::expression K>
  requires(!detail::index_array<K>)
detail::refused<double, detail::fault::mask, K> take(A&&, const K&, detail::anything = 0);
template <detail::expression A>
lazy<double> take(A&&, detail::no_expression, detail::anything = 0);
/// Along an axis, an element for each of the indices, which have the other axes of `a` or broadcast with them. Source:
/// numpy.take_along_axis.
template <detail::expression A, detail::index_array K>
auto take_along_axis(A&& a, K&& indices, detail::integer axis) {
  const detail::handle of(detail::take_node(std::forward<A>(a))), by(detail::take_node(std::forward<K>(indices)));
  return lazy<detail::element_in<A>>(detail::make_take_along(of.get(), by.get(), axis));
}

SINTER_METHOD_OF(take)

}  // namespace sinter
