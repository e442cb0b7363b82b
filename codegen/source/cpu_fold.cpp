// Reductions: an item is one output, a tile of them, or one part of either; then `sinter_finish` folds the parts. The parts'
// bounds depend on shapes alone, so results do not depend on the threads.
#include <algorithm>

#include "codegen/ir/values.hpp"
#include "codegen/source/cpu_writer.hpp"

namespace sinter::codegen {

namespace {

class cpu_fold : cpu_writer {
 public:
  cpu_fold(writer& w, const body& b) : cpu_writer(w, b), s_(b.v.fold), all_(b.extent(0, b.kept())) {
    for (int m = 0; m < members(); ++m) every_.push_back(m);
  }

  void write() {
    argument_struct();
    open("sinter_kernel");
    load_fixed(when::points);
    if (!s_.split) load_fixed(when::row);
    if (skips()) w_.line("long long ended = -1;");
    w_.open("for (long long item = begin; item < end; ++item)");
    if (s_.short_row) short_rows();
    else if (s_.stream) stream();
    else if (b_.v.columns) columns();
    else row();
    w_.close();
    w_.close();
    if (!s_.split) return;
    w_.blank();
    open("sinter_finish");
    load_fixed(when::row);
    b_.v.columns ? finish_columns() : finish_rows();
    w_.close();
  }

 private:
  static spelled running(const std::string& lane) {
    return [lane](int m) { return number("acc", m) + "[" + lane + "]"; };
  }

  // ---- a row: its lanes

  void row() {
    const int kept = b_.kept(), last = b_.v.rank - 1;
    w_.line("const long long kept = item", s_.split ? " / splits, part = item % splits;" : ";");
    if (skips()) skip_ended();
    b_.unravel(w_, 0, kept, "kept");
    place("p", "", 0, kept, when::points, false);
    if (!chooses()) start_lanes(every_, lanes(), lanes());
    part_bounds(b_.extent(kept, b_.v.rank), lanes());
    if (chooses()) {
      choose_in_blocks();
    } else if (b_.v.reduced == 1 && ends()) {
      fold_until_end();
    } else if (b_.v.reduced == 1) {
      fold_between("low", "high");
    } else {
      over_axes(number("n", last));
    }
    if (!chooses()) end_lanes([&](const spelled& x, const spelled& y) { fold(x, y); });
    const spelled state = chooses() ? spelled(best) : running("0");
    if (skips()) w_.line("if (", state(0), " != ", b_.identity(0), ") ended = kept;");
    if (s_.split) return leave(state, "kept * splits + part");
    place("q", "", 0, kept, when::row, true);
    w_.line(b_.result.call(read("q", "0"), state, outputs(when::row, "q", "0")));
  }

  void fold_between(const std::string& from, const std::string& to) {
    w_.line("long long i = ", from, ";");
    if (counts()) fold_blocks("p", to);
    fold_range(to, fold_element_of("p"));
  }

  // ---- a state that no element changes any more: a truth that is another one than all begin with

  // Elements behind it are not looked at, unless their indices are to be.
  bool ends() const {
    const accumulator& a = b_.k.accumulators[0];
    return b_.k.accumulators.size() == 1 && a.type == dtype::bool_ && !a.called && a.what != reduction::sum &&
           std::ranges::none_of(b_.k.values, [](const value& v) { return v.kind == value_kind::check; });
  }
  bool skips() const { return s_.split && !s_.stream && !b_.v.columns && ends(); }

  void fold_until_end() {
    const std::string most = std::to_string(64 * lane_count());
    w_.open("for (long long block = low; block < high; block += ", most, ")");
    w_.line("const long long stop = high - block < ", most, " ? high : block + ", most, ";");
    fold_between("block", "stop");
    w_.line("int changed = 0;");
    w_.open("for (int l = 0; l < ", lanes(), "; ++l)");
    w_.line("changed |= acc0[l] != ", b_.identity(0), ";");
    w_.close();
    w_.line("if (changed) break;");
    w_.close();
  }

  // Nor are the parts of a row behind the one that found it.
  void skip_ended() {
    w_.open("if (ended == kept)");
    leave([this](int m) { return b_.identity(m); }, "kept * splits + part");
    w_.line("continue;");
    w_.close();
  }

