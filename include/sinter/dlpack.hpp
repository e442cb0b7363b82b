// Arrays handed to and taken from other libraries by DLPack, without a copy. Its structs are defined here, as DLPack's ABI 1 says they
// lie, so that nothing of it has to be installed. Not in sinter.hpp.
#pragma once

#include <cstdint>

#include <sinter/foreign.hpp>

namespace sinter {

namespace dlpack {

enum DLDeviceType : std::int32_t { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLCUDAManaged = 13 };
struct DLDevice {
  std::int32_t device_type, device_id;
};
enum DLDataTypeCode : std::uint8_t {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLComplex = 5,
  kDLBool = 6
};
struct DLDataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: C order
  std::uint64_t byte_offset;
};
/// Before DLPack 1.0; in Python a capsule that is called "dltensor".
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};
struct DLPackVersion {
  std::uint32_t major, minor;
};
/// In Python a capsule that is called "dltensor_versioned".
struct DLManagedTensorVersioned {
  static constexpr std::uint64_t read_only = 1, is_copied = 2;  // flags

  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned*);
  std::uint64_t flags;
  DLTensor dl_tensor;
};

}  // namespace dlpack

namespace detail {

template <class M>
inline constexpr bool is_versioned = requires(M& m) {
  m.version;
};
/// DLPack's struct of the same name, of whichever header.
template <class M>
concept managed_tensor = requires(M& m) {
  m.dl_tensor.byte_offset;
  m.manager_ctx;
  m.deleter;
  requires sizeof(M) == (is_versioned<M> ? sizeof(dlpack::DLManagedTensorVersioned) : sizeof(dlpack::DLManagedTensor));
};

/// Of an array: to be read only, or written. Both are owned by the caller, who calls the deleter.
SINTER_API dlpack::DLManagedTensorVersioned* make_dlpack(handle array, bool is_copied, bool is_read_only);
SINTER_API dlpack::DLManagedTensor* make_unversioned_dlpack(handle array);
/// Errors: as from_dlpack.
SINTER_API node* take_dlpack(dlpack::DLManagedTensorVersioned*);
SINTER_API node* take_dlpack(dlpack::DLManagedTensor*);
SINTER_API void check_dlpack_dtype(const dlpack::DLTensor&, dtype);
/// A node that stands for writing: `target`'s own elements.
SINTER_API handle make_lent(handle& target, bool to_write);

template <class M>
auto* as_managed(M* m) {
  if constexpr (is_versioned<M>) return reinterpret_cast<dlpack::DLManagedTensorVersioned*>(m);
  else return reinterpret_cast<dlpack::DLManagedTensor*>(m);
}

template <class M>
M* made_dlpack(handle lent, bool is_read_only) {
  if constexpr (is_versioned<M>) return reinterpret_cast<M*>(make_dlpack(std::move(lent), false, is_read_only));
  else return reinterpret_cast<M*>(make_unversioned_dlpack(std::move(lent)));
}

}  // namespace detail

/// The dtype of a tensor. Errors: `dtype_error` for one that Sinter has not.
SINTER_API dtype dtype_in(const dlpack::DLTensor&);

/// An array for another library, which owns the result and calls its deleter. It has the elements as they are now: a store into `a`
/// later copies, as where another array shares them. Named arrays that are not const are handed over to be written, and get elements
/// of their own first where others share them; all else is read-only, and as DLPack before 1.0 cannot say so, copied for it. Errors:
/// `out_of_memory`, `device_error`. Stream behaviour: what the other library enqueues on the calling thread's current stream of the
/// array's device is in order; `stream_scope` and `stream::from_external` make its own stream that. Source: numpy.ndarray.__dlpack__.
template <class M = dlpack::DLManagedTensorVersioned, element T>
requires detail::managed_tensor<M> M* to_dlpack(array<T>& a) {
  return detail::made_dlpack<M>(detail::make_lent(a.own(), true), false);
}
template <class M = dlpack::DLManagedTensorVersioned, detail::expression E>
requires detail::managed_tensor<M> M* to_dlpack(const E& e) {
  using T = detail::element_in<E>;
  if constexpr (!detail::is_versioned<M>) {
    array<T> mine = array<T>(e).copy();
    return detail::made_dlpack<M>(detail::make_lent(mine.own(), true), false);
  } else {
    array<T> read(e);
    return detail::made_dlpack<M>(detail::make_lent(read.own(), false), true);
  }
}

/// An array over another library's elements, of DLPack's struct with a version or without; it calls the deleter once, when no array
/// has the elements any more and all streams are done with them. What may only be read, and what does not lie as elements of its
/// dtype do, is copied. Dtypes: T has to be the tensor's, which `dtype_in` says. Errors: `dtype_error`; `error` for a major version
/// that is newer than 1; `device_error`; `shape_error`, all of which leave the tensor with the caller. Stream behaviour: the elements
/// are used in the order of the device's current stream, which the other library was told of. Source: numpy.from_dlpack.
template <element T, class M>
  requires detail::managed_tensor<M> array<T> from_dlpack(M* tensor) {
    auto* const managed = detail::as_managed(tensor);
    detail::check_dlpack_dtype(managed->dl_tensor, dtype_of<T>);
    return array<T>(detail::take_dlpack(managed));
  }

}  // namespace sinter
