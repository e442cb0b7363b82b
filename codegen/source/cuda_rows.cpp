// Row kernels. A line of threads has a row, or a column: each thread keeps its elements in registers from stage to stage,
// where they are not too many, and every thread of the line learns what was folded. Which elements a thread has follows from
// shapes and dtypes alone, so that the order of folding does.
#include <algorithm>
#include <utility>

#include "codegen/ir/values.hpp"
#include "codegen/source/cuda_writer.hpp"

namespace sinter::codegen {

namespace {

class cuda_rows : cuda_writer {
 public:
  cuda_rows(writer& w, const body& b) : cuda_writer(w, b) {}

  void write() {
    pack_types();
    open(b_.v.rows.threads, resident());
    shared_memory();
    w_.line("const unsigned lane = threadIdx.y * blockDim.x + threadIdx.x;");
    if (stages_rows()) copy_in();
    if (b_.v.rows.turns > 1) {
      w_.raw("#pragma unroll\n");
      w_.open("for (unsigned turn = 0; turn < ", std::to_string(b_.v.rows.turns), "; ++turn)");
    }
    b_.v.columns ? locate_column() : locate_row();
    load_fixed(when::points);
    place("p", "", 0, lines(), when::points, true);
    if (stages_rows()) {
      if (guards_rows()) w_.open("if (live)");
      w_.line("const ", b_.index, " length = ", std::to_string(b_.v.rows.held), ";");
    } else {  // the threads past the end take part in the folding
      w_.line("const ", b_.index, " length = live ? ", b_.extent(b_.kept(), b_.v.rank), " : 0;");
    }
    declare_kept();
    for (std::size_t s = 0; s < b_.stages.size(); ++s) run(s);
    if (!b_.row_outputs().empty()) results();
    if (stages_rows() && guards_rows()) w_.close();
    if (b_.v.rows.turns > 1) w_.close();
    if (stages_rows()) copy_out();
    w_.close();
  }

 private:
  // A block of columns is large: where half of a multiprocessor's registers hold its elements and little more, the compiler is to
  // leave room for a second one, which works while this one waits. Elsewhere it finds as good a balance by itself.
  int resident() const {
    int bytes = 0;
    for (const stage& s : b_.stages)
      for (std::uint16_t k : s.keeps) bytes += itemsize(b_.k.values[k].type);
    return b_.v.columns && b_.v.rows.held * bytes == 128 ? 2 : 0;
  }

  int lines() const { return b_.v.columns ? b_.fastest() : b_.kept(); }  // axes that count lines of threads

  // Short rows lie one after the other, and a thread has whole ones, whose length the text names: the block's are copied as one
  // piece of memory, and the thread reads its own from shared memory, or writes them there.
  bool staged(int o) const { return b_.v.operands[o] == access::staged; }
  bool stages_rows() const { return std::count(b_.v.operands.begin(), b_.v.operands.end(), access::staged) != 0; }
  int block_rows() const { return b_.v.rows.threads * b_.v.rows.turns; }
  // Is anything at points not in tiles, or not to be computed of what no row is? Else a thread computes rows past the end, too,
  // which copy_out() leaves; and its rows lie side by side, so that it reads all of them in packs. Otherwise neighbouring threads
  // have neighbouring rows.
  bool guards_rows() const {
    for (const function& f : b_.points)
      if (!f.everywhere) return true;
    for (int o = 0; o < operands(); ++o)
      if (!staged(o) && b_.v.operands[o] != access::fixed && is(when::points, o)) return true;
    return false;
  }
  std::string in_block() const {
    const std::string turns = std::to_string(b_.v.rows.turns);
    if (b_.v.rows.turns == 1) return "threadIdx.y";
    return guards_rows() ? "(turn * blockDim.y + threadIdx.y)" : "(threadIdx.y * " + turns + " + turn)";
  }
  std::string tile_element(int o) const { return number("tile", o) + "[" + in_block() + " * length + i]"; }

