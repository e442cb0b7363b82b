// Storage objects without malloc: a short list in every thread, refilled from and spilled to one shared list. An
// evaluation makes one object and drops one, so the usual case touches the thread's own list only. The objects' slabs
// are never freed. A storage that dies while a stream still uses it waits in a list until that stream is done.
#include "runtime/memory/storage.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <utility>

#include <sinter/error.hpp>

#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/process.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/inspect/names.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/never_destroyed.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/operation.hpp"
#include "runtime/stream/order.hpp"
#include "runtime/stream/table.hpp"

namespace sinter::detail {
namespace {

constexpr int batch = 64;        // objects that move between a thread and the shared list at once
constexpr int keep = 2 * batch;  // a thread that holds this many spills a batch: one that only frees would gather all

/// While an object is free, its memory holds the link instead.
struct free_object {
  free_object* next;
};
static_assert(sizeof(free_object) <= sizeof(storage) && alignof(free_object) <= alignof(storage));

struct free_list {
  free_object* head = nullptr;
  int count = 0;

  void push(free_object* object) noexcept {
    object->next = head;
    head = object;
    ++count;
  }
  free_object* pop() noexcept {
    free_object* object = head;
    head = object->next;
    --count;
    return object;
  }
};

/// What all threads share. Leaked: threads and static arrays may outlive every destructor.
struct shared_list {
  std::mutex busy;
  free_list objects;
};

shared_list& shared() {
  static runtime::never_destroyed<shared_list> list;
  return list.object;
}

void spill(free_list& from, int count) noexcept {
  std::lock_guard hold(shared().busy);
  for (; count > 0 && from.head; --count) shared().objects.push(from.pop());
}

/// Trivial, so that they can be used before the thread's constructors have run and after its destructors have.
enum class phase : unsigned char { fresh, registered, closed };
struct thread_list : free_list {
  phase now = phase::fresh;
};
thread_local constinit thread_list mine;

/// Hands the thread's objects on when the thread ends. What is freed afterwards goes to the shared list directly.
struct at_thread_end {
  at_thread_end() { mine.now = phase::registered; }
  ~at_thread_end() {
    mine.now = phase::closed;
    spill(mine, mine.count);
  }
};

void register_thread() {
  thread_local at_thread_end guard;
  (void)guard;
}

void refill() {
  if (mine.now == phase::fresh) register_thread();
  {
    std::lock_guard hold(shared().busy);
    free_list& all = shared().objects;
    while (all.head && mine.count < batch) mine.push(all.pop());
  }
  if (mine.head) return;
  auto* slab = static_cast<storage*>(::operator new(batch * sizeof(storage), std::nothrow));
  if (!slab) throw out_of_memory("out of memory: the host has no room for bookkeeping", sizeof(storage), 0, 0);
  for (int i = batch - 1; i >= 0; --i) mine.push(new (static_cast<void*>(slab + i)) free_object);
}

void recycle(storage* object) noexcept {
  if (object->named) [[unlikely]]
    runtime::forget_name(*object);
  object->~storage();
  thread_list& list = mine;
  list.push(new (static_cast<void*>(object)) free_object);
  if (list.now != phase::registered || list.count >= keep) [[unlikely]] {
    if (list.now == phase::fresh) register_thread();
    if (list.now == phase::closed) spill(list, list.count);
    if (list.count >= keep) spill(list, batch);
  }
}

void free_memory(storage& memory) noexcept {
  runtime::stream_state& home = *memory.home;
  // A resource of the program's cannot be given a stream that is gone. What it did has been waited for.
  const bool by_arena = runtime::goes_by_arena(*memory.resource), held = !by_arena && runtime::try_retain(home);
  runtime::stream_state& on = by_arena || held ? home : home.device.streams().first();
  // The stream may have gone since the caller looked.
  if (!by_arena && !held && !runtime::exiting()) runtime::wait_surely(home, home.position());
  memory.resource->deallocate(memory.data, memory.size, on.handle_of());
  if (held) runtime::release(home);
  runtime::release(*memory.resource);
  runtime::forget_readers(memory);
  recycle(&memory);
}

/// Calls f(stream, position) for each that may still use a dead storage, until one gives false.
template <class F>
bool each_user(const storage& memory, F f) {
  const bool home_counts = memory.home->retired() && !runtime::goes_by_arena(*memory.resource);
  if (home_counts && !f(*memory.home, memory.home->position())) return false;
  if (memory.stream != memory.home && !f(*memory.stream, memory.written)) return false;
  for (const reader* r = memory.readers; r; r = r->next)
    if (r->on != memory.home && !f(*r->on, r->position)) return false;
  return true;
}

bool is_unused(const storage& memory) noexcept {
  try {
    return each_user(memory, [](runtime::stream_state& on, std::uint64_t p) { return runtime::reached(on, p); });
  } catch (const device_lost&) {
    return true;  // nothing runs any more
  } catch (...) {
    return false;
  }
}

/// Dead storages that streams still use, oldest first. Giving one back may run a user's code, and waiting takes long, so
/// neither happens under the lock. Leaked like the shared list.
class pending_list {
 public:
  void add(storage& memory) noexcept {
    const std::lock_guard hold(busy_);
    memory.next = nullptr;
    *end_ = &memory;
    end_ = &memory.next;
    waiting_.fetch_add(1, std::memory_order_relaxed);
  }

