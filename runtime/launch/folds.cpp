// Three ways on a GPU: a line of threads has a row, or a block has a tile of columns, or columns are so few that a block's threads
// go through all of them as one stream. Each may be split: several blocks have a part of the same results.
#include "runtime/launch/folds.hpp"

#include <algorithm>
#include <limits>

#include "codegen/ir/values.hpp"
#include "codegen/source/geometry.hpp"
#include "runtime/launch/share.hpp"
#include "runtime/launch/tickets.hpp"

namespace sinter::runtime {

namespace {

using codegen::access;
using codegen::block_threads;

class cuda_choice {
 public:
  cuda_choice(const codegen::kernel& k, binding& b, const target& to)
      : k_(k), b_(b), v_(b.variant), s_(b.variant.fold), multiprocessors_(to.multiprocessors), cache_(to.cache) {}

  layout run() {
    s_ = {};
    s_.stream = is_stream();
    if (s_.stream) stream();
    else if (v_.columns) columns();
    else rows();
    s_.turns = static_cast<std::uint8_t>(turns());
    s_.split = l_.splits > 1;
    l_.how.grid[1] = static_cast<unsigned>(l_.splits);
    return l_;
  }

 private:
  // Few columns leave most of a tile's threads without one. By the shape alone, as everything that decides about the order.
  bool is_stream() const {
    constexpr std::int64_t few_rows = 64;
    return v_.columns && !v_.in_order && b_.kept <= folding.stream && b_.reduced >= few_rows;
  }

  // Enough blocks to keep every multiprocessor's memory pipes full, while each thread still folds a few packs.
  std::int64_t parts(int blocks, std::int64_t results_side_by_side, std::int64_t folded_at_a_time) const {
    const std::int64_t wanted =
        divide_up(std::int64_t{blocks} * multiprocessors_, divide_up(b_.kept, results_side_by_side));
    return std::clamp<std::int64_t>(std::min(wanted, b_.reduced / (folded_at_a_time * 4)), 1, 4096);
  }

  void stream() {
    const int width = widest_pack();
    s_.width = static_cast<std::uint8_t>(width);
    s_.packed = width > 1 && v_.rank == 2 && lies_in_stream(width);
    l_.how.block[0] = block_threads;
    constexpr std::int64_t many = 8;  // columns, of which the last block has too much to fold
    const int blocks = b_.kept > many ? (folding.blocks + 1) / 2 : folding.blocks;
    l_.splits = parts(blocks, b_.kept, std::max<std::int64_t>(block_threads * width / b_.kept, 1));
  }

  void columns() {
    const int f = codegen::fastest_axis(v_), width = codegen::vector_width(k_, v_);  // a power of two
    const std::int64_t parts_of_column = parts_of_windows();
    if (const int shared = columns_of_thread(parts_of_column); shared > 1) {
      s_.width = static_cast<std::uint8_t>(shared);
      s_.apart = true;
      l_.splits = parts_of_column;
      l_.how.block[0] = block_threads;
      l_.how.grid[0] = static_cast<unsigned>(divide_up(b_.extents[f], block_threads * shared) * extent(b_, 0, f));
      return;
    }
    s_.packed = !v_.in_order && (b_.extents[f] & (width - 1)) == 0 && lies_in_packs(k_, b_, width);
    s_.width = static_cast<std::uint8_t>(s_.packed ? width : 1);
    l_.how.block[0] = 32;
    l_.how.block[1] = power_of_two(b_.reduced / 4, block_threads / 32);
    l_.how.grid[0] = static_cast<unsigned>(divide_up(b_.extents[f], 32 * s_.width) * extent(b_, 0, f));
    if (b_.kept < codegen::most_tickets) l_.splits = parts_of_tile();
  }

  // In order, that of a column must not follow from what is folded beside it.
  std::int64_t parts_of_tile() const {
    const int folded_at_a_time = static_cast<int>(l_.how.block[1]);
    return v_.in_order ? parts(folding.column_blocks, 32, folded_at_a_time)
                       : parts(tile_blocks(), 32 * widest_pack(), folded_at_a_time);
  }

