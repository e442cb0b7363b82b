#include "runtime/library/matrices.hpp"

#include <algorithm>

#include "runtime/device/device.hpp"
#include "runtime/launch/form_kernels.hpp"
#include "runtime/launch/share.hpp"

namespace sinter::runtime {

namespace {

using codegen::matrices_arguments, codegen::matrices_step;

loaded_kernel kernel_of(matrices_step step, dtype t, device_impl& on) {
  static auto& copies = *new form_kernels<dtype>;
  static auto& others = *new form_kernels<dtype>;
  return step == matrices_step::copy ? copies.find(t, on, codegen::matrix_copies_text)
                                     : others.find(t, on, codegen::matrices_text);
}

int threads_of(matrices_step step) {
  return step == matrices_step::copy ? codegen::matrix_copies_threads : codegen::matrices_threads;
}

std::int64_t blocks_of(const matrices_arguments& a) {
  const std::int64_t threads = threads_of(a.step);
  switch (a.step) {
    case matrices_step::copy: return divide_up(a.rows * a.columns * a.count, threads);
    case matrices_step::pointers: return divide_up(a.count, threads);
    case matrices_step::pivots: return divide_up(a.columns * a.count, threads);
    case matrices_step::permutation:
      if (a.columns <= codegen::few_pivots) return divide_up(a.rows * a.count, threads);
      return divide_up(a.rows, threads) * a.count;
    case matrices_step::eliminate:
    case matrices_step::finish: return divide_up(a.count, threads);
    case matrices_step::diagonal: break;
  }
  return a.count;
}

}  // namespace

// Axes that follow one another are one.
matrices_arguments reading(const solver_array& operand, const shape& batch) {
  matrices_arguments a;
  a.from = operand.data;
  a.from_down = operand.down, a.from_across = operand.across;
  a.count = batch.elements();
  for (int d = 0; d < batch.size(); ++d) {
    if (batch[d] == 1) continue;
    const bool follows = a.axes > 0 && a.steps[a.axes - 1] == operand.steps[d] * batch[d];
    const int at = follows ? a.axes - 1 : a.axes++;
    a.extents[at] = (follows ? a.extents[at] : 1) * batch[d];
    a.steps[at] = operand.steps[d];
  }
  return a;
}

matrices_arguments reading(const std::byte* data, const matrix_layout& lies, const shape& batch) {
  matrices_arguments a;
  a.from = data;
  a.from_down = lies.down, a.from_across = lies.across;
  a.count = batch.elements();
  a.axes = 1;
  a.steps[0] = lies.step;
  return a;
}

void copy_matrices(dtype t, matrices_arguments a, std::int64_t rows, std::int64_t columns, std::byte* to,
                   const matrix_layout& lies, stream_state& on) {
  a.step = matrices_step::copy;
  a.rows = rows, a.columns = columns;
  a.to = to;
  a.to_down = lies.down, a.to_across = lies.across, a.to_step = lies.step;
  a.tiled = std::min(rows, columns) >= codegen::matrices_tile;
  run_matrices(t, a, on);
}

void run_matrices(dtype t, const matrices_arguments& a, stream_state& on) {
  constexpr std::int64_t most = 1 << 20, most_across = 65535, tile = codegen::matrices_tile;
  geometry g;
  g.block[0] = static_cast<unsigned>(threads_of(a.step));
  if (a.tiled) {
    const bool by_columns = a.to_down < a.to_across;
    const std::int64_t down = divide_up(a.rows, tile), across = divide_up(a.columns, tile);
    g.grid[0] = static_cast<unsigned>(by_columns ? down : across);
    g.grid[1] = static_cast<unsigned>(std::min(by_columns ? across : down, most_across));
    g.grid[2] = static_cast<unsigned>(std::min(a.count, most_across));
  } else {
    g.grid[0] = static_cast<unsigned>(std::clamp<std::int64_t>(blocks_of(a), 1, most));
  }
  on.device.launch(kernel_of(a.step, t, on.device), g, &a, sizeof a, on);
}

}  // namespace sinter::runtime
