// Row kernels: an item is a row, or a tile of columns, which goes through all stages while it is near. What a stage keeps of a
// row lies in an array of the core's.
#include <algorithm>

#include "codegen/source/cpu_writer.hpp"

namespace sinter::codegen {

namespace {

class cpu_rows : cpu_writer {
 public:
  cpu_rows(writer& w, const body& b) : cpu_writer(w, b) {}

  void write() {
    argument_struct();
    each_item([this] {
      if (b_.v.rows.short_row) short_rows();
      else b_.v.columns ? columns() : row();
    });
  }

 private:
  // What a stage's function gives, at index `i` of the fastest axis and place `at` of a row that is kept.
  std::vector<std::string> given(const stage& s, const std::string& prefix, const std::string& i,
                                 const std::string& at) const {
    std::vector<std::string> into;
    for (int m : members_of(s)) into.push_back(number("e", m));
    for (int o : s.outputs) into.push_back(b_.element(b_.inputs() + o, base(b_.inputs() + o, prefix), i));
    for (std::uint16_t k : s.keeps) into.push_back(number("k", k) + "[" + at + "]");
    return into;
  }

  // One point: computes what the stage gives there, where `guard` allows it, and folds it into `acc<a>[lane]`.
  void point(std::size_t number_of, const std::string& prefix, const std::string& i, const std::string& at,
             const std::string& lane, const spelled& reduced, const std::string& of_line = "",
             const std::string& guard = "") {
    const stage& s = b_.stages[number_of];
    const bool asks = !guard.empty() && spare_lanes() == spare::ask;
    for (int m : members_of(s))
      w_.line(b_.member_type(m), " ", number("e", m), asks ? " = " + b_.identity(m) : "", ";");
    const std::string call = b_.points[number_of].call(
        read_where(guard, prefix, i), reduced, given(s, prefix, i, at),
        [&](int v) { return is_once(v) ? number("w", v) + of_line : number("k", v) + "[" + at + "]"; });
    w_.line(asks ? "if (" + guard + ") " : "", call);
    if (!guard.empty() && !asks)
      return fold_where(guard, lane, members_of(s), [&](const spelled& x, const spelled& y) { fold(s, x, y); });
    fold(
        s, [&](int m) { return number("acc", m) + "[" + lane + "]"; }, [](int m) { return number("e", m); });
  }

  // What is the same all along a row, or, of `count` columns, along each.
  void compute_once(std::size_t s, const std::string& count, const spelled& reduced) {
    std::vector<std::string> into;
    for (std::uint16_t v : b_.stages[s].once) {
      w_.line(spelling(b_.k.values[v].type), " ", number("w", v), count.empty() ? "" : "[" + count + "]", ";");
      into.push_back(number("w", v) + (count.empty() ? "" : "[l]"));
    }
    if (into.empty()) return;
    if (!count.empty()) w_.open("for (long long l = 0; l < width; ++l)");
    w_.line(b_.once[s].call({}, reduced, into));
    if (!count.empty()) w_.close();
  }

  void declare_kept(int across) {
    for (const stage& s : b_.stages)
      for (std::uint16_t k : s.keeps)
        w_.line(spelling(b_.k.values[k].type), " ", number("k", k), "[", std::to_string(b_.v.rows.held * across), "];");
  }

  void row() {
    const int kept = b_.kept(), rank = b_.v.rank;
    b_.unravel(w_, 0, kept, "item");
    place("p", "", 0, kept, when::points, true);
    w_.line("const long long length = ", b_.extent(kept, rank), ";");
    declare_kept(1);
    for (std::size_t s = 0; s < b_.stages.size(); ++s) {
      compute_once(s, "", of_row);
      start_lanes(members_of(b_.stages[s]), lanes(), lanes());
      w_.open("");
      b_.v.reduced == 1 ? along_row(s) : over_axes(s);
      w_.close();
      if (b_.stages[s].accumulators.empty()) continue;
      end_lanes([&](const spelled& x, const spelled& y) { fold(b_.stages[s], x, y); });
    }
    if (b_.row_outputs().empty()) return;
    place("q", "", 0, kept, when::row, true);
    w_.line(b_.result.call(read("q", "0"), of_row, outputs(when::row, "q", "0")));
  }

