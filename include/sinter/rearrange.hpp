// The same elements in another order, or several times, or with others around them. All are lazy and are computed in the kernel of
// what uses them; flips and diagonals of an array are views of it.
#pragma once

#include <initializer_list>
#include <span>

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

}  // namespace detail

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
/// The first two axes turned by so many quarters, from the first towards the second. Source: numpy.rot90.
template <detail::expression E>
detail::view_of<E> rot90(E&& e, detail::integer quarters = 1) {
  return detail::view_of<E>(
      detail::make_rot90(detail::node_of(std::forward<E>(e)).get(), static_cast<int>(quarters % 4)));
}
/// The elements moved along an axis; what goes over the end comes in at the beginning. Without an axis the flattened elements
/// are moved. Errors: `shape_error`. Source: numpy.roll.
template <detail::expression E>
auto roll(E&& e, detail::integer shift, detail::integer axis) {
  return lazy<detail::element_in<E>>(detail::make_roll(detail::node_of(std::forward<E>(e)).get(), shift, axis));
}
template <detail::expression E>
auto roll(E&& e, detail::integer shift) {
  const shape s = e.shape();
  return lazy<detail::element_in<E>>(roll(std::forward<E>(e).ravel(), shift, 0).reshape(s));
}
/// How often `repeat` gives elements: all as often, or each as often as a list says, `{1, 0, 2}` or a vector of `std::int64_t`.
class repeat_counts {
 public:
  template <class Int>
    requires std::is_arithmetic_v<Int>
  constexpr repeat_counts(Int all) : all_(detail::integer(all)) {}
  constexpr repeat_counts(std::initializer_list<std::int64_t> each) : each_(each.begin(), each.size()), listed_(true) {}
  template <class List>
    requires std::convertible_to<const List&, std::span<const std::int64_t>>
  constexpr repeat_counts(const List& each) : each_(each), listed_(true) {}
  /// Library use. Refers to the list.
  detail::node* repeated(detail::node* n, std::int64_t axis) const {
    return listed_ ? detail::make_repeat(n, each_.data(), each_.size(), axis) : detail::make_repeat(n, all_, axis);
  }

 private:
  std::int64_t all_ = 0;
  std::span<const std::int64_t> each_;
  bool listed_ = false;
};
/// Every element so many times, one after the other, along an axis or of the flattened ones. The counts are the program's own
/// numbers, as the shape follows from them. Errors: `shape_error`. Source: numpy.repeat.
template <detail::expression E>
auto repeat(E&& e, const repeat_counts& counts, detail::integer axis) {
  return lazy<detail::element_in<E>>(counts.repeated(detail::node_of(std::forward<E>(e)).get(), axis));
}
template <detail::expression E>
auto repeat(E&& e, const repeat_counts& counts) {
  return repeat(std::forward<E>(e).ravel(), counts, 0);
}
/// All of it so many times along each axis, the last ones where fewer are given. Errors: `shape_error`. Source: numpy.tile.
template <detail::expression E>
auto tile(E&& e, std::initializer_list<std::int64_t> counts) {
  return lazy<detail::element_in<E>>(
      detail::make_tile(detail::node_of(std::forward<E>(e)).get(), counts.begin(), static_cast<int>(counts.size())));
}
template <detail::expression E>
auto tile(E&& e, detail::integer count) {
  return tile(std::forward<E>(e), {count});
}

/// How many elements pad puts around: as many everywhere, `{before, after}` for every axis, or one such for each.
class pad_widths {
 public:
  template <class Int>
    requires(!std::same_as<Int, pad_width>)
  constexpr pad_widths(Int everywhere)
      : count_(1), widths_{{detail::integer(everywhere), detail::integer(everywhere)}} {}
  constexpr pad_widths(pad_width each) : count_(1), widths_{each} {}
  constexpr pad_widths(std::initializer_list<pad_width> each) : count_(0) {
    for (const pad_width& w : each)
      if (count_ < max_rank) widths_[count_++] = w;
  }
  constexpr const pad_width* begin() const { return widths_; }
  constexpr int size() const { return count_; }

 private:
  int count_;
  pad_width widths_[max_rank] = {};
};

/// With a number around it. Dtypes: the number becomes one of the array's, as at a store. Errors: `shape_error`. Source:
/// numpy.pad of mode constant.
template <detail::expression E, detail::scalar_operand V = int>
auto pad(E&& e, pad_widths widths, V around = 0) {
  using T = detail::element_in<E>;
  return lazy<T>(detail::make_padded(detail::node_of(std::forward<E>(e)).get(), widths.begin(), widths.size(),
                                     detail::to_bits(detail::stored_scalar<T>(around))));
}
/// With elements of its own around it. Source: numpy.pad of modes edge, wrap, reflect and symmetric.
template <detail::expression E>
auto pad(E&& e, pad_widths widths, pad_mode mode) {
  return lazy<detail::element_in<E>>(
      detail::make_padded(detail::node_of(std::forward<E>(e)).get(), widths.begin(), widths.size(), mode));
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
/// The sum along it. Dtypes: as sum. Source: numpy.trace.
template <detail::choice R = void, detail::expression E>
auto trace(E&& e, detail::integer offset = 0, detail::integer axis1 = 0, detail::integer axis2 = 1) {
  return sum<R>(diagonal(std::forward<E>(e), offset, axis1, axis2), -1);
}

}  // namespace sinter
