#include "runtime/launch/compact.hpp"

#include <atomic>
#include <bit>

#include "codegen/function/compact.hpp"
#include "runtime/counters.hpp"
#include "runtime/launch/modules.hpp"
#include "runtime/launch/share.hpp"

namespace sinter::runtime {

namespace {

// A device's kernel for elements of a size; its text is made once.
loaded_kernel kernel_of(int size, device_impl& on) {
  constexpr int sizes = 6;  // places, and elements of 1 to 16 bytes
  static constinit std::atomic<void*> entries[most_devices][sizes] = {};
  std::atomic<void*>& kept = entries[on.index][std::bit_width(static_cast<unsigned>(size))];
  if (void* const entry = kept.load(std::memory_order_acquire)) return {entry};
  codegen::image_origin from{};
  const loaded_kernel code = kernel_of(codegen::compact_text(size), {}, {}, *on.compiler(), on, from);
  if (from != codegen::image_origin::memory)
    bump(from == codegen::image_origin::disk ? counter::disk_hits : counter::compiles);
  kept.store(code.entry, std::memory_order_release);
  return code;
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