  // Of bytes that are folded into words of eight, what parts leave and is read again counts beside what is read.
  int tile_blocks() const {
    int state = 1;
    for (const codegen::accumulator& a : k_.accumulators) state = std::max(state, itemsize(a.type));
    return std::max(folding.column_blocks - (state > 4 * widest()), 1);
  }

  // Columns that read what their neighbours read, too, wait for the cache and not for memory: a thread has as many as share what is
  // the same for all of them and leave every multiprocessor enough blocks.
  static constexpr std::int64_t window_blocks = 4;  // of a multiprocessor
  std::int64_t columns_for_all(int of_thread) const {
    return window_blocks * multiprocessors_ * block_threads * of_thread;
  }

  // A column's part is one thread's, whose sum would lose digits if it were long; shorter ones give more of them work. 0: there is no
  // use, or no room for so many.
  std::int64_t parts_of_windows() const {
    constexpr std::int64_t longest = 1024, shortest = 128, room = 1 << 22;  // elements; parts
    if (!b_.overlaps) return 0;
    const std::int64_t least = divide_up(b_.reduced, longest), most = std::max(b_.reduced / shortest, least);
    const std::int64_t parts = std::clamp(divide_up(columns_for_all(folding.apart), b_.kept), least, most);
    const std::int64_t across = b_.extents[codegen::fastest_axis(v_)];
    const std::int64_t groups = b_.kept / across * divide_up(across, block_threads);
    return parts == 1 || (b_.kept * parts <= room && groups < codegen::most_tickets) ? parts : 0;
  }
  int columns_of_thread(std::int64_t parts) const {
    int most = std::min(folding.apart, codegen::block_memory / codegen::fold_memory(k_, 1));
    most = static_cast<int>(std::bit_floor(static_cast<unsigned>(most)));
    while (most > 1 && b_.kept * parts < columns_for_all(most)) most /= 2;
    return most;
  }

  // Elements of the widest pack in which columns can be folded, whether or not they can be read so here.
  int widest_pack() const {
    int width = 16 / widest();
    while (width > 1 && codegen::fold_memory(k_, width) > codegen::block_memory) width /= 2;
    return width;
  }

  // Rows are folded in packs whether or not they can be read so: the order of a sum must not depend on where its operands lie,
  // on steps between their elements, or on how axes merged.
  void rows() {
    const int width = v_.in_order ? 1 : codegen::vector_width(k_, v_);
    const bool whole = v_.reduced == 1 || b_.extents[v_.rank - 1] % width == 0;  // no pack goes over the end of an axis
    s_.width = static_cast<std::uint8_t>(width);
    s_.packed = whole && lies_in_packs(k_, b_, width);
    // A warp folds its row in registers; more of them share one only where there are too few rows to fill the device.
    unsigned across = power_of_two(b_.reduced / width, block_threads);
    while (across > 32 && b_.kept / (block_threads / across) >= 16 * multiprocessors_) across /= 2;
    l_.how.block[0] = across;
    l_.how.block[1] = block_threads / across;
    const std::int64_t groups = divide_up(b_.kept, l_.how.block[1]);
    l_.how.grid[0] = static_cast<unsigned>(groups);
    if (across < block_threads || groups >= codegen::most_tickets) return;
    const std::int64_t words = codegen::words_of_member(k_) * codegen::count_members(k_) * b_.kept;
    l_.splits = std::clamp<std::int64_t>(parts_of_row(std::int64_t{across} * width), 1,
                                         std::max<std::int64_t>(codegen::most_words / words, 1));
    s_.marked = l_.splits > 1;
    s_.resident = static_cast<std::uint8_t>(s_.marked && needs_few_registers() ? folding.blocks : 0);
    s_.once = s_.marked && v_.reduced == 1 && !v_.aliased && bytes() > cache_;
    // Packs of one thread lie as far apart as all blocks have threads, and an index goes one turn past the last.
    const std::int64_t turn = l_.splits * block_threads * width * folding.resident_turns;
    v_.wide = v_.wide || b_.reduced + turn > std::numeric_limits<std::int32_t>::max();
  }

