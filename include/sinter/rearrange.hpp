// The same elements in another order, or several times, or with others around them. All are lazy and are computed in the kernel of
// what uses them; flips and diagonals of an array are views of it.
#pragma once

#include <initializer_list>

#include <sinter/views.hpp>

namespace sinter {

/// The elements in reverse order along all axes, or some. Errors: `shape_error`. Source: numpy.flip.
template <detail::expression E>
detail::view_of<E> flip(E&& e, axes of = axes::all()) {
  return detail::view_of<E>(detail::make_flip(detail::node_of(std::forward<E>(e)).get(), of.list()));
}
/// Along the first axis. Source: numpy.flipud.
template <detail::expression E>
auto flipud(E&& e) {
  return flip(std::forward<E>(e), 0);
}
/// Along the second axis. Source: numpy.fliplr.
template <detail::expression E>
auto fliplr(E&& e) {
  return flip(std::forward<E>(e), 1);
}
/// The first two axes, or two others, turned by so many quarters, from the first towards the second: `rot90(a, 1, {1, 0})`.
/// Errors: `shape_error`. Source: numpy.rot90.
template <detail::expression E>
detail::view_of<E> rot90(E&& e, detail::integer quarters = 1) {
  return detail::view_of<E>(
      detail::make_rot90(detail::node_of(std::forward<E>(e)).get(), static_cast<int>(quarters % 4)));
}
template <detail::expression E>
detail::view_of<E> rot90(E&& e, detail::integer quarters, axes of) {
  const axes front{0, 1};
  return moveaxis(rot90(moveaxis(std::forward<E>(e), of, front), quarters), front, of);
}
/// The elements moved along an axis, or several; what goes over the end comes in at the beginning. Along several by the same number
/// or each by one of its own: `roll(a, 1, {0, 1})`, `roll(a, {1, -1}, {0, 1})`. Without an axis the flattened elements are moved.
/// Errors: `shape_error`, also for another number of shifts. Source: numpy.roll.
template <detail::expression E>
auto roll(E&& e, const detail::integers& shifts, const detail::integers& along) {
  const detail::handle of = detail::node_of(std::forward<E>(e));
  return lazy<detail::element_in<E>>(
      detail::make_roll(of.get(), shifts.begin(), shifts.size(), along.begin(), along.size()));
}
template <detail::expression E>
auto roll(E&& e, const detail::integers& shifts) {
  const shape s = e.shape();
  return lazy<detail::element_in<E>>(roll(std::forward<E>(e).ravel(), shifts, 0).reshape(s));
}
/// Every element so many times, one after the other, along an axis or of the flattened ones: all as often, `2`, or each as often
/// as a list says, `{1, 0, 2}` or a vector of integers. The counts are the program's own numbers, as the shape follows from
/// them; where they are an array, it is read. Errors: `shape_error`. Stream behaviour: an array of counts is waited for. Source:
/// numpy.repeat.
template <detail::expression E, class Axis = axis_options>
auto repeat(E&& e, const detail::integers& counts, Axis axis) {
  const detail::handle of = detail::node_of(std::forward<E>(e));
  const std::int64_t along = detail::axis_of(axis);
  detail::node* const made = counts.listed() ? detail::make_repeat(of.get(), counts.begin(), counts.size(), along)
                                             : detail::make_repeat(of.get(), *counts.begin(), along);
  return lazy<detail::element_in<E>>(made);
}
template <detail::expression E>
auto repeat(E&& e, const detail::integers& counts) {
  return repeat(std::forward<E>(e).ravel(), counts, 0);
}
template <detail::expression E, detail::index_array K, class Axis = axis_options>
auto repeat(E&& e, const K& counts, Axis axis) {
  return repeat(std::forward<E>(e), detail::integers(array<std::int64_t>(astype<std::int64_t>(counts)).get()), axis);
}
template <detail::expression E, detail::index_array K>
auto repeat(E&& e, const K& counts) {
  return repeat(std::forward<E>(e).ravel(), counts, 0);
}
/// All of it so many times along each axis, the last ones where fewer are given. Errors: `shape_error`. Source: numpy.tile.
template <detail::expression E>
auto tile(E&& e, const detail::integers& counts) {
  return lazy<detail::element_in<E>>(
      detail::make_tile(detail::node_of(std::forward<E>(e)).get(), counts.begin(), static_cast<int>(counts.size())));
}

/// The elements on and below a diagonal of the last two axes, 0 above. Source: numpy.tril.
template <detail::expression E>
auto tril(E&& e, detail::integer diagonal = 0) {
  return lazy<detail::element_in<E>>(detail::make_triangle(detail::node_of(std::forward<E>(e)).get(), diagonal, true));
}
/// On and above it, 0 below. Source: numpy.triu.
template <detail::expression E>
auto triu(E&& e, detail::integer diagonal = 0) {
  return lazy<detail::element_in<E>>(detail::make_triangle(detail::node_of(std::forward<E>(e)).get(), diagonal, false));
}
/// A diagonal of two axes, as the last axis. Errors: `shape_error`. Source: numpy.diagonal.
template <detail::expression E>
detail::view_of<E> diagonal(E&& e, detail::integer offset = 0, detail::integer axis1 = 0, detail::integer axis2 = 1) {
  return detail::view_of<E>(detail::make_diagonal(detail::node_of(std::forward<E>(e)).get(), offset, axis1, axis2));
}
/// Which diagonal: `diagonal(a, {.axis1 = 1, .axis2 = 2})`, `trace(a, {.offset = 1})`.
struct diagonal_options {
  std::int64_t offset = 0, axis1 = 0, axis2 = 1;
};
template <detail::expression E>
detail::view_of<E> diagonal(E&& e, const diagonal_options& of) {
  return diagonal(std::forward<E>(e), of.offset, of.axis1, of.axis2);
}
/// Of two axes the diagonal; of one axis a matrix that has it as a diagonal, 0 elsewhere. Errors: `shape_error`
/// for any other number of axes. Source: numpy.diag.
template <detail::expression E>
auto diag(E&& e, detail::integer offset = 0) {
  return lazy<detail::element_in<E>>(detail::make_diag(detail::node_of(std::forward<E>(e)).get(), offset));
}
/// A matrix that has the flattened elements as a diagonal. Source: numpy.diagflat.
template <detail::expression E>
auto diagflat(E&& e, detail::integer offset = 0) {
  return diag(std::forward<E>(e).ravel(), offset);
}
/// The sum along it. Dtypes: as sum. Source: numpy.trace.
template <detail::choice R = void, detail::expression E>
auto trace(E&& e, detail::integer offset = 0, detail::integer axis1 = 0, detail::integer axis2 = 1) {
  return sum<R>(diagonal(std::forward<E>(e), offset, axis1, axis2), -1);
}

template <detail::choice R = void, detail::expression E>
auto trace(E&& e, const diagonal_options& of) {
  return trace<R>(std::forward<E>(e), of.offset, of.axis1, of.axis2);
}

SINTER_METHOD_OF(repeat)
SINTER_METHOD_OF(diagonal)
SINTER_METHOD_OF(trace)

}  // namespace sinter