  // Opens a loop over the pieces of an operand's tile that a thread copies: packs, where memory is aligned so.
  void each_piece(int o) {
    const int per = packed(o) ? pack_width(o) : 1, most = block_rows() * b_.v.rows.held;
    w_.raw("#pragma unroll\n");
    w_.open("for (int h = 0; h < ", std::to_string((most / per + b_.v.rows.threads - 1) / b_.v.rows.threads), "; ++h)");
    w_.line("const unsigned at = h * ", std::to_string(b_.v.rows.threads), " + lane;");
    w_.open("if (at < elements / ", std::to_string(per), ")");
  }
  void end_each_piece() {
    w_.close();
    w_.close();
  }
  std::string piece(int o) const { return packed(o) ? pack(o) : b_.type(o); }
  std::string near(int o) const {
    return packed(o) ? "reinterpret_cast<" + pack(o) + "*>(" + number("tile", o) + ")[at]" : number("tile", o) + "[at]";
  }
  std::string far(int o) const {
    const std::string first = "(" + b_.name(o) + " + first)", to = o < b_.inputs() ? "const " + pack(o) : pack(o);
    return packed(o) ? "reinterpret_cast<" + to + "*>" + first + "[at]" : first + "[at]";
  }
  // The last elements, fewer than a pack.
  void copy_rest(int o, bool in) {
    if (!packed(o)) return;
    const std::string rest = "elements % " + std::to_string(pack_width(o)), at = "[elements - " + rest + " + lane]";
    const std::string near = number("tile", o) + at, far = "(" + b_.name(o) + " + first)" + at;
    w_.line("if (lane < ", rest, ") ", in ? near : far, " = ", in ? far : near, ";");
  }

  // All loads are under way before any is waited for.
  void copy_in() {
    const std::string &t = b_.index, row = number("n", b_.fastest()), rows = std::to_string(block_rows());
    w_.line("const ", t, " first = (", t, ")blockIdx.x * ", rows, " * ", row, ";");
    w_.line("const unsigned elements = min((", t, ")", rows, ", ", b_.extent(0, b_.kept()), " - (", t, ")blockIdx.x * ",
            rows, ") * ", row, ";");
    std::vector<int> moved;
    for (int o = 0; o < b_.inputs(); ++o)
      if (staged(o)) moved.push_back(o);
    for (int o : moved) {
      const int per = packed(o) ? pack_width(o) : 1;
      w_.line(piece(o), " ", number("v", o), "[", std::to_string((b_.v.rows.turns * b_.v.rows.held + per - 1) / per),
              "];");
      each_piece(o);
      w_.line(number("v", o), "[h] = ", far(o), ";");
      end_each_piece();
    }
    for (int o : moved) {
      each_piece(o);
      w_.line(near(o), " = ", number("v", o), "[h];");
      end_each_piece();
      copy_rest(o, true);
    }
    if (!moved.empty()) w_.line("__syncthreads();");
  }

  void copy_out() {
    bool first = true;
    for (int o = b_.inputs(); o < operands(); ++o) {
      if (!staged(o)) continue;
      if (std::exchange(first, false)) w_.line("__syncthreads();");
      each_piece(o);
      w_.line(far(o), " = ", near(o), ";");
      end_each_piece();
      copy_rest(o, false);
    }
  }

  void shared_memory() {
    for (int o = 0; o < operands(); ++o)
      if (staged(o))
        w_.line("alignas(16) __shared__ ", b_.type(o), " ", number("tile", o), "[",
                std::to_string(block_rows() * b_.v.rows.held), "];");
    if (stages_rows()) return;
    if (b_.v.columns) {
      int most = 0;
      for (const codegen::accumulator& a : b_.k.accumulators) most = std::max(most, a.members());
      return w_.line("__shared__ ", b_.slot(), " fold[", std::to_string(most * b_.v.rows.threads), "];");
    }
    const std::string each = std::to_string(std::max(1, b_.v.rows.threads / 32));
    for (int m = 0; m < members(); ++m)
      w_.line("__shared__ ", b_.member_type(m), " ", number("fold", m), "[", each, "];");
  }

  void locate_row() {
    const std::string& t = b_.index;
    const std::string turns = b_.v.rows.turns > 1 ? std::to_string(b_.v.rows.turns) + " * " : "";
    w_.line("const ", t, " kept = (", t, ")blockIdx.x * ", turns, "blockDim.y + ", in_block(), ";");
    w_.line("const bool live = kept < ", b_.extent(0, b_.kept()), ";");
    b_.unravel(w_, 0, b_.kept(), "kept");
  }

