// Which call a node asks for, and whether anything else asks for it.
#pragma once

#include "codegen/ir/node.hpp"

namespace sinter::codegen {

/// Has a node no other owner? What has a name as well will be asked again.
inline bool has_one_owner(const detail::typed_node& n) { return __atomic_load_n(&n.references, __ATOMIC_ACQUIRE) == 1; }

/// Is every axis of a view's child an axis of the view, and the other way round?
inline bool is_permutation(const detail::view_node& v) {
  const int rank = v.extents.size();
  if (v.more_count() != 0 || v.child->extents.size() != rank || v.extents.elements() != v.child->extents.elements())
    return false;
  std::uint32_t driven = 0;
  for (const detail::axis_map* m = v.map; m != v.map + rank; ++m) {
    if (m->axis < 0 || m->step != 1 || m->offset != 0) return false;
    driven |= std::uint32_t{1} << m->axis;
  }
  return driven + 1 == std::uint32_t{1} << rank;
}

/// Is the last axis of a view's child not the view's own? Then rows of the child lie across what the view's user goes along.
inline bool turns_rows(const detail::view_node& v) {
  const int last = v.child->extents.size() - 1;
  return is_permutation(v) && last >= 0 && v.map[last].axis != last;
}

/// Are a view's last two axes those of its child the other way round, and all others the same?
inline bool transposes(const detail::view_node& v) {
  const int rank = v.extents.size();
  if (rank < 2 || !is_permutation(v)) return false;
  for (int d = 0; d < rank; ++d)
    if (v.map[d].axis != (d < rank - 2 ? d : 2 * rank - 3 - d)) return false;
  return true;
}

/// The call that a node is, or that it is a view of with the axes in another order; else null.
inline const detail::call_node* call_of(const detail::typed_node* n) {
  if (n->kind == detail::node_kind::view) {
    const auto& v = *static_cast<const detail::view_node*>(n);
    if (v.child->kind == detail::node_kind::call && is_permutation(v)) n = v.child;
  }
  return n->kind == detail::node_kind::call ? static_cast<const detail::call_node*>(n) : nullptr;
}

}  // namespace sinter::codegen
