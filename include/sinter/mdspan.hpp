// Arrays and std::mdspan: views of host memory, both ways. Empty where the standard library has none. Not in sinter.hpp.
#pragma once

#if __has_include(<mdspan>) && __cplusplus > 202002L
#include <array>
#include <mdspan>

#include <sinter/foreign.hpp>

namespace sinter {

namespace detail {
template <class T, std::size_t axes>
auto mdspan_over(T* data, const std::vector<std::int64_t>& strides, const shape& s) {
  std::array<std::int64_t, axes> extents, steps;
  for (std::size_t d = 0; d < axes; ++d) extents[d] = s[static_cast<int>(d)], steps[d] = strides[d];
  using all = std::dextents<std::int64_t, axes>;
  return std::mdspan<T, all, std::layout_stride>(data, std::layout_stride::mapping<all>(all(extents), steps));
}
}  // namespace detail

/// The elements of an array of so many axes, to be read; or, of one that is not const, to be written, which gives it elements of its
/// own where others share them. Good as `a.data()` is. Errors: `device_error` for an array of a GPU; `shape_error` for another number of
/// axes.
template <std::size_t axes, element T>
auto as_mdspan(const array<T>& a) {
  detail::check_is_on_host(a.node(), axes, false);
  return detail::mdspan_over<const T, axes>(a.data(), a.strides(), a.shape());
}
template <std::size_t axes, element T>
auto as_mdspan(array<T>& a) {
  detail::check_is_on_host(a.node(), axes, false);
  T* const data = a.data();
  return detail::mdspan_over<T, axes>(data, a.strides(), a.shape());
}
template <std::size_t axes, element T>
void as_mdspan(const array<T>&&) = delete;

/// An array over the elements of an mdspan of any strided layout, which the keeper keeps. Errors: as of from_memory.
template <class T, class Extents, class Layout, class K = no_keeper>
array<T> from_mdspan(std::mdspan<T, Extents, Layout> m, K&& keeper = {}, sinter::device on = sinter::device::cpu()) {
  shape s;
  s.set_size(static_cast<int>(m.rank()));
  std::int64_t strides[Extents::rank() + 1];
  if constexpr (Extents::rank() > 0)  // without axes a mapping has no strides
    for (std::size_t d = 0; d < m.rank(); ++d)
      s[static_cast<int>(d)] = static_cast<std::int64_t>(m.extent(d)),
      strides[d] = static_cast<std::int64_t>(m.stride(d));
  return from_memory(strided_span<T>(m.data_handle(), s, strides, m.rank()), std::forward<K>(keeper), on);
}

}  // namespace sinter
#endif
