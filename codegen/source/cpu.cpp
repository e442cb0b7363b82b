// The C dialect: `sinter_kernel(block, begin, end)` runs work items [begin, end), of which the caller's threads take ranges. An
// item is an element (maps of one axis), a row (maps of several), or one output of a reduction, or one part of one; then
// `sinter_finish` folds the parts. The parts' bounds depend on shapes alone, so results do not depend on the threads.
#include "codegen/source/cpu_writer.hpp"

namespace sinter::codegen {

void cpu_writer::argument_struct() {
  w_.open("struct arguments");
  for (const parameter& p : b_.arguments) w_.line(p.type, " ", p.name, ";");
  w_.close(";");
  w_.blank();
}

void cpu_writer::open(std::string_view name) {
  w_.open("void ", name, "(const void* block, long long begin, long long end)");
  w_.line("const struct arguments* const a = block;");
  for (const parameter& p : b_.arguments)
    w_.line(p.type.back() == '*' ? "" : "const ", p.type, p.type.back() == '*' ? " const " : " ", p.name, " = a->",
            p.name, ";");
  for (std::size_t s = 0; s < b_.divides.size(); ++s) {
    if (!b_.divides[s]) continue;
    const std::string type = divisor_name(b_.k.scalars[s]), i = std::to_string(s);
    w_.line("const struct ", type, " d", i, " = ", type, "(s", i, ");");
  }
}

int cpu_writer::counted_by(const body& b) {
  bool draws = false;
  for (const value& v : b.k.values)
    draws = draws || (v.kind == value_kind::apply && detail::takes_words(detail::facts(v.code).of));
  for (int o = 0; draws && o < b.inputs(); ++o)
    if (b.is_iota(o) && b.is_read_at_points(o) && b.v.operands[o] == access::unit) return o;
  return -1;
}

void cpu_writer::each_of_four(const std::string& prefix, const std::string& i,
                              const std::function<void(const spelled&)>& write) {
  w_.raw("#pragma GCC unroll 4\n");
  w_.open("for (int l = 0; l < 4; ++l)");
  write([&](int o) {
    if (o == counted_) return "((" + counted_from(prefix) + " + " + i + ") & -4ll) | l";
    return read(prefix, i + " + l")(o);
  });
  w_.close();
}

void write_cpu_kernel(writer& w, const body& b) {
  switch (b.shape) {
    case form::map: return write_cpu_map(w, b);
    case form::fold: return write_cpu_fold(w, b);
    case form::rows: return write_cpu_rows(w, b);
    case form::scan: return write_cpu_scan(w, b);
  }
}

}  // namespace sinter::codegen
