#include "codegen/source/fourier.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "codegen/source/geometry.hpp"
#include "codegen/source/helpers.hpp"

namespace sinter::codegen {

namespace {

constexpr int most_held = 16;  // elements: 32 registers of float, and as many again to work with
constexpr int most_threads = 512;
constexpr int radices[] = {16, 15, 14, 12, 10, 9, 8, 7, 6, 5, 4, 3, 2};

// The fewest passes over `points`, each of a radix that divides `held`, and of those the ones of the least work. Empty: there are none.
std::vector<int> passes_of(int points, int held, int most_radix) {
  std::vector<int> best;
  int least = 0;
  for (int r : radices) {
    if (r > most_radix || held % r != 0 || points % r != 0) continue;
    std::vector<int> all{r};
    if (points > r) {
      const std::vector<int> rest = passes_of(points / r, held, r);
      if (rest.empty()) continue;
      all.insert(all.end(), rest.begin(), rest.end());
    }
    int work = 0;
    for (int each : all) work += each;
    const bool better = best.empty() || all.size() < best.size() || (all.size() == best.size() && work < least);
    if (better) best = std::move(all), least = work;
  }
  return best;
}

// What a pass costs, beside rows so short for their threads that these read pieces of sectors, and the registers of many elements.
double cost_of(const fourier_plan& p) {
  const int threads = p.threads();
  return static_cast<double>(p.radices.size()) + (threads < 4 ? 3 : threads < 8 ? 1.5 : 0) + p.held / 64.0;
}

fourier_plan make_plan(int n) {
  constexpr std::size_t most_passes = 5;
  fourier_plan best;
  for (int held = 2; held <= std::min(n, most_held); ++held) {
    if (n % held != 0 || n / held > most_threads) continue;
    fourier_plan p{n, held, passes_of(n, held, most_held)};
    if (p.radices.empty() || p.radices.size() > most_passes) continue;
    if (best.points == 0 || cost_of(p) < cost_of(best)) best = std::move(p);
  }
  return best;
}

}  // namespace

const fourier_plan& plan_fourier(std::int64_t points, dtype type) {
  constexpr std::int64_t most_points = 8192;
  static constexpr fourier_plan none;
  static std::atomic<const fourier_plan*> plans[most_points + 1] = {};
  if (points < 2 || points > (type == dtype::complex64 ? most_points : most_points / 2)) return none;
  std::atomic<const fourier_plan*>& at = plans[points];
  if (const fourier_plan* const made = at.load(std::memory_order_acquire)) return *made;
  const auto* const fresh = new fourier_plan(make_plan(static_cast<int>(points)));
  const fourier_plan* other = nullptr;
  if (at.compare_exchange_strong(other, fresh, std::memory_order_acq_rel)) return *fresh;
  delete fresh;  // another thread was first
  return *other;
}

namespace {

// Between a pass that leaves runs of `behind` results and the next: threads of a warp write so many apart, and read side by side.
struct padding {
  int every, by;
  int place(int i) const { return i + i / every * by; }
};

int banks_of(int bytes) { return std::max(1, 128 / bytes); }

padding padding_after(int behind, int radix, int banks) {
  return {std::max(banks, behind * radix), behind < banks ? behind : 0};
}

}  // namespace

fourier_room room_for(const fourier_plan& p, dtype type, int lines) {
  fourier_room room;
  for (const bool parts : {false, true}) {
    const int bytes = itemsize(type) / (parts ? 2 : 1), banks = banks_of(bytes);
    room = {0, parts, 0};
    int behind = 1;
    for (std::size_t pass = 0; pass + 1 < p.radices.size(); ++pass) {
      room.line = std::max(room.line, padding_after(behind, p.radices[pass], banks).place(p.points - 1) + 1);
      behind *= p.radices[pass];
    }
    // Where a warp has several rows, these begin at different banks.
    while (lines > 1 && p.threads() < banks && room.line % banks != p.threads() % banks) ++room.line;
    room.bytes = lines * room.line * bytes;
    if (room.bytes <= block_memory) break;
  }
  return room;
}

namespace {

std::string text(int n) { return std::to_string(n); }

class fourier_writer {
 public:
  fourier_writer(writer& w, const fourier_plan& p, dtype type, const fourier_room& room, const std::string& together)
      : w_(w),
        p_(p),
        type_(spelling(type)),
        real_(spelling(detail::real_part_of(type))),
        suffix_(type == dtype::complex64 ? "f" : ""),
        banks_(banks_of(itemsize(type) / (room.parts ? 2 : 1))),
        parts_(room.parts),
        together_(together) {}

