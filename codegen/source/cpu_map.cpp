// Maps. An item is an element, a row of several axes, a piece of a long row, or a tile where operands lie along different axes.
#include <algorithm>
#include <numeric>

#include "codegen/source/cpu_stretches.hpp"
#include "codegen/source/helpers.hpp"
#include "codegen/source/loads.hpp"
#include "codegen/source/turning.hpp"

namespace sinter::codegen {

namespace {

class cpu_map : cpu_stretches {
 public:
  cpu_map(writer& w, const body& b) : cpu_stretches(w, b) {}

  void write() {
    argument_struct();
    if (m_.tile) turning_functions();
    open("sinter_kernel");
    load_fixed(when::points);
    if (m_.stretches)
      for (const function& b : b_.borders) w_.line("long long found_", b.name, " = -1;");
    if (last_ == 0) along("", "begin", "end");
    else if (m_.tile) tiles();
    else if (m_.pieces) pieces();
    else if (m_.stream) stream();
    else if (m_.once) after_one_row();
    else rows();
    w_.close();
  }

 private:
  void along(const std::string& prefix, std::string_view from, std::string_view to) {
    read_still(prefix);
    if (m_.staged || m_.gathered) return in_stages(prefix, from, to);
    if (m_.stretches) return in_stretches(prefix, from, to);
    if (goes_back()) w_.raw("#pragma GCC unroll 2\n");  // one vector turned round waits for the one before it
    if (!counts()) w_.raw("#pragma GCC ivdep\n");
    w_.open("for (long long i = ", from, "; i < ", to, "; ++i)");
    if (counts()) blocks(prefix, to);
    w_.line(b_.points[0].call(read_here(prefix, "i"), {}, outputs(when::points, prefix, "i")));
    w_.close();
  }

  bool goes_back() const { return std::find(m_.ways.begin(), m_.ways.end(), way::back) != m_.ways.end() && !counts(); }

  // A loop over one function is bound by what the core can start; elements that go through several, by how long each takes.
  void in_stages(const std::string& prefix, std::string_view from, std::string_view to) {
    const std::string block = std::to_string(staged_block);
    w_.open("for (long long at = ", from, "; at < ", to, "; at += ", block, ")");
    w_.line("const long long count = ", to, " - at < ", block, " ? ", to, " - at : ", block, ";");
    if (m_.gathered)
      gather(
          block, "count", [&](int o) { return m_.of(o) == way::back; }, read(prefix, "(at + l)"));
    for (std::size_t s = 0; s < b_.stages.size(); ++s) {
      std::vector<std::string> into;
      if (!b_.stages[s].outputs.empty()) into = outputs(when::points, prefix, "at + l");
      for (std::uint16_t v : b_.stages[s].keeps) {
        w_.line(spelling(b_.k.values[v].type), " ", number("k", v), "[", block, "];");
        into.push_back(number("k", v) + "[l]");
      }
      w_.raw("#pragma GCC ivdep\n");
      w_.open("for (long long l = 0; l < count; ++l)");
      w_.line(b_.points[s].call(read_gathered(prefix), {}, into, computed));
      w_.close();
    }
    w_.close();
  }

  // Copies of operands, of which a block's elements then are vectors.
  void gather(const std::string& room, const std::string& count, const std::function<bool(int)>& is_meant,
              const spelled& from) {
    for (int o = 0; o < b_.inputs(); ++o) {
      if (!is_meant(o)) continue;
      w_.line(b_.type(o), " ", gathered(o), "[", room, "];");
      w_.line("for (long long l = 0; l < ", count, "; ++l) ", gathered(o), "[l] = ", from(o), ";");
    }
  }
  static std::string gathered(int o) { return number("b", o); }
  spelled read_gathered(const std::string& prefix) const {
    return [this, prefix](int o) {
      if (m_.gathered && m_.of(o) == way::back) return gathered(o) + "[l]";
      return read_here(prefix, "at + l")(o);
    };
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
    const std::string next = number("n", last_ - 1);
    if (last_ > 1) {
      w_.open("for (long long row = begin, behind; row < end; row = behind)");
      w_.line("const long long plane = row / ", next, ", first = plane * ", next, ";");
      w_.line("behind = first + ", next, " < end ? first + ", next, " : end;");
      b_.unravel(w_, 0, last_ - 1, "plane");
      place("p", "", 0, last_ - 1, when::points, true);
    }
    const std::string prefix = last_ > 1 ? "p" : "", from = last_ > 1 ? "row - first" : "begin",
                      to = last_ > 1 ? "behind - first" : "end";
    if (m_.together) rows_in_stretches(prefix, from, to);
    else if (m_.gathered && m_.short_row) rows_in_blocks(prefix, from, to);
    else rows_one_by_one(prefix, from, to);
    if (last_ > 1) w_.close();
  }

