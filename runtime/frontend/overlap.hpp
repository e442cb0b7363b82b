// Do two arrays over one storage have an element in common? Decided exactly, for a store may then write in place.
#pragma once

#include "codegen/ir/node.hpp"

namespace sinter::runtime {

/// Where an array's elements lie in its storage.
struct reach {
  std::int64_t low, high;  // both included
};
reach reach_of(const detail::array_node&);

/// Have two arrays of one storage an element in common? Exact but for layouts that would take over a thousand steps, for which
/// the answer is yes; and of elements of two sizes, where it is yes if either lies between the other's first and last.
bool overlap(const detail::array_node&, const detail::array_node&);

/// Have they the same elements in the same order, as values of the same dtype?
bool same_elements(const detail::array_node&, const detail::array_node&);

/// Does an array lie between the first element of another one of its storage and the last?
bool is_within(const detail::array_node&, const detail::array_node& whole);

}  // namespace sinter::runtime
