// Arrays and mdspans, those of the standard library and of others: views of host memory, both ways. Not in sinter.hpp.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#if __has_include(<mdspan>) && __cplusplus > 202002L
#include <mdspan>
#endif

#include <sinter/foreign.hpp>

namespace sinter {

namespace detail {

/// std::mdspan, Kokkos::mdspan, cuda::std::mdspan: what has their members, and strides.
template <class M>
concept strided_mdspan = requires(const M& m) {
  typename M::extents_type;
  typename M::mapping_type;
  m.data_handle();
  m.mapping();
  M::rank();
};

template <class M, class T>
M mdspan_over(T* data, const std::vector<std::int64_t>& strides, const shape& s) {
  using mapping = typename M::mapping_type;
  using index = typename M::index_type;
  using steps = std::remove_cvref_t<decltype(std::declval<const mapping&>().strides())>;
  return [&]<std::size_t... d>(std::index_sequence<d...>) {
    const typename M::extents_type extents(static_cast<index>(s[static_cast<int>(d)])...);
    return M(data, mapping(extents, steps{{static_cast<index>(strides[d])...}}));
  }
  (std::make_index_sequence<M::rank()>());
}

}  // namespace detail

/// The elements of an array as an mdspan of a type that has dynamic extents and `layout_stride`, to be read:
/// `as_mdspan<Kokkos::mdspan<const float, Kokkos::dextents<int, 2>, Kokkos::layout_stride>>(a)`; or, of an array that is not const, to be
/// written, which gives it elements of its own where others share them. Good as `a.data()` is. Errors: `device_error` for an array of a
/// GPU; `shape_error` for another number of axes.
template <detail::strided_mdspan M, element T>
M as_mdspan(const array<T>& a) {
  detail::check_is_on_host(a.node(), M::rank(), false);
  return detail::mdspan_over<M>(a.data(), a.strides(), a.shape());
}
template <detail::strided_mdspan M, element T>
M as_mdspan(array<T>& a) {
  detail::check_is_on_host(a.node(), M::rank(), false);
  T* const data = a.data();
  return detail::mdspan_over<M>(data, a.strides(), a.shape());
}
template <detail::strided_mdspan M, element T>
void as_mdspan(const array<T>&&) = delete;

/// An array over the elements of an mdspan of any strided layout, which the keeper keeps. Errors: as of from_memory.
template <detail::strided_mdspan M, class K = no_keeper>
auto from_mdspan(const M& m, K&& keeper = {}, sinter::device on = sinter::device::cpu()) {
  static_assert(M::rank() <= max_rank, "sinter: arrays have at most 8 axes");
  shape s;
  s.set_size(static_cast<int>(M::rank()));
  std::int64_t strides[M::rank() + 1];
  if constexpr (M::rank() > 0)  // without axes a mapping has no strides
    for (std::size_t d = 0; d < M::rank(); ++d)
      s[static_cast<int>(d)] = static_cast<std::int64_t>(m.extent(d)),
      strides[d] = static_cast<std::int64_t>(m.mapping().stride(d));
  using T = typename M::element_type;
  return from_memory(strided_span<T>(m.data_handle(), s, strides, M::rank()), std::forward<K>(keeper), on);
}

#ifdef __cpp_lib_mdspan
/// As the standard library's, by its number of axes: `as_mdspan<2>(a)`.
template <std::size_t axes, element T>
auto as_mdspan(const array<T>& a) {
  return as_mdspan<std::mdspan<const T, std::dextents<std::int64_t, axes>, std::layout_stride>>(a);
}
template <std::size_t axes, element T>
auto as_mdspan(array<T>& a) {
  return as_mdspan<std::mdspan<T, std::dextents<std::int64_t, axes>, std::layout_stride>>(a);
}
template <std::size_t axes, element T>
void as_mdspan(const array<T>&&) = delete;
#endif

}  // namespace sinter
