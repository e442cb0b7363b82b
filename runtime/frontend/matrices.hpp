// Matrices that follow from their shape.
#pragma once

#include "runtime/frontend/terms.hpp"

namespace sinter::runtime {

/// 1 where both indices are equal, else 0.
inline term unit_diagonal(const shape& s, dtype t) { return astype(index_of(s, 0) == index_of(s, 1), t); }
inline term identity(std::int64_t n, dtype t) { return unit_diagonal(shape{n, n}, t); }

}  // namespace sinter::runtime
