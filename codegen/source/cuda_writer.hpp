// What the CUDA kernels of every form are written with: the kernel's head, and 16-byte packs of neighbouring elements.
#pragma once

#include "codegen/source/body.hpp"
#include "codegen/source/geometry.hpp"

namespace sinter::codegen {

class cuda_writer : protected kernel_writer {
 protected:
  cuda_writer(writer& w, const body& b) : kernel_writer(w, b), width_(lane_width(b.k, b.v)) {}

  bool packed(int o) const {
    if (!b_.k.reduces()) return b_.v.map.of(o) == way::packed;
    const access a = b_.v.operands[o];
    const bool packs = b_.shape == form::fold   ? b_.v.fold.packed
                       : b_.shape == form::scan ? b_.v.scan.packed
                                                : b_.v.rows.packed;
    return packs && ((a == access::unit && width_ > 1) || a == access::staged) && b_.is_element(o);
  }
  /// Elements of one. What goes through shared memory does so in whole packs, whatever a thread then takes.
  int pack_width(int o) const {
    return b_.v.operands[o] == access::staged ? 16 / itemsize(operand_type(b_.k, o)) : width_;
  }
  std::string pack(int o) const {
    return std::string(detail::facts(operand_type(b_.k, o)).short_name) + "x" + std::to_string(pack_width(o));
  }

  bool is_of_words(int o) const {
    const int each = itemsize(operand_type(b_.k, o));
    return each < 4 && pack_width(o) * each % 4 == 0;
  }

  void pack_types();
  /// Opens the kernel function. `blocks`: how many a multiprocessor is to have registers for; 0: the compiler decides.
  void open(int threads, int blocks = 0);

  /// A position in a pack that begins at `i`. The compiler is to see that those of a pack share what is above its bits, so
  /// that random numbers share a block of words: with a sum in place of the `or` it does not.
  bool counts(int o) const { return b_.is_iota(o) && b_.v.operands[o] == access::unit && width_ > 1; }
  std::string position_in_pack(int o, const std::string& prefix, const std::string& i) const {
    return "((" + base(o, prefix) + " + " + i + ") & -" + std::to_string(width_) + "ll) | l";
  }

  /// How an input is spelled inside a pack: packed inputs were loaded into v<o>.
  spelled read_pack(std::string prefix) const {
    return [this, prefix](int o) {
      if (packed(o)) return number("v", o) + ".at[l]";
      return counts(o) ? position_in_pack(o, prefix, "i") : read(prefix, "i + l")(o);
    };
  }

  /// An operand's pack at `i`; where it is loaded into.
  std::string packed_element(int o, const std::string& prefix) const {
    const std::string type = (o < b_.inputs() ? "const " : "") + pack(o);
    return "*reinterpret_cast<" + type + "*>(" + base(o, prefix) + " + i)";
  }
  void load_pack(int o, const std::string& prefix) {
    w_.line("const ", pack(o), " ", number("v", o), " = ", packed_element(o, prefix), ";");
  }
  void load_packs(const std::string& prefix) {
    for (int o = 0; o < b_.inputs(); ++o)
      if (packed(o) && b_.is_read_at_points(o)) load_pack(o, prefix);
  }

  /// What a block leaves for another of its launch is told from what was there before by a mark in the same word, which is written
  /// at once: the functions with which a member of a state is left and found.
  void write_word(int m);
  /// What a member's type is called in their names.
  std::string word_name(int m) const;
  /// In how many words a member is left, each having half of its 8 bytes for the mark.
  std::string words_each() const { return std::to_string(words_of_member(b_.k)) + "ll"; }

  const int width_;
};

/// The kernel function, by form.
void write_cuda_map(writer&, const body&);
void write_cuda_fold(writer&, const body&);
void write_cuda_rows(writer&, const body&);
void write_cuda_scan(writer&, const body&);
void write_transform(writer&, const body&);

}  // namespace sinter::codegen
