// Numbers that generated text and the launcher must agree on.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "codegen/ir/stages.hpp"
#include "codegen/ir/values.hpp"

namespace sinter::codegen {

/// Threads of a CUDA block. Units: threads.
inline constexpr int block_threads = 256;
/// Of a CUDA block that folds columns and uses the results there.
inline constexpr int column_threads = 512;
/// cpu, maps: elements of a piece of a row. Units: elements.
inline constexpr int row_piece = 4096;
/// cpu, maps: elements that go through one function after the other.
inline constexpr int staged_block = 128;
/// cpu, maps: elements of a row of which what all rows share is computed before them.
inline constexpr int once_piece = 16'384;
/// cpu, maps of rows that are gone along as one stream: rows of an item.
inline constexpr int stream_item = 64;
/// cpu: columns that are folded as one stream have so many running values at most; and how many rows are folded side by side,
/// given the text of the number of columns: as many as make whole vectors.
inline constexpr int stream_lanes = 1024, stream_columns = 64;
inline std::string stream_rows(const std::string& columns) {
  return columns + " <= 16 ? 256 / " + columns + " / 16 * 16 : 16";
}

/// Scans: elements of a tile, of which rows that are longer are made; tiles that a group is made of. Units: elements; tiles.
inline constexpr int scan_tile = 8192;
inline constexpr int scan_group = 32;
/// cpu, scans: elements of a chunk, after which a long row starts anew. Units: elements.
inline constexpr int scan_chunk = 16'384;

/// Places in which the tiles of a row leave what they fold: one for each, one for each group and one for each group of groups.
inline constexpr std::int64_t scan_places(std::int64_t tiles) {
  const std::int64_t groups = (tiles + scan_group - 1) / scan_group;
  return tiles + groups + (groups + scan_group - 1) / scan_group;
}

/// cuda, folds that split: blocks of a multiprocessor that share results of rows; how many groups of results may draw tickets, and
/// the words that lie behind the tickets, in which the parts of rows are left; a part's words for each member of a state.
inline constexpr int fold_blocks = 4;
inline constexpr std::int64_t most_tickets = 1 << 16, most_words = 1 << 15;
inline int words_of_member(const kernel& k) { return 2 * state_words(k); }

/// Shared memory that a block may declare for folding: CUDA's limit, less what else it declares. Units: bytes.
inline constexpr int block_memory = 48 * 1024 - 16;

/// cpu, reductions by columns: columns that one work item folds side by side, as many as leave their running values near.
inline int fold_tile(const kernel& k) {
  constexpr int near = 16 * 1024;  // bytes
  return std::max(256,
                  std::min(1024, static_cast<int>(std::bit_floor(static_cast<unsigned>(near / 8 / count_members(k))))));
}

/// What a block of a reduction by columns needs to fold, each thread having `width` columns. Units: bytes.
inline int fold_memory(const kernel& k, int width) {
  int each = 0;
  for (const accumulator& a : k.accumulators)
    for (int m = 0; m < a.members(); ++m) each += itemsize(a.member_type(m));
  return block_threads * width * each;
}

/// Elements in a pack where nothing but positions is read: those that share a block of random numbers.
inline constexpr int positions_in_pack = 4;

/// Elements in a 16-byte access of the widest operand that moves by units; 1: no vector accesses. Of folded rows, whose order
/// follows from it, the widest that moves in any steps; of columns, where results are written once, the widest that is read
/// at points, and as few as a block has memory to fold.
inline int vector_width(const kernel& k, const variant& v) {
  const bool rows = k.reduces() && !v.columns, folds_columns = v.columns && form_of(k) == form::fold;
  int widest = 0;
  bool counts = false;
  for (std::size_t o = 0; o < v.operands.size(); ++o) {
    if (v.operands[o] != access::unit && !(rows && v.operands[o] == access::strided)) continue;
    const bool is_input = o < k.inputs.size();
    if (folds_columns && !(is_input && is_read_at_points(k, static_cast<int>(o)))) continue;
    if (is_input && !k.inputs[o].is_element()) {
      counts = counts || k.inputs[o].iota;
      continue;
    }
    const int size = itemsize(operand_type(k, static_cast<int>(o)));
    if (size > widest) widest = size;
  }
  int width = widest ? 16 / widest : counts ? positions_in_pack : 1;
  while (width > 1 && v.columns && fold_memory(k, width) > block_memory) width /= 2;
  return width;
}

/// Elements that a thread takes side by side.
inline int lane_width(const kernel& k, const variant& v) {
  switch (form_of(k)) {
    case form::map: return v.map.width;
    case form::fold: return v.fold.width;
    case form::scan: return v.scan.width;
    default: return v.rows.width;
  }
}

}  // namespace sinter::codegen
