// The elements that a thread of a scan has: the loops over them, and how what is made of them is stored.
#pragma once

#include <algorithm>

#include "codegen/source/scan_passing.hpp"

namespace sinter::codegen {

class scan_elements : protected scan_passing {
 protected:
  scan_elements(writer& w, const body& b)
      : scan_passing(w, b),
        threads_(b.v.scan.threads),
        across_(b.v.scan.across),
        held_(b.v.scan.held),
        span_(std::min(across_, 32)) {}

  int packs() const { return held_ / width_; }
  /// The packs of a thread: of a row, one of each thread side by side, again and again; of a column, its elements.
  void each_pack() {
    w_.raw("#pragma unroll\n");
    w_.open("for (int h = 0; h < ", text(packs()), "; ++h)");
  }
  void pack_index() {
    w_.line("const ", b_.index, " i = first + h", b_.v.columns ? "" : " * " + text(span_ * width_), ";");
  }
  void each_lane(int from = 0) {
    if (width_ > 1) w_.raw("#pragma unroll\n"), w_.open("for (int l = ", text(from), "; l < ", text(width_), "; ++l)");
  }
  void end_each_lane() {
    if (width_ > 1) w_.close();
  }
  std::string element_index() const { return width_ > 1 ? "i + l" : "i"; }
  std::string slot(const std::string& l = "l") const { return width_ > 1 ? "h * " + text(width_) + " + " + l : "h"; }
  std::string running(int a) const { return number("run", a) + "[" + slot() + "]"; }

  /// Where operands are at an element: the prefix of their names, and the index along the fastest axis.
  std::string locate_element() {
    if (!b_.v.columns) return "p";
    b_.unravel(w_, b_.kept(), b_.v.rank, "i");
    place("q", "p", b_.kept(), b_.v.rank, when::points, true);
    return "q";
  }
  std::string fastest_index() const { return b_.v.columns ? number("i", b_.fastest()) : element_index(); }

  /// Makes room for what a thread stores of one of its packs, or of all of them, before it is computed.
  void declare_outputs(const std::vector<int>& outputs);
  /// The place for an output's element.
  std::string computed(int o) const;
  /// Of one pack.
  void store(const std::vector<int>& outputs);
  /// Of a scan that compresses (kernel.hpp) in several blocks, elements and their places stay in registers until all of a thread's are
  /// there. Then the elements go through shared memory, so that neighbours write neighbours.
  bool stages_kept() const { return b_.k.compresses && b_.v.scan.split; }
  void store_staged();
  /// So that what a tile folds to is how many of its elements are kept.
  void drop_past_end(int a);

  const int threads_, across_;
  const int held_;
  const int span_;  // threads that take packs of a row side by side

 private:
  std::string output_type(int o) const;
  void store_elements(const std::vector<int>& outputs, bool whole);
  void store_kept();
};

}  // namespace sinter::codegen
