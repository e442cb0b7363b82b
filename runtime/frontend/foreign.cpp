// Arrays over memory of other owners, and what others may do with an array's.
#include <sinter/foreign.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>

#include <sinter/error.hpp>

#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/memory/foreign.hpp"
#include "runtime/memory/holders.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/current.hpp"

namespace sinter::detail {

using runtime::as_array_node;

void set_c_strides(foreign_elements& of) { codegen::c_strides(of.extents, of.strides); }

void set_strides(foreign_elements& of, const std::int64_t* strides, std::size_t count) {
  if (count != static_cast<std::size_t>(of.extents.size())) throw_stride_count(of.extents, count);
  std::copy(strides, strides + count, of.strides);
}

namespace {

node* without_elements(const foreign_elements& of) {
  const device_scope on(of.device);
  node* const made = make_array(of.type, of.extents);
  if (of.done) of.done(of.with);
  return made;
}

}  // namespace

node* make_foreign(const foreign_elements& of) try {
  of.extents.check();
  if (of.extents.elements() == 0) return without_elements(of);
  const std::int64_t size = itemsize(of.type), aligned = itemsize(real_part_of(of.type));
  if (!of.first || reinterpret_cast<std::uintptr_t>(of.first) % static_cast<std::uintptr_t>(aligned) != 0)
    throw shape_error(message("sinter: memory at %p holds no elements of %s", of.first, name(of.type)).c_str());
  runtime::int128 lowest = 0, highest = 0;
  std::int64_t c_strides[max_rank];
  codegen::c_strides(of.extents, c_strides);
  bool is_contiguous = true;
  for (int d = 0; d < of.extents.size(); ++d) {
    const auto reach = runtime::int128{of.strides[d]} * (of.extents[d] - 1);
    (reach < 0 ? lowest : highest) += reach;
    is_contiguous = is_contiguous && (of.extents[d] == 1 || of.strides[d] == c_strides[d]);
  }
  if ((highest - lowest + 1) * size > std::numeric_limits<std::int64_t>::max())
    throw shape_error(message("sinter: the strides of an array of shape %s lead further than memory goes",
                              to_string(of.extents).c_str())
                          .c_str());
  const auto low = static_cast<std::int64_t>(lowest), high = static_cast<std::int64_t>(highest);
  runtime::stream_state& on = runtime::current_stream(runtime::implementation(of.device));
  auto* const a = runtime::new_node<array_node>(of.type, of.extents);
  try {
    a->offset = -low;
    a->contiguous = is_contiguous;
    std::copy(of.strides, of.strides + max_rank, a->strides);
    if (is_contiguous) codegen::c_strides(of.extents, a->strides);
    runtime::hold_first(
        *a, *runtime::make_foreign_storage(static_cast<std::byte*>(of.first) + low * size,
                                           static_cast<std::size_t>((high - low + 1) * size), {of.done, of.with}, on));
  } catch (...) {
    runtime::free_node(a);
    throw;
  }
  return a;
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

void check_is_on_host(node* n, int axes, bool in_c_order) {
  const array_node* const a = as_array_node(n);
  const device on = a->memory->device->id;
  if (on.type() == device::kind::cuda)
    throw device_error(message("sinter: an array of %s is no memory of the host's; copy it with to(device::cpu())",
                               runtime::to_text(on).c_str())
                           .c_str());
  if (axes >= 0 && a->extents.size() != axes)
    throw shape_error(
        message("sinter: %d axes are wanted of an array of shape %s", axes, to_string(a->extents).c_str()).c_str());
  if (in_c_order && !a->contiguous)
    throw shape_error(
        message("sinter: the elements of an array of shape %s do not lie in C order; copy() of it has them so",
                to_string(a->extents).c_str())
            .c_str());
}

}  // namespace sinter::detail
