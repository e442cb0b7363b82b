// The driver's calls about memory: device, managed and pinned, and the stream-ordered pools.
#include <algorithm>
#include <cstring>
#include <span>

#include "entry.hpp"
#include "graph.hpp"
#include "kernels.hpp"
#include "pool.hpp"

namespace softgpu {
namespace {

memory_pool* find_pool(machine& on, cu_mem_pool handle) {
  for (int device = 0; device < on.devices(); ++device)
    if (reinterpret_cast<cu_mem_pool>(&on.of_device(device).pool) == handle) return &on.of_device(device).pool;
  return nullptr;
}

result allocate(call_context& c, arena& from, std::size_t size, address* to) {
  if (size == 0) return invalid_value;
  block* made = from.allocate(size);
  if (!made && from.kind == memory_kind::device) {
    trim(c.on, c.in.pool, 0);
    made = from.allocate(size);
  }
  if (!made) return out_of_memory;
  from.validate(made->at, size);
  made->context = c.in.device;
  *to = made->at;
  return 0;
}

/// What was enqueued before runs first, as the driver's own free waits for the device; it need not, so it orders nothing.
result release(call_context& c, address at, bool pinned) {
  arena* const where = c.on.memory.find(at);
  block* const found = where ? where->containing(at) : nullptr;
  if (!found || found->at != at || found->use != block_use::owned || (where->kind == memory_kind::pinned) != pinned)
    return invalid_value;
  const vector_clock known = c.on.host, upto = c.on.everything(nullptr);
  c.on.run_until(c.held, [&] { return c.on.is_done(upto); });
  block* const still = where->containing(at);
  if (!still || still->at != at) return invalid_value;
  c.on.checker.check_free(known, *where, at, still->size);
  where->release(still);
  return 0;
}

bool is_watched(machine& on, const void* host) { return on.memory.find(reinterpret_cast<address>(host)) != nullptr; }

address as_address(const void* host) { return reinterpret_cast<address>(host); }

/// A range that lies in no block is refused at the call, as the driver does.
bool is_memory(machine& on, address at, std::size_t size) {
  if (is_in_variable(at, size)) return true;
  arena* const where = on.memory.find(at);
  const block* const found = where ? where->containing(at) : nullptr;
  return found && size <= found->size - (at - found->at);
}

/// Has the current context been let into the memory? Then a copy takes the link between the devices.
bool can_read(call_context& c, address memory) {
  arena* const where = c.on.memory.find(memory);
  const int owner = where->device;
  if (owner == c.in.device || where->kind != memory_kind::device) return true;
  const bool pooled = where->containing(memory)->use == block_use::pooled;
  return pooled ? c.on.of_device(owner).pool.let_in.contains(c.in.device) : c.in.peers.contains(owner);
}

result copy(call_context& c, stream& s, const char* what, address to, address from, std::size_t size) {
  return submit(c.on, s, std::make_shared<copy_work>(what, to, from, size));
}

}  // namespace

extern "C" {

cu_result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  return enter({"cuMemGetInfo_v2", needs::context}, [&](call_context c) -> result {
    *total = c.on.config.memory;
    *free = *total - c.on.memory.of_device(c.in.device).used;
    return 0;
  });
}

cu_result cuMemAlloc_v2(cu_address* memory, std::size_t size) {
  return enter({"cuMemAlloc_v2", needs::context, out_of_memory},
               [&](call_context c) -> result { return allocate(c, c.on.memory.of_device(c.in.device), size, memory); });
}

cu_result cuMemAllocManaged(cu_address* memory, std::size_t size, unsigned flags) {
  return enter({"cuMemAllocManaged", needs::context, out_of_memory}, [&](call_context c) -> result {
    if (flags != 1 && flags != 2) return invalid_value;
    return allocate(c, c.on.memory.managed(), size, memory);
  });
}

cu_result cuMemFree_v2(cu_address memory) {
  return enter({"cuMemFree_v2", needs::context},
               [&](call_context c) -> result { return memory == 0 ? 0 : release(c, memory, false); });
}

cu_result cuMemAllocHost_v2(void** memory, std::size_t size) {
  return enter({"cuMemAllocHost_v2", needs::context, out_of_memory}, [&](call_context c) -> result {
    address at = 0;
    const result outcome = allocate(c, c.on.memory.pinned(), size, &at);
    if (outcome == 0) *memory = pointer(at);
    return outcome;
  });
}

cu_result cuMemFreeHost(void* memory) {
  return enter({"cuMemFreeHost", needs::context},
               [&](call_context c) -> result { return release(c, as_address(memory), true); });
}

cu_result cuMemAllocFromPoolAsync(cu_address* memory, std::size_t size, cu_mem_pool pool, cu_stream handle) {
  return in_stream({"cuMemAllocFromPoolAsync", needs::context, out_of_memory}, handle,
                   [&](call_context c, stream& s) -> result {
                     memory_pool* const from = find_pool(c.on, pool);
                     if (!from || size == 0) return invalid_value;
                     if (s.capturing) return allocate_captured(c.on, *from, s, size, memory);
                     return allocate_from(c.on, c.held, *from, s, size, memory);
                   });
}

cu_result cuMemFreeAsync(cu_address memory, cu_stream handle) {
  return in_stream({"cuMemFreeAsync", needs::context}, handle, [&](call_context c, stream& s) -> result {
    if (memory == 0) return 0;
    return s.capturing ? free_captured(c.on, s, memory) : free_in(c.on, s, memory);
  });
}

cu_result cuDeviceGetDefaultMemPool(cu_mem_pool* pool, cu_device device) {
  return enter({"cuDeviceGetDefaultMemPool", needs::driver}, [&](call_context c) -> result {
    if (device < 0 || device >= c.on.devices()) return 101;
    *pool = reinterpret_cast<cu_mem_pool>(&c.on.of_device(device).pool);
    return 0;
  });
}

cu_result cuDeviceGetMemPool(cu_mem_pool* pool, cu_device device) {
  return enter({"cuDeviceGetMemPool", needs::driver}, [&](call_context c) -> result {
    if (device < 0 || device >= c.on.devices()) return 101;
    *pool = reinterpret_cast<cu_mem_pool>(&c.on.of_device(device).pool);
    return 0;
  });
}

cu_result cuMemPoolTrimTo(cu_mem_pool pool, std::size_t least) {
  return enter({"cuMemPoolTrimTo", needs::driver}, [&](call_context c) -> result {
    memory_pool* const found = find_pool(c.on, pool);
    if (!found) return invalid_value;
    trim(c.on, *found, least);
    return 0;
  });
}

cu_result cuMemPoolSetAttribute(cu_mem_pool pool, int attribute, void* value) {
  return enter({"cuMemPoolSetAttribute", needs::driver}, [&](call_context c) -> result {
    memory_pool* const found = find_pool(c.on, pool);
    if (!found) return invalid_value;
    std::uint64_t number = 0;
    switch (attribute) {
      case 1:
      case 2:
      case 3: return 0;  // how blocks are used again: always by order alone
      case 4: std::memcpy(&found->threshold, value, sizeof number); return 0;
      case 6:
      case 8:
        std::memcpy(&number, value, sizeof number);
        if (number != 0) return invalid_value;
        (attribute == 6 ? found->reserved_high : found->used_high) = attribute == 6 ? found->reserved : found->used;
        return 0;
      default: return invalid_value;
    }
  });
}

cu_result cuMemPoolGetAttribute(cu_mem_pool pool, int attribute, void* value) {
  return enter({"cuMemPoolGetAttribute", needs::driver}, [&](call_context c) -> result {
    const memory_pool* const found = find_pool(c.on, pool);
    if (!found || attribute < 1 || attribute > 8) return invalid_value;
    const int reuse = attribute == 1;
    const std::uint64_t numbers[] = {found->threshold, found->reserved, found->reserved_high, found->used,
                                     found->used_high};
    if (attribute < 4) std::memcpy(value, &reuse, sizeof reuse);
    else std::memcpy(value, &numbers[attribute - 4], sizeof numbers[0]);
    return 0;
  });
}

cu_result cuMemPoolSetAccess(cu_mem_pool pool, const cu_mem_access* access, std::size_t count) {
  return enter({"cuMemPoolSetAccess", needs::driver}, [&](call_context c) -> result {
    memory_pool* const found = find_pool(c.on, pool);
    if (!found || !access) return invalid_value;
    for (const auto& [location, flags] : std::span(access, count)) {
      const bool other = location.id >= 0 && location.id < c.on.devices() && location.id != found->device;
      if (location.type != 1 || !other) return 101;
      if (flags == 3) found->let_in.insert(location.id);
      else found->let_in.erase(location.id);
    }
    return 0;
  });
}

/// Of memory that is not the driver's an attribute is zero.
cu_result cuPointerGetAttributes(unsigned count, int* attributes, void** values, cu_address memory) {
  return enter({"cuPointerGetAttributes", needs::driver}, [&](call_context c) -> result {
    arena* const where = c.on.memory.find(memory);
    const block* found = where ? where->containing(memory) : nullptr;
    if (found && found->use == block_use::waiting) found = nullptr;
    for (unsigned i = 0; i < count; ++i) {
      const auto give = [&](auto known) {
        const decltype(known) unknown{};
        std::memcpy(values[i], found ? &known : &unknown, sizeof known);
      };
      switch (attributes[i]) {
        case 2: give(!found ? 0u : where->kind == memory_kind::pinned ? 1u : 2u); break;
        case 3:
        case 4: give(memory); break;
        case 8: give(static_cast<unsigned>(found && where->kind == memory_kind::managed)); break;
        case 9: give(!found ? 0 : where->device >= 0 ? where->device : found->context); break;
        default: return invalid_value;
      }
    }
    return 0;
  });
}

cu_result cuMemcpyHtoDAsync_v2(cu_address to, const void* from, std::size_t size, cu_stream handle) {
  return in_stream({"cuMemcpyHtoDAsync_v2", needs::context}, handle, [&](call_context c, stream& s) -> result {
    if (size == 0) return 0;
    if (!from || !is_memory(c.on, to, size)) return invalid_value;
    // A graph reads the host's memory at every launch.
    if (is_watched(c.on, from) || s.capturing) return copy(c, s, "copy to the device", to, as_address(from), size);
    return submit(c.on, s, std::make_shared<staged_copy>(to, from, size));
  });
}

cu_result cuMemcpyDtoHAsync_v2(void* to, cu_address from, std::size_t size, cu_stream handle) {
  return in_stream({"cuMemcpyDtoHAsync_v2", needs::context, illegal_address}, handle,
                   [&](call_context c, stream& s) -> result {
                     if (size == 0) return 0;
                     if (!to || !is_memory(c.on, from, size)) return invalid_value;
                     const bool captured = s.capturing != nullptr;
                     if (const result no = copy(c, s, "copy to the host", as_address(to), from, size)) return no;
                     // Pageable memory has the bytes when the call returns.
                     if (!captured && !is_watched(c.on, to)) c.on.wait(c.held, s.queue->now);
                     return 0;
                   });
}

cu_result cuMemcpyDtoDAsync_v2(cu_address to, cu_address from, std::size_t size, cu_stream handle) {
  return in_stream({"cuMemcpyDtoDAsync_v2", needs::context}, handle, [&](call_context c, stream& s) -> result {
    if (size == 0) return 0;
    if (!is_memory(c.on, to, size) || !is_memory(c.on, from, size)) return invalid_value;
    return copy(c, s, "copy", to, from, size);
  });
}

cu_result cuMemcpyPeerAsync(cu_address to, cu_context to_context, cu_address from, cu_context from_context,
                            std::size_t size, cu_stream handle) {
  return in_stream({"cuMemcpyPeerAsync", needs::context}, handle, [&](call_context c, stream& s) -> result {
    if (!c.on.known(to_context) || !c.on.known(from_context)) return invalid_context;
    if (size == 0) return 0;
    if (!is_memory(c.on, to, size) || !is_memory(c.on, from, size)) return invalid_value;
    if (!can_read(c, from)) ++c.on.staged;
    return copy(c, s, "copy between devices", to, from, size);
  });
}

cu_result cuMemsetD8Async(cu_address memory, unsigned char byte, std::size_t size, cu_stream handle) {
  return in_stream({"cuMemsetD8Async", needs::context}, handle, [&](call_context c, stream& s) -> result {
    if (size == 0) return 0;
    if (!is_memory(c.on, memory, size)) return invalid_value;
    return submit(c.on, s, std::make_shared<fill_work>(memory, byte, size));
  });
}

}  // extern "C"

}  // namespace softgpu