  bool empty() const noexcept { return waiting_.load(std::memory_order_relaxed) == 0; }

  /// Gives back what its streams are done with among the first few, for each question costs a call to the driver; those
  /// that are not unused yet go to the end.
  void poll() noexcept {
    for (int questions = 4; questions > 0; --questions) {
      storage* const memory = take(nullptr);
      if (!memory) return;
      if (is_unused(*memory)) free_memory(*memory);
      else add(*memory);
      put_down();
    }
  }

  /// Waits for all of one device's, those of one resource where one is named. True: there was one.
  bool wait(runtime::device_impl& device, const memory_resource* only) {
    bool any = false;
    for (int left = waiting_.load(std::memory_order_relaxed); left > 0; --left) {
      storage* const memory = take(&device, only);
      if (!memory) break;
      try {
        each_user(*memory, [](runtime::stream_state& on, std::uint64_t p) {
          runtime::wait_until_reached(on, p);
          return true;
        });
      } catch (const device_lost&) {
        // Nothing runs any more.
      } catch (...) {
        add(*memory);
        put_down();
        throw;
      }
      free_memory(*memory);
      put_down();
      any = true;
    }
    return others_finish(device) || any;
  }

 private:
  /// The oldest, or the oldest of a device and of a resource. The caller puts it down again.
  storage* take(const runtime::device_impl* of, const memory_resource* only = nullptr) noexcept {
    const std::lock_guard hold(busy_);
    storage** at = &first_;
    while (*at && ((of && (*at)->device != of) || (only && (*at)->resource != only))) at = &(*at)->next;
    storage* const memory = *at;
    if (!memory) return nullptr;
    *at = memory->next;
    if (!*at) end_ = at;
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    ++taken_;
    ++taken_by_thread_;
    return memory;
  }

  void put_down() noexcept {
    const std::lock_guard hold(busy_);
    --taken_;
    --taken_by_thread_;
    put_down_.notify_all();
  }

  /// Another thread may have taken one, and be waiting for its streams; what it frees counts as free. True: there was one.
  bool others_finish(runtime::device_impl& device) {
    {
      const std::lock_guard hold(busy_);
      if (taken_ == taken_by_thread_) return false;
    }
    device.streams().settle();  // so the rest is short, unless a resource of the program's waits for this thread
    std::unique_lock hold(busy_);
    put_down_.wait_for(hold, std::chrono::milliseconds(200), [this] { return taken_ == taken_by_thread_; });
    return true;
  }

