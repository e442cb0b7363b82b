// What a node holds. Front-end functions make nodes, resolve.cpp reads them; what a node is worth never changes after it is
// made, so any number of threads may read one. Only an array's storage is written to, where no other node sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

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

/// A stream that reads a storage which another one wrote.
struct reader {
  runtime::stream_state* on;
  std::uint64_t position;  // how much of its work may read it
  reader* next;
};

struct array_node;

/// A block of a device's memory. The resource it came from owns the bytes; the count says how many arrays look at them, and
/// the list which (runtime/memory/holders.hpp). What streams did to it is written by a thread that is the only one to use it, but
/// for the list of readers, which grows.
struct storage {
  int references = 1;  // its sign bit: a thread is changing the list of holders
  int lives = 1;       // one for all references together, one for each graph that uses it
  runtime::device_impl* device;
  std::byte* data;
  std::size_t size;  // bytes asked for
  memory_resource* resource;
  runtime::stream_state* home;    // in whose order the block was handed out and goes back
  runtime::stream_state* stream;  // that wrote it last, or will
  std::uint64_t written;          // how much of that stream's work it takes
  reader* readers;                // other streams
  storage* next;                  // among those that are dead but still in use
  array_node* holders = nullptr;  // while there are any; the newest first
  bool lent = false;              // the program has its address, and may enqueue work of its own with it
  bool named = false;             // the program has given it a name (runtime/inspect/names.hpp)
};

void release(storage*) noexcept;  // runtime/memory/storage.cpp

enum class node_kind : std::uint8_t { array, expression, view, reduction, scan, reshape, iota, call };

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

/// Elements in a storage: strides and offset in elements.
struct array_node : typed_node {
  explicit array_node(dtype t) : typed_node(node_kind::array, t) {}
  array_node(dtype t, const sinter::shape& s) : typed_node(node_kind::array, t, s) {}

  storage* memory;
  std::int64_t offset;
  std::int64_t strides[max_rank];
  bool contiguous;            // C order without gaps
  array_node *newer, *older;  // among the holders of its storage

  std::byte* data() const { return memory->data + offset * itemsize(type); }
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
};

/// A reduction over some axes of an expression.
struct reduction_node : typed_node {
  reduction_node(dtype t, const sinter::shape& s) : typed_node(node_kind::reduction, t, s) {}

  typed_node* child;
  reduction what;
  std::uint32_t axes;                              // bit d: axis d of the child is reduced
  const codegen::function_text* called = nullptr;  // reduction::text
};

/// What a reduction makes of the elements up to each one, along an axis of an expression.
struct scan_node : typed_node {
  scan_node(dtype t, const sinter::shape& s) : typed_node(node_kind::scan, t, s) {}

  typed_node* child;
  reduction what;
  int axis;
};

/// An expression's elements in C order under another shape.
struct reshape_node : typed_node {
  reshape_node(dtype t, const sinter::shape& s) : typed_node(node_kind::reshape, t, s) {}

  typed_node* child;
};

/// 0, 1, 2, ... along one axis, constant along the others, or in C order over all of them; int64.
struct iota_node : typed_node {
  iota_node(dtype t, const sinter::shape& s) : typed_node(node_kind::iota, t, s) {}

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
};

/// The nodes that a node is made of.
inline int child_count(const typed_node* n) {
  switch (n->kind) {
    case node_kind::expression: return static_cast<const expression_node*>(n)->code->nodes;
    case node_kind::view: return 1 + static_cast<const view_node*>(n)->more_count();
    case node_kind::reduction:
    case node_kind::scan:
    case node_kind::reshape: return 1;
    case node_kind::call: return static_cast<const call_node*>(n)->site->operand_count;
    default: return 0;
  }
}
inline typed_node* child(const typed_node* n, int i) {
  switch (n->kind) {
    case node_kind::expression: return static_cast<typed_node*>(static_cast<const expression_node*>(n)->children[i]);
    case node_kind::view: {
      const auto* v = static_cast<const view_node*>(n);
      return i == 0 ? v->child : v->more[i - 1];
    }
    case node_kind::reduction: return static_cast<const reduction_node*>(n)->child;
    case node_kind::scan: return static_cast<const scan_node*>(n)->child;
    case node_kind::call: return static_cast<const call_node*>(n)->site->operands[i];
    default: return static_cast<const reshape_node*>(n)->child;
  }
}

}  // namespace sinter::detail
