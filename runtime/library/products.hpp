// Products of matrices as calls.
#pragma once

#include "runtime/frontend/terms.hpp"

namespace sinter::runtime {

/// A node for the products of the matrices in the last two axes, whose shapes fit; axes before them broadcast. Of one inexact dtype.
detail::handle make_product_call(const term& a, const term& b);

/// The sums of products along an axis, which is counted from the end. Integers wrap in their dtype, as NumPy's products do; of bool
/// it is whether any is true; numbers of 16 bits are multiplied and added up in float.
term sum_of_products(const term& a, const term& b, int axis);
/// The same as the call as an expression: a fold of products, fused with what it is of and what uses it. Of any dtype.
term product_as_fold(const term& a, const term& b);

/// Of operands whose shapes do not go together. Errors: `shape_error`, always.
[[noreturn]] void throw_unequal(const char* what, const term& a, const term& b);

}  // namespace sinter::runtime
