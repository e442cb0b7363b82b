// The CUDA dialect: what kernels of every form begin with. The forms are in cuda_map.cpp, cuda_fold.cpp (and for few columns
// fold_stream.cpp), cuda_rows.cpp, cuda_scan.cpp and transform_rows.cpp.
#include <algorithm>

#include "codegen/source/cuda_writer.hpp"

namespace sinter::codegen {

void cuda_writer::pack_types() {
  std::vector<std::string> done;
  for (int o = 0; o < operands(); ++o) {
    const bool goes_in_packs = packed(o) || (width_ > 1 && b_.v.map.of(o) == way::tiled);
    if (!goes_in_packs) continue;
    if (std::find(done.begin(), done.end(), pack(o)) != done.end()) continue;
    done.push_back(pack(o));
    const int bytes = pack_width(o) * itemsize(operand_type(b_.k, o));
    // One of narrow elements is words first: the compiler would take it to pieces where it is loaded, and wait for it there.
    const std::string words = is_of_words(o) ? "unsigned words[" + std::to_string(bytes / 4) + "]; " : "";
    w_.line(words.empty() ? "struct" : "union", " alignas(", std::to_string(bytes), ") ", pack(o), " { ", words,
            b_.type(o), " at[", std::to_string(pack_width(o)), "]; };");
  }
  if (!done.empty()) w_.blank();
}

void cuda_writer::open(int threads, int blocks) {
  std::string list;
  std::size_t column = 4;
  for (const parameter& p : b_.arguments) {
    // An output that overlaps an input element for element may not be promised to be the only way to its memory.
    const bool pointer = p.type.back() == '*' && (p.what == parameter::input || p.what == parameter::output);
    const std::string item = (p.type.back() == '*' ? p.type : "const " + p.type) +
                             (pointer && !b_.v.aliased ? " __restrict__ " : " ") + p.name +
                             (&p == &b_.arguments.back() ? "" : ",");
    if (column + item.size() > 116) list += "\n    ", column = 4;
    else if (column > 4) list += " ";
    list += item;
    column += item.size() + 1;
  }
  w_.line("extern \"C\" __global__ void __launch_bounds__(", std::to_string(threads),
          blocks ? ", " + std::to_string(blocks) : "", ") sinter_kernel(");
  w_.open("    ", list, ")");
  if (has_checks(b_.k)) w_.line("index_watch watch{trouble};");
}

void cuda_writer::write_word(int m) {
  const std::string type = b_.member_type(m), name = word_name(m);
  const int halves = std::max(1, itemsize(b_.member_dtype(m)) / 4);
  w_.line("union halves_", name, " { ", type, " value; unsigned half[", std::to_string(halves), "]; };");
  w_.open("static __device__ __forceinline__ void leave_", name, "(volatile unsigned long long* at, unsigned mark, ",
          type, " value)");
  w_.line("union halves_", name, " bits;");
  w_.line("bits.half[0] = 0;");
  w_.line("bits.value = value;");
  for (int h = 0; h < halves; ++h)
    w_.line("at[", std::to_string(h), "] = (unsigned long long)mark << 32 | bits.half[", std::to_string(h), "];");
  w_.close();
  w_.open("static __device__ __forceinline__ bool see_", name,
          "(const volatile unsigned long long* at, unsigned mark, ", type, "* value)");
  std::string words, all;
  for (int h = 0; h < halves; ++h) {
    words += (h ? ", w" : "w") + std::to_string(h) + " = at[" + std::to_string(h) + "]";
    all += (h ? " && (unsigned)(w" : "(unsigned)(w") + std::to_string(h) + " >> 32) == mark";
  }
  w_.line("const unsigned long long ", words, ";");
  w_.line("union halves_", name, " bits;");
  for (int h = 0; h < halves; ++h) w_.line("bits.half[", std::to_string(h), "] = (unsigned)w", std::to_string(h), ";");
  w_.line("*value = bits.value;");
  w_.line("return ", all, ";");
  w_.close();
  w_.blank();
}

std::string cuda_writer::word_name(int m) const { return detail::facts(b_.member_dtype(m)).short_name; }

void write_cuda_kernel(writer& w, const body& b) {
  switch (b.shape) {
    case form::map: return write_cuda_map(w, b);
    case form::fold: return write_cuda_fold(w, b);
    case form::rows: return write_cuda_rows(w, b);
    case form::scan: return write_cuda_scan(w, b);
    case form::transform: return write_transform(w, b);
  }
}

}  // namespace sinter::codegen
