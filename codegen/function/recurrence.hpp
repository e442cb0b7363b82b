// Linear recurrences, as filters with feedback are: the state after a sample is a matrix times the state before it, and the sample.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include <sinter/dtype.hpp>

namespace sinter::codegen {

/// Filters of one order and dtype. Rows are cut into chunks, so that a device has work.
struct recurrence_form {
  dtype type = dtype::float32;
  int order = 1;  // numbers of a state

  friend auto operator<=>(const recurrence_form&, const recurrence_form&) = default;
};

/// Each is a launch. The first two only where a row has several chunks.
enum class recurrence_step : std::int32_t {
  run,   // every chunk from a state of zeros, to its last state; and every unit state through a chunk without samples
  join,  // a block a row: from these the state that each chunk begins with
  write  // every chunk from that state
};

/// The kernel's arguments, as the block has them. A state is `order` numbers, one behind the other.
struct recurrence_arguments {
  const void* x;
  const void* b;   // order + 1 numbers
  const void* a;   // as many; the first is 1
  const void* zi;  // a state for each row, or null: zeros
  void* y;
  void* zf;                                   // a state for each row
  void* starts;                               // a state for each chunk
  void* powers;                               // `order` states
  std::int64_t rows, samples, chunk, chunks;  // samples of a row and of a chunk; chunks of a row
  recurrence_step step;
};
/// Threads of a block that joins: as many as their states have room for. 0: a row of so high an order is one chunk.
int joining_threads(const recurrence_form&);

/// In CUDA C++.
std::string recurrence_text(const recurrence_form&);

}  // namespace sinter::codegen
