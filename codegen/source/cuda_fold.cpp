// Reductions give each output a line of threads of a block (rows) or each thread an output (columns), and where that leaves
// the device idle several blocks share an output: the block that finishes last folds the parts in their order, so that the
// result does not depend on which one that is.
#include "codegen/source/fold_words.hpp"

#include <algorithm>

namespace sinter::codegen {

namespace {

class cuda_fold : fold_words {
 public:
  cuda_fold(writer& w, const body& b) : fold_words(w, b) {}

  void write() {
    pack_types();
    if (b_.v.fold.marked) write_words();
    write_reads();
    open(block_threads, b_.v.fold.resident);
    reduce();
    w_.close();
  }

 private:
  // Columns of whole packs give a thread `width_` outputs side by side, and those whose points are their neighbours', too, as many
  // that lie apart; otherwise it has one.
  bool side_by_side() const { return b_.v.columns && width_ > 1; }
  bool apart() const { return b_.v.fold.apart; }
  std::string acc(int m) const { return number("acc", m) + (side_by_side() ? "[l]" : ""); }
  void each_output() {
    if (side_by_side()) w_.raw("#pragma unroll\n"), w_.open("for (int l = 0; l < ", std::to_string(width_), "; ++l)");
  }
  void end_each_output() {
    if (side_by_side()) w_.close();
  }

  // What came in as e<a>.
  void fold_elements() {
    fold([this](int m) { return acc(m); }, [](int m) { return number("e", m); });
  }

  void start() {
    each_output();
    for (int m = 0; m < members(); ++m) w_.line(acc(m), " = ", b_.identity(m), ";");
    end_each_output();
  }

  // Folds acc over the threads of an output; the first of them ends with the result. Rows: through the registers of a warp,
  // then over its warps. Columns: threads of one output are in different warps, so through shared memory.
  void fold_block() { b_.v.columns ? fold_block_columns() : fold_block_rows(); }

  void fold_block_rows() {
    w_.open("for (int half = min(blockDim.x, 32) / 2; half > 0; half /= 2)");
    fold_lanes_below();
    w_.close();
    w_.open("if (blockDim.x > 32)");
    w_.open("if (lane % 32 == 0)");
    for (int m = 0; m < members(); ++m) w_.line(number("fold", m), "[lane / 32] = ", acc(m), ";");
    w_.close();
    w_.line("__syncthreads();");
    w_.open("if (threadIdx.x < 32)");
    for (int m = 0; m < members(); ++m)
      w_.line(acc(m), " = ", number("fold", m), "[lane / 32 + threadIdx.x % (blockDim.x / 32)];");
    w_.open("for (int half = blockDim.x / 64; half > 0; half /= 2)");
    fold_lanes_below();
    w_.close();
    w_.close();
    w_.close();
  }

  // Each lane of a warp takes what the one `half` behind it has.
  void fold_lanes_below() {
    for (int m = 0; m < members(); ++m) {
      w_.line("const ", b_.member_type(m), " ", number("e", m), " = __shfl_down_sync(0xffffffff, ", acc(m), ", half);");
    }
    fold_elements();
  }

  // Halves of the threads leave what they have to the others, each in places of its own, so that one barrier is enough.
  void fold_block_columns() {
    const std::string lane = side_by_side() ? "l * " + std::to_string(block_threads) + " + lane" : "lane";
    w_.open("for (unsigned half = blockDim.y / 2; half > 0; half /= 2)");
    w_.open("if (threadIdx.y / half == 1)");
    each_output();
    for (int m = 0; m < members(); ++m) w_.line(number("fold", m), "[", lane, "] = ", acc(m), ";");
    end_each_output();
    w_.close();
    w_.line("__syncthreads();");
    w_.open("if (threadIdx.y < half)");
    each_output();
    fold([this](int m) { return acc(m); },
         [&](int m) { return number("fold", m) + "[" + lane + " + half * blockDim.x]"; });
    end_each_output();
    w_.close();
    w_.close();
  }

