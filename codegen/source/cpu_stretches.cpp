#include "codegen/source/cpu_stretches.hpp"

#include "codegen/source/helpers.hpp"
#include "codegen/source/loads.hpp"

namespace sinter::codegen {

spelled cpu_stretches::read_here(const std::string& prefix, const std::string& i) const {
  return [this, prefix, i](int o) {
    if (is_still(o)) return number("v", o);
    if (!is_turned(o)) return read(prefix, i)(o);
    return number("t", o) + "[(" + number("i", last_ - 1) + " - top) * " + std::to_string(m_.tile) + " + " + i +
           " - left]";
  };
}

// gcc cannot know that no result is written over it, and would read it for every vector.
void cpu_stretches::read_still(const std::string& prefix) {
  for (int o = 0; o < b_.inputs(); ++o)
    if (is_still(o)) w_.line("const ", b_.type(o), " ", number("v", o), " = *", base(o, prefix), ";");
}

void cpu_stretches::in_stretches(const std::string& prefix, std::string_view from, std::string_view to) {
  w_.open("for (long long i = ", from, "; i < ", to, ";)");
  begin_stretch(prefix, to);
  through_stretch(prefix);
  w_.close();
}

void cpu_stretches::begin_stretch(const std::string& prefix, std::string_view to) {
  const std::string most = std::to_string(longest_stretch);
  w_.line("const long long start = i;");
  w_.line("long long stop = ", to, " - i < ", most, " ? ", to, " : i + ", most, ";");
  for (std::size_t b = 0; b < b_.borders.size(); ++b) find_border(b_.borders[b], prefix);
}

void cpu_stretches::through_stretch(const std::string& prefix) {
  for (std::size_t l = 0; l < b_.cut.loads.size(); ++l) find_place(l, prefix);
  const auto loop = [&](const spelled& load) {
    w_.raw("#pragma GCC ivdep\n");
    w_.open("for (; i < stop; ++i)");
    w_.line(b_.points[0].call(read_here(prefix, "i"), {}, outputs(when::points, prefix, "i"), load));
    w_.close();
  };
  const std::string condition = find_steps(prefix);
  if (condition.empty()) return loop(settled("i - start"));
  w_.open("if (", condition, ")");
  loop(settled("i - start"));
  w_.close();
  loop(settled("i - start", true));
}

// How far loads go from point to point whose step depends on where the stretch is; gives what holds if all go by one. What is guarded
// away goes along its zeros.
std::string cpu_stretches::find_steps(const std::string& prefix) {
  std::string condition;
  for (std::size_t l = 0; l < b_.cut.loads.size(); ++l) {
    if (b_.cut.loads[l].along != settled_load::goes::by_a_step) continue;
    const std::string of = std::to_string(b_.cut.loads[l].value);
    w_.line("long long step", of, " = 1;");
    w_.open("");
    ask_place(l, prefix, "(i + (i + 1 < stop))", "next", "there");
    w_.line(guard_of(b_.k.values[b_.cut.loads[l].value]) ? "if (there) " : "", "step", of, " = next - offset", of, ";");
    w_.close();
    condition += (condition.empty() ? "step" : " && step") + of + " == 1";
  }
  return condition;
}

void cpu_stretches::rows_in_stretches(const std::string& prefix, const std::string& from, const std::string& to) {
  constexpr int shares = 1024, least = 4;
  const int few = std::max(least, m_.together / shares);  // points, for which no loop of vectors pays
  const std::string most = std::to_string(m_.together), i = number("i", last_ - 1);
  const auto each_row = [&](auto write) {
    w_.open("for (long long ", i, " = top; ", i, " < bottom; ++", i, ")");
    place("q", prefix, last_ - 1, last_, when::points, true);
    read_still("q");
    write();
    w_.close();
  };
  w_.line("const long long together = ", length_, " < ", most, " ? ", most, " / ", length_, " : 1;");
  w_.open("for (long long top = ", from, "; top < ", to, "; top += together)");
  w_.line("const long long bottom = top + together < ", to, " ? top + together : ", to, ", ", i, " = top;");
  place("q", prefix, last_ - 1, last_, when::points, true);
  read_still("q");
  w_.open("for (long long i = 0; i < ", length_, ";)");
  begin_stretch("q", length_);
  w_.open("if (stop - start < ", std::to_string(few), ")");
  points_down(each_row);
  w_.line("continue;");
  w_.close();
  each_row([&] {
    w_.line("i = start;");
    through_stretch("q");
  });
  w_.close();
  w_.close();
}

// Points of a short stretch, each in all rows before the next one. Where all rows ask the same of them, loads are found in the first row,
// and lie a step apart from there on.
void cpu_stretches::points_down(const std::function<void(const std::function<void()>&)>& each_row) {
  const std::string alike = asks_alike(), row = number("i", last_ - 1);
  const auto point = [&](const spelled& load) {
    w_.line(b_.points[0].call(read_here("q", "i"), {}, outputs(when::points, "q", "i"), load));
  };
  if (!alike.empty()) {
    w_.open("for (; (", alike, ") && i < stop; ++i)");
    for (std::size_t l = 0; l < b_.cut.loads.size(); ++l) {
      find_place(l, "q");
      const value& at = b_.k.values[b_.cut.loads[l].value];
      const int input = b_.k.values[at.args[0]].index;
      const std::string of = std::to_string(b_.cut.loads[l].value);
      const std::string step =
          b_.v.operands[input] == access::fixed ? "0" : b_.name(input) + "_step" + std::to_string(last_ - 1);
      w_.line("const long long down", of, " = ", guard_of(at) ? "inside" + of + " ? " + step + " : 0" : step, ";");
    }
    each_row([&] {
      w_.line("asm(\"\");");  // no vectors: stores that are a step apart are slower together
      point([&](int v) {
        for (const settled_load& l : b_.cut.loads)
          if (l.value == v) return number("row", v) + "[(" + row + " - top) * " + number("down", v) + "]";
        return number("at_border", v);
      });
    });
    w_.close();
  }
  w_.open("for (; i < stop; ++i)");
  each_row([&] {
    for (std::size_t l = 0; l < b_.cut.loads.size(); ++l) find_place(l, "q");
    point(settled("0"));
  });
  w_.close();
}

// What holds where every row gives loads the same offsets and guards; empty: nothing does.
std::string cpu_stretches::asks_alike() const {
  std::string condition;
  for (const function& f : b_.places)
    for (const int o : f.inputs) {
      if (b_.v.operands[o] == access::fixed) continue;
      if (b_.is_element(o)) return {};
      const std::string still = b_.name(o) + "_step" + std::to_string(last_ - 1) + " == 0";
      if (condition.find(still) == condition.npos) condition += (condition.empty() ? "" : " && ") + still;
    }
  return condition;
}

// How far the comparison stays as it is: by bisection, unless it is as far as in the row before.
void cpu_stretches::find_border(const function& border, const std::string& prefix) {
  const auto ask = [&](const std::string& at, const std::string& answer) {
    w_.line("const bool ", border.call(read_here(prefix, at), {}, {answer}));
  };
  const std::string here = "at_" + border.name, found = "found_" + border.name;
  ask("i", here);
  w_.open("");
  ask("(stop - 1)", "behind");
  w_.line("long long same = i, other = stop - 1;");
  w_.open("if (behind != ", here, " && same < ", found, " && ", found, " <= other)");
  ask("(" + found + " - 1)", "before");
  ask(found, "after");
  w_.line("if (before == ", here, " && after == behind) same = ", found, " - 1, other = ", found, ";");
  w_.close();
  w_.open("while (behind != ", here, " && same + 1 < other)");
  w_.line("const long long middle = same + (other - same) / 2;");
  ask("middle", "there");
  w_.line("if (there == ", here, ") same = middle;");
  w_.line("else other = middle;");
  w_.close();
  w_.line("if (behind != ", here, ") stop = ", found, " = other;");
  w_.close();
}

void cpu_stretches::find_place(std::size_t l, const std::string& prefix) {
  const value& at = b_.k.values[b_.cut.loads[l].value];
  const std::string of = std::to_string(b_.cut.loads[l].value);
  std::string place = read_here(prefix, "i")(b_.k.values[at.args[0]].index);
  if (at.index & with_offset) place += " + offset" + of;
  if (guard_of(at)) place = "inside" + of + " ? " + place + " : " + nothing_row(at.type);
  ask_place(l, prefix, "i", "offset" + of, "inside" + of);
  w_.line("const ", spell_elements(at.type, dialect::c), "* const row", of, " = ", place, ";");
  if (b_.cut.loads[l].along != settled_load::goes::by_stride) return;
  const std::string stride = b_.name(b_.k.values[at.args[0]].index) + "_step" + std::to_string(last_);
  w_.line("const long long step", of, " = ", guard_of(at) ? "inside" + of + " ? " + stride + " : 0" : stride, ";");
}

void cpu_stretches::ask_place(std::size_t l, const std::string& prefix, const std::string& at,
                              const std::string& offset, const std::string& inside) {
  const value& load = b_.k.values[b_.cut.loads[l].value];
  std::vector<std::string> into;
  if (load.index & with_offset) into.push_back(offset), w_.line("long long ", offset, ";");
  if (guard_of(load)) into.push_back(inside), w_.line("bool ", inside, ";");
  if (!into.empty()) w_.line(b_.places[l].call(read_here(prefix, at), {}, into));
}

// What a point is given there, so far behind where its loads begin. `with_steps`: those that are found do not all go by one.
spelled cpu_stretches::settled(const std::string& behind, bool with_steps) const {
  return [this, behind, with_steps](int v) {
    using goes = settled_load::goes;
    for (const settled_load& l : b_.cut.loads) {
      if (l.value != v) continue;
      if (l.along == goes::nowhere) return number("row", v) + "[0]";
      const bool has_step = l.along == goes::by_stride || (with_steps && l.along == goes::by_a_step);
      return number("row", v) + (has_step ? "[(" + behind + ") * " + number("step", v) + "]" : "[" + behind + "]");
    }
    return number("at_border", v);
  };
}

}  // namespace sinter::codegen