  void rows_one_by_one(const std::string& prefix, const std::string& from, const std::string& to) {
    const std::string i = number("i", last_ - 1);
    if (m_.short_row) w_.raw("#pragma GCC ivdep\n");
    w_.open("for (long long ", i, " = ", from, "; ", i, " < ", to, "; ++", i, ")");
    if (m_.short_row) {
      for (int at = 0; at < m_.short_row; ++at) short_row(prefix, std::to_string(at));
    } else {
      place("q", prefix, last_ - 1, last_, when::points, true);
      along("q", "0", length_);
    }
    w_.close();
  }

  // Short rows that do not follow each other: as many as a block holds are brought together, and functions go over all of them.
  void rows_in_blocks(const std::string& prefix, const std::string& from, const std::string& to) {
    const std::string n = std::to_string(m_.short_row), room = std::to_string(staged_block);
    const auto moves = [&](int o) { return b_.v.operands[o] != access::fixed; };
    w_.open("for (long long top = ", from, "; top < ", to, "; top += ", room, " / ", n, ")");
    w_.line("const long long rows = ", to, " - top < ", room, " / ", n, " ? ", to, " - top : ", room, " / ", n, ";");
    for (int o = 0; o < operands(); ++o)
      if (moves(o) && m_.of(o) != way::dense) w_.line(b_.type(o), " ", gathered(o), "[", room, "];");
    copy_rows(n, prefix, [&](int o) { return o < b_.inputs(); });
    w_.raw("#pragma GCC ivdep\n");
    w_.open("for (long long l = 0; l < rows * ", n, "; ++l)");
    const auto at = [&](int o) {
      if (!moves(o)) return number("x", o);
      return m_.of(o) == way::dense ? base(o, prefix) + "[top * " + n + " + l]" : gathered(o) + "[l]";
    };
    std::vector<std::string> into;
    for (int o = b_.inputs(); o < operands(); ++o) into.push_back(at(o));
    w_.line(b_.points[0].call(at, {}, into));
    w_.close();
    copy_rows(n, prefix, [&](int o) { return o >= b_.inputs(); });
    w_.close();
  }

