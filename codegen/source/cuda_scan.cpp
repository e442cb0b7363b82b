// Scans. A block has rows, a tile of a long row, or a tile of columns: its threads keep their elements in registers from what
// comes before the scan to what follows it, so that memory is passed over once. Where a row has several tiles, each leaves what
// it folds for the tiles after it, which wait for it; tiles are numbered as their blocks start, so that none waits for one that
// cannot start. What is folded with what follows from places in the row alone: no result depends on who came when.
// Of a long row blocks run ahead: each folds a tile that is as many tiles on as there are blocks at work, and then scans its own,
// for which everything before it is known by then, and which is still in the cache.
#include <algorithm>

#include "codegen/ir/values.hpp"
#include "codegen/source/scan_elements.hpp"

namespace sinter::codegen {

namespace {

class cuda_scan : scan_elements {
 public:
  cuda_scan(writer& w, const body& b)
      : scan_elements(w, b), lines_(threads_ / across_), declared_(static_cast<std::size_t>(b.inputs())) {}

  void write() {
    pack_types();
    if (b_.v.scan.split) write_passing();
    if (ahead()) write_last_uses();
    open(threads_, b_.v.scan.resident / threads_);
    shared_memory();
    load_fixed(when::points);
    count_lines();
    if (ahead()) run_ahead();
    locate(ahead() ? "(number - (gridDim.x - tiles))" : "number");
    declare_kept();
    for (const stage& s : b_.stages) run(s);
    w_.close();
  }

 private:
  std::string lane() const { return "threadIdx.x % " + text(span_); }  // of the threads that share packs of a row
  std::string tile() const { return text(b_.v.columns ? lines_ * held_ : across_ * held_); }

  // ---- where the threads are

  void shared_memory() {
    if (b_.v.columns) w_.line("__shared__ ", b_.slot(), " fold[", text(threads_), "];");
    else if (across_ > 32) w_.line("__shared__ ", b_.slot(), " fold[", text(threads_ / 32), "];");
    if (b_.v.scan.split)
      w_.line("__shared__ ", b_.slot(), " ahead[",
              text(b_.v.columns ? 2 * across_
                   : ahead()    ? 2 * members()
                                : 2),
              "];");
  }

  // Rows or columns side by side, of which each block has some.
  void count_lines() {
    if (b_.v.scan.split) take_number();
    else w_.line("const unsigned number = blockIdx.x;");
    const std::string side_by_side = text(b_.v.columns ? across_ : lines_),
                      one_less = text((b_.v.columns ? across_ : lines_) - 1);
    w_.line("const int x = threadIdx.x % ", text(across_), ", y = threadIdx.x / ", text(across_), ";");
    w_.line("const ", b_.index, " lines = (", b_.extent(0, b_.kept()), " + ", one_less, ") / ", side_by_side, ";");
    if (ahead()) w_.line("const unsigned tiles = lines * splits;");
  }

  // The row or column of a block, and this thread's first element of it.
  void locate(const std::string& block) {
    const std::string t = b_.index, all = b_.extent(0, b_.kept());
    w_.line("const ", t, " part = ", block, " / lines;");
    w_.line("const ", t, " kept = (", block, " - part * lines) * ", text(b_.v.columns ? across_ : lines_), " + ",
            b_.v.columns ? "x" : "y", ";");
    w_.line("const bool live = kept < ", all, ";");
    b_.unravel(w_, 0, b_.kept(), "kept");
    w_.line("const ", t, " length = live ? ", number("n", b_.v.rank - 1), " : 0;");
    if (b_.v.columns) w_.line("const ", t, " first = part * ", tile(), " + y * ", text(held_), ";");
    else
      w_.line("const ", t, " first = part * ", tile(), " + x / ", text(span_), " * ", text(span_ * held_), " + x % ",
              text(span_), " * ", text(width_), ";");
    place("p", "", 0, b_.v.columns ? b_.fastest() : b_.kept(), when::points, true);
  }

  void declare_kept() {
    for (const stage& s : b_.stages)
      for (std::uint16_t k : s.keeps)
        w_.line(spelling(b_.k.values[k].type), " ", number("k", k), "[", text(held_), "];");
  }

  // ---- stages

