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

/// Stores into the flattened elements that integers name, one, several or a list of them: `put(a, {0, 2}, {7, 8})`. The values in
/// turn, over again where they are too few. Dtypes: the values become the array's. Errors: `index_error`, as of `a(k) = v`. Source:
/// numpy.put.
template <detail::target A, detail::index_or_indices K = array<std::int64_t>,
          detail::operand V = array<detail::element_in<A>>>
void put(A&& a, K&& k, V&& values, index_mode mode = index_mode::raise) {
  using T = detail::element_in<A>;
  if (detail::has_no_values(values)) return;
  const detail::handle at = detail::node_of(detail::as_expression(std::forward<K>(k)));
  auto&& to = detail::stored_into(std::forward<A>(a));
  const shape s = to.shape(), named = detail::shape_of(at.get());
  if (s.size() == 0) return put(to(newaxis), detail::indices(detail::retain(at.get())), std::forward<V>(values), mode);
  const auto places = detail::each_as<detail::indices>(detail::make_put_places(at.get(), s, mode));
  to(places) = detail::repeated_to<T>(std::forward<V>(values), named);
}
/// Stores a value for each of the indices along an axis, as take_along_axis reads. Shapes: the indices have the other axes of the
/// array or broadcast with them; so do the values. Errors: `shape_error`, `index_error`. Source: numpy.put_along_axis.
template <detail::target A, detail::index_array K, detail::operand V = array<detail::element_in<A>>,
          class Axis = axis_options>
void put_along_axis(A&& a, K&& k, V&& values, Axis axis) {
  auto&& to = detail::stored_into(std::forward<A>(a));
  const auto places = detail::each_as<detail::indices>(
      detail::make_places_along(detail::node_of(std::forward<K>(k)).get(), to.shape(), detail::axis_of(axis)));
  to(places) = std::forward<V>(values);
}
/// Stores where a mask is true what stands at the same place of the values, which are repeated to the array's size. Source:
/// numpy.putmask.
template <detail::target A, detail::mask_array M, detail::operand V = array<detail::element_in<A>>>
void putmask(A&& a, M&& mask, V&& values) {
  using T = detail::element_in<A>;
  if (detail::has_no_values(values)) return;
  const shape s = a.shape();
  store_where(std::forward<A>(a), std::forward<M>(mask), detail::repeated_to<T>(std::forward<V>(values), s));
}
/// Stores the values one after the other where a mask is true, over again where they are too few. The mask is not evaluated first.
/// Errors: `shape_error` for a mask of another shape; `index_error` where there is no value. Source: numpy.place.
template <detail::target A, detail::mask_array M, detail::expression V = array<detail::element_in<A>>>
void place(A&& a, M&& mask, V&& values) {
  const lazy<bool> here(detail::take_node(std::forward<M>(mask)));
  const shape s = a.shape();
  const auto turn = (cumsum<std::int64_t>(here.ravel()) - 1) % std::forward<V>(values).size();
  store_where(std::forward<A>(a), here.reshape(s),
              lazy<detail::element_in<A>>(astype<detail::element_in<A>>(values.ravel())(turn)).reshape(s));
}
/// Stores into all elements, or where a mask is true: `a(ellipsis) = e` and `store_where(a, mask, e)`. Source: numpy.copyto.
template <detail::target A, detail::operand V = array<detail::element_in<A>>>
void copyto(A&& a, V&& values) {
  detail::stored_into(std::forward<A>(a))(ellipsis) = std::forward<V>(values);
}
template <detail::target A, detail::operand V = array<detail::element_in<A>>, detail::mask_array M>
void copyto(A&& a, V&& values, M&& where) {
  store_where(std::forward<A>(a), std::forward<M>(where), std::forward<V>(values));
}
/// Stores into the elements whose indices are all the same: the values in turn, over again where they are too few. Shapes: two axes,
/// or more of one length. Errors: `shape_error`. Source: numpy.fill_diagonal without wrap.
template <detail::target A, detail::operand V = array<detail::element_in<A>>>
void fill_diagonal(A&& a, V&& values) {
  using T = detail::element_in<A>;
  if (detail::has_no_values(values)) return;
  if constexpr (std::same_as<A, array<T>&>) {
    return fill_diagonal(array_ref<T>(a), std::forward<V>(values));
  } else {
    auto&& to = detail::stored_into(std::forward<A>(a));
    detail::handle diagonal(detail::make_main_diagonal(detail::handle(to.share()).get()));
    const shape s = detail::shape_of(diagonal.get());
    to.through(diagonal.take()) = detail::repeated_to<T>(std::forward<V>(values), s);
  }
}

// What nothing is stored into.
#define SINTER_NO_TARGET(name)   \
  template <class A, class... X> \
    requires(!detail::target<A>) \
  detail::refused<double, detail::fault::target, A> name(A&&, X&&...);
SINTER_NO_TARGET(put_along_axis)
SINTER_NO_TARGET(putmask)
SINTER_NO_TARGET(place)
SINTER_NO_TARGET(copyto)
SINTER_NO_TARGET(fill_diagonal)
#undef SINTER_NO_TARGET

}  // namespace sinter
