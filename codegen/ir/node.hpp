// What a node holds. Front-end functions make nodes, resolve.cpp reads them; what a node is worth never changes after it is
// made, so any number of threads may read one. Only an array's storage is written to, where no other node sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include <sinter/detail/seam.hpp>
#include <sinter/shape.hpp>

namespace sinter {
class memory_resource;
}

namespace sinter::codegen {
struct function_text;
}

namespace sinter::runtime {
class device_impl;
class library_call;
class stream_state;
}  // namespace sinter::runtime

namespace sinter::detail {

struct array_node;
struct storage;  // a block of a device's memory: runtime/memory/storage.hpp
void release(storage*) noexcept;

/// Where an array's elements are.
struct array_place {
  runtime::device_impl* device;
  std::byte* data;  // the first element
};
array_place place_of(const array_node&) noexcept;  // runtime/memory/storage.cpp

enum class node_kind : std::uint8_t {
#define SINTER_NODE(kind) kind,
#include "codegen/ir/node_kinds.def"
#undef SINTER_NODE
};

/// What every node knows: its dtype and its shape.
struct typed_node : node {
  const node_kind kind;
  const dtype type;
  /// Where the last walk that came here noted what it found. A guess: another thread may have come meanwhile.
  mutable std::uint16_t noted = 0;
  sinter::shape extents;

 protected:
  typed_node(node_kind k, dtype t) : kind(k), type(t) {}
  typed_node(node_kind k, dtype t, const sinter::shape& s) : kind(k), type(t), extents(s) {}
};

/// A node that is made of no others. The members of the same names of other structs say what those are made of.
struct leaf_node : typed_node {
  using typed_node::typed_node;
  int child_count() const { return 0; }
  typed_node* child_at(int) const { return nullptr; }
};

/// Elements in a storage: strides and offset in elements.
struct array_node : leaf_node {
  explicit array_node(dtype t) : leaf_node(node_kind::array, t) {}
  array_node(dtype t, const sinter::shape& s) : leaf_node(node_kind::array, t, s) {}

  storage* memory;
  std::int64_t offset;
  std::int64_t strides[max_rank];
  bool contiguous;            // C order without gaps
  array_node *newer, *older;  // among the holders of its storage

  inline std::byte* data() const;  // runtime/memory/storage.hpp
};

/// An elementwise expression: an expression type's code over child nodes and scalars, which follow in the same block.
struct expression_node : typed_node {
  expression_node(dtype t, const sinter::shape& s) : typed_node(node_kind::expression, t, s) {}

  const fragment* code;
  node** children;
  scalar_bits* scalars;
  /// References that the count has in advance. Those of a named expression's node are handed out by the thread that made it,
  /// without a locked instruction each, and given up by the name.
  unsigned maker = 0;
  int in_advance = 0;

  int child_count() const { return code->nodes; }
  typed_node* child_at(int i) const { return static_cast<typed_node*>(children[i]); }
};

/// Does an expression give the node that it is made of as it is?
inline bool changes_nothing(const fragment& f) {
  const bool is_same =
      f.length == 1 || (f.length == 2 && f.code[1].code == instruction::cast && f.code[1].type == f.code[0].type);
  return is_same && f.nodes == 1;
}
inline bool changes_nothing(const expression_node& e) { return changes_nothing(*e.code); }

/// How one axis of a viewed node is driven: index = offset + step * (index along `axis` of the view).
struct axis_map {
  std::int64_t offset;
  std::int64_t step;
  std::int16_t axis;     // -1: constant; below: the computed index number first_computed - axis
  std::int16_t run = 1;  // so many axes, from `axis` on, that count as one in C order; a view's own maps have one

  static constexpr std::int16_t constant = -1, first_computed = -2;
  bool is_computed() const { return axis <= first_computed; }
  int computed() const { return first_computed - axis; }
  static axis_map by_computed(int number) { return {0, 1, static_cast<std::int16_t>(first_computed - number)}; }
};

/// A view of an expression, or of an array that strides alone do not give: axes of the child follow axes of the view, or
/// integers that are computed at each point of it.
struct view_node : typed_node {
  view_node(dtype t, const sinter::shape& s) : typed_node(node_kind::view, t, s) {}

  typed_node* child;
  axis_map map[max_rank];          // one per axis of the child
  std::uint8_t indices = 0;        // computed ones, which broadcast to the view
  std::uint8_t checked = 0;        // bit k: index k may be negative or out of range, and is looked at
  bool guarded = false;            // the view has a value where its guard is true; elsewhere nothing is read
  typed_node* more[max_rank + 1];  // the indices, of integer dtypes, and the guard, of bool

  int more_count() const { return indices + guarded; }
  int child_count() const { return 1 + more_count(); }
  typed_node* child_at(int i) const { return i == 0 ? child : more[i - 1]; }
};

/// A node that is made of one other.
struct unary_node : typed_node {
  using typed_node::typed_node;
  int child_count() const { return 1; }
  typed_node* child_at(int) const { return child; }

  typed_node* child;
};

/// A reduction over some axes of an expression.
struct reduction_node : unary_node {
  reduction_node(dtype t, const sinter::shape& s) : unary_node(node_kind::reduction, t, s) {}

  reduction what;
  std::uint32_t axes;                              // bit d: axis d of the child is reduced
  const codegen::function_text* called = nullptr;  // reduction::text
};

/// What a reduction makes of the elements up to each one, along an axis of an expression.
struct scan_node : unary_node {
  scan_node(dtype t, const sinter::shape& s) : unary_node(node_kind::scan, t, s) {}

  reduction what;
  int axis;
};

/// An expression's elements in C order under another shape.
struct reshape_node : unary_node {
  reshape_node(dtype t, const sinter::shape& s) : unary_node(node_kind::reshape, t, s) {}
};

/// 0, 1, 2, ... along one axis, constant along the others, or in C order over all of them; int64.
struct iota_node : leaf_node {
  iota_node(dtype t, const sinter::shape& s) : leaf_node(node_kind::iota, t, s) {}

  static constexpr int all_axes = -1;
  int axis;
};

/// A call of a library (runtime/library/call.hpp) with its operands, which are arrays by the time it is made. It is made once: the
/// results are kept. Its results' nodes own it together.
struct call_site {
  static constexpr int most_operands = 4, most_results = 4;
  int references = 0;
  const runtime::library_call* what = nullptr;  // owned
  typed_node* operands[most_operands];
  int operand_count = 0;
  array_node* kept[most_results] = {};  // null until it has been made
};

/// One result of a call.
struct call_node : typed_node {
  call_node(dtype t, const sinter::shape& s) : typed_node(node_kind::call, t, s) {}

  call_site* site;
  int number = 0;  // among the results

  int child_count() const { return site->operand_count; }
  typed_node* child_at(int i) const { return site->operands[i]; }
};

/// Calls `with` with a node as what it is.
template <class Node, class With>
[[gnu::always_inline]] inline decltype(auto) visit(Node& n, With&& with) {
  switch (n.kind) {
#define SINTER_NODE(kind) \
  case node_kind::kind:   \
    return with(static_cast<std::conditional_t<std::is_const_v<Node>, const kind##_node, kind##_node>&>(n));
#include "codegen/ir/node_kinds.def"
#undef SINTER_NODE
  }
  __builtin_unreachable();
}

/// The nodes that a node is made of.
inline int child_count(const typed_node* n) {
  return visit(*n, [](const auto& of) { return of.child_count(); });
}
inline typed_node* child(const typed_node* n, int i) {
  return visit(*n, [i](const auto& of) { return of.child_at(i); });
}

}  // namespace sinter::detail
