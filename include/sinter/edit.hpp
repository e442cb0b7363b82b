// Elements left out, put in, repeated into another shape or cut off at the ends. Lazy, but for trim_zeros.
#pragma once

#include <sinter/views.hpp>

namespace sinter {

/// Without what lies at a position of an axis, or at several, `{1, -1}` or an array of integers, or in a slice, or where a mask
/// is true; without an axis, of the flattened elements. The name is numpy.delete's with an underscore, as `delete` is a word of
/// C++. Errors: `index_error`; `shape_error` for a mask of another length. Stream behaviour: an array or a mask waits, as how
/// many there are has to be known. Source: numpy.delete.
template <detail::expression E, class Axis = axis_options>
auto delete_(E&& e, const detail::integers& at, Axis axis) {
  return lazy<detail::element_in<E>>(
      detail::make_deleted(detail::node_of(std::forward<E>(e)).get(), at.begin(), at.size(), detail::axis_of(axis)));
}
template <detail::expression E, std::same_as<slice> Slice, class Axis = axis_options>  // braces are a list
auto delete_(E&& e, const Slice& at, Axis axis) {
  return lazy<detail::element_in<E>>(
      detail::make_deleted(detail::node_of(std::forward<E>(e)).get(), at.item(), detail::axis_of(axis)));
}
template <detail::expression E>
auto delete_(E&& e, const detail::integers& at) {
  return delete_(std::forward<E>(e).ravel(), at, 0);
}
template <detail::expression E, std::same_as<slice> Slice>
auto delete_(E&& e, const Slice& at) {
  return delete_(std::forward<E>(e).ravel(), at, 0);
}
template <detail::expression E, detail::index_or_mask At, class Axis = axis_options>
auto delete_(E&& e, At&& at, Axis axis) {
  const detail::handle of = detail::node_of(std::forward<E>(e)), by = detail::node_of(std::forward<At>(at));
  return lazy<detail::element_in<E>>(detail::make_deleted(of.get(), by.get(), detail::axis_of(axis)));
}
template <detail::expression E, detail::index_or_mask At>
auto delete_(E&& e, At&& at) {
  return delete_(std::forward<E>(e).ravel(), std::forward<At>(at), 0);
}

/// With values before a position of an axis, or before several, as they were counted before; without an axis, of the flattened
/// elements. Shapes: the values broadcast; at a position alone, no list, their first axis counts as the one inserted along. Dtypes:
/// the array's, to which the values are converted as at a store. Errors: `index_error`, `shape_error`. Source: numpy.insert.
template <detail::expression E, detail::operand V = array<detail::element_in<E>>, class Axis = axis_options>
auto insert(E&& e, const detail::integers& before, V&& values, Axis axis) {
  using T = detail::element_in<E>;
  return lazy<T>(detail::make_inserted(detail::node_of(std::forward<E>(e)).get(), before.begin(), before.size(),
                                       before.listed(), detail::part_of<T>(std::forward<V>(values)).get(),
                                       detail::axis_of(axis)));
}
template <detail::expression E, detail::operand V = array<detail::element_in<E>>>
auto insert(E&& e, const detail::integers& before, V&& values) {
  return insert(std::forward<E>(e).ravel(), before, std::forward<V>(values), 0);
}

/// The elements in C order, over and over, in another shape; 0 where there is none. Source: numpy.resize.
template <detail::expression E>
auto resize(E&& e, const shape& s) {
  return lazy<detail::element_in<E>>(detail::make_resized(detail::node_of(std::forward<E>(e)).get(), s));
}

/// Without the zeros at the front ("f") and at the back ("b") of all axes, or of some: the smallest box that has the others.
/// Evaluates, as the shape depends on the elements. Errors: `error` for other letters; `shape_error` for a wrong axis. Source:
/// numpy.trim_zeros.
template <detail::expression E>
detail::view_of<E> trim_zeros(E&& e, const char* ends = "fb", axes of = axes::all()) {
  return detail::view_of<E>(detail::make_trimmed(detail::node_of(std::forward<E>(e)).get(), ends, of.list()));
}

}  // namespace sinter
