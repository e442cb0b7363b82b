// async_memory_pool: the CUDA driver's own stream-ordered pool behind the same interface as the others. The driver
// decides how much it holds and which stream's freed memory another may have; the limit is looked at before it would
// grow.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>

#include <sinter/error.hpp>
#include <sinter/memory.hpp>

#include "runtime/frontend/message.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/order.hpp"
#include "runtime/stream/table.hpp"

namespace sinter {
namespace runtime {
namespace {

constexpr std::size_t unlimited = SIZE_MAX;

class async_resource final : public memory_resource {
 public:
  explicit async_resource(driver_pool which) : which_(which), ordinary_(new pooled_resource(memory_kind::device)) {}

  void* allocate(std::size_t size, const stream& on) override;
  void deallocate(void* block, std::size_t size, const stream& on) noexcept override;

  /// The driver's pool, set up at its first use. Null where the device has none. Errors: `error` for a
  /// SINTER_MEMORY_LIMIT that cannot be read.
  stream_ordered_source* source(device_impl&);
  /// What stands in for it there.
  pool& ordinary(device_impl& d) { return static_cast<pooled_resource&>(ordinary_.resource()).of(d).blocks; }

  void set_limit(device_impl&, std::size_t limit);
  std::size_t limit(const device_impl& d) const { return limits_[d.index].load(std::memory_order_relaxed); }

 private:
  bool fits(const stream_ordered_source&, std::size_t size, std::size_t limit) const;
  [[noreturn]] void refuse(const stream_ordered_source&, const device_impl&, std::size_t size) const;

