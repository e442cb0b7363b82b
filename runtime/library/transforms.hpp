// Fourier transforms as calls.
#pragma once

#include "runtime/frontend/terms.hpp"
#include "runtime/library/fft.hpp"

namespace sinter::runtime {

/// A node for transforms over the last axes, `axes` of them, none of which is empty; the numbers are complex, or, of `from_real`, real.
/// `points`: of `to_real`, along the last axis of the result.
detail::handle make_transform_call(const term&, fft_kind, int axes, std::int64_t points = 0);

/// exp(sign * 2 pi i * turns / n) as complex128.
term root_of_unity(const term& turns, std::int64_t n, double sign);

}  // namespace sinter::runtime
