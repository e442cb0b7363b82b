// The CUDA array interface, version 3, as a struct: what __cuda_array_interface__ of CuPy, PyTorch, Numba and others says of an array.
// Not in sinter.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include <sinter/foreign.hpp>

namespace sinter {

/// An array as the interface describes it. It owns nothing.
struct cuda_array_interface {
  std::vector<std::int64_t> shape{};
  char typestr[8] = {};  ///< "<f4"
  void* data = nullptr;  ///< a device's address; null where there are no elements
  bool read_only = false;
  std::vector<std::int64_t> strides{};  ///< bytes; empty: C order
  std::intptr_t stream =
      0;  ///< what is in order with the elements: 0: nothing; 1: the legacy default stream; 2: the thread's; else a CUstream
  int version = 3;
};

namespace detail {
SINTER_API cuda_array_interface describe_for_cuda(node* array, bool is_read_only);
SINTER_API foreign_elements elements_of(const cuda_array_interface&, dtype);
}  // namespace detail

/// Of an array of a GPU, which has to outlive it: to be written, which gives it elements of its own where others share them, or, of
/// a const one, to be read. Errors: `device_error` for another device; `dtype_error` for bfloat16, which has no typestr. Stream
/// behaviour: what is enqueued on `stream`, the current one, is in order. Source: cupy.ndarray.__cuda_array_interface__.
template <element T>
cuda_array_interface to_cuda_array_interface(array<T>& a) {
  a.data();
  return detail::describe_for_cuda(a.node(), false);
}
template <element T>
cuda_array_interface to_cuda_array_interface(const array<T>& a) {
  a.data();
  return detail::describe_for_cuda(a.node(), true);
}
template <element T>
cuda_array_interface to_cuda_array_interface(const array<T>&&) = delete;

/// An array over elements on the current device, which is a GPU; the keeper is destroyed once, when no array has them any more and all
/// streams are done with them. What may only be read is copied. Errors: `device_error`; `dtype_error` for another typestr than T's;
/// `shape_error`. Stream behaviour: the current stream waits for `stream`. Source: cupy.asarray.
template <element T, class K = no_keeper>
array<T> from_cuda_array_interface(const cuda_array_interface& of, K&& keeper = {}) {
  detail::foreign_elements elements = detail::elements_of(of, dtype_of<T>);
  array<T> made = detail::make_foreign<T>(elements, std::forward<K>(keeper));
  return of.read_only ? made.copy() : made;
}

}  // namespace sinter
