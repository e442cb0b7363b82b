// The CUDA dialect. Maps give each thread a 16-byte pack of neighbouring elements; reductions give each output a line of threads
// of a block (rows) or each thread an output (columns), and where that leaves the device idle several blocks share an output:
// the block that finishes last folds the parts in their order, so that the result does not depend on which one that is.
#include "codegen/source/body.hpp"
#include "codegen/source/geometry.hpp"

namespace sinter::codegen {

namespace {

std::string n(std::string_view prefix, int i) { return std::string(prefix) + std::to_string(i); }

class cuda_kernel : kernel_writer {
 public:
  cuda_kernel(writer& w, const body& b) : kernel_writer(w, b), width_(lane_width(b.k, b.v)) {}

  void write() {
    if (b_.v.vector) pack_types();
    open();
    if (!b_.k.reduces()) map();
    else reduce();
    w_.close();
  }

 private:
  bool packed(int o) const { return b_.v.vector && b_.v.operands[o] == access::unit && !b_.is_iota(o); }
  std::string pack(int o) const {
    const dtype t = o < b_.inputs() ? b_.k.inputs[o].type : b_.k.values[b_.k.outputs[o - b_.inputs()]].type;
    return std::string(detail::facts(t).short_name) + "x" + std::to_string(width_);
  }

  void pack_types() {
    std::vector<std::string> done;
    for (int o = 0; o < operands(); ++o) {
      if (!packed(o)) continue;
      bool seen = false;
      for (const std::string& d : done) seen = seen || d == pack(o);
      if (seen) continue;
      done.push_back(pack(o));
      const dtype t = o < b_.inputs() ? b_.k.inputs[o].type : b_.k.values[b_.k.outputs[o - b_.inputs()]].type;
      w_.line("struct alignas(", std::to_string(width_ * itemsize(t)), ") ", pack(o), " { ", b_.type(o), " at[",
              std::to_string(width_), "]; };");
    }
    w_.blank();
  }

  void open() {
    std::string list;
    std::size_t column = 4;
    for (const parameter& p : b_.arguments) {
      // An output that overlaps an input element for element may not be promised to be the only way to its memory.
      const bool pointer = p.type.back() == '*' && (p.what == parameter::input || p.what == parameter::output);
      const std::string item = (p.type.back() == '*' ? p.type : "const " + p.type) +
                               (pointer && !b_.v.aliased ? " __restrict__ " : " ") + p.name +
                               (&p == &b_.arguments.back() ? "" : ",");
      if (column + item.size() > 116) list += "\n    ", column = 4;
      else if (column > 4) list += " ";
      list += item;
      column += item.size() + 1;
    }
    w_.line("extern \"C\" __global__ void __launch_bounds__(", std::to_string(block_threads), ") sinter_kernel(");
    w_.open("    ", list, ")");
  }

  // The same inside a pack: packed inputs were loaded into v<o>.
  std::function<std::string(int)> read_pack(std::string prefix) const {
    return [this, prefix](int o) { return packed(o) ? n("v", o) + ".at[l]" : read(prefix, "i + l")(o); };
  }

  void load_packs(const std::string& prefix) {
    for (int o = 0; o < b_.inputs(); ++o)
      if (packed(o) && b_.first_reads(o))
        w_.line("const ", pack(o), " ", n("v", o), " = *reinterpret_cast<const ", pack(o), "*>(", base(o, prefix),
                " + i);");
  }

  // Positions i .. i + width of one row of a map.
  void map_pack(const std::string& prefix) {
    load_packs(prefix);
    std::vector<std::string> into;
    for (int o = b_.inputs(); o < operands(); ++o) {
      if (packed(o)) w_.line(pack(o), " ", n("v", o), ";");
      into.push_back(packed(o) ? n("v", o) + ".at[l]" : b_.element(o, base(o, prefix), "i + l"));
    }
    w_.raw("#pragma unroll\n");
    w_.open("for (int l = 0; l < ", std::to_string(width_), "; ++l)");
    w_.line(b_.first.call(read_pack(prefix), {}, into));
    w_.close();
    for (int o = b_.inputs(); o < operands(); ++o)
      if (packed(o)) w_.line("*reinterpret_cast<", pack(o), "*>(", base(o, prefix), " + i) = ", n("v", o), ";");
  }

