// Pageable memory goes through a stream's staging, pinned memory straight. A copy marks its stream, so that another
// stream that uses the elements waits for this copy and not for the ones after it.
#include "runtime/memory/transfer.hpp"

#include <cstring>

#include <sinter/error.hpp>

#include "runtime/device/device.hpp"
#include "runtime/memory/pinned.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/report/recording.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/operation.hpp"
#include "runtime/stream/order.hpp"

namespace sinter::runtime {

using detail::storage;

namespace {

/// Only a stream that the program made may meet another one: marks on the default stream would be for nothing as a rule.
/// Without a mark another stream waits for more than this copy.
void mark_copy(stream_state& on) noexcept {
  if (&on == &on.device.streams().default_stream()) return;
  try {
    mark(on);
  } catch (...) {
  }
}

/// Of memory that is not pinned, what is in it now: every launch reads that.
void capture_copy_in(capture_state& c, std::byte* at, const void* from_host, std::size_t size, stream_state& on) {
  if (!on.device.asynchronous()) return on.device.copy_in(at, from_host, size, on);
  std::byte* const kept = pinned_for_graph(c, size, on);
  std::memcpy(kept, from_host, size);
  on.device.copy_in_pinned(at, kept, size, on);
}

}  // namespace

std::byte* pinned_for_graph(capture_state& c, std::size_t size, stream_state& on) {
  const device_scope here(on.device.id);
  void* const block = default_pinned_memory_pool().allocate(size);
  hold(c, block, detail::free_pinned);
  return static_cast<std::byte*>(block);
}

void keep_for_graph(capture_state& c, const void* memory) {
  if (void* const block = pinned_pool::hold_for_graph(memory)) hold(c, block, pinned_pool::release_of_graph);
}

void keep_pinned(const void* memory, stream_state& on) {
  try {
    note_use(memory, on, on.position());
  } catch (...) {
    wait_surely(on, on.position());
    throw;
  }
}

void copy_in(storage& to, std::byte* at, const void* from_host, std::size_t size, transfer_options how) {
  if (size == 0) return;
  stream_state& on = current_stream(*to.device);
  operation op(on);
  op.writes(&to);
  const bool direct = is_pinned(from_host, size, *to.device);
  capture_state* const c = on.capture.load(std::memory_order_acquire);
  const bool captured_directly = direct && c && !how.blocking;
  if (captured_directly) keep_for_graph(*c, from_host);
  noted(other_work::copy_in, "from the host", static_cast<double>(size), on, [&] {
    if (captured_directly || (direct && !c)) on.device.copy_in_pinned(at, from_host, size, on);
    else if (c) capture_copy_in(*c, at, from_host, size, on);
    else on.device.copy_in(at, from_host, size, on);
  });
  op.done();
  op.has_written(&to);
  if (direct && !c) keep_pinned(from_host, on);
  mark_copy(on);
  if (direct && how.blocking && !c) wait_until_reached(on, on.position());
}

void copy_out(void* to_host, storage& from, const std::byte* at, std::size_t size, transfer_options how,
              const detail::where& place) {
  if (size == 0) return;
  stream_state& on = current_stream(*from.device);
  const bool direct = is_pinned(to_host, size, *from.device);
  const bool captured = on.capture.load(std::memory_order_acquire) != nullptr;
  if (captured && (!direct || how.blocking)) refuse_captured_wait("reading an array's elements", place);
  operation op(on);
  op.reads(&from);
  if (captured) keep_for_graph(*chosen.capture, to_host);
  noted(other_work::copy_out, "to the host", static_cast<double>(size), on, [&] {
    if (direct) on.device.copy_out_pinned(to_host, at, size, on);
    else on.device.copy_out(to_host, at, size, on);
  });
  op.done();
  op.has_read(&from);
  if (direct && !captured) keep_pinned(to_host, on);
  if (direct && how.blocking) wait_until_reached(on, on.position());
  if (!direct || how.blocking) on.device.troubles.report();
}

const std::byte* read_in_place(storage& from, const std::byte* at, const detail::where& place) {
  stream_state& on = current_stream(*from.device);
  if (on.capture.load(std::memory_order_acquire)) refuse_captured_wait("reading an array's elements", place);
  operation op(on);
  op.reads(&from);
  op.done();
  op.has_read(&from);
  on.device.synchronize(on);
  on.device.troubles.report();
  return at;
}

void copy(storage& to, std::byte* at, storage& from, const std::byte* from_at, std::size_t size) {
  if (size == 0) return;
  const bool here = from.device == to.device;
  if (!here && chosen.capture)
    throw device_error(("sinter: a copy from one device to another cannot be captured; take it out of the capture" +
                        place_in_capture({}))
                           .c_str());
  // What is in the host's memory is host memory to a GPU, and the other way round.
  if (!here && !from.device->asynchronous()) return copy_in(to, at, from_at, size, {});
  if (!here && !to.device->asynchronous()) return copy_out(at, from, from_at, size, {}, {});
  stream_state& on = current_stream(*to.device);
  operation op(on);
  op.reads(&from);
  op.writes(&to);
  noted(other_work::copy, here ? "on the device" : "from another device", 2.0 * static_cast<double>(size), on, [&] {
    if (here) on.device.copy(at, from_at, size, on);
    else on.device.copy_from(*from.device, at, from_at, size, on);
  });
  op.done();
  op.has_read(&from);
  op.has_written(&to);
  mark_copy(on);
}

void zero(storage& memory, std::size_t size) {
  if (size == 0) return;
  stream_state& on = current_stream(*memory.device);
  operation op(on);
  op.writes(&memory);
  on.device.zero(memory.data, size, on);
  op.done();
  op.has_written(&memory);
}

}  // namespace sinter::runtime