  static std::string of_row(int m) { return number("acc", m) + "[0]"; }

  void along_row(std::size_t s) {
    if (b_.stages[s].accumulators.empty()) {
      w_.raw("#pragma GCC ivdep\n");
      w_.open("for (long long i = 0; i < length; ++i)");
      point(s, "p", "i", "i", "", of_row);
      w_.close();
      return;
    }
    spread_results(s);
    w_.line("long long i = 0;");
    fold_range("length", [&](const std::string& i, const std::string& lane, const std::string& guard) {
      point(s, "p", i, "i + " + lane, lane, reduced_name, "", guard);
    });
  }

  // Several axes are folded in the lanes in which they would be as one.
  void over_axes(std::size_t s) {
    const int last = b_.v.rank - 1;
    const bool folds = !b_.stages[s].accumulators.empty();
    spread_results(s);
    if (folds) begin_onward("length");
    w_.open("for (long long line = 0, start = 0; start < length; ++line, start += ", number("n", last), ")");
    b_.unravel(w_, b_.kept(), last, "line");
    place("q", "p", b_.kept(), last, when::points, true);
    if (folds) {
      w_.line("long long i = 0;");
      fold_onward(number("n", last), [&](const std::string& i, const std::string& lane, const std::string&) {
        point(s, "q", i, "start + " + i, lane, reduced_name);
      });
    } else {
      w_.raw("#pragma GCC ivdep\n");
      w_.open("for (long long i = 0; i < ", number("n", last), "; ++i)");
      point(s, "q", "i", "start + i", "", reduced_name);
      w_.close();
    }
    w_.close();
  }

  // Results of earlier stages as values of their own: the lanes they were folded in are not read at every point.
  static std::string reduced_name(int m) { return number("r", m); }
  void spread_results(std::size_t s) {
    for (int m : b_.points[s].reduced)
      w_.line("const ", b_.member_type(m), " ", reduced_name(m), " = ", of_row(m), ";");
  }

  // A long column is folded in runs: one sum of all of it would lose what is small beside it.
  static constexpr const char* run = "128";
  static std::string total(int m) { return number("total", m) + "[l]"; }
  void start_totals(const stage& s) {
    if (s.accumulators.empty()) return;
    for (int m : members_of(s))
      w_.line(b_.member_type(m), " ", number("total", m), "[", std::to_string(b_.v.rows.across), "];");
    w_.open("for (int l = 0; length >= ", run, " && l < width; ++l)");
    for (int m : members_of(s)) w_.line(total(m), " = ", b_.identity(m), ";");
    w_.close();
  }
  void add_to_totals(const stage& s, const std::string& next) {
    if (s.accumulators.empty()) return;
    w_.open("for (int l = 0; (", next, ") % ", run, " == 0 && l < width; ++l)");
    fold(s, total, [](int m) { return number("acc", m) + "[l]"; });
    for (int m : members_of(s)) w_.line(number("acc", m), "[l] = ", b_.identity(m), ";");
    w_.close();
  }
  void end_totals(const stage& s) {
    if (s.accumulators.empty()) return;
    w_.open("for (int l = 0; length >= ", run, " && l < width; ++l)");
    fold(
        s, [](int m) { return number("acc", m) + "[l]"; }, total);
    w_.close();
  }

