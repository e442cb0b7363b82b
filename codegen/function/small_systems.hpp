// LU factors of small matrices, and solutions of small systems of equations: all of a batch in one launch.
#pragma once

#include <cstdint>
#include <string>

#include <sinter/dtype.hpp>
#include <sinter/shape.hpp>

namespace sinter::codegen {

/// Rows, columns and right sides of the largest.
inline constexpr int most_small = 32;
inline constexpr int small_systems_threads = 256;
/// Bytes of shared memory that a block has without asking for more.
inline constexpr std::int64_t small_systems_room = 48 << 10;
/// Numbers behind each row that are written over.
inline constexpr int small_systems_slack = 7;

/// Where the matrices of a batch are. Units: elements.
struct small_matrices {
  const void* data = nullptr;
  std::int64_t down = 0, across = 0;
  std::int64_t extents[max_rank] = {}, steps[max_rank] = {};  // of the batch
  std::int64_t axes = 0;
};

/// The kernel's arguments, as the block has them. Results lie without gaps.
struct small_systems_arguments {
  small_matrices a, b;     // b: only where there are right sides
  void* result = nullptr;  // l and u in one, or solutions
  void* pivots = nullptr;  // int32, from 0; null: not wanted
  void* note = nullptr;    // an index_trouble
  std::int64_t count = 0;  // of matrices
  std::int64_t result_down = 0, result_across = 0;
  std::int32_t rows = 0, columns = 0, right = 0;
  std::int32_t apart = 1;              // numbers from row to row in shared memory: one and the slack behind it, and odd
  std::int32_t width = 1, groups = 1;  // threads for each matrix, a power of two; matrices of a block, in whole warps
  std::int32_t is_checked = 0;         // what is singular is noted as `fault`, and has no result
  std::int32_t fault = 0;
};

/// In CUDA C++, for float32, float64 and complex matrices. Matrices with a NaN have results of NaN.
std::string small_systems_text(dtype);

}  // namespace sinter::codegen
