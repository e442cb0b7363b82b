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
#include "runtime/library/call.hpp"
#include "runtime/memory/holders.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/current.hpp"

namespace sinter::runtime {

namespace {

struct at_thread_end {
  at_thread_end() { free_blocks.keeps = true; }
  ~at_thread_end() {
    free_blocks.keeps = false;
    for (block_lists::list& l : free_blocks.of)
      while (l.first) std::free(std::exchange(l.first, l.first->next));
  }
};

}  // namespace

thread_local constinit block_lists free_blocks{};

void* allocate_fresh_block(std::size_t size) {
  thread_local at_thread_end guard;
  (void)guard;
  constexpr std::size_t step = block_lists::step;
  if (void* fresh = std::malloc((size + step - 1) / step * step)) return fresh;
  throw out_of_memory("sinter: the host has no memory for a node", size, 0, 0);
}

void free_surplus_block(void* p) noexcept { std::free(p); }

namespace {

void broadcast_with(shape& extents, const shape& with, const detail::where& place) {
  if (codegen::broadcast(extents, with)) return;
  throw shape_error(detail::message("sinter: the operands' shapes %s and %s do not broadcast%s",
                                    detail::to_string(extents).c_str(), detail::to_string(with).c_str(),
                                    detail::at(place).c_str())
                        .c_str());
}

}  // namespace

const shape& broadcast_shape_of_several(const detail::expression_view& e, const detail::where& place, shape& scratch) {
  scratch = {};
  for (int i = 0; i < e.code->nodes; ++i) broadcast_with(scratch, typed(e.nodes[i])->extents, place);
  return scratch;
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

int references_of(const node* n) noexcept { return __atomic_load_n(&n->references, __ATOMIC_ACQUIRE); }
// In a section of the only onlooker. What it did to the node before is seen by the thread that finds itself the last owner.
void set_references(node* n, int count) noexcept { __atomic_store_n(&n->references, count, __ATOMIC_RELEASE); }

[[gnu::noinline]] void add_among_threads(node* n, int count) noexcept {
  runtime::count_among_threads();
  __atomic_fetch_add(&n->references, count, __ATOMIC_RELAXED);
}
[[gnu::noinline]] bool drop_among_threads(node* n, int count) noexcept {
  runtime::count_among_threads();
  return __atomic_fetch_sub(&n->references, count, __ATOMIC_ACQ_REL) == count;
}

inline bool add_alone(node* n, int count) noexcept {
  const runtime::sole_section alone;
  if (alone) set_references(n, references_of(n) + count);
  return static_cast<bool>(alone);
}
inline void add_references(node* n, int count) noexcept {
  if (!add_alone(n, count)) add_among_threads(n, count);
}

// True: they were the last. An only owner need not tell other threads, for none of them can count up from here.
inline bool drop_references(node* n, int count) noexcept {
  return references_of(n) == count || (!add_alone(n, -count) && drop_among_threads(n, count));
}

std::size_t expression_extra(const fragment& f) { return f.nodes * sizeof(node*) + f.scalars * sizeof(scalar_bits); }

// No holder is left to read its shape: it holds the list.
inline void list_dead(typed_node* n, typed_node*& dead) noexcept {
  n->extents[0] = reinterpret_cast<std::intptr_t>(dead);
  dead = n;
}

// A node without an owner is put on `dead` to be taken apart. Arrays have nothing below them and go at once: a store may be
// reading the shape of each that is still a holder, and counting it up meanwhile, so the count is left alone.
void bury(node* n, typed_node*& dead) noexcept {
  typed_node* t = typed(n);
  if (t->kind == node_kind::array) {
    runtime::look();
    runtime::let_go(*static_cast<array_node*>(t));
    return runtime::free_node(static_cast<array_node*>(t));
  }
  list_dead(t, dead);
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
  std::uint64_t used[2];
  static_assert(places == 64 * 2);
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
  const int now = references_of(n);
  if (now == 1) return bury(n, dead);
  const auto address = reinterpret_cast<std::uintptr_t>(n);
  const std::size_t place = (address >> 6 ^ address >> 13) % decrements::places;
  decrements::entry& e = gathered.at[place];
  if (e.of != n) return gather(n, place, dead);
  if (++e.count != now) return;
  e.of = nullptr;
  bury(n, dead);
}

// Drops one reference of each, as far as the only onlooker can: it counts down as it goes. Arrays go between its sections. Gives
// how many references that were.
[[gnu::always_inline]] inline int drop_alone(node* const* nodes, int count, typed_node*& dead) noexcept {
  for (int i = 0;; ++i) {
    {
      const runtime::sole_section alone;
      if (!alone) return i;
      for (; i < count; ++i) {
        typed_node* const n = typed(nodes[i]);
        if (const int now = references_of(n); now != 1) set_references(n, now - 1);
        else if (n->kind != node_kind::array) list_dead(n, dead);
        else break;
      }
    }
    if (i == count) return i;
    bury(nodes[i], dead);
  }
}

void settle_all(typed_node*& dead) noexcept {
  for (std::size_t i = 0; i < std::size(gathered.used); ++i)
    for (std::uint64_t& used = gathered.used[i]; used != 0;) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(used));
      used &= used - 1;
      settle(std::exchange(gathered.at[64 * i + bit], {}), dead);
    }
}

