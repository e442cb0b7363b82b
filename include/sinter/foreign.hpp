// Arrays over memory of other owners, and the memory of arrays for others: without a copy. DLPack (dlpack.hpp), the CUDA
// array interface (cuda_array_interface.hpp), Eigen (eigen.hpp) and std::mdspan (mdspan.hpp) are made of this. Not in sinter.hpp.
#pragma once

#include <cstddef>
#include <span>

#include <sinter/array.hpp>

namespace sinter {

namespace detail {

/// Elements in memory of another owner.
struct foreign_elements {
  void* first = nullptr;  // element
  dtype type = dtype::float64;
  sinter::device device;
  shape extents;
  std::int64_t strides[max_rank] = {};  // in elements
  void (*done)(void*) noexcept = nullptr;
  void* with = nullptr;
};
/// An array of them; `done(with)` is called once, after the last array and every stream that uses it are done. Errors: `shape_error`,
/// `device_error`, `out_of_memory`; nothing is taken over then, and `done` is not called.
SINTER_API node* make_foreign(const foreign_elements&);
/// The strides of C order.
SINTER_API void set_c_strides(foreign_elements&);
SINTER_API void set_strides(foreign_elements&, const std::int64_t* strides, std::size_t count);
/// Errors: `device_error` unless an array's elements are in the host's memory; `shape_error` for another number of axes, or where they
/// do not lie in C order and have to.
SINTER_API void check_is_on_host(node*, int axes, bool in_c_order);

/// Deletes what keeps memory.
template <class K>
void drop_keeper(void* held) noexcept {
  delete static_cast<K*>(held);
}

/// An array of elements that a keeper keeps.
template <class T, class K>
array<T> make_foreign(foreign_elements& of, K&& keeper) {
  using held = std::decay_t<K>;
  struct owner {
    held* mine;
    ~owner() { delete mine; }
  } keeps{new held(std::forward<K>(keeper))};
  of.type = dtype_of<T>;
  of.done = &drop_keeper<held>;
  of.with = keeps.mine;
  array<T> made(make_foreign(of));
  keeps.mine = nullptr;
  return made;
}

}  // namespace detail

/// Nothing keeps the memory: the program sees to it that it outlives the array and what is made of it.
struct no_keeper {};

/// An array over memory that another owner has; nothing is copied. The array keeps `keeper`, such as a std::shared_ptr or the vector
/// that the memory is of, and destroys it once, when no array has the memory any more and every stream is done with it; on which
/// thread is not said. Stores go into that memory as they do into an array's own, so as long as nothing else of Sinter's sees the
/// elements. Others may write there too, but no value is promised of an expression that reads it then. Errors: `shape_error` where
/// elements are not aligned; `out_of_memory`. Stream behaviour: the memory is used in the order of the device's current stream, and
/// of others after that. Source: torch.from_blob.
template <element T, class K = no_keeper>
array<T> from_memory(T* data, const shape& s, K&& keeper = {}, sinter::device on = sinter::device::cpu()) {
  detail::foreign_elements of{.first = data, .device = on, .extents = s};
  detail::set_c_strides(of);
  return detail::make_foreign<T>(of, std::forward<K>(keeper));
}
/// Of any layout. Units: strides in elements.
template <element T, class K = no_keeper>
array<T> from_memory(const strided_span<T>& elements, K&& keeper = {}, sinter::device on = sinter::device::cpu()) {
  detail::foreign_elements of{.first = elements.data(), .device = on, .extents = elements.shape()};
  for (int d = 0; d < of.extents.size(); ++d) of.strides[d] = elements.stride(d);
  return detail::make_foreign<T>(of, std::forward<K>(keeper));
}

/// The elements of an array of the host's memory, in C order, to be read; or, of one that is not const, to be written, which gives it
/// elements of its own where others share them. Good as `a.data()` is. Errors: `device_error` for an array of a GPU; `shape_error` for
/// one whose elements lie otherwise.
template <element T>
std::span<const T> as_span(const array<T>& a) {
  detail::check_is_on_host(a.node(), -1, true);
  return {a.data(), static_cast<std::size_t>(a.size())};
}
template <element T>
std::span<T> as_span(array<T>& a) {
  detail::check_is_on_host(a.node(), -1, true);
  return {a.data(), static_cast<std::size_t>(a.size())};
}
// It would be gone at the end of the statement.
template <element T>
std::span<T> as_span(const array<T>&&) = delete;

}  // namespace sinter
