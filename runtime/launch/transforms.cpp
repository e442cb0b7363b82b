// Transforms: how many rows, or neighbouring columns, a block has.
#include "runtime/launch/transforms.hpp"

#include "codegen/source/fourier.hpp"
#include "runtime/launch/share.hpp"

namespace sinter::runtime {

namespace {

constexpr int few_threads = 128, some_threads = 256, most_threads = 512;  // of a block
constexpr int sector = 32;                                                // bytes

}  // namespace

layout share_out_transform(const codegen::kernel& k, binding& b, const target& to) {
  layout l;
  b.variant.transform = {};
  if (to.language != codegen::dialect::cuda) return l;
  const dtype type = k.accumulators[0].type;
  const codegen::fourier_plan& plan = codegen::plan_fourier(b.reduced, type);
  const auto fits = [&](int lines) {
    const int threads = lines * plan.threads(), bytes = lines * itemsize(type);
    const bool is_wanted = threads <= few_threads ||
                           (b.variant.columns && (bytes <= sector || (bytes <= 2 * sector && threads <= some_threads)));
    return is_wanted && threads <= most_threads && codegen::room_for(plan, type, lines).bytes <= codegen::block_memory;
  };
  int lines = 1;
  while (lines < b.kept && fits(2 * lines)) lines *= 2;
  b.variant.transform = {static_cast<std::uint16_t>(b.reduced), static_cast<std::uint16_t>(lines)};
  l.how.block[0] = static_cast<unsigned>(lines * plan.threads());
  l.how.grid[0] = static_cast<unsigned>(divide_up(b.kept, lines));
  return l;
}

}  // namespace sinter::runtime
