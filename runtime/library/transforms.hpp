// Fourier transforms as calls.
#pragma once

#include "runtime/frontend/terms.hpp"
#include "runtime/library/fft.hpp"

namespace sinter::runtime {

/// A node for transforms over the last axes, `axes` of them, none of which is empty; the numbers are complex, or, of `from_real`, real.
/// `points`: of `to_real`, along the last axis of the result.
detail::handle make_transform_call(const term&, fft_kind, int axes, std::int64_t points = 0);

}  // namespace sinter::runtime
