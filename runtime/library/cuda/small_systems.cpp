#include "runtime/library/small_systems.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "runtime/launch/form_kernels.hpp"
#include "runtime/launch/share.hpp"
#include "runtime/library/matrices.hpp"

namespace sinter::runtime {

namespace {

codegen::small_matrices lying(const solver_array& operand, const shape& batch) {
  const codegen::matrices_arguments a = reading(operand, batch);
  codegen::small_matrices m{a.from, a.from_down, a.from_across, {}, {}, a.axes};
  std::copy_n(a.extents, max_rank, m.extents);
  std::copy_n(a.steps, max_rank, m.steps);
  return m;
}

codegen::small_systems_arguments arguments_of(const solver_work& w, void* note) {
  const solver_problem& p = w.of;
  codegen::small_systems_arguments s;
  s.a = lying(w.operands[0], w.batch);
  s.count = w.batch.elements();
  s.rows = static_cast<std::int32_t>(p.rows), s.columns = static_cast<std::int32_t>(p.columns);
  s.result = w.results[0].data;
  s.note = note;
  s.is_checked = p.checked, s.fault = static_cast<std::int32_t>(solver_fault::singular);
  if (p.what == solver::solve) {
    s.b = lying(w.operands[1], w.batch);
    s.right = static_cast<std::int32_t>(p.right);
  } else {
    s.pivots = w.results[1].data;
  }
  s.result_down = p.what == solver::solve ? p.right : p.columns, s.result_across = 1;
  if (p.transposed) {
    std::swap(s.a.down, s.a.across);
    std::swap(s.result_down, s.result_across);
  }
  // Groups of a warp work together, so that a block has whole warps of them.
  s.apart = (s.columns + s.right + codegen::small_systems_slack) | 1;
  const std::int64_t bytes = std::int64_t{s.rows} * s.apart * itemsize(p.type);
  s.width = static_cast<std::int32_t>(std::bit_ceil(static_cast<unsigned>(s.rows)));
  const std::int32_t of_warp = 32 / s.width, most = codegen::small_systems_threads / s.width;
  const auto fitting = static_cast<std::int32_t>(codegen::small_systems_room / bytes);
  s.groups = std::max(std::min(most, fitting) / of_warp, 1) * of_warp;
  return s;
}

loaded_kernel kernel_of(dtype t, device_impl& on) {
  static auto& all = *new form_kernels<dtype>;
  return all.find(t, on, codegen::small_systems_text);
}

}  // namespace

void solve_small_on_gpu(const solver_work& w, stream_state& on) {
  constexpr std::int64_t most_blocks = 1 << 20;
  const codegen::small_systems_arguments s = arguments_of(w, on.device.index_note());
  geometry g;
  g.block[0] = codegen::small_systems_threads;
  g.grid[0] = static_cast<unsigned>(std::clamp<std::int64_t>(divide_up(s.count, s.groups), 1, most_blocks));
  on.device.launch(kernel_of(w.of.type, on.device), g, &s, sizeof s, on);
}

}  // namespace sinter::runtime
