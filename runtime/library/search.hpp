// Searches in sorted arrays on a CPU, as calls. On a GPU a search is an expression (runtime/frontend/search): each thread takes its steps,
// in the kernel of what uses it.
#pragma once

#include "runtime/frontend/terms.hpp"

namespace sinter::runtime {

/// Does a core search for values of a dtype, on the device of the nodes?
bool has_search_call(const term& sorted, const term& values);
/// A node for how many elements of `sorted` come before each value, int64; of one dtype, without gaps where they lie. `or_equal`: or are
/// equal to it. NaN comes last.
detail::handle make_search_call(const term& sorted, const term& values, bool or_equal);

}  // namespace sinter::runtime