  void reduce() {
    const int shared = b_.v.columns ? block_threads * width_ : block_threads / 32;
    for (int m = 0; m < members(); ++m)
      w_.line("__shared__ ", b_.member_type(m), " ", number("fold", m), "[", std::to_string(shared), "];");
    w_.line("const unsigned lane = threadIdx.y * blockDim.x + threadIdx.x;");
    const int kept = b_.kept(), f = b_.fastest();
    const std::string& t = b_.index;
    if (b_.v.columns) {
      const std::string across = side_by_side() ? "(blockDim.x * " + std::to_string(width_) + ")" : "blockDim.x";
      w_.line("const ", t, " tiles = (", number("n", f), " + ", across, " - 1) / ", across, ";");
      w_.line("const ", t, " i = blockIdx.x % tiles * ", across, " + threadIdx.x",
              side_by_side() && !apart() ? " * " + std::to_string(width_) : "", ", line = blockIdx.x / tiles;");
      w_.line("const ", t, " kept = line * ", number("n", f), " + i;");
      w_.line("const bool live = i < ", number("n", f), ";");
      if (apart()) find_columns();
    } else {
      w_.line("const ", t, " kept = (", t, ")blockIdx.x * blockDim.y + threadIdx.y;");
      w_.line("const bool live = kept < ", b_.extent(0, kept), ";");
    }
    if (b_.v.fold.marked) take_ticket();
    declare_states();
    start();
    w_.open("if (live)");
    load_fixed(when::points);
    b_.v.columns ? b_.unravel(w_, 0, f, "line") : b_.unravel(w_, 0, kept, "kept");
    place("p", "", 0, b_.v.columns ? f : kept, when::points, false);
    b_.v.columns ? fold_columns() : fold_rows();
    w_.close();
    if (b_.v.fold.marked) look_at_ticket();
    fold_block();
    if (b_.v.fold.split && b_.v.columns) {
      leave_part();
      return finish_tile();
    }
    if (b_.v.fold.marked) {
      leave_word();
      start();
      fold_each_word();
      fold_block();
    }
    w_.open("if (threadIdx.", b_.v.columns ? "y" : "x", " == 0 && live)");
    each_output_of(b_.v.columns ? of_lane("i") : "0", [this](int m) { return acc(m); });
    w_.close();
  }

  // What would be a column beyond the last is the last once more, which is folded and not written.
  void find_columns() {
    w_.line(b_.index, " column[", std::to_string(width_), "];");
    each_output();
    w_.line("column[l] = min(i + l * (", b_.index, ")blockDim.x, ", number("n", b_.fastest()), " - 1);");
    end_each_output();
  }

  std::string is_output_inside() const {
    return apart() ? "if (i + l * blockDim.x < " + number("n", b_.fastest()) + ") " : "";
  }

  // Writes what the states give, at index `i` of the fastest axis; several outputs side by side in a loop of their own.
  void each_output_of(const std::string& i, const spelled& state) {
    const int kept = b_.kept(), f = b_.fastest();
    load_fixed(when::row);
    b_.v.columns ? b_.unravel(w_, 0, f, "line") : b_.unravel(w_, 0, kept, "kept");
    place("q", "", 0, b_.v.columns ? f : kept, when::row, true);
    const bool together = i == of_lane("i") && side_by_side();
    if (together) each_output();
    w_.line(together ? is_output_inside() : "", b_.result.call(read("q", i), state, outputs(when::row, "q", i)));
    if (together) end_each_output();
  }

  void declare_states() {
    const std::string size = side_by_side() ? "[" + std::to_string(width_) + "]" : "";
    for (int m = 0; m < members(); ++m) w_.line(b_.member_type(m), " ", number("acc", m), size, ";");
  }

  // Where a row is split, blocks take turns: all of them together go through memory as one does. Which thread has a pack follows
  // from its position and the number of threads alone.
  std::string threads() const { return b_.v.fold.split ? "splits * blockDim.x" : "blockDim.x"; }
  std::string thread() const {
    return b_.v.fold.split ? "(" + b_.index + ")(blockIdx.y * blockDim.x + threadIdx.x)" : "threadIdx.x";
  }

  void fold_rows() {
    const std::string& t = b_.index;
    const std::string width = std::to_string(width_);
    w_.line("const ", t, " high = ", b_.extent(b_.kept(), b_.v.rank), ";");
    if (width_ > 1 && b_.v.reduced > 1 && !b_.v.fold.packed) return fold_packs_of_rows();
    if (width_ == 1) {
      w_.raw("#pragma unroll 4\n");
      w_.open("for (", t, " position = ", thread(), "; position < high; position += ", threads(), ")");
      fold_position();
      return w_.close();
    }
    fold_in_turns({.from = thread() + " * " + width,
                   .step = b_.v.fold.split ? "step" : "blockDim.x * " + width,
                   .at = "i",
                   .inside = "i + " + width + " <= high",
                   .index = b_.v.reduced == 1 ? "i" : number("i", b_.fastest())});
    // What is no whole pack is one thread's.
    w_.line("const ", t, " odd = high % ", width, ";");
    w_.open("if (odd != 0 && high / ", width, " % (", threads(), ") == ", thread(), ")");
    w_.open("for (", t, " position = high - odd; position < high; ++position)");
    if (b_.v.reduced == 1) accumulate(read("p", "position"));
    else fold_position();
    w_.close();
    w_.close();
  }

