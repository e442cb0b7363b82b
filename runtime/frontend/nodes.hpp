// How nodes are made and freed.
#pragma once

#include <new>
#include <optional>

#include <sinter/detail/seam.hpp>

#include "codegen/ir/broadcast.hpp"
#include "codegen/ir/node.hpp"
#include "runtime/frontend/node_blocks.hpp"
#include "runtime/frontend/onlookers.hpp"

namespace sinter::runtime {

/// Has room for products of strides and extents, and of two strides.
__extension__ using int128 = __int128;

/// A new node of type N, followed by `extra` bytes.
template <class N>
[[gnu::always_inline]] inline N* new_node(dtype type, const shape& extents, std::size_t extra = 0) {
  return new (allocate_block(sizeof(N) + extra)) N(type, extents);
}
/// One whose shape is still to be said.
template <class N>
N* new_node(dtype type) {
  return new (allocate_block(sizeof(N))) N(type);
}
template <class N>
void free_node(N* n) noexcept {
  free_block(n, sizeof(N));
}

inline detail::typed_node* typed(detail::node* n) { return static_cast<detail::typed_node*>(n); }
inline const detail::typed_node* typed(const detail::node* n) { return static_cast<const detail::typed_node*>(n); }
inline detail::array_node* as_array_node(detail::node* n) {
  look();
  return typed(n)->kind == detail::node_kind::array ? static_cast<detail::array_node*>(n) : nullptr;
}

/// Of an array's elements. Units: bytes.
inline std::size_t byte_size(const detail::array_node& a) {
  return static_cast<std::size_t>(a.extents.elements() * itemsize(a.type));
}

/// The operand's shape that an expression's other operands broadcast to. Null where there is none.
inline const shape* largest_shape(const detail::expression_view& e) {
  if (e.code->nodes == 0) return nullptr;
  const detail::node* const first = e.nodes[0];
  if (!first) [[unlikely]]
    detail::throw_moved_from();
  const shape* extents = &typed(first)->extents;
  const detail::node* last = first;  // what is named once is often named again
  for (detail::node *const *n = e.nodes + 1, *const *const end = e.nodes + e.code->nodes; n != end; ++n) {
    if (*n == last || *n == first) continue;
    last = *n;
    const shape& with = typed(last)->extents;
    if (codegen::are_the_same(with, *extents) || codegen::broadcasts_to(with, *extents)) continue;
    if (!codegen::broadcasts_to(*extents, with)) return nullptr;
    extents = &with;
  }
  return extents;
}
const shape& broadcast_shape_of_several(const detail::expression_view&, const detail::where&, shape& scratch);
/// The shape that an expression's operands broadcast to: one of theirs, or `scratch`. Errors: `shape_error` naming two that do
/// not.
inline const shape& broadcast_shape(const detail::expression_view& e, const detail::where& place, shape& scratch) {
  const shape* const largest = largest_shape(e);
  return largest ? *largest : broadcast_shape_of_several(e, place, scratch);
}

/// An expression object seen as a node, without taking references: it outlives the evaluation.
struct borrowed_expression : detail::expression_node {
  borrowed_expression(const detail::expression_view& e, const shape& s) : detail::expression_node(e.code->type, s) {
    code = e.code;
    children = const_cast<detail::node**>(e.nodes);
    scalars = const_cast<detail::scalar_bits*>(e.scalars);
    if (e.is_named) references = 2;  // its name's
  }
};

/// An array node over storage whose reference it takes.
detail::array_node* new_array(dtype, const shape&, detail::storage* taken);
/// The same with fresh storage, first used on a stream.
detail::array_node* new_array(dtype, const shape&, stream_state& on);
/// On the calling thread's current stream of the device that another array lives on.
detail::array_node* new_array_like(const detail::array_node&);

/// For work that writes elements of `part`, a view of the target or itself, at the end of a statement that makes them of an
/// expression and says by indices where they go: what outlives the statement sees none of them then, or `target` goes on with a
/// copy, of which `part` is the same view. `alone` is to live until they have been written. Errors: `out_of_memory`.
void make_room(detail::handle& target, detail::handle& part, const detail::expression_view&, const detail::picking&,
               std::optional<only_onlooker>& alone);

/// An array whose elements are only its own, for work that writes them and is no store of Sinter's: where another name or an
/// expression shares them, `target` gets a copy. `what`: for the log. Errors: `out_of_memory`.
detail::array_node* own_elements(detail::handle& target, const char* what);

}  // namespace sinter::runtime

namespace sinter::detail {

/// As make_expression, of a shape that not all of the operands broadcast to.
node* make_expression(const expression_view&, const shape&);

/// A bit for each axis that a list names. Errors: `shape_error`.
std::uint32_t axis_mask(const axis_list&, const shape&);
/// How many elements are folded into one.
std::int64_t reduced_count(node*, const axis_list&);
shape reduced_shape(const shape& from, std::uint32_t mask, bool keepdims);

}  // namespace sinter::detail