  void locate_column() {
    const std::string &t = b_.index, nf = number("n", b_.fastest());
    w_.line("const ", t, " tiles = (", nf, " + blockDim.x - 1) / blockDim.x;");
    w_.line("const ", t, " column = blockIdx.x % tiles * blockDim.x + threadIdx.x, line = blockIdx.x / tiles;");
    w_.line("const bool live = column < ", nf, ";");
    b_.unravel(w_, 0, b_.fastest(), "line");
  }

  void declare_kept() {
    for (const stage& s : b_.stages)
      for (std::uint16_t k : s.keeps)
        w_.line(spelling(b_.k.values[k].type), " ", number("k", k), "[", std::to_string(b_.v.rows.held), "];");
  }

  // Where the threads of a line meet the row: a pack of each, side by side, again and again.
  std::string along() const { return b_.v.columns ? "y" : "x"; }
  std::string times_width() const { return width_ > 1 ? " * " + std::to_string(width_) : ""; }
  void each_kept_pack() {
    w_.raw("#pragma unroll\n");
    w_.open("for (int h = 0; h < ", std::to_string(b_.v.rows.held / width_), "; ++h)");
    if (stages_rows()) w_.line("const ", b_.index, " i = h;");
    else w_.line("const ", b_.index, " i = (h * blockDim.", along(), " + threadIdx.", along(), ")", times_width(), ";");
  }
  void each_lane() {
    if (width_ > 1) w_.raw("#pragma unroll\n"), w_.open("for (int l = 0; l < ", std::to_string(width_), "; ++l)");
  }
  void end_each_lane() {
    if (width_ > 1) w_.close();
  }
  std::string element_index() const { return width_ > 1 ? "i + l" : "i"; }
  std::string slot() const { return width_ > 1 ? "h * " + std::to_string(width_) + " + l" : "h"; }

  // What is the same all along a row, and takes long, is computed by the first threads of its line, and the others have it from
  // them: arithmetic in double would cost as much again as what all do with the elements.
  bool is_shared_out(std::size_t s) const {
    if (stages_rows()) return false;
    const std::vector<bool> needed = made_of(b_.k, b_.stages[s].once);
    for (std::size_t i = 0; i < needed.size(); ++i) {
      const value& at = b_.k.values[i];
      const bool divides = at.kind == value_kind::apply && (at.code == op::divide || at.code == op::sqrt);
      if (needed[i] && (is_costly(at) || (divides && at.type == dtype::float64))) return true;
    }
    return false;
  }

  void compute_once(std::size_t s) {
    std::vector<std::string> into;
    for (std::uint16_t v : b_.stages[s].once) {
      into.push_back(number("w", v));
      w_.line(spelling(b_.k.values[v].type), " ", into.back(), ";");
    }
    if (into.empty()) return;
    // Beyond the last row there is no result to look up an index with, or to give to a text.
    const std::string call = (b_.once[s].everywhere ? "" : "if (live) ") + b_.once[s].call({}, accumulator, into);
    if (!is_shared_out(s)) return w_.line(call);
    const std::string at = b_.v.columns ? "[threadIdx.x]" : "[threadIdx.y]";
    for (std::uint16_t v : b_.stages[s].once)
      w_.line("__shared__ ", spelling(b_.k.values[v].type), " ", number("once", v), "[",
              std::to_string(b_.v.columns ? b_.v.rows.threads : b_.v.rows.threads / 32), "];");
    if (b_.v.columns) {
      w_.open("if (threadIdx.y == 0)");
      w_.line(call);
    } else {  // a warp that has several rows gains nothing
      w_.line("if (threadIdx.x < 32) ", call);
      w_.open("if (threadIdx.x == 0 && blockDim.x > 32)");
    }
    for (std::uint16_t v : b_.stages[s].once) w_.line(number("once", v), at, " = ", number("w", v), ";");
    w_.close();
    if (!b_.v.columns) w_.open("if (blockDim.x > 32)");
    w_.line("__syncthreads();");
    for (std::uint16_t v : b_.stages[s].once) w_.line(number("w", v), " = ", number("once", v), at, ";");
    if (!b_.v.columns) w_.close();
  }

