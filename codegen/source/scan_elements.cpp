#include "codegen/source/scan_elements.hpp"

namespace sinter::codegen {

// What is written: of packs, one; else an element.
std::string scan_elements::output_type(int o) const {
  const int operand = b_.inputs() + o;
  return packed(operand) ? pack(operand) : "struct { " + b_.type(operand) + " at[" + text(width_) + "]; }";
}

void scan_elements::declare_outputs(const std::vector<int>& outputs) {
  for (int o : outputs)
    if (stages_kept()) w_.line(b_.type(b_.inputs() + o), " ", number("u", o), "[", text(held_), "];");
    else w_.line(output_type(o), " ", number("u", o), ";");
}

std::string scan_elements::computed(int o) const {
  if (stages_kept()) return number("u", o) + "[" + slot() + "]";
  return number("u", o) + ".at[" + (width_ > 1 ? "l" : "0") + "]";
}

void scan_elements::store(const std::vector<int>& outputs) {
  if (b_.k.compresses) return store_kept();
  if (b_.v.scan.packed) {
    w_.open("if (i + ", text(width_), " <= length)");
    for (int o : outputs)
      if (const int operand = b_.inputs() + o; packed(operand))
        w_.line(ahead() ? "write_past(&" + packed_element(operand, "p") + ", " + number("u", o) + ");"
                        : packed_element(operand, "p") + " = " + number("u", o) + ";");
    store_elements(outputs, true);
    w_.otherwise();
  }
  store_elements(outputs, false);
  if (b_.v.scan.packed) w_.close();
}

void scan_elements::store_elements(const std::vector<int>& outputs, bool whole) {
  each_lane();
  if (!whole) w_.open("if (", element_index(), " < length)");
  const std::string prefix = locate_element();
  for (int o : outputs)
    if (const int operand = b_.inputs() + o; !whole || !packed(operand))
      w_.line(b_.element(operand, base(operand, prefix), fastest_index()), " = ", computed(o), ";");
  if (!whole) w_.close();
  end_each_lane();
}

// As many as there is room for at a time. None is beyond the end, unless a mask has other bytes than 0 and 1.
void scan_elements::store_staged() {
  constexpr int room_for_kept = 32 * 1024;  // bytes
  const int element = b_.inputs(),
            room = std::min(threads_ * held_, room_for_kept / itemsize(operand_type(b_.k, element)));
  const bool at_once = room == threads_ * held_;
  const std::string from = at_once ? "" : " - from", to = at_once ? "" : " && at < " + text(room), place = computed(1);
  w_.line("__shared__ ", b_.type(element), " staged[", text(room), "];");
  if (!at_once) w_.open("for (int from = 0; from < all0; from += ", text(room), ")"), w_.line("__syncthreads();");
  each_pack();
  pack_index();
  each_lane();
  w_.line("const ", b_.type(element + 1), " at = ", place, " - prefix0", from, ";");
  w_.line("if (", element_index(), " < length && ", place, " >= 0", at_once ? "" : " && at >= 0", to,
          ") staged[at] = ", computed(0), ";");
  end_each_lane();
  w_.close();
  w_.line("__syncthreads();");
  w_.open("for (int at = threadIdx.x; at < all0", from, to, "; at += ", text(threads_), ")");
  const std::string where = at_once ? "prefix0 + at" : "prefix0 + from + at";
  w_.line("if (", where, " < length) ", b_.element(element, base(element, "p"), where), " = staged[at];");
  w_.close();
  if (!at_once) w_.close();
  w_.line("if (threadIdx.x == 0 && part == splits - 1) ", b_.element(element + 1, base(element + 1, "p"), "0"),
          " = prefix0 + all0;");
}

void scan_elements::drop_past_end(int a) {
  w_.open("if (part == splits - 1)");
  each_pack();
  pack_index();
  each_lane();
  w_.line("if (", element_index(), " >= length) ", running(a), " = ", b_.neutral(a), ";");
  end_each_lane();
  w_.close();
  w_.close();
}

// Of one block: each goes where its place says.
void scan_elements::store_kept() {
  const int element = b_.inputs(), total = element + 1;
  each_lane();
  w_.open("if (", element_index(), " < length)");
  w_.line("if (", computed(1), " >= 0 && ", computed(1), " < length) ",
          b_.element(element, base(element, "p"), computed(1)), " = ", computed(0), ";");
  w_.line("if (", element_index(), " == length - 1) ", b_.element(total, base(total, "p"), "0"), " = ", running(0),
          ";");
  w_.close();
  end_each_lane();
}

}  // namespace sinter::codegen
