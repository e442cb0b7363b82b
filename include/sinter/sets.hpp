// Arrays as sets: which elements there are, how often and where, and what two arrays have in common. How many there are depends on
// values, so all but isin evaluate. Not in sinter.hpp.
#pragma once

#include <sinter/order.hpp>

namespace sinter {

/// What counts as the same element.
struct unique_options {
  detail::truth equal_nan = true;  ///< all NaN are one, as NumPy's unique has it; else each is one of its own
  /// One: parts along it are compared, in each of which a NaN is one of its own. All: elements.
  axes axis = axes::all();
};

/// The different elements in rising order, where the first of each stands among the flattened ones, which of them each element is,
/// and how often each is there.
template <element T>
struct unique_result {
  array<T> values;
  array<std::int64_t> indices, inverse_indices, counts;
};
template <element T>
struct unique_inverse_result {
  array<T> values;
  array<std::int64_t> inverse_indices;
};
template <element T>
struct unique_counts_result {
  array<T> values;
  array<std::int64_t> counts;
};

namespace detail {
struct unique_parts {
  handle values, indices, inverse, counts;
  static constexpr unsigned wants_indices = 1, wants_inverse = 2, wants_counts = 4;
};
SINTER_API unique_parts make_unique(handle, unsigned wants, const unique_options&);

enum class set_function : unsigned char { both, either, first_only, one_of };
SINTER_API node* make_set(handle, handle, dtype, set_function);
SINTER_API node* make_isin(handle, handle of, dtype, bool invert);

template <class E>
unique_parts unique_of(E&& e, unsigned wants, const unique_options& how) {
  return make_unique(handle(take_node(std::forward<E>(e))), wants, how);
}
template <class A, class B>
auto set_of(A&& a, B&& b, set_function what) {
  using T = result_type<element_in<A>, element_in<B>>;
  handle first(take_node(std::forward<A>(a))), second(take_node(std::forward<B>(b)));
  return array<T>(make_set(std::move(first), std::move(second), dtype_of<T>, what));
}
}  // namespace detail

/// The different elements in rising order, or the different parts along an axis, the first element of each counting most:
/// `unique(a, {.axis = 0})`. Shapes: one axis; of parts that of the operand but for the number of them. Dtypes: any. Errors:
/// `shape_error`. Stream behaviour: waits, as do all of these. Source: numpy.unique.
template <detail::expression E>
auto unique(E&& e, const unique_options& how = {}) {
  using T = detail::element_in<E>;
  return array<T>(detail::unique_of(std::forward<E>(e), 0, how).values.take());
}
/// The same, each NaN being one of its own. Source: numpy.unique_values.
template <detail::expression E>
auto unique_values(E&& e) {
  return sinter::unique(std::forward<E>(e), unique_options{.equal_nan = false});
}
/// With everything that there is to know: `auto [values, first, which, counts] = unique_all(a);`. Shapes: the inverse has that of the
/// operand, or of parts one axis; the values at these indices are the operand. Source: numpy.unique_all; of numpy.unique the options.
template <detail::expression E>
auto unique_all(E&& e, const unique_options& how = {.equal_nan = false}) {
  using of = detail::unique_parts;
  using T = detail::element_in<E>;
  of all = detail::unique_of(std::forward<E>(e), of::wants_indices | of::wants_inverse | of::wants_counts, how);
  return unique_result<T>{array<T>(all.values.take()), array<std::int64_t>(all.indices.take()),
                          array<std::int64_t>(all.inverse.take()), array<std::int64_t>(all.counts.take())};
}
/// And which of them each element is. Source: numpy.unique_inverse.
template <detail::expression E>
auto unique_inverse(E&& e, const unique_options& how = {.equal_nan = false}) {
  using T = detail::element_in<E>;
  detail::unique_parts all = detail::unique_of(std::forward<E>(e), detail::unique_parts::wants_inverse, how);
  return unique_inverse_result<T>{array<T>(all.values.take()), array<std::int64_t>(all.inverse.take())};
}
/// And how often each is there. Source: numpy.unique_counts.
template <detail::expression E>
auto unique_counts(E&& e, const unique_options& how = {.equal_nan = false}) {
  using T = detail::element_in<E>;
  detail::unique_parts all = detail::unique_of(std::forward<E>(e), detail::unique_parts::wants_counts, how);
  return unique_counts_result<T>{array<T>(all.values.take()), array<std::int64_t>(all.counts.take())};
}

/// Whether elements are to be there, or not to.
struct isin_options {
  detail::truth invert = false;
};
/// Which elements are among those of another array, or of a list, `isin(a, {1, 2})`, or a vector; lazy: a search in these, sorted, in
/// the kernel of what uses it. NaN is among none. Shapes: that of the elements. Dtypes: bool; both are compared as what they promote
/// to. Source: numpy.isin.
template <detail::expression_or_number E, detail::expression_or_number S = array<detail::element_as_expression<E>>>
auto isin(E&& elements, S&& of, const isin_options& how = {}) {
  using T = result_type<detail::element_as_expression<E>, detail::element_as_expression<S>>;
  detail::handle each(detail::take_node(detail::as_expression(std::forward<E>(elements))));
  detail::handle all(detail::take_node(detail::as_expression(std::forward<S>(of))));
  return lazy<bool>(detail::make_isin(std::move(each), std::move(all), dtype_of<T>, how.invert));
}
template <detail::expression_or_number E, detail::host_memory<const void*> List>
auto isin(E&& elements, const List& of, const isin_options& how = {}) {
  return sinter::isin(std::forward<E>(elements), asarray(of), how);
}
/// The same of the flattened elements. Source: cupy.in1d.
template <detail::expression E, detail::expression_or_number S = array<detail::element_in<E>>>
auto in1d(E&& elements, S&& of, const isin_options& how = {}) {
  return sinter::isin(std::forward<E>(elements).ravel(), std::forward<S>(of), how);
}

/// The different elements that both arrays have, in rising order. Shapes: one axis. Dtypes: the one that both promote to. Source:
/// numpy.intersect1d.
template <detail::expression A, detail::expression B = array<detail::element_in<A>>>
auto intersect1d(A&& a, B&& b) {
  return detail::set_of(std::forward<A>(a), std::forward<B>(b), detail::set_function::both);
}
/// That either has. Source: numpy.union1d.
template <detail::expression A, detail::expression B = array<detail::element_in<A>>>
auto union1d(A&& a, B&& b) {
  return detail::set_of(std::forward<A>(a), std::forward<B>(b), detail::set_function::either);
}
/// That the first has and the second has not. Source: numpy.setdiff1d, which keeps the first one's dtype.
template <detail::expression A, detail::expression B = array<detail::element_in<A>>>
auto setdiff1d(A&& a, B&& b) {
  return detail::set_of(std::forward<A>(a), std::forward<B>(b), detail::set_function::first_only);
}
/// That one of them has and the other has not. Source: numpy.setxor1d.
template <detail::expression A, detail::expression B = array<detail::element_in<A>>>
auto setxor1d(A&& a, B&& b) {
  return detail::set_of(std::forward<A>(a), std::forward<B>(b), detail::set_function::one_of);
}

SINTER_OF_AN_ARRAY(unique)

}  // namespace sinter
