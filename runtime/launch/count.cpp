#include "runtime/launch/count.hpp"

#include <algorithm>

#include "codegen/function/count.hpp"
#include "runtime/launch/form_kernels.hpp"
#include "runtime/launch/share.hpp"

namespace sinter::runtime {

namespace {

loaded_kernel kernel_of(const codegen::count_form& f, device_impl& on) {
  static auto& all = *new form_kernels<codegen::count_form>;
  return all.find(f, on, codegen::count_text);
}

// As many blocks as are there at once, but not so many that they add their elements up more often than they count.
std::int64_t blocks_of(const position_counts& of, const codegen::count_form& f, const device_impl& on) {
  constexpr std::int64_t blocks_at_once = 8, positions_of_element = 4, bytes_of_vector = 16;
  const std::int64_t of_block = codegen::count_threads * codegen::count_batch * bytes_of_vector / itemsize(f.type);
  const std::int64_t least = f.few ? std::max(of_block, positions_of_element * of.elements) : of_block;
  return std::min(divide_up(of.count, least), blocks_at_once * on.multiprocessors());
}

}  // namespace

void count_positions(const position_counts& of, stream_state& on) {
  const codegen::count_form form = codegen::form_of_count(of.type, of.count, of.elements);
  geometry g;
  g.block[0] = codegen::count_threads;
  g.grid[0] = static_cast<unsigned>(blocks_of(of, form, on.device));
  const codegen::count_arguments block{of.at, of.out, of.count, of.elements};
  on.device.launch(kernel_of(form, on.device), g, &block, sizeof block, on);
}

}  // namespace sinter::runtime
