// Making, sharing and freeing nodes. Freeing is a loop over a list, not a recursion: a chain of a million names must not
// overflow the stack.
#include "runtime/frontend/nodes.hpp"

#include <cstdlib>

#include <sinter/error.hpp>
#include "codegen/ir/broadcast.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/memory/holders.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/current.hpp"

namespace sinter::runtime {

namespace {

// Free blocks of one thread, by size in steps of 64 bytes. Trivial, so that using them costs no question whether they have
// been made, and so that the thread's other destructors may still make nodes.
struct block_lists {
  static constexpr std::size_t step = 64, classes = 32, keep = 256;
  struct block {
    block* next;
  };
  block* first[classes];
  unsigned held[classes];
  bool keeps;  // given back to malloc when the thread ends
};
thread_local constinit block_lists lists{};

struct at_thread_end {
  at_thread_end() { lists.keeps = true; }
  ~at_thread_end() {
    lists.keeps = false;
    for (block_lists::block*& b : lists.first)
      while (b) {
        block_lists::block* next = b->next;
        std::free(b);
        b = next;
      }
  }
};

void* allocate_fresh(std::size_t c) {
  thread_local at_thread_end guard;
  (void)guard;
  const std::size_t size = (c + 1) * block_lists::step;
  if (void* fresh = std::malloc(size)) return fresh;
  throw out_of_memory("sinter: the host has no memory for a node", size, 0, 0);
}

}  // namespace

void* allocate_block(std::size_t size) {
  const std::size_t c = (size - 1) / block_lists::step;
  block_lists& mine = lists;
  if (c >= block_lists::classes || !mine.first[c]) [[unlikely]]
    return allocate_fresh(c);
  block_lists::block* b = mine.first[c];
  mine.first[c] = b->next;
  --mine.held[c];
  return b;
}

void free_block(void* p, std::size_t size) noexcept {
  const std::size_t c = (size - 1) / block_lists::step;
  block_lists& mine = lists;
  if (c >= block_lists::classes || !mine.keeps || mine.held[c] >= block_lists::keep) [[unlikely]]
    return std::free(p);
  auto* b = static_cast<block_lists::block*>(p);
  b->next = mine.first[c];
  mine.first[c] = b;
  ++mine.held[c];
}

namespace {

[[gnu::noinline]] void broadcast_with(shape& extents, const shape& with, const detail::where& place) {
  if (codegen::broadcast(extents, with)) return;
  throw shape_error(detail::message("sinter: the operands' shapes %s and %s do not broadcast%s",
                                    detail::to_string(extents).c_str(), detail::to_string(with).c_str(),
                                    detail::at(place).c_str())
                        .c_str());
}

}  // namespace

const shape& broadcast_shape(const detail::expression_view& e, const detail::where& place, shape& scratch) {
  if (e.code->nodes == 0) return scratch = {};
  if (!e.nodes[0]) [[unlikely]]
    detail::throw_moved_from();
  const shape* extents = &typed(e.nodes[0])->extents;
  for (int i = 1; i < e.code->nodes; ++i) {
    const shape& with = typed(e.nodes[i])->extents;
    if (with == *extents) continue;
    if (extents != &scratch) scratch = *extents, extents = &scratch;
    broadcast_with(scratch, with, place);
  }
  return *extents;
}

detail::array_node* new_array(dtype type, const shape& extents, detail::storage* taken) {
  auto* a = new_node<detail::array_node>(type, extents);
  a->offset = 0;
  a->contiguous = true;
  codegen::c_strides(extents, a->strides);
  hold_first(*a, *taken);
  return a;
}

detail::array_node* new_array(dtype type, const shape& extents, stream_state& on) {
  storage_holder memory(make_storage(static_cast<std::size_t>(extents.elements() * itemsize(type)), on));
  detail::array_node* a = new_array(type, extents, memory.get());
  memory.take();
  return a;
}

detail::array_node* new_array_like(const detail::array_node& a) {
  return new_array(a.type, a.extents, current_stream(*a.memory->device));
}

}  // namespace sinter::runtime

namespace sinter::detail {

using runtime::typed;

namespace {

std::size_t expression_extra(const fragment& f) { return f.nodes * sizeof(node*) + f.scalars * sizeof(scalar_bits); }

// A node without an owner is put on `dead` to be taken apart. Arrays have nothing below them and go at once: a store may be
// reading the shape of each that is still a holder, and counting it up meanwhile, so the count is left alone.
void bury(node* n, typed_node*& dead) noexcept {
  typed_node* t = typed(n);
  if (t->kind == node_kind::array) {
    runtime::look();
    runtime::let_go(*static_cast<array_node*>(t));
    return runtime::free_block(t, sizeof(array_node));
  }
  t->extents[0] = reinterpret_cast<std::intptr_t>(dead);  // no holder is left to read its shape: it holds the list
  dead = t;
}

void drop(node* n, typed_node*& dead) noexcept {
  if (n && drop_reference(n)) bury(n, dead);
}

void take_apart(typed_node* n, typed_node*& dead) noexcept {
  for (int i = 0; i < child_count(n); ++i) drop(child(n, i), dead);
  switch (n->kind) {
    case node_kind::array: return;
    case node_kind::expression:
      return runtime::free_block(n,
                                 sizeof(expression_node) + expression_extra(*static_cast<expression_node*>(n)->code));
    case node_kind::view: return runtime::free_block(n, sizeof(view_node));
    case node_kind::reduction: return runtime::free_block(n, sizeof(reduction_node));
    case node_kind::scan: return runtime::free_block(n, sizeof(scan_node));
    case node_kind::reshape: return runtime::free_block(n, sizeof(reshape_node));
    case node_kind::iota: return runtime::free_block(n, sizeof(iota_node));
  }
}

}  // namespace

void destroy(node* n) noexcept {
  typed_node* dead = nullptr;
  bury(n, dead);
  while (dead) {
    typed_node* next = dead;
    dead = reinterpret_cast<typed_node*>(static_cast<std::intptr_t>(next->extents[0]));
    take_apart(next, dead);
  }
}

namespace {

// Over the operands that `e` lists, of which it takes no references.
expression_node* new_expression(const expression_view& e) {
  shape scratch;
  auto* n = runtime::new_node<expression_node>(e.code->type, runtime::broadcast_shape(e, where{}, scratch),
                                               expression_extra(*e.code));
  n->code = e.code;
  n->children = reinterpret_cast<node**>(n + 1);
  n->scalars = reinterpret_cast<scalar_bits*>(n->children + e.code->nodes);
  for (int i = 0; i < e.code->nodes; ++i) n->children[i] = e.nodes[i];
  for (int i = 0; i < e.code->scalars; ++i) n->scalars[i] = e.scalars[i];
  return n;
}

}  // namespace

node* share(node** slot, const expression_view& e) {
  if (node* made = __atomic_load_n(slot, __ATOMIC_ACQUIRE)) return retain(made);
  expression_node* const mine = new_expression(e);
  mine->references = 2;  // one for the slot, one for the caller
  node* first = nullptr;
  if (__atomic_compare_exchange_n(slot, &first, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return mine;
  runtime::free_block(mine, sizeof(expression_node) + expression_extra(*e.code));  // another thread's owns the operands
  return retain(first);
}

const shape& shape_of(node* n) { return typed(n)->extents; }

}  // namespace sinter::detail
