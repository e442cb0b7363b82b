// What libraries do to a result before they store it: multiply it by a number, and add an array to it.
#pragma once

#include <optional>

#include "runtime/library/call.hpp"

namespace sinter::runtime {

/// Has a node one owner alone? What has a name as well will be asked again.
bool is_asked_once(const detail::typed_node&);

/// What becomes of a call that one expression alone reads, if the expression is no more than an ending which the call takes, and
/// the array that it adds stands already. `reader`: that expression, or null. Not in strict mode, in which the product is rounded first.
std::optional<call_ending> ending_of(const detail::call_node&, const detail::typed_node* reader,
                                     const codegen::stand_ins& known);

}  // namespace sinter::runtime