  // ---- the place of an extreme

  static std::string best(int m) { return number("best", m); }
  bool chooses() const {
    const accumulator& a = b_.k.accumulators[0];
    return b_.v.reduced == 1 && b_.k.accumulators.size() == 1 && detail::facts(a.what).choice &&
           !detail::is_complex(a.type);
  }

  // Elements of a block are folded without their positions. Where in it the extreme is needs to be known only if it goes beyond all
  // before it, which few blocks do. What is computed is kept for that: computed again, in another loop, it may have another last bit.
  void choose_in_blocks() {
    const int turns = ends() ? 4 : 16;
    for (int m = 0; m < members(); ++m) w_.line(b_.member_type(m), " ", best(m), " = ", b_.identity(m), ";");
    const std::string most = std::to_string(turns * lane_count());
    w_.open("for (long long i = low; i < high; i += ", most, ")");
    w_.line("const int count = high - i < ", most, " ? high - i : ", most, ";");
    start_lanes({0}, lanes(), lanes());
    if (computes()) w_.line(b_.member_type(0), " elements[", most, "];");
    w_.line("int turn = 0;");
    const auto fold_turn = [&](const std::string& width, const std::string& at) {
      w_.raw("#pragma omp simd\n");
      w_.open("for (int l = 0; l < ", width, "; ++l)");
      take(read("p", "i + turn + " + at));
      if (computes()) w_.line("elements[turn + l] = e0;");
      w_.line("acc0[l] = ", b_.folded(0, "e0", "acc0[l]"), ";");
      w_.close();
    };
    w_.open("for (; turn + ", lanes(), " <= count; turn += ", lanes(), ")");
    fold_turn(lanes(), "l");
    w_.close();
    w_.line("const int left = count - turn;");
    // A whole block's extreme is no other for an element that is looked at twice.
    if (const spare how = spare_lanes(); how == spare::zeros || how == spare::back) {
      w_.open("if (left > 0)");
      fold_turn(lanes(), "(l < left ? l : 0)");
      w_.close();
    } else {
      fold_turn("left", "l");
    }
    end_lanes([&](const spelled& x, const spelled& y) { w_.line(x(0), " = ", b_.folded(0, x(0), y(0)), ";"); });
    // An equal one comes too late, unless there is none yet.
    w_.open("if (", b_.stands_in(0, best, state_at("acc0[0]", "9223372036854775806LL")), ")");
    find_in_block();
    w_.close();
    w_.close();
  }

  void find_in_block() {
    w_.line("int at = count;");
    w_.raw("#pragma omp simd reduction(min : at)\n");
    w_.open("for (int l = 0; l < count; ++l)");
    if (!computes()) take(read("p", "i + l"));
    const std::string element = computes() ? "elements[l]" : "e0";
    w_.line("const int here = ", b_.stands_in(0, state_at("acc0[0]", "1"), state_at(element, "0")), " ? l : count;");
    w_.line("at = here < at ? here : at;");
    w_.close();
    take(read("p", "i + at"));
    w_.line("best0 = acc0[0];");
    w_.line("best1 = e1;");
    if (ends()) w_.line("if (best0 != ", b_.identity(0), ") break;");
  }

  bool computes() const { return b_.k.values[b_.folded_value(0)].kind != value_kind::input; }

  static spelled state_at(const std::string& element, const std::string& position) {
    return [=](int m) { return m == 0 ? element : position; };
  }

  fold_element fold_element_of(const std::string& prefix) {
    return [this, prefix](const std::string& i, const std::string& lane, const std::string& guard) {
      accumulate(read_where(guard, prefix, i), lane, guard);
    };
  }

  // Elements that share blocks of random words, in fours.
  void fold_blocks(const std::string& prefix, const std::string& to) {
    w_.open("if (", begins_block(prefix, "i"), ")");
    w_.open("for (; i + ", lanes(), " <= ", to, "; i += ", lanes(), ")");
    w_.raw("#pragma omp simd\n");
    w_.open("for (int g = 0; g < ", lanes(), "; g += 4)");
    each_of_four(prefix, "i + g", [&](const spelled& input) { accumulate(input, "g + l"); });
    w_.close();
    w_.close();
    w_.close();
  }

