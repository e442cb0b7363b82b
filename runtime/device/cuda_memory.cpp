// The driver's calls for memory. A refusal for want of room comes back as null, since the pools know what to do about
// it; anything else is the fault latch's.
#include "runtime/device/cuda_memory.hpp"

#include <string>

#include <sinter/error.hpp>

#include "runtime/stream/stream.hpp"

namespace sinter::runtime {
namespace {

cu_address address(const void* memory) { return reinterpret_cast<cu_address>(memory); }
cu_stream native(const stream_state& s) { return static_cast<cu_stream>(s.handle); }

/// A device whose driver can be asked about host memory: the youngest one, null where there is none.
std::atomic<cuda_context*> who_knows{nullptr};

}  // namespace

std::byte* cuda_memory_source::allocate(std::size_t size) {
  context_.use();
  const driver& api = context_.api;
  cu_address memory = 0;
  void* host = nullptr;
  cu_result result = cu_success;
  const char* call = "cuMemAlloc_v2";
  switch (kind_) {
    case memory_kind::device: result = api.cuMemAlloc_v2(&memory, size); break;
    case memory_kind::managed: {
      // The driver would grant more than there is and page to the host, at a hundredth of the speed and without a word.
      std::size_t available = 0, total = 0;
      context_.check(api.cuMemGetInfo_v2(&available, &total), "cuMemGetInfo_v2");
      if (size > available) return nullptr;
      call = "cuMemAllocManaged";
      result = api.cuMemAllocManaged(&memory, size, cu_attach_global);
      break;
    }
    case memory_kind::pinned:
      call = "cuMemAllocHost_v2";
      result = api.cuMemAllocHost_v2(&host, size);
      memory = address(host);
      break;
  }
  if (result == cu_error_out_of_memory) return nullptr;
  if (result != cu_success) context_.faults.fail(result, call, std::to_string(size) + " bytes");
  return reinterpret_cast<std::byte*>(memory);
}

void cuda_memory_source::release(std::byte* segment, std::size_t) noexcept {
  if (!context_.use_if_alive()) return;
  const driver& api = context_.api;
  if (kind_ == memory_kind::pinned) context_.faults.note(api.cuMemFreeHost(segment), "cuMemFreeHost");
  else context_.faults.note(api.cuMemFree_v2(address(segment)), "cuMemFree_v2");
}

cu_mem_pool cuda_stream_ordered_source::pool() const {
  if (cu_mem_pool known = pool_.load(std::memory_order_acquire)) return known;
  const driver& api = context_.api;
  const cu_device device = context_.properties.handle;
  cu_mem_pool found = nullptr;
  if (which_ == driver_pool::current) context_.check(api.cuDeviceGetMemPool(&found, device), "cuDeviceGetMemPool");
  else context_.check(api.cuDeviceGetDefaultMemPool(&found, device), "cuDeviceGetDefaultMemPool");
  pool_.store(found, std::memory_order_release);
  return found;
}

std::byte* cuda_stream_ordered_source::allocate(std::size_t size, stream_state& on) {
  context_.use();
  cu_address memory = 0;
  const cu_result result = context_.api.cuMemAllocFromPoolAsync(&memory, size, pool(), native(on));
  if (result == cu_error_out_of_memory) return nullptr;
  if (result != cu_success) context_.faults.fail(result, "cuMemAllocFromPoolAsync", std::to_string(size) + " bytes");
  on.enqueued();
  return reinterpret_cast<std::byte*>(memory);
}

void cuda_stream_ordered_source::release(std::byte* block, stream_state& on) noexcept {
  if (!context_.use_if_alive()) return;
  context_.faults.note(context_.api.cuMemFreeAsync(address(block), native(on)), "cuMemFreeAsync");
  on.enqueued();
}

std::uint64_t cuda_stream_ordered_source::attribute(int which) const {
  context_.use();
  std::uint64_t value = 0;
  context_.check(context_.api.cuMemPoolGetAttribute(pool(), which, &value), "cuMemPoolGetAttribute");
  return value;
}

std::size_t cuda_stream_ordered_source::used() const { return attribute(cu_mem_pool_used_now); }
std::size_t cuda_stream_ordered_source::reserved() const { return attribute(cu_mem_pool_reserved_now); }

void cuda_stream_ordered_source::keep(std::uint64_t bytes) {
  context_.use();
  context_.check(context_.api.cuMemPoolSetAttribute(pool(), cu_mem_pool_release_threshold, &bytes),
                 "cuMemPoolSetAttribute");
}

void cuda_stream_ordered_source::trim(std::size_t to) {
  context_.use();
  context_.check(context_.api.cuMemPoolTrimTo(pool(), to), "cuMemPoolTrimTo");
}

void cuda_stream_ordered_source::let_in(cu_device other) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << other;
  cu_mem_pool const known = pool_.load(std::memory_order_acquire);
  if (!known || (let_in_.load(std::memory_order_relaxed) & bit)) return;
  const cu_mem_access access{{cu_mem_location_device, other}, cu_mem_access_read_write};
  context_.faults.note(context_.api.cuMemPoolSetAccess(known, &access, 1), "cuMemPoolSetAccess");
  let_in_.fetch_or(bit, std::memory_order_relaxed);
}

cuda_memory::cuda_memory(cuda_context& c)
    : context_(c),
      sources_{{c, memory_kind::device}, {c, memory_kind::managed}, {c, memory_kind::pinned}},
      stream_ordered_{{c, driver_pool::current}, {c, driver_pool::default_}} {
  who_knows.store(&context_, std::memory_order_release);
}

cuda_memory::~cuda_memory() {
  cuda_context* mine = &context_;
  who_knows.compare_exchange_strong(mine, nullptr);
}

bool pinned_for_cuda(const void* memory, std::size_t size) noexcept {
  cuda_context* context = who_knows.load(std::memory_order_acquire);
  if (!context || size == 0 || !context->use_if_alive()) return false;
  // The first byte and the last: a range that begins in one registration and ends outside must not pass.
  for (const std::size_t offset : {std::size_t{0}, size - 1}) {
    // The plural answers for memory that the driver does not know, too; to the other one that is an error, which tools
    // report.
    int type = 0, attribute = cu_pointer_memory_type;
    void* value = &type;
    const cu_result result = context->api.cuPointerGetAttributes(1, &attribute, &value, address(memory) + offset);
    context->faults.note(result, "cuPointerGetAttributes");
    if (result != cu_success || type != cu_memory_type_host) return false;
  }
  return true;
}

}  // namespace sinter::runtime
