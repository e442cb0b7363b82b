// Geometry and argument packing. The number of parts a reduction is split into depends on its shape and on the device alone.
#include "runtime/launch/launch.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include <sinter/error.hpp>

#include "codegen/source/geometry.hpp"
#include "runtime/counters.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/launch/tickets.hpp"
#include "runtime/log.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/operation.hpp"

namespace sinter::runtime {

using codegen::block_threads;
using codegen::column_tile;

namespace {

constexpr std::size_t largest_block = 32'000;  // CUDA's limit is 32,764 bytes

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
unsigned power_of_two(std::int64_t least, unsigned most) {
  return static_cast<unsigned>(std::bit_ceil(static_cast<std::uint64_t>(std::clamp<std::int64_t>(least, 1, most))));
}

// How a launch is shared out, before the number of parts is known and after.
struct layout {
  geometry g;
  std::int64_t splits = 1;
};

std::int64_t extent(const binding& b, int from, int to) {
  std::int64_t product = 1;
  for (int d = from; d < to; ++d) product *= b.extents[d];
  return product;
}

layout cuda_map(const binding& b, int width) {
  layout l;
  const int last = b.variant.rank - 1;
  const std::int64_t across = divide_up(b.extents[last], width);
  if (last == 0) {
    l.g.block[0] = block_threads;
    l.g.grid[0] = static_cast<unsigned>(divide_up(across, block_threads));
    return l;
  }
  l.g.block[0] = power_of_two(across, block_threads);
  l.g.block[1] = block_threads / l.g.block[0];
  l.g.grid[0] = static_cast<unsigned>(divide_up(across, l.g.block[0]));
  l.g.grid[1] = static_cast<unsigned>(std::min<std::int64_t>(divide_up(extent(b, 0, last), l.g.block[1]), 65535));
  return l;
}

layout cuda_reduction(const binding& b, int width, int multiprocessors) {
  layout l;
  std::int64_t groups;
  if (b.variant.columns) {
    const int f = codegen::fastest_axis(b.variant);
    l.g.block[0] = 32;
    l.g.block[1] = power_of_two(b.reduced / 4, block_threads / 32);
    groups = divide_up(b.extents[f], 32 * width) * extent(b, 0, f);
  } else {
    // A warp folds its row in registers; more of them share one only where there are too few rows to fill the device.
    unsigned across = power_of_two(b.reduced / width, block_threads);
    while (across > 32 && b.kept / (block_threads / across) >= 16 * multiprocessors) across /= 2;
    l.g.block[0] = across;
    l.g.block[1] = block_threads / across;
    groups = divide_up(b.kept, l.g.block[1]);
  }
  l.g.grid[0] = static_cast<unsigned>(groups);
  // Enough blocks to keep every multiprocessor's memory pipes full, while each thread still folds a few packs. By the shape
  // alone, as on the CPU.
  const std::int64_t along = b.variant.columns ? l.g.block[1] : l.g.block[0] * static_cast<unsigned>(width);
  const std::int64_t side_by_side = b.variant.columns ? 32 : l.g.block[1];
  const std::int64_t wanted = divide_up(8 * multiprocessors, divide_up(b.kept, side_by_side));
  const std::int64_t worth = b.reduced / (along * 4);
  l.splits = groups < most_tickets ? std::clamp<std::int64_t>(std::min(wanted, worth), 1, 4096) : 1;
  l.g.grid[1] = static_cast<unsigned>(l.splits);
  return l;
}

layout cpu_map(const binding& b, bool interpreted) {
  layout l;
  l.g.items = interpreted || b.variant.rank == 1 ? b.kept : extent(b, 0, b.variant.rank - 1);
  return l;
}

layout cpu_reduction(const binding& b, bool interpreted) {
  layout l;
  // The number of parts comes from the shape alone, not from how axes merged: results must not depend on layouts.
  constexpr std::int64_t part = 16'384;  // elements: long enough to hide its overhead, short enough to sum accurately
  const std::int64_t side_by_side = b.variant.columns ? std::min<std::int64_t>(b.kept, column_tile) : 1;
  const std::int64_t along = b.reduced * side_by_side;
  if (!interpreted && b.kept / side_by_side < 64 && along >= 2 * part)
    l.splits = std::clamp<std::int64_t>(along / part, 1, 4096);
  std::int64_t groups = b.kept;
  if (b.variant.columns && !interpreted) {
    const int f = codegen::fastest_axis(b.variant);
    groups = divide_up(b.extents[f], column_tile) * extent(b, 0, f);
  }
  l.g.items = groups * l.splits;
  l.g.finish_items = l.splits > 1 ? b.kept : 0;
  return l;
}

template <class T>
void put(std::byte*& at, const std::byte* start, T value) {
  const std::size_t offset = static_cast<std::size_t>(at - start);
  at += (sizeof(T) - offset % sizeof(T)) % sizeof(T);
  std::memcpy(at, &value, sizeof(T));
  at += sizeof(T);
}

void put_integer(std::byte*& at, const std::byte* start, std::int64_t value, int size) {
  if (size == 4) put(at, start, static_cast<std::int32_t>(value));
  else put(at, start, value);
}

void put_scalar(std::byte*& at, const std::byte* start, detail::scalar_bits bits, dtype t) {
  switch (itemsize(t)) {
    case 1: return put(at, start, static_cast<std::uint8_t>(bits.as_unsigned));
    case 2: return put(at, start, static_cast<std::uint16_t>(bits.as_unsigned));
    case 4: return put(at, start, static_cast<std::uint32_t>(bits.as_unsigned));
    default: return put(at, start, bits.as_unsigned);
  }
}

struct extras {
  std::byte* partials = nullptr;
  std::byte* tickets = nullptr;
  std::int64_t splits = 1;
};

std::size_t pack(std::byte* block, const compiled_kernel& k, const codegen::step& s, const binding& b,
                 const codegen::resolution& r, const extras& x) {
  const std::size_t inputs = s.inputs.size();
  std::byte* at = block;
  for (const codegen::parameter& p : k.parameters) {
    switch (p.what) {
      case codegen::parameter::output: put(at, block, b.operands[inputs + p.index].data); break;
      case codegen::parameter::input:
        if (s.body.inputs[p.index].iota) put(at, block, b.operands[p.index].origin);
        else put(at, block, b.operands[p.index].data);
        break;
      case codegen::parameter::extent: put_integer(at, block, b.extents[p.axis], p.size); break;
      case codegen::parameter::stride: put_integer(at, block, b.operands[p.index].strides[p.axis], p.size); break;
      case codegen::parameter::scalar:
        put_scalar(at, block, r.scalars[s.scalars[p.index]], s.body.scalars[p.index]);
        break;
      case codegen::parameter::partials: put(at, block, x.partials); break;
      case codegen::parameter::counters: put(at, block, x.tickets); break;
      case codegen::parameter::splits: put_integer(at, block, x.splits, p.size); break;
    }
  }
  return static_cast<std::size_t>(at - block);
}

layout lay(const binding& b, const codegen::kernel& k, const device_impl& on, codegen::dialect language) {
  if (language == codegen::dialect::cuda) {
    const int width = codegen::lane_width(k, b.variant);
    return k.reduces() ? cuda_reduction(b, width, on.multiprocessors()) : cuda_map(b, width);
  }
  const bool interpreted = language == codegen::dialect::none;
  return k.reduces() ? cpu_reduction(b, interpreted) : cpu_map(b, interpreted);
}

}  // namespace

void launch(compiled_step& step, binding& b, const codegen::resolution& r, stream_state& on, bool& compiled) {
  if (b.nothing) return;
  const codegen::dialect language = on.device.dialect();
  const bool cuda = language == codegen::dialect::cuda;
  layout l = lay(b, step.step.body, on.device, language);
  b.variant.split = l.splits > 1;
  const compiled_kernel& k = step.kernel_for(b.variant, on.device, compiled);
  const bool oversize = k.block_size > largest_block;
  if (oversize && cuda)
    throw error(
        detail::message(
            "sinter: an expression whose operands and scalars take %zu bytes of kernel arguments; CUDA has %zu: "
            "evaluate parts of it",
            k.block_size, largest_block)
            .c_str());
  extras x;
  storage_holder scratch;
  if (b.variant.split) {
    x.splits = l.splits;
    const std::size_t size = static_cast<std::size_t>(8 * b.kept * l.splits) * step.step.body.accumulators.size();
    scratch.reset(make_storage(size, on));
    x.partials = scratch.get()->data;
    if (cuda) x.tickets = tickets(on);
  }
  if (l.g.items > 0)
    l.g.work_per_item = k.cost * static_cast<double>(b.kept) *
                        static_cast<double>(std::max<std::int64_t>(b.reduced, 1)) / static_cast<double>(l.g.items);
  alignas(16) std::byte small[largest_block];
  const std::unique_ptr<std::max_align_t[]> large(
      oversize ? new std::max_align_t[k.block_size / sizeof(std::max_align_t) + 1] : nullptr);
  std::byte* const block = oversize ? reinterpret_cast<std::byte*>(large.get()) : small;
  const std::size_t size = pack(block, k, step.step, b, r, x);
  log(2, "launch: %lld points, grid %u x %u, block %u x %u, items %lld", static_cast<long long>(b.kept * b.reduced),
      l.g.grid[0], l.g.grid[1], l.g.block[0], l.g.block[1], static_cast<long long>(l.g.items));
  const std::size_t inputs = step.step.inputs.size();
  operation op(on);
  op.writes(scratch.get());
  for (std::size_t o = 0; o < b.operands.size(); ++o)
    o < inputs ? op.reads(b.operands[o].memory) : op.writes(b.operands[o].memory);
  on.device.launch(k.code, l.g, block, size, on);
  op.done();
  for (std::size_t o = 0; o < b.operands.size(); ++o)
    o < inputs ? op.has_read(b.operands[o].memory) : op.has_written(b.operands[o].memory);
  op.has_written(scratch.get());
}

}  // namespace sinter::runtime