  // Elements of a block's rows from where they lie, or to there.
  void copy_rows(const std::string& n, const std::string& prefix, const std::function<bool(int)>& is_meant) {
    std::vector<std::string> lines;
    for (int at = 0; at < m_.short_row; ++at)
      for (int o = 0; o < operands(); ++o) {
        if (!is_meant(o) || b_.v.operands[o] == access::fixed || m_.of(o) == way::dense) continue;
        const std::string there = in_row(o, prefix, std::to_string(at)),
                          here = gathered(o) + "[r * " + n + " + " + std::to_string(at) + "]";
        lines.push_back(o < b_.inputs() ? here + " = " + there + ";" : there + " = " + here + ";");
      }
    if (lines.empty()) return;
    w_.open("for (long long r = 0; r < rows; ++r)");
    w_.line("const long long ", number("i", last_ - 1), " = top + r;");
    for (const std::string& l : lines) w_.line(l);
    w_.close();
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

  // Rows that follow each other are one stream of elements, and a row that all of them read is written out so many times that
  // whole vectors of it repeat.
  void stream() {
    const std::string item = std::to_string(codegen::stream_item), across = stream_period();
    w_.line("const long long n = ", m_.short_row ? std::to_string(m_.short_row) : length_, ";");
    w_.line("const long long stop = (end * ", item, " < n0 ? end * ", item, " : n0) * n;");
    for (int o = 0; o < b_.inputs(); ++o) {
      if (!is_same_row(o)) continue;
      const std::string step = b_.v.operands[o] == access::unit ? "" : " * " + b_.name(o) + "_step1";
      w_.line(b_.type(o), " ", number("r", o), "[", across, "];");
      w_.line("for (long long l = 0; l < ", across, "; l += n)");
      w_.line("  for (long long i = 0; i < n; ++i) ", number("r", o), "[l + i] = ", b_.name(o), "[i", step, "];");
    }
    if (m_.once) {
      compute_once("n", across, of_stream("l"));
      for (std::uint16_t v : b_.stages[0].keeps)
        w_.line("for (long long l = n; l < ", across, "; ++l) ", computed(v), " = ", number("k", v), "[l - n];");
    }
    w_.line("long long i = begin * ", item, " * n;");
    w_.open("for (; i + ", across, " <= stop; i += ", across, ")");
    in_stream(across);
    w_.close();
    in_stream("stop - i");
  }

  void in_stream(const std::string& count) {
    w_.raw("#pragma GCC ivdep\n");
    w_.open("for (long long l = 0; l < ", count, "; ++l)");
    w_.line(b_.points.back().call(of_stream("i + l"), {}, outputs(when::points, "", "i + l"), computed));
    w_.close();
  }

  // What a stream reads: of a row for all rows the copy of it, else what is at the place, or the one element there is.
  spelled of_stream(const std::string& place) {
    return [this, place](int o) { return is_same_row(o) ? number("r", o) + "[l]" : read("", place)(o); };
  }
  bool is_same_row(int o) const { return m_.of(o) == way::again; }

  // What all rows share of elements [0, count), which `input` spells at `l`, into arrays k<value>.
  void compute_once(const std::string& count, const std::string& room, const spelled& input) {
    std::vector<std::string> into;
    for (std::uint16_t v : b_.stages[0].keeps) {
      w_.line(spelling(b_.k.values[v].type), " ", number("k", v), "[", room, "];");
      into.push_back(computed(v));
    }
    w_.raw("#pragma GCC ivdep\n");
    w_.open("for (long long l = 0; l < ", count, "; ++l)");
    w_.line(b_.points[0].call(input, {}, into));
    w_.close();
  }
  static std::string computed(int v) { return number("k", v) + "[l]"; }

  // Of two axes: a piece of all rows, before which what they share of it is computed.
  void after_one_row() {
    const std::string piece = std::to_string(once_piece);
    w_.open("for (long long left = 0; left < n1; left += ", piece, ")");
    w_.line("const long long count = n1 - left < ", piece, " ? n1 - left : ", piece, ";");
    compute_once("count", piece, read("", "(left + l)"));
    w_.open("for (long long i0 = begin; i0 < end; ++i0)");
    place("q", "", 0, 1, when::points, true);
    w_.raw("#pragma GCC ivdep\n");
    w_.open("for (long long l = 0; l < count; ++l)");
    w_.line(b_.points[1].call(read("q", "(left + l)"), {}, outputs(when::points, "q", "(left + l)"), computed));
    w_.close();
    w_.close();
    w_.close();
  }

  // Elements after which the rows, and the vectors, begin anew.
  std::string stream_period() const {
    int least = 8;
    for (int o = 0; o < operands(); ++o) least = std::min(least, itemsize(operand_type(b_.k, o)));
    const int lanes = 64 / least;
    return m_.short_row ? std::to_string(std::lcm(int{m_.short_row}, lanes)) : "n * " + std::to_string(lanes);
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

  void turning_functions() {
    for (const int bytes : {4, 8}) {
      bool used = false;
      for (int o = 0; o < b_.inputs(); ++o) used = used || (is_turned(o) && itemsize(b_.k.inputs[o].type) == bytes);
      if (used) turning_function(w_, bytes, m_.tile);
    }
  }

  // Fills the tiles of the operands that lie along the second fastest axis.
  void turn(const std::string& prefix) {
    const std::string side = std::to_string(m_.tile);
    for (int o = 0; o < b_.inputs(); ++o) {
      if (!is_turned(o)) continue;
      const std::string step = b_.name(o) + "_step" + std::to_string(last_);
      w_.line(b_.type(o), " ", number("t", o), "[", side, " * ", side, "];");
      w_.line("turn", std::to_string(itemsize(b_.k.inputs[o].type)), "(", base(o, prefix), " + top + left * ", step,
              ", ", step, ", bottom - top, right - left, ", number("t", o), ");");
    }
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
    const std::string prefix = last_ > 1 ? "p" : "";
    turn(prefix);
    w_.open("for (long long ", i, " = top; ", i, " < bottom; ++", i, ")");
    place("q", prefix, last_ - 1, last_, when::points, true);
    along("q", "left", "right");
    w_.close();
    w_.close();
  }
};

}  // namespace

void write_cpu_map(writer& w, const body& b) { cpu_map(w, b).write(); }

}  // namespace sinter::codegen
