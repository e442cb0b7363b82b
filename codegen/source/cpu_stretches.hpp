// Rows of a map that are written as stretches: how far what a point does stays as it is (borders.hpp).
#pragma once

#include <string>
#include <string_view>

#include "codegen/source/cpu_writer.hpp"

namespace sinter::codegen {

class cpu_stretches : protected cpu_writer {
 protected:
  cpu_stretches(writer& w, const body& b)
      : cpu_writer(w, b), m_(b.v.map), last_(b.v.rank - 1), length_(number("n", last_)) {}

  /// An input at element `i`: where it has been turned, in its tile; where all of a row is one element, in a variable.
  spelled read_here(const std::string& prefix, const std::string& i) const;
  bool is_turned(int o) const { return m_.tile && o < b_.inputs() && m_.of(o) == way::tiled; }
  /// Declares the elements that a row has one of.
  void read_still(const std::string& prefix);

  /// What does not change before the next border is asked where a stretch begins, so that its elements are vectors: of each load the
  /// address, which is that of a row of zeros where it is guarded.
  void in_stretches(const std::string& prefix, std::string_view from, std::string_view to);
  /// Rows with the same borders: several go through one stretch, and where it is next to nothing through one of its points, before the
  /// next.
  void rows_in_stretches(const std::string& prefix, const std::string& from, const std::string& to);

  const map_schedule& m_;
  const int last_;
  const std::string length_;

 private:
  bool is_still(int o) const { return b_.v.operands[o] == access::still && b_.is_element(o); }
  void begin_stretch(const std::string& prefix, std::string_view to);
  void through_stretch(const std::string& prefix);
  std::string find_steps(const std::string& prefix);
  void points_down(const std::function<void(const std::function<void()>&)>& each_row);
  std::string asks_alike() const;
  void find_border(const function& border, const std::string& prefix);
  void find_place(std::size_t l, const std::string& prefix);
  void ask_place(std::size_t l, const std::string& prefix, const std::string& at, const std::string& offset,
                 const std::string& inside);
  spelled settled(const std::string& behind, bool with_steps = false) const;
};

}  // namespace sinter::codegen