  void map() {
    const int last = b_.v.rank - 1;
    const std::string length = n("n", last), width = std::to_string(width_);
    load_fixed(true);
    w_.line("const ", b_.index, " i = ((", b_.index, ")blockIdx.x * blockDim.x + threadIdx.x)",
            width_ > 1 ? " * " + width : "", ";");
    std::string prefix;
    if (last > 0) {
      w_.line("if (i >= ", length, ") return;");
      w_.line("const ", b_.index, " rows = ", b_.extent(0, last), ";");
      w_.open("for (", b_.index,
              " row = blockIdx.y * blockDim.y + threadIdx.y; row < rows; row += gridDim.y * blockDim.y)");
      b_.unravel(w_, 0, last, "row");
      prefix = "p";
      place(prefix, "", 0, last, true, true);
    }
    if (width_ > 1) {
      w_.open("if (i + ", width, " <= ", length, ")");
      map_pack(prefix);
      if (last == 0) {  // rows are whole packs, or their variant would not be this one
        w_.otherwise();
        w_.open("for (", b_.index, " j = i; j < ", length, "; ++j)");
        w_.line(b_.first.call(read(prefix, "j"), {}, outputs(prefix, "j")));
        w_.close();
      }
      w_.close();
    } else {
      if (last == 0) w_.line("if (i >= ", length, ") return;");
      w_.line(b_.first.call(read(prefix, "i"), {}, outputs(prefix, "i")));
    }
    if (last > 0) w_.close();
  }

  // This block's part [low, high) of `length` positions. Of rows it is whole packs; those of columns lie across, and say
  // nothing about the order in which a column is folded.
  void part_bounds(const std::string& length) {
    const std::string& t = b_.index;
    if (!b_.v.split) return w_.line("const ", t, " low = 0, high = ", length, ";");
    const std::string width = std::to_string(width_);
    const std::string chunk = b_.v.columns ? "(length + splits - 1) / splits"
                                           : "(length / splits + " + width + ") / " + width + " * " + width;
    w_.line("const ", t, " length = ", length, ", chunk = ", chunk, ";");
    w_.line("const ", t, " low = min((long long)blockIdx.y * chunk, (long long)length);");
    w_.line("const ", t, " high = min((long long)low + chunk, (long long)length);");
  }

  // Columns of whole packs give a thread `width_` outputs side by side; otherwise it has one.
  bool side_by_side() const { return b_.v.columns && width_ > 1; }
  std::string acc(int a) const { return n("acc", a) + (side_by_side() ? "[l]" : ""); }
  void each_output() {
    if (side_by_side()) w_.raw("#pragma unroll\n"), w_.open("for (int l = 0; l < ", std::to_string(width_), "; ++l)");
  }
  void end_each_output() {
    if (side_by_side()) w_.close();
  }

  void start() {
    each_output();
    for (int a = 0; a < accumulators(); ++a) w_.line(acc(a), " = ", b_.identity(a), ";");
    end_each_output();
  }

  // Folds acc over the threads of an output; the first of them ends with the result. Rows: through the registers of a warp,
  // then over its warps. Columns: threads of one output are in different warps, so through shared memory.
  void fold_block() { b_.v.columns ? fold_block_columns() : fold_block_rows(); }