  // Positions [low, high) of several axes, each in the lane that it would have if the axes were one: how axes merge is a
  // matter of layouts.
  void over_axes(const std::string& length) {
    if (s_.split) w_.line("long long row = low / ", length, ", i = low % ", length, ";");
    else w_.line("long long row = 0, i = 0;");  // also where an axis has no elements
    begin_onward("high - low");
    w_.open("for (long long left = high - low; left > 0; ++row, i = 0)");
    b_.unravel(w_, b_.kept(), b_.v.rank - 1, "row");
    place("q", "p", b_.kept(), b_.v.rank - 1, when::points, false);
    w_.line("const long long stop = i + left < ", length, " ? i + left : ", length, ";");
    w_.line("left -= stop - i;");
    fold_onward("stop", fold_element_of("q"));
    w_.close();
  }

  // This item's part of `length` positions, which are parted at multiples of `unit`.
  void part_bounds(const std::string& length, const std::string& unit) {
    if (!s_.split) return w_.line("const long long low = 0, high = ", length, ";");
    w_.line("const long long length = ", length, ", chunk = (length / splits + ", unit, ") / ", unit, " * ", unit, ";");
    w_.line("const long long low = part * chunk < length ? part * chunk : length;");
    w_.line("const long long high = low + chunk < length ? low + chunk : length;");
  }

  // ---- parts of results: of a row side by side, of columns beside those of the other columns

  std::string partial(int m) const {
    return "((" + b_.member_type(m) + "*)(partials + " + std::to_string(8 * state_words(b_.k) * m) + " * splits * (" +
           all_ + ")))";
  }

  void leave(const spelled& value, const std::string& at) {
    for (int m = 0; m < members(); ++m) w_.line(partial(m), "[", at, "] = ", value(m), ";");
  }

  static spelled part(const std::string& at) {
    return [at](int m) { return number("part", m) + "[" + at + "]"; };
  }

  // Parts are folded in a tree whose form depends on their number alone.
  void each_pair() {
    w_.open("for (long long step = 1; step < splits; step *= 2)");
    w_.open("for (long long i = 0; i + step < splits; i += 2 * step)");
  }

  void finish_rows() {
    w_.open("for (long long kept = begin; kept < end; ++kept)");
    for (int m = 0; m < members(); ++m)
      w_.line(b_.member_type(m), "* const ", number("part", m), " = ", partial(m), " + kept * splits;");
    each_pair();
    fold(part("i"), part("i + step"));
    w_.close();
    w_.close();
    write_result("kept", part("0"));
    w_.close();
  }

  void finish_columns() {
    for (int m = 0; m < members(); ++m)
      w_.line(b_.member_type(m), "* const ", number("part", m), " = ", partial(m), ";");
    w_.line("const long long all = ", all_, ";");
    each_pair();
    w_.raw("#pragma GCC ivdep\n");
    w_.open("for (long long kept = begin; kept < end; ++kept)");
    fold(part("i * all + kept"), part("(i + step) * all + kept"));
    w_.close();
    w_.close();
    w_.close();
    w_.open("for (long long kept = begin; kept < end; ++kept)");
    write_result("kept", part("kept"));
    w_.close();
  }

  // The result of output `kept`, counted over all kept axes.
  void write_result(const std::string& kept, const spelled& value) {
    b_.unravel(w_, 0, b_.kept(), kept);
    place("q", "", 0, b_.kept(), when::row, true);
    const std::string i = b_.v.columns ? number("i", b_.fastest()) : "0";
    w_.line(b_.result.call(read("q", i), value, outputs(when::row, "q", i)));
  }

  // ---- columns

