#include <sinter/cuda_array_interface.hpp>

#include <cstdio>
#include <cstring>

#include <sinter/error.hpp>

#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/current.hpp"

namespace sinter::detail {

namespace {

constexpr std::intptr_t legacy_stream = 1;

void write_typestr(dtype t, char* to, std::size_t room) {
  const char kind = t == dtype::bool_    ? 'b'
                    : is_complex(t)      ? 'c'
                    : is_floating(t)     ? 'f'
                    : facts(t).is_signed ? 'i'
                                         : 'u';
  if (t == dtype::bfloat16) throw dtype_error("sinter: the CUDA array interface has no bfloat16");
  std::snprintf(to, room, "%c%c%d", itemsize(t) == 1 ? '|' : '<', kind, static_cast<int>(itemsize(t)));
}

}  // namespace

cuda_array_interface describe_for_cuda(node* n, bool is_read_only) {
  const array_node& a = *runtime::as_array_node(n);
  const device on = a.memory->device->id;
  if (on.type() != device::kind::cuda)
    throw device_error(
        message("sinter: the CUDA array interface of an array of %s", runtime::to_text(on).c_str()).c_str());
  cuda_array_interface made;
  write_typestr(a.type, made.typestr, sizeof made.typestr);
  for (int d = 0; d < a.extents.size(); ++d) {
    made.shape.push_back(a.extents[d]);
    if (!a.contiguous) made.strides.push_back(a.strides[d] * itemsize(a.type));
  }
  made.data = a.memory->data ? a.data() : nullptr;
  made.read_only = is_read_only;
  void* const stream = runtime::current_stream(*a.memory->device).handle;
  made.stream = stream ? reinterpret_cast<std::intptr_t>(stream) : legacy_stream;
  return made;
}

foreign_elements elements_of(const cuda_array_interface& of, dtype type) {
  char wanted[sizeof of.typestr];
  write_typestr(type, wanted, sizeof wanted);
  if (std::strcmp(of.typestr, wanted) != 0)
    throw dtype_error(
        message("sinter: a CUDA array of typestr %s is taken as one of %s", of.typestr, name(type)).c_str());
  foreign_elements e;
  e.first = of.data;
  e.device = device::current();
  if (e.device.type() != device::kind::cuda)
    throw device_error(message("sinter: a CUDA array on %s; a device_scope makes its GPU the current device",
                               runtime::to_text(e.device).c_str())
                           .c_str());
  if (of.shape.size() > static_cast<std::size_t>(max_rank)) throw shape_error("sinter: a CUDA array of too many axes");
  e.extents.set_size(static_cast<int>(of.shape.size()));
  for (std::size_t d = 0; d < of.shape.size(); ++d) e.extents[static_cast<int>(d)] = of.shape[d];
  set_c_strides(e);
  if (!of.strides.empty()) {
    set_strides(e, of.strides.data(), of.strides.size());
    for (int d = 0; d < e.extents.size(); ++d) {
      if (e.strides[d] % itemsize(type) != 0)
        throw shape_error("sinter: the strides of a CUDA array are no whole elements");
      e.strides[d] /= itemsize(type);
    }
  }
  if (of.stream != 0)
    stream::current().wait(of.stream == legacy_stream ? stream::null()
                                                      : stream::from_external(reinterpret_cast<void*>(of.stream)));
  return e;
}

}  // namespace sinter::detail
