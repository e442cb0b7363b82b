// Maps. A thread takes packs of neighbouring elements, or single ones; where they are small it takes several, in turns whose
// loads do not wait for each other. The threads of a block lie along the fastest axis, and over rows where there are any; what
// axes are left are counted by the grid, so that an index is divided once for a block at most. Operands that lie along another
// axis than the results are turned in shared memory.
#include <sinter/error.hpp>

#include "codegen/source/cuda_writer.hpp"

namespace sinter::codegen {

namespace {

class cuda_map : cuda_writer {
 public:
  cuda_map(writer& w, const body& b)
      : cuda_writer(w, b),
        m_(b.v.map),
        last_(b.v.rank - 1),
        stored_(b.k.counts ? b.inputs() : operands()),
        length_(number("n", last_)) {}

  void write() {
    pack_types();
    open(block_threads);
    load_fixed(when::points);
    if (b_.k.counts) count();
    else m_.tile ? tiles() : lines();
    w_.close();
  }

 private:
  std::string width() const { return std::to_string(width_); }
  std::string turns() const { return std::to_string(m_.turns); }
  std::string type(int o) const {
    return b_.is_iota(o) ? "long long" : b_.is_indexed(o) ? "const " + b_.type(o) + "*" : b_.type(o);
  }
  bool moves(int o) const { return b_.v.operands[o] != access::fixed; }
  void unrolled() { w_.raw("#pragma unroll\n"); }
  void rolled() { w_.raw("#pragma unroll 1\n"); }  // what few threads do is no reason to compile longer
  std::string last_turn(std::string_view from, std::string_view step) const {
    return std::string(from) + " + " + (m_.turns > 2 ? std::to_string(m_.turns - 1) + " * " : "") + std::string(step);
  }

  // Opens a loop over the positions of axes [0, to), which the grid counts along `dimension`; gives the prefix of what lies
  // where the line begins.
  std::string open_lines(int to, const char* dimension) {
    if (to == 0) return "";
    const std::string block = std::string("blockIdx.") + dimension, grid = std::string("gridDim.") + dimension;
    w_.line("const ", b_.index, " lines = ", b_.extent(0, to), ";");
    w_.open("for (", b_.index, " line = ", block, "; line < lines; line += ", grid, ")");
    b_.unravel(w_, 0, to, "line");
    place("p", "", 0, to, when::points, true);
    return "p";
  }
  void close_lines(int to) {
    if (to != 0) w_.close();
  }

  // ---- numbers that are counted

  // A block counts by itself first, in shared memory, where the machine adds at once what several lanes add to one count.
  void count() {
    if (b_.v.rank != 1) throw internal_error("a kernel that counts goes along one axis");
    const std::string room = std::to_string(b_.k.counts), threads = std::to_string(block_threads);
    const std::string span = std::to_string(block_threads * width_ * m_.turns);
    const auto each_count = [&] { w_.open("for (int e = threadIdx.x; e < ", room, "; e += ", threads, ")"); };
    w_.line("__shared__ unsigned kept[", room, "];");
    each_count();
    w_.line("kept[e] = 0;");
    w_.close();
    w_.line("__syncthreads();");
    w_.open("for (", b_.index, " first = (", b_.index, ")blockIdx.x * ", span, "; first < ", length_, "; first += (",
            b_.index, ")gridDim.x * ", span, ")");
    w_.line("const ", b_.index, " i = first + threadIdx.x * ", width(), ";");
    turns_of_row("");
    w_.close();
    w_.line("__syncthreads();");
    each_count();
    w_.line("if (kept[e]) atomicAdd(reinterpret_cast<unsigned long long*>(", base(b_.inputs(), ""),
            ") + e, (unsigned long long)kept[e]);");
    w_.close();
  }
  /// Where a point's number goes.
  std::vector<std::string> begin_count() {
    w_.line("int counted;");
    return {"counted"};
  }
  void end_count() {
    w_.line("if ((unsigned)counted < ", std::to_string(b_.k.counts), "u) atomicAdd(kept + counted, 1u);");
  }

  // ---- packs and elements

  void lines() {
    const int outer = last_ - m_.rows;
    const std::string span = width_ > 1 ? " * " + width() : "";
    if (m_.turns == 1 || m_.rows > 0)
      w_.line("const ", b_.index, " i = ((", b_.index, ")blockIdx.x * blockDim.x + threadIdx.x)", span, ";");
    else
      w_.line("const ", b_.index, " i = (", b_.index, ")blockIdx.x * (blockDim.x * ", std::to_string(m_.turns * width_),
              ") + threadIdx.x", span, ";");
    if (last_ > 0) w_.line("if (i >= ", length_, ") return;");
    const std::string prefix = open_lines(outer, m_.rows > 0 ? "z" : "y");
    m_.rows > 0 ? rows(prefix) : m_.turns > 1 ? turns_of_row(prefix) : pack_or_rest(prefix);
    close_lines(outer);
  }

