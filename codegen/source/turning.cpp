#include "codegen/source/turning.hpp"

#include <functional>
#include <string>

#include "codegen/source/body.hpp"

namespace sinter::codegen {

// `turn<bytes>` copies `down` elements that follow each other from each of `across` places, `step` apart, into the columns of a
// tile. Squares are turned in registers: the halves off the diagonal change places, then those of each half.
void turning_function(writer& w, int bytes, int side) {
  const int width = 32 / bytes;
  const std::string size = std::to_string(bytes), n = std::to_string(width), row = std::to_string(side);
  const char* const word = bytes == 4 ? "unsigned int" : "unsigned long long";
  const auto each = [&](const std::function<void(const std::string&)>& line) {
    for (int k = 0; k < width; ++k) line(std::to_string(k));
  };
  w.line("typedef ", word, " word", size, " __attribute__((may_alias));");
  w.line("typedef ", word, " words", size, " __attribute__((vector_size(32), aligned(", size, "), may_alias));");
  w.open("static inline void turn", size,
         "(const void* first, long long step, long long down, long long across, void* tile)");
  w.line("const word", size, "* const from = first;");
  w.line("word", size, "* const to = tile;");
  w.line("long long i = 0;");
  w.raw("#ifdef __has_builtin\n#if __has_builtin(__builtin_shufflevector)\n");
  w.open("for (; i + ", n, " <= across; i += ", n, ")");
  w.line("long long r = 0;");
  w.open("for (; r + ", n, " <= down; r += ", n, ")");
  each([&](const std::string& k) {
    w.line("words", size, " a", k, " = *(const words", size, "*)(from + (i + ", k, ") * step + r), b", k, ";");
  });
  for (int half = width / 2; half > 0; half /= 2) {
    std::string low, high;
    for (int e = 0; e < width; ++e) {
      low += ", " + std::to_string(e & half ? width + e - half : e);
      high += ", " + std::to_string(e & half ? width + e : e + half);
    }
    for (int k = 0; k < width; ++k) {
      const std::string x = number("a", k & ~half), y = number("a", k | half);
      w.line(number("b", k), " = __builtin_shufflevector(", x, ", ", y, k & half ? high : low, ");");
    }
    each([&](const std::string& k) { w.line("a", k, " = b", k, ";"); });
  }
  each([&](const std::string& k) { w.line("*(words", size, "*)(to + (r + ", k, ") * ", row, " + i) = a", k, ";"); });
  w.close();
  w.line("for (; r < down; ++r)");
  w.line("  for (int k = 0; k < ", n, "; ++k) to[r * ", row, " + i + k] = from[(i + k) * step + r];");
  w.close();
  w.raw("#endif\n#endif\n");
  w.line("for (; i < across; ++i)");
  w.line("  for (long long r = 0; r < down; ++r) to[r * ", row, " + i] = from[i * step + r];");
  w.close();
  w.blank();
}

}  // namespace sinter::codegen
