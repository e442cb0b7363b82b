// What the C kernels of every form are written with.
#pragma once

#include "codegen/source/body.hpp"
#include "codegen/source/geometry.hpp"

namespace sinter::codegen {

class cpu_writer : protected kernel_writer {
 protected:
  cpu_writer(writer& w, const body& b) : kernel_writer(w, b), counted_(counted_by(b)) {}

  void argument_struct();
  /// Opens a function over work items.
  void open(std::string_view name);
  /// The whole kernel where an item needs no other: `write_item` writes what is done for item `item`.
  template <class F>
  void each_item(F write_item) {
    open("sinter_kernel");
    load_fixed(when::points);
    load_fixed(when::row);
    w_.open("for (long long item = begin; item < end; ++item)");
    write_item();
    w_.close();
    w_.close();
  }

  /// Do random numbers that are neighbours share a block of words here?
  bool counts() const { return counted_ >= 0; }
  /// Is element `i` one at which such a block begins?
  std::string begins_block(std::string_view prefix, std::string_view i) const {
    return "((" + counted_from(prefix) + " + " + std::string(i) + ") & 3) == 0";
  }
  /// Four neighbours, of which the first is element `i` and begins a block.
  void each_of_four(const std::string& prefix, const std::string& i, const std::function<void(const spelled&)>& write);

  /// Which of the columns group `group` has: `width` of them, at most `tile`, from `first` of the `line` on; and where operands that are
  /// read at points lie there, with or without the outputs.
  void find_tile(const std::string& group, int tile, bool with_outputs);
  /// Goes on over rows `position` of a tile, as long as there are so many left before `end`, and folds them by `write`, given where
  /// each begins: of several, running values are loaded and stored once. `after`: what comes behind each turn.
  void rows_at_once(
      const std::vector<std::string>& rows, const std::string& end,
      const std::function<void(const std::string& prefix)>& write, const std::function<void()>& after = [] {});
  /// Element `at` of column `first + l`, which is so short that the text names its length; `dense`: what moves in steps lies in rows
  /// without gaps. Of an operand that has no elements, where it is.
  std::string in_short_row(int o, int at, int length, bool dense) const;

  /// A row is folded in lanes: the element at position p goes into `acc<m>[p % lanes]`, however the row is gone through (but for
  /// those that are left over by whole turns, where lanes go `back`: they fill the last lanes), and the lanes are folded as a tree. gcc may not reorder a
  /// floating sum, so the order is spelled out.
  int lane_count() const { return b_.shape == form::fold ? b_.v.fold.lanes : b_.v.rows.lanes; }
  std::string lanes() const { return std::to_string(lane_count()); }
  bool lanes_filled() const { return b_.shape == form::fold ? b_.v.fold.filled : b_.v.rows.filled; }
  /// Writes what folds element `i` into lane `lane`, if `guard` is empty or holds.
  using fold_element = std::function<void(const std::string& i, const std::string& lane, const std::string& guard)>;
  /// Declares `room` running values and sets the first `used` of them.
  void start_lanes(const std::vector<int>& members, const std::string& room, const std::string& used);
  /// From a variable `i`, at which the lanes begin, to element `to`.
  void fold_range(const std::string& to, const fold_element&);
  /// Declares what says in which lane the next element of `count` belongs, where they are gone through piece by piece.
  void begin_onward(const std::string& count);
  /// From `i` to `to`, a piece; leaves both where the next elements begin.
  void fold_onward(const std::string& to, const fold_element&);
  /// As kernel_writer's; within a run sums of narrow integers go into lanes of their own, `run<m>`. A guard is looked at as
  /// spare_lanes() has it.
  void accumulate(const spelled& input, std::string_view lane = "", std::string_view guard = "");
  /// Folds the lanes into the first by `write`, given two of them.
  void end_lanes(const std::function<void(const spelled& x, const spelled& y)>& write);
  /// What the lanes do that the end of a row does not fill.
  enum class spare : std::uint8_t {
    absent,  // there are none: as many lanes as are left
    ask,     // each asks whether there is an element, before anything is computed
    back,    // they compute elements before the last ones once more, and leave them out
    zeros    // so do they with zeros, where a row may have too few elements
  };
  spare spare_lanes() const;
  /// As read(), where there may be an element only if the guard, if it is not empty, holds.
  spelled read_where(const std::string& guard, const std::string& prefix, const std::string& i) const;
  /// Folds into lane `lane` what was computed whether the guard holds or not, by `write`, given a running value and an element.
  void fold_where(std::string_view guard, std::string_view lane, const std::vector<int>& members,
                  const std::function<void(const spelled& x, const spelled& y)>& write);

 private:
  std::string counted_from(std::string_view prefix) const { return base(counted_, std::string(prefix)); }
  static int counted_by(const body&);
  void fold_whole(const std::string& to, const fold_element&);
  bool adds_bytes(int member) const;

  bool in_run_ = false;
  const int counted_;  // the positions by which random numbers are counted: an input, or -1
};

/// The kernel functions, by form.
void write_cpu_map(writer&, const body&);
void write_cpu_fold(writer&, const body&);
void write_cpu_rows(writer&, const body&);
void write_cpu_scan(writer&, const body&);

}  // namespace sinter::codegen
