// Stores at computed positions, of which several may be the same (decision 0027): a kernel each for what becomes of several
// values for one element.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include <sinter/dtype.hpp>

namespace sinter::codegen {

/// How several values for one element, and its own, become one. `sum` is the same in whatever order its terms come, as are `max`,
/// `min` and `add` of integers; `last` is the last one of them in C order.
enum class scatter_fold : std::uint8_t { last, add, max, min, sum };

/// The steps of a store, each a launch over all positions, or over all elements where these are fewer.
enum class scatter_step : std::int32_t {
  clear,    // what is noted of every element that is named
  bid,      // last: the last position to name an element gets it,
  write,    //   and writes
  fold,     // add, max, min: into the element, by an atomic operation
  measure,  // sum: the largest exponent of the terms of an element,
  add,      //   then the terms as multiples of a unit that follows from it and the number of positions,
  finish    //   and their sum goes to the element
};

struct scatter_form {
  scatter_fold fold = scatter_fold::last;
  dtype type = dtype::float32;
  int few = 0;  // blocks fold by themselves first: into so many elements, or more than there are; 0: they do not

  friend auto operator<=>(const scatter_form&, const scatter_form&) = default;
};

/// The kernel's arguments, as the block has them.
struct scatter_arguments {
  void* out;
  const std::int64_t* at;  // in elements
  const void* values;
  void* notes;  // `note_size` bytes for each element, of any value; aligned to 8 bytes
  std::int64_t count, elements;
  std::int32_t bits;        // sum: of a term, as a multiple of the unit
  std::int32_t by_element;  // whether clear and finish run over all elements
  scatter_step step;
};

/// Which of several kernels a store of so many values into so many elements wants.
scatter_form form_of_scatter(scatter_fold, dtype, std::int64_t count, std::int64_t elements);
std::vector<scatter_step> steps_of(const scatter_form&);
int note_size(const scatter_form&);
/// How often the steps are run: once for each part of complex numbers that are folded, which is where `out` and `values` point then.
int parts_of(const scatter_form&);
/// The bits of a term of which `count` do not overflow.
int term_bits(std::int64_t count);

/// In CUDA C++.
std::string scatter_text(const scatter_form&);

}  // namespace sinter::codegen