  void fold_block_rows() {
    w_.open("for (int half = min(blockDim.x, 32) / 2; half > 0; half /= 2)");
    for (int a = 0; a < accumulators(); ++a) {
      w_.line("const ", b_.accumulator_type(a), " ", n("e", a), " = __shfl_down_sync(0xffffffff, ", acc(a), ", half);");
      w_.line(acc(a), " = ", b_.fold(a, acc(a), n("e", a)), ";");
    }
    w_.close();
    w_.open("if (blockDim.x > 32)");
    w_.line("__syncthreads();");
    w_.open("if (lane % 32 == 0)");
    for (int a = 0; a < accumulators(); ++a) w_.line(n("fold", a), "[lane / 32] = ", acc(a), ";");
    w_.close();
    w_.line("__syncthreads();");
    w_.open("if (threadIdx.x == 0)");
    w_.open("for (int warp = 1; warp < blockDim.x / 32; ++warp)");
    for (int a = 0; a < accumulators(); ++a)
      w_.line(acc(a), " = ", b_.fold(a, acc(a), n("fold", a) + "[lane / 32 + warp]"), ";");
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
    for (int a = 0; a < accumulators(); ++a) w_.line(n("fold", a), at, " = ", acc(a), ";");
    end_each_output();
    w_.line("__syncthreads();");
    w_.open("if (threadIdx.y < half)");
    each_output();
    for (int a = 0; a < accumulators(); ++a) w_.line(acc(a), " = ", b_.fold(a, acc(a), n("fold", a) + other), ";");
    end_each_output();
    w_.close();
    w_.close();
  }

  void reduce() {
    const int shared = b_.v.columns ? block_threads * width_ : block_threads / 32;
    for (int a = 0; a < accumulators(); ++a)
      w_.line("__shared__ ", b_.accumulator_type(a), " ", n("fold", a), "[", std::to_string(shared), "];");
    w_.line("const unsigned lane = threadIdx.y * blockDim.x + threadIdx.x;");
    const int kept = b_.kept(), f = b_.fastest();
    const std::string& t = b_.index;
    if (b_.v.columns) {
      const std::string across = side_by_side() ? "(blockDim.x * " + std::to_string(width_) + ")" : "blockDim.x";
      w_.line("const ", t, " tiles = (", n("n", f), " + ", across, " - 1) / ", across, ";");
      w_.line("const ", t, " i = blockIdx.x % tiles * ", across, " + threadIdx.x",
              side_by_side() ? " * " + std::to_string(width_) : "", ", line = blockIdx.x / tiles;");
      w_.line("const ", t, " kept = line * ", n("n", f), " + i;");
      w_.line("const bool live = i < ", n("n", f), ";");
    } else {
      w_.line("const ", t, " kept = (", t, ")blockIdx.x * blockDim.y + threadIdx.y;");
      w_.line("const bool live = kept < ", b_.extent(0, kept), ";");
    }
    for (int a = 0; a < accumulators(); ++a)
      w_.line(b_.accumulator_type(a), " ", n("acc", a), side_by_side() ? "[" + std::to_string(width_) + "]" : "", ";");
    start();
    w_.open("if (live)");
    load_fixed(true);
    b_.v.columns ? b_.unravel(w_, 0, f, "line") : b_.unravel(w_, 0, kept, "kept");
    place("p", "", 0, b_.v.columns ? f : kept, true, false);
    part_bounds(b_.extent(kept, b_.v.rank));
    b_.v.columns ? fold_columns() : fold_rows();
    w_.close();
    fold_block();
    if (b_.v.split) fold_parts();
    w_.open("if (threadIdx.", b_.v.columns ? "y" : "x", " == 0 && live)");
    load_fixed(false);
    b_.v.columns ? b_.unravel(w_, 0, f, "line") : b_.unravel(w_, 0, kept, "kept");
    place("q", "", 0, b_.v.columns ? f : kept, false, true);
    const std::string i = side_by_side() ? "i + l" : b_.v.columns ? "i" : "0";
    each_output();
    w_.line(b_.second.call(
        read("q", i), [this](int a) { return acc(a); }, outputs("q", i)));
    end_each_output();
    w_.close();
  }

