// The public face of memory: counted handles to resources, which of them arrays come from, and memory_pool. What is
// behind a handle is in resources.cpp; the async and the pinned pool have files of their own.
#include <sinter/memory.hpp>

#include <mutex>
#include <new>

#include <sinter/error.hpp>

#include "runtime/frontend/message.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/current.hpp"

namespace sinter {
namespace runtime {
namespace {

/// set_allocator's resource, of which a reference is owned.
struct process_choice {
  std::mutex busy;
  memory_resource* resource = nullptr;  // null: the default pool
};
constinit process_choice choice;

bool is_immortal(memory_resource& r) noexcept { return resource_count::of(r) == resource_count::immortal; }

}  // namespace

constinit std::atomic<memory_resource*> immortal_choice{nullptr};

// A replaced resource may be deleted at any moment, so it is counted under the lock that replacing it takes. The ones
// that are never deleted are found without it; before the first set_allocator that is none, and this is asked once.
resource_ref counted_choice() noexcept {
  const std::lock_guard hold(choice.busy);
  if (!choice.resource) {
    choice.resource = &default_pools();
    immortal_choice.store(choice.resource, std::memory_order_release);
  }
  retain(*choice.resource);
  return resource_ref(*choice.resource);
}

namespace {

void choose(memory_resource& r) {
  if (memory_of_thread.resource) throw error("sinter: set_allocator inside the scope of a using_allocator");
  retain(r);
  memory_resource* before = nullptr;
  {
    const std::lock_guard hold(choice.busy);
    before = std::exchange(choice.resource, &r);
    immortal_choice.store(is_immortal(r) ? &r : nullptr, std::memory_order_release);
  }
  if (before) release(*before);
}

pooled_resource& pools(const allocator& a) noexcept { return static_cast<pooled_resource&>(a.resource()); }

}  // namespace
}  // namespace runtime

memory_resource::~memory_resource() = default;

allocator::allocator(memory_resource* shared) noexcept : resource_(shared) { runtime::retain(*resource_); }
allocator::allocator(const allocator& other) noexcept : allocator(other.resource_) {}
allocator& allocator::operator=(const allocator& other) noexcept {
  const allocator copy(other);
  std::swap(resource_, const_cast<allocator&>(copy).resource_);
  return *this;
}
allocator::~allocator() { runtime::release(*resource_); }

allocator device_memory() { return allocator(&runtime::raw_memory(runtime::memory_kind::device)); }
allocator managed_memory() { return allocator(&runtime::raw_memory(runtime::memory_kind::managed)); }

void set_allocator(const allocator& a) { runtime::choose(a.resource()); }
void set_allocator(std::nullptr_t) { set_allocator(device_memory()); }
allocator get_allocator() { return allocator(&*runtime::current_resource()); }

using_allocator::using_allocator(const allocator& a) : mine_(a), before_(runtime::memory_of_thread.resource) {
  runtime::memory_of_thread.resource = &mine_.resource();
}
using_allocator::using_allocator(std::nullptr_t) : using_allocator(device_memory()) {}
using_allocator::~using_allocator() { runtime::memory_of_thread.resource = before_; }

// ---- memory_pool

memory_pool::memory_pool() try : memory_pool(new runtime::pooled_resource(runtime::memory_kind::device)) {
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}
memory_pool::memory_pool(const allocator& upstream) try
    : memory_pool(new runtime::pooled_resource(upstream.resource())) {
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}
memory_pool::memory_pool(memory_resource* pools) : allocator(pools) {}

memory_pool& default_memory_pool() {
  // Not destroyed, though it would release nothing: static objects that use it may go later.
  alignas(memory_pool) static std::byte place[sizeof(memory_pool)];
  static memory_pool& handle = *new (place) memory_pool(&runtime::default_pools());
  return handle;
}

runtime::device_pool& memory_pool::here() const { return runtime::pools(*this).of(runtime::current_device()); }

std::size_t memory_pool::used_bytes() const { return here().blocks.usage().used; }
std::size_t memory_pool::free_bytes() const { return here().blocks.usage().free; }
std::size_t memory_pool::total_bytes() const { return here().blocks.usage().total; }
std::size_t memory_pool::n_free_blocks() const { return here().blocks.n_free_blocks(); }
std::size_t memory_pool::largest_free_block() const { return here().blocks.largest_free_block(); }

void memory_pool::free_all_blocks() {
  runtime::device_pool& p = here();
  runtime::wait_for_pending_frees(p.device);  // of arrays that are gone, but were used on other streams
  p.blocks.free_all_blocks();
}
void memory_pool::free_all_blocks(const stream& of) {
  runtime::pools(*this).of(of.state().device).blocks.free_all_blocks(of.state().number);
}

void memory_pool::set_limit(const memory_limit& limit) {
  runtime::device_pool& p = here();
  p.blocks.set_limit(runtime::limit_in_bytes(limit, p.device));
}
std::size_t memory_pool::get_limit() const { return here().blocks.limit(); }

void* memory_pool::allocate(std::size_t size) {
  if (size == 0) return nullptr;
  // A resource of the program's that takes from this pool may hold a lock of its own: nothing of another resource is freed.
  return runtime::allocate_from(resource(), size, runtime::current_stream(runtime::current_device()), &resource());
}

void memory_pool::deallocate(void* block, std::size_t size) noexcept {
  if (!block) return;
  runtime::pools(*this).deallocate(block, size, runtime::current_stream(runtime::current_device()).handle_of());
}

}  // namespace sinter
