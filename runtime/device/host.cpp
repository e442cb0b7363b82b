// Operations on host memory: done at once, or kept for the launches of a graph.
#include "runtime/device/host.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <new>

#include <unistd.h>

#include <sinter/error.hpp>

#include "runtime/counters.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/stream/table.hpp"

namespace sinter::runtime {
namespace {

using clock = std::chrono::steady_clock;

/// What a native event points to: when it was recorded last.
struct host_event {
  clock::time_point when;
  bool recorded = false;
};

bool captured(const stream_state& on) { return on.capture.load(std::memory_order_relaxed) != nullptr; }

void move_bytes(void* to, const void* from, std::size_t size) {
  std::memmove(to, from, size);
  bump(counter::bytes_copied, size);
}

std::size_t pages(int which) {
  const long count = sysconf(which), size = sysconf(_SC_PAGESIZE);
  return count > 0 && size > 0 ? static_cast<std::size_t>(count) * static_cast<std::size_t>(size) : 0;
}

host_operation copying(void* to, const void* from, std::size_t size) {
  host_operation o{.what = host_operation::copy, .size = size};
  o.to = static_cast<std::byte*>(to);
  o.from = static_cast<const std::byte*>(from);
  return o;
}

}  // namespace

host_device::~host_device() {
  drop_pools(*this);
  streams().close();
}

std::size_t host_device::total_memory() const { return pages(_SC_PHYS_PAGES); }
std::size_t host_device::free_memory() const { return pages(_SC_AVPHYS_PAGES); }

void host_device::copy_in(std::byte* to, const void* from_host, std::size_t size, stream_state& on) {
  if (!captured(on)) return move_bytes(to, from_host, size);
  host_operation o{.what = host_operation::copy};
  o.keep(from_host, size);  // the caller may change it as soon as this returns
  o.to = to;
  recording(on).operations.push_back(std::move(o));
}

void host_device::copy_out(void* to_host, const std::byte* from, std::size_t size, stream_state&) {
  move_bytes(to_host, from, size);
}

void host_device::copy_in_pinned(std::byte* to, const void* from, std::size_t size, stream_state& on) {
  if (!captured(on)) return move_bytes(to, from, size);
  recording(on).operations.push_back(copying(to, from, size));
}

void host_device::copy_out_pinned(void* to, const std::byte* from, std::size_t size, stream_state& on) {
  if (!captured(on)) return move_bytes(to, from, size);
  recording(on).operations.push_back(copying(to, from, size));
}

void host_device::copy(std::byte* to, const std::byte* from, std::size_t size, stream_state& on) {
  copy_in_pinned(to, from, size, on);
}

void host_device::copy_from(device_impl&, std::byte* to, const std::byte* from, std::size_t size, stream_state& on) {
  copy_in_pinned(to, from, size, on);
}

void host_device::zero(std::byte* block, std::size_t size, stream_state& on) {
  if (!captured(on)) {
    std::memset(block, 0, size);
    return;
  }
  host_operation o{.what = host_operation::zero, .size = size};
  o.to = block;
  recording(on).operations.push_back(std::move(o));
}

codegen::index_trouble* host_device::index_note() {
  thread_local constinit codegen::index_trouble mine{};
  return &mine;
}

void host_device::launch(const loaded_kernel& code, const geometry& how, const void* arguments, std::size_t size,
                         stream_state& on) {
  if (!captured(on)) [[likely]] {
    bump(counter::launches);
    run(code, how, arguments, size);
    return report(*index_note());
  }
  host_operation o{.what = host_operation::kernel, .code = code, .how = how};
  o.keep(arguments, size);
  recording(on).operations.push_back(std::move(o));
}

void host_device::call_host(void (*call)(void*) noexcept, void* with, stream_state& on) {
  if (!captured(on)) return call(with);
  host_operation o{.what = host_operation::call};
  o.function = call;
  o.with = with;
  recording(on).operations.push_back(std::move(o));
}

void host_device::perform(const host_operation& o) {
  switch (o.what) {
    case host_operation::kernel: {
      if (o.how.note < 0) return run(o.code, o.how, o.arguments.data(), o.size);
      std::vector<std::max_align_t> mine = o.arguments;  // another thread may have recorded it
      codegen::index_trouble* const note = index_note();
      std::memcpy(reinterpret_cast<std::byte*>(mine.data()) + o.how.note, &note, sizeof note);
      return run(o.code, o.how, mine.data(), o.size);
    }
    case host_operation::copy:
      return move_bytes(o.to, o.from ? static_cast<const void*>(o.from) : o.arguments.data(), o.size);
    case host_operation::zero: std::memset(o.to, 0, o.size); return;
    case host_operation::call: return o.function(o.with);
  }
}

void host_device::launch(executable_graph& graph, stream_state&) {
  bump(counter::launches);
  for (const host_operation& o : static_cast<host_graph&>(graph).operations) perform(o);
  report(*index_note());
}

/// A handle that no other stream has, so that streams compare as they do on a GPU.
void* host_device::create_stream(stream_options& how) {
  how.priority = 0;
  static std::atomic<std::uintptr_t> last{0};
  return reinterpret_cast<void*>(last.fetch_add(1, std::memory_order_relaxed) + 1);
}

void* host_device::create_event(event_options) {
  auto* made = new (std::nothrow) host_event;
  if (!made) throw out_of_memory("sinter: the host has no room for an event", sizeof(host_event), 0, 0);
  return made;
}

void host_device::destroy_event(void* event) noexcept { delete static_cast<host_event*>(event); }

void host_device::record(void* event, const stream_state&) { *static_cast<host_event*>(event) = {clock::now(), true}; }

double host_device::elapsed_milliseconds(void* start, void* end) {
  const auto &from = *static_cast<host_event*>(start), &to = *static_cast<host_event*>(end);
  if (!from.recorded || !to.recorded) throw device_error("sinter: elapsed_time of an event that was never recorded");
  return std::chrono::duration<double, std::milli>(to.when - from.when).count();
}

device_properties host_device::properties() const {
  device_properties facts{};
  name().copy(facts.name, sizeof facts.name - 1);
  facts.multiprocessors = multiprocessors();
  facts.total_memory = total_memory();
  facts.free_memory = free_memory();
  return facts;
}

}  // namespace sinter::runtime