  std::mutex busy_;
  std::condition_variable put_down_;
  int taken_ = 0;
  static thread_local constinit int taken_by_thread_;
  storage* first_ = nullptr;
  storage** end_ = &first_;
  std::atomic<int> waiting_{0};
};

thread_local constinit int pending_list::taken_by_thread_ = 0;

pending_list& pending() {
  static runtime::never_destroyed<pending_list> list;
  return list.object;
}

/// The last holder has gone.
void bury(storage& memory) noexcept {
  if (!memory.data) return recycle(&memory);
  const bool elsewhere = memory.stream != memory.home || memory.readers || memory.home->retired();
  if (!elsewhere || !memory.device->asynchronous() || runtime::exiting()) [[likely]]
    return free_memory(memory);
  runtime::count_lent_work(memory);
  // The writer may have read it since: all of its work counts. Marks are made now, in front of what follows.
  memory.written = memory.stream->position();
  try {
    each_user(memory, [](runtime::stream_state& on, std::uint64_t) {
      runtime::mark(on);
      return true;
    });
  } catch (...) {
    // Then one is made when the question is asked.
  }
  if (is_unused(memory)) free_memory(memory);
  else pending().add(memory);
}

void drop_life(storage& memory) noexcept {
  if (__atomic_load_n(&memory.lives, __ATOMIC_ACQUIRE) != 1 &&
      __atomic_fetch_sub(&memory.lives, 1, __ATOMIC_ACQ_REL) != 1)
    return;
  bury(memory);
}

void refill_or_free(memory_resource& from, std::byte* data, std::size_t bytes, runtime::stream_state& on) {
  try {
    refill();
  } catch (...) {
    if (data) from.deallocate(data, bytes, on.handle_of());
    throw;
  }
}

}  // namespace

array_place place_of(const array_node& a) noexcept { return {a.memory->device, a.data()}; }

void release(storage* memory) noexcept {
  if (!memory) return;
  // A sole owner need not count down: no other thread can count up from here. It saves a locked instruction each time.
  if (__atomic_load_n(&memory->references, __ATOMIC_ACQUIRE) != 1 &&
      __atomic_fetch_sub(&memory->references, 1, __ATOMIC_ACQ_REL) != 1)
    return;
  if (runtime::chosen.capture) [[unlikely]]
    runtime::drop(*runtime::chosen.capture, *memory);
  drop_life(*memory);
}

}  // namespace sinter::detail

namespace sinter::runtime {

using detail::storage;

namespace {

/// What used a capture's block before comes first, also where the program orders its own arrays itself.
void order_reuse(storage& memory, stream_state& on) {
  const bool unordered = std::exchange(chosen.unordered, false);
  struct back {
    const bool to;
    ~back() { chosen.unordered = to; }
  } const at_end{unordered};
  operation(on).writes(&memory);
}

}  // namespace

storage* make_storage(std::size_t bytes, stream_state& on) {
  if (capture_state* const c = on.capture.load(std::memory_order_relaxed); c && bytes) [[unlikely]] {
    if (storage* again = reuse(*c, bytes)) {
      storage_holder made(again);
      order_reuse(*again, on);
      return made.take();
    }
    storage_holder made(make_fresh_storage(bytes, c->origin, on));
    adopt(*c, *made.get());
    return made.take();
  }
  return make_fresh_storage(bytes, on, on);
}

storage* make_fresh_storage(std::size_t bytes, stream_state& home, stream_state& on) {
  if (!detail::pending().empty()) [[unlikely]]
    detail::pending().poll();
  detail::thread_list& list = detail::mine;
  if (!list.head) [[unlikely]]
    detail::refill();
  resource_ref from = current_resource();
  // Before an object is taken: where it throws, nothing has changed.
  std::byte* const data = bytes ? allocate_from(*from, bytes, home) : nullptr;
  bump(counter::bytes_allocated, bytes);
  if (!list.head) [[unlikely]]
    detail::refill_or_free(*from, data, bytes, home);  // the resource was a user's, and made storages itself
  memory_resource* const resource = bytes ? &from.keep() : nullptr;
  return new (static_cast<void*>(list.pop()))
      storage{1, 1, &on.device, data, bytes, resource, &home, &on, on.position(), nullptr, nullptr, nullptr, false};
}

bool can_shorten() {
  const resource_ref from = current_resource();
  return !memory_of_thread.first_hook && goes_by_arena(*from);
}

void shorten(storage& memory, std::size_t bytes) try {
  static_cast<pooled_resource&>(*memory.resource).shorten(memory.data, bytes, *memory.device);
  memory.size = bytes;
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

bool wait_for_pending_frees(device_impl& device, const memory_resource* only) {
  return detail::pending().wait(device, only);
}

bool make_room(device_impl& device) {
  const bool freed = wait_for_pending_frees(device);
  return give_back_cached(device) || freed;
}

std::byte* allocate_from(memory_resource& from, std::size_t bytes, stream_state& on, const memory_resource* only) {
  const auto ask = [&] {
    void* const block = from.allocate(bytes, on.handle_of());
    if (!block) throw out_of_memory("out of memory: a memory_resource returned null", bytes, 0, 0);
    return static_cast<std::byte*>(block);
  };
  try {
    return ask();
  } catch (const out_of_memory&) {
    if (!wait_for_pending_frees(on.device, only)) throw;
  }
  return ask();
}

void pin(storage& memory) noexcept { __atomic_fetch_add(&memory.lives, 1, __ATOMIC_RELAXED); }
void unpin(storage& memory) noexcept { detail::drop_life(memory); }

}  // namespace sinter::runtime
