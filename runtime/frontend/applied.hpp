// Operations over nodes whose dtypes are known when the program runs, for what the library composes itself.
#pragma once

#include <initializer_list>

#include "runtime/frontend/nodes.hpp"

namespace sinter::runtime {

/// What stands beside an operation here: a node, or a number of a dtype.
struct applied_operand {
  applied_operand(detail::node* n) : of(n), type(typed(n)->type) {}
  applied_operand(const detail::handle& h) : applied_operand(h.get()) {}
  applied_operand(dtype t, detail::scalar_bits number) : bits(number), type(t) {}

  detail::node* of = nullptr;
  detail::scalar_bits bits{};
  dtype type;
};

/// The expression of an operation over operands of dtypes that it takes together. Errors: `shape_error`.
detail::handle apply(op, std::initializer_list<applied_operand>);
/// A node converted; itself where it has the dtype.
detail::handle cast(const detail::handle&, dtype);
/// A number as one of a dtype, converted as an array's element is.
detail::scalar_bits number_of(dtype, double);

}  // namespace sinter::runtime