  void write() {
    arithmetic();
    for (int r : p_.radices) butterfly(r);
    if (p_.radices.size() > 1) roots();
    int behind = p_.radices[0];
    for (std::size_t pass = 1; pass < p_.radices.size(); behind *= p_.radices[pass++]) place(pass, behind);
    transform();
  }

 private:
  // ---- complex numbers

  void function(const std::string& gives, const std::string& name, const std::string& parameters) {
    w_.open("static __device__ __forceinline__ ", gives, " ", name, "(", parameters, ")");
  }
  void number_function(const std::string& name, const std::string& parameters, const std::string& re,
                       const std::string& im) {
    function(type_, name, parameters);
    w_.line("const ", type_, " z = {", re, ", ", im, "};");
    w_.line("return z;");
    w_.close();
  }
  void arithmetic() {
    const std::string one = type_ + " a", two = one + ", " + type_ + " b";
    number_function("swapped", one, "a.im", "a.re");
    number_function("plus", two, "a.re + b.re", "a.im + b.im");
    number_function("minus", two, "a.re - b.re", "a.im - b.im");
    number_function("times", two, "a.re * b.re - a.im * b.im", "a.re * b.im + a.im * b.re");
    w_.blank();
  }

  std::string literal(double x) const {
    char digits[40];
    std::snprintf(digits, sizeof digits, suffix_.empty() ? "%.17g" : "%.9g", x);
    std::string all = digits;
    if (all.find_first_of(".e") == std::string::npos) all += ".0";
    return all + suffix_;
  }
  std::string cosine(int k, int n) const { return literal(std::cos(2 * std::numbers::pi * k / n)); }
  std::string sine(int k, int n) const { return literal(std::sin(2 * std::numbers::pi * k / n)); }
  std::string complex(const std::string& re, const std::string& im) const { return type_ + "{" + re + ", " + im + "}"; }

  // z turned clockwise by k / n of a circle.
  std::string turned(const std::string& z, int k, int n) const {
    const auto part = [&](const char* sign, const char* of) { return sign + z + of; };
    if (k == 0) return z;
    if (4 * k == n) return complex(part("", ".im"), part("-", ".re"));
    if (2 * k == n) return complex(part("-", ".re"), part("-", ".im"));
    if (8 * k == n)
      return complex("(" + z + ".re + " + z + ".im) * " + cosine(1, 8),
                     "(" + z + ".im - " + z + ".re) * " + cosine(1, 8));
    return "times(" + z + ", " + complex(cosine(k, n), sine(-k, n)) + ")";
  }

  void each(const std::string& i, int count, const std::string& statement) {
    w_.raw("#pragma unroll\n");
    w_.line("for (int ", i, " = 0; ", i, " < ", text(count), "; ++", i, ") ", statement);
  }

  // ---- butterflies

  static std::string at(int i) { return i == 0 ? "v[0]" : i == 1 ? "v[step]" : "v[" + text(i) + " * step]"; }

  // Transforms the r numbers v[0], v[step], v[2 * step], ... in place.
  void butterfly(int r) {
    if (std::find(written_.begin(), written_.end(), r) != written_.end()) return;
    written_.push_back(r);
    const int first = first_factor(r);
    if (first != r) butterfly(first), butterfly(r / first);
    function("void", "butterfly" + text(r), type_ + "* v, const int step");
    if (r == 2) two();
    else if (r == 4) four();
    else if (first == r) odd(r);
    else of_two(first, r / first);
    w_.close();
    w_.blank();
  }
  static int first_factor(int r) {
    if (r == 4) return 4;
    for (int f : {4, 2, 3, 5, 7})
      if (r % f == 0) return f;
    return r;
  }

  void two() {
    w_.line("const ", type_, " a = v[0], b = v[step];");
    w_.line("v[0] = plus(a, b);");
    w_.line("v[step] = minus(a, b);");
  }
  void four() {
    w_.line("const ", type_, " a = plus(v[0], v[2 * step]), b = minus(v[0], v[2 * step]);");
    w_.line("const ", type_, " c = plus(v[step], v[3 * step]), d = minus(v[step], v[3 * step]);");
    w_.line("v[0] = plus(a, c);");
    w_.line("v[step] = ", complex("b.re + d.im", "b.im - d.re"), ";");
    w_.line("v[2 * step] = minus(a, c);");
    w_.line("v[3 * step] = ", complex("b.re - d.im", "b.im + d.re"), ";");
  }

