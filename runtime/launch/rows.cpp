// Row kernels: who has which elements of a row, and what of it is kept between stages.
#include "runtime/launch/rows.hpp"

#include <algorithm>
#include <cstdlib>

#include "codegen/ir/broadcast.hpp"
#include "codegen/ir/stages.hpp"
#include "codegen/source/keep.hpp"
#include "runtime/launch/share.hpp"

namespace sinter::runtime {

using codegen::access;

namespace {

// What of a row a thread keeps in registers, and still has enough of them to work. Units: bytes.
constexpr std::int64_t most_registers = 128;

// A column is folded by as few threads above each other as have enough loads under way, by more where it is too long for their
// registers; neighbouring columns make whole sectors of memory.
layout cuda_columns(binding& b, int bytes) {
  layout l;
  constexpr unsigned threads = codegen::column_threads, widest = threads / 32, narrowest = threads / 8;
  constexpr std::int64_t least_held = 8;
  constexpr std::int64_t most_column = 256;  // bytes in registers: half of what such a block can have
  const std::int64_t most_held = std::max<std::int64_t>(most_column / bytes, 1);
  unsigned down = power_of_two(divide_up(b.reduced, least_held), widest);
  while (down < narrowest && b.reduced > most_held * down) down *= 2;
  const std::int64_t held = divide_up(b.reduced, down);
  if (held > most_held) down = widest;
  b.variant.rows.held = held <= most_held ? static_cast<std::uint16_t>(power_of_two(held, 1024)) : 0;
  b.variant.rows.threads = threads;
  b.variant.rows.packed = false;
  const int f = codegen::fastest_axis(b.variant);
  const unsigned across = std::min(threads / down, power_of_two(std::max<std::int64_t>(b.extents[f], 32), threads));
  l.how.block[0] = across;
  l.how.block[1] = down;
  l.how.grid[0] = static_cast<unsigned>(divide_up(b.extents[f], across) * extent(b, 0, f));
  return l;
}

// Rows of which a thread has whole ones, side by side in memory: single accesses would be of parts of sectors. A thread takes
// as many as keep enough of its loads under way.
void stage_short_rows(const codegen::kernel& k, binding& b, int multiprocessors) {
  codegen::variant& v = b.variant;
  if (v.rank != 2 || v.reduced != 1) return;
  constexpr std::int64_t room = 48 * 1024, on_their_way = 48;  // bytes
  std::int64_t shared = 0, read = 0;                           // bytes of a row
  bool aligned = true;
  for (std::size_t i = 0; i < b.operands.size(); ++i) {
    const bool input = i < k.inputs.size();
    if (input && (!k.inputs[i].is_element() || !codegen::is_read_at_points(k, static_cast<int>(i)))) continue;
    if (v.operands[i] != access::unit || b.operands[i].strides[0] != b.extents[1]) continue;
    const std::int64_t bytes = itemsize(codegen::operand_type(k, static_cast<int>(i))) * b.reduced;
    if ((shared + bytes) * v.rows.threads > room) continue;
    shared += bytes;
    if (input) read += bytes;
    aligned = aligned && place_in_pack(b.operands[i].data) == 0;
    v.operands[i] = access::staged;
  }
  v.rows.packed = aligned;
  if (shared != 0) v.rows.held = static_cast<std::uint16_t>(b.reduced);
  const auto more = [&](std::int64_t turns) {
    return read * turns < on_their_way && 2 * turns * shared * v.rows.threads <= room &&
           b.kept > 4 * turns * v.rows.threads * multiprocessors;
  };
  while (shared != 0 && more(v.rows.turns)) v.rows.turns *= 2;
}

// A row is folded by as many neighbouring threads as have a few packs of it each, more where there are few rows or long ones.
layout cuda_rows(const codegen::kernel& k, binding& b, int multiprocessors) {
  layout l;
  const std::int64_t row = b.reduced, rows = b.kept;
  // Packs where rows are whole ones, whether or not they lie so that they can be read at once: the order of folding follows
  // from the width, and may not depend on where an operand lies.
  int width = codegen::vector_width(k, b.variant);
  while (row % width != 0) width /= 2;
  const int bytes = std::max(1, bytes_kept(k, b.variant, codegen::dialect::cuda));
  const std::int64_t few = std::max(64 / bytes, width);
  unsigned threads = codegen::block_threads;
  while (threads < 1024 && row > std::int64_t{threads} * most_registers / bytes) threads *= 2;
  unsigned across = power_of_two(divide_up(row, few), threads);
  while (across < threads && rows * across < std::int64_t{1024} * multiprocessors &&
         across * static_cast<std::int64_t>(width) < row)
    across *= 2;
  const std::int64_t held = std::int64_t{power_of_two(divide_up(row, std::int64_t{across} * width), 1024)} * width;
  b.variant.rows.held = held * bytes <= most_registers ? static_cast<std::uint16_t>(held) : 0;
  b.variant.rows.threads = static_cast<std::uint16_t>(threads);
  b.variant.rows.width = static_cast<std::uint8_t>(width);
  b.variant.rows.packed = b.variant.reduced == 1 && lies_in_packs(k, b, width);
  // Rows of no elements have nothing to stage; a text that names a length reads that many.
  if (across == 1 && width == 1 && b.variant.rows.held != 0 && row > 0) stage_short_rows(k, b, multiprocessors);
  l.how.block[0] = across;
  l.how.block[1] = threads / across;
  l.how.grid[0] = static_cast<unsigned>(divide_up(rows, l.how.block[1] * b.variant.rows.turns));
  return l;
}

// Are columns short rows in memory, which go through all stages in registers?
bool are_short_rows(const codegen::kernel& k, const binding& b) {
  const codegen::variant& v = b.variant;
  const std::int64_t n = b.reduced;
  if (!v.columns || v.reduced != 1 || !is_taken_apart(n)) return false;
  for (const codegen::value& x : k.values)
    if (x.kind == codegen::value_kind::load || x.kind == codegen::value_kind::check) return false;
  for (std::size_t o = 0; o < b.operands.size(); ++o)
    if (v.operands[o] == codegen::access::strided &&
        (b.operands[o].strides[v.rank - 2] != n || b.operands[o].strides[v.rank - 1] != 1))
      return false;
  return true;
}

// A core keeps a row of what is work to compute, if that stays near it. Of columns it takes fewer side by side then, so that they
// stay in the cache behind the first, but still whole lines of memory.
layout cpu_rows(const codegen::kernel& k, binding& b, int threads) {
  layout l;
  constexpr std::int64_t near = 256 * 1024, around = near;  // bytes: a cache of its own
  constexpr std::int64_t narrowest = 64;                    // columns
  codegen::row_schedule& s = b.variant.rows;
  const int bytes = bytes_kept(k, b.variant, codegen::dialect::c);
  const std::int64_t held = power_of_two(std::max<std::int64_t>(b.reduced, b.variant.columns ? 1 : 64), 1 << 15);
  // What lies in the tile is read again by each stage, so it should still be in a cache: the more so where it is pieces of rows.
  constexpr std::int64_t whole = 1 << 20, pieces = 1 << 19;  // elements
  const std::int64_t widest =
      b.kept * b.reduced <= whole ? 1024 : std::clamp<std::int64_t>(pieces / b.reduced, 256, 1024);
  const std::int64_t most = b.variant.columns ? cpu_columns(b, threads, widest) : 0;
  std::int64_t across = most;
  while (b.variant.columns && across > narrowest && held * bytes * across > around) across /= 2;
  const bool fits = b.variant.columns ? held * bytes * across <= around : held * bytes <= near;
  s.held = bytes > 0 && fits && held >= b.reduced ? static_cast<std::uint16_t>(held) : 0;
  s.across = static_cast<std::uint16_t>(s.held != 0 ? across : most);
  s.lanes = cpu_lanes(k, b.variant, b.reduced);
  s.filled = !b.variant.columns && b.reduced >= s.lanes;
  if (are_short_rows(k, b)) s.short_row = static_cast<std::uint8_t>(b.reduced);
  l.how.items = cpu_groups(b, s.across);
  return l;
}

}  // namespace

int bytes_kept(const codegen::kernel& k, codegen::variant v, codegen::dialect to) {
  if (!k.scans()) v.rows.held = 1;
  const std::vector<codegen::stage> stages = codegen::stages_of(k, codegen::keeper_for(k, v, to));
  const auto used_from = [&](std::size_t first, std::uint16_t value) {
    return std::any_of(stages.begin() + static_cast<std::ptrdiff_t>(first), stages.end(), [&](const codegen::stage& s) {
      return std::find(s.given.begin(), s.given.end(), value) != s.given.end();
    });
  };
  int most = 0;
  for (std::size_t between = 1; between < stages.size(); ++between) {
    int bytes = 0;
    for (std::size_t s = 0; s < between; ++s)
      for (std::uint16_t value : stages[s].keeps)
        if (used_from(between, value)) bytes += itemsize(k.values[value].type);
    most = std::max(most, bytes);
  }
  return most;
}

namespace {

// Do rows lie across memory, by the operand that moves along most of their axes?
bool are_columns(const codegen::step& s, const codegen::resolution& r, const codegen::space& rows) {
  std::int64_t flat[max_rank];
  codegen::c_strides(rows.extents, flat);
  int most = 0;
  bool columns = false;
  for (const codegen::step::read& input : s.inputs) {
    const codegen::operand& o = r.operands[input.operand];
    if (input.of_result || o.iota) continue;
    int moving = 0, fastest = -1;
    for (int d = 0; d < rows.extents.size(); ++d) {
      const std::int64_t* strides = o.flat ? flat : o.strides;
      if (rows.extents[d] == 1 || strides[d] == 0) continue;
      ++moving;
      if (fastest < 0 || std::llabs(strides[d]) <= std::llabs(strides[fastest])) fastest = d;
    }
    if (moving > most) most = moving, columns = !(rows.reduced >> fastest & 1);
  }
  return columns;
}

}  // namespace

// Rows in which a GPU's block, or a core, would be long alone are better shared out. So are columns of which a block has registers
// for a few only, so that it would read and write small pieces of memory: the passes of two folds and a map cost less.
bool rows_pay(const codegen::step& s, std::size_t more, const codegen::resolution& r, const target& to) {
  if (to.in_order) return false;  // folded in the order in which a reduction by itself would be
  const codegen::space& rows = r.spaces[s.domain];
  std::int64_t kept = 1, length = 1;
  for (int d = 0; d < rows.extents.size(); ++d) (rows.reduced >> d & 1 ? length : kept) *= rows.extents[d];
  // Whatever the number of cores, on which no value depends. A core takes whole rows, and columns that are side by side.
  if (to.language != codegen::dialect::cuda)
    return kept * length <= 65'536 || kept >= 512 || (kept >= 16 && (length <= 16'384 || !are_columns(s, r, rows)));
  if (length > fusing.row && kept < 2 * to.multiprocessors) return false;
  constexpr std::int64_t worth_launches = 1 << 20;  // elements
  const int members = codegen::count_members(s.kernel);
  const bool is_split = length > (members > 1 ? fusing.column / 4 : fusing.column) && kept * length >= worth_launches &&
                        more <= 2 && s.kernel.everywhere > 0;
  return !is_split || !are_columns(s, r, rows);
}

layout share_out_rows(const codegen::kernel& k, binding& b, const target& to) {
  if (to.language == codegen::dialect::c) return cpu_rows(k, b, to.multiprocessors);
  if (!b.variant.columns) return cuda_rows(k, b, to.multiprocessors);
  return cuda_columns(b, std::max(1, bytes_kept(k, b.variant, codegen::dialect::cuda)));
}

}  // namespace sinter::runtime
