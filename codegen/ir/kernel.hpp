// A kernel before it is text: typed values in evaluation order, what they read and what is written. The cut makes kernels, the
// passes rewrite them, the emitter spells them, the interpreter runs them, and verify() says whether one is well formed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <sinter/detail/reductions.hpp>
#include <sinter/detail/rules.hpp>

#include "codegen/ir/node.hpp"

namespace sinter::codegen {

struct function_text;
using detail::reduction;

/// A reduction's name, NumPy's.
constexpr const char* name(reduction what) { return detail::facts(what).name; }

enum class dialect : std::uint8_t { cuda, c, none };

enum class value_kind : std::uint8_t {
  input,    // element of inputs[index]; of an indexed one, the place in it that loads count from
  scalar,   // scalars[index]
  cast,     // args[0] as `type`
  apply,    // `code` of args, which all have the dtype the operation computes in (choice: args[0] is bool)
  reduced,  // the result of accumulators[index]
  load,     // the element at the place args[0], moved by an offset in elements, int64; 0 where a guard, bool, is false
  check,    // args[0], int64, as an index of an axis of extent args[1]: counted from the end if negative; 0 where it is
            // out of range, which is noted, or where a guard is false
  scanned,  // the value of accumulators[index] up to the point, which is running
  call,     // a result of `called`, whose arguments args are; a raw one is a place. 0 where a guard, bool, is false
};

/// In the `index` of a load, a check or a call: which arguments there are besides, in this order. Above them a check has its
/// axis, and a call the number of its result.
enum with : std::uint16_t { with_offset = 1, with_guard = 2 };
inline constexpr int number_shift = 2;

/// The values that a value is made of: three at most but for calls.
struct value_list {
  std::uint16_t first[3] = {};
  std::vector<std::uint16_t> more = {};
  std::uint16_t& operator[](int i) { return i < 3 ? first[i] : more[static_cast<std::size_t>(i - 3)]; }
  const std::uint16_t& operator[](int i) const { return i < 3 ? first[i] : more[static_cast<std::size_t>(i - 3)]; }
  friend bool operator==(const value_list&, const value_list&) = default;
};

struct value {
  value_kind kind;
  dtype type;
  op code = op::add;
  value_list args = {};
  std::uint16_t index = 0;
  const function_text* called = nullptr;
  friend bool operator==(const value&, const value&) = default;
};

/// What a kernel reads: an array's elements, where the point is or (indexed) where loads say, or (iota) the position itself as
/// int64.
struct input {
  dtype type;
  bool iota = false;
  bool indexed = false;
  bool is_element() const { return !iota && !indexed; }
  friend bool operator==(const input&, const input&) = default;
};

/// Which way a Fourier transform goes. The inverse one is not divided by the number of points.
enum class fourier : std::uint8_t { none, forward, inverse };

/// The running state of a reduction: `what` folded over values[value], which has dtype `type`, and where it takes positions over
/// those in values[position], too. Each is a member of the state.
struct accumulator {
  reduction what;
  dtype type;
  std::uint16_t value;
  std::uint16_t position = 0;
  bool running = false;                   // every point uses what is there for it: of a scan, what was folded up to it
  fourier transform = fourier::none;      // nothing is folded: every point uses its element of the row's transform
  const function_text* called = nullptr;  // reduction::text: what folds two states
  int members() const { return detail::facts(what).members(); }
  std::uint16_t folded(int member) const { return member == 0 ? value : position; }
  std::uint16_t& folded(int member) { return member == 0 ? value : position; }
  dtype member_type(int member) const { return member == 0 ? type : dtype::int64; }
  /// What is left of the state at the end, the last member, and its dtype.
  int result() const { return members() - 1; }
  dtype result_type() const { return member_type(result()); }
  friend bool operator==(const accumulator&, const accumulator&) = default;
};

/// What an accumulator is called: "sum", "running sum", "fft", "ifft", or as a text's function is.
std::string name_of(const accumulator&);

/// A fused kernel. No accumulators: a map, outputs are written at every point. Else accumulators fold over the reduced axes: a
/// row, for each of the kept points. One that folds what an earlier one gave needs another pass over the row (stages.hpp).
/// Outputs are then written once for each row (made of reduced values, scalars and inputs that do not vary along it), but for
/// the first ones, which are written at every point of it. Where accumulators are running, all of them are, there is one
/// reduced axis, and all outputs are written at every point; scans fold nothing that another one gives, and transforms are alone.
struct kernel {
  std::vector<input> inputs;
  std::vector<dtype> scalars;
  std::vector<value> values;
  std::vector<accumulator> accumulators;
  std::vector<std::uint16_t> outputs;  // values
  std::uint16_t everywhere = 0;        // of a kernel with rows: how many of the outputs are written at every point
  bool compresses = false;  // a scan on a GPU: output 0 goes to the element that output 1 says, unless that is
                            // negative; output 1 is not written: in its place is what its scan comes to
  int counts = 0;           // a map on a GPU: output 0 is not written: in its place is, for each of so many numbers at
                            // most, as int64, how often it was that, which is added to what is there
  bool reduces() const { return !accumulators.empty(); }
  bool scans() const { return reduces() && accumulators[0].running; }
  bool transforms() const { return reduces() && accumulators[0].transform != fourier::none; }
  friend bool operator==(const kernel&, const kernel&) = default;
};

/// The members of all accumulators' states, which the generated text numbers one after the other.
inline int count_members(const kernel& k) {
  int all = 0;
  for (const accumulator& a : k.accumulators) all += a.members();
  return all;
}

/// Does a state have the position of its element?
inline bool has_choice(const kernel& k) {
  return std::ranges::any_of(k.accumulators, [](const accumulator& a) { return detail::facts(a.what).choice; });
}

/// Into how much memory every member of a state fits. Units: 8 bytes.
inline int state_words(const kernel& k) {
  for (const accumulator& a : k.accumulators)
    if (itemsize(a.type) > 8) return 2;
  return 1;
}

/// The dtype of an operand: inputs, then outputs.
inline dtype operand_type(const kernel& k, int operand) {
  const int inputs = static_cast<int>(k.inputs.size());
  return operand < inputs ? k.inputs[operand].type : k.values[k.outputs[operand - inputs]].type;
}

/// Is the kernel well formed: operands before users, dtypes as the rules say, indices in range? Errors: `internal_error` with
/// the printed kernel. Called between passes in debug builds and in tests.
void verify(const kernel&);

/// The kernel as text, one value a line.
std::string print(const kernel&);

/// Is an output written at every point?
inline bool is_everywhere(const kernel& k, std::size_t output) { return !k.reduces() || output < k.everywhere; }

/// How an operand moves along the fastest axis of the iteration.
enum class access : std::uint8_t {
  fixed,    // one element for the whole kernel
  unit,     // consecutive elements; of an iota in packs, each pack from a multiple of its width
  still,    // the same element along the fastest axis
  strided,  // any step
  column,   // rows, and folds of cuda, by columns: consecutive elements, the same ones along the whole column
  staged,   // row kernels, cuda: short rows, one after the other, that go through shared memory
};

/// How a row kernel is shared out.
struct row_schedule {
  std::uint16_t threads = 0;   // cuda: of a block
  std::uint16_t held = 0;      // elements of a row that a thread keeps between stages; 0: they are read again
  std::uint8_t width = 1;      // cuda: elements that a thread takes side by side
  std::uint8_t turns = 1;      // cuda: staged rows that a thread takes, one after the other
  bool packed = false;         // cuda: in one access
  std::uint8_t lanes = 16;     // cpu: running values of a row, side by side
  bool filled = false;         // cpu: a row has elements for all of them
  std::uint16_t across = 0;    // cpu: columns that an item takes side by side
  std::uint8_t short_row = 0;  // cpu: elements of a column, where they are so few that the text names them
  friend bool operator==(const row_schedule&, const row_schedule&) = default;
};

/// How a fold is shared out over threads; runtime/launch/folds.cpp chooses it. Which elements fold into which follows from shapes
/// and dtypes: `packed`, `turns` and `resident` change nothing about it, and of columns `width` does not either.
struct fold_schedule {
  std::uint8_t width = 1;      // cuda: elements of a row, or columns, that a thread takes side by side
  std::uint8_t turns = 1;      // cuda: of these, how many a thread asks for before it folds the first
  std::uint8_t resident = 0;   // cuda: blocks for which a multiprocessor is to have registers; 0: the compiler decides
  std::uint8_t lanes = 16;     // cpu: running values of a row, side by side
  bool filled = false;         // cpu: a row has elements for all of them
  std::uint8_t short_row = 0;  // cpu: elements of a column, where they are so few that the text names them
  bool packed = false;         // cuda: `width` are read in one access; cpu: a stream, or short columns, have no gaps
  bool apart = false;          // cuda: these columns are not neighbours, but as far apart as a block has threads across
  bool stream = false;         // columns, so few that all are folded as one stream of elements
  bool split = false;          // several partial results for each output
  bool marked = false;         // cuda: these are left behind the tickets, each with a mark, and not in scratch memory
  bool once = false;           // cuda: no cache has room for what is read, so that packs are not kept there
  friend bool operator==(const fold_schedule&, const fold_schedule&) = default;
};

/// How a scan is shared out; runtime/launch/scans.cpp chooses it by shapes and the device alone, since the order of folding
/// follows from it.
struct scan_schedule {
  std::uint16_t threads = 0;   // cuda: of a block
  std::uint16_t across = 0;    // cuda: of them, those that share a row; by columns: neighbouring columns
  std::uint16_t held = 0;      // cuda: elements that a thread has of a row or a column; cpu: of a chunk, computed once
  std::uint8_t width = 1;      // cuda: of those, the ones that lie side by side
  bool keeps = false;          // cuda: what a stage computes is kept for later ones; else they compute it again
  bool packed = false;         // cuda: `width` elements are read in one access
  bool split = false;          // rows are folded in tiles
  bool ahead = false;          // cuda: each block folds a later tile before it scans its own
  std::uint16_t resident = 0;  // cuda: threads that a multiprocessor is to have registers for
  friend bool operator==(const scan_schedule&, const scan_schedule&) = default;
};

/// How rows are transformed; runtime/launch/transforms.cpp chooses it. The text is for rows of so many points.
struct transform_schedule {
  std::uint16_t points = 0;
  std::uint16_t lines = 0;  // rows, or neighbouring columns, of a block
  friend bool operator==(const transform_schedule&, const transform_schedule&) = default;
};

/// How one operand of a map is accessed.
enum class way : std::uint8_t {
  each,    // element by element
  packed,  // in packs of `width` elements
  tiled,   // cuda: read along the second fastest axis into a tile in shared memory; cpu: into one of the core's
  image,   // cuda: the mirror image of what is tiled, so that its elements are in the tile's image
  dense,   // cpu: its short rows follow each other without gaps
  back,    // cpu: each element lies before the one before it
  second,  // cpu: every second element, so that the compiler makes vectors of what lies between
  third,   // cpu: every third element
  fourth,  // cpu: every fourth element
  eighth,  // cpu: every eighth element
  again,   // cpu: all rows read the same one
};

/// The step along the fastest axis that a way names in the text; 0: none. And the way that names a step.
constexpr int named_step(way w) {
  return w == way::second ? 2 : w == way::third ? 3 : w == way::fourth ? 4 : w == way::eighth ? 8 : 0;
}
constexpr way way_of_step(std::int64_t step) {
  return step == 2   ? way::second
         : step == 3 ? way::third
         : step == 4 ? way::fourth
         : step == 8 ? way::eighth
                     : way::each;
}

/// How the points of a map are shared out over threads; runtime/launch/maps.cpp chooses it. No result depends on it.
struct map_schedule {
  std::uint8_t width = 1;      // neighbours along the fastest axis that a thread takes as one pack
  std::uint8_t turns = 1;      // cuda: packs that a thread takes, none waiting for another
  std::uint8_t rows = 0;       // cuda: axes before the fastest over which a block's threads and their turns spread
  std::uint8_t tile = 0;       // side of the tiles into which the two fastest axes are cut; 0: they are not
  bool mirrored = false;       // cuda: a block takes a tile and its mirror image
  std::uint8_t image_of = 0;   // cuda: the operand that is tiled, of which others are the mirror image
  std::uint8_t short_row = 0;  // cpu: the extent of the fastest axis, where it is so small that the text names it
  bool pieces = false;         // cpu: an item is a piece of a row
  bool stream = false;         // cpu: rows follow each other, or are the same row again; an item is several
  bool staged = false;         // cpu: a block of elements goes through one function that takes long after the other
  bool stretches = false;      // cpu: rows are gone through in stretches in which no comparison of the position changes
  std::uint16_t together = 0;  // cpu: points of several rows with the same ones that share a stretch; 0: rows go alone
  bool gathered = false;       // cpu: what gcc makes no vectors of where it lies is brought together in blocks before
  bool once = false;           // cpu: what takes long and is made of such a row alone is computed before all rows
  std::vector<way> ways;       // by operand; empty: element by element
  way of(int operand) const { return ways.empty() ? way::each : ways[static_cast<std::size_t>(operand)]; }
  friend bool operator==(const map_schedule&, const map_schedule&) = default;
};

/// The class of layouts one compiled kernel serves. Extents, strides and scalars are arguments; this is the rest.
struct variant {
  std::uint8_t rank = 1;         // axes after collapsing: kept ones first, then reduced ones
  std::uint8_t reduced = 0;      // how many of them are reduced
  bool wide = false;             // 64-bit indices
  bool aliased = false;          // an output overlaps an input element for element
  bool columns = false;          // reductions: the fastest axis is a kept one
  bool in_order = false;         // reductions: fold in the order of the domain, whatever the layouts (strict mode)
  row_schedule rows;             // of a row kernel
  fold_schedule fold;            // of a fold
  scan_schedule scan;            // of a scan
  transform_schedule transform;  // of a transform
  std::vector<access> operands;  // inputs, then outputs
  map_schedule map;              // maps
  friend bool operator==(const variant&, const variant&) = default;
};

/// How a kernel is shared out, in words.
std::string print(const kernel&, const variant&);

/// The axis along which neighbouring work items lie.
inline int fastest_axis(const variant& v) { return v.columns ? v.rank - v.reduced - 1 : v.rank - 1; }

/// One argument of a generated kernel. The argument block holds them in this order, each at its natural alignment: the layout
/// of the C struct and of a CUDA parameter block alike.
struct parameter {
  enum kind : std::uint8_t {
    output,    // pointer to outputs[index]
    input,     // pointer to inputs[index] (iota: its value at the origin)
    extent,    // of axis `axis`
    stride,    // of operand `index` (inputs, then outputs) along `axis`, in elements
    scalar,    // scalars[index]
    partials,  // reductions that split: scratch for partial results
    tickets,   // cuda: zeroed, one per group of outputs, and words behind them; cpu: unused
    splits,    // number of partial results per output, or of tiles per row of a scan
    words,     // scans that split: what tiles leave for those after them
    room,      // cuda: number of words there
    trouble,   // where checks note the first index that is out of range: an index_trouble
  } what;
  std::uint16_t index = 0;
  std::uint8_t axis = 0;
  std::uint8_t size = 8;  // bytes
  std::string type;       // C spelling
  std::string name;
};

/// What a check notes. Generated text spells it, too. A factorisation that failed is noted in the same place: `axis` says how then,
/// `index` is what the library said, `extent` which matrix of a batch it was, or -1.
struct index_trouble {
  static constexpr std::int32_t no_result = 2;  // an index is noted by 1
  std::int32_t noted;                           // other than 0: there is one. The first to set it writes the rest.
  std::int32_t axis;
  std::int64_t index, extent;
};

/// Does any value of the kernel look at an index?
bool has_checks(const kernel&);

/// The most bytes of arguments that a kernel can have: CUDA's limit is 32,764.
inline constexpr std::size_t largest_arguments = 32'000;

/// The arguments of a kernel's variant, in order.
std::vector<parameter> parameters(const kernel&, const variant&);

/// A stride the kernel needs as an argument (one it cannot know from the operand's access)?
bool needs_stride(const kernel&, const variant&, int operand, int axis);

}  // namespace sinter::codegen
