// Reductions: an item is one output, a tile of them, or one part of either; then `sinter_finish` folds the parts. The parts'
// bounds depend on shapes alone, so results do not depend on the threads.
#include "codegen/source/cpu_writer.hpp"

namespace sinter::codegen {

namespace {

// Sixteen running values a lane each: gcc may not reorder a floating sum, so the order is spelled out.
constexpr const char* lanes = "16";

class cpu_fold : cpu_writer {
 public:
  cpu_fold(writer& w, const body& b) : cpu_writer(w, b) {}

  void write() {
    argument_struct();
    open("sinter_kernel");
    b_.v.columns ? columns() : rows();
    w_.close();
    if (!b_.v.fold.split) return;
    w_.blank();
    open("sinter_finish");
    finish();
    w_.close();
  }

 private:
  void start_lanes(std::string_view count) {
    for (int m = 0; m < members(); ++m) w_.line(b_.member_type(m), " ", number("acc", m), "[", count, "];");
    w_.open("for (int l = 0; l < ", count, "; ++l)");
    for (int m = 0; m < members(); ++m) w_.line(number("acc", m), "[l] = ", b_.identity(m), ";");
    w_.close();
  }

  void fold_range(std::string_view prefix, const std::string& from, const std::string& to) {
    w_.line("long long i = ", from, ";");
    if (counts()) fold_blocks(std::string(prefix), to);
    w_.open("for (; i + ", lanes, " <= ", to, "; i += ", lanes, ")");
    // Without it gcc unrolls this loop before it looks for vectors, and then finds none in max, min, exp and others.
    w_.raw("#pragma omp simd\n");
    w_.open("for (int l = 0; l < ", lanes, "; ++l)");
    accumulate(read(std::string(prefix), "i + l"), "l");
    w_.close();
    w_.close();
    w_.open("for (; i < ", to, "; ++i)");
    accumulate(read(std::string(prefix), "i"), "0");
    w_.close();
  }

  // The same in fours that share a block of random words.
  void fold_blocks(const std::string& prefix, const std::string& to) {
    w_.open("if (", begins_block(prefix, "i"), ")");
    w_.open("for (; i + ", lanes, " <= ", to, "; i += ", lanes, ")");
    w_.raw("#pragma omp simd\n");
    w_.open("for (int g = 0; g < ", lanes, "; g += 4)");
    each_of_four(prefix, "i + g", [&](const spelled& input) { accumulate(input, "g + l"); });
    w_.close();
    w_.close();
    w_.close();
  }

  // Positions [low, high) of several axes, each in the lane that it would have if the axes were one: how axes merge is a
  // matter of layouts. Within a row whole sixteens are folded side by side.
  void fold_positions() {
    const int last = b_.v.rank - 1;
    const std::string sixteen = lanes, length = number("n", last);
    const auto one_by_one = [&](std::string_view condition) {
      w_.open("for (; ", condition, "; ++i, lane = (lane + 1) % ", sixteen, ")");
      accumulate(read("q", "i"), "lane");
      w_.close();
    };
    if (b_.v.fold.split) w_.line("long long row = low / ", length, ", i = low % ", length, ";");
    else w_.line("long long row = 0, i = 0;");  // also where an axis has no elements
    w_.line("long long left = high - low;");
    w_.line("const long long odd = left % ", sixteen, ";");
    w_.line("unsigned lane = 0;");
    w_.open("for (; left > 0; ++row, i = 0)");
    b_.unravel(w_, b_.kept(), last, "row");
    place("q", "p", b_.kept(), last, when::points, false);
    w_.line("const long long stop = i + left < ", length, " ? i + left : ", length, ";");
    w_.line("const long long full = i + left - odd < stop ? i + left - odd : stop;");
    w_.line("left -= stop - i;");
    one_by_one("i < full && lane != 0");
    w_.open("for (; i + ", sixteen, " <= full; i += ", sixteen, ")");
    w_.open("for (int l = 0; l < ", sixteen, "; ++l)");
    accumulate(read("q", "i + l"), "l");
    w_.close();
    w_.close();
    one_by_one("i < full");
    w_.open("for (; i < stop; ++i)");  // what does not fill the lanes
    accumulate(read("q", "i"), "0");
    w_.close();
    w_.close();
  }

  // This item's part of `length` positions. It begins where the lanes do.
  void part_bounds(const std::string& length) {
    if (!b_.v.fold.split) return w_.line("const long long low = 0, high = ", length, ";");
    w_.line("const long long length = ", length, ", chunk = (length / splits + ", lanes, ") / ", lanes, " * ", lanes,
            ";");
    w_.line("const long long low = part * chunk < length ? part * chunk : length;");
    w_.line("const long long high = low + chunk < length ? low + chunk : length;");
  }

