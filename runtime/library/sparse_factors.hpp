// LU factors of sparse matrices: in the host's memory by Eigen, which is seen by one source alone, and in a GPU's by cuDSS.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <sinter/detail/linalg.hpp>

#include "codegen/ir/kernel.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::runtime {

/// A square matrix column by column, each in order, no place twice. Of double, or of pairs of them: single numbers are factored as such.
struct host_columns {
  bool is_complex;
  std::int64_t size;           // rows, and columns
  const std::int64_t* starts;  // of each column's entries, and where the last ones end
  const std::int64_t* rows;
  const void* values;
};

class host_factors {
 public:
  virtual ~host_factors() = default;
  /// Column by column, in place. From any thread.
  virtual void solve(void* columns, std::int64_t count, linalg::transposition) const = 0;
};

/// Errors: `linalg_error` for a singular matrix; `device_error` without Eigen; std::bad_alloc.
std::unique_ptr<const host_factors> factor_on_cpu(const host_columns&);

/// Where the entries of a square matrix are, row by row, each in order, no place twice: arrays of a GPU without gaps.
struct gpu_places {
  std::int64_t size, entries;      // rows, and columns; entries of all
  detail::handle starts, columns;  // of int32
};

/// How a GPU's factors are made.
struct gpu_factors_kind {
  dtype type;         // float64 or complex128
  bool in_any_order;  // with several columns at once, and last bits that differ from run to run
  bool operator==(const gpu_factors_kind&) const = default;
};

/// What cuDSS makes of a matrix: first of its places, then of its values, again and again.
class gpu_factors {
 public:
  virtual ~gpu_factors() = default;
  virtual gpu_factors_kind kind() const = 0;

  /// Factors values of the places. The caller alone has these factors. False: not exactly, as the library exchanges too few rows for these, or
  /// cannot do it. Errors: `out_of_memory`, `device_error`. Stream behaviour: waits.
  virtual bool factor(const term& values) = 0;
  /// Solves for the columns of b, one after the other in both, and enqueues that. Any thread. Errors: the same.
  virtual void solve(const detail::array_node& b, detail::array_node& x, bool transposed, stream_state& on) = 0;
};

/// Is there cuDSS for a device? Else `why` says what was looked for. Errors: `device_error`, `out_of_memory`.
bool has_gpu_factors(device_impl&, std::string& why);
/// Null: there is no cuDSS, or it does not work with this driver, and `why` says so. Nothing has been found of the places yet. Errors: `device_error`, `out_of_memory`.
std::shared_ptr<gpu_factors> make_gpu_factors(const gpu_places&, gpu_factors_kind, std::string& why);

/// The solutions for the rows of b, or for b, by factors of the same device, of their dtype: a node.
term solved_by(const std::shared_ptr<gpu_factors>&, const term& b, bool transposed);

}  // namespace sinter::runtime