  // Threads spread over the rows that the axes [outer, last) make.
  void rows(const std::string& prefix) {
    const int outer = last_ - m_.rows;
    const std::string step = m_.turns > 1 ? " * " + turns() : "", next = "row + u * blockDim.y";
    w_.line("const ", b_.index, " rows = ", b_.extent(outer, last_), ";");
    if (m_.turns == 1) {
      w_.open("for (", b_.index,
              " row = blockIdx.y * blockDim.y + threadIdx.y; row < rows; row += gridDim.y * blockDim.y)");
      b_.unravel(w_, outer, last_, "row");
      place("q", prefix, outer, last_, when::points, true);
      pack_or_rest("q");
      w_.close();
      return;
    }
    w_.open("for (", b_.index, " row = blockIdx.y * (blockDim.y", step,
            ") + threadIdx.y; row < rows; row += gridDim.y * blockDim.y", step, ")");
    const std::string whole = width_ > 1 ? "i + " + width() + " <= " + length_ + " && " : "";
    w_.open("if (", whole, last_turn("row", "blockDim.y"), " < rows)");
    const auto begin_turn = [&](bool inputs) {
      b_.unravel(w_, outer, last_, next);
      if (inputs) place("q", prefix, outer, last_, when::points, false);
      else place_outputs("q", prefix, outer, last_, when::points);
    };
    take_turns("q", "i", begin_turn);
    w_.otherwise();
    rolled();
    w_.open("for (int u = 0; u < ", turns(), " && ", next, " < rows; ++u)");
    b_.unravel(w_, outer, last_, next);
    place("q", prefix, outer, last_, when::points, true);
    one_by_one("q", "i", width_ > 1 ? "min(i + " + width() + ", " + length_ + ")" : "");
    w_.close();
    w_.close();
    w_.close();
  }

  // The turns lie along the row.
  void turns_of_row(const std::string& prefix) {
    const std::string step = "blockDim.x" + (width_ > 1 ? " * " + width() : "");
    w_.open("if (", last_turn("i", step), width_ > 1 ? " + " + width() + " <= " : " < ", length_, ")");
    take_turns(prefix, "j", [&](bool) { w_.line("const ", b_.index, " j = i + u * ", step, ";"); });
    w_.otherwise();
    rolled();
    w_.open("for (", b_.index, " k = i; k < ", length_, "; k += ", step, ")");
    one_by_one(prefix, "k", width_ > 1 ? "min(k + " + width() + ", " + length_ + ")" : "");
    w_.close();
    w_.close();
  }

  // All turns of a thread: every load comes before the first store. `begin_turn(inputs)` finds turn u: where the inputs are,
  // or the outputs.
  template <class F>
  void take_turns(const std::string& prefix, const std::string& at, F begin_turn) {
    const std::string lane = width_ > 1 ? at + " + l" : at;
    const auto each_lane = [&] {
      if (width_ > 1) unrolled(), w_.open("for (int l = 0; l < ", width(), "; ++l)");
    };
    const auto end_lanes = [&] {
      if (width_ > 1) w_.close();
    };
    for (int o = 0; o < b_.inputs(); ++o)
      if (moves(o))
        w_.line(packed(o) ? pack(o) : type(o), " ", number("v", o), "[", turns(), "]",
                packed(o) || width_ == 1 ? "" : "[" + width() + "]", ";");
    unrolled();
    w_.open("for (int u = 0; u < ", turns(), "; ++u)");
    begin_turn(true);
    bool elements = false;
    for (int o = 0; o < b_.inputs(); ++o) {
      if (packed(o))
        w_.line(number("v", o), "[u] = *reinterpret_cast<const ", pack(o), "*>(", base(o, prefix), " + ", at, ");");
      elements = elements || (moves(o) && !packed(o));
    }
    if (elements) {
      each_lane();
      for (int o = 0; o < b_.inputs(); ++o)
        if (moves(o) && !packed(o))
          w_.line(number("v", o), width_ > 1 ? "[u][l] = " : "[u] = ",
                  counts(o) ? position_in_pack(o, prefix, at) : b_.element(o, base(o, prefix), lane), ";");
      end_lanes();
    }
    w_.close();
    unrolled();
    w_.open("for (int u = 0; u < ", turns(), "; ++u)");
    begin_turn(false);
    std::vector<std::string> into = pack_results(prefix, lane);
    each_lane();
    if (b_.k.counts) into = begin_count();
    w_.line(b_.points[0].call(
        [&](int o) {
          if (!moves(o)) return number("x", o);
          return number("v", o) + (packed(o) ? "[u].at[l]" : width_ > 1 ? "[u][l]" : "[u]");
        },
        {}, into));
    if (b_.k.counts) end_count();
    end_lanes();
    store_packs(prefix, at);
    w_.close();
  }

