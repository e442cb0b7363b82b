// The C dialect: `sinter_kernel(block, begin, end)` runs work items [begin, end), of which the caller's threads take ranges. An
// item is an element (maps of one axis), a row (maps of several), or one output of a reduction, or one part of one; then
// `sinter_finish` folds the parts. The parts' bounds depend on shapes alone, so results do not depend on the threads.
#include "codegen/source/cpu_writer.hpp"

#include <algorithm>

#include <sinter/error.hpp>

#include "codegen/ir/values.hpp"
#include "codegen/source/helpers.hpp"
#include "codegen/source/library.hpp"

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

void cpu_writer::find_tile(const std::string& group, int tile, bool with_outputs) {
  const std::string nf = number("n", b_.fastest()), columns = std::to_string(tile);
  w_.line("const long long tiles = (", nf, " + ", columns, " - 1) / ", columns, ";");
  w_.line("const long long line = ", group, " / tiles, first = ", group, " % tiles * ", columns, ";");
  w_.line("const long long width = ", nf, " - first < ", columns, " ? ", nf, " - first : ", columns, ";");
  b_.unravel(w_, 0, b_.fastest(), "line");
  place("p", "", 0, b_.fastest(), when::points, with_outputs);
}

void cpu_writer::rows_at_once(const std::vector<std::string>& rows, const std::string& end,
                              const std::function<void(const std::string& prefix)>& write,
                              const std::function<void()>& after) {
  const std::string count = std::to_string(rows.size());
  const int last = b_.v.rank - 1;
  w_.open("for (; position + ", count, " <= ", end, "; position += ", count, ")");
  b_.unravel(w_, b_.kept(), b_.v.rank, "position");
  place(rows[0], "p", b_.kept(), b_.v.rank, when::points, false);
  for (std::size_t r = 1; r < rows.size(); ++r)
    for (int o = 0; o < b_.inputs(); ++o) {
      if (!is(when::points, o) || b_.v.operands[o] == access::fixed) continue;
      const std::string step =
          needs_stride(b_.k, b_.v, o, last) ? " + " + b_.name(o) + "_step" + std::to_string(last) : "";
      w_.line(b_.is_iota(o) ? "const long long " : "const " + b_.type(o) + "* const ", number(rows[r], o), " = ",
              base(o, rows[r - 1]), step, ";");
    }
  w_.raw("#pragma GCC ivdep\n");
  w_.open("for (long long l = 0; l < width; ++l)");
  for (const std::string& r : rows) {
    if (rows.size() > 1) w_.open("");
    write(r);
    if (rows.size() > 1) w_.close();
  }
  w_.close();
  after();
  w_.close();
}

std::string cpu_writer::in_short_row(int o, int at, int length, bool dense) const {
  const access a = b_.v.operands[o];
  if (a == access::fixed) return number("x", o);
  const std::string step = b_.name(o) + "_step", place = std::to_string(at);
  std::string where = base(o, "p");
  if (a == access::strided && dense) {
    where += " + (first + l) * " + std::to_string(length) + " + " + place;
  } else {
    if (a == access::unit || a == access::column) where += " + first + l";
    if (a == access::strided) where += " + (first + l) * " + step + std::to_string(b_.fastest());
    if (needs_stride(b_.k, b_.v, o, b_.v.rank - 1))
      where += " + " + place + " * " + step + std::to_string(b_.v.rank - 1);
  }
  return o >= b_.inputs() || b_.is_element(o) ? "*(" + where + ")" : where;
}

void cpu_writer::start_lanes(const std::vector<int>& of, const std::string& room, const std::string& used) {
  if (of.empty()) return;
  for (int m : of) w_.line(b_.member_type(m), " ", number("acc", m), "[", room, "];");
  w_.open("for (int l = 0; l < ", used, "; ++l)");
  for (int m : of) w_.line(number("acc", m), "[l] = ", b_.identity(m), ";");
  w_.close();
}

