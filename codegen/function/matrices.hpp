// What lies around a factorisation by a library that counts in columns (decision 0040): matrices are turned over on the way in and out,
// pivots are counted from 0, and what failed is noted and has no numbers.
#pragma once

#include <cstdint>
#include <string>

#include <sinter/dtype.hpp>
#include <sinter/shape.hpp>

namespace sinter::codegen {

/// Each is a launch. A matrix is `rows` x `columns`, and there are `count`.
enum class matrices_step : std::int32_t {
  copy,         // `from` -> `to` (without `from` what is there stays), and the rest
  pointers,     // `to`: where each matrix of `from` begins
  pivots,       // `from` -> `to`, `columns` of each matrix, int32 counted from another number
  permutation,  // `columns` pivots -> `to`: which row each of `rows` rows was, or forwards where it went, int64
  diagonal,     // flags: 1 and the place of the first 0 on the diagonal of `from`, or 0
  eliminate,    // `to` and `pivots` of matrices with an info, again from `from`; NaN of those that are flagged
  finish        // what is flagged, or has an info, is noted, and its results are NaN
};

enum class matrix_part : std::int32_t { all, lower, upper };

/// What a copy makes of the elements outside of its part.
enum class matrix_rest : std::int32_t { zeros, left_alone };

/// Which elements make their matrix one that is flagged: none, those that are not finite (0 instead), or those that are NaN.
enum class matrix_check : std::int32_t { none, finite, not_a_number };

/// The kernel's arguments, as the block has them. What is not said is 0. Units: elements.
struct matrices_arguments {
  const void* from = nullptr;
  void* to = nullptr;
  void* flags = nullptr;         // an int32 for each matrix: other than 0 where it has no result
  const void* infos = nullptr;   // the same, as the library says it
  void* pivots = nullptr;        // int32, counted from 1
  const void* places = nullptr;  // int64: which row of `from` each row is; null: the same
  void* note = nullptr;          // an index_trouble
  void* results[3] = {};
  std::int64_t reals[3] = {};  // of one matrix, in each result
  std::int64_t rows = 0, columns = 0, count = 1;
  std::int64_t from_down = 0, from_across = 0, to_down = 0, to_across = 0, to_step = 0;
  std::int64_t extents[max_rank] = {}, steps[max_rank] = {};  // of the batch, as `from` has it
  std::int64_t limit = 0;                                     // pivots are below it; 0: they are not looked at
  std::int32_t axes = 0;
  matrices_step step = matrices_step::copy;
  matrix_part part = matrix_part::all;
  matrix_rest rest = matrix_rest::zeros;
  std::int32_t conjugates = 0;
  matrix_check check = matrix_check::none;
  std::int32_t tiled = 0;
  std::int32_t add = 0, wide_from = 0, forwards = 0;  // of pivots
  std::int32_t fault = 0, flag_fault = 0;             // how it is noted; below 0: not at all
};

inline constexpr int matrices_threads = 256, matrix_copies_threads = 128, matrices_tile = 32;

/// So many pivots a thread follows alone; more of them a block makes ready.
inline constexpr std::int64_t few_pivots = 64;

/// The step `copy` in CUDA C++, for float32, float64 and complex matrices.
std::string matrix_copies_text(dtype);
/// The other steps.
std::string matrices_text(dtype);

}  // namespace sinter::codegen
