// From nodes to a program, first half: walks the DAG of one evaluation and writes (a) a signature, words that spell the whole
// program but for extents, strides and scalars, and (b) those run-time facts. decode.cpp reads the signature back into IR, so
// a signature cannot leave out anything a program depends on. This walk is on the path of every evaluation.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "codegen/ir/buffer.hpp"
#include "codegen/ir/kernel.hpp"
#include "codegen/ir/node.hpp"

namespace sinter::codegen {

/// A reference to something computed: a value of this program, an array, an iota, or the result of a boundary.
struct ref {
  enum kind : unsigned { value, array, iota, result };
  std::uint64_t bits = 0;
  // bits 0-1 kind, 2-9 dtype, 10 plain, 11 own_row, 12 place, 16-31 boundary, 32-63 index of the value or the operand
  static ref make(kind k, dtype t, unsigned index, unsigned boundary = 0, bool plain = false, bool own_row = false) {
    return {k | std::uint64_t(static_cast<unsigned>(t)) << 2 | std::uint64_t(plain) << 10 |
            std::uint64_t(own_row) << 11 | std::uint64_t(boundary) << 16 | std::uint64_t(index) << 32};
  }
  kind what() const { return static_cast<kind>(bits & 3); }
  dtype type() const { return static_cast<dtype>(bits >> 2 & 0xff); }
  bool plain() const { return bits >> 10 & 1; }  // a result read under broadcasting alone, no view between
  // A row's result read where the row lies: the domain of the reduction has the axes of the reader's space, and each point
  // reads what was folded of its own row. Of a scan: each point reads what was folded up to it.
  bool own_row() const { return bits >> 11 & 1; }
  // Of an operand: not its element, but the place that loads count from.
  bool place() const { return bits >> 12 & 1; }
  ref as_place() const { return {bits | 1u << 12}; }
  static ref none() { return {~std::uint64_t{0}}; }
  bool is_none() const { return bits == none().bits; }
  unsigned boundary() const { return bits >> 16 & 0xffff; }
  unsigned index() const { return static_cast<unsigned>(bits >> 32); }
};

/// What makes a boundary's result: a reduction, a scan, nothing but its being computed once instead of at each of its uses, or a
/// Fourier transform of its rows.
enum class maker : std::uint8_t { fold, scan, map, transform };

/// The words of a signature: an expression is its fragment's address (even), a ref for each node it takes, and the classes of
/// its scalar exponents (exponent.hpp) or, of a call, the guard, if there is one; everything else is a marked word (odd) and refs.
struct boundary_word {
  // bits 0-7 mark, 8-15 reduction, 16-23 dtype, 24-31 domain, 32-35 rank of the result, 36 joinable, 37-38 maker, 39-40 the way of a
  // transform. Then its value, and what the reduction takes: the position, or the address of the text that folds.
  static constexpr std::uint64_t mark = 1;
  std::uint64_t bits;
  static boundary_word make(reduction what, dtype t, unsigned domain, int rank, bool joinable, maker by, fourier way) {
    return {mark | std::uint64_t(static_cast<unsigned>(what)) << 8 | std::uint64_t(static_cast<unsigned>(t)) << 16 |
            std::uint64_t(domain) << 24 | std::uint64_t(static_cast<unsigned>(rank)) << 32 |
            std::uint64_t(joinable) << 36 | std::uint64_t(static_cast<unsigned>(by)) << 37 |
            std::uint64_t(static_cast<unsigned>(way)) << 39};
  }
  reduction what() const { return static_cast<reduction>(bits >> 8 & 0xff); }
  dtype type() const { return static_cast<dtype>(bits >> 16 & 0xff); }
  unsigned domain() const { return bits >> 24 & 0xff; }
  int rank() const { return bits >> 32 & 0xf; }
  bool joinable() const { return bits >> 36 & 1; }
  maker by() const { return static_cast<maker>(bits >> 37 & 3); }
  fourier transform() const { return static_cast<fourier>(bits >> 39 & 3); }
  bool takes_position() const { return by() != maker::map && detail::facts(what()).takes_position(); }
  bool by_text() const { return by() != maker::map && what() == reduction::text; }
};
struct root_word {
  static constexpr std::uint64_t mark = 3;
  std::uint64_t bits;
  static root_word make(unsigned space) { return {mark | std::uint64_t(space) << 8}; }
  unsigned space() const { return bits >> 8 & 0xff; }
};
/// The program compresses (kernel.hpp). Comes last.
struct compress_word {
  static constexpr std::uint64_t mark = 13;
};
/// The program counts (kernel.hpp). Comes last.
struct count_word {
  // bits 0-7 mark, 8-39 how many counts a block has room for
  static constexpr std::uint64_t mark = 15;
  std::uint64_t bits;
  static count_word make(int room) { return {mark | std::uint64_t(static_cast<unsigned>(room)) << 8}; }
  int room() const { return static_cast<int>(bits >> 8); }
};
/// The next expression has been met before, over another space: it takes the scalars that it took there, so that its kernel sees
/// that it computes the same.
struct same_scalars_word {
  // bits 0-7 mark, 8-39 the first of them
  static constexpr std::uint64_t mark = 17;
  std::uint64_t bits;
  static same_scalars_word make(int first) { return {mark | std::uint64_t(static_cast<unsigned>(first)) << 8}; }
  int first() const { return static_cast<int>(bits >> 8); }
};
/// An operand read at computed indices, a value. Its scalars: the step of each index, but for those of one element.
struct load_word {
  // bits 0-7 mark, 8-15 indices, 16 guard, 24-55 by index: its step is one element.
  // Then the operand, the indices, the guard.
  static constexpr std::uint64_t mark = 5;
  static constexpr int most_indices = 32;
  std::uint64_t bits;
  static load_word make(int indices, bool guarded, std::uint32_t single) {
    return {mark | std::uint64_t(indices) << 8 | std::uint64_t(guarded) << 16 | std::uint64_t(single) << 24};
  }
  int indices() const { return bits >> 8 & 0xff; }
  bool guarded() const { return bits >> 16 & 1; }
  bool is_single(int index) const { return bits >> (24 + index) & 1; }
};
/// An index that may be negative or out of range, made one that is neither: a value. Its scalar: the extent of the axis.
struct check_word {
  // bits 0-7 mark, 8-15 axis, 16 guard. Then the index, the guard.
  static constexpr std::uint64_t mark = 7;
  std::uint64_t bits;
  static check_word make(int axis, bool guarded) {
    return {mark | std::uint64_t(static_cast<unsigned>(axis)) << 8 | std::uint64_t(guarded) << 16};
  }
  int axis() const { return bits >> 8 & 0xff; }
  bool guarded() const { return bits >> 16 & 1; }
};
/// Both of two guards, a value. Then the two.
struct both_word {
  static constexpr std::uint64_t mark = 9;
};
/// An index into one of the axes that a position in C order goes over: a value. Its scalars, where they are needed: the
/// elements that lie behind one step of the axis, and the axis's extent. Then the position.
struct digit_word {
  // bits 0-7 mark, 8 it is not the last axis, 9 not the first
  static constexpr std::uint64_t mark = 11;
  std::uint64_t bits;
  static digit_word make(bool divides, bool wraps) {
    return {mark | std::uint64_t(divides) << 8 | std::uint64_t(wraps) << 9};
  }
  bool divides() const { return bits >> 8 & 1; }
  bool wraps() const { return bits >> 9 & 1; }
};

/// A step's domain: the axes it runs over, those of a shape or, where a reshape asks for that, parts of them. `reduced`: bit d
/// is set where axis d is folded away.
struct space {
  sinter::shape extents;
  std::uint32_t reduced = 0;
  std::uint8_t like = 0;  // the first space of these extents: operands lie in that one, whatever is folded
};

/// One thing a kernel reads or writes, as it lies in its space.
struct operand {
  std::byte* data = nullptr;  // null for iota, and for results of earlier steps until they exist
  detail::storage* memory = nullptr;
  const detail::array_node* from = nullptr;  // the first array that it was met as
  std::int64_t origin = 0;                   // iota: the value where all indices are 0
  std::int32_t boundary = -1;                // the result of this boundary
  dtype type = dtype::float64;
  std::uint8_t space = 0;
  bool iota = false;
  bool indexed = false;            // read at computed indices: `strides` are those of what the space's own axes add
  bool flat = false;               // contiguous in the space's whole shape: strides are not filled in
  bool fixed = false;              // one element
  std::int64_t offset = 0;         // elements from `data`, for results of earlier steps
  std::int64_t strides[max_rank];  // unless flat
};

/// A value that must exist in memory before it is used.
struct boundary {
  unsigned space;         // the domain it is computed over
  sinter::shape extents;  // the shape of its result, kept axes in order
  dtype type;
  maker by;
};

/// An operand met once more, as another array with the same elements.
struct met_again {
  unsigned operand;
  const detail::array_node* as;
};

struct resolution {
  buffer<std::uint64_t> words;
  std::vector<space> spaces;
  std::vector<operand> operands;
  std::vector<boundary> boundaries;
  buffer<detail::scalar_bits> scalars;
  buffer<const detail::expression_node*> expressions;  // whose scalars these are, one after the other;
                                                       // null: one that follows from layouts
  buffer<met_again> met;
  runtime::device_impl* device = nullptr;        // of the operands; null where there are none
  runtime::device_impl* other_device = nullptr;  // of some of them, which cannot be evaluated
  void clear();
};

/// What one program has room for. One that would be larger, or whose arguments could be more than a kernel can have, is
/// evaluated in parts (parts.hpp).
struct program_room {
  static constexpr std::size_t spaces = 255;  // a ref names one in eight bits
  std::size_t operations = 1024;              // more make kernels that compile slowly and run out of registers
  std::size_t operands = 256;
};

/// Arrays that stand for nodes which earlier parts of an evaluation computed, and for results of calls.
using stand_ins = std::unordered_map<const detail::typed_node*, const detail::array_node*>;

/// What devices differ in.
struct device_ways {
  /// Is what takes long to compute rather kept in memory than computed again? Null: on the thread's device.
  bool (*keeps_work)(const runtime::device_impl*);
  /// Is a call a Fourier transform along the last axis that a kernel of the device makes itself? Not where its result is to be kept.
  fourier (*transforms)(const detail::call_node&, const runtime::device_impl&);
  bool only_looks = false;  // who asks for the roots holds them besides their owners
};

/// Walks the DAG under `roots`, each over the domain `extents[i]`, to which it broadcasts. False where the program has no
/// room, or needs a library to be called first; `into` is of no use then. Errors: `shape_error` for more elements than can be counted.
bool resolve(const detail::typed_node* const* roots, const sinter::shape* const* extents, int count, resolution& into,
             const stand_ins* known = nullptr, program_room = {}, const device_ways* = nullptr);

}  // namespace sinter::codegen
