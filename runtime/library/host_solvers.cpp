// Factorisations, solutions and eigenvalues of a GPU's matrices through the host's memory: copied out, computed by LAPACK in the order
// of the stream, copied back.
#include <new>

#include "runtime/device/device.hpp"
#include "runtime/library/pinned_room.hpp"
#include "runtime/library/solvers.hpp"

namespace sinter::runtime {

bool solve_through_host(solver_work w, stream_state& on, std::string& why) {
  if (!prepare_on_host(w, why)) return false;
  on.device.index_note();  // it cannot be made on the way
  constexpr auto aligned = pinned_room::aligned;
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
