// Storing into arrays. Storage that nobody else holds is written in place; otherwise the write goes to fresh storage and the
// name is rebound, so that whoever else holds the old one never sees it change (design section 1.1).
#include <algorithm>
#include <cstdlib>
#include <new>

#include <sinter/error.hpp>

#include "codegen/ir/broadcast.hpp"
#include "runtime/device/device.hpp"
#include "runtime/eval.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/memory/transfer.hpp"
#include "runtime/statement.hpp"
#include "runtime/stream/current.hpp"

namespace sinter::detail {

using runtime::as_array_node;
using runtime::request;

namespace {

int count_of(const node* n) { return __atomic_load_n(&n->references, __ATOMIC_ACQUIRE); }

// Does anybody but this statement hold the target's storage? The statement's own references are the target's name, the view
// stored into, and the operands that the dying expression holds directly.
bool held_elsewhere(const array_node* target, const node* view, const expression_view& e) {
  const storage* memory = target->memory;
  int nodes = 0;
  const auto accounted = [&](const node* n, int base) {
    int mine = base;
    for (int i = 0; i < e.code->nodes; ++i) mine += e.nodes[i] == n;
    ++nodes;
    return count_of(n) == mine;
  };
  if (!accounted(target, view == target ? 2 : 1)) return true;
  if (view && view != target && !accounted(view, 1)) return true;
  for (int i = 0; i < e.code->nodes; ++i) {
    const node* n = e.nodes[i];
    const array_node* leaf = as_array_node(e.nodes[i]);
    if (!leaf || leaf->memory != memory || n == target || n == view) continue;
    if (std::find(e.nodes, e.nodes + i, n) != e.nodes + i) continue;
    if (!accounted(n, 0)) return true;
  }
  return __atomic_load_n(&memory->references, __ATOMIC_ACQUIRE) != nodes;
}

struct span {
  std::int64_t low, high;  // elements, both included
};

span reach(const array_node* a) {
  span s{a->offset, a->offset};
  for (int d = 0; d < a->extents.size(); ++d) {
    const std::int64_t far = a->strides[d] * (a->extents[d] - 1);
    (far < 0 ? s.low : s.high) += far;
  }
  return s;
}

// May the operands be read while `to` is written? Yes where each overlaps it not at all, or element for element.
bool safe_in_place(const array_node* to, const expression_view& e) {
  const span written = reach(to);
  for (int i = 0; i < e.code->nodes; ++i) {
    const array_node* leaf = as_array_node(e.nodes[i]);
    if (!leaf || leaf->memory != to->memory) continue;
    const span read = reach(leaf);
    if (read.high < written.low || read.low > written.high) continue;
    const bool same = leaf->type == to->type && leaf->offset == to->offset && leaf->extents == to->extents &&
                      std::equal(leaf->strides, leaf->strides + leaf->extents.size(), to->strides);
    if (!same) return false;
  }
  return true;
}

// The same elements in other storage, of which it takes a reference of its own.
array_node* same_view(const array_node* of, storage* memory, std::int64_t shift) {
  auto* a = runtime::new_node<array_node>(of->type, of->extents);
  __atomic_fetch_add(&memory->references, 1, __ATOMIC_RELAXED);
  a->memory = memory;
  a->offset = of->offset - shift;
  std::copy(of->strides, of->strides + max_rank, a->strides);
  a->contiguous = of->contiguous;
  return a;
}

// The target's elements in storage of their own, laid out as they were.
array_node* detached(const array_node* target, std::int64_t& shift) {
  const span s = reach(target);
  const std::size_t size = static_cast<std::size_t>((s.high - s.low + 1) * itemsize(target->type));
  runtime::storage_holder fresh(runtime::make_storage(size, runtime::current_stream(*target->memory->device)));
  runtime::copy(*fresh.get(), fresh.get()->data, *target->memory, target->memory->data + s.low * itemsize(target->type),
                size);
  shift = s.low;
  return same_view(target, fresh.get(), shift);
}

// A view may be kept under a name, and its array's name rebound before the store.
[[noreturn]] void throw_rebound() {
  throw error("sinter: a store into a view whose array has been given another value since; write the index again");
}

void write(const typed_node* root, array_node* into, void** hint) {
  request r{root, &into->extents, into, hint};
  runtime::evaluate(&r, 1);
}

}  // namespace

void store(handle& target, node* view, const expression_view& e, const where& place) try {
  const runtime::statement here(place);
  shape scratch;
  runtime::borrowed_expression root(e, runtime::broadcast_shape(e, place, scratch));
  array_node* whole = as_array_node(target.get());
  array_node* to = view ? as_array_node(view) : whole;
  if (to->memory != whole->memory) throw_rebound();
  if (!codegen::can_be_stored(root.extents, to->extents))
    throw shape_error(message("sinter: a value of shape %s does not fit the shape %s it is stored into%s",
                              to_string(root.extents).c_str(), to_string(to->extents).c_str(), at(place).c_str())
                          .c_str());
  if (to->extents.elements() == 0) return;

  if (held_elsewhere(whole, view, e)) {
    if (to == whole) {
      array_node* fresh = runtime::new_array_like(*whole);
      const handle guard(fresh);
      write(&root, fresh, e.code->last_plan);
      target = handle(retain(fresh));
      return;
    }
    const span all = reach(whole), written = reach(to);
    if (written.low < all.low || written.high > all.high) throw_rebound();  // to another view of the same storage
    std::int64_t shift = 0;
    array_node* copy = detached(whole, shift);
    const handle guard(copy);
    const handle destination(same_view(to, copy->memory, shift));
    write(&root, as_array_node(destination.get()), e.code->last_plan);
    target = handle(retain(copy));
    return;
  }
  if (safe_in_place(to, e)) return write(&root, to, e.code->last_plan);
  array_node* value = runtime::new_array_like(*to);
  const handle guard(value);
  write(&root, value, e.code->last_plan);
  write(value, to, nullptr);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

void write_all(handle& target, const void* from, std::size_t count, transfer_options how, const where& place) try {
  const runtime::statement here(place);
  array_node* a = as_array_node(target.get());
  check_elements(a->extents, count);
  if (count == 0) return;
  const std::size_t size = count * static_cast<std::size_t>(itemsize(a->type));
  const bool alone =
      count_of(a) == 1 && __atomic_load_n(&a->memory->references, __ATOMIC_ACQUIRE) == 1 && a->contiguous;
  if (!alone) {
    array_node* fresh = runtime::new_array_like(*a);
    const handle guard(fresh);
    runtime::copy_in(*fresh->memory, fresh->data(), from, size, how);
    target = handle(retain(fresh));
    return;
  }
  runtime::copy_in(*a->memory, a->data(), from, size, how);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace sinter::detail