  void fold_position() {
    b_.unravel(w_, b_.kept(), b_.v.rank, "position");
    place("q", "p", b_.kept(), b_.v.rank, when::points, false);
    accumulate(read("q", number("i", b_.fastest())));
  }

  // Several axes that cannot be read in packs are folded in those in which they would be as one.
  void fold_packs_of_rows() {
    const std::string width = std::to_string(width_), along = number("i", b_.fastest());
    w_.open("for (", b_.index, " i = ", thread(), " * ", width, "; i < high; i += ", threads(), " * ", width, ")");
    b_.unravel(w_, b_.kept(), b_.v.rank, "i");
    w_.open("if (i + ", width, " <= high && ", along, " + ", width, " <= ", number("n", b_.fastest()), ")");
    place("q", "p", b_.kept(), b_.v.rank, when::points, false);
    w_.raw("#pragma unroll\n");
    w_.open("for (int l = 0; l < ", width, "; ++l)");
    accumulate(read("q", along + " + l"));
    w_.close();
    w_.otherwise();  // over the end of a row
    w_.open("for (", b_.index, " position = i; position < min(i + ", width, ", high); ++position)");
    fold_position();
    w_.close();
    w_.close();
    w_.close();
  }

  void fold_columns() {
    part_bounds(b_.extent(b_.kept(), b_.v.rank));
    for (int o = 0; o < b_.inputs(); ++o) {  // what is the same all along a column
      if (!is_column(o) || !b_.is_element(o) || !b_.is_read_at_points(o)) continue;
      w_.line(b_.type(o), " ", number("v", o), side_by_side() ? "[" + std::to_string(width_) + "];" : ";");
      each_output();
      w_.line(number("v", o), side_by_side() ? "[l] = " : " = ", read("p", of_lane("i"))(o), ";");
      end_each_output();
    }
    fold_in_turns({.from = "low + threadIdx.y",
                   .step = apart() ? "step" : "blockDim.y",
                   .at = "position",
                   .inside = "position < high",
                   .index = "i"});
  }

  bool moves(int o) const {
    return b_.is_element(o) && b_.v.operands[o] != access::fixed && !is_column(o) && b_.is_read_at_points(o);
  }
  bool is_column(int o) const { return b_.v.operands[o] == access::column; }
  bool is_still(int o) const { return b_.v.operands[o] == access::still; }
  void fold_in_turns(const loop& of) {
    const std::string turn = turns() + " * " + of.step;
    const int more = b_.v.fold.turns - 1;
    if (!b_.v.fold.marked && !apart()) {
      w_.open("for (", b_.index, " first = ", of.from, "; first < high; first += ", turn, ")");
      fold_turns(of);
      return w_.close();
    }
    // Of blocks that take turns most have no end of a row in sight, and ask for nothing that depends on it. Nor do columns that
    // lie apart, whose loads wait for nothing then.
    const std::string width = apart() ? "1" : std::to_string(width_);
    const std::string last = more ? "first + " + (more > 1 ? std::to_string(more) + " * " : "") + "step" : "first";
    w_.line("const ", b_.index, " step = ", apart() ? "blockDim.y" : threads() + " * " + width, ";");
    w_.line(b_.index, " first = ", of.from, ";");
    w_.raw("#pragma unroll 1\n");
    w_.open("for (; ", last, " + ", width, " <= high; first += ", turn, ")");
    loop free = of;
    free.inside.clear();
    fold_turns(free);
    w_.close();
    if (more == 0) return;
    w_.open("if (first < high)");
    fold_turns(of);
    w_.close();
  }

  void fold_turns(const loop& of) {
    for (int o = 0; o < b_.inputs(); ++o) {
      if (!moves(o)) continue;
      const int elements = b_.v.fold.turns * (packed(o) || is_still(o) ? 1 : width_);
      w_.line(packed(o) ? pack(o) : b_.type(o), " ", number("v", o), "[", std::to_string(elements), "];");
    }
    each_turn(of);
    load_turn(locate(of), of.index);
    end_each_turn(of);
    each_turn(of);
    const bool has_positions = has_others();
    const std::string prefix = has_positions ? locate(of) : "";
    fold_turn(prefix, of.index);
    end_each_turn(of);
  }

