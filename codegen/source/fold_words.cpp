// The vocabulary of fold_words.hpp.
#include "codegen/source/fold_words.hpp"

#include <algorithm>

namespace sinter::codegen {

void fold_words::write_words() {
  std::vector<std::string> written;
  for (int m = 0; m < members(); ++m) {
    if (std::find(written.begin(), written.end(), word_name(m)) == written.end()) write_word(m);
    written.push_back(word_name(m));
  }
}

void fold_words::take_ticket() {
  w_.line("__shared__ bool last;");
  w_.line("unsigned ticket = 0;");
  w_.line("if (lane == 0) ticket = atomicAdd(&tickets[blockIdx.x], 1u);");
  w_.line("volatile unsigned long long* const words = reinterpret_cast<volatile unsigned long long*>(tickets + ",
          std::to_string(most_tickets), ");");
}

void fold_words::look_at_ticket() { w_.line("if (lane == 0) last = ticket == gridDim.y - 1;"); }

std::string fold_words::word(int m, const std::string& part) const {
  return "words + " + words_each() + " * ((" + std::to_string(m) + "ll * (" + b_.extent(0, b_.kept()) +
         ") + kept) * splits + " + part + ")";
}

void fold_words::leave_word() {
  w_.open("if (threadIdx.x == 0)");
  for (int m = 0; m < members(); ++m)
    w_.line("leave_", word_name(m), "(", word(m, "blockIdx.y"), ", 1, ", number("acc", m), ");");
  w_.close();
  w_.line("if (!last) return;");
  w_.line("if (lane == 0) tickets[blockIdx.x] = 0;  // for the next launch, as the words are");
  w_.line("__syncthreads();");
}

void fold_words::fold_each_word() {
  const std::string count = std::to_string(row_lanes());
  const auto each_lane = [&] {
    w_.raw("#pragma unroll\n");
    w_.open("for (int l = 0; l < ", count, "; ++l)");
    w_.line("const ", b_.index, " part = first + l * blockDim.x;");
    w_.open("if (part < splits)");
  };
  const auto end_each_lane = [&] {
    w_.close();
    w_.close();
  };
  const auto see = [this](int m) {
    return "see_" + word_name(m) + "(" + word(m, "part") + ", 1, &" + number("e", m) + "[l])";
  };
  w_.open("for (", b_.index, " first = threadIdx.x; first < splits; first += ", count, " * blockDim.x)");
  for (int m = 0; m < members(); ++m) {
    w_.line(b_.member_type(m), " ", number("e", m), "[", count, "];");
    w_.line("bool ", number("seen", m), "[", count, "];");
  }
  each_lane();
  for (int m = 0; m < members(); ++m) w_.line(number("seen", m), "[l] = ", see(m), ";");
  end_each_lane();
  each_lane();
  for (int m = 0; m < members(); ++m) {
    w_.line("while (!", number("seen", m), "[l]) ", number("seen", m), "[l] = ", see(m), ";");
    w_.line("leave_", word_name(m), "(", word(m, "part"), ", 0, ", number("e", m), "[l]);");
  }
  fold([](int m) { return number("acc", m); }, [](int m) { return number("e", m) + "[l]"; });
  end_each_lane();
  w_.close();
}

}  // namespace sinter::codegen
