// The schedule of a map. What it weighs, in this order: operands should be read along their own fastest axis, accesses should
// be as wide as the operands allow, a thread should have 16 bytes of each operand on their way, and rows that share elements
// should be read by one block.
#include "runtime/launch/maps.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "codegen/ir/values.hpp"
#include "codegen/source/borders.hpp"
#include "codegen/source/geometry.hpp"
#include "codegen/source/keep.hpp"
#include "runtime/launch/share.hpp"

namespace sinter::runtime {

namespace {

using codegen::access, codegen::block_threads, codegen::way;

constexpr std::int64_t most_blocks = 65'535;  // of a grid's second and third dimension
constexpr int sector = 32;                    // bytes that a GPU reads at least
constexpr int least_tiled = 16;               // elements of an axis that is cut into tiles
constexpr int longest_short_row = 8;          // elements
constexpr std::int64_t longest_stream = 64;   // elements of a row

class sharing {
 public:
  sharing(const codegen::kernel& k, binding& b, const target& to)
      : k_(k), b_(b), v_(b.variant), m_(b.variant.map), last_(v_.rank - 1), multiprocessors_(to.multiprocessors) {
    m_ = {};
  }

  layout on_cuda() {
    m_.ways.assign(b_.operands.size(), way::each);
    if (turn_axes()) return tiles();
    if (rows_interleave()) {
      m_.turns = static_cast<std::uint8_t>(b_.extents[last_ - 1]);
      return over_rows();
    }
    choose_width();
    choose_turns();
    return last_ == 0 ? flat() : over_rows();
  }

  layout on_cpu(bool in_order) {
    layout l;
    const std::int64_t rows = count(0, last_), length = b_.extents[last_];
    if (last_ > 0) m_.ways.assign(b_.operands.size(), way::each);
    if (last_ == 0) {
      l.how.items = b_.kept;
    } else if (turn_axes()) {
      choose_turned();
      l.how.items = count(0, last_ - 1) * divide_up(b_.extents[last_ - 1], m_.tile) * divide_up(length, m_.tile);
    } else if (last_ == 1 && !is_stream(rows, length) && name_same_rows()) {
      m_.once = true;
      l.how.items = rows;
    } else if (rows < 1024 && length >= 2 * codegen::row_piece) {
      m_.pieces = true;
      l.how.items = rows * divide_up(length, codegen::row_piece);
    } else if (is_stream(rows, length)) {
      m_.stream = true;
      name_rows(length);
      m_.once = name_same_rows();
      l.how.items = divide_up(rows, codegen::stream_item);
    } else {
      if (has_same_borders(length) && (in_order || !is_long()))
        m_.together = static_cast<std::uint16_t>(bytes_together / widest());
      if (length <= longest_short_row && !m_.together) name_rows(length);
      l.how.items = rows;
    }
    if (!m_.short_row && !m_.stream) {
      name_steps();
      m_.staged = !m_.once && !in_order && is_long();
      m_.stretches = m_.together || (!m_.once && !m_.staged && has_stretches(m_.pieces ? codegen::row_piece : length));
      m_.gathered = !m_.once && !m_.stretches && !in_order && turns_among_sizes();
    } else if (!m_.stream) {
      m_.gathered = !in_order && codegen::is_plain(k_) &&
                    std::ranges::any_of(k_.values, [](const auto& v) { return codegen::is_costly(v); });
    }
    return l;
  }

 private:
  std::int64_t count(int from, int to) const {
    std::int64_t product = 1;
    for (int d = from; d < to; ++d) product *= b_.extents[d];
    return product;
  }
  int operands() const { return static_cast<int>(b_.operands.size()); }
  bool is_output(int o) const { return o >= static_cast<int>(k_.inputs.size()); }
  int size(int o) const { return itemsize(codegen::operand_type(k_, o)); }
  std::int64_t step(int o, int axis) const {
    return std::llabs(b_.operands[static_cast<std::size_t>(o)].strides[axis]);
  }
  /// Does a point read or write an element of its own, another one than the point before it along the fastest axis?
  bool moves(int o) const {
    const access a = v_.operands[static_cast<std::size_t>(o)];
    return (a == access::unit || a == access::strided) &&
           (is_output(o) || k_.inputs[static_cast<std::size_t>(o)].is_element());
  }

