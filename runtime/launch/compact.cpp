#include "runtime/launch/compact.hpp"

#include "codegen/function/compact.hpp"
#include "runtime/launch/form_kernels.hpp"
#include "runtime/launch/share.hpp"

namespace sinter::runtime {

namespace {

// For elements of a size; of none: for places.
loaded_kernel kernel_of(int size, device_impl& on) {
  static auto& all = *new form_kernels<int>;
  return all.find(size, on, codegen::compact_text);
}

// The first tile begins where a vector of the mask does, at its first byte or before it.
std::int64_t tiles_of(const compacted& of) {
  const auto before =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(of.mask) % std::uintptr_t{codegen::compact_vector});
  return divide_up(before + of.count, std::int64_t{codegen::compact_tile});
}

}  // namespace

std::size_t compact_notes(const compacted& of) { return 8 * (static_cast<std::size_t>(tiles_of(of)) + 1); }

void compact(const compacted& of, void* notes, stream_state& on) {
  const loaded_kernel code = kernel_of(of.from ? of.size : 0, on.device);
  auto* const words = static_cast<std::uint64_t*>(notes);
  on.device.zero(static_cast<std::byte*>(notes), compact_notes(of), on);
  geometry g;
  g.block[0] = codegen::compact_threads;
  g.grid[0] = static_cast<unsigned>(tiles_of(of));
  const codegen::compact_arguments block{of.mask,  of.from, of.to, words + 1, reinterpret_cast<unsigned*>(words),
                                         of.count, of.found};
  on.device.launch(code, g, &block, sizeof block, on);
}

}  // namespace sinter::runtime
