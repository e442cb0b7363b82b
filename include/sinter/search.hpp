// Places in sorted arrays, and what is read off between them. On a GPU a search is a fixed number of steps for each element,
// in the kernel of what uses it; on a CPU it is a call (decision 0049).
#pragma once

#include <sinter/array.hpp>

namespace sinter {

/// Which of equal elements a search stops at: before them all, or behind.
enum class search_side : unsigned char { left, right };

/// How to search: `searchsorted(a, v, {.side = search_side::right})`.
struct search_options {
  search_side side = search_side::left;
  const array<std::int64_t>* sorter = nullptr;  ///< what puts the array in order
};

/// What interp gives outside; NaN stays NaN.
struct interp_options {
  detail::optional_number left{}, right{};  ///< else the first and the last of the values
  /// After which the function repeats: nothing is outside then, and xp may have any order: it is sorted at the call.
  detail::optional_number period{};
};

namespace detail {
SINTER_API node* make_search(handle sorted, handle values, search_side, node* sorter);
SINTER_API node* make_digitize(handle values, handle bins, bool right);
SINTER_API node* make_interp(handle x, handle xp, handle fp, dtype, const interp_options&);
}  // namespace detail

/// Where elements would stand in a sorted array of one axis: how many of its elements are less, or not greater; NaN counts as
/// greater than all. Shapes: that of the values. Dtypes: int64. Errors: `shape_error` for another number of axes. Source:
/// numpy.searchsorted.
template <detail::expression A, detail::expression_or_number V = array<detail::element_in<A>>>
auto searchsorted(A&& a, V&& values, const search_options& how = {}) {
  detail::handle sorted(detail::take_node(std::forward<A>(a)));
  detail::handle of(detail::take_node(detail::as_expression(std::forward<V>(values))));
  return lazy<std::int64_t>(
      detail::make_search(std::move(sorted), std::move(of), how.side, how.sorter ? how.sorter->node() : nullptr));
}
/// The same of a side: `searchsorted(a, v, search_side::right)`.
template <detail::expression A, detail::expression_or_number V = array<detail::element_in<A>>>
auto searchsorted(A&& a, V&& values, search_side side) {
  return searchsorted(std::forward<A>(a), std::forward<V>(values), search_options{.side = side});
}
/// The number of the bin that each element lies in: bins rise or fall, and have the edge on their left, or with `right` the other.
/// Shapes: that of the elements. Dtypes: int64. Errors: `shape_error`; bins that do neither are not noticed. Source:
/// numpy.digitize.
template <detail::expression_or_number X, detail::expression B = array<double>, std::same_as<bool> R = bool>
auto digitize(X&& x, B&& bins, R right = false) {
  detail::handle of(detail::take_node(detail::as_expression(std::forward<X>(x))));
  detail::handle by(detail::take_node(std::forward<B>(bins)));
  return lazy<std::int64_t>(detail::make_digitize(std::move(of), std::move(by), right));
}
/// The values of a function at `x` that is `fp` at the rising places `xp` and straight between them. Shapes: that of x; xp and fp
/// have one axis of one length. Dtypes: double, or complex128 for complex values. Errors: `shape_error`; `error` for a period that is
/// no number, infinite or 0. Source: numpy.interp.
template <detail::expression_or_number X, detail::expression P = array<double>, detail::expression F = array<double>>
auto interp(X&& x, P&& xp, F&& fp, const interp_options& how = {}) {
  using R = result_type<double, detail::element_in<F>>;
  detail::handle at(detail::take_node(detail::as_expression(std::forward<X>(x))));
  detail::handle places(detail::take_node(std::forward<P>(xp)));
  detail::handle values(detail::take_node(std::forward<F>(fp)));
  return lazy<R>(detail::make_interp(std::move(at), std::move(places), std::move(values), dtype_of<R>, how));
}

SINTER_METHOD_OF(searchsorted)

SINTER_OF_AN_ARRAY(digitize)

SINTER_OF_AN_ARRAY(interp)

}  // namespace sinter
