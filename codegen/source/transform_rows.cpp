// Transforms. The threads of a row have its elements in registers: they compute them from what they read, transform them
// (fourier.hpp), and write what is made of them, so that memory is passed over once. A block has several short rows, or neighbouring
// columns, which make whole sectors of memory.
#include <algorithm>

#include "codegen/source/cuda_writer.hpp"
#include "codegen/source/fourier.hpp"

namespace sinter::codegen {

namespace {

class transform_writer : cuda_writer {
 public:
  transform_writer(writer& w, const body& b)
      : cuda_writer(w, b),
        type_(b.k.accumulators[0].type),
        plan_(plan_fourier(b.v.transform.points, type_)),
        lines_(b.v.transform.lines),
        room_(room_for(plan_, type_, lines_)) {}

  void write() {
    write_fourier(w_, plan_, type_, room_, together());
    open(plan_.threads() * lines_, resident());
    if (exchanges())
      w_.line("__shared__ ", room_type(), " room[", std::to_string(room_.bytes / bytes_of_place()), "];");
    load_fixed(when::points);
    locate();
    for (std::size_t s = 0; s < b_.stages.size(); ++s) run(s);
    w_.close();
  }

 private:
  // Of many elements in registers more are on their way at a time if the compiler is not to save registers for other blocks.
  int resident() const {
    constexpr int threads = 768;  // of a multiprocessor
    const bool many = plan_.held > 8 && type_ == dtype::complex64;
    return many ? std::max(1, threads / (plan_.threads() * lines_)) : 0;
  }

  bool exchanges() const { return plan_.radices.size() > 1; }
  std::string room_type() const { return std::string(spelling(room_.parts ? detail::real_part_of(type_) : type_)); }
  int bytes_of_place() const { return itemsize(type_) / (room_.parts ? 2 : 1); }

  // Rows whose threads are of one warp wait for no other.
  std::string together() const {
    const bool in_warp = !b_.v.columns && plan_.threads() <= 32 && 32 % plan_.threads() == 0;
    return in_warp ? "__syncwarp();" : "__syncthreads();";
  }

  // The threads past the end take the last row once more, and write nothing.
  void locate() {
    const std::string t = b_.index, all = b_.extent(0, b_.kept()), lines = std::to_string(lines_);
    const std::string across = b_.v.columns ? lines : std::to_string(plan_.threads());
    const std::string inner = "threadIdx.x % " + across, outer = "threadIdx.x / " + across;
    w_.line("unsigned t = ", b_.v.columns ? outer : inner, ";");
    w_.line("const unsigned line = ", b_.v.columns ? inner : outer, ";");
    w_.line("const ", t, " number = (", t, ")blockIdx.x * ", lines, " + line;");
    w_.line("const bool live = number < ", all, ";");
    w_.line("const ", t, " kept = live ? number : ", all, " - 1;");
    b_.unravel(w_, 0, b_.kept(), "kept");
    place("p", "", 0, b_.v.columns ? b_.fastest() : b_.kept(), when::points, true);
  }

  bool is_inverse(int a) const { return b_.k.accumulators[static_cast<std::size_t>(a)].transform == fourier::inverse; }
  static std::string element(int a) { return number("z", a) + "[e]"; }

  void run(std::size_t s) {
    const stage& at = b_.stages[s];
    if (s > 0 && !at.accumulators.empty()) forget();
    for (int a : at.accumulators) w_.line(spelling(type_), " ", number("z", a), "[", std::to_string(plan_.held), "];");
    if (!at.outputs.empty()) w_.open("if (live)");
    w_.raw("#pragma unroll\n");
    w_.open("for (int e = 0; e < ", std::to_string(plan_.held), "; ++e)");
    w_.line("const ", b_.index, " i = (", b_.index, ")t + e * ", std::to_string(plan_.threads()), ";");
    point(s);
    w_.close();
    if (!at.outputs.empty()) w_.close();
    for (int a : at.accumulators) transform(a);
  }

  // The factors of one transform are those of the next. The compiler is not to keep them meanwhile, nor to read ahead of it: registers
  // are for elements.
  void forget() { w_.line("asm volatile(\"\" : \"+r\"(t));"); }

  void point(std::size_t s) {
    std::string prefix = "p", i = "i";
    if (b_.v.columns) {
      b_.unravel(w_, b_.kept(), b_.v.rank, "i");
      place("q", "p", b_.kept(), b_.v.rank, when::points, !b_.stages[s].outputs.empty());
      prefix = "q", i = number("i", b_.fastest());
    }
    std::vector<std::string> into;
    for (int a : b_.stages[s].accumulators) into.push_back(element(a));
    for (int o : b_.stages[s].outputs) {
      const int operand = b_.inputs() + o;
      into.push_back(b_.element(operand, base(operand, prefix), i));
    }
    w_.line(b_.points[s].call(
        read(prefix, i), [this](int a) { return is_inverse(a) ? "swapped(" + element(a) + ")" : element(a); }, into));
    for (int a : b_.stages[s].accumulators)
      if (is_inverse(a)) w_.line(element(a), " = swapped(", element(a), ");");
  }

  void transform(int a) {
    if (a > 0 && exchanges()) w_.line(together());
    const std::string mine = lines_ > 1 ? " + line * " + std::to_string(room_.line) : "";
    w_.line("transform(", number("z", a), exchanges() ? ", room" + mine + ", t);" : ");");
  }

  const dtype type_;
  const fourier_plan& plan_;
  const int lines_;
  const fourier_room room_;
};

}  // namespace

void write_transform(writer& w, const body& b) { transform_writer(w, b).write(); }

}  // namespace sinter::codegen