  void run(const stage& s) {
    const auto number_of = static_cast<std::size_t>(&s - b_.stages.data());
    for (int a : s.accumulators) w_.line(b_.member_type(a), " ", number("run", a), "[", text(held_), "];");
    load(b_.points[number_of], ahead());
    for (int a : s.accumulators)
      if (ahead()) look_back(a);  // while elements are on their way
    if (stages_kept()) declare_outputs(s.outputs);
    each_pack();
    pack_index();
    if (!stages_kept()) declare_outputs(s.outputs);
    each_lane();
    point(number_of);
    end_each_lane();
    if (!s.outputs.empty() && !stages_kept()) store(s.outputs);
    w_.close();
    for (int a : s.accumulators)
      if (stages_kept()) drop_past_end(a);
    if (!s.outputs.empty() && stages_kept()) store_staged();
    for (int a : s.accumulators) b_.v.columns ? scan_columns(a) : scan_rows(a);
  }

  // Inputs are read into registers before anything is computed: then many loads are under way at a time. Past the end there are
  // zeros, and nothing depends on what becomes of them.
  bool is_loaded(int o) const { return b_.is_element(o) && b_.v.operands[o] != access::fixed; }

  void load(const function& f, bool last) {
    std::vector<int> inputs;
    std::copy_if(f.inputs.begin(), f.inputs.end(), std::back_inserter(inputs), [&](int o) { return is_loaded(o); });
    if (inputs.empty()) return;
    for (int o : inputs) {
      if (declared_[static_cast<std::size_t>(o)]) continue;  // an earlier stage has it, which kept nothing
      declared_[static_cast<std::size_t>(o)] = true;
      w_.line(b_.type(o), " ", number("v", o), "[", text(held_), "];");
    }
    each_pack();
    pack_index();
    if (b_.v.scan.packed) {
      w_.open("if (i + ", text(width_), " <= length)");
      for (int o : inputs)
        if (packed(o))
          w_.line("const ", pack(o), " u", text(o), " = ",
                  last ? "read_last(&" + packed_element(o, "p") + ")" : packed_element(o, "p"), ";");
      load_elements(inputs, true);
      w_.otherwise();
    }
    load_elements(inputs, false);
    if (b_.v.scan.packed) w_.close();
    w_.close();
  }

  void load_elements(const std::vector<int>& inputs, bool whole) {
    each_lane();
    const std::string prefix = locate_element();
    for (int o : inputs) {
      const std::string element = read(prefix, fastest_index())(o),
                        none = b_.is_element(o) ? spell_zero(operand_type(b_.k, o)) : "0";
      w_.line(number("v", o), "[", slot(), "] = ",
              !whole      ? element_index() + " < length ? " + element + " : " + none
              : packed(o) ? "u" + text(o) + ".at[l]"
                          : element,
              ";");
    }
    end_each_lane();
  }

  // An iota is told by its value, the index of an element that may be past the end; at such a one nothing is looked up.
  void point(std::size_t number_of) {
    const stage& s = b_.stages[number_of];
    const function& f = b_.points[number_of];
    const bool counts = std::any_of(f.inputs.begin(), f.inputs.end(), [&](int o) { return !b_.is_element(o); });
    const bool looks_up = !f.notes.empty() || std::any_of(f.inputs.begin(), f.inputs.end(),
                                                          [&](int o) { return !b_.is_element(o) && !b_.is_iota(o); });
    if (looks_up) w_.open("if (", element_index(), " < length)");
    const std::string prefix = counts ? locate_element() : "";
    const auto kept = [&](int v) { return number("k", v) + "[" + slot() + "]"; };
    std::vector<std::string> into;
    for (int a : s.accumulators) into.push_back(running(a));
    for (int o : s.outputs) into.push_back(computed(o));
    for (std::uint16_t k : s.keeps) into.push_back(kept(k));
    const spelled input = [&](int o) {
      return is_loaded(o) ? number("v", o) + "[" + slot() + "]" : read(prefix, fastest_index())(o);
    };
    w_.line(f.call(
        input, [this](int a) { return running(a); }, into, kept));
    if (looks_up) w_.close();
  }

  // ---- the scan of what a block has

  std::string shared(int a, const std::string& array) const { return "((" + b_.member_type(a) + "*)" + array + ")"; }

