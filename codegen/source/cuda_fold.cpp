// Reductions give each output a line of threads of a block (rows) or each thread an output (columns), and where that leaves
// the device idle several blocks share an output: the block that finishes last folds the parts in their order, so that the
// result does not depend on which one that is.
#include "codegen/source/cuda_writer.hpp"

namespace sinter::codegen {

namespace {

class cuda_fold : cuda_writer {
 public:
  cuda_fold(writer& w, const body& b) : cuda_writer(w, b) {}

  void write() {
    pack_types();
    open(block_threads);
    b_.v.fold.stream ? reduce_stream() : reduce();
    w_.close();
  }

 private:
  // This block's part [low, high) of `length` positions. Of rows and of a stream it is whole packs; those of a tile of columns
  // lie across, and say nothing about the order in which a column is folded.
  void part_bounds(const std::string& length) {
    const std::string& t = b_.index;
    if (!b_.v.fold.split) return w_.line("const ", t, " low = 0, high = ", length, ";");
    const std::string width = std::to_string(width_);
    const std::string chunk = b_.v.columns && !b_.v.fold.stream
                                  ? "(length + splits - 1) / splits"
                                  : "(length / splits + " + width + ") / " + width + " * " + width;
    w_.line("const ", t, " length = ", length, ", chunk = ", chunk, ";");
    w_.line("const ", t, " low = min((long long)blockIdx.y * chunk, (long long)length);");
    w_.line("const ", t, " high = min((long long)low + chunk, (long long)length);");
  }

  // Columns of whole packs give a thread `width_` outputs side by side; otherwise it has one.
  bool side_by_side() const { return b_.v.columns && width_ > 1; }
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
    for (int m = 0; m < members(); ++m) {
      w_.line("const ", b_.member_type(m), " ", number("e", m), " = __shfl_down_sync(0xffffffff, ", acc(m), ", half);");
    }
    fold_elements();
    w_.close();
    w_.open("if (blockDim.x > 32)");
    w_.line("__syncthreads();");
    w_.open("if (lane % 32 == 0)");
    for (int m = 0; m < members(); ++m) w_.line(number("fold", m), "[lane / 32] = ", acc(m), ";");
    w_.close();
    w_.line("__syncthreads();");
    w_.open("if (threadIdx.x == 0)");
    w_.open("for (int warp = 1; warp < blockDim.x / 32; ++warp)");
    fold([this](int m) { return acc(m); }, [](int m) { return number("fold", m) + "[lane / 32 + warp]"; });
    w_.close();
    w_.close();
    w_.close();
  }

