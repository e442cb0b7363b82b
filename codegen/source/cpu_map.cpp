// Maps: an item is an element, or a row of several axes.
#include "codegen/source/cpu_writer.hpp"

namespace sinter::codegen {

namespace {

class cpu_map : cpu_writer {
 public:
  cpu_map(writer& w, const body& b) : cpu_writer(w, b) {}

  void write() {
    argument_struct();
    open("sinter_kernel");
    b_.v.rank == 1 ? map_elements() : map_rows();
    w_.close();
  }

 private:
  void each_point(std::string_view prefix, std::string_view from, std::string_view to) {
    w_.raw("#pragma GCC ivdep\n");
    w_.open("for (long long i = ", from, "; i < ", to, "; ++i)");
    w_.line(b_.points[0].call(read(std::string(prefix), "i"), {}, outputs(when::points, std::string(prefix), "i")));
    w_.close();
  }

  void map_elements() {
    load_fixed(when::points);
    each_point("", "begin", "end");
  }

  void map_rows() {
    load_fixed(when::points);
    const int last = b_.v.rank - 1;
    w_.open("for (long long row = begin; row < end; ++row)");
    b_.unravel(w_, 0, last, "row");
    place("p", "", 0, last, when::points, true);
    each_point("p", "0", number("n", last));
    w_.close();
  }
};

}  // namespace

void write_cpu_map(writer& w, const body& b) { cpu_map(w, b).write(); }

}  // namespace sinter::codegen