  // ---- packs and turns

  bool fits_packs(int o, int width) const {
    const bound_operand& at = b_.operands[static_cast<std::size_t>(o)];
    if (v_.operands[static_cast<std::size_t>(o)] != access::unit) return false;
    if (reinterpret_cast<std::uintptr_t>(at.data) & static_cast<std::uintptr_t>(width * size(o) - 1)) return false;
    for (int d = 0; d < last_; ++d)
      if (at.strides[d] & (width - 1)) return false;
    return true;
  }

  // The widest packs in which all results can be written, and half of what moves can be accessed.
  void choose_width() {
    for (int width = codegen::vector_width(k_, v_) * preferences.pack / 16; width > 1; width /= 2) {
      int packed = 0, others = 0;
      bool results = true;
      for (int o = 0; o < operands(); ++o) {
        if (!moves(o)) continue;
        const bool fits = fits_packs(o, width);
        fits ? ++packed : ++others;
        results = results && (fits || !is_output(o));
      }
      if (!results || packed < others || (last_ > 0 && b_.extents[last_] < 2 * width)) continue;
      m_.width = static_cast<std::uint8_t>(width);
      for (int o = 0; o < operands(); ++o)
        if (moves(o) && fits_packs(o, width)) m_.ways[static_cast<std::size_t>(o)] = way::packed;
      return;
    }
  }

  // As many packs as are to be under way; fewer where a point is much work, which hides latency by itself and
  // needs the registers.
  void choose_turns() {
    constexpr int most = 8, most_work = 512;
    int turns = std::clamp(preferences.under_way / widest() / m_.width, 1, most);
    while (turns > 1 && turns * m_.width * static_cast<int>(k_.values.size()) > most_work) turns /= 2;
    if (k_.counts) turns = 2;  // as the text wants more than one; measured: of 1, 4 and 8, too
    m_.turns = static_cast<std::uint8_t>(turns);
  }

  int widest() const {
    int bytes = 1;
    for (int o = 0; o < operands(); ++o)
      if (moves(o)) bytes = std::max(bytes, size(o));
    return bytes;
  }

  // Are there a few rows whose elements lie among each other in memory, so that a sector has some of each? Then a thread takes
  // an element of every row, one at a time: packs would be too far apart for neighbouring threads to share what is read.
  bool rows_interleave() const {
    if (last_ == 0 || b_.extents[last_ - 1] > longest_short_row) return false;
    for (int o = 0; o < operands(); ++o)
      if (moves(o) && !is_output(o) && step(o, last_ - 1) != 0 && step(o, last_ - 1) < step(o, last_) &&
          step(o, last_) * size(o) < 2 * sector)
        return true;
    return false;
  }

  layout flat() {
    layout l;
    l.how.block[0] = block_threads;
    std::int64_t blocks = divide_up(b_.extents[0], block_threads * m_.width * m_.turns);
    if (k_.counts) {  // as many as are there at once, but not so many that they add their counts up more often than they count
      constexpr std::int64_t blocks_at_once = 8, points_of_count = 4;
      blocks = std::clamp<std::int64_t>(b_.extents[0] / (points_of_count * k_.counts), 1,
                                        std::min(blocks, blocks_at_once * multiprocessors_));
    }
    l.how.grid[0] = static_cast<unsigned>(blocks);
    return l;
  }

  // `threads` packs side by side, spread evenly over as few blocks of at most `most` as hold them.
  static std::int64_t side_by_side(std::int64_t packs, std::int64_t most) {
    if (packs <= most || packs >= 8 * most) return std::min(packs, most);
    return divide_up(packs, divide_up(packs, most));
  }