  void fold_block_columns() {
    const std::string at = side_by_side() ? "[lane * " + std::to_string(width_) + " + l]" : "[lane]";
    const std::string other = side_by_side() ? "[(lane + half * blockDim.x) * " + std::to_string(width_) + " + l]"
                                             : "[lane + half * blockDim.x]";
    w_.open("for (unsigned half = blockDim.y / 2; half > 0; half /= 2)");
    w_.line("__syncthreads();");
    each_output();
    for (int m = 0; m < members(); ++m) w_.line(number("fold", m), at, " = ", acc(m), ";");
    end_each_output();
    w_.line("__syncthreads();");
    w_.open("if (threadIdx.y < half)");
    each_output();
    fold([this](int m) { return acc(m); }, [&](int m) { return number("fold", m) + other; });
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
              side_by_side() ? " * " + std::to_string(width_) : "", ", line = blockIdx.x / tiles;");
      w_.line("const ", t, " kept = line * ", number("n", f), " + i;");
      w_.line("const bool live = i < ", number("n", f), ";");
    } else {
      w_.line("const ", t, " kept = (", t, ")blockIdx.x * blockDim.y + threadIdx.y;");
      w_.line("const bool live = kept < ", b_.extent(0, kept), ";");
    }
    declare_states();
    start();
    w_.open("if (live)");
    load_fixed(when::points);
    b_.v.columns ? b_.unravel(w_, 0, f, "line") : b_.unravel(w_, 0, kept, "kept");
    place("p", "", 0, b_.v.columns ? f : kept, when::points, false);
    part_bounds(b_.extent(kept, b_.v.rank));
    b_.v.columns ? fold_columns() : fold_rows();
    w_.close();
    fold_block();
    if (b_.v.fold.split) fold_parts();
    w_.open("if (threadIdx.", b_.v.columns ? "y" : "x", " == 0 && live)");
    load_fixed(when::row);
    b_.v.columns ? b_.unravel(w_, 0, f, "line") : b_.unravel(w_, 0, kept, "kept");
    place("q", "", 0, b_.v.columns ? f : kept, when::row, true);
    const std::string i = side_by_side() ? "i + l" : b_.v.columns ? "i" : "0";
    each_output();
    w_.line(b_.result.call(
        read("q", i), [this](int m) { return acc(m); }, outputs(when::row, "q", i)));
    end_each_output();
    w_.close();
  }

  void declare_states() {
    const std::string size = side_by_side() ? "[" + std::to_string(width_) + "]" : "";
    for (int m = 0; m < members(); ++m) w_.line(b_.member_type(m), " ", number("acc", m), size, ";");
  }

  void fold_rows() {
    const std::string& t = b_.index;
    const std::string width = std::to_string(width_);
    if (width_ > 1 && b_.v.reduced > 1 && !b_.v.fold.packed) return fold_packs_of_rows();
    if (width_ == 1) {
      w_.raw("#pragma unroll 4\n");
      w_.open("for (", t, " position = low + threadIdx.x; position < high; position += blockDim.x)");
      fold_position();
      return w_.close();
    }
    fold_in_turns({.from = "low + threadIdx.x * " + width,
                   .step = "blockDim.x * " + width,
                   .at = "i",
                   .inside = "i + " + width + " <= high",
                   .index = b_.v.reduced == 1 ? "i" : number("i", b_.fastest())});
    // What is no whole pack is one thread's.
    w_.line("const ", t, " odd = (high - low) % ", width, ";");
    w_.open("if (odd != 0 && (high - low) / ", width, " % blockDim.x == threadIdx.x)");
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
    w_.open("for (", b_.index, " i = low + threadIdx.x * ", width, "; i < high; i += blockDim.x * ", width, ")");
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
    fold_in_turns({.from = "low + threadIdx.y",
                   .step = "blockDim.y",
                   .at = "position",
                   .inside = "position < high",
                   .index = "i"});
  }

  // ---- turns: a thread asks for all of them before it folds the first

  // A loop over the packs of a thread.
  struct loop {
    std::string from, step;  // its first position, and how far apart its positions are
    std::string at;          // the name of a position
    std::string inside;      // is it one?
    std::string index;       // of the pack's first element along the fastest axis
  };

  bool moves(int o) const { return b_.is_element(o) && b_.v.operands[o] != access::fixed && b_.is_read_at_points(o); }
  bool is_still(int o) const { return b_.v.operands[o] == access::still; }
  std::string turns() const { return std::to_string(b_.v.fold.turns); }

  void fold_in_turns(const loop& of) {
    w_.open("for (", b_.index, " first = ", of.from, "; first < high; first += ", turns(), " * ", of.step, ")");
    for (int o = 0; o < b_.inputs(); ++o) {
      if (!moves(o)) continue;
      const int elements = b_.v.fold.turns * (packed(o) || is_still(o) ? 1 : width_);
      w_.line(packed(o) ? pack(o) : b_.type(o), " ", number("v", o), "[", std::to_string(elements), "];");
    }
    each_turn(of);
    load_turn(locate(of), of.index);
    end_each_turn();
    each_turn(of);
    const bool has_positions = has_others();
    const std::string prefix = has_positions ? locate(of) : "";
    fold_turn(prefix, of.index);
    end_each_turn();
    w_.close();
  }

  void each_turn(const loop& of) {
    w_.raw("#pragma unroll\n");
    w_.open("for (int turn = 0; turn < ", turns(), "; ++turn)");
    w_.line("const ", b_.index, " ", of.at, " = first + turn * ", of.step, ";");
    w_.open("if (", of.inside, ")");
  }
  void end_each_turn() {
    w_.close();
    w_.close();
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
  std::string of_lane(const std::string& index) const { return width_ > 1 ? index + " + l" : index; }
  std::string slot(int o) const {
    const bool one = packed(o) || is_still(o) || width_ == 1;
    return one ? "[turn]" : "[turn * " + std::to_string(width_) + " + l]";
  }

  void load_turn(const std::string& prefix, const std::string& index) {
    bool elements = false;
    for (int o = 0; o < b_.inputs(); ++o) {
      if (!moves(o)) continue;
      if (packed(o))
        w_.line(number("v", o), "[turn] = *reinterpret_cast<const ", pack(o), "*>(", base(o, prefix), " + ", index,
                ");");
      else if (is_still(o)) w_.line(number("v", o), "[turn] = ", read(prefix, index)(o), ";");
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
    each_lane();
    take(input);
    for (std::size_t a = 0; a < b_.k.accumulators.size(); ++a) {
      const int m = b_.first_member(static_cast<int>(a));
      if (b_.is_short_sum(m)) w_.line(number("pack", m), " += ", number("e", m), ";");
      else
        w_.line(b_.fold(
            static_cast<int>(a), [this](int i) { return acc(i); }, [](int i) { return number("e", i); }));
    }
    end_each_lane();
    for (int m = 0; m < members(); ++m) {
      if (!b_.is_short_sum(m)) continue;
      // The compiler sees that no pack overflows, and would add 64 bits after all.
      w_.line("asm(\"\" : \"+r\"(", number("pack", m), "));");
      w_.line(number("acc", m), " += ", number("pack", m), ";");
    }
  }

  std::string partial(int m, std::string_view qualifier) const {
    return "((" + std::string(qualifier) + b_.member_type(m) + "*)(partials + " + std::to_string(8 * m) +
           "ll * splits * (" + b_.extent(0, b_.kept()) + ")))";
  }

  // Goes on only in the block that finds all others of its results done.
  void leave_to_last() {
    w_.line("__shared__ bool last;");
    w_.line("__syncthreads();");
    w_.line("if (lane == 0) last = atomicAdd(&tickets[blockIdx.x], 1u) == gridDim.y - 1;");
    w_.line("__syncthreads();");
    w_.line("if (!last) return;");
    w_.line("if (lane == 0) tickets[blockIdx.x] = 0;  // for the next launch");
    w_.line("__threadfence();");
  }

  // Every block leaves its part in memory; the last one folds them, in their order.
  void fold_parts() {
    const std::string along = b_.v.columns ? "y" : "x", output = side_by_side() ? "(kept + l)" : "kept";
    w_.open("if (threadIdx.", along, " == 0 && live)");
    each_output();
    for (int m = 0; m < members(); ++m)
      w_.line(partial(m, ""), "[(long long)", output, " * splits + blockIdx.y] = ", acc(m), ";");
    end_each_output();
    w_.line("__threadfence();");
    w_.close();
    leave_to_last();
    start();
    w_.open("if (live)");
    w_.open("for (", b_.index, " part = threadIdx.", along, "; part < splits; part += blockDim.", along, ")");
    each_output();
    for (int m = 0; m < members(); ++m) {
      w_.line("const ", b_.member_type(m), " ", number("e", m), " = ", partial(m, "const volatile "), "[(long long)",
              output, " * splits + part];");
    }
    fold_elements();
    end_each_output();
    w_.close();
    w_.close();
    fold_block();
  }

  // ---- few columns: the threads of a block go through the elements of all of them, as they follow each other where rows are
  // whole. Each of a thread's packs begins as many elements after the one before as make whole rows, so that a lane stays in
  // its column; what the lanes have then is folded column by column in shared memory.

  std::string width() const { return std::to_string(width_); }

  void reduce_stream() {
    const std::string& t = b_.index;
    for (int m = 0; m < members(); ++m)
      w_.line("__shared__ ", b_.member_type(m), " ", number("fold", m), "[", std::to_string(block_threads * width_),
              "];");
    w_.line("const unsigned lane = threadIdx.x;");
    w_.line("const ", t, " columns = ", b_.extent(0, b_.kept()), ", period = columns / min(columns & -columns, (", t,
            ")", width(), ");");
    w_.line("const ", t, " across = blockDim.x / period * period;  // threads that have a part of the stream");
    for (int m = 0; m < members(); ++m) w_.line(b_.member_type(m), " ", number("acc", m), "[", width(), "];");
    start_lanes();
    w_.open("if (lane < across)");
    load_fixed(when::points);
    part_bounds(b_.extent(b_.kept(), b_.v.rank));
    w_.line("const ", t, " end = high * columns, step = across * ", width(), ";");
    stream_packs();
    stream_rest();
    w_.raw("#pragma unroll\n");
    w_.open("for (int l = 0; l < ", width(), "; ++l)");
    for (int m = 0; m < members(); ++m)
      w_.line(number("fold", m), "[lane * ", width(), " + l] = ", number("acc", m), "[l];");
    w_.close();
    w_.close();
    fold_slots("across * " + width() + " / columns");
    if (b_.v.fold.split) fold_stream_parts();
    w_.open("if (lane < columns)");
    load_fixed(when::row);
    w_.line("const ", t, " kept = lane;");
    b_.unravel(w_, 0, b_.kept(), "kept");
    place("q", "", 0, b_.kept(), when::row, true);
    const std::string i = number("i", b_.fastest());
    w_.line(b_.result.call(
        read("q", i), [](int m) { return number("fold", m) + "[lane]"; }, outputs(when::row, "q", i)));
    w_.close();
  }

  void start_lanes() {
    w_.raw("#pragma unroll\n");
    w_.open("for (int l = 0; l < ", width(), "; ++l)");
    for (int m = 0; m < members(); ++m) w_.line(number("acc", m), "[l] = ", b_.identity(m), ";");
    w_.close();
  }

  bool all_packed() const {
    for (int o = 0; o < b_.inputs(); ++o)
      if (b_.is_read_at_points(o) && b_.v.operands[o] != access::fixed && !packed(o)) return false;
    return true;
  }

  void stream_packs() {
    const std::string& t = b_.index;
    if (!all_packed()) {
      w_.line(t, " row[", width(), "], column[", width(), "];");
      w_.raw("#pragma unroll\n");
      w_.open("for (int l = 0; l < ", width(), "; ++l)");
      w_.line("row[l] = low + (lane * ", width(), " + l) / columns, column[l] = (lane * ", width(), " + l) % columns;");
      w_.close();
    }
    w_.open("for (", t, " first = low * columns + lane * ", width(), "; first < end; first += ", turns(), " * step)");
    for (int o = 0; o < b_.inputs(); ++o)
      if (packed(o) && b_.is_read_at_points(o)) w_.line(pack(o), " ", number("v", o), "[", turns(), "];");
    const loop of{.from = "", .step = "step", .at = "i", .inside = "i + " + width() + " <= end", .index = "i"};
    each_turn(of);
    for (int o = 0; o < b_.inputs(); ++o)
      if (packed(o) && b_.is_read_at_points(o))
        w_.line(number("v", o), "[turn] = *reinterpret_cast<const ", pack(o), "*>(", b_.name(o), " + i);");
    end_each_turn();
    each_turn(of);
    w_.raw("#pragma unroll\n");
    w_.open("for (int l = 0; l < ", width(), "; ++l)");
    if (!all_packed()) locate_in_stream("column[l]", "row[l] + turn * (step / columns)");
    accumulate(
        [this](int o) { return packed(o) ? number("v", o) + "[turn].at[l]" : read("q", number("i", b_.fastest()))(o); },
        "l");
    w_.close();
    end_each_turn();
    if (!all_packed()) {
      w_.raw("#pragma unroll\n");
      w_.line("for (int l = 0; l < ", width(), "; ++l) row[l] += ", turns(), " * (step / columns);");
    }
    w_.close();
  }

  // Where operands are at a row and a column.
  void locate_in_stream(const std::string& column, const std::string& row) {
    w_.line("const ", b_.index, " kept = ", column, ", position = ", row, ";");
    b_.unravel(w_, 0, b_.kept(), "kept");
    place("p", "", 0, b_.kept(), when::points, false);
    b_.unravel(w_, b_.kept(), b_.v.rank, "position", "below");
    place("q", "p", b_.kept(), b_.v.rank, when::points, false);
  }

  // What is no whole pack at the end is one thread's.
  void stream_rest() {
    if (width_ == 1) return;
    w_.line("const ", b_.index, " left = end % ", width(), ";");
    w_.open("if (left != 0 && (end - low * columns) / ", width(), " % across == lane)");
    w_.raw("#pragma unroll\n");
    w_.open("for (int l = 0; l < ", width(), "; ++l)");
    w_.open("if (l < left)");
    locate_in_stream("(end - left + l) % columns", "(end - left + l) / columns");
    accumulate(read("q", number("i", b_.fastest())), "l");
    w_.close();
    w_.close();
    w_.close();
  }

  // Shared memory has `count` states of each column, the columns side by side: they become one.
  void fold_slots(const std::string& count) {
    const std::string& t = b_.index;
    w_.open("for (", t, " count = ", count, "; count > 1;)");
    w_.line("const ", t, " half = (count + 1) / 2;");
    w_.line("__syncthreads();");
    w_.open("for (", t, " at = lane; at < (count - half) * columns; at += blockDim.x)");
    fold([](int m) { return number("fold", m) + "[at]"; },
         [](int m) { return number("fold", m) + "[at + half * columns]"; });
    w_.close();
    w_.line("count = half;");
    w_.close();
    w_.line("__syncthreads();");
  }

  void fold_stream_parts() {
    const std::string& t = b_.index;
    w_.open("if (lane < columns)");
    for (int m = 0; m < members(); ++m)
      w_.line(partial(m, ""), "[(long long)blockIdx.y * columns + lane] = ", number("fold", m), "[lane];");
    w_.line("__threadfence();");
    w_.close();
    leave_to_last();
    w_.line("const ", t, " lines = blockDim.x / columns;");
    w_.open("if (lane < lines * columns)");
    for (int m = 0; m < members(); ++m) w_.line(b_.member_type(m), " ", number("sum", m), " = ", b_.identity(m), ";");
    w_.open("for (", t, " part = lane / columns; part < splits; part += lines)");
    for (int m = 0; m < members(); ++m)
      w_.line("const ", b_.member_type(m), " ", number("e", m), " = ", partial(m, "const volatile "),
              "[(long long)part * columns + lane % columns];");
    fold([](int m) { return number("sum", m); }, [](int m) { return number("e", m); });
    w_.close();
    for (int m = 0; m < members(); ++m) w_.line(number("fold", m), "[lane] = ", number("sum", m), ";");
    w_.close();
    fold_slots("lines");
  }
};

}  // namespace

void write_cuda_fold(writer& w, const body& b) { cuda_fold(w, b).write(); }

}  // namespace sinter::codegen