  // Where operands are at a position: the prefix of their names.
  std::string locate(const loop& of) {
    if (b_.v.reduced == 1 && !b_.v.columns) return "p";
    b_.unravel(w_, b_.kept(), b_.v.rank, of.at);
    place("q", "p", b_.kept(), b_.v.rank, when::points, false);
    return "q";
  }

  bool has_others() const {  // positions, and what is read at computed indices
    for (int o = 0; o < b_.inputs(); ++o)
      if (!b_.is_element(o) && b_.is_read_at_points(o)) return true;
    return false;
  }

  void each_lane() {
    if (width_ > 1) w_.raw("#pragma unroll\n"), w_.open("for (int l = 0; l < ", std::to_string(width_), "; ++l)");
  }
  void end_each_lane() {
    if (width_ > 1) w_.close();
  }
  std::string of_lane(const std::string& index) const {
    return apart() ? "column[l]" : width_ > 1 ? index + " + l" : index;
  }
  std::string slot(int o) const {
    const bool one = packed(o) || is_still(o) || width_ == 1;
    return one ? "[turn]" : "[turn * " + std::to_string(width_) + " + l]";
  }

  void load_turn(const std::string& prefix, const std::string& index) {
    bool elements = false;
    for (int o = 0; o < b_.inputs(); ++o) {
      if (!moves(o)) continue;
      if (packed(o)) {
        const std::string at = "reinterpret_cast<const " + pack(o) + "*>(" + base(o, prefix) + " + " + index + ")";
        w_.line(number("v", o), "[turn] = ", is_read_once(o) ? "read_once(" + at + ")" : "*" + at, ";");
      } else if (is_still(o)) w_.line(number("v", o), "[turn] = ", read(prefix, index)(o), ";");
      else elements = true;
    }
    if (!elements) return;
    each_lane();
    for (int o = 0; o < b_.inputs(); ++o)
      if (moves(o) && !packed(o) && !is_still(o))
        w_.line(number("v", o), slot(o), " = ", read(prefix, of_lane(index))(o), ";");
    end_each_lane();
  }

  void fold_turn(const std::string& prefix, const std::string& index) {
    const spelled input = [this, prefix, index](int o) {
      if (packed(o)) return number("v", o) + "[turn].at[l]";
      if (moves(o)) return number("v", o) + slot(o);
      if (is_column(o) && b_.is_element(o)) return number("v", o) + (side_by_side() ? "[l]" : "");
      if (counts(o) && index == "i" && !b_.v.columns) return position_in_pack(o, prefix, "i");
      return read(prefix, of_lane(index))(o);
    };
    if (side_by_side() || width_ == 1) {
      each_lane();
      accumulate(input, side_by_side() ? "l" : "");
      return end_each_lane();
    }
    for (int m = 0; m < members(); ++m)
      if (b_.is_short_sum(m)) w_.line("int ", number("pack", m), " = 0;");
    for (int m = 0; m < members(); ++m) add_bytes(m);
    if (!adds_bytes_alone()) fold_lanes(input);
    for (int m = 0; m < members(); ++m) {
      if (!b_.is_short_sum(m)) continue;
      // The compiler sees that no pack overflows, and would add 64 bits after all.
      if (bytes_of(m) < 0) w_.line("asm(\"\" : \"+r\"(", number("pack", m), "));");
      w_.line(number("acc", m), " += ", number("pack", m), ";");
    }
  }

  void fold_lanes(const spelled& input) {
    each_lane();
    take(input);
    for (std::size_t a = 0; a < b_.k.accumulators.size(); ++a) {
      const int m = b_.first_member(static_cast<int>(a));
      if (!b_.is_short_sum(m))
        w_.line(b_.fold(
            static_cast<int>(a), [this](int i) { return acc(i); }, [](int i) { return number("e", i); }));
      else if (bytes_of(m) < 0) w_.line(number("pack", m), " += ", number("e", m), ";");
    }
    end_each_lane();
  }

