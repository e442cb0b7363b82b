// Scans: an item is a row, or a tile of columns, whose elements are folded in their order. A row that is long alone is taken in
// chunks by several threads: each folds its chunk, hands on what comes before the next one, and only then writes its own. A
// thread takes the next number when it begins a chunk, so that none waits for a chunk that has not been begun; where chunks
// end follows from shapes alone.
#include <algorithm>

#include "codegen/ir/values.hpp"
#include "codegen/source/cpu_writer.hpp"

namespace sinter::codegen {

namespace {

class cpu_scan : cpu_writer {
 public:
  cpu_scan(writer& w, const body& b) : cpu_writer(w, b) {}

  void write() {
    argument_struct();
    if (b_.v.scan.split) return in_chunks();
    each_item([this] { b_.v.columns ? columns() : row(); });
  }

 private:
  static std::string text(int n) { return std::to_string(n); }
  const stage& writes() const { return b_.stages.back(); }
  const function& at_points() const { return b_.points.back(); }
  static std::string running(int a) { return number("acc", a); }

  void row() {
    b_.unravel(w_, 0, b_.kept(), "item");
    place("p", "", 0, b_.kept(), when::points, true);
    w_.line("const long long low = 0, high = ", number("n", b_.v.rank - 1), ";");
    if (std::ranges::any_of(b_.k.values, [](const value& v) { return is_costly(v); })) return blocks(false);
    w_.open("if (high <= 16)");  // gcc makes another loop of few turns, which lets neighbouring rows overlap
    one_by_one();
    w_.close();
    w_.open("else");
    one_by_one();
    w_.close();
  }

  // What takes no longer to compute than to fold.
  void one_by_one() {
    for (int a = 0; a < members(); ++a) w_.line(b_.member_type(a), " ", running(a), " = ", b_.neutral(a), ";");
    w_.open("for (long long l = 0; l < high; ++l)");
    std::vector<std::string> each;
    for (int a = 0; a < members(); ++a) {
      each.push_back(number("each", a));
      w_.line(b_.member_type(a), " ", each.back(), ";");
    }
    w_.line(b_.points[0].call(read("p", "l"), {}, each));
    for (int a = 0; a < members(); ++a)
      w_.line(running(a), " = ", b_.folded(a, running(a), each[static_cast<std::size_t>(a)]), ";");
    w_.line(at_points().call(read("p", "l"), running, written("p", "l")));
    w_.close();
  }

  // What is folded, of so many elements at a time, and behind it what these are folded into: as a variable gcc would keep it in
  // memory, since no register outlives the calls of functions between.
  static constexpr int block = 256;
  static std::string element(int a) { return number("e", a) + "[l]"; }
  static std::string before(int a) { return number("e", a) + "[" + text(block) + "]"; }
  void compute(const std::string& first, const std::function<std::string(int)>& into) {
    std::vector<std::string> to;
    for (int a = 0; a < members(); ++a) to.push_back(into(a));
    each_element();
    w_.line(b_.points[0].call(read("p", first + " + l"), {}, to));
    w_.close();
  }

  // Elements [low, high): what is folded, and what is written, is computed for a block of them side by side; the folding
  // between is one after the other. `after`: a prefix comes before all.
  void blocks(bool after) {
    for (int a = 0; a < members(); ++a) {
      w_.line(b_.member_type(a), " ", number("e", a), "[", text(block + 1), "];");
      w_.line(before(a), " = ", b_.neutral(a), ";");
    }
    w_.open("for (long long at = low; at < high; at += ", text(block), ")");
    w_.line("const long long count = high - at < ", text(block), " ? high - at : ", text(block), ";");
    if (!keeps()) compute("at", element);
    for (int a = 0; a < members(); ++a) {
      w_.line(b_.member_type(a), " ", running(a), " = ", before(a), ";");
      w_.line("for (long long l = 0; l < count; ++l) ", element(a), " = ", running(a), " = ",
              b_.folded(a, running(a), keeps() ? kept(a, "at - low + l") : element(a)), ";");
      w_.line(before(a), " = ", running(a), ";");
    }
    each_element();
    const spelled scanned = [&](int a) { return after ? b_.folded(a, number("prefix", a), element(a)) : element(a); };
    w_.line(at_points().call(read("p", "at + l"), scanned, written("p", "at + l")));
    w_.close();
    w_.close();
  }
  void each_element() {
    w_.raw("#pragma GCC ivdep\n");
    w_.open("for (long long l = 0; l < count; ++l)");
  }

  std::vector<std::string> written(const std::string& prefix, const std::string& i) const {
    std::vector<std::string> into;
    for (int o : writes().outputs) into.push_back(b_.element(b_.inputs() + o, base(b_.inputs() + o, prefix), i));
    return into;
  }

  void columns() {
    const int f = b_.fastest(), kept = b_.kept(), rank = b_.v.rank;
    const std::string nf = number("n", f), tile = text(b_.v.scan.across);
    w_.line("const long long tiles = (", nf, " + ", tile, " - 1) / ", tile, ";");
    w_.line("const long long line = item / tiles, first = item % tiles * ", tile, ";");
    w_.line("const long long width = ", nf, " - first < ", tile, " ? ", nf, " - first : ", tile, ";");
    b_.unravel(w_, 0, f, "line");
    place("p", "", 0, f, when::points, true);
    for (int a = 0; a < members(); ++a) {
      w_.line(b_.member_type(a), " ", running(a), "[", tile, "];");
      w_.line("for (int l = 0; l < ", tile, "; ++l) ", running(a), "[l] = ", b_.neutral(a), ";");
    }
    w_.open("for (long long position = 0; position < ", number("n", rank - 1), "; ++position)");
    b_.unravel(w_, kept, rank, "position");
    place("q", "p", kept, rank, when::points, true);
    w_.raw("#pragma GCC ivdep\n");
    w_.open("for (long long l = 0; l < width; ++l)");
    accumulate(read("q", "first + l"), "l");
    w_.line(at_points().call(
        read("q", "first + l"), [](int a) { return running(a) + "[l]"; }, written("q", "first + l")));
    w_.close();
    w_.close();
  }

