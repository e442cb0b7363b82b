// The arithmetic of a kernel as functions of scalars, the same text in both dialects, and the vocabulary that the two kernels
// around it share: names of operands, how an element is addressed, how accumulators start and fold.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/ir/stages.hpp"
#include "codegen/ir/target.hpp"
#include "codegen/source/borders.hpp"
#include "codegen/source/helpers.hpp"
#include "codegen/source/writer.hpp"

namespace sinter::codegen {

inline std::string number(std::string_view prefix, int i) { return std::string(prefix) + std::to_string(i); }

using spelled = std::function<std::string(int)>;

/// A function of some inputs, scalars, divisors made of scalars, reduced (or scanned) and kept values of a kernel that gives
/// some of its values.
struct function {
  std::string name;
  std::string text;
  std::vector<int> inputs, scalars, divisors, reduced, given;
  std::vector<dtype> results;
  std::string notes;       // of indices that are out of range: what they go to, where it looks at any
  bool everywhere = true;  // it may be computed of anything: it looks at no index and calls no text

  /// A statement that stores the results into lvalues, given how each input, reduced value and kept value is spelled.
  std::string call(const spelled& input, const spelled& reduced_value, const std::vector<std::string>& into,
                   const spelled& kept = {}) const;
};

/// What both dialects build a kernel from.
class body {
 public:
  body(const kernel&, const variant&, const target&);

  const kernel k;  // as it is spelled: see with_short_sums in body.cpp
  const variant& v;
  const target goal;
  const dialect to;
  std::vector<parameter> arguments;
  const std::vector<bool> divides;                // scalars that are only divided by, through a divisor `d<scalar>`
  const std::vector<bool> rounded;                // products that are rounded before they are added or subtracted
  const std::vector<const function_text*> texts;  // texts of the program's own, by number
  const form shape;
  const std::vector<stage> stages;
  std::vector<function> points;  // what each stage computes: `point`, `element`, or `stage0`, `stage1`, ...
  std::vector<function> once;    // what it takes that is the same all along a row: `row0`, ...; some are empty
  function result;               // outputs that are written once for each row
  const stretches cut;  // of a map in stretches, and what they ask: `border<value>`, and `place<value>`, which gives
  std::vector<function> borders, places;  // the offset and the guard of a load, where it has any
  std::string index;                      // the index type

  int inputs() const { return static_cast<int>(k.inputs.size()); }
  int kept() const { return v.rank - v.reduced; }
  int fastest() const { return fastest_axis(v); }
  /// Is an input read at every point, not once for each row?
  bool is_read_at_points(int input) const;
  /// The outputs that are written once for each row.
  std::vector<int> row_outputs() const;

  /// The head of the file that `kernel_text` ends: what the kernel is, types, helpers and declarations, then the functions.
  std::string head(std::string_view kernel_text) const;

  /// Lines that split the flat position `flat` into indices `i<axis>` of axes [from, to), by way of a variable `rest`.
  void unravel(writer&, int from, int to, const std::string& flat, const std::string& rest = "rest") const;
  /// The product of the extents of axes [from, to): "1", "n0", "n0 * n1".
  std::string extent(int from, int to) const;
  /// " + i0 * in0_step0 ..." over axes [from, to) but `skip`.
  std::string offset(int operand, int from, int to, int skip) const;
  /// An operand's element: `base` is a pointer (or an iota's value) and `i` the index along the fastest axis. Of an indexed one
  /// it is the address.
  std::string element(int operand, const std::string& base, const std::string& i) const;
  /// The operand's name ("in0", "out1") and its dtype's text.
  std::string name(int operand) const;
  std::string type(int operand) const;
  /// Truth values that C kernels read: as bytes, of which gcc makes vectors, where it takes bool one by one.
  bool is_byte_of_truth(int operand) const;
  bool is_byte(const value&) const;
  bool is_iota(int operand) const { return operand < inputs() && k.inputs[operand].iota; }
  bool is_indexed(int operand) const { return operand < inputs() && k.inputs[operand].indexed; }
  bool is_element(int operand) const { return operand >= inputs() || k.inputs[operand].is_element(); }