  // Of a prime number: those at both ends are turned by the same angle, one way and the other.
  void odd(int r) {
    const int half = r / 2;
    std::string all = "v[0]";
    for (int k = 1; k <= half; ++k) {
      w_.line("const ", type_, " ", named("p", k), " = plus(", at(k), ", ", at(r - k), "), ", named("m", k),
              " = minus(", at(k), ", ", at(r - k), ");");
    }
    w_.line("const ", type_, " a = v[0];");
    const auto sum = [&](int m, const std::string& part, bool of_sums) {
      std::string terms = of_sums ? "a" + part : "";
      for (int k = 1; k <= half; ++k)
        terms += (terms.empty() ? "" : " + ") + (of_sums ? cosine(m * k % r, r) : sine(m * k % r, r)) + " * " +
                 named(of_sums ? "p" : "m", k) + part;
      return terms;
    };
    std::string re = "a.re", im = "a.im";
    for (int k = 1; k <= half; ++k) re += " + " + named("p", k) + ".re", im += " + " + named("p", k) + ".im";
    w_.line("v[0] = ", complex(re, im), ";");
    for (int m = 1; m <= half; ++m) {
      w_.line("const ", type_, " ", named("c", m), " = {", sum(m, ".re", true), ", ", sum(m, ".im", true), "};");
      w_.line("const ", type_, " ", named("s", m), " = {", sum(m, ".re", false), ", ", sum(m, ".im", false), "};");
      w_.line(
          at(m), " = ",
          complex(named("c", m) + ".re + " + named("s", m) + ".im", named("c", m) + ".im - " + named("s", m) + ".re"),
          ";");
      w_.line(
          at(r - m), " = ",
          complex(named("c", m) + ".re - " + named("s", m) + ".im", named("c", m) + ".im + " + named("s", m) + ".re"),
          ";");
    }
  }
  static std::string named(const char* prefix, int k) { return prefix + text(k); }

  // Of p * q numbers: q butterflies of every q-th number, turned, then p butterflies of neighbours, whose results are put in order.
  void of_two(int p, int q) {
    const int r = p * q;
    each("j", q, "butterfly" + text(p) + "(v + j * step, " + text(q) + " * step);");
    for (int k = 1; k < p; ++k)
      for (int j = 1; j < q; ++j) w_.line(at(k * q + j), " = ", turned(at(k * q + j), j * k, r), ";");
    each("k", p, "butterfly" + text(q) + "(v + k * " + text(q) + " * step, step);");
    w_.line(type_, " u[", text(r), "];");
    each("i", r, "u[i] = v[(i % " + text(p) + " * " + text(q) + " + i / " + text(p) + ") * step];");
    each("i", r, "v[i * step] = u[i];");
  }

  // ---- passes

  void roots() {
    w_.line("// k / n of a circle, clockwise.");
    function(type_, "root", "const int k, const int n");
    w_.line(type_, " z;");
    w_.line("sincospi", suffix_, "((", real_, ")(-2 * k) / n, &z.im, &z.re);");
    w_.line("return z;");
    w_.close();
    w_.line(
        "// Turns the m-th number of each of `side` butterflies that lie side by side by the m-th power of w. The "
        "fourth is given, too:");
    w_.line("// a power of a rounded number is off by as many times as much.");
    function(
        "void", "turn",
        type_ + "* v, const int count, const int step, const int side, const " + type_ + " w, const " + type_ + " w4");
    w_.line(type_, " power[", text(*std::max_element(p_.radices.begin(), p_.radices.end())), "];");
    w_.raw("#pragma unroll\n");
    w_.open("for (int m = 1; m < count; ++m)");
    w_.line("power[m] = m == 1   ? w");
    w_.line("           : m < 4  ? times(power[m - 1], w)");
    w_.line("           : m == 4 ? w4");
    w_.line("                    : times(power[(m - 1) / 4 * 4], power[(m - 1) % 4 + 1]);");
    w_.raw("#pragma unroll\n");
    w_.line("for (int b = 0; b < side; ++b) v[m * step + b] = times(v[m * step + b], power[m]);");
    w_.close();
    w_.close();
    w_.blank();
  }