  layout over_rows() {
    constexpr std::int64_t enough = 128;  // packs of two axes that are worth a block
    const std::int64_t packs = divide_up(b_.extents[last_], m_.width), next = b_.extents[last_ - 1];
    if (last_ > 1 && packs * next < enough) m_.rows = static_cast<std::uint8_t>(last_);
    else if (next >= std::max<std::int64_t>(m_.turns, 4) || packs < enough || rows_interleave()) m_.rows = 1;
    const std::int64_t rows = count(last_ - m_.rows, last_);
    if (m_.rows > 0 && rows < m_.turns) m_.turns = 1;
    const std::int64_t turns = m_.turns;
    layout l;
    if (m_.rows == 0) {
      const std::int64_t across = std::clamp<std::int64_t>(packs / turns, 1, block_threads);
      l.how.block[0] = static_cast<unsigned>(across);
      l.how.grid[0] = static_cast<unsigned>(divide_up(packs, across * turns));
      l.how.grid[1] = static_cast<unsigned>(std::min(count(0, last_), most_blocks));
      return l;
    }
    // Blocks of many rows read what rows share once: the neighbours of a stencil.
    std::int64_t across = side_by_side(packs, std::clamp(preferences.across / widest() / m_.width, 32, block_threads));
    const std::int64_t down = std::clamp<std::int64_t>(rows / turns, 1, block_threads / across);
    if (across * down <= block_threads / 2) across = side_by_side(packs, block_threads / down);
    l.how.block[0] = static_cast<unsigned>(across);
    l.how.block[1] = static_cast<unsigned>(down);
    l.how.grid[0] = static_cast<unsigned>(divide_up(packs, across));
    l.how.grid[1] = static_cast<unsigned>(std::min(divide_up(rows, down * turns), most_blocks));
    l.how.grid[2] = static_cast<unsigned>(std::min(count(0, last_ - m_.rows), most_blocks));
    return l;
  }

  // ---- tiles

  // The axis along which an operand is better read than along the fastest; -1: none.
  int own_axis(int o) const {
    if (is_output(o) || !moves(o) || step(o, last_) * size(o) < sector) return -1;
    int best = -1;
    for (int d = 0; d < last_; ++d)
      if (step(o, d) != 0 && (best < 0 || step(o, d) < step(o, best))) best = d;
    const bool better = best >= 0 && step(o, best) * size(o) < sector && step(o, best) * 4 <= step(o, last_);
    return better && b_.extents[best] >= least_tiled ? best : -1;
  }

  // Chooses the fastest axis and the one along which most bytes are better read, which becomes the second fastest, to be cut
  // into tiles. False where nothing asks for it.
  bool turn_axes() {
    if (last_ == 0 || b_.extents[last_] < least_tiled) return false;
    int bytes[max_rank] = {};
    for (int o = 0; o < operands(); ++o)
      if (const int axis = own_axis(o); axis >= 0) bytes[axis] += size(o);
    const int turned = static_cast<int>(std::max_element(bytes, bytes + last_) - bytes);
    if (bytes[turned] == 0) return false;
    for (int o = 0; o < operands(); ++o)
      if (own_axis(o) == turned) m_.ways[static_cast<std::size_t>(o)] = way::tiled;
    for (int d = turned; d + 1 < last_; ++d) {
      std::swap(b_.extents[d], b_.extents[d + 1]);
      for (bound_operand& o : b_.operands) std::swap(o.strides[d], o.strides[d + 1]);
    }
    return true;
  }

  // Larger tiles touch fewer rows of memory at a time: those of far apart rows are in no translation buffer. Of packs and of small
  // elements they have whole lines of the cache, where they leave enough blocks, and these room in shared memory to work side by side.
  int tile_side(int width) {
    constexpr std::int64_t far = 256 * 1024;  // bytes
    int side = preferences.tile;
    const bool many = count(0, last_ + 1) / (64 * 64) >= std::int64_t{4} * multiprocessors_;
    const int pair = widest() * (m_.mirrored ? 2 : 1);
    if (side == 0) side = many && pair <= (width > 1 ? 4 : 2) ? 64 : 32;
    for (int o = 0; preferences.tile == 0 && o < operands(); ++o)
      if (m_.of(o) == way::tiled && step(o, last_) * size(o) >= far) side = 64;
    int room = codegen::block_memory;
    for (int o = 0; o < operands(); ++o)
      if (m_.of(o) == way::tiled) room -= side * (side + 1) * size(o) * (m_.mirrored ? 2 : 1);
    if (room >= 0) return side;
    room = codegen::block_memory;
    for (int o = 0; o < operands(); ++o) {
      if (m_.of(o) != way::tiled) continue;
      room -= 32 * 33 * size(o) * (m_.mirrored ? 2 : 1);
      if (room < 0) m_.ways[static_cast<std::size_t>(o)] = way::each;
    }
    return 32;
  }