  /// The members of the accumulators' states are numbered one after the other: the first of accumulator `a`, the one that is
  /// its result, and how many there are; a member's type, and what it is before anything is folded.
  int first_member(int a) const;
  int result_member(int a) const { return first_member(a) + k.accumulators[static_cast<std::size_t>(a)].result(); }
  int members() const { return count_members(k); }
  std::string member_type(int m) const;
  dtype member_dtype(int m) const;
  /// The value that a member folds.
  std::uint16_t folded_value(int m) const;
  /// The type in which an element comes, that of the member but for sums of narrow integers: those may be added up in 32 bits,
  /// a pack or a run at a time.
  std::string element_type(int m) const;
  bool is_short_sum(int m) const { return element_type(m) != member_type(m); }
  std::string identity(int m) const;
  /// A type in which every member fits.
  const char* slot() const { return state_words(k) > 1 ? "complex128" : "double"; }
  /// A statement that folds the state of accumulator `a` whose members `y` spells into the one that `x` spells.
  std::string fold(int a, const spelled& x, const spelled& y) const;
  /// Of a choice: does `y` stand in for `x`?
  std::string stands_in(int a, const spelled& x, const spelled& y) const;
  /// The first members of two states folded, which is all that scans have; and what changes no bit of one that it is
  /// folded with, as a sum's identity changes the sign of a zero.
  std::string folded(int a, const std::string& x, const std::string& y) const;
  std::string neutral(int a) const;

 private:
  void ask_in_stretches();
  std::vector<std::uint16_t> given_in_stretches() const;
  function make_function(std::string name, const std::vector<std::uint16_t>& roots,
                         const std::vector<std::uint16_t>& given);
  bool is_rounded(const value&) const;
  std::string spell_value(const value&, const std::vector<std::string>& names, bool stay_wide) const;
  std::string spell_call(const value&, const std::vector<std::string>& names) const;
  std::string spell_whole_call(const value&, const std::vector<std::string>& names) const;
  int results_from(const value&, const std::vector<std::string>& names) const;
  void write_results(writer&, const value&, const std::vector<std::string>& names) const;
  /// What a text of the program's own, or something that belongs to it, is called: `called0`, `start0`.
  std::string name_of(const function_text*, const char* prefix) const;
  std::string heading_of(const function&) const;
  const accumulator& of_member(int m, int& within) const;
  /// A type of what a fold has under way: of truth values bytes, in C, for the same reason.
  std::string spelled_state(dtype) const;
  std::string spelled_result(const function&, std::size_t result) const;
  std::vector<std::string> parameters_of(const function&) const;
  mutable helper_list used_;
};

/// What the kernel functions of both dialects are written with. Inputs that never move are x<o>, read once; where a moving
/// operand is at some indices is <prefix><o>.
class kernel_writer {
 protected:
  kernel_writer(writer& w, const body& b) : w_(w), b_(b) {}

  int operands() const { return b_.inputs() + static_cast<int>(b_.k.outputs.size()); }
  /// The members of accumulators' states, all of them or those of a stage.
  int members() const { return b_.members(); }
  std::vector<int> members_of(const stage&) const;

  /// When an operand is read or written: at every point, or once for each row.
  enum class when { points, row };
  bool is(when, int operand) const;
  /// Declares the inputs that never move.
  void load_fixed(when);
  /// Declares where moving inputs (and outputs) are, given the indices of axes [from, to).
  void place(std::string_view prefix, std::string_view base_prefix, int from, int to, when, bool outputs);
  void place_outputs(std::string_view prefix, std::string_view base_prefix, int from, int to, when);
  /// How an input is spelled at index `i` of the fastest axis; and the outputs.
  spelled read(std::string prefix, std::string i) const;
  std::vector<std::string> outputs(when, const std::string& prefix, const std::string& i) const;
  /// Lines that fold the states whose members `y` spells into those that `x` spells: all, or those of a stage.
  void fold(const spelled& x, const spelled& y);
  void fold(const stage&, const spelled& x, const spelled& y);
  /// Is a value that a stage is given computed once for a row, not kept of its points?
  bool is_once(int value) const;
  /// Declares what an element, read through `input`, gives the states, by member: `e<m>`. Where `guard`, if there is one, does
  /// not hold, nothing is read, and that is what a state is at first.
  void take(const spelled& input, std::string_view guard = "");
  /// Takes an element and folds it into the states `acc<m>` or, with lanes, `acc<m>[lane]`.
  void accumulate(const spelled& input, std::string_view lane = "", std::string_view guard = "");

  std::string base(int operand, const std::string& prefix) const;

 private:
  void place(int operand, std::string_view prefix, std::string_view base_prefix, int from, int to);

 protected:
  writer& w_;
  const body& b_;
};

/// The kernel function itself, by dialect.
void write_cuda_kernel(writer&, const body&);
void write_cpu_kernel(writer&, const body&);

}  // namespace sinter::codegen