  // ---- a row in chunks

  // words: the number of the next chunk; then for each chunk whether what comes before it is there, and what that is.
  std::string place_of(const std::string& part) const {
    return "words + 1 + ((" + part + ") * (" + b_.extent(0, b_.kept()) + ") + kept) * " +
           text(1 + state_words(b_.k) * members());
  }

  void in_chunks() {
    w_.line("int sched_yield(void);");
    w_.blank();
    open("sinter_kernel");
    w_.line("for (long long i = 0; i <= splits * (", b_.extent(0, b_.kept()), ") * ",
            text(1 + state_words(b_.k) * members()), "; ++i) words[i] = 0;");
    w_.close();
    w_.blank();
    open("sinter_finish");
    load_fixed(when::points);
    w_.open("for (long long item = begin; item < end; ++item)");
    w_.line("const long long number = (long long)__atomic_fetch_add(words, 1, __ATOMIC_RELAXED);");
    w_.line("const long long part = number / (", b_.extent(0, b_.kept()), "), kept = number % (",
            b_.extent(0, b_.kept()), ");");
    b_.unravel(w_, 0, b_.kept(), "kept");
    place("p", "", 0, b_.kept(), when::points, true);
    const std::string chunk = text(scan_chunk), length = number("n", b_.v.rank - 1);
    w_.line("const long long low = part * ", chunk, ", high = ", length, " - low < ", chunk, " ? ", length, " : low + ",
            chunk, ";");
    fold_chunk();
    wait();
    hand_on();
    blocks(true);
    w_.close();
    w_.close();
  }

  // What takes long to compute is kept for the whole chunk, since it is needed twice.
  bool keeps() const { return b_.v.scan.held != 0; }
  static std::string kept(int a, const std::string& at) { return number("k", a) + "[" + at + "]"; }

  // What the chunk folds to, in lanes, of which so many hide that gcc keeps them in memory.
  void fold_chunk() {
    const std::string lanes = text(64);
    for (int a = 0; a < members(); ++a) w_.line(b_.member_type(a), " ", number("all", a), " = ", b_.neutral(a), ";");
    if (keeps()) {
      for (int a = 0; a < members(); ++a)
        w_.line(b_.member_type(a), " ", number("k", a), "[", text(b_.v.scan.held), "];");
      w_.line("const long long count = high - low;");
      compute("low", [](int a) { return kept(a, "l"); });
    }
    w_.open("if (part + 1 < splits)");
    for (int a = 0; a < members(); ++a) {
      w_.line(b_.member_type(a), " ", running(a), "[", lanes, "];");
      w_.line("for (int l = 0; l < ", lanes, "; ++l) ", running(a), "[l] = ", b_.neutral(a), ";");
    }
    w_.open("for (long long i = low; i < high; i += ", lanes, ")");  // chunks that others follow are whole
    w_.raw("#pragma omp simd\n");
    w_.open("for (int l = 0; l < ", lanes, "; ++l)");
    if (keeps()) fold([](int a) { return running(a) + "[l]"; }, [](int a) { return kept(a, "i - low + l"); });
    else accumulate(read("p", "i + l"), "l");
    w_.close();
    w_.close();
    for (int a = 0; a < members(); ++a)
      w_.line("for (int l = 0; l < ", lanes, "; ++l) ", number("all", a), " = ",
              b_.folded(a, number("all", a), running(a) + "[l]"), ";");
    w_.close();
  }

  void wait() {
    w_.line("unsigned long long* const mine = ", place_of("part"), ";");
    w_.line("for (int turns = 0; part > 0 && !__atomic_load_n(mine, __ATOMIC_ACQUIRE); ++turns)");
    w_.line("  if (turns > 1000) sched_yield();");
    for (int a = 0; a < members(); ++a) {
      w_.line(b_.member_type(a), " ", number("prefix", a), " = ", b_.neutral(a), ";");
      w_.line("if (part > 0) __builtin_memcpy(&", number("prefix", a), ", mine + ", text(1 + state_words(b_.k) * a),
              ", sizeof ", number("prefix", a), ");");
    }
  }

  void hand_on() {
    w_.open("if (part + 1 < splits)");
    w_.line("unsigned long long* const next = ", place_of("part + 1"), ";");
    for (int a = 0; a < members(); ++a) {
      const std::string all = number("all", a);
      w_.line(all, " = ", b_.folded(a, number("prefix", a), all), ";");
      w_.line("__builtin_memcpy(next + ", text(1 + state_words(b_.k) * a), ", &", all, ", sizeof ", all, ");");
    }
    w_.line("__atomic_store_n(next, 1, __ATOMIC_RELEASE);");
    w_.close();
  }
};

}  // namespace

void write_cpu_scan(writer& w, const body& b) { cpu_scan(w, b).write(); }

}  // namespace sinter::codegen