  // Is one operand tiled, and are others its mirror image along the two fastest axes? Then a block takes a tile and the tile's
  // image, and reads both once.
  bool name_images() {
    const auto tiled = std::find(m_.ways.begin(), m_.ways.end(), way::tiled);
    const bool square = b_.extents[last_ - 1] == b_.extents[last_] && b_.extents[last_] <= 32 * most_blocks;
    if (!square || !preferences.mirrored || std::count(tiled, m_.ways.end(), way::tiled) != 1) return false;
    m_.image_of = static_cast<std::uint8_t>(tiled - m_.ways.begin());
    bool any = false;
    for (int o = 0; o < operands(); ++o) {
      if (o == m_.image_of || is_output(o) || !moves(o) || !are_mirrored(m_.image_of, o)) continue;
      m_.ways[static_cast<std::size_t>(o)] = way::image;
      any = true;
    }
    return any;
  }

  // Are two operands one array and its mirror image along the two fastest axes?
  bool are_mirrored(int o, int other) const {
    const bound_operand &a = b_.operands[static_cast<std::size_t>(o)],
                        &b = b_.operands[static_cast<std::size_t>(other)];
    bool same = a.data == b.data && codegen::operand_type(k_, o) == codegen::operand_type(k_, other) &&
                a.strides[last_ - 1] == b.strides[last_] && a.strides[last_] == b.strides[last_ - 1];
    for (int d = 0; d + 1 < last_; ++d) same = same && a.strides[d] == b.strides[d];
    return same;
  }

  // Packs that go along the second fastest axis into tiles, and along the fastest out of them: none goes over the end of a row,
  // and a block's threads cover a tile.
  bool tile_fits_packs(int o, int width) const {
    const bound_operand& at = b_.operands[static_cast<std::size_t>(o)];
    const int along = m_.of(o) == way::tiled ? last_ - 1 : last_;
    if (at.strides[along] != 1 || b_.extents[along] % width != 0) return false;
    if (reinterpret_cast<std::uintptr_t>(at.data) & static_cast<std::uintptr_t>(width * size(o) - 1)) return false;
    for (int d = 0; d <= last_; ++d)
      if (d != along && (at.strides[d] & (width - 1)) != 0) return false;
    return true;
  }

  // The widest packs in which all that goes through tiles, and all results, can be accessed: rows of an odd length have none.
  int tile_width() const {
    int width = std::max(std::min(preferences.pack, 16) / widest(), 1);
    const auto fits = [&](int o) { return (m_.of(o) != way::tiled && !is_output(o)) || tile_fits_packs(o, width); };
    for (; width > 1; width /= 2) {
      int o = 0;
      while (o < operands() && fits(o)) ++o;
      if (o == operands()) break;
    }
    return width;
  }

  layout tiles() {
    layout l;
    m_.mirrored = name_images();
    const int width = tile_width();
    m_.tile = static_cast<std::uint8_t>(tile_side(width));
    m_.width = static_cast<std::uint8_t>(std::min(width, m_.tile * m_.tile / block_threads));
    for (int o = 0; m_.width > 1 && o < operands(); ++o)
      if (m_.of(o) == way::each && moves(o) && tile_fits_packs(o, m_.width))
        m_.ways[static_cast<std::size_t>(o)] = way::packed;
    const std::int64_t down = divide_up(b_.extents[last_ - 1], m_.tile), across = divide_up(b_.extents[last_], m_.tile);
    l.how.block[0] = static_cast<unsigned>(m_.tile / m_.width);
    l.how.block[1] = static_cast<unsigned>(block_threads * m_.width / m_.tile);
    l.how.grid[0] = static_cast<unsigned>(m_.mirrored ? down / 2 + 1 : across);
    l.how.grid[1] = static_cast<unsigned>(std::min(down, most_blocks));
    l.how.grid[2] = static_cast<unsigned>(std::min(count(0, last_ - 1), most_blocks));
    return l;
  }

  // ---- what the CPU's text names: turned operands, steps back and of two, which make vectors, and short rows

