// Folds of few columns. The threads of a block go through the elements of all of them, as they follow each other where rows are
// whole. Each of a thread's packs begins as many elements after the one before as make whole rows, so that a lane stays in
// its column; what the lanes have then is folded column by column in shared memory.
#include "codegen/source/cuda_fold.hpp"

namespace sinter::codegen {

namespace {

class cuda_stream : cuda_fold_writer {
 public:
  cuda_stream(writer& w, const body& b) : cuda_fold_writer(w, b) {}

  void write() {
    pack_types();
    open(block_threads);
    reduce();
    w_.close();
  }

 private:
  std::string width() const { return std::to_string(width_); }

  void reduce() {
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
    end_each_turn(of);
    each_turn(of);
    w_.raw("#pragma unroll\n");
    w_.open("for (int l = 0; l < ", width(), "; ++l)");
    if (!all_packed()) locate_in_stream("column[l]", "row[l] + turn * (step / columns)");
    accumulate(
        [this](int o) { return packed(o) ? number("v", o) + "[turn].at[l]" : read("q", number("i", b_.fastest()))(o); },
        "l");
    w_.close();
    end_each_turn(of);
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

  // What is no whole pack at the end is one thread's. Parts begin with a whole pack, and the last ones may have nothing.
  void stream_rest() {
    if (width_ == 1) return;
    w_.line("const ", b_.index, " left = (end - low * columns) % ", width(), ";");
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
      w_.line(partial(m, "", "lane", "blockIdx.y"), " = ", number("fold", m), "[lane];");
    w_.line("__threadfence();");
    w_.close();
    leave_to_last();
    w_.line("const ", t, " lines = blockDim.x / columns;");
    w_.open("if (lane < lines * columns)");
    for (int m = 0; m < members(); ++m) w_.line(b_.member_type(m), " ", number("sum", m), " = ", b_.identity(m), ";");
    fold_each_part(8, "lane / columns", "lines", "lane % columns", [](int m) { return number("sum", m); });
    for (int m = 0; m < members(); ++m) w_.line(number("fold", m), "[lane] = ", number("sum", m), ";");
    w_.close();
    fold_slots("lines");
  }
};

}  // namespace

void write_cuda_stream(writer& w, const body& b) { cuda_stream(w, b).write(); }

}  // namespace sinter::codegen
