// Factorisations, solutions and eigenvalues of a GPU's matrices through the host's memory: copied out, computed by LAPACK in the order
// of the stream, copied back.
#include "runtime/library/solvers.hpp"

#include <cstring>
#include <new>

#include <sinter/memory.hpp>

#include "runtime/device/device.hpp"
#include "runtime/memory/pinned.hpp"
#include "runtime/memory/transfer.hpp"
#include "runtime/stream/capture.hpp"

namespace sinter::runtime {

namespace {

std::size_t aligned(std::size_t size) { return (size + 63) / 64 * 64; }

// Pinned memory for the work, its arrays and scratch. The stream comes past it before it is somebody else's; a graph keeps it.
class pinned_room {
 public:
  pinned_room(std::size_t size, stream_state& on) : on_(on), is_kept_(capture_of(on) != nullptr) {
    if (is_kept_) {
      at_ = pinned_for_graph(*capture_of(on), size, on);
    } else {
      const device_scope here(on.device.id);
      at_ = static_cast<std::byte*>(default_pinned_memory_pool().allocate(size));
    }
  }
  pinned_room(const pinned_room&) = delete;
  ~pinned_room() {
    if (is_kept_) return;
    try {
      on_.enqueued();
      keep_pinned(at_, on_);
    } catch (...) {  // it has been waited for
    }
    pinned_pool::deallocate(at_);
  }
  std::byte* take(std::size_t size) {
    std::byte* const here = at_ + used_;
    used_ += aligned(size);
    return here;
  }

 private:
  stream_state& on_;
  const bool is_kept_;
  std::byte* at_ = nullptr;
  std::size_t used_ = 0;
};

}  // namespace

bool solve_on_gpu(solver_work w, stream_state& on, std::string& why) {
  if (!prepare_on_host(w, why)) return false;
  on.device.index_note();  // it cannot be made on the way
  std::size_t size = aligned(sizeof(solver_work)) + aligned(w.scratch_size * static_cast<std::size_t>(w.parts));
  for (int i = 0; i < solver_work::most_arrays; ++i) size += aligned(w.operands[i].size) + aligned(w.results[i].size);
  pinned_room room(size, on);
  auto* const work = new (room.take(sizeof(solver_work))) solver_work(w);
  work->scratch = room.take(w.scratch_size * static_cast<std::size_t>(w.parts));
  for (solver_array& a : work->operands) {
    if (a.size == 0) continue;
    std::byte* const here = room.take(a.size);
    on.device.copy_out_pinned(here, a.data, a.size, on);
    a.data = here;
  }
  for (solver_array& a : work->results) a.data = a.size > 0 ? room.take(a.size) : nullptr;
  on.device.call_host([](void* with) noexcept { solve_on_host(*static_cast<const solver_work*>(with)); }, work, on);
  for (int i = 0; i < solver_work::most_arrays; ++i)
    if (w.results[i].size > 0)
      on.device.copy_in_pinned(w.results[i].data, work->results[i].data, w.results[i].size, on);
  return true;
}

}  // namespace sinter::runtime