  // Within packs, over the threads that take packs side by side, pack after pack; then over the warps of the row.
  void scan_rows(int a) {
    const std::string base = number("base", a), before = number("before", a);
    if (b_.v.scan.split && !ahead()) {
      declare_words(a);
      if (has_own_total(a)) fold_tile(a), leave_own(a);
    }
    scan_tile(a);
    if (b_.v.scan.split && !ahead()) {
      if (!has_own_total(a))
        w_.line("const ", b_.member_type(a), " ", number("total", a), " = ", number("all", a), ";"), leave_own(a);
      look_back(a);
      w_.line("__syncthreads();");
    }
    if (b_.v.scan.split) take_prefix(a);
    each_pack();
    w_.line("const ", b_.member_type(a), " start = ", b_.folded(a, base, before + "[h]"), ";");
    each_lane();
    w_.line(running(a), " = ", b_.folded(a, "start", running(a)), ";");
    end_each_lane();
    w_.close();
  }

  // What comes in the tile before each pack, before a warp's packs, and what all of it folds to.
  void scan_tile(int a) {
    const std::string t = b_.member_type(a), before = number("before", a), base = number("base", a),
                      all = number("all", a);
    w_.line(t, " ", before, "[", text(packs()), "], ", base, " = ", b_.neutral(a), ", ", all, " = ", b_.neutral(a),
            ";");
    each_pack();
    each_lane(1);
    if (width_ > 1)
      w_.line(running(a), " = ", b_.folded(a, number("run", a) + "[" + slot("l - 1") + "]", running(a)), ";");
    end_each_lane();
    w_.line(t, " t = ", number("run", a), "[", slot(text(width_ - 1)), "];");
    scan_lanes(a, before, all);
    w_.close();
    if (across_ > 32) scan_warps(a, base, all);
  }

  // Is what a tile folds to found by itself? Then it is the same whether the tile is scanned next or by another block. Of what
  // takes long to fold it is a by-product of the scan, and no block runs ahead.
  bool has_own_total(int a) const {
    return !is_costly(detail::facts(b_.k.accumulators[static_cast<std::size_t>(a)].what).fold);
  }

  // What all of a tile folds to, known to the first thread.
  void fold_tile(int a) {
    const std::string t = b_.member_type(a), total = number("total", a), warps = text(across_ / 32);
    const auto fold_lanes = [&](const std::string& lanes) {
      w_.raw("#pragma unroll\n");
      w_.open("for (int d = 1; d < ", lanes, "; d *= 2)");
      w_.line("const ", t, " e = __shfl_down_sync(0xffffffff, ", total, ", d);");
      w_.line(total, " = ", b_.folded(a, total, "e"), ";");
      w_.close();
    };
    w_.line(t, " ", total, " = ", b_.neutral(a), ";");
    each_pack();
    w_.line(t, " t = ", number("run", a), "[", slot("0"), "];");
    each_lane(1);
    w_.line("t = ", b_.folded(a, "t", running(a)), ";");
    end_each_lane();
    w_.line(total, " = ", b_.folded(a, total, "t"), ";");
    w_.close();
    fold_lanes("32");
    w_.line("__syncthreads();");
    w_.line("if (threadIdx.x % 32 == 0) ", shared(a, "fold"), "[threadIdx.x / 32] = ", total, ";");
    w_.line("__syncthreads();");
    w_.line(total, " = ", shared(a, "fold"), "[threadIdx.x % ", warps, "];");
    fold_lanes(warps);
  }

  // Two warps find what comes before the tile.
  void look_back(int a) {
    const std::string tiles = number("tiles", a), found = ahead_of(a);
    if (ahead()) declare_words(a);
    w_.open("if (threadIdx.x < 64)");
    w_.line("const ", b_.member_type(a), " t = ahead", text(a), "(", tiles,
            ", splits, part, mark, threadIdx.x % 32, threadIdx.x >= 32);");
    if (!ahead()) leave_group(a, tiles, "t", number("total", a), "threadIdx.x == 0");
    w_.line("if (threadIdx.x % 32 == 0) ", found, "[threadIdx.x / 32] = t;");
    w_.close();
    if (ahead() && b_.v.aliased) wait_for_own(a);
  }
  std::string ahead_of(int a) const {
    const int before = ahead() ? 2 * a : 0;  // all are found before any is taken
    return "((" + b_.member_type(a) + "*)" + (before ? "(ahead + " + text(before) + ")" : "ahead") + ")";
  }

