// Stores under NumPy's names: each is a store through an index list or a mask, and reads everything before it writes anything.
#pragma once

#include <sinter/edit.hpp>
#include <sinter/select.hpp>

namespace sinter {

namespace detail {
SINTER_API std::vector<handle> make_put_places(node* index, const shape&, index_mode);
SINTER_API std::vector<handle> make_places_along(node* index, const shape&, std::int64_t axis);
SINTER_API node* make_main_diagonal(node*);

/// Nothing is stored then.
template <class V>
bool has_no_values(const V& value) {
  if constexpr (scalar_operand<V>) return false;
  else return value.size() == 0;
}
/// A value that is repeated where it is shorter than what it is stored into.
template <class T, class V>
decltype(auto) repeated_to(V&& value, const shape& s) {
  if constexpr (scalar_operand<V>) return V(value);
  else return resize(astype<T>(std::forward<V>(value)), s);
}
}  // namespace detail

/// Stores into the flattened elements that integers name: the values in turn, over again where they are too few. Dtypes: the values
/// become the array's. Errors: `index_error`, as of `a(k) = v`. Source: numpy.put.
template <detail::storable A, detail::index_array K, detail::operand V>
void put(A& a, K&& k, V&& values, index_mode mode = index_mode::raise) {
  using T = detail::element_in<A>;
  if (detail::has_no_values(values)) return;
  const detail::handle at = detail::node_of(std::forward<K>(k));
  const shape s = a.shape(), named = detail::shape_of(at.get());
  if (s.size() == 0) {
    const array_ref<T> one(a(newaxis));
    return put(one, detail::indices(detail::retain(at.get())), std::forward<V>(values), mode);
  }
  const auto places = detail::each_as<detail::indices>(detail::make_put_places(at.get(), s, mode));
  a(places) = detail::repeated_to<T>(std::forward<V>(values), named);
}
/// Into one.
template <detail::storable A, std::integral K, detail::operand V>
void put(A& a, K index, V&& values, index_mode mode = index_mode::raise) {
  put(a, detail::indices(detail::part_of<std::int64_t>(index).take()), std::forward<V>(values), mode);
}
/// Stores a value for each of the indices along an axis, as take_along_axis reads. Shapes: the indices have the other axes of the
/// array or broadcast with them; so do the values. Errors: `shape_error`, `index_error`. Source: numpy.put_along_axis.
template <detail::storable A, detail::index_array K, detail::operand V>
void put_along_axis(A& a, K&& k, V&& values, detail::integer axis) {
  const auto places = detail::each_as<detail::indices>(
      detail::make_places_along(detail::node_of(std::forward<K>(k)).get(), a.shape(), axis));
  a(places) = std::forward<V>(values);
}
/// Stores where a mask is true what stands at the same place of the values, which are repeated to the array's size. Source:
/// numpy.putmask.
template <detail::storable A, detail::mask_array M, detail::operand V>
void putmask(A& a, M&& mask, V&& values) {
  if (detail::has_no_values(values)) return;
  store_where(a, std::forward<M>(mask), detail::repeated_to<detail::element_in<A>>(std::forward<V>(values), a.shape()));
}
/// Stores the values one after the other where a mask is true, over again where they are too few. The mask is not evaluated first.
/// Errors: `shape_error` for a mask of another shape; `index_error` where there is no value. Source: numpy.place.
template <detail::storable A, detail::mask_array M, detail::expression V>
void place(A& a, M&& mask, V&& values) {
  const lazy<bool> here(detail::take_node(std::forward<M>(mask)));
  const shape s = a.shape();
  const auto turn = (cumsum<std::int64_t>(here.ravel()) - 1) % std::forward<V>(values).size();
  store_where(a, here.reshape(s),
              lazy<detail::element_in<A>>(astype<detail::element_in<A>>(values.ravel())(turn)).reshape(s));
}
/// Stores into all elements, or where a mask is true: `a(ellipsis) = e` and `store_where(a, mask, e)`. Source: numpy.copyto.
template <detail::storable A, detail::operand V>
void copyto(A& a, V&& values) {
  a(ellipsis) = std::forward<V>(values);
}
template <detail::storable A, detail::operand V, detail::mask_array M>
void copyto(A& a, V&& values, M&& where) {
  store_where(a, std::forward<M>(where), std::forward<V>(values));
}
/// Stores into the elements whose indices are all the same: the values in turn, over again where they are too few. Shapes: two axes,
/// or more of one length. Errors: `shape_error`. Source: numpy.fill_diagonal without wrap.
template <element T, detail::operand V>
void fill_diagonal(array<T>& a, V&& values) {
  if (detail::has_no_values(values)) return;
  const detail::handle diagonal(detail::make_main_diagonal(a.node()));
  const shape s = detail::shape_of(diagonal.get());
  detail::store_value<T>(a.own(), diagonal.get(), detail::repeated_to<T>(std::forward<V>(values), s));
}

}  // namespace sinter