  // A tile of columns, each folded by itself in the order of its elements.
  void columns() {
    const int f = b_.fastest();
    w_.line("const long long part = item % ", s_.split ? "splits" : "1", ", group = item / ", s_.split ? "splits" : "1",
            ";");
    find_tile("group", fold_tile(b_.k), false);
    start_lanes(every_, std::to_string(fold_tile(b_.k)), "width");
    part_bounds(b_.extent(b_.kept(), b_.v.rank), "16");
    w_.line("long long position = low;");
    // Of several rows of states with positions gcc makes no vectors.
    const auto fold_row = [&](const std::string& r) { accumulate(read(r, "first + l"), "l"); };
    if (b_.v.reduced == 1 && !has_choice(b_.k)) rows_at_once({"q", "u", "v", "z"}, "high", fold_row);
    rows_at_once({"q"}, "high", fold_row);
    if (!s_.split) place("q", "", 0, f, when::row, true);
    w_.open("for (long long l = 0; l < width; ++l)");
    if (s_.split) leave(running("l"), "part * (" + all_ + ") + line * " + number("n", f) + " + first + l");
    else w_.line(b_.result.call(read("q", "first + l"), running("l"), outputs(when::row, "q", "first + l")));
    w_.close();
  }

  // Columns of so few elements that the text names them: no running values in memory, and vectors of neighbours. Where columns
  // lie beside each other in memory as rows, gcc is told by how much.
  void short_rows() {
    const int f = b_.fastest();
    find_tile("item", row_piece, false);
    place("q", "", 0, f, when::row, true);
    w_.open("for (long long l = 0; l < width; ++l)");
    for (int m = 0; m < members(); ++m) w_.line(b_.member_type(m), " ", number("acc", m), " = ", b_.identity(m), ";");
    for (int at = 0; at < s_.short_row; ++at) {
      w_.open("");
      accumulate([&](int o) { return in_short_row(o, at, s_.short_row, s_.packed); });
      w_.close();
    }
    w_.line(b_.result.call(
        read("q", "first + l"), [](int m) { return number("acc", m); }, outputs(when::row, "q", "first + l")));
    w_.close();
  }

  // Few columns: all of them as one stream of elements, so many rows at a time as make whole vectors.
  void stream() {
    w_.line("const long long all = ", all_, ", rows = ", stream_rows("all"), ", across = rows * all;");
    if (s_.split) w_.line("const long long part = item;");
    start_lanes(every_, std::to_string(stream_lanes), "across");
    part_bounds(b_.extent(b_.kept(), b_.v.rank), "rows");
    s_.packed ? along_stream() : over_stream();
    w_.line("for (long long row = 1; row < rows; ++row)");
    w_.open("for (long long kept = 0; kept < all; ++kept)");
    fold(running("kept"), running("row * all + kept"));
    w_.close();
    w_.open("for (long long kept = 0; kept < all; ++kept)");
    if (s_.split) leave(running("kept"), "part * all + kept");
    else write_result("kept", running("kept"));
    w_.close();
  }

  void along_stream() {
    w_.line("long long i = low * all;");
    w_.open("for (const long long stop = high * all; i < stop; i += across)");
    w_.line("const long long count = stop - i < across ? stop - i : across;");
    w_.raw("#pragma GCC ivdep\n");
    w_.open("for (long long l = 0; l < count; ++l)");
    accumulate(read("", "i + l"), "l");
    w_.close();
    w_.close();
  }

  void over_stream() {
    const int f = b_.fastest();
    const std::string nf = number("n", f);
    w_.open("for (long long position = low, row = 0; position < high; ++position, row = row + 1 < rows ? row + 1 : 0)");
    b_.unravel(w_, b_.kept(), b_.v.rank, "position");
    place("p", "", b_.kept(), b_.v.rank, when::points, false);
    w_.open("for (long long line = 0; line < ", b_.extent(0, f), "; ++line)");
    b_.unravel(w_, 0, f, "line");
    place("q", "p", 0, f, when::points, false);
    w_.line("const long long at = row * all + line * ", nf, ";");
    w_.raw("#pragma GCC ivdep\n");
    w_.open("for (long long l = 0; l < ", nf, "; ++l)");
    accumulate(read("q", "l"), "at + l");
    w_.close();
    w_.close();
    w_.close();
  }

  const fold_schedule& s_;
  const std::string all_;   // how many outputs there are
  std::vector<int> every_;  // member
};

}  // namespace

void write_cpu_fold(writer& w, const body& b) { cpu_fold(w, b).write(); }

}  // namespace sinter::codegen
