// What the kernel functions of both dialects are written with (body.hpp).
#include <algorithm>

#include "codegen/source/body.hpp"

namespace sinter::codegen {

bool kernel_writer::is(when w, int operand) const {
  const bool at_points = operand < b_.inputs() ? b_.is_read_at_points(operand)
                                               : is_everywhere(b_.k, static_cast<std::size_t>(operand - b_.inputs()));
  return at_points == (w == when::points);
}

void kernel_writer::load_fixed(when phase) {
  for (int o = 0; o < b_.inputs(); ++o)
    if (b_.v.operands[o] == access::fixed && is(phase, o))
      w_.line("const ", b_.type(o), b_.is_indexed(o) ? "* const " : " ", number("x", o), " = ",
              b_.is_element(o) ? "*" : "", b_.name(o), ";");
}

void kernel_writer::place(std::string_view prefix, std::string_view base_prefix, int from, int upto, when phase,
                          bool outputs) {
  for (int o = 0; o < b_.inputs(); ++o)
    if (is(phase, o) && b_.v.operands[o] != access::fixed) place(o, prefix, base_prefix, from, upto);
  if (outputs) place_outputs(prefix, base_prefix, from, upto, phase);
}

void kernel_writer::place_outputs(std::string_view prefix, std::string_view base_prefix, int from, int upto,
                                  when phase) {
  for (int o = b_.inputs(); o < operands(); ++o)
    if (is(phase, o)) place(o, prefix, base_prefix, from, upto);
}

void kernel_writer::place(int o, std::string_view prefix, std::string_view base_prefix, int from, int upto) {
  const bool is_input = o < b_.inputs();
  const std::string type = b_.is_iota(o) ? "const long long " : (is_input ? "const " : "") + b_.type(o) + "* const ";
  w_.line(type, number(prefix, o), " = ", base(o, std::string(base_prefix)), b_.offset(o, from, upto, b_.fastest()),
          ";");
}

std::string kernel_writer::base(int operand, const std::string& prefix) const {
  return prefix.empty() ? b_.name(operand) : number(prefix, operand);
}

spelled kernel_writer::read(std::string prefix, std::string i) const {
  return [this, prefix, i](int o) {
    return b_.v.operands[o] == access::fixed ? number("x", o) : b_.element(o, base(o, prefix), i);
  };
}

std::vector<std::string> kernel_writer::outputs(when phase, const std::string& prefix, const std::string& i) const {
  std::vector<std::string> into;
  for (int o = b_.inputs(); o < operands(); ++o)
    if (is(phase, o)) into.push_back(b_.element(o, base(o, prefix), i));
  return into;
}

std::vector<int> kernel_writer::members_of(const stage& s) const {
  std::vector<int> all;
  for (int a : s.accumulators)
    for (int m = 0; m < b_.k.accumulators[static_cast<std::size_t>(a)].members(); ++m)
      all.push_back(b_.first_member(a) + m);
  return all;
}

void kernel_writer::fold(const spelled& x, const spelled& y) {
  for (std::size_t a = 0; a < b_.k.accumulators.size(); ++a) w_.line(b_.fold(static_cast<int>(a), x, y));
}

void kernel_writer::fold(const stage& s, const spelled& x, const spelled& y) {
  for (int a : s.accumulators) w_.line(b_.fold(a, x, y));
}

bool kernel_writer::is_once(int value) const {
  return std::any_of(b_.stages.begin(), b_.stages.end(),
                     [&](const stage& s) { return std::find(s.once.begin(), s.once.end(), value) != s.once.end(); });
}

void kernel_writer::take(const spelled& input, std::string_view guard) {
  std::vector<std::string> elements;
  for (int m = 0; m < members(); ++m) {
    w_.line(b_.element_type(m), " ", number("e", m), guard.empty() ? "" : " = " + b_.identity(m), ";");
    elements.push_back(number("e", m));
  }
  w_.line(guard.empty() ? "" : "if (" + std::string(guard) + ") ", b_.points[0].call(input, {}, elements));
}

void kernel_writer::accumulate(const spelled& input, std::string_view lane, std::string_view guard) {
  take(input, guard);
  fold([&](int m) { return number("acc", m) + (lane.empty() ? "" : "[" + std::string(lane) + "]"); },
       [](int m) { return number("e", m); });
}

}  // namespace sinter::codegen