  // The input whose bytes a sum adds up as they are, where they come in packs of fours; -1: there is none. A GPU adds four at a
  // time; beside operands of 8 bytes a pack has two.
  int bytes_of(int m) const {
    if (!b_.is_short_sum(m) || width_ % 4 != 0) return -1;
    const value& element = b_.k.values[b_.folded_value(m)];
    const value& at = b_.k.values[element.args[0]];
    const bool is_byte = at.kind == value_kind::input && itemsize(at.type) == 1;
    return is_byte && packed(at.index) && is_of_words(at.index) ? at.index : -1;
  }
  bool adds_bytes_alone() const {
    for (int m = 0; m < members(); ++m)
      if (bytes_of(m) < 0) return false;
    return true;
  }
  void add_bytes(int m) {
    const int o = bytes_of(m);
    if (o < 0) return;
    const std::string type = detail::facts(operand_type(b_.k, o)).is_signed ? "int" : "unsigned";
    w_.raw("#pragma unroll\n");
    w_.line("for (int l = 0; l < ", std::to_string(width_ / 4), "; ++l) ", number("pack", m), " = __dp4a((", type, ")",
            number("v", o), "[turn].words[l], (", type, ")0x01010101, (", type, ")", number("pack", m), ");");
  }

  // Every block leaves its part in memory; the last one folds them, in their order.
  void leave_part() {
    w_.open("if (threadIdx.y == 0 && live)");
    each_output();
    const std::string output = !side_by_side() ? "kept" : apart() ? "(kept + l * blockDim.x)" : "(kept + l)";
    for (int m = 0; m < members(); ++m)
      w_.line(is_output_inside(), partial(m, "", output, "blockIdx.y"), " = ", acc(m), ";");
    end_each_output();
    w_.line("__threadfence();");
    w_.close();
    leave_to_last();
  }

  // A pack that need not go through a multiprocessor's cache is there sooner; but then it does not stay in the device's either.
  bool is_read_once(int o) const {
    return b_.v.fold.once && packed(o) && b_.is_read_at_points(o) &&
           pack_width(o) * itemsize(operand_type(b_.k, o)) == 16;
  }
  void write_reads() {
    std::vector<std::string> written;
    for (int o = 0; o < b_.inputs(); ++o) {
      if (!is_read_once(o) || std::find(written.begin(), written.end(), pack(o)) != written.end()) continue;
      written.push_back(pack(o));
      w_.open("static __device__ __forceinline__ ", pack(o), " read_once(const ", pack(o), "* from)");
      w_.raw("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700\n");
      w_.line("union { ", pack(o), " pack; unsigned word[4]; } all;");
      w_.line("asm(\"ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];\"");
      w_.line("    : \"=r\"(all.word[0]), \"=r\"(all.word[1]), \"=r\"(all.word[2]), \"=r\"(all.word[3])");
      w_.line("    : \"l\"(from));");
      w_.line("return all.pack;");
      w_.raw("#else\n");
      w_.line("return *from;");
      w_.raw("#endif\n");
      w_.close();
      w_.blank();
    }
  }

  // A thread of the last block has a column of the tile, whatever it had of it before: neighbours read parts side by side.
  void finish_tile() {
    const std::string& t = b_.index;
    const std::string tile = side_by_side() ? "blockDim.x * " + std::to_string(width_) : "blockDim.x";
    const std::string lanes = std::to_string(column_lanes()), n = number("n", b_.fastest());
    const auto all = [](const std::string& lane) {
      return [lane](int m) { return number("all", m) + "[" + lane + "]"; };
    };
    w_.line("const ", t, " begin = blockIdx.x % tiles * (", tile, "), end = min(begin + ", tile, ", ", n, ");");
    w_.open("for (", t, " column = begin + lane; column < end; column += blockDim.x * blockDim.y)");
    for (int m = 0; m < members(); ++m) w_.line(b_.member_type(m), " ", number("all", m), "[", lanes, "];");
    w_.raw("#pragma unroll\n");
    w_.open("for (int l = 0; l < ", lanes, "; ++l)");
    for (int m = 0; m < members(); ++m) w_.line(all("l")(m), " = ", b_.identity(m), ";");
    w_.close();
    fold_each_part(column_lanes(), "0", "1", "(line * " + n + " + column)", all("l"));
    for (int half = column_lanes() / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) fold(all(std::to_string(l)), all(std::to_string(l + half)));
    each_output_of("column", all("0"));
    w_.close();
  }
};

}  // namespace

void write_cuda_fold(writer& w, const body& b) { b.v.fold.stream ? write_cuda_stream(w, b) : cuda_fold(w, b).write(); }

}  // namespace sinter::codegen
