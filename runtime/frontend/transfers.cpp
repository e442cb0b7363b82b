// Elements between arrays and host memory of any layout, and from device to device. What is strided is packed on the host:
// a bus moves long runs, and a kernel that gathers would need the host's memory mapped. Where the caller does not wait,
// a host function of the stream packs.
#include <cstring>
#include <new>
#include <vector>

#include <sinter/error.hpp>
#include <sinter/memory.hpp>
#include <sinter/stream.hpp>

#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/memory/pinned.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/memory/transfer.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/current.hpp"

namespace sinter::detail {

using runtime::as_array_node;
using runtime::typed;

namespace {

/// Copies between packed memory and a layout, an element at a time.
class packing {
 public:
  packing(const host_layout& l, std::size_t itemsize) : layout_(l), item_(itemsize) {}
  std::size_t size() const { return static_cast<std::size_t>(layout_.extents.elements()) * item_; }
  const void* memory() const { return layout_.data; }
  bool is_pinned(const runtime::device_impl& target) const {
    const auto* low = static_cast<const std::byte*>(layout_.data);
    const auto* high = low + item_;
    for (int d = 0; d < layout_.extents.size(); ++d) {
      const std::int64_t reach = layout_.strides[d] * (layout_.extents[d] - 1);
      (reach < 0 ? low : high) += reach;
    }
    return size() > 0 && runtime::is_pinned(low, static_cast<std::size_t>(high - low), target);
  }
  void gather(std::byte* packed) const {
    each([&](std::byte* there) {
      std::memcpy(packed, there, item_);
      packed += item_;
    });
  }
  void scatter(const std::byte* packed) const {
    each([&](std::byte* there) {
      std::memcpy(there, packed, item_);
      packed += item_;
    });
  }

 private:
  template <class F>
  void each(F element) const {
    const int rank = layout_.extents.size();
    std::int64_t index[max_rank] = {};
    auto* at = static_cast<std::byte*>(layout_.data);
    for (std::int64_t left = layout_.extents.elements(); left > 0; --left) {
      element(at);
      for (int d = rank - 1; d >= 0; --d) {
        at += layout_.strides[d];
        if (++index[d] < layout_.extents[d]) break;
        at -= layout_.strides[d] * layout_.extents[d];
        index[d] = 0;
      }
    }
  }

  const host_layout layout_;
  const std::size_t item_;
};

/// Packed pinned memory between strided memory and the bus, for copies that are not waited for: the host packs when the
/// stream comes there. A graph keeps it; otherwise it is free once the stream has come past what is enqueued by then.
class packed_memory {
 public:
  packed_memory(const packing& layout, runtime::stream_state& on) : layout_(layout), on_(on) {
    if (runtime::capture_state* const c = runtime::capture_of(on)) {
      runtime::keep_for_graph(*c, layout.memory());
      data = runtime::pinned_for_graph(*c, layout.size(), on);
      return;
    }
    const device_scope here(on.device.id);
    bytes_ = empty_pinned<std::uint8_t>({static_cast<std::int64_t>(layout.size())});
    data = reinterpret_cast<std::byte*>(bytes_.data());
  }
  void gather() const {
    enqueue([layout = layout_, to = data] { layout.gather(to); });
  }
  void scatter() const {
    enqueue([layout = layout_, from = data] { layout.scatter(from); });
  }

  std::byte* data = nullptr;

 private:
  template <class F>
  void enqueue(F work) const {
    on_.handle_of().launch_host_func(work);
    if (!bytes_.data()) return;
    runtime::keep_pinned(layout_.memory(), on_);
    runtime::keep_pinned(data, on_);
  }

  const packing& layout_;
  runtime::stream_state& on_;
  pinned_array<std::uint8_t> bytes_;
};

bool is_packed(const host_layout& l, std::int64_t itemsize) {
  std::int64_t expected = itemsize;
  for (int d = l.extents.size() - 1; d >= 0; --d) {
    if (l.extents[d] > 1 && l.strides[d] != expected) return false;
    expected *= l.extents[d];
  }
  return true;
}

void check_shape(const shape& array, const shape& host, const where& place) {
  if (array == host) return;
  throw shape_error(message("sinter: host memory of shape %s for an array of shape %s%s", to_string(host).c_str(),
                            to_string(array).c_str(), at(place).c_str())
                        .c_str());
}

}  // namespace

void throw_stride_count(const shape& s, std::size_t strides) {
  throw shape_error(message("sinter: %zu strides for the shape %s", strides, to_string(s).c_str()).c_str());
}

void read_strided(node* n, const host_layout& to, transfer_options how, const where& place) try {
  const handle value(evaluate(n, place));
  const array_node* a = as_array_node(value.get());
  check_shape(a->extents, to.extents, place);
  const auto count = static_cast<std::size_t>(to.extents.elements());
  if (is_packed(to, itemsize(a->type))) return read_all(value.get(), to.data, count, how, place);
  const packing layout(to, static_cast<std::size_t>(itemsize(a->type)));
  if (runtime::device_impl& on = *a->memory->device; !how.blocking && layout.is_pinned(on)) {
    const packed_memory between(layout, runtime::current_stream(on));
    read_all(value.get(), between.data, count, how, place);
    return between.scatter();
  }
  std::vector<std::byte> packed(layout.size());
  read_all(value.get(), packed.data(), count, {}, place);
  layout.scatter(packed.data());
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

void write_strided(handle& target, const host_layout& from, transfer_options how, const where& place) try {
  const array_node* a = as_array_node(target.get());
  check_shape(a->extents, from.extents, place);
  const auto count = static_cast<std::size_t>(from.extents.elements());
  if (is_packed(from, itemsize(a->type))) return write_all(target, from.data, count, how, place);
  const packing layout(from, static_cast<std::size_t>(itemsize(a->type)));
  if (runtime::device_impl& on = *a->memory->device; !how.blocking && layout.is_pinned(on)) {
    const packed_memory between(layout, runtime::current_stream(on));
    between.gather();
    return write_all(target, between.data, count, how, place);
  }
  std::vector<std::byte> packed(layout.size());
  layout.gather(packed.data());
  write_all(target, packed.data(), count, {}, place);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

node* make_copy_on(node* n, device d) try {
  runtime::device_impl& there = runtime::implementation(d);
  const handle value(evaluate(n, where{}));
  array_node* from = as_array_node(value.get());
  if (from->memory->device == &there) return retain(from);
  const handle packed(from->contiguous ? retain(from) : make_copy(from));
  from = as_array_node(packed.get());
  array_node* to = runtime::new_array(from->type, from->extents, runtime::current_stream(there));
  const handle guard(to);
  runtime::copy(*to->memory, to->data(), *from->memory, from->data(), to->memory->size);
  return retain(to);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace sinter::detail