  void take_prefix(int a) {
    const std::string prefix = number("prefix", a), base = number("base", a), found = ahead_of(a);
    w_.line("const ", b_.member_type(a), " ", prefix, " = ", b_.folded(a, found + "[1]", found + "[0]"), ";");
    if (!ahead()) leave_age(a, number("tiles", a), b_.folded(a, prefix, number("total", a)), "threadIdx.x == 0");
    w_.line(base, " = ", b_.folded(a, prefix, base), ";");
  }

  // ---- running ahead

  // Another block may still read what is written over.
  void wait_for_own(int a) {
    w_.open("if (threadIdx.x == 0)");
    w_.line(b_.member_type(a), " own;");
    w_.line("while (!see_", word_name(a), "(", number("tiles", a), " + ", words_each(), " * part, mark, &own)) {}");
    w_.close();
  }

  // Folds the tile whose number the block has, as the one that scans it will.
  void run_ahead() {
    const stage& s = b_.stages[0];
    w_.open("if (number < tiles)");
    locate("number");
    declare_kept();
    for (int a : s.accumulators) w_.line(b_.member_type(a), " ", number("run", a), "[", text(held_), "];");
    load(b_.points[0], false);
    each_pack();
    pack_index();
    each_lane();
    point(0);
    end_each_lane();
    w_.close();
    for (int a : s.accumulators) {
      if (stages_kept()) drop_past_end(a);
      declare_words(a);
      fold_tile(a);
      leave_tile(a);
    }
    w_.close();
    declared_.assign(declared_.size(), false);  // the registers of the scan are others
    w_.line("if (number < gridDim.x - tiles) return;");
  }

  // The block of the last tile of a group waits for the others of it: they began before.
  void leave_tile(int a) {
    const std::string t = b_.member_type(a), total = number("total", a), tiles = number("tiles", a);
    leave_own(a);
    w_.open("if (threadIdx.x < 32 && part % ", text(scan_group), " == ", text(scan_group - 1), ")");
    w_.line("const ", t, " near = ahead", text(a), "(", tiles, ", splits, part, mark, threadIdx.x, false);");
    leave_group(a, tiles, "near", total, "threadIdx.x == 0");
    w_.open("if (part % ", text(scan_group * scan_group), " == ", text(scan_group * scan_group - 1), ")");
    w_.line("const ", t, " far = ahead", text(a), "(", tiles, ", splits, part, mark, threadIdx.x, true);");
    leave_age(a, tiles, b_.folded(a, "(" + b_.folded(a, "far", "near") + ")", total), "threadIdx.x == 0");
    w_.close();
    w_.close();
  }

  // `t`, the total of a thread's pack, becomes what comes before that pack; `all` goes on to the next packs.
  void scan_lanes(int a, const std::string& before, const std::string& all) {
    const std::string t = b_.member_type(a);
    if (span_ == 1) {
      w_.line(before, "[h] = ", all, ";");
      w_.line(all, " = ", b_.folded(a, all, "t"), ";");
      return;
    }
    w_.raw("#pragma unroll\n");
    w_.open("for (int d = 1; d < ", text(span_), "; d *= 2)");
    w_.line("const ", t, " e = __shfl_up_sync(0xffffffff, t, d, ", text(span_), ");");
    w_.line("if (", lane(), " >= d) t = ", b_.folded(a, "e", "t"), ";");
    w_.close();
    w_.line("const ", t, " e = __shfl_up_sync(0xffffffff, t, 1, ", text(span_), ");");
    w_.line(before, "[h] = ", lane(), " == 0 ? ", all, " : ", b_.folded(a, all, "e"), ";");
    w_.line("const ", t, " last = __shfl_sync(0xffffffff, t, ", text(span_ - 1), ", ", text(span_), ");");
    w_.line(all, " = ", b_.folded(a, all, "last"), ";");
  }

