// The exponential of a matrix as a call: how many products it takes is known once its norm is.
#pragma once

#include "runtime/frontend/terms.hpp"

namespace sinter::runtime {

/// A node for the exponentials of square matrices in the last two axes, of one of LAPACK's dtypes.
term make_exponential_call(const term&);

}  // namespace sinter::runtime
