// The functions of scipy.special, under their names there: `special::expit(a)`. Elementwise, and fused like any other.
#pragma once

#include <sinter/functions.hpp>

/// One function for each row of ops.def that is called scipy.special there: sentence, dtypes and error bound of each are in
/// docs/operations.md. Special values are SciPy's. Shapes: operands broadcast. Errors: at evaluation.
namespace sinter::special {

#define SINTER_OP(...)
#define SINTER_DRAW(...)
#define SINTER_PART(...)
#define SINTER_SPECIAL_OP(name, arity, ...) SINTER_FUNCTION_##arity(name, name)
#include <sinter/ops.def>
#undef SINTER_OP
#undef SINTER_FUNCTION_1
#undef SINTER_FUNCTION_2
#undef SINTER_FUNCTION_3

using sinter::erf, sinter::erfc, sinter::gamma, sinter::gammaln, sinter::exp2, sinter::exp10, sinter::expm1,
    sinter::log1p, sinter::cbrt, sinter::sinc;

}  // namespace sinter::special

namespace sinter {
using special::i0;  // NumPy has this one as well
}  // namespace sinter