void take_apart(array_node&, typed_node*&) noexcept {}
void take_apart(expression_node& e, typed_node*& dead) noexcept {
  const int count = e.code->nodes;
  for (int i = drop_alone(e.children, count, dead); i < count; ++i) drop(e.children[i], dead);
  runtime::free_block(&e, sizeof(expression_node) + expression_extra(*e.code));
}
void take_apart(call_node& c, typed_node*& dead) noexcept {
  call_site* const site = c.site;
  runtime::free_node(&c);
  if (__atomic_sub_fetch(&site->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  for (int i = 0; i < site->operand_count; ++i) drop(site->operands[i], dead);
  for (array_node* const result : site->kept)
    if (result) drop(result, dead);
  runtime::drop(site);
}
template <class Node>
void take_apart(Node& n, typed_node*& dead) noexcept {
  for (int i = 0; i < n.child_count(); ++i) drop(n.child_at(i), dead);
  runtime::free_node(&n);
}

// Until nothing is dead and nothing is gathered. A resource of the program's that is given memory back may come here itself.
[[gnu::noinline]] void take_all_apart(typed_node* dead) noexcept {
  do {
    while (dead) {
      typed_node* next = dead;
      dead = reinterpret_cast<typed_node*>(static_cast<std::intptr_t>(next->extents[0]));
      visit(*next, [&](auto& n) { take_apart(n, dead); });
    }
    settle_all(dead);
  } while (dead);
}

inline void finish(typed_node* dead) noexcept {
  if (dead || gathered.used[0] || gathered.used[1]) take_all_apart(dead);
}

}  // namespace

namespace {

void destroy(node* n) noexcept {
  typed_node* dead = nullptr;
  bury(n, dead);
  finish(dead);
}

}  // namespace

node* retain(node* n) noexcept {
  if (n) [[likely]]
    add_references(n, 1);
  return n;
}

void drop(node* n) noexcept {
  if (drop_references(n, 1)) destroy(n);
}

void release_all(node* const* nodes, int count) noexcept {
  constexpr int few = 4;  // which are compared sooner than gathered
  typed_node* dead = nullptr;
  for (int i = drop_alone(nodes, count, dead); i < count; ++i) {
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

[[gnu::always_inline]] inline expression_node* new_expression(const expression_view& e, const shape& extents) {
  const fragment& code = *e.code;
  auto* n = runtime::new_node<expression_node>(code.type, extents, expression_extra(code));
  n->code = &code;
  n->children = reinterpret_cast<node**>(n + 1);
  n->scalars = reinterpret_cast<scalar_bits*>(n->children + code.nodes);
  for (std::size_t i = 0; i < code.nodes; ++i) n->children[i] = e.nodes[i];
  for (std::size_t i = 0; i < code.scalars; ++i) n->scalars[i] = e.scalars[i];
  return n;
}

[[gnu::noinline]] expression_node* new_expression_over_several(const expression_view& e) {
  shape scratch;
  return new_expression(e, runtime::broadcast_shape_of_several(e, where{}, scratch));
}

// Over the operands that `e` lists, of which it takes no references.
[[gnu::always_inline]] inline expression_node* new_expression(const expression_view& e) {
  const shape* const largest = runtime::largest_shape(e);
  return largest ? new_expression(e, *largest) : new_expression_over_several(e);
}

constexpr int ahead = 14;  // uses of one name, mostly fewer

// One more reference to a named expression's node.
inline node* use_again(node* n) noexcept {
  auto* const e = static_cast<expression_node*>(n);
  if (add_alone(n, 1)) return n;
  if (e->maker != runtime::this_onlooker.number) return retain(n);
  if (e->in_advance == 0) {
    add_among_threads(n, 1 + ahead);
    e->in_advance = 1 + ahead;
  }
  --e->in_advance;
  return n;
}

// Puts a node into its empty slot, with a reference for the slot and one for the caller. False: another thread's is there.
bool publish(node** slot, expression_node* mine, node*& first) noexcept {
  mine->maker = runtime::this_onlooker.number;
  {
    const runtime::sole_section alone;
    if (alone && !*slot) {
      mine->references = 2;
      __atomic_store_n(slot, mine, __ATOMIC_RELEASE);
      return true;
    }
  }
  mine->references = 2 + ahead;
  mine->in_advance = ahead;
  return __atomic_compare_exchange_n(slot, &first, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

[[gnu::noinline]] node* make_shared(node** slot, const expression_view& e) {
  runtime::look();
  expression_node* const mine = new_expression(e);
  node* first = nullptr;
  if (publish(slot, mine, first)) return mine;
  runtime::free_block(mine, sizeof(expression_node) + expression_extra(*e.code));  // another thread's owns the operands
  return retain(first);
}

}  // namespace

node* make_expression(const expression_view& e) { return new_expression(e); }
node* make_expression(const expression_view& e, const shape& extents) { return new_expression(e, extents); }

node* share(node** slot, const expression_view& e) {
  node* const made = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  return made ? use_again(made) : make_shared(slot, e);
}

const shape& shape_of(node* n) { return typed(n)->extents; }

}  // namespace sinter::detail
