// Maps. An item is an element, a row of several axes, a piece of a long row, or a tile where operands lie along different axes.
#include "codegen/source/cpu_writer.hpp"

namespace sinter::codegen {

namespace {

class cpu_map : cpu_writer {
 public:
  cpu_map(writer& w, const body& b) : cpu_writer(w, b), m_(b.v.map), last_(b.v.rank - 1), length_(number("n", last_)) {}

  void write() {
    argument_struct();
    open("sinter_kernel");
    load_fixed(when::points);
    if (last_ == 0) along("", "begin", "end");
    else if (m_.tile) tiles();
    else if (m_.pieces) pieces();
    else rows();
    w_.close();
  }

 private:
  void along(const std::string& prefix, std::string_view from, std::string_view to) {
    if (!counts()) w_.raw("#pragma GCC ivdep\n");
    w_.open("for (long long i = ", from, "; i < ", to, "; ++i)");
    if (counts()) blocks(prefix, to);
    w_.line(b_.points[0].call(read(prefix, "i"), {}, outputs(when::points, prefix, "i")));
    w_.close();
  }

  // As many whole fours as there are from where a block of words begins.
  void blocks(const std::string& prefix, std::string_view to) {
    w_.open("if (", begins_block(prefix, "i"), ")");
    w_.raw("#pragma GCC ivdep\n");
    w_.open("for (; i + 4 <= ", to, "; i += 4)");
    each_of_four(prefix, "i", [&](const spelled& input) {
      w_.line(b_.points[0].call(input, {}, outputs(when::points, prefix, "i + l")));
    });
    w_.close();
    w_.line("if (i == ", to, ") break;");
    w_.close();
  }

  // The rows of the axes before the last two are found once, not each.
  void rows() {
    const std::string next = number("n", last_ - 1), i = number("i", last_ - 1);
    if (last_ > 1) {
      w_.open("for (long long row = begin, stop; row < end; row = stop)");
      w_.line("const long long plane = row / ", next, ", first = plane * ", next, ";");
      w_.line("stop = first + ", next, " < end ? first + ", next, " : end;");
      b_.unravel(w_, 0, last_ - 1, "plane");
      place("p", "", 0, last_ - 1, when::points, true);
    }
    const std::string prefix = last_ > 1 ? "p" : "", from = last_ > 1 ? "row - first" : "begin",
                      to = last_ > 1 ? "stop - first" : "end";
    if (m_.short_row) w_.raw("#pragma GCC ivdep\n");
    w_.open("for (long long ", i, " = ", from, "; ", i, " < ", to, "; ++", i, ")");
    if (m_.short_row) {
      for (int at = 0; at < m_.short_row; ++at) short_row(prefix, std::to_string(at));
    } else {
      place("q", prefix, last_ - 1, last_, when::points, true);
      along("q", "0", length_);
    }
    w_.close();
    if (last_ > 1) w_.close();
  }

  // Element `at` of a row whose length is known: no loop, so gcc makes vectors of elements of different rows.
  void short_row(const std::string& prefix, const std::string& at) {
    std::vector<std::string> into;
    for (int o = b_.inputs(); o < operands(); ++o) into.push_back(in_row(o, prefix, at));
    w_.line(b_.points[0].call(
        [&](int o) { return b_.v.operands[o] == access::fixed ? number("x", o) : in_row(o, prefix, at); }, {}, into));
  }

  std::string in_row(int o, const std::string& prefix, const std::string& at) const {
    const std::string row = number("i", last_ - 1), step = " * " + b_.name(o) + "_step";
    std::string where =
        m_.of(o) == way::dense ? row + " * " + std::to_string(m_.short_row) : row + step + std::to_string(last_ - 1);
    if (b_.v.operands[o] == access::unit) where += " + " + at;
    if (b_.v.operands[o] == access::strided) where += " + " + at + step + std::to_string(last_);
    return !b_.is_element(o) ? base(o, prefix) + " + " + where : base(o, prefix) + "[" + where + "]";
  }

  void pieces() {
    const std::string piece = std::to_string(row_piece);
    w_.line("const long long pieces = (", length_, " + ", piece, " - 1) / ", piece, ";");
    w_.open("for (long long item = begin; item < end; ++item)");
    w_.line("const long long row = item / pieces, from = item % pieces * ", piece, ";");
    w_.line("const long long to = from + ", piece, " < ", length_, " ? from + ", piece, " : ", length_, ";");
    b_.unravel(w_, 0, last_, "row");
    place("p", "", 0, last_, when::points, true);
    along("p", "from", "to");
    w_.close();
  }

  // The lines that a tile touches stay in the cache, along whichever axis they lie.
  void tiles() {
    const std::string side = std::to_string(m_.tile), down = number("n", last_ - 1), i = number("i", last_ - 1);
    const auto end_of = [&](const std::string& from, const std::string& n) {
      return from + " + " + side + " < " + n + " ? " + from + " + " + side + " : " + n;
    };
    w_.line("const long long across = (", length_, " + ", side, " - 1) / ", side, ";");
    w_.line("const long long tiles = (", down, " + ", side, " - 1) / ", side, " * across;");
    w_.open("for (long long item = begin; item < end; ++item)");
    w_.line("const long long top = item % tiles / across * ", side, ", left = item % across * ", side, ";");
    w_.line("const long long bottom = ", end_of("top", down), ", right = ", end_of("left", length_), ";");
    if (last_ > 1) {
      b_.unravel(w_, 0, last_ - 1, "item / tiles");
      place("p", "", 0, last_ - 1, when::points, true);
    }
    w_.open("for (long long ", i, " = top; ", i, " < bottom; ++", i, ")");
    place("q", last_ > 1 ? "p" : "", last_ - 1, last_, when::points, true);
    along("q", "left", "right");
    w_.close();
    w_.close();
  }

  const map_schedule& m_;
  const int last_;
  const std::string length_;
};

}  // namespace

void write_cpu_map(writer& w, const body& b) { cpu_map(w, b).write(); }

}  // namespace sinter::codegen
