// Values between the places of a table on a CPU, as calls. On a GPU, and of complex numbers, interp is an expression
// (runtime/frontend/search).
#pragma once

#include <optional>

#include "runtime/frontend/terms.hpp"

namespace sinter::runtime {

/// A node for the function at `x` that is `values` at `places` and straight between them, all of float64; outside it is `left` and `right`,
/// or where these are not given the first and the last of the values. Where a search is a call (has_search_call).
detail::handle make_interpolation_call(const term& x, const term& places, const term& values,
                                       std::optional<double> left, std::optional<double> right);

}  // namespace sinter::runtime