  // Blocks that share a row are at work at once: as many as have room on the device, or several times as many, but not a few more,
  // for which the rest would wait.
  std::int64_t parts_of_row(std::int64_t folded_at_a_time) const {
    const std::int64_t room = std::int64_t{folding.blocks} * multiprocessors_;
    if (b_.kept >= room) return 1;
    const auto fills = [&](std::int64_t parts) {
      return 8 * b_.kept * parts >= 7 * room * divide_up(b_.kept * parts, room);
    };
    std::int64_t wanted = room / b_.kept;
    while (!fills(wanted)) ++wanted;
    return std::min(wanted, b_.reduced / (folded_at_a_time * 4));
  }

  // One block more than there are registers for begins when the others are done. Of what needs more registers than all that share
  // a row can have, fewer are at work.
  bool needs_few_registers() const {
    constexpr std::size_t few_values = 24;
    constexpr int few_bytes = 24;
    return k_.values.size() <= few_values && codegen::fold_memory(k_, 1) <= few_bytes * block_threads;
  }

  // What the fold reads of operands that lie in packs.
  std::int64_t bytes() const {
    std::int64_t each = 0;
    for (std::size_t i = 0; i < k_.inputs.size(); ++i)
      if (k_.inputs[i].is_element() && v_.operands[i] == access::unit) each += itemsize(k_.inputs[i].type);
    return each * b_.kept * b_.reduced;
  }

  // Bytes of the widest operand that the fold reads at points, whatever its layout.
  int widest() const {
    int widest = 1;
    for (std::size_t i = 0; i < k_.inputs.size(); ++i)
      if (k_.inputs[i].is_element() && codegen::is_read_at_points(k_, static_cast<int>(i)))
        widest = std::max(widest, itemsize(k_.inputs[i].type));
    return widest;
  }

  // Do the operands that move along the columns follow the stream in memory, so that a pack of it is one of theirs?
  bool lies_in_stream(int width) const {
    for (std::size_t i = 0; i < k_.inputs.size(); ++i) {
      if (v_.operands[i] != access::unit || !k_.inputs[i].is_element() ||
          !codegen::is_read_at_points(k_, static_cast<int>(i)))
        continue;
      const auto at = reinterpret_cast<std::uintptr_t>(b_.operands[i].data);
      const auto pack = static_cast<std::uintptr_t>(width * itemsize(k_.inputs[i].type));
      if (b_.operands[i].strides[1] != b_.extents[0] || (at & (pack - 1)) != 0) return false;
    }
    return true;
  }

  // A point that has much to read needs the registers for it, and so do many narrow ones.
  int turns() const {
    constexpr int most_elements = 64;
    int bytes = 0;
    for (std::size_t i = 0; i < k_.inputs.size(); ++i)
      if (k_.inputs[i].is_element() && v_.operands[i] != access::fixed && v_.operands[i] != access::column &&
          codegen::is_read_at_points(k_, static_cast<int>(i)))
        bytes += s_.width * itemsize(k_.inputs[i].type);
    // Nor does one ask for packs that are not there.
    const std::int64_t at_a_time = v_.columns
                                       ? std::int64_t{s_.stream ? block_threads * s_.width / b_.kept : l_.how.block[1]}
                                       : std::int64_t{l_.how.block[0]} * s_.width;
    const std::int64_t there = divide_up(divide_up(b_.reduced, l_.splits), std::max<std::int64_t>(at_a_time, 1));
    // Blocks that have registers set aside have them for more; but where nothing is read there is nothing to wait for.
    const int wanted = s_.resident && bytes > 0 ? folding.resident_turns : folding.turns;
    int most = wanted;
    while (most > 1 && (most * bytes > 16 * wanted || most * s_.width > most_elements || most / 2 >= there)) most /= 2;
    return most;
  }

