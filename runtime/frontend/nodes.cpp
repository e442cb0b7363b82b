// Making, sharing and freeing nodes. Freeing is a loop over a list, not a recursion: a chain of a million names must not
// overflow the stack.
#include "runtime/frontend/nodes.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <iterator>
#include <utility>

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
  const detail::node *first = e.nodes[0], *last = first;  // what is named once is often named again
  for (int i = 1; i < e.code->nodes; ++i) {
    if (e.nodes[i] == last || e.nodes[i] == first) continue;
    last = e.nodes[i];
    const shape& with = typed(e.nodes[i])->extents;
    if (codegen::broadcasts_to(with, *extents)) continue;
    if (codegen::broadcasts_to(*extents, with)) {
      extents = &with;
      continue;
    }
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

// Threads by number: no two ever have the same.
unsigned this_thread() noexcept {
  static std::atomic<unsigned> numbered{0};
  static thread_local constinit unsigned mine = 0;
  if (mine == 0) [[unlikely]]
    mine = ++numbered;
  return mine;
}

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

// Decrements that one call is about to make, gathered by node: where all references of a node are among them it is dead, and
// no locked instruction was needed. Only while they are gathered does a node have more references than owners.
struct decrements {
  static constexpr std::size_t places = 128;
  struct entry {
    node* of;
    int count;
  };
  entry at[places];
  std::uint64_t used[places / 64];
};
thread_local constinit decrements gathered{};

void settle(const decrements::entry& e, typed_node*& dead) noexcept {
  if (e.of && drop_references(e.of, e.count)) bury(e.of, dead);
}

// The first of a node's; a place that another node has is cleared.
[[gnu::noinline]] void gather(node* n, std::size_t place, typed_node*& dead) noexcept {
  const decrements::entry before = std::exchange(gathered.at[place], {n, 1});
  gathered.used[place / 64] |= std::uint64_t{1} << place % 64;
  settle(before, dead);
}

inline void drop(node* n, typed_node*& dead) noexcept {
  const int now = __atomic_load_n(&n->references, __ATOMIC_ACQUIRE);
  if (now == 1) return bury(n, dead);
  const auto address = reinterpret_cast<std::uintptr_t>(n);
  const std::size_t place = (address >> 6 ^ address >> 13) % decrements::places;
  decrements::entry& e = gathered.at[place];
  if (e.of != n) return gather(n, place, dead);
  if (++e.count != now) return;
  e.of = nullptr;
  bury(n, dead);
}

void settle_all(typed_node*& dead) noexcept {
  for (std::size_t i = 0; i < std::size(gathered.used); ++i)
    for (std::uint64_t& used = gathered.used[i]; used != 0;) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(used));
      used &= used - 1;
      settle(std::exchange(gathered.at[64 * i + bit], {}), dead);
    }
}

void take_apart(typed_node* n, typed_node*& dead) noexcept {
  switch (n->kind) {
    case node_kind::array: return;
    case node_kind::expression: {
      auto* const e = static_cast<expression_node*>(n);
      for (node **c = e->children, **end = c + e->code->nodes; c != end; ++c) drop(*c, dead);
      return runtime::free_block(n, sizeof(expression_node) + expression_extra(*e->code));
    }
    case node_kind::view: {
      for (int i = 0; i < child_count(n); ++i) drop(child(n, i), dead);
      return runtime::free_block(n, sizeof(view_node));
    }
    case node_kind::reduction: drop(child(n, 0), dead); return runtime::free_block(n, sizeof(reduction_node));
    case node_kind::scan: drop(child(n, 0), dead); return runtime::free_block(n, sizeof(scan_node));
    case node_kind::reshape: drop(child(n, 0), dead); return runtime::free_block(n, sizeof(reshape_node));
    case node_kind::iota: return runtime::free_block(n, sizeof(iota_node));
  }
}

// Until nothing is dead and nothing is gathered. A resource of the program's that is given memory back may come here itself.
void finish(typed_node* dead) noexcept {
  do {
    while (dead) {
      typed_node* next = dead;
      dead = reinterpret_cast<typed_node*>(static_cast<std::intptr_t>(next->extents[0]));
      take_apart(next, dead);
    }
    settle_all(dead);
  } while (dead);
}

}  // namespace

void destroy(node* n) noexcept {
  typed_node* dead = nullptr;
  bury(n, dead);
  finish(dead);
}

void release_all(node* const* nodes, int count) noexcept {
  constexpr int few = 4;  // which are compared sooner than gathered
  typed_node* dead = nullptr;
  for (int i = 0; i < count; ++i) {
    if (count > few) {
      drop(nodes[i], dead);
    } else if (std::find(nodes, nodes + i, nodes[i]) == nodes + i) {
      settle({nodes[i], static_cast<int>(std::count(nodes + i, nodes + count, nodes[i]))}, dead);
    }
  }
  finish(dead);
}

void release_shared(node* n) noexcept {
  if (drop_references(n, 1 + static_cast<expression_node*>(n)->in_advance)) destroy(n);
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

constexpr int ahead = 14;  // uses of one name, mostly fewer

// One more reference to a named expression's node.
node* use_again(node* n) noexcept {
  auto* const e = static_cast<expression_node*>(n);
  if (e->maker != this_thread()) return retain(n);
  if (e->in_advance == 0) {
    __atomic_fetch_add(&e->references, 1 + ahead, __ATOMIC_RELAXED);
    e->in_advance = 1 + ahead;
  }
  --e->in_advance;
  return n;
}

}  // namespace

node* make_expression(const expression_view& e) { return new_expression(e); }

node* share(node** slot, const expression_view& e) {
  if (node* made = __atomic_load_n(slot, __ATOMIC_ACQUIRE)) return use_again(made);
  expression_node* const mine = new_expression(e);
  mine->references = 2 + ahead;  // one for the slot, one for the caller
  mine->in_advance = ahead;
  mine->maker = this_thread();
  node* first = nullptr;
  if (__atomic_compare_exchange_n(slot, &first, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return mine;
  runtime::free_block(mine, sizeof(expression_node) + expression_extra(*e.code));  // another thread's owns the operands
  return retain(first);
}

const shape& shape_of(node* n) { return typed(n)->extents; }

}  // namespace sinter::detail