  void run(std::size_t s) {
    const stage& at = b_.stages[s];
    compute_once(s);
    for (int m : members_of(at)) w_.line(b_.member_type(m), " ", accumulator(m), " = ", b_.identity(m), ";");
    if (b_.v.rows.held != 0) {
      load_ahead(s);
      each_kept_pack();
      if (!stages_rows()) w_.open("if (i < length)");
    } else {
      w_.raw("#pragma unroll 4\n");
      w_.open("for (", b_.index, " i = threadIdx.", along(), times_width(), "; i < length; i += blockDim.", along(),
              times_width(), ")");
      for (int o : b_.points[s].inputs)
        if (packed(o)) load_pack(o, "p");
    }
    b_.v.rows.packed&& width_ > 1 ? pack_points(s) : element_points(s);
    if (b_.v.rows.held != 0 && !stages_rows()) w_.close();
    w_.close();
    b_.v.columns ? fold_columns(at) : fold_rows(at);
  }

  // Is an input of a kept row read into registers before anything is computed? Then many loads are under way at a time.
  bool ahead(int o) const {
    if (staged(o)) return false;
    const access a = b_.v.operands[o];
    return b_.v.rows.held != 0 && b_.is_element(o) && (a == access::unit || a == access::strided);
  }

  void load_ahead(std::size_t s) {
    std::vector<int> inputs;
    for (int o : b_.points[s].inputs)
      if (ahead(o)) inputs.push_back(o);
    if (inputs.empty()) return;
    for (int o : inputs)
      if (packed(o)) w_.line(pack(o), " ", number("v", o), "[", std::to_string(b_.v.rows.held / width_), "];");
      else w_.line(b_.type(o), " ", number("v", o), "[", std::to_string(b_.v.rows.held), "];");
    each_kept_pack();
    bool elements = false;
    for (int o : inputs) {
      elements = elements || !packed(o);
      if (packed(o)) w_.line("if (i < length) ", number("v", o), "[h] = ", packed_element(o, "p"), ";");
    }
    if (elements) {
      each_lane();
      w_.open("if (", element_index(), " < length)");
      const std::string prefix = locate_element();
      for (int o : inputs)
        if (!packed(o)) w_.line(number("v", o), "[", slot(), "] = ", read(prefix, fastest_index())(o), ";");
      w_.close();
      end_each_lane();
    }
    w_.close();
  }

  // The indices of an element, and where operands are there: the prefix of their names.
  std::string locate_element() {
    if (b_.v.reduced == 1 && !b_.v.columns) return "p";
    b_.unravel(w_, b_.kept(), b_.v.rank, element_index());
    place("q", "p", b_.kept(), b_.v.rank, when::points, true);
    return "q";
  }
  std::string fastest_index() const {
    if (b_.v.columns) return "column";
    return b_.v.reduced == 1 ? element_index() : number("i", b_.fastest());
  }

  spelled input(const std::string& prefix) const {
    return [this, prefix](int o) {
      if (staged(o)) return tile_element(o);
      if (packed(o)) return number("v", o) + (b_.v.rows.held != 0 ? "[h].at[l]" : ".at[l]");
      if (ahead(o)) return number("v", o) + "[" + slot() + "]";
      if (counts(o) && fastest_index() == "i + l") return position_in_pack(o, prefix, "i");
      return read(prefix, fastest_index())(o);
    };
  }

  void element_points(std::size_t s) {
    each_lane();
    if (width_ > 1) w_.open("if (i + l < length)");
    const std::string prefix = locate_element();
    point(s, input(prefix),
          [&](int o) { return staged(o) ? tile_element(o) : b_.element(o, base(o, prefix), fastest_index()); });
    if (width_ > 1) w_.close();
    end_each_lane();
  }

  void pack_points(std::size_t s) {
    const stage& at = b_.stages[s];
    for (int o : at.outputs)
      if (packed(b_.inputs() + o)) w_.line(pack(b_.inputs() + o), " ", number("v", b_.inputs() + o), ";");
    each_lane();
    point(s, input("p"),
          [&](int o) { return packed(o) ? number("v", o) + ".at[l]" : b_.element(o, base(o, "p"), "i + l"); });
    end_each_lane();
    for (int o : at.outputs)
      if (packed(b_.inputs() + o))
        w_.line(packed_element(b_.inputs() + o, "p"), " = ", number("v", b_.inputs() + o), ";");
  }