  // Columns of so few elements that the text names them go through all stages in registers, and vectors are of neighbours.
  void short_rows() {
    find_tile("item", b_.v.rows.across, true);
    if (!b_.row_outputs().empty()) place("q", "", 0, b_.fastest(), when::row, true);
    const spelled of_column = [](int m) { return number("acc", m); };
    w_.raw("#pragma GCC ivdep\n");
    w_.open("for (long long l = 0; l < width; ++l)");
    for (const stage& s : b_.stages)
      for (std::uint16_t k : s.keeps)
        w_.line(spelling(b_.k.values[k].type), " ", number("k", k), "[", std::to_string(b_.v.rows.short_row), "];");
    for (std::size_t s = 0; s < b_.stages.size(); ++s) {
      compute_once(s, "", of_column);
      for (int m : members_of(b_.stages[s]))
        w_.line(b_.member_type(m), " ", number("acc", m), " = ", b_.identity(m), ";");
      for (int at = 0; at < b_.v.rows.short_row; ++at) short_point(s, at, of_column);
    }
    if (!b_.row_outputs().empty())
      w_.line(b_.result.call(read("q", "first + l"), of_column, outputs(when::row, "q", "first + l")));
    w_.close();
  }

  void short_point(std::size_t number_of, int at, const spelled& of_column) {
    const stage& s = b_.stages[number_of];
    const auto element = [&](int o) { return in_short_row(o, at, b_.v.rows.short_row, true); };
    const auto kept = [&](int v) { return number("k", v) + "[" + std::to_string(at) + "]"; };
    std::vector<std::string> into;
    w_.open("");
    for (int m : members_of(s)) {
      w_.line(b_.member_type(m), " ", number("e", m), ";");
      into.push_back(number("e", m));
    }
    for (int o : s.outputs) into.push_back(element(b_.inputs() + o));
    for (std::uint16_t k : s.keeps) into.push_back(kept(k));
    w_.line(b_.points[number_of].call(element, of_column, into,
                                      [&](int v) { return is_once(v) ? number("w", v) : kept(v); }));
    fold(s, of_column, [](int m) { return number("e", m); });
    w_.close();
  }

  // Of states with positions gcc makes no vectors in several rows at once.
  bool only_folds(std::size_t s) const {
    const stage& of = b_.stages[s];
    return !of.accumulators.empty() && of.outputs.empty() && of.keeps.empty() && b_.v.reduced == 1 &&
           !has_choice(b_.k) && std::ranges::all_of(b_.points[s].given, [&](int v) { return is_once(v); });
  }

  void columns() {
    const int f = b_.fastest(), kept = b_.kept(), rank = b_.v.rank;
    const std::string tile = std::to_string(b_.v.rows.across);
    find_tile("item", b_.v.rows.across, true);
    w_.line("const long long length = ", b_.extent(kept, rank), ";");
    declare_kept(b_.v.rows.across);
    const spelled of_column = [](int m) { return number("acc", m) + "[l]"; };
    for (std::size_t s = 0; s < b_.stages.size(); ++s) {
      compute_once(s, tile, of_column);
      start_lanes(members_of(b_.stages[s]), tile, "width");
      start_totals(b_.stages[s]);
      w_.open("");
      w_.line("long long position = 0;");
      if (only_folds(s))
        rows_at_once(
            {"q", "u", "v", "z"}, "length",
            [&](const std::string& r) { point(s, r, "first + l", "", "l", of_column, "[l]"); },
            [&] { add_to_totals(b_.stages[s], "position + 4"); });
      w_.open("for (; position < length; ++position)");
      b_.unravel(w_, kept, rank, "position");
      place("q", "p", kept, rank, when::points, true);
      w_.raw("#pragma GCC ivdep\n");
      w_.open("for (long long l = 0; l < width; ++l)");
      point(s, "q", "first + l", "position * " + tile + " + l", "l", of_column, "[l]");
      w_.close();
      add_to_totals(b_.stages[s], "position + 1");
      w_.close();
      end_totals(b_.stages[s]);
      w_.close();
    }
    if (b_.row_outputs().empty()) return;
    place("q", "", 0, f, when::row, true);
    w_.open("for (long long l = 0; l < width; ++l)");
    w_.line(b_.result.call(read("q", "first + l"), of_column, outputs(when::row, "q", "first + l")));
    w_.close();
  }
};

}  // namespace

void write_cpu_rows(writer& w, const body& b) { cpu_rows(w, b).write(); }

}  // namespace sinter::codegen