  std::string partial(int m) const {
    return "((" + b_.member_type(m) + "*)(partials + " + std::to_string(8 * m) + " * splits * (" +
           b_.extent(0, b_.kept()) + ")))";
  }

  // Results of one output, whose accumulators are spelled by `value`, go to memory or to their part.
  void deliver(const spelled& value, const std::string& kept, const std::string& i) {
    if (b_.v.fold.split) {
      for (int m = 0; m < members(); ++m) w_.line(partial(m), "[(", kept, ") * splits + part] = ", value(m), ";");
    } else {
      w_.line(b_.result.call(read("q", i), value, outputs(when::row, "q", i)));
    }
  }

  void fold_lanes() {
    w_.open("for (int half = ", lanes, " / 2; half > 0; half /= 2)");
    w_.open("for (int l = 0; l < half; ++l)");
    fold([](int m) { return number("acc", m) + "[l]"; }, [](int m) { return number("acc", m) + "[l + half]"; });
    w_.close();
    w_.close();
  }

  void rows() {
    load_fixed(when::points);
    if (!b_.v.fold.split) load_fixed(when::row);
    const int kept = b_.kept(), last = b_.v.rank - 1;
    w_.open("for (long long item = begin; item < end; ++item)");
    w_.line("const long long kept = item", b_.v.fold.split ? " / splits, part = item % splits;" : ";");
    b_.unravel(w_, 0, kept, "kept");
    place("p", "", 0, kept, when::points, false);
    start_lanes(lanes);
    if (b_.v.reduced == 1) {
      part_bounds(number("n", last));
      fold_range("p", "low", "high");
    } else {
      part_bounds(b_.extent(kept, b_.v.rank));
      fold_positions();
    }
    fold_lanes();
    if (!b_.v.fold.split) place("q", "", 0, kept, when::row, true);
    deliver([](int m) { return number("acc", m) + "[0]"; }, "kept", "0");
    w_.close();
  }

  void columns() {
    load_fixed(when::points);
    if (!b_.v.fold.split) load_fixed(when::row);
    const int f = b_.fastest();
    const std::string nf = number("n", f), tile = std::to_string(column_tile);
    w_.line("const long long tiles = (", nf, " + ", tile, " - 1) / ", tile, ";");
    w_.open("for (long long item = begin; item < end; ++item)");
    w_.line("const long long part = item % ", b_.v.fold.split ? "splits" : "1", ", group = item / ",
            b_.v.fold.split ? "splits" : "1", ";");
    w_.line("const long long line = group / tiles, first = group % tiles * ", tile, ";");
    w_.line("const long long width = ", nf, " - first < ", tile, " ? ", nf, " - first : ", tile, ";");
    b_.unravel(w_, 0, f, "line");
    place("p", "", 0, f, when::points, false);
    start_lanes(tile);
    part_bounds(b_.extent(b_.kept(), b_.v.rank));
    w_.open("for (long long position = low; position < high; ++position)");
    b_.unravel(w_, b_.kept(), b_.v.rank, "position");
    place("q", "p", b_.kept(), b_.v.rank, when::points, false);
    w_.raw("#pragma GCC ivdep\n");
    w_.open("for (long long l = 0; l < width; ++l)");
    accumulate(read("q", "first + l"), "l");
    w_.close();
    w_.close();
    if (!b_.v.fold.split) place("q", "", 0, f, when::row, true);
    w_.open("for (long long l = 0; l < width; ++l)");
    deliver([](int m) { return number("acc", m) + "[l]"; }, "line * " + nf + " + first + l", "first + l");
    w_.close();
    w_.close();
  }

  // Folds the parts of each output in a tree whose form depends on their number alone.
  void finish() {
    load_fixed(when::row);
    const int kept = b_.kept();
    w_.open("for (long long kept = begin; kept < end; ++kept)");
    for (int m = 0; m < members(); ++m)
      w_.line(b_.member_type(m), "* const ", number("part", m), " = ", partial(m), " + kept * splits;");
    w_.open("for (long long step = 1; step < splits; step *= 2)");
    w_.open("for (long long i = 0; i + step < splits; i += 2 * step)");
    fold([](int m) { return number("part", m) + "[i]"; }, [](int m) { return number("part", m) + "[i + step]"; });
    w_.close();
    w_.close();
    b_.unravel(w_, 0, kept, "kept");
    place("q", "", 0, kept, when::row, true);
    const std::string i = b_.v.columns ? number("i", b_.fastest()) : "0";
    w_.line(b_.result.call(
        read("q", i), [](int m) { return number("part", m) + "[0]"; }, outputs(when::row, "q", i)));
    w_.close();
  }
};

}  // namespace

void write_cpu_fold(writer& w, const body& b) { cpu_fold(w, b).write(); }

}  // namespace sinter::codegen