  // One point: what the stage computes there goes to memory, to registers and into the accumulators.
  void point(std::size_t s, const spelled& input, const spelled& output) {
    const stage& at = b_.stages[s];
    const auto kept = [&](int v) { return is_once(v) ? number("w", v) : number("k", v) + "[" + slot() + "]"; };
    std::vector<std::string> into;
    for (int m : members_of(at)) {
      w_.line(b_.member_type(m), " ", number("e", m), ";");
      into.push_back(number("e", m));
    }
    for (int o : at.outputs) into.push_back(output(b_.inputs() + o));
    for (std::uint16_t k : at.keeps) into.push_back(kept(k));
    w_.line(b_.points[s].call(input, accumulator, into, kept));
    fold(at, accumulator, [](int m) { return number("e", m); });
  }

  static std::string accumulator(int m) { return number("acc", m); }

  // Through the registers of a warp, then over the warps of the row. All of its threads end with the same bits.
  void fold_rows(const stage& s) {
    if (s.accumulators.empty() || stages_rows()) return;
    w_.open("for (int half = min(blockDim.x, 32) / 2; half > 0; half /= 2)");
    for (int m : members_of(s))
      w_.line("const ", b_.member_type(m), " ", number("e", m), " = __shfl_down_sync(0xffffffff, ", accumulator(m),
              ", half);");
    fold(s, accumulator, [](int m) { return number("e", m); });
    w_.close();
    w_.open("if (blockDim.x <= 32)");
    for (int m : members_of(s))
      w_.line(accumulator(m), " = __shfl_sync(0xffffffff, ", accumulator(m), ", lane % 32 / blockDim.x * blockDim.x);");
    w_.otherwise();
    w_.open("if (lane % 32 == 0)");
    for (int m : members_of(s)) w_.line(number("fold", m), "[lane / 32] = ", accumulator(m), ";");
    w_.close();
    w_.line("__syncthreads();");
    w_.line("const unsigned warp = threadIdx.y * blockDim.x / 32;  // the row's first");
    for (int m : members_of(s)) w_.line(accumulator(m), " = ", number("fold", m), "[warp];");
    w_.open("for (unsigned other = 1; other < blockDim.x / 32; ++other)");
    fold(s, accumulator, [](int m) { return number("fold", m) + "[warp + other]"; });
    w_.close();
    w_.close();
  }

  // Threads of one column are in different warps, so through shared memory, an accumulator at a time.
  void fold_columns(const stage& s) {
    for (int a : s.accumulators) {
      stage one;
      one.accumulators = {a};
      const std::vector<int> mine = members_of(one);
      const auto all = [&](int m) {
        const int before = (m - mine.front()) * b_.v.rows.threads;
        return "((" + b_.member_type(m) + "*)" + (before ? "(fold + " + std::to_string(before) + ")" : "fold") + ")";
      };
      const auto leave = [&] {
        for (int m : mine) w_.line(all(m), "[lane] = ", accumulator(m), ";");
      };
      w_.line("__syncthreads();");
      leave();
      w_.open("for (unsigned half = blockDim.y / 2; half > 0; half /= 2)");
      w_.line("__syncthreads();");
      w_.open("if (threadIdx.y < half)");
      fold(one, accumulator, [&](int m) { return all(m) + "[lane + half * blockDim.x]"; });
      leave();
      w_.close();
      w_.close();
      w_.line("__syncthreads();");
      for (int m : mine) w_.line(accumulator(m), " = ", all(m), "[threadIdx.x];");
    }
  }

  void results() {
    w_.open("if (threadIdx.", b_.v.columns ? "y" : "x", " == 0 && live)");
    load_fixed(when::row);
    place("q", "", 0, lines(), when::row, true);
    const std::string i = b_.v.columns ? "column" : "0";
    w_.line(b_.result.call(read("q", i), accumulator, outputs(when::row, "q", i)));
    w_.close();
  }
};

}  // namespace

void write_cuda_rows(writer& w, const body& b) { cuda_rows(w, b).write(); }

}  // namespace sinter::codegen