  // Do elements go through several functions that take long, of which the core would not overlap enough?
  bool is_long() const {
    constexpr int several = 3, most_values = 256;
    int long_ones = 0;
    for (const codegen::value& v : k_.values) {
      if (v.kind == codegen::value_kind::load || v.kind == codegen::value_kind::check) return false;
      if (v.kind != codegen::value_kind::apply) continue;
      if (detail::takes_words(detail::facts(v.code).of)) return false;
      long_ones += codegen::is_costly(v.code);
    }
    return long_ones >= several && k_.values.size() <= most_values;
  }

  // Elements that are read backwards, beside others that are larger or smaller: gcc turns one vector round for each, and no more.
  bool turns_among_sizes() const {
    const auto turned = std::find(m_.ways.begin(), m_.ways.end(), way::back);
    if (turned == m_.ways.end() || !codegen::is_plain(k_)) return false;
    const int bytes = size(static_cast<int>(turned - m_.ways.begin()));
    bool differ = std::ranges::any_of(k_.values, [&](const codegen::value& v) {
      return v.kind == codegen::value_kind::cast && itemsize(v.type) != bytes;
    });
    for (int o = 0; o < operands(); ++o) {
      if (is_output(o) && m_.of(o) == way::back) return false;
      differ = differ || (moves(o) && size(o) != bytes);
    }
    return differ;
  }

  // Of rows with the same stretches: so much stays near from one stretch to the next.
  static constexpr int bytes_together = 8192;

  // Are rows long enough for it to pay that what stays the same for many points is asked once for them?
  bool has_stretches(std::int64_t length) {
    constexpr std::int64_t least = 32;
    return length >= least && can_be_cut();
  }
  bool can_be_cut() {
    constexpr std::size_t most_borders = 64;
    const auto is_element = [](const codegen::input& i) { return i.is_element(); };
    if (std::ranges::all_of(k_.inputs, is_element)) return false;
    for (const codegen::value& v : k_.values)
      if (v.kind == codegen::value_kind::call ||
          (v.kind == codegen::value_kind::apply && detail::takes_words(detail::facts(v.code).of)))
        return false;
    const codegen::stretches& all = cut();
    return !(all.borders.empty() && all.loads.empty()) && all.borders.size() <= most_borders;
  }

  const codegen::stretches& cut() {
    if (!cut_) cut_ = codegen::stretches_of(k_, v_);
    return *cut_;
  }

  // Is what is asked the same for all rows of the axis before the fastest, so that even short ones may be cut?
  bool has_same_borders(std::int64_t length) {
    constexpr std::int64_t fewest_rows = 8, fewest_bytes = 32;
    if (b_.extents[last_ - 1] < fewest_rows || !can_be_cut()) return false;
    std::vector<bool> same(k_.values.size());
    for (std::size_t i = 0; i < same.size(); ++i) {
      const codegen::value& at = k_.values[i];
      same[i] = at.kind != codegen::value_kind::input || b_.operands[at.index].strides[last_ - 1] == 0;
      for (int a = 0; a < codegen::arity(at); ++a) same[i] = same[i] && same[at.args[a]];
    }
    const codegen::stretches& all = cut();
    const auto is_same = [&](std::uint16_t b) { return same[b]; };
    if (!std::ranges::all_of(all.borders, is_same)) return false;
    if (length > longest_short_row) return !all.borders.empty() || length * widest() >= fewest_bytes;
    const bool places_stay = std::ranges::all_of(all.loads, [&](const codegen::settled_load& l) {
      const codegen::value& at = k_.values[l.value];
      return !(at.index & codegen::with_offset) && (!codegen::guard_of(at) || same[*codegen::guard_of(at)]);
    });
    const auto is_settled = [&](const codegen::value& v) {
      return std::ranges::any_of(all.loads, [&](const auto& l) { return &k_.values[l.value] == &v; });
    };
    // As short rows spelled out, loads that ask a guard each time are not for vectors (codegen/source/loads.cpp).
    const bool all_settled = std::ranges::all_of(k_.values, [&](const codegen::value& v) {
      return v.kind != codegen::value_kind::load || !codegen::guard_of(v) || is_settled(v);
    });
    return places_stay && all_settled && !all.borders.empty() && (widest() <= 4 || all.borders.size() > 3);
  }