// To compute elements once more asks for nothing, and goes as the whole turns before. Functions of which there are vectors would be called one
// by one where lanes ask, or where there are as many as are left. What has no vectors is not computed in vain; loads at indices must
// not be made; where operations may trap gcc would ask for each element whether it is there; and of several states it takes longer than
// what is there does.
cpu_writer::spare cpu_writer::spare_lanes() const {
  if (b_.goal.math == math_mode::strict) return spare::absent;
  bool calls = false;
  for (const value& v : b_.k.values) {
    if (v.kind == value_kind::load || v.kind == value_kind::check) return spare::absent;
    if (!is_costly(v)) continue;
    if (v.kind != value_kind::apply || !calls_vector_function(v.code) || !detail::is_floating(v.type))
      return spare::absent;
    calls = true;
  }
  const bool writes = std::any_of(b_.stages.begin(), b_.stages.end(),
                                  [](const stage& s) { return !s.accumulators.empty() && !s.outputs.empty(); });
  const bool may_compute_again = !writes && (!calls || b_.goal.has_vector_math);
  if (may_compute_again && lanes_filled()) return spare::back;
  if (members() > 2) return spare::absent;
  if (!calls) return spare::ask;
  return may_compute_again ? spare::zeros : spare::absent;
}

// A condition before the load alone is a mask of it, where processors have those; an index that is chosen would be one load for each lane.
spelled cpu_writer::read_where(const std::string& guard, const std::string& prefix, const std::string& i) const {
  const spelled element = read(prefix, i);
  if (guard.empty() || spare_lanes() != spare::zeros) return element;
  return [this, guard, element](int o) {
    if (b_.v.operands[o] == access::fixed || !b_.is_element(o)) return element(o);
    return "(" + guard + " ? " + element(o) + " : (" + b_.type(o) + "){0})";
  };
}

// gcc 12 chooses among values without a branch, and does not where it is the fold that is guarded.
void cpu_writer::fold_where(std::string_view guard, std::string_view lane, const std::vector<int>& of,
                            const std::function<void(const spelled& x, const spelled& y)>& write) {
  const auto running = [&](int m) { return number("acc", m) + "[" + std::string(lane) + "]"; };
  const auto next = [](int m) { return number("next", m); };
  for (int m : of) w_.line(b_.member_type(m), " ", next(m), " = ", running(m), ";");
  write(next, [](int m) { return number("e", m); });
  for (int m : of) w_.line(running(m), " = ", guard, " ? ", next(m), " : ", running(m), ";");
}

void cpu_writer::accumulate(const spelled& input, std::string_view lane, std::string_view guard) {
  if (!guard.empty() && spare_lanes() != spare::ask) {
    take(input);
    std::vector<int> all;
    for (int m = 0; m < members(); ++m) all.push_back(m);
    return fold_where(guard, lane, all, [&](const spelled& x, const spelled& y) { fold(x, y); });
  }
  if (!in_run_) return kernel_writer::accumulate(input, lane, guard);
  take(input, guard);
  for (std::size_t a = 0; a < b_.k.accumulators.size(); ++a) {
    const int first = b_.first_member(static_cast<int>(a));
    const spelled into = [&](int m) {
      return number(b_.is_short_sum(m) ? "run" : "acc", m) + "[" + std::string(lane) + "]";
    };
    const spelled element = [](int m) { return number("e", m); };
    w_.line(b_.is_short_sum(first) ? into(first) + " += " + element(first) + ";"
                                   : b_.fold(static_cast<int>(a), into, element));
  }
}

bool cpu_writer::adds_bytes(int m) const {
  const value& from = b_.k.values[b_.k.values[b_.folded_value(m)].args[0]];
  return from.kind == value_kind::input && itemsize(from.type) == 1;
}

// As long as the lanes are filled.
void cpu_writer::fold_whole(const std::string& to, const fold_element& write) {
  w_.open("for (; i + ", lanes(), " <= ", to, "; i += ", lanes(), ")");
  // Without it gcc unrolls this loop before it looks for vectors, and then finds none in max, min, exp and others.
  w_.raw("#pragma omp simd\n");
  w_.open("for (int l = 0; l < ", lanes(), "; ++l)");
  write("i + l", "l", "");
  w_.close();
  w_.close();
}