  void fold_rows() {
    const std::string& t = b_.index;
    const std::string width = std::to_string(width_);
    if (b_.v.reduced == 1 && width_ > 1) {
      w_.line(t, " i = low + threadIdx.x * ", width, ";");
      w_.raw("#pragma unroll 4\n");
      w_.open("for (; i + ", width, " <= high; i += blockDim.x * ", width, ")");
      load_packs("p");
      w_.raw("#pragma unroll\n");
      w_.open("for (int l = 0; l < ", width, "; ++l)");
      accumulate(read_pack("p"));
      w_.close();
      w_.close();
      w_.open("for (; i < high; ++i)");  // one thread at most: starts are whole packs
      accumulate(read("p", "i"));
      w_.close();
      return;
    }
    if (width_ > 1) return fold_packs_of_rows();
    w_.raw("#pragma unroll 4\n");
    w_.open("for (", t, " position = low + threadIdx.x; position < high; position += blockDim.x)");
    fold_position();
    w_.close();
  }

  void fold_position() {
    b_.unravel(w_, b_.kept(), b_.v.rank, "position");
    place("q", "p", b_.kept(), b_.v.rank, true, false);
    accumulate(read("q", n("i", b_.fastest())));
  }

  // Several axes are folded in the packs in which they would be as one.
  void fold_packs_of_rows() {
    const std::string width = std::to_string(width_), along = n("i", b_.fastest());
    w_.open("for (", b_.index, " i = low + threadIdx.x * ", width, "; i < high; i += blockDim.x * ", width, ")");
    b_.unravel(w_, b_.kept(), b_.v.rank, "i");
    w_.open("if (i + ", width, " <= high && ", along, " + ", width, " <= ", n("n", b_.fastest()), ")");
    place("q", "p", b_.kept(), b_.v.rank, true, false);
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
    w_.raw("#pragma unroll 4\n");
    w_.open("for (", b_.index, " position = low + threadIdx.y; position < high; position += blockDim.y)");
    b_.unravel(w_, b_.kept(), b_.v.rank, "position");
    place("q", "p", b_.kept(), b_.v.rank, true, false);
    if (side_by_side()) load_packs("q");
    each_output();
    accumulate(side_by_side() ? read_pack("q") : read("q", "i"), side_by_side() ? "l" : "");
    end_each_output();
    w_.close();
  }

  std::string partial(int a, std::string_view qualifier) const {
    return "((" + std::string(qualifier) + b_.accumulator_type(a) + "*)(partials + " + std::to_string(8 * a) +
           "ll * splits * (" + b_.extent(0, b_.kept()) + ")))";
  }

  // Every block leaves its part in memory; the one that finds all others done folds them, in their order.
  void fold_parts() {
    const std::string along = b_.v.columns ? "y" : "x", output = side_by_side() ? "(kept + l)" : "kept";
    w_.open("if (threadIdx.", along, " == 0 && live)");
    each_output();
    for (int a = 0; a < accumulators(); ++a)
      w_.line(partial(a, ""), "[(long long)", output, " * splits + blockIdx.y] = ", acc(a), ";");
    end_each_output();
    w_.line("__threadfence();");
    w_.close();
    w_.line("__shared__ bool last;");
    w_.line("__syncthreads();");
    w_.line("if (lane == 0) last = atomicAdd(&tickets[blockIdx.x], 1u) == gridDim.y - 1;");
    w_.line("__syncthreads();");
    w_.line("if (!last) return;");
    w_.line("if (lane == 0) tickets[blockIdx.x] = 0;  // for the next launch");
    w_.line("__threadfence();");
    start();
    w_.open("if (live)");
    w_.open("for (", b_.index, " part = threadIdx.", along, "; part < splits; part += blockDim.", along, ")");
    each_output();
    for (int a = 0; a < accumulators(); ++a) {
      w_.line("const ", b_.accumulator_type(a), " ", n("e", a), " = ", partial(a, "const volatile "), "[(long long)",
              output, " * splits + part];");
      w_.line(acc(a), " = ", b_.fold(a, acc(a), n("e", a)), ";");
    }
    end_each_output();
    w_.close();
    w_.close();
    fold_block();
  }

  const int width_;
};

}  // namespace

void write_cuda_kernel(writer& w, const body& b) { cuda_kernel(w, b).write(); }

}  // namespace sinter::codegen