  const codegen::kernel& k_;
  binding& b_;
  codegen::variant& v_;
  codegen::fold_schedule& s_;
  const int multiprocessors_;
  const std::int64_t cache_;  // bytes
  layout l_;
};

class cpu_choice {
 public:
  cpu_choice(const codegen::kernel& k, binding& b) : k_(k), b_(b), v_(b.variant), s_(b.variant.fold) {}

  layout run() {
    s_ = {};
    s_.lanes = cpu_lanes(k_, v_, b_.reduced);
    s_.filled = !v_.columns && b_.reduced >= s_.lanes;
    if (are_short_rows()) return short_rows();
    s_.stream = is_stream();
    s_.packed = s_.stream && lies_in_stream();
    layout l;
    l.splits = parts();
    s_.split = l.splits > 1;
    l.how.items = l.splits * (s_.stream ? 1 : cpu_groups(b_, codegen::fold_tile(k_)));
    l.how.finish_items = s_.split ? b_.kept : 0;
    return l;
  }

 private:
  // Of several states in registers gcc makes no vectors, but of the fewest elements.
  bool are_short_rows() const {
    return v_.columns && v_.reduced == 1 && is_taken_apart(b_.reduced) && !codegen::has_choice(k_) &&
           (b_.reduced <= 2 || codegen::count_members(k_) == 1);
  }

  layout short_rows() {
    s_.short_row = static_cast<std::uint8_t>(b_.reduced);
    s_.packed = follow_each_other();
    layout l;
    l.how.items = cpu_groups(b_, codegen::row_piece);
    return l;
  }

  // The number of parts comes from the shape alone, not from how axes merged: results must not depend on layouts.
  std::int64_t parts() const {
    constexpr std::int64_t part = 32'768;  // elements: long enough to hide its overhead, short enough to sum accurately
    constexpr std::int64_t tile = 256;     // columns that one part has at least
    if (b_.overlaps) return parts_of_windows();
    const std::int64_t side_by_side = v_.columns ? std::min(b_.kept, tile) : 1;
    const std::int64_t along = b_.reduced * side_by_side;
    if (b_.kept / side_by_side >= 64 || along < 2 * part) return 1;
    return std::clamp<std::int64_t>(along / part, 1, 4096);
  }

  // A column is folded in the order of its elements, where a row would be in lanes: one sum of a long window would lose digits. All
  // parts have room in memory.
  std::int64_t parts_of_windows() const {
    constexpr std::int64_t part = 1024, room = 1 << 22;  // elements; parts
    return std::clamp<std::int64_t>(std::min(b_.reduced / part, room / b_.kept), 1, 4096);
  }

  bool is_stream() const {
    constexpr std::int64_t enough = 1024;  // elements
    return v_.columns && b_.kept <= codegen::stream_columns && b_.reduced * b_.kept >= enough;
  }

  bool is_read(std::size_t i) const {
    return v_.operands[i] != access::fixed && codegen::is_read_at_points(k_, static_cast<int>(i));
  }

  // Does what the fold reads follow the stream, so that a row ends where the next one begins?
  bool lies_in_stream() const {
    bool follows = v_.rank == 2;
    for (std::size_t i = 0; follows && i < k_.inputs.size(); ++i)
      follows = !is_read(i) || (v_.operands[i] == access::unit && b_.operands[i].strides[1] == b_.extents[0]);
    return follows;
  }

  // Do short columns lie in memory one after the other?
  bool follow_each_other() const {
    for (std::size_t i = 0; i < k_.inputs.size(); ++i)
      if (is_read(i) && v_.operands[i] == access::strided &&
          (b_.operands[i].strides[v_.rank - 2] != b_.reduced || b_.operands[i].strides[v_.rank - 1] != 1))
        return false;
    return true;
  }

  const codegen::kernel& k_;
  binding& b_;
  codegen::variant& v_;
  codegen::fold_schedule& s_;
};

}  // namespace

layout share_out_fold(const codegen::kernel& k, binding& b, const target& to) {
  return to.language == codegen::dialect::c ? cpu_choice(k, b).run() : cuda_choice(k, b, to).run();
}

}  // namespace sinter::runtime
