// LU factors of sparse matrices in the host's memory, by Eigen, which is seen by one source alone.
#pragma once

#include <cstdint>
#include <memory>

#include <sinter/detail/linalg.hpp>

#include "codegen/ir/kernel.hpp"

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
std::unique_ptr<const host_factors> factor_on_host(const host_columns&);

}  // namespace sinter::runtime