  // Where results go at a lane of a pack; packs are declared, and stored later.
  std::vector<std::string> pack_results(const std::string& prefix, const std::string& lane) {
    std::vector<std::string> into;
    for (int o = b_.inputs(); o < stored_; ++o) {
      if (packed(o)) w_.line(pack(o), " ", number("v", o), ";");
      into.push_back(packed(o) ? number("v", o) + ".at[l]" : b_.element(o, base(o, prefix), lane));
    }
    return into;
  }

  void store_packs(const std::string& prefix, const std::string& at) {
    for (int o = b_.inputs(); o < stored_; ++o)
      if (packed(o))
        w_.line("*reinterpret_cast<", pack(o), "*>(", base(o, prefix), " + ", at, ") = ", number("v", o), ";");
  }

  // Position `from`, or those up to `to`.
  void one_by_one(const std::string& prefix, const std::string& from, const std::string& to) {
    if (to.empty()) return point(prefix, from);
    if (m_.turns > 1) rolled();
    w_.open("for (", b_.index, " j = ", from, "; j < ", to, "; ++j)");
    point(prefix, "j");
    w_.close();
  }

  void point(const std::string& prefix, const std::string& at) {
    const auto into = b_.k.counts ? begin_count() : outputs(when::points, prefix, at);
    w_.line(b_.points[0].call(read(prefix, at), {}, into));
    if (b_.k.counts) end_count();
  }

  // A thread's only turn.
  void pack_or_rest(const std::string& prefix) {
    if (width_ == 1) {
      if (last_ == 0) w_.line("if (i >= ", length_, ") return;");
      return one_by_one(prefix, "i", "");
    }
    w_.open("if (i + ", width(), " <= ", length_, ")");
    load_packs(prefix);
    const std::vector<std::string> into = pack_results(prefix, "i + l");
    unrolled();
    w_.open("for (int l = 0; l < ", width(), "; ++l)");
    w_.line(b_.points[0].call(read_pack(prefix), {}, into));
    w_.close();
    store_packs(prefix, "i");
    w_.otherwise();
    one_by_one(prefix, "i", length_);
    w_.close();
  }

  // ---- tiles

  // A block takes squares of the two fastest axes. What lies along the second fastest is read along it, so that neighbouring
  // threads read neighbouring elements, and handed over in shared memory.
  void tiles() {
    const std::string side = std::to_string(m_.tile), sides = m_.mirrored ? "[2]" : "";
    for (int o = 0; o < b_.inputs(); ++o)
      if (tiled(o))  // the odd column keeps threads of a warp in different banks
        w_.line("__shared__ ", b_.type(o), " ", number("tile", o), sides, "[", side, "][", std::to_string(m_.tile + 1),
                "];");
    if (m_.mirrored) {
      // The tiles (y, y + x) and (y + x, y), counted round the end. Half way round, each pair is met from both of its ends.
      w_.line("if (2 * blockIdx.x == gridDim.y && blockIdx.y >= blockIdx.x) return;");
      w_.line("const ", b_.index, " here = (", b_.index, ")blockIdx.y * ", side, ", there = (", b_.index,
              ")((blockIdx.y + blockIdx.x) % gridDim.y) * ", side, ";");
      w_.line("const int images = blockIdx.x == 0 ? 1 : 2;");
    } else {
      w_.line("const ", b_.index, " left = (", b_.index, ")blockIdx.x * ", side, ";");
    }
    const std::string prefix = open_lines(last_ - 1, "z");
    if (!m_.mirrored)
      w_.open("for (", b_.index, " top = (", b_.index, ")blockIdx.y * ", side, "; top < ", number("n", last_ - 1),
              "; top += gridDim.y * ", side, ")");
    each_image();
    fill_tiles(prefix);
    end_each_image();
    w_.line("__syncthreads();");
    each_image();
    tile_points(prefix);
    end_each_image();
    if (!m_.mirrored || last_ > 1) w_.line("__syncthreads();  // the tiles are filled again");
    if (!m_.mirrored) w_.close();
    close_lines(last_ - 1);
  }

  // A tile and its mirror image, of which each operand's elements are read once for both.
  void each_image() {
    if (!m_.mirrored) return;
    unrolled();
    w_.open("for (int image = 0; image < 2; ++image)");
    w_.open("if (image < images)");
    w_.line("const ", b_.index, " left = image ? there : here, top = image ? here : there;");
  }
  void end_each_image() {
    if (!m_.mirrored) return;
    w_.close();
    w_.close();
  }

