// The arithmetic of a kernel as functions of scalars, the same text in both dialects, and the vocabulary that the two kernels
// around it share: names of operands, how an element is addressed, how accumulators start and fold.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/ir/kernel.hpp"
#include "codegen/source/helpers.hpp"
#include "codegen/source/writer.hpp"

namespace sinter::codegen {

/// A function of some inputs, scalars and reduced values of a kernel that gives some of its values.
struct function {
  std::string name;
  std::string text;
  std::vector<int> inputs, scalars, reduced;
  std::vector<dtype> results;

  /// A statement that stores the results into lvalues, given how each input and reduced value is spelled.
  std::string call(const std::function<std::string(int)>& input, const std::function<std::string(int)>& reduced_value,
                   const std::vector<std::string>& into) const;
};

/// What both dialects build a kernel from.
class body {
 public:
  body(const kernel&, const variant&, dialect);

  const kernel& k;
  const variant& v;
  const dialect to;
  std::vector<parameter> arguments;
  function first;   // a map's outputs, or what a reduction folds
  function second;  // a reduction's outputs
  std::string index;  // the index type

  int inputs() const { return static_cast<int>(k.inputs.size()); }
  int kept() const { return v.rank - v.reduced; }
  int fastest() const { return fastest_axis(v); }
  bool first_reads(int input) const;

  /// The file's head: what the kernel is, types, helpers and declarations, then the functions.
  std::string head() const;

  /// Lines that split the flat position `flat` into indices `i<axis>` of axes [from, to).
  void unravel(writer&, int from, int to, const std::string& flat) const;
  /// The product of the extents of axes [from, to): "1", "n0", "n0 * n1".
  std::string extent(int from, int to) const;
  /// " + i0 * in0_step0 ..." over axes [from, to) but `skip`.
  std::string offset(int operand, int from, int to, int skip) const;
  /// An operand's element: `base` is a pointer (or an iota's value) and `i` the index along the fastest axis.
  std::string element(int operand, const std::string& base, const std::string& i) const;
  /// The operand's name ("in0", "out1") and its dtype's text.
  std::string name(int operand) const;
  std::string type(int operand) const;
  bool is_iota(int operand) const { return operand < inputs() && k.inputs[operand].iota; }

  /// Accumulator `a`: its type, its first value, and the folding of two.
  std::string accumulator_type(int a) const;
  std::string identity(int a) const;
  std::string fold(int a, const std::string& x, const std::string& y) const;

 private:
  function make_function(std::string name, const std::vector<std::uint16_t>& roots);
  mutable helper_list used_;
};

/// The kernel function itself, by dialect.
void write_cuda_kernel(writer&, const body&);
void write_cpu_kernel(writer&, const body&);

}  // namespace sinter::codegen
