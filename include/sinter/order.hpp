// Elements in order: sorted, or the places that sort them. NaN comes behind all numbers and -0 is equal to 0; complex numbers go by
// their real parts and then their imaginary ones, those with a NaN last, as NumPy has it.
#pragma once

#include <utility>

#include <sinter/join.hpp>

namespace sinter {

/// How to sort: `sort(a, {.axis = 0, .descending = true})`. Of the flattened elements: `sort(a.ravel())`.
struct sort_options {
  std::int64_t axis = -1;
  detail::truth stable = false;      ///< equal elements stay as they come, of which only -0 and 0 can be told apart
  detail::truth descending = false;  ///< the largest first, and NaN before it
};

namespace detail {
SINTER_API node* make_sort(handle, const sort_options&);
SINTER_API node* make_argsort(handle, const sort_options&);
SINTER_API node* make_lexsort(node* const* keys, std::size_t count, std::int64_t axis);
/// The keys are what lies along the first axis.
SINTER_API node* make_lexsort(handle keys, std::int64_t axis);
SINTER_API node* make_partition(handle, const std::int64_t* kth, std::size_t count, std::int64_t axis, bool places);
}  // namespace detail

/// The elements along an axis, the last unless said otherwise, in rising order. Dtypes: any. Errors: `shape_error`. Stream
/// behaviour: a call between the kernels of what surrounds it. Source: numpy.sort.
template <detail::expression E>
auto sort(E&& e, const sort_options& how = {}) {
  return lazy<detail::element_in<E>>(detail::make_sort(detail::handle(detail::take_node(std::forward<E>(e))), how));
}
template <detail::expression E>
auto sort(E&& e, std::int64_t axis) {
  return sinter::sort(std::forward<E>(e), sort_options{.axis = axis});
}
/// The indices along an axis that sort it; equal elements stay as they come. Dtypes: int64. Errors: `shape_error`. Source:
/// numpy.argsort of kind "stable".
template <detail::expression E>
auto argsort(E&& e, const sort_options& how = {}) {
  return lazy<std::int64_t>(detail::make_argsort(detail::handle(detail::take_node(std::forward<E>(e))), how));
}
template <detail::expression E>
auto argsort(E&& e, std::int64_t axis) {
  return sinter::argsort(std::forward<E>(e), sort_options{.axis = axis});
}
/// The indices that sort by several keys, the last of which counts most: `lexsort({minor, major})`, a tuple of keys, or an array
/// whose first axis they lie along. Shapes: that of each key. Dtypes: int64; the keys of a list are compared as the dtype that they
/// promote to. Errors: `shape_error` for no keys and for keys of different shapes. Source: numpy.lexsort.
template <detail::parts P>
auto lexsort(P&& keys, std::int64_t axis = -1) {
  auto all = detail::join_of(std::forward<P>(keys));
  return lazy<std::int64_t>(detail::make_lexsort(all.nodes(), all.size(), axis));
}
template <detail::expression E>
auto lexsort(std::initializer_list<E> keys, std::int64_t axis = -1) {
  auto all = detail::join_of(keys);
  return lazy<std::int64_t>(detail::make_lexsort(all.nodes(), all.size(), axis));
}
template <detail::expression E>
auto lexsort(E&& keys, std::int64_t axis = -1) {
  return lazy<std::int64_t>(detail::make_lexsort(detail::handle(detail::take_node(std::forward<E>(keys))), axis));
}
template <detail::expression A, detail::expression B>
detail::refused<std::int64_t, detail::fault::keys, A, B> lexsort(const A&, const B&);

/// How to part: `partition(a, 3, {.axis = 0})`.
struct partition_options {
  std::int64_t axis = -1;
};
/// The elements along an axis such that the one at `kth`, or at each of several, stands where sorting puts it, with none that is
/// greater before it and none that is less behind. Errors: `shape_error`; `index_error` for a place that is not there. Source:
/// numpy.partition.
template <detail::expression E>
auto partition(E&& e, const detail::integers& kth, const partition_options& how = {}) {
  detail::handle of(detail::take_node(std::forward<E>(e)));
  return lazy<detail::element_in<E>>(detail::make_partition(std::move(of), kth.begin(), kth.size(), how.axis, false));
}
template <detail::expression E>
auto partition(E&& e, const detail::integers& kth, std::int64_t axis) {
  return sinter::partition(std::forward<E>(e), kth, partition_options{.axis = axis});
}
/// Their indices. Dtypes: int64. Source: numpy.argpartition.
template <detail::expression E>
auto argpartition(E&& e, const detail::integers& kth, const partition_options& how = {}) {
  detail::handle of(detail::take_node(std::forward<E>(e)));
  return lazy<std::int64_t>(detail::make_partition(std::move(of), kth.begin(), kth.size(), how.axis, true));
}
template <detail::expression E>
auto argpartition(E&& e, const detail::integers& kth, std::int64_t axis) {
  return sinter::argpartition(std::forward<E>(e), kth, partition_options{.axis = axis});
}

/// How to take the largest: `top_k(a, 3, {.axis = 0, .largest = false})`.
struct top_k_options {
  std::int64_t axis = -1;
  detail::truth largest = true;  ///< else the smallest
};
/// Elements and where they stand: `auto [values, indices] = top_k(a, 3);`.
template <element T>
struct top_k_result {
  lazy<T> values;
  lazy<std::int64_t> indices;
};
namespace detail {
struct node_pair {
  node *first, *second;
};
SINTER_API node_pair make_top_k(handle, std::int64_t k, const top_k_options&);
}  // namespace detail
/// The k largest elements along an axis, the largest first, and their indices; of equal ones those that come first. NaN counts as
/// larger than all. Errors: `shape_error` where there are fewer. Source: torch.topk.
template <detail::expression E>
auto top_k(E&& e, detail::integer k, const top_k_options& how = {}) {
  using T = detail::element_in<E>;
  const auto two = detail::make_top_k(detail::handle(detail::take_node(std::forward<E>(e))), k, how);
  return top_k_result<T>{lazy<T>(two.first), lazy<std::int64_t>(two.second)};
}

SINTER_METHOD_OF(argsort)

}  // namespace sinter
