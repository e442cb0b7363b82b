// The nodes of the statement that a store ends: which of them die with it, and how it reads the arrays among them.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "codegen/ir/node.hpp"

namespace sinter::runtime {

/// How many references a node has.
inline int count_of(const detail::node* n) { return __atomic_load_n(&n->references, __ATOMIC_ACQUIRE); }

/// Counts, for each node below a statement's expression, the references that the statement accounts for. Loops, as a statement
/// may be millions of nodes deep.
class census {
 public:
  struct entry {
    const detail::typed_node* node;
    int references;    // from nodes of the statement, and from the statement itself
    int unseen;        // of them, those whose owner has not been looked at yet
    bool dies;         // nothing but what dies with the statement refers to it
    bool elementwise;  // element i of it is needed for element i of the result only
  };

  /// `target` and `view`: what the statement stores into. It holds one reference to each itself. `indices`: what says where; it
  /// holds one reference to each, too.
  census(const detail::expression_view&, const detail::node* target, const detail::node* view,
         std::span<detail::node* const> indices = {});

  /// Is the node worth nothing once the statement is over? Of target and view: does nothing else refer to them?
  bool dies(const detail::node*) const;
  /// Do all arrays over the target's storage die with the statement?
  bool holds_all_of(const detail::storage&) const;
  const std::vector<entry>& entries() const { return entries_; }

 private:
  const entry* find(const detail::node*) const;
  void discover(const detail::node*);
  void look_at(const detail::node*, bool owner_dies, bool elementwise);
  int held_by_statement(const detail::node*) const;

  const detail::node* target_;
  const detail::node* view_;
  std::vector<entry> entries_;
  std::unordered_map<const detail::node*, std::size_t> places_;  // where there are more than a few entries
  std::vector<std::size_t> ready_;
};

}  // namespace sinter::runtime