  // What tiles turn in registers: words of 4 and 8 bytes, and not more than a core has near. Of larger tiles each line of memory is
  // read and written whole.
  void choose_turned() {
    constexpr int most_turned = 4, near = 32 * 1024;  // bytes
    int turned = 0, widest = 0;
    for (int o = 0; o < operands(); ++o) {
      way& w = m_.ways[static_cast<std::size_t>(o)];
      const bool fits =
          b_.operands[static_cast<std::size_t>(o)].strides[last_ - 1] == 1 && (size(o) == 4 || size(o) == 8);
      if (w == way::tiled && (!fits || ++turned > most_turned)) w = way::each;
      if (w == way::tiled) widest = std::max(widest, size(o));
    }
    m_.tile = widest == 4 && 64 * 64 * widest * turned <= near ? 64 : 32;
  }

  void name_steps() {
    for (int o = 0; o < operands(); ++o) {
      const way named = named_way(o, b_.operands[static_cast<std::size_t>(o)].strides[last_]);
      if (!moves(o) || named == way::each || m_.of(o) != way::each) continue;
      m_.ways.resize(b_.operands.size(), way::each);
      m_.ways[static_cast<std::size_t>(o)] = named;
    }
  }
  // gcc makes vectors of elements some apart where it knows how far: of 1 byte in a tenth of the time, of 4 in half. Beyond 16 bytes
  // loads one by one are as quick, but of threes.
  way named_way(int o, std::int64_t stride) const {
    if (stride == -1) return way::back;
    return is_output(o) || (stride != 3 && stride * size(o) > 16) ? way::each : codegen::way_of_step(stride);
  }

  void name_rows(std::int64_t length) {
    if (length <= longest_short_row) m_.short_row = static_cast<std::uint8_t>(length);
    for (int o = 0; o < operands(); ++o)
      if (follows(o)) m_.ways[static_cast<std::size_t>(o)] = way::dense;
  }

  // Do an operand's rows follow each other without gaps?
  bool follows(int o) const {
    return v_.operands[static_cast<std::size_t>(o)] == access::unit &&
           b_.operands[static_cast<std::size_t>(o)].strides[last_ - 1] == b_.extents[last_];
  }

  // An index along the row, of which a window or the roots of a transform are made.
  bool counts_along(int o) const {
    return !is_output(o) && k_.inputs[static_cast<std::size_t>(o)].iota && step(o, last_) != 0;
  }

  // Says which operands are the same row for all rows. Is something that takes long made of them alone, of which a core has
  // room for a piece?
  bool name_same_rows() {
    constexpr int most_bytes = 32;
    for (int o = 0; o < operands(); ++o)
      if ((moves(o) || counts_along(o)) && !is_output(o) && step(o, 0) == 0)
        m_.ways[static_cast<std::size_t>(o)] = way::again;
    const std::vector<bool> same = codegen::same_for_all_rows(k_, v_);
    int bytes = 0;
    const std::vector<codegen::stage> stages = codegen::stages_after(k_, same);
    for (std::uint16_t v : stages[0].keeps) bytes += itemsize(k_.values[v].type);
    const bool pays = b_.extents[0] > 1 && bytes > 0 && bytes <= most_bytes;
    if (!pays && !m_.stream) std::replace(m_.ways.begin(), m_.ways.end(), way::again, way::each);  // one kernel for all
    return pays;
  }

  // Rows too short for vectors of their own, which all follow each other or are one row that all points' rows read.
  bool is_stream(std::int64_t rows, std::int64_t length) const {
    if (last_ != 1 || length > longest_stream || rows < codegen::stream_item) return false;
    for (int o = 0; o < operands(); ++o) {
      if (v_.operands[static_cast<std::size_t>(o)] == access::fixed || follows(o)) continue;
      if (!moves(o) || is_output(o) || step(o, 0) != 0) return false;
    }
    return true;
  }

  const codegen::kernel& k_;
  binding& b_;
  codegen::variant& v_;
  codegen::map_schedule& m_;
  const int last_;
  const int multiprocessors_;
  std::optional<codegen::stretches> cut_;  // what of a row is asked once for many points
};

}  // namespace

layout share_out_map(const codegen::kernel& k, binding& b, const target& to) {
  sharing s(k, b, to);
  return to.language == codegen::dialect::cuda ? s.on_cuda() : s.on_cpu(to.in_order);
}

}  // namespace sinter::runtime