  // Threads go along one axis in packs, and down the other: those whose elements lie in the arrays.
  void each_of_tile(const std::string& down, const std::string& across) {
    unrolled();
    w_.open("for (int u = 0; u < ", std::to_string(m_.tile),
            "; u += ", std::to_string(block_threads * width_ / m_.tile), ")");
    const std::string i = number("i", last_ - 1), j = number("i", last_);
    w_.line("const ", b_.index, " ", i, " = top + ", down, ", ", j, " = left + ", across, ";");
    w_.open("if (", i, " < ", number("n", last_ - 1), " && ", j, " < ", length_, ")");
  }
  void end_each_of_tile() {
    w_.close();
    w_.close();
  }
  std::string in_pack() const { return width_ > 1 ? "threadIdx.x * " + width() : "threadIdx.x"; }
  std::string tile(int o, bool image) const {
    if (!m_.mirrored) return number("tile", o);
    return number("tile", o) + (image ? "[images - 1 - image]" : "[image]");
  }

  void fill_tiles(const std::string& prefix) {
    each_of_tile(in_pack(), "threadIdx.y + u");
    for (int o = 0; o < b_.inputs(); ++o) {
      if (!tiled(o)) continue;
      const std::string to = tile(o, false) + "[threadIdx.y + u][" + in_pack();
      if (width_ == 1) w_.line(to, "] = ", at_point(o, prefix), ";");
      else
        w_.line("const ", pack(o), " ", number("v", o), " = *reinterpret_cast<const ", pack(o), "*>(&",
                at_point(o, prefix), ");");
    }
    for (int o = 0; width_ > 1 && o < b_.inputs(); ++o) {
      if (!tiled(o)) continue;
      unrolled();
      w_.line("for (int l = 0; l < ", width(), "; ++l) ", tile(o, false), "[threadIdx.y + u][", in_pack(),
              " + l] = ", number("v", o), ".at[l];");
    }
    end_each_of_tile();
  }

  void tile_points(const std::string& prefix) {
    each_of_tile("threadIdx.y + u", in_pack());
    const std::string l = width_ > 1 ? " + l" : "";
    std::vector<std::string> into;
    for (int o = 0; o < operands(); ++o) {
      const bool input = o < b_.inputs();
      if (packed(o) && input)
        w_.line("const ", pack(o), " ", number("v", o), " = *reinterpret_cast<const ", pack(o), "*>(&",
                at_point(o, prefix), ");");
      if (packed(o) && !input) w_.line(pack(o), " ", number("v", o), ";");
      if (!input) into.push_back(packed(o) ? number("v", o) + ".at[l]" : at_point(o, prefix, l));
    }
    if (width_ > 1) unrolled(), w_.open("for (int l = 0; l < ", width(), "; ++l)");
    w_.line(b_.points[0].call(
        [&](int o) {
          if (!moves(o)) return number("x", o);
          if (tiled(o)) return tile(o, false) + "[" + in_pack() + l + "][threadIdx.y + u]";
          if (m_.of(o) == way::image) return tile(m_.image_of, true) + "[threadIdx.y + u][" + in_pack() + l + "]";
          return packed(o) ? number("v", o) + ".at[l]" : at_point(o, prefix, l);
        },
        {}, into));
    if (width_ > 1) w_.close();
    for (int o = b_.inputs(); o < operands(); ++o)
      if (packed(o)) w_.line("*reinterpret_cast<", pack(o), "*>(&", at_point(o, prefix), ") = ", number("v", o), ";");
    end_each_of_tile();
  }

  bool tiled(int o) const { return m_.of(o) == way::tiled; }

  // An operand's element at the indices of the two fastest axes, or one `beyond` it.
  std::string at_point(int o, const std::string& prefix, const std::string& beyond = "") const {
    const std::string along = beyond.empty() ? number("i", last_) : "(" + number("i", last_) + beyond + ")";
    std::string at = b_.offset(o, last_ - 1, last_, -1);
    if (b_.v.operands[o] == access::unit) at += " + " + along;
    if (b_.v.operands[o] == access::strided) at += " + " + along + " * " + b_.name(o) + number("_step", last_);
    return !b_.is_element(o) ? base(o, prefix) + at : base(o, prefix) + "[" + at.substr(3) + "]";
  }

  const map_schedule& m_;
  const int last_, stored_;  // the second: operands, but what is only counted
  const std::string length_;
};

}  // namespace

void write_cuda_map(writer& w, const body& b) { cuda_map(w, b).write(); }

}  // namespace sinter::codegen