  void scan_warps(int a, const std::string& base, const std::string& all) {
    const std::string warps = text(across_ / 32);
    w_.line("__syncthreads();");
    w_.line("if (threadIdx.x % 32 == 0) ", shared(a, "fold"), "[threadIdx.x / 32] = ", all, ";");
    w_.line("__syncthreads();");
    w_.line(all, " = ", shared(a, "fold"), "[y * ", warps, " + threadIdx.x % ", warps, "];");
    w_.raw("#pragma unroll\n");
    w_.open("for (int d = 1; d < ", warps, "; d *= 2)");
    w_.line("const ", b_.member_type(a), " e = __shfl_up_sync(0xffffffff, ", all, ", d, ", warps, ");");
    w_.line("if (threadIdx.x % ", warps, " >= d) ", all, " = ", b_.folded(a, "e", all), ";");
    w_.close();
    w_.line("if (x / 32 > 0) ", base, " = __shfl_sync(0xffffffff, ", all, ", x / 32 - 1, ", warps, ");");
    w_.line(all, " = __shfl_sync(0xffffffff, ", all, ", ", text(across_ / 32 - 1), ", ", warps, ");");
  }

  // Along each thread's elements, then over the threads of the column, which are in different warps.
  void scan_columns(int a) {
    const std::string t = b_.member_type(a), base = number("base", a), fold = shared(a, "fold"),
                      name = number("run", a);
    w_.raw("#pragma unroll\n");
    w_.line("for (int h = 1; h < ", text(held_), "; ++h) ", name,
            "[h] = ", b_.folded(a, name + "[h - 1]", name + "[h]"), ";");
    w_.line(t, " ", base, " = ", b_.neutral(a), ";");
    if (lines_ > 1) {
      w_.open("");
      w_.line(t, " t = ", name, "[", text(held_ - 1), "];");
      w_.line("__syncthreads();");
      w_.line(fold, "[threadIdx.x] = t;");
      w_.raw("#pragma unroll\n");
      w_.open("for (int d = 1; d < ", text(lines_), "; d *= 2)");
      w_.line("__syncthreads();");
      w_.line("const ", t, " e = y >= d ? ", fold, "[threadIdx.x - d * ", text(across_), "] : ", b_.neutral(a), ";");
      w_.line("__syncthreads();");
      w_.line(fold, "[threadIdx.x] = t = y >= d ? ", b_.folded(a, "e", "t"), " : t;");
      w_.close();
      w_.line("__syncthreads();");
      w_.line("if (y > 0) ", base, " = ", fold, "[threadIdx.x - ", text(across_), "];");
      if (b_.v.scan.split) pass_columns(a, base, fold);
      w_.close();
    }
    w_.raw("#pragma unroll\n");
    w_.line("for (int h = 0; h < ", text(held_), "; ++h) ", name, "[h] = ", b_.folded(a, base, name + "[h]"), ";");
  }

  // Each warp asks for some of the block's columns.
  void pass_columns(int a, const std::string& base, const std::string& fold) {
    const std::string t = b_.member_type(a);
    w_.line("if (y == ", text(lines_ - 1), " && live) leave_", word_name(a), "(", words_of(a, "kept"), " + ",
            words_each(), " * part, mark, t);");
    w_.open("for (int c = threadIdx.x / 32; c < ", text(2 * across_), "; c += ", text(threads_ / 32), ")");
    w_.line("const ", b_.index, " column = kept - x + c / 2;");
    w_.line("if (column >= ", b_.extent(0, b_.kept()), ") break;");
    w_.line("const ", t, " e = ahead", text(a), "(", words_of(a, "column"),
            ", splits, part, mark, threadIdx.x % 32, c % 2);");
    leave_group(a, words_of(a, "column"), "e", fold + "[" + text((lines_ - 1) * across_) + " + c / 2]",
                "threadIdx.x % 32 == 0 && c % 2 == 0");
    w_.line("if (threadIdx.x % 32 == 0) ", shared(a, "ahead"), "[c] = e;");
    w_.close();
    w_.line("__syncthreads();");
    w_.line("const ", t, " prefix = ", b_.folded(a, shared(a, "ahead") + "[2 * x + 1]", shared(a, "ahead") + "[2 * x]"),
            ";");
    leave_age(a, words_of(a, "kept"), b_.folded(a, "prefix", "t"), "y == " + text(lines_ - 1) + " && live");
    w_.line(base, " = ", b_.folded(a, "prefix", base), ";");
  }

  const int lines_;             // of `across_` threads
  std::vector<bool> declared_;  // inputs that have registers
};

}  // namespace

void write_cuda_scan(writer& w, const body& b) { cuda_scan(w, b).write(); }

}  // namespace sinter::codegen
