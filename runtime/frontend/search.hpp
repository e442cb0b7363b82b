// Binary search in expressions.
#pragma once

#include "runtime/frontend/terms.hpp"

namespace sinter::runtime {

/// How many elements of `sorted`, of one axis, are less than each value; or not greater. Where `falls`, a 0-d truth, is given and
/// true, the elements are in falling order, and counted from their end. NaN is greater than every number.
term count_before(const term& sorted, const term& values, bool or_equal, const term* falls = nullptr);

}  // namespace sinter::runtime
