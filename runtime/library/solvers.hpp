// Factorisations, solutions and eigenvalues of matrices in memory, as LAPACK has them, of one matrix of a batch after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <sinter/shape.hpp>

#include "codegen/ir/kernel.hpp"

namespace sinter::runtime {

class device_impl;
class stream_state;

/// What is computed, and of what: operands -> results. Matrices unless said otherwise; k = min(rows, columns).
enum class solver : std::uint8_t {
  lu,                // a -> l and u in one, pivots (a vector of k int32, from 0)
  lu_solve,          // those, b -> x
  solve,             // a, b -> x
  permutation,       // pivots -> which row of a each of p a is (a vector of int64)
  cholesky,          // a -> one triangle, and zeros
  cholesky_solve,    // a triangle, b -> x
  triangular_solve,  // a triangle, b -> x
  qr,                // a -> r above the reflections, transposed; their factors (a vector of k)
  orthogonal,        // those -> q
  svd,               // a -> singular values (a vector of k); with vectors u and v^H
  eigh,              // a triangle -> eigenvalues (a vector); with vectors those
  eig,               // a -> eigenvalues (a vector of complex numbers); with vectors those
  banded_solve,      // diagonals, b -> x
};

/// Of square matrices that a graph may hold: cuBLAS has calls for batches of small ones alone.
inline constexpr std::int64_t most_rows_captured = 512;

/// Which problem, without where it lies.
struct solver_problem {
  solver what;
  dtype type;  // float32, float64, complex64, complex128
  std::int64_t rows = 0, columns = 0;
  std::int64_t right = 0;  // columns of b, or of q
  bool is_vector = false;  // b and x are vectors
  bool lower = false;      // the triangle that is read, or made
  bool unit_diagonal = false;
  bool transposed = false,
       conjugated = false;            // a of what is solved; of `lu`: l and u are those of its transpose, transposed
  bool vectors = false;               // wanted as well
  bool full = false;                  // u and v are square
  bool checked = false;               // what is singular is an error
  std::int64_t below = 0, above = 0;  // diagonals
};

/// Why there is no result.
enum class solver_fault : std::int32_t {
  none = -1,  // not an error: its results are NaN
  singular,
  not_positive,
  singular_triangle,
  no_singular_values,
  no_eigenvalues,
  not_finite
};

/// One operand or result: the first matrix, and how far it is to its neighbours. Units: elements.
struct solver_array {
  std::byte* data = nullptr;
  std::size_t size = 0;  // bytes of all of it, in C order
  std::int64_t down = 0, across = 0;
  std::int64_t steps[max_rank] = {};  // along the axes of the batch; 0: it is the same there
};

struct solver_work {
  static constexpr int most_arrays = 3;
  solver_problem of;
  shape batch;
  solver_array operands[most_arrays], results[most_arrays];
  device_impl* device;  // where it is noted that there is no result
  std::byte* scratch = nullptr;
  std::size_t scratch_size = 0;   // bytes of each part
  std::int64_t parts = 1;         // of the batch, each on a thread of its own
  int numbers = 0, integers = 0;  // of LAPACK's workspaces
  std::int64_t reals = 0;
};

/// Fills in the parts and sizes. False: LAPACK is not there, and `why` says so. Errors: `device_error`.
bool prepare_on_host(solver_work&, std::string& why);
/// What has been prepared, in the host's memory. What fails is noted for the device, and its results are NaN.
void solve_on_host(const solver_work&) noexcept;

// Each is false where the library is not there: `why` then says what was looked for. Operands and results: those of a call, in that
// order. Errors: `device_error`, `out_of_memory`.

/// Stream behaviour: in order on the CPU's stream, and part of a graph that is being made.
bool solve_on_cpu(solver_work, stream_state& on, std::string& why);
/// By cuSOLVER and cuBLAS, or, what these do not have or do slower, through the host. Operands and results are in C order. Stream
/// behaviour: enqueued.
bool solve_on_gpu(const solver_work&, stream_state& on, std::string& why);
/// The same by LAPACK, in the order of the stream.
bool solve_through_host(solver_work, stream_state& on, std::string& why);

}  // namespace sinter::runtime
