// LU factors and systems of equations so small that a call of a library takes longer than the work: all of a batch together, by Gauss's
// elimination with the pivots of LAPACK (decision 0045).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "codegen/function/small_systems.hpp"
#include "runtime/library/solvers.hpp"

namespace sinter::runtime {

/// LU factors of matrices of at most 32 rows and columns, and solutions with as many right sides.
inline bool is_small_system(const solver_problem& p) {
  const bool is_factor = p.what == solver::lu, is_solution = p.what == solver::solve && p.right > 0;
  return (is_factor || is_solution) && std::min(p.rows, p.columns) > 0 &&
         std::max({p.rows, p.columns, p.right}) <= codegen::most_small;
}

/// A launch for all. Stream behaviour: enqueued, and may be captured.
void solve_small_on_gpu(const solver_work&, stream_state& on);

/// Matrices that a thread of the host works on at once, one in each lane of its vectors.
int small_systems_at_once(dtype);
inline constexpr int most_at_once = 16;
/// Bytes that it needs for them, at a multiple of 64.
std::size_t small_systems_scratch(const solver_problem&);
/// `count` matrices of the batch from `first` on, no more than are worked on at once. `infos`: which pivot is 0, counted from 1, or 0.
/// Where it is an error, those matrices have results of NaN.
void solve_small_on_host(const solver_work&, std::byte* scratch, std::int64_t first, std::int64_t count,
                         std::int32_t* infos) noexcept;

}  // namespace sinter::runtime
