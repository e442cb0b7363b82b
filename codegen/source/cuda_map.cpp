// Maps: each thread takes a pack of neighbouring elements.
#include "codegen/source/cuda_writer.hpp"

namespace sinter::codegen {

namespace {

class cuda_map : cuda_writer {
 public:
  cuda_map(writer& w, const body& b) : cuda_writer(w, b) {}

  void write() {
    pack_types();
    open(block_threads);
    map();
    w_.close();
  }

 private:
  // Positions i .. i + width of one row of a map.
  void map_pack(const std::string& prefix) {
    load_packs(prefix);
    std::vector<std::string> into;
    for (int o = b_.inputs(); o < operands(); ++o) {
      if (packed(o)) w_.line(pack(o), " ", number("v", o), ";");
      into.push_back(packed(o) ? number("v", o) + ".at[l]" : b_.element(o, base(o, prefix), "i + l"));
    }
    w_.raw("#pragma unroll\n");
    w_.open("for (int l = 0; l < ", std::to_string(width_), "; ++l)");
    w_.line(b_.points[0].call(read_pack(prefix), {}, into));
    w_.close();
    for (int o = b_.inputs(); o < operands(); ++o)
      if (packed(o)) w_.line(packed_element(o, prefix), " = ", number("v", o), ";");
  }

  void map() {
    const int last = b_.v.rank - 1;
    const std::string length = number("n", last), width = std::to_string(width_);
    load_fixed(when::points);
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
      place(prefix, "", 0, last, when::points, true);
    }
    if (width_ > 1) {
      w_.open("if (i + ", width, " <= ", length, ")");
      map_pack(prefix);
      if (last == 0) {  // rows are whole packs, or their variant would not be this one
        w_.otherwise();
        w_.open("for (", b_.index, " j = i; j < ", length, "; ++j)");
        w_.line(b_.points[0].call(read(prefix, "j"), {}, outputs(when::points, prefix, "j")));
        w_.close();
      }
      w_.close();
    } else {
      if (last == 0) w_.line("if (i >= ", length, ") return;");
      w_.line(b_.points[0].call(read(prefix, "i"), {}, outputs(when::points, prefix, "i")));
    }
    if (last > 0) w_.close();
  }
};

}  // namespace

void write_cuda_map(writer& w, const body& b) { cuda_map(w, b).write(); }

}  // namespace sinter::codegen
