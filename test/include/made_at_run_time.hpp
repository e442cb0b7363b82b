// Expressions put together at run time from what the public functions are made of.
#pragma once

#include <sinter/array.hpp>

namespace sinter::test {

/// The node of an expression; takes its own references.
inline detail::handle made_at_run_time(const detail::expression_view& e) {
  detail::node* slot = nullptr;
  detail::handle made(detail::share(&slot, e));
  for (int i = 0; i < e.code->nodes; ++i) detail::retain(e.nodes[i]);  // the node gives them up when it goes
  detail::release(slot);
  return made;
}

}  // namespace sinter::test
