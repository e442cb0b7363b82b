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
    reduce();
    w_.close();
  }

 private:
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
    for (int m = 0; m < members(); ++m)
      w_.line(b_.member_type(m), " ", number("acc", m), side_by_side() ? "[" + std::to_string(width_) + "]" : "", ";");
    start();
    w_.open("if (live)");
    load_fixed(when::points);
    b_.v.columns ? b_.unravel(w_, 0, f, "line") : b_.unravel(w_, 0, kept, "kept");
    place("p", "", 0, b_.v.columns ? f : kept, when::points, false);
    part_bounds(b_.extent(kept, b_.v.rank));
    b_.v.columns ? fold_columns() : fold_rows();
    w_.close();
    fold_block();
    if (b_.v.split) fold_parts();
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
    place("q", "p", b_.kept(), b_.v.rank, when::points, false);
    accumulate(read("q", number("i", b_.fastest())));
  }

  // Several axes are folded in the packs in which they would be as one.
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
    w_.raw("#pragma unroll 4\n");
    w_.open("for (", b_.index, " position = low + threadIdx.y; position < high; position += blockDim.y)");
    b_.unravel(w_, b_.kept(), b_.v.rank, "position");
    place("q", "p", b_.kept(), b_.v.rank, when::points, false);
    if (side_by_side()) load_packs("q");
    each_output();
    accumulate(side_by_side() ? read_pack("q") : read("q", "i"), side_by_side() ? "l" : "");
    end_each_output();
    w_.close();
  }

  std::string partial(int m, std::string_view qualifier) const {
    return "((" + std::string(qualifier) + b_.member_type(m) + "*)(partials + " + std::to_string(8 * m) +
           "ll * splits * (" + b_.extent(0, b_.kept()) + ")))";
  }

  // Every block leaves its part in memory; the one that finds all others done folds them, in their order.
  void fold_parts() {
    const std::string along = b_.v.columns ? "y" : "x", output = side_by_side() ? "(kept + l)" : "kept";
    w_.open("if (threadIdx.", along, " == 0 && live)");
    each_output();
    for (int m = 0; m < members(); ++m)
      w_.line(partial(m, ""), "[(long long)", output, " * splits + blockIdx.y] = ", acc(m), ";");
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
};

}  // namespace

void write_cuda_fold(writer& w, const body& b) { cuda_fold(w, b).write(); }

}  // namespace sinter::codegen