void cpu_writer::fold_range(const std::string& to, const fold_element& write) {
  std::vector<int> in_runs;
  for (int m = 0; m < members(); ++m)
    if (b_.is_short_sum(m)) in_runs.push_back(m);
  if (in_runs.empty()) {
    fold_whole(to, write);
  } else {
    // As many as cannot overflow: of bytes 7 bits of turns in 16, else 15 in 32.
    const bool narrow = std::all_of(in_runs.begin(), in_runs.end(), [this](int m) { return adds_bytes(m); });
    const std::string most = std::to_string((narrow ? 1 << 7 : 1 << 15) * lane_count());
    w_.open("while (i + ", lanes(), " <= ", to, ")");
    w_.line("const long long stop = ", to, " - i < ", most, " ? ", to, " : i + ", most, ";");
    for (int m : in_runs) w_.line(narrow ? "short " : "int ", number("run", m), "[", lanes(), "] = {0};");
    in_run_ = true;
    fold_whole("stop", write);
    in_run_ = false;
    w_.open("for (int l = 0; l < ", lanes(), "; ++l)");
    for (int m : in_runs) w_.line(number("acc", m), "[l] += ", number("run", m), "[l];");
    w_.close();
    w_.close();
  }
  w_.line("const int odd = ", to, " - i;");
  const spare how = spare_lanes();
  if (how != spare::absent) w_.open("if (odd > 0)");
  if (how == spare::back) w_.line("i -= ", lanes(), " - odd;");
  w_.raw("#pragma omp simd\n");
  w_.open("for (int l = 0; l < ", how == spare::absent ? "odd" : lanes(), "; ++l)");
  const std::string guard = how == spare::back ? "l >= " + lanes() + " - odd" : how == spare::absent ? "" : "l < odd";
  write("i + l", "l", guard);
  w_.close();
  if (how != spare::absent) w_.close();
}

void cpu_writer::begin_onward(const std::string& count) {
  if (spare_lanes() != spare::back) return w_.line("long long lane = 0;");
  w_.line("const int last_lane = ", lanes(), " - (", count, ") % ", lanes(), ";");
  w_.line("long long whole = (", count, ") / ", lanes(), " * ", lanes(), ", lane = whole == 0 ? last_lane : 0;");
}

void cpu_writer::fold_onward(const std::string& to, const fold_element& write) {
  w_.open("while (i < ", to, ")");
  w_.line("const long long left = ", to, " - i, count = left < ", lanes(), " - lane ? left : ", lanes(), " - lane;");
  w_.open("if (count == ", lanes(), ")");
  w_.raw("#pragma omp simd\n");
  w_.open("for (int l = 0; l < ", lanes(), "; ++l)");
  write("i + l", "l", "");
  w_.close();
  w_.otherwise();
  w_.raw("#pragma omp simd\n");
  w_.open("for (int l = 0; l < count; ++l)");
  write("i + l", "lane + l", "");
  w_.close();
  w_.close();
  w_.line("i += count;");
  w_.line("lane = (lane + count) % ", lanes(), ";");
  if (spare_lanes() == spare::back) w_.line("if ((whole -= count) == 0) lane = last_lane;");
  w_.close();
}

// Unrolled, each step is of a known number of lanes.
void cpu_writer::end_lanes(const std::function<void(const spelled& x, const spelled& y)>& write) {
  w_.raw("#pragma GCC unroll 8\n");
  w_.open("for (int half = ", std::to_string(lane_count() / 2), "; half > 0; half /= 2)");
  w_.open("for (int l = 0; l < half; ++l)");
  write([](int m) { return number("acc", m) + "[l]"; }, [](int m) { return number("acc", m) + "[l + half]"; });
  w_.close();
  w_.close();
}

void write_cpu_kernel(writer& w, const body& b) {
  switch (b.shape) {
    case form::map: return write_cpu_map(w, b);
    case form::fold: return write_cpu_fold(w, b);
    case form::rows: return write_cpu_rows(w, b);
    case form::scan: return write_cpu_scan(w, b);
    case form::transform: throw internal_error("a transform in C: a CPU calls its library");
  }
}

}  // namespace sinter::codegen
