// Storage objects without malloc: a short list in every thread, refilled from and spilled to one shared list. An
// evaluation makes one object and drops one, so the usual case touches the thread's own list only. The objects' slabs
// are never freed.
#include "runtime/memory/storage.hpp"

#include <mutex>
#include <new>

#include <sinter/error.hpp>

#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"

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
  static shared_list& list = *new shared_list;
  return list;
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
  object->~storage();
  thread_list& list = mine;
  list.push(new (static_cast<void*>(object)) free_object);
  if (list.now != phase::registered || list.count >= keep) [[unlikely]] {
    if (list.now == phase::fresh) register_thread();
    if (list.now == phase::closed) spill(list, list.count);
    if (list.count >= keep) spill(list, batch);
  }
}

}  // namespace

storage* make_storage(runtime::device_impl& device, std::size_t bytes) {
  thread_list& list = mine;
  if (!list.head) [[unlikely]]
    refill();
  std::byte* data = device.allocate(bytes);  // before an object is taken: where it throws, nothing has changed
  runtime::bump(runtime::counters_now.bytes_allocated, bytes);
  return new (static_cast<void*>(list.pop())) storage{1, &device, data, bytes};
}

void release(storage* memory) noexcept {
  if (!memory) return;
  // A sole owner need not tell anybody: nobody else can count up from here. It saves a locked instruction each time.
  if (__atomic_load_n(&memory->references, __ATOMIC_ACQUIRE) != 1 &&
      __atomic_fetch_sub(&memory->references, 1, __ATOMIC_ACQ_REL) != 1)
    return;
  if (memory->data) memory->device->deallocate(memory->data, memory->size);
  recycle(memory);
}

}  // namespace sinter::detail