  const driver_pool which_;
  const allocator ordinary_;
  std::mutex setting_up_;
  std::atomic<bool> ready_[most_devices] = {};
  std::atomic<std::size_t> limits_[most_devices] = {};
};

stream_ordered_source* async_resource::source(device_impl& d) {
  stream_ordered_source* const found = d.stream_ordered_memory(which_);
  if (!found || ready_[d.index].load(std::memory_order_acquire)) [[likely]]
    return found;
  const std::lock_guard hold(setting_up_);
  if (ready_[d.index].load(std::memory_order_relaxed)) return found;
  const std::size_t limit = parse_memory_limit(std::getenv("SINTER_MEMORY_LIMIT"), d.total_memory());
  found->keep(limit ? limit : unlimited);
  limits_[d.index].store(limit ? limit : unlimited, std::memory_order_relaxed);
  ready_[d.index].store(true, std::memory_order_release);
  return found;
}

/// Would the driver's pool stay within the limit? Free memory of it counts as reserved already.
bool async_resource::fits(const stream_ordered_source& from, std::size_t size, std::size_t limit) const {
  if (limit == unlimited) return true;
  const std::size_t reserved = from.reserved(), used = from.used();
  const std::size_t available = reserved > used ? reserved - used : 0;
  return size <= available || (reserved <= limit && size - available <= limit - reserved);
}

void async_resource::refuse(const stream_ordered_source& from, const device_impl& d, std::size_t size) const try {
  const std::size_t used = from.used(), reserved = from.reserved(), most = limit(d);
  const std::string message = "out of memory on " + to_text(d.id) + " (the driver's pool): asked for " +
                              with_commas(size) + " bytes; in use " + with_commas(used) + " of " +
                              with_commas(reserved) + " bytes held, limit " +
                              (most == unlimited ? "none" : with_commas(most) + " bytes");
  throw out_of_memory(message.c_str(), size, used, most == unlimited ? 0 : most, reserved > used ? reserved - used : 0);
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

void* async_resource::allocate(std::size_t size, const stream& on) {
  stream_state& asked = on.state();
  device_impl& d = asked.device;
  stream_ordered_source* const from = source(d);
  if (!from) return ordinary_.resource().allocate(size, on);
  const std::size_t most = limit(d);
  if (size > most) refuse(*from, d, size);
  // In a capture the request would become a node of the graph, and the memory the graph's. Any other stream serves: the
  // graph is launched after the wait below.
  const bool captured = asked.capture.load(std::memory_order_relaxed) != nullptr;
  stream_state& s = captured ? d.streams().first() : asked;
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (attempt > 0) wait_until_reached(s, s.position());  // what was freed there is free then
    if (attempt > 1) give_back_cached(d);
    if (!fits(*from, size, most)) continue;
    std::byte* const memory = from->allocate(size, s);
    if (!memory) continue;
    if (captured) wait_until_reached(s, s.position());
    return memory;
  }
  refuse(*from, d, size);
}

void async_resource::deallocate(void* block, std::size_t size, const stream& on) noexcept {
  stream_state& s = on.state();
  device_impl& d = s.device;
  stream_ordered_source* const to = d.stream_ordered_memory(which_);
  if (!to) return ordinary_.resource().deallocate(block, size, on);
  const auto data = static_cast<std::byte*>(block);
  const bool captured = s.capture.load(std::memory_order_acquire) != nullptr;
  if (!captured && try_retain(s)) {
    to->release(data, s);
    release(s);
    return;
  }
  // Its stream has gone, or what is asked of it would become a part of a graph: another one frees it, behind its work.
  try {
    stream_state& other = d.streams().first();
    if (captured) d.streams().settle();
    else order_after(other, s, s.position());
    to->release(data, other);
  } catch (...) {
    // The device is lost, and the memory with it; or no event could be had, and it is better lost than used twice.
  }
}

void async_resource::set_limit(device_impl& d, std::size_t limit) {
  const std::size_t most = limit ? limit : unlimited;
  if (stream_ordered_source* const s = source(d)) s->keep(most);
  else ordinary(d).set_limit(limit);
  limits_[d.index].store(most, std::memory_order_relaxed);
}

async_resource& async(const allocator& a) noexcept { return static_cast<async_resource&>(a.resource()); }

/// The current device's pool_usage, whichever resource keeps it.
pool_usage usage(const allocator& a) {
  device_impl& d = current_device();
  const stream_ordered_source* const s = async(a).source(d);
  if (!s) return async(a).ordinary(d).usage();
  // Others use the driver's pool too: read in this order, used is never more than total.
  const std::size_t used = s->used(), total = std::max(used, s->reserved());
  return {used, total - used, total};
}

void free_all(const allocator& a, stream_state& s) {
  refuse_while_capturing(s, "async_memory_pool::free_all_blocks");
  stream_ordered_source* const to = async(a).source(s.device);
  if (!to) {
    async(a).ordinary(s.device).free_all_blocks(s.number);
    return;
  }
  s.device.synchronize(s);  // the stream's work and the frees behind it, which are no operations of their own
  to->trim(0);
}

}  // namespace
}  // namespace runtime

async_memory_pool::async_memory_pool(driver_pool which) try : allocator(new runtime::async_resource(which)) {
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

std::size_t async_memory_pool::used_bytes() const { return runtime::usage(*this).used; }
std::size_t async_memory_pool::free_bytes() const { return runtime::usage(*this).free; }
std::size_t async_memory_pool::total_bytes() const { return runtime::usage(*this).total; }

void async_memory_pool::free_all_blocks() {
  runtime::free_all(*this, runtime::current_stream(runtime::current_device()));
}
void async_memory_pool::free_all_blocks(const stream& of) { runtime::free_all(*this, of.state()); }

void async_memory_pool::set_limit(const memory_limit& limit) {
  runtime::device_impl& d = runtime::current_device();
  runtime::async(*this).set_limit(d, runtime::limit_in_bytes(limit, d));
}

std::size_t async_memory_pool::get_limit() const {
  runtime::device_impl& d = runtime::current_device();
  if (runtime::async(*this).source(d)) return runtime::async(*this).limit(d);
  const std::size_t limit = runtime::async(*this).ordinary(d).limit();
  return limit ? limit : runtime::unlimited;
}

}  // namespace sinter
