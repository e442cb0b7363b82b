// Matrices that follow from their shape, and what formulas are made of.
#pragma once

#include <limits>

#include <sinter/detail/seam.hpp>

#include "runtime/frontend/terms.hpp"

namespace sinter::runtime {

/// 1 where both indices are equal, else 0.
inline term unit_diagonal(const shape& s, dtype t) { return astype(index_of(s, 0) == index_of(s, 1), t); }
inline term identity(std::int64_t n, dtype t) { return unit_diagonal(shape{n, n}, t); }

inline term conjugated(const term& a) { return detail::is_complex(a.type()) ? apply(op::conjugate, {a}) : a; }
inline term transpose(const term& a) { return term::made(detail::make_swapped(a.get(), -1, -2)); }
inline term adjoint(const term& a) { return conjugated(transpose(a)); }
inline term matrix_product(const term& a, const term& b) { return term::made(detail::make_matmul(a.held(), b.held())); }

/// From 1 to the next number that the parts of a dtype have: of all but float32 and complex64 as of float64.
inline double precision(dtype t) {
  return detail::real_part_of(t) == dtype::float32 ? std::numeric_limits<float>::epsilon()
                                                   : std::numeric_limits<double>::epsilon();
}

}  // namespace sinter::runtime
