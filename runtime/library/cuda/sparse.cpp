// Products with sparse matrices on a GPU: by rows, of which each has some threads, or, where few rows have most of the entries, by
// entries.
#include "runtime/library/sparse.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "runtime/launch/share.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::runtime {

namespace {

constexpr std::int64_t block_threads = 256;

int power_between(std::int64_t n, int least, int most) {
  return static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(std::clamp<std::int64_t>(n, least, most))));
}

codegen::sparse_form form_of(const sparse_product& p) {
  codegen::sparse_form f{.type = p.type, .index = p.index, .has_values = p.values != nullptr};
  const std::int64_t mean = divide_up(std::max<std::int64_t>(p.entries, 1), p.rows);
  f.lanes = p.is_matrix ? power_between(p.columns, 1, 32) : 1;
  f.registers = power_between(divide_up(p.columns, 32), 1, 4);
  // A thread has some entries one after the other: as many rows as can be are under way.
  constexpr std::int64_t entries_of_thread = 8, short_row = 16;
  f.group = std::max(f.lanes, std::min(32, f.lanes * power_between(mean / entries_of_thread, 1, 32)));
  // The threads of a long row would still be at it when those of all others have long been done.
  constexpr std::int64_t long_for_a_thread = 32, longer_than_others = 8;
  if (p.longest > long_for_a_thread * (f.group / f.lanes) && p.longest > longer_than_others * mean)
    f.share = codegen::sparse_share::by_entries;
  else if (!p.is_matrix && mean <= short_row) f.share = codegen::sparse_share::short_rows;
  if (f.share != codegen::sparse_share::by_rows) f.group = f.lanes = f.registers = 1;
  return f;
}

// How much of the result's columns blocks go along beside each other.
unsigned tiles_of_columns(std::int64_t n) { return static_cast<unsigned>(std::min<std::int64_t>(n, 65535)); }

constexpr std::size_t block_size = offsetof(codegen::sparse_arguments, step) + sizeof(std::int32_t);

void by_rows(const sparse_product& p, const codegen::sparse_form& f, const loaded_kernel& code, stream_state& on) {
  const std::int64_t most = 64 * static_cast<std::int64_t>(on.device.multiprocessors());
  geometry g;
  g.block[0] = static_cast<unsigned>(block_threads);
  g.grid[0] = static_cast<unsigned>(std::min(divide_up(p.rows, block_threads / f.group), most));
  g.grid[1] = tiles_of_columns(divide_up(p.columns, f.lanes * f.registers));
  const codegen::sparse_arguments block{p.out,   p.values, p.minor,   p.major,   p.x, nullptr,
                                        nullptr, p.rows,   p.columns, p.entries, 0,   0};
  on.device.launch(code, g, &block, block_size, on);
}

void by_entries(const sparse_product& p, const codegen::sparse_form& f, const loaded_kernel& code, stream_state& on) {
  const std::int64_t tiles = divide_up(p.rows + p.entries, codegen::sparse_tile(f));
  const auto left = static_cast<std::size_t>(divide_up(tiles * p.columns * itemsize(p.type), 16) * 16);
  storage_holder area(make_storage(left + static_cast<std::size_t>(tiles) * sizeof(std::int64_t), on));
  std::byte* const carries = area.get()->data;
  codegen::sparse_arguments block{
      p.out,  p.values,  p.minor,   p.major, p.x, carries, reinterpret_cast<std::int64_t*>(carries + left),
      p.rows, p.columns, p.entries, tiles,   0};
  geometry g;
  g.block[0] = static_cast<unsigned>(block_threads);
  g.grid[0] = static_cast<unsigned>(tiles);
  g.grid[1] = tiles_of_columns(p.columns);
  on.device.launch(code, g, &block, block_size, on);
  block.step = 1;
  const std::int64_t most = 64 * static_cast<std::int64_t>(on.device.multiprocessors());
  g.grid[0] = static_cast<unsigned>(std::min(divide_up(tiles * p.columns, block_threads), most));
  g.grid[1] = 1;
  on.device.launch(code, g, &block, block_size, on);
}

}  // namespace

void multiply_on_gpu(const sparse_product& p, stream_state& on) {
  const codegen::sparse_form f = form_of(p);
  const loaded_kernel code = kernel_of(f, on.device);
  (f.share == codegen::sparse_share::by_entries ? by_entries : by_rows)(p, f, code, on);
}

}  // namespace sinter::runtime
