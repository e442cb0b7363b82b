// An expression's nodes as lines of formulas, in the order in which a person would write them.
#pragma once

#include <string>
#include <unordered_map>

#include "codegen/ir/node.hpp"

namespace sinter::runtime {

/// What formulas call arrays: the program's names for them, else x0, x1 in the order in which they are met.
class array_names {
 public:
  const std::string& of(const detail::array_node&);

 private:
  std::unordered_map<const detail::array_node*, std::string> names_;
  std::unordered_map<std::string, int> taken_;
  int next_ = 0;
};

/// A line for each array, for what is used twice or is long, and for the expression itself. Loops, as an expression may be of any
/// depth. Errors: std::bad_alloc.
std::string tree_of(const detail::typed_node* root, array_names&);

/// Does an array show less than its storage, or in another order?
bool is_view(const detail::array_node&);

}  // namespace sinter::runtime