  // Where an element is put between two passes.
  void place(std::size_t pass, int behind) {
    const int radix = p_.radices[pass - 1];
    const padding pad = padding_after(behind / radix, radix, banks_);
    const std::string by = pad.by == 0 ? "" : " + i / " + text(pad.every) + (pad.by == 1 ? "" : " * " + text(pad.by));
    function("unsigned", "place" + text(static_cast<int>(pass)), "const unsigned i");
    w_.line("return i", by, ";");
    w_.close();
  }

  void each_element(const std::string& statement) { each("e", p_.held, statement); }

  void exchange(std::size_t pass, int before) {
    const int r = p_.radices[pass - 1], side = p_.held / r, threads = p_.threads();
    const std::string named_place = "place" + text(static_cast<int>(pass)) + "(";
    const std::string j = side == 1 ? "t" : "(t + e % " + text(side) + " * " + text(threads) + ")";
    const std::string m = side == 1 ? "e" : "e / " + text(side);
    const std::string to = before == 1 ? j + " * " + text(r) + " + " + m
                                       : j + " / " + text(before) + " * " + text(before * r) + " + " + j + " % " +
                                             text(before) + " + " + m + " * " + text(before);
    const auto move = [&](const std::string& part) {
      each_element("room[" + named_place + to + ")] = v[e]" + part + ";");
      w_.line(together_);
      each_element("v[e]" + part + " = room[" + named_place + "t + e * " + text(threads) + ")];");
    };
    if (pass > 1) w_.line(together_);
    if (!parts_) return move("");
    move(".re");
    w_.line(together_);
    move(".im");
  }

  void turns(int r, int before) {
    const int side = p_.held / r, threads = p_.threads(), all = before * r;
    const std::string n = text(all), w = "w" + n, w4 = "w" + n + "_4";
    const auto declare = [&](const std::string& k) {
      w_.line("const ", type_, " ", w, " = root(", k, ", ", n, ")",
              r > 4 ? ", " + w4 + " = root(4 * " + k + ", " + n + ")" : "", ";");
    };
    // By `more` of the circle than that.
    const auto turn = [&](int b, int together, int more) {
      w_.line("turn(v", b == 0 ? "" : " + " + text(b), ", ", text(r), ", ", text(side), ", ", text(together), ", ",
              turned(w, more, all), ", ", r > 4 ? turned(w4, 4 * more % all, all) : w, ");");
    };
    if (threads % before == 0) {
      declare("(t % " + text(before) + ")");
      return turn(0, side, 0);
    }
    if (before % threads == 0) {
      declare("t");
      for (int b = 0; b < side; ++b) turn(b, 1, b % (before / threads) * threads);
      return;
    }
    for (int b = 0; b < side; ++b) {
      w_.open("");
      declare("((t + " + text(b * threads) + ") % " + text(before) + ")");
      turn(b, 1, 0);
      w_.close();
    }
  }

  void transform() {
    w_.line("// Rows of ", text(p_.points), ": v[e] is element t + ", text(p_.threads()), " * e, before and after.");
    const std::string meeting = ", " + (parts_ ? real_ : type_) + "* room, const unsigned t";
    function("void", "transform", type_ + "* v" + (p_.radices.size() > 1 ? meeting : ""));
    int before = 1;
    for (std::size_t pass = 0; pass < p_.radices.size(); ++pass) {
      const int r = p_.radices[pass], side = p_.held / r;
      if (pass > 0) exchange(pass, before / p_.radices[pass - 1]), turns(r, before);
      for (int b = 0; b < side; ++b)
        w_.line("butterfly", text(r), "(v", b == 0 ? "" : " + " + text(b), ", ", text(side), ");");
      before *= r;
    }
    w_.close();
    w_.blank();
  }

  writer& w_;
  const fourier_plan& p_;
  const std::string type_, real_, suffix_;
  const int banks_;
  const bool parts_;
  const std::string together_;
  std::vector<int> written_;
};

}  // namespace

void write_fourier(writer& w, const fourier_plan& p, dtype type, const fourier_room& room,
                   const std::string& together) {
  fourier_writer(w, p, type, room, together).write();
}

}  // namespace sinter::codegen
