// How nodes are made and freed. Blocks come from per-thread lists by size: an evaluation makes an array node and often a dozen
// expression nodes, and two mallocs each would cost more than the rest of it.
#pragma once

#include <new>

#include <sinter/detail/seam.hpp>

#include "codegen/ir/node.hpp"
#include "runtime/frontend/onlookers.hpp"

namespace sinter::runtime {

void* allocate_block(std::size_t size);
void free_block(void* block, std::size_t size) noexcept;

/// A new node of type N, followed by `extra` bytes.
template <class N>
N* new_node(dtype type, const shape& extents, std::size_t extra = 0) {
  return new (allocate_block(sizeof(N) + extra)) N(type, extents);
}

inline detail::typed_node* typed(detail::node* n) { return static_cast<detail::typed_node*>(n); }
inline detail::array_node* as_array_node(detail::node* n) {
  look();
  return typed(n)->kind == detail::node_kind::array ? static_cast<detail::array_node*>(n) : nullptr;
}

/// Of an array's elements. Units: bytes.
inline std::size_t byte_size(const detail::array_node& a) {
  return static_cast<std::size_t>(a.extents.elements() * itemsize(a.type));
}

/// The shape that an expression's operands broadcast to: one of theirs, or `scratch`. Errors: `shape_error` naming two that do
/// not.
const shape& broadcast_shape(const detail::expression_view&, const detail::where&, shape& scratch);

/// An expression object seen as a node, without taking references: it outlives the evaluation.
struct borrowed_expression : detail::expression_node {
  borrowed_expression(const detail::expression_view& e, const shape& s) : detail::expression_node(e.code->type, s) {
    code = e.code;
    children = const_cast<detail::node**>(e.nodes);
    scalars = const_cast<detail::scalar_bits*>(e.scalars);
  }
};

/// An array node over storage whose reference it takes.
detail::array_node* new_array(dtype, const shape&, detail::storage* taken);
/// The same with fresh storage, first used on a stream.
detail::array_node* new_array(dtype, const shape&, stream_state& on);
/// On the calling thread's current stream of the device that another array lives on.
detail::array_node* new_array_like(const detail::array_node&);

/// An array whose elements are only its own, for work that writes them and is no store of Sinter's: where another name or an
/// expression shares them, `target` gets a copy. `what`: for the log. Errors: `out_of_memory`.
detail::array_node* own_elements(detail::handle& target, const char* what);

}  // namespace sinter::runtime

namespace sinter::detail {

/// A bit for each axis that a list names. Errors: `shape_error`.
std::uint32_t axis_mask(const axis_list&, const shape&);
shape reduced_shape(const shape& from, std::uint32_t mask, bool keepdims);

}  // namespace sinter::detail
