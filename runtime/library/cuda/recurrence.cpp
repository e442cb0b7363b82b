// Filters with feedback on a GPU: rows in chunks, each of which begins with a state that is known once all chunks before it have been
// gone through from a state of zeros.
#include <algorithm>
#include <cstddef>

#include "codegen/function/recurrence.hpp"
#include "runtime/device/device.hpp"
#include "runtime/launch/form_kernels.hpp"
#include "runtime/launch/share.hpp"
#include "runtime/library/recurrences.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::runtime {

namespace {

using codegen::recurrence_arguments, codegen::recurrence_form, codegen::recurrence_step;

constexpr std::int64_t threads = 128;

// Samples of a chunk. A chunk more is work for the block that joins them, and a sample more a step that no other thread can take.
std::int64_t chunk_of(const recurrence& r, int joining, const device_impl& on) {
  constexpr std::int64_t threads_at_once = 512, shortest = 64;  // of a multiprocessor
  const std::int64_t wanted = on.multiprocessors() * threads_at_once;
  if (joining == 0 || r.rows >= wanted) return r.samples;
  const std::int64_t chunks = divide_up(wanted, r.rows);
  return std::max({divide_up(r.samples, chunks), shortest, std::int64_t{8} * r.order});
}

loaded_kernel kernel_for(const recurrence_form& f, device_impl& on) {
  static auto& all = *new form_kernels<recurrence_form>;
  return all.find(f, on, codegen::recurrence_text);
}

}  // namespace

void filter_on_gpu(const recurrence& r, stream_state& on) {
  const recurrence_form form{r.type, r.order};
  const int joining = codegen::joining_threads(form);
  const std::int64_t chunk = chunk_of(r, joining, on.device),
                     chunks = std::max<std::int64_t>(divide_up(r.samples, chunk), 1);
  const loaded_kernel code = kernel_for(form, on.device);
  storage_holder states;
  const std::int64_t state = r.order * itemsize(r.type), starts = r.rows * chunks * state;
  if (chunks > 1) states.reset(make_storage(static_cast<std::size_t>(starts + r.order * state), on));
  std::byte* const kept = chunks > 1 ? states.get()->data : nullptr;
  const auto launch = [&](recurrence_step step, std::int64_t blocks, std::int64_t of) {
    geometry g;
    g.block[0] = static_cast<unsigned>(of);
    g.grid[0] = static_cast<unsigned>(blocks);
    const recurrence_arguments block{r.x,    r.b,       r.a,   r.zi,   r.y, r.zf, kept, kept ? kept + starts : nullptr,
                                     r.rows, r.samples, chunk, chunks, step};
    on.device.launch(code, g, &block, offsetof(recurrence_arguments, step) + sizeof step, on);
  };
  const std::int64_t blocks = divide_up(std::max<std::int64_t>(r.rows * chunks, r.order), threads);
  if (chunks > 1) {
    launch(recurrence_step::run, blocks, threads);
    launch(recurrence_step::join, r.rows, joining);
  }
  launch(recurrence_step::write, blocks, threads);
}

}  // namespace sinter::runtime
