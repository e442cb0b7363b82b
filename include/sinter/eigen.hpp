// Arrays and Eigen's matrices: views of host memory, both ways. Empty where Eigen is not found. Not in sinter.hpp.
#pragma once

#if __has_include(<Eigen/Core>)
#include <Eigen/Core>

#include <sinter/foreign.hpp>

namespace sinter {

namespace detail {
using eigen_strides = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using eigen_matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using eigen_vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

template <class M>
using eigen_scalar = typename std::remove_cvref_t<M>::Scalar;
/// A matrix of Eigen's that has its elements in memory of its own.
template <class M>
concept eigen_owner = std::derived_from<std::remove_cvref_t<M>, Eigen::PlainObjectBase<std::remove_cvref_t<M>>>;

template <class M>
strided_span<eigen_scalar<M>> elements_of_eigen(M& m) {
  const auto down = static_cast<std::int64_t>(m.rowStride()), across = static_cast<std::int64_t>(m.colStride());
  auto* const data = const_cast<eigen_scalar<M>*>(m.data());
  constexpr bool is_column = std::remove_cvref_t<M>::ColsAtCompileTime == 1,
                 is_row = std::remove_cvref_t<M>::RowsAtCompileTime == 1;
  if constexpr (is_column || is_row) return {data, {m.size()}, {is_column ? down : across}};
  else return {data, {m.rows(), m.cols()}, {down, across}};
}
}  // namespace detail

/// A matrix of Eigen's over the elements of an array of two axes, to be read; or, of one that is not const, to be written, which gives
/// it elements of its own where others share them. Good as `a.data()` is. Errors: `device_error` for an array of a GPU;
/// `shape_error` for another number of axes.
template <element T>
auto as_eigen(const array<T>& a) {
  detail::check_is_on_host(a.node(), 2, false);
  const auto strides = a.strides();
  return Eigen::Map<const detail::eigen_matrix<T>, 0, detail::eigen_strides>(a.data(), a.shape()[0], a.shape()[1],
                                                                             {strides[0], strides[1]});
}
template <element T>
auto as_eigen(array<T>& a) {
  detail::check_is_on_host(a.node(), 2, false);
  T* const data = a.data();
  const auto strides = a.strides();
  return Eigen::Map<detail::eigen_matrix<T>, 0, detail::eigen_strides>(data, a.shape()[0], a.shape()[1],
                                                                       {strides[0], strides[1]});
}
template <element T>
void as_eigen(const array<T>&&) = delete;
/// A vector of Eigen's over an array of one axis.
template <element T>
auto as_eigen_vector(const array<T>& a) {
  detail::check_is_on_host(a.node(), 1, false);
  return Eigen::Map<const detail::eigen_vector<T>, 0, Eigen::InnerStride<>>(a.data(), a.shape()[0],
                                                                            Eigen::InnerStride<>(a.strides()[0]));
}
template <element T>
auto as_eigen_vector(array<T>& a) {
  detail::check_is_on_host(a.node(), 1, false);
  T* const data = a.data();
  return Eigen::Map<detail::eigen_vector<T>, 0, Eigen::InnerStride<>>(data, a.shape()[0],
                                                                      Eigen::InnerStride<>(a.strides()[0]));
}
template <element T>
void as_eigen_vector(const array<T>&&) = delete;

/// An array of the host's memory over a matrix of Eigen's that is moved into it: nothing is copied. Shapes: one axis of a vector, else
/// two. Errors: `out_of_memory`.
template <detail::eigen_owner M>
  requires(!std::is_lvalue_reference_v<M>)
auto from_eigen(M&& m) {
  auto held = new M(std::move(m));
  struct keeper {
    M* mine;
    explicit keeper(M* taken) : mine(taken) {}
    keeper(keeper&& other) noexcept : mine(other.mine) { other.mine = nullptr; }
    ~keeper() { delete mine; }
  } keeps(held);
  return from_memory(detail::elements_of_eigen(*held), std::move(keeps));
}
/// Over the elements of a matrix, a map or a block of Eigen's that the program keeps.
template <class M>
  requires requires(M& m) {
    m.data();
    m.rowStride();
  }
auto view_of_eigen(M& m) {
  static_assert(!std::is_const_v<std::remove_pointer_t<decltype(m.data())>>,
                "sinter: an array can be stored into, so it is no view of what is const");
  return from_memory(detail::elements_of_eigen(m));
}

}  // namespace sinter
#endif
