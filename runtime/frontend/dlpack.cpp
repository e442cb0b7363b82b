// DLPack's structs made of arrays, and arrays of them.
#include <sinter/dlpack.hpp>

#include <memory>
#include <new>
#include <utility>

#include <sinter/error.hpp>

#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter {

using namespace detail;

namespace {

struct dlpack_dtype {
  dtype type;
  std::uint8_t code, bits;
};
constexpr dlpack_dtype dtypes[] = {
    {dtype::bool_, dlpack::kDLBool, 8},          {dtype::int8, dlpack::kDLInt, 8},
    {dtype::uint8, dlpack::kDLUInt, 8},          {dtype::int16, dlpack::kDLInt, 16},
    {dtype::uint16, dlpack::kDLUInt, 16},        {dtype::int32, dlpack::kDLInt, 32},
    {dtype::uint32, dlpack::kDLUInt, 32},        {dtype::int64, dlpack::kDLInt, 64},
    {dtype::uint64, dlpack::kDLUInt, 64},        {dtype::float16, dlpack::kDLFloat, 16},
    {dtype::bfloat16, dlpack::kDLBfloat, 16},    {dtype::float32, dlpack::kDLFloat, 32},
    {dtype::float64, dlpack::kDLFloat, 64},      {dtype::complex64, dlpack::kDLComplex, 64},
    {dtype::complex128, dlpack::kDLComplex, 128}};

// What an exported tensor keeps.
template <class Managed>
struct exported {
  handle array;
  std::int64_t extents[max_rank + 1], strides[max_rank + 1];  // never of no length
  Managed managed;
};
template <class Managed>
void forget(Managed* m) {
  delete static_cast<exported<Managed>*>(m->manager_ctx);
}

template <class Managed>
exported<Managed>* make_exported(handle of) try {
  const array_node& a = *runtime::as_array_node(of.get());
  auto made = std::make_unique<exported<Managed>>();
  for (int d = 0; d < a.extents.size(); ++d) made->extents[d] = a.extents[d], made->strides[d] = a.strides[d];
  const device on = a.memory->device->id;
  dlpack::DLTensor& t = made->managed.dl_tensor;
  t = {a.memory->data ? a.data() : nullptr,
       on.type() == device::kind::cuda ? dlpack::DLDevice{dlpack::kDLCUDA, on.ordinal()}
                                       : dlpack::DLDevice{dlpack::kDLCPU, 0},
       a.extents.size(),
       {},
       made->extents,
       made->strides,
       0};
  for (const dlpack_dtype& d : dtypes)
    if (d.type == a.type) t.dtype = {d.code, d.bits, 1};
  made->array = std::move(of);
  made->managed.manager_ctx = made.get();
  made->managed.deleter = &forget<Managed>;
  return made.release();
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

// Where its elements are for Sinter.
device device_for(const dlpack::DLDevice& d) {
  switch (d.device_type) {
    case dlpack::kDLCPU:
    case dlpack::kDLCUDAHost: {
      const device now = device::current();
      return now.type() == device::kind::interpreter ? now : device::cpu();
    }
    case dlpack::kDLCUDA:
    case dlpack::kDLCUDAManaged: return device::cuda(d.device_id);
    default:
      throw device_error(
          message("sinter: a DLPack tensor of device type %d, which is no memory of the host's or of CUDA",
                  d.device_type)
              .c_str());
  }
}

template <class Managed>
node* taken(Managed* managed, bool is_read_only) {
  const dlpack::DLTensor& t = managed->dl_tensor;
  foreign_elements of;
  if (t.ndim < 0 || t.ndim > max_rank)
    throw shape_error(message("sinter: a DLPack tensor of %d axes; arrays have up to %d", t.ndim, max_rank).c_str());
  of.type = dtype_in(t);
  of.device = device_for(t.device);
  of.extents.set_size(t.ndim);
  for (int d = 0; d < t.ndim; ++d) of.extents[d] = t.shape[d];
  if (t.strides) set_strides(of, t.strides, static_cast<std::size_t>(t.ndim));
  else set_c_strides(of);
  of.first = static_cast<std::byte*>(t.data) + t.byte_offset;
  of.with = managed;
  of.done = [](void* held) noexcept {
    auto* const m = static_cast<Managed*>(held);
    if (m->deleter) m->deleter(m);
  };
  if (!is_read_only) return make_foreign(of);
  // Nothing may be stored there, so the values are copied. The look at them ends once that is done.
  const auto done = std::exchange(of.done, nullptr);
  handle look(make_foreign(of));
  handle copy(make_copy(look.get()));
  look = {};
  done(managed);
  return copy.take();
}

}  // namespace

dtype dtype_in(const dlpack::DLTensor& t) {
  for (const dlpack_dtype& d : dtypes)
    if (d.code == t.dtype.code && d.bits == t.dtype.bits && t.dtype.lanes == 1) return d.type;
  throw dtype_error(
      message("sinter: a DLPack tensor of type code %d, %d bits and %d lanes, which is no dtype of Sinter's",
              t.dtype.code, t.dtype.bits, t.dtype.lanes)
          .c_str());
}

void detail::check_dlpack_dtype(const dlpack::DLTensor& t, dtype wanted) {
  const dtype is = dtype_in(t);
  if (is != wanted)
    throw dtype_error(message("sinter: a DLPack tensor of %s is taken as one of %s", name(is), name(wanted)).c_str());
}

handle detail::make_lent(handle& target, bool to_write) {
  to_write ? static_cast<void>(address_to_write(target, {})) : static_cast<void>(address_to_read(target.get(), {}));
  return target;
}

dlpack::DLManagedTensorVersioned* detail::make_dlpack(handle array, bool is_copied, bool is_read_only) {
  using versioned = dlpack::DLManagedTensorVersioned;
  versioned& m = make_exported<versioned>(std::move(array))->managed;
  m.version = {1, 0};
  m.flags = (is_read_only ? versioned::read_only : 0) | (is_copied ? versioned::is_copied : 0);
  return &m;
}
dlpack::DLManagedTensor* detail::make_unversioned_dlpack(handle array) {
  return &make_exported<dlpack::DLManagedTensor>(std::move(array))->managed;
}

node* detail::take_dlpack(dlpack::DLManagedTensorVersioned* m) {
  if (m->version.major > 1)
    throw error(
        message("sinter: a DLPack tensor of version %u.%u; this is version 1", m->version.major, m->version.minor)
            .c_str());
  return taken(m, (m->flags & dlpack::DLManagedTensorVersioned::read_only) != 0);
}
node* detail::take_dlpack(dlpack::DLManagedTensor* m) { return taken(m, false); }

}  // namespace sinter
