// Kernels that put rows in order (decision 0032): from the lowest digit of 8 bits to the highest, stable in each. Elements become
// keys that unsigned integers order.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include <sinter/dtype.hpp>

namespace sinter::codegen {

enum class sort_step : std::uint8_t {
  few,    // a thread sorts a row of few elements, by a network
  rows,   // a block sorts a row of one tile, all digits of it
  count,  // of longer rows: how often each digit has each value, in one pass over the elements
  pass    // elements go where one digit puts them
};

struct sort_form {
  sort_step step;
  dtype type;    // real
  bool places;   // what is made: where each element comes from, int64; else the elements
  bool falling;  // the largest first
  bool wide;     // count and pass: rows of 2^30 elements or more
  int threads;   // of a block
  int items;     // of a thread

  friend auto operator<=>(const sort_form&, const sort_form&) = default;
};

inline constexpr int sort_digits = 256;  // values of one

/// Elements that a block has at hand at once, at most.
int largest_sort_tile(dtype);
/// Elements of a row that a thread sorts, at most, and at most of those that have a register: more take a compiler longer than a
/// second.
inline constexpr int most_sorted_by_thread = 32, most_narrow_sorted_by_thread = 64;
/// The form for rows that a block has at hand, and those for longer ones.
sort_form form_of_row_sort(dtype, bool places, bool falling, std::int64_t length);
sort_form form_of_sort(sort_step, dtype, bool places, bool falling, std::int64_t length);
inline int sort_tile(const sort_form& f) { return f.threads * f.items; }
/// Digits of a key.
int sort_passes(dtype);
/// Bytes of a count, and of a place on its way.
inline int sort_word(const sort_form& f) { return f.wide ? 8 : 4; }

/// The arguments of each step, as the block has them.
struct row_sort_arguments {
  const void* in;
  void* out;
  std::int64_t rows, length;
};
struct sort_count_arguments {
  const void* in;
  void* counts;  // of each row, digit and value; 0 before
  std::int64_t rows, length;
};
struct sort_pass_arguments {
  const void* keys;    // of the first pass: the elements
  const void* places;  // of any other pass
  void* keys_out;
  void* places_out;
  void* out;  // places: of the last pass
  const void* counts;
  void* states;                // a word for each tile and value; 0 before
  unsigned* turn;              // 0 before
  std::int64_t length, tiles;  // tiles of a row
  std::int32_t pass, is_last;
};

/// In CUDA C++.
std::string sort_text(const sort_form&);

}  // namespace sinter::codegen
