// The vocabulary of scan_passing.hpp.
#include "codegen/source/scan_passing.hpp"

#include <algorithm>

namespace sinter::codegen {

void scan_passing::write_passing() {
  std::vector<std::string> written;
  for (int a = 0; a < members(); ++a) {
    if (std::find(written.begin(), written.end(), word_name(a)) == written.end()) write_word(a);
    written.push_back(word_name(a));
    write_ahead(a);
  }
}

void scan_passing::write_ahead(int a) {
  const std::string type = b_.member_type(a), name = word_name(a), group = text(scan_group);
  w_.line("// What the tiles before tile `part` fold to, known to lane 0: those near it, or all others.");
  w_.open("static __device__ __forceinline__ ", type, " ahead", text(a),
          "(volatile unsigned long long* tiles, int parts, int part, unsigned mark, int lane, bool far)");
  w_.line("const int place = part % ", group, ", group = part / ", group, ", nook = group % ", group,
          ", age = group / ", group, ";");
  w_.line("const int at = (far ? parts + age * ", group, " : group * ", group, ") + lane;");
  w_.line(type, " all = ", b_.neutral(a), ", old = ", b_.neutral(a), ";");
  w_.line("while (lane < (far ? nook : place) && !see_", name, "(tiles + ", words_each(), " * at, mark, &all)) {}");
  w_.raw("#pragma unroll\n");
  w_.open("for (int half = 16; half > 0; half /= 2)");
  w_.line("const ", type, " e = __shfl_down_sync(0xffffffff, all, half);");
  w_.line("all = ", b_.folded(a, "all", "e"), ";");
  w_.close();
  w_.line("while (far && age > 0 && !see_", name, "(tiles + ", words_each(), " * (parts + (parts + ",
          text(scan_group - 1), ") / ", group, " + age - 1), mark, &old)) {}");
  w_.line("return ", b_.folded(a, "old", "all"), ";");
  w_.close();
  w_.blank();
}

void scan_passing::leave_group(int a, const std::string& tiles, const std::string& near, const std::string& mine,
                               const std::string& condition) {
  const std::string group = text(scan_group);
  w_.line("if (part % ", group, " == ", text(scan_group - 1), " && ", condition, ") leave_", word_name(a), "(", tiles,
          " + ", words_each(), " * (splits + part / ", group, "), mark, ", b_.folded(a, near, mine), ");");
}

void scan_passing::leave_age(int a, const std::string& tiles, const std::string& value, const std::string& condition) {
  w_.line("if (part % ", text(scan_group * scan_group), " == ", text(scan_group * scan_group - 1), " && ", condition,
          ") leave_", word_name(a), "(", tiles, " + ", words_each(), " * (splits + (splits + ", text(scan_group - 1),
          ") / ", text(scan_group), " + part / ", text(scan_group * scan_group), "), mark, ", value, ");");
}

void scan_passing::take_number() {
  w_.line("__shared__ unsigned long long turn;");
  w_.line("if (threadIdx.x == 0) turn = atomicAdd(words, 1ull);");
  w_.line("__syncthreads();");
  w_.line("const unsigned number = (unsigned)turn, mark = (unsigned)(turn >> 32) + 1;");
  w_.line("const long long places = splits + (splits + ", text(scan_group - 1), ") / ", text(scan_group),
          " + (splits + ", text(scan_group * scan_group - 1), ") / ", text(scan_group * scan_group), ";");
  w_.open("if (threadIdx.x == 0 && number == gridDim.x - 1)");
  w_.line("atomicExch(words, (unsigned long long)mark << 32);");
  w_.line("const unsigned long long other = 1 + mark % (room - 1);");
  w_.line("if (other > ", words_each(), " * ", text(members()), " * places * ", b_.extent(0, b_.kept()),
          ") words[other] = (unsigned long long)mark << 32;");
  w_.close();
}

std::string scan_passing::words_of(int a, const std::string& kept) const {
  return "words + 1 + " + words_each() + " * places * (" + text(a) + "ll * (" + b_.extent(0, b_.kept()) + ") + " +
         kept + ")";
}

void scan_passing::leave_own(int a) {
  w_.line("if (threadIdx.x == 0) leave_", word_name(a), "(", number("tiles", a), " + ", words_each(), " * part, mark, ",
          number("total", a), ");");
}

void scan_passing::declare_words(int a) {
  w_.line("volatile unsigned long long* const ", number("tiles", a), " = ", words_of(a, "kept"), ";");
}

void scan_passing::write_last_uses() {
  std::vector<std::string> done;
  for (int o = 0; o < operands(); ++o) {
    if (!packed(o) || std::find(done.begin(), done.end(), pack(o)) != done.end()) continue;
    done.push_back(pack(o));
    const int bytes = pack_width(o) * itemsize(operand_type(b_.k, o));
    const std::string word = bytes >= 16  ? "uint4"
                             : bytes == 8 ? "uint2"
                                          : "unsigned",
                      words = text(std::max(bytes / 16, 1));
    w_.line("union words_", pack(o), " { ", pack(o), " pack; ", word, " at[", words, "]; };");
    w_.open("static __device__ __forceinline__ ", pack(o), " read_last(const ", pack(o), "* from)");
    w_.line("union words_", pack(o), " all;");
    w_.line("for (int w = 0; w < ", words, "; ++w) all.at[w] = __ldcs(reinterpret_cast<const ", word, "*>(from) + w);");
    w_.line("return all.pack;");
    w_.close();
    w_.open("static __device__ __forceinline__ void write_past(", pack(o), "* to, ", pack(o), " what)");
    w_.line("union words_", pack(o), " all;");
    w_.line("all.pack = what;");
    w_.line("for (int w = 0; w < ", words, "; ++w) __stcs(reinterpret_cast<", word, "*>(to) + w, all.at[w]);");
    w_.close();
    w_.blank();
  }
}

}  // namespace sinter::codegen
