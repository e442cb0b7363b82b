// Storing into arrays (decision 0017). A store writes the elements it names, in place where nothing that outlives the
// statement could see them change. Who could is known: a storage lists the arrays that look at it. Those that would see the
// change are given their elements in storage of their own where that is less than the whole and no other thread may be looking;
// otherwise the name that is stored into moves to fresh storage. What the statement itself still reads goes through a temporary of
// the stored size.
#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

#include <sinter/error.hpp>

#include "codegen/ir/broadcast.hpp"
#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/eval.hpp"
#include "runtime/frontend/census.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/frontend/overlap.hpp"
#include "runtime/inspect/names.hpp"
#include "runtime/log.hpp"
#include "runtime/memory/holders.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/memory/transfer.hpp"
#include "runtime/statement.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/operation.hpp"

namespace sinter::detail {

using runtime::as_array_node;
using runtime::byte_size;
using runtime::census;
using runtime::count_of;
using runtime::request;
using runtime::typed;

namespace {

void write(const typed_node* root, array_node* into, void** hint = nullptr) {
  request r{root, &into->extents, into, hint};
  runtime::evaluate(&r, 1);
}

// ---- who looks at the elements

// Has a node no reference but those of the statement: `own`, and the operands that the dying expression holds directly?
bool is_only(const node* n, int own, const expression_view& e) {
  const int all = count_of(n);
  if (all == own) return true;  // and it is no operand
  for (int i = 0; i < e.code->nodes; ++i) own += e.nodes[i] == n;
  return all == own;
}

// Does a direct operand of the statement look at the storage?
bool is_read(const storage& memory, const expression_view& e) {
  for (int i = 0; i < e.code->nodes; ++i)
    if (const typed_node* n = typed(e.nodes[i]); n->kind == node_kind::array)
      if (static_cast<const array_node*>(n)->memory == &memory) return true;
  return false;
}

// Has neither the target nor the view a reference but those of the statement?
bool are_only(const node* whole, const node* view, const expression_view& e) {
  return is_only(whole, view == whole ? 2 : 1, e) && (!view || view == whole || is_only(view, 1, e));
}

// Does nothing but the statement's target, view and direct operands look at the storage? Most stores are answered here.
bool is_sole(const array_node* target, const node* view, const expression_view& e, bool read) {
  int nodes = view == target ? 1 : 2;
  for (int i = 0; read && i < e.code->nodes; ++i) {
    const node* n = e.nodes[i];
    const array_node* leaf = as_array_node(e.nodes[i]);
    if (!leaf || leaf->memory != target->memory || n == target || n == view) continue;
    if (std::find(e.nodes, e.nodes + i, n) != e.nodes + i) continue;
    if (!is_only(n, 0, e)) return false;
    ++nodes;
  }
  return __atomic_load_n(&target->memory->references, __ATOMIC_ACQUIRE) == nodes;
}

// Holders of a storage that would see a store.
struct affected {
  int count = 0;
  bool too_many = false;  // to look at all holders
  std::int64_t elements = 0;
  shape of_one;
  std::vector<handle> nodes;  // where they are to be kept
};

constexpr int most_holders = 256;  // that one store looks at: beyond, a copy is quicker, and the next store has none

// A new reference to a node that may be on its way out. Null: it is.
node* retain_living(node* n) {
  int now = count_of(n);
  while (now > 0 &&
         !__atomic_compare_exchange_n(&n->references, &now, now + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return now > 0 ? n : nullptr;
}

// Those that see elements of `to` and do not die with the statement. `keep`: for the only thread that looks at nodes.
affected find_affected(const array_node* to, const array_node* whole, const census* statement, bool keep) {
  affected found;
  if (keep) found.nodes.reserve(most_holders);
  const runtime::holders_lock list(*to->memory);
  found.too_many = list.count > most_holders;
  for (array_node* h = to->memory->holders; h && !found.too_many; h = h->older) {
    if (h == to || h == whole || !runtime::overlap(*h, *to)) continue;
    if (statement && statement->dies(h)) continue;
    if (keep) {
      node* const living = retain_living(h);
      if (!living) continue;
      found.nodes.emplace_back(living);
    }
    ++found.count;
    found.of_one = h->extents;
    found.elements += h->extents.elements();
  }
  return found;
}

// ---- where they look instead

// Gives each the elements it has in storage of its own.
void move_away(const affected& found) {
  std::vector<request> requests;
  for (const handle& h : found.nodes) {
    array_node* const a = as_array_node(h.get());
    requests.push_back({a, &a->extents, nullptr});
  }
  std::vector<handle> copies(requests.size());
  runtime::evaluate(requests.data(), static_cast<int>(requests.size()));
  for (std::size_t i = 0; i < copies.size(); ++i) copies[i] = handle(requests[i].into);
  for (std::size_t i = 0; i < copies.size(); ++i) {
    array_node* const a = as_array_node(found.nodes[i].get());
    const array_node* const copy = as_array_node(copies[i].get());
    runtime::let_go(*a);
    a->offset = copy->offset;
    std::copy(copy->strides, copy->strides + max_rank, a->strides);
    a->contiguous = copy->contiguous;
    runtime::hold(*a, *copy->memory);
  }
}

// Is a graph made here, or does one use the storage? Its launches go on with the storages that there are now.
bool is_of_graph(const storage& memory) {
  const runtime::stream_state& on = runtime::current_stream(*memory.device);
  return runtime::chosen.capture || on.capture.load(std::memory_order_acquire) ||
         __atomic_load_n(&memory.lives, __ATOMIC_ACQUIRE) != 1;
}

// May arrays be given other storage here, by the only thread that looks? Not where that would part them from a graph, where the
// program has an address of it, nor within a user's function that the library has called.
bool may_move(const storage& memory) {
  return !is_of_graph(memory) && !__atomic_load_n(&memory.lent, __ATOMIC_RELAXED) &&
         !runtime::memory_of_thread.in_hook && !runtime::is_evaluating();
}

void log_kept(const array_node& whole, const affected& kept) {
  if (runtime::log_level() < 1) return;
  const auto elements = static_cast<long long>(kept.elements);
  runtime::log(
      1,
      "a store into an array of shape %s kept %lld elements (%lld bytes) for %d that share its storage, one of "
      "shape %s",
      to_string(whole.extents).c_str(), elements, elements * itemsize(whole.type), kept.count,
      to_string(kept.of_one).c_str());
}

// True: nothing that outlives the statement sees elements of `to`, or now no longer. `seen`: what does.
bool make_way(const array_node* to, const array_node* whole, const census& statement, bool alone, affected& seen) {
  seen = find_affected(to, whole, &statement, false);
  if (seen.count == 0 && !seen.too_many) return true;
  if (seen.too_many || seen.elements >= whole->extents.elements() || !alone || !may_move(*whole->memory)) return false;
  affected moving = find_affected(to, whole, &statement, true);
  move_away(moving);
  log_kept(*whole, moving);
  return true;
}

// On a device with streams a storage's place among them is written, too: by one thread only.
bool may_write_beside(const storage& memory, bool alone) { return alone || !memory.device->asynchronous(); }

// The same, of a target and a view that may be known elsewhere.
bool make_way(const array_node* to, const array_node* whole, const node* view, const census& statement, bool alone,
              affected& seen) {
  return statement.dies(whole) && statement.dies(view) &&
         (may_write_beside(*whole->memory, alone) || statement.holds_all_of(*whole->memory)) &&
         make_way(to, whole, statement, alone, seen);
}

// ---- the name moves to fresh storage

// Arrays come from slices and transposes of contiguous ones, so with the axes in the order of their strides each element has
// one index: the largest stride divides first.
struct layout {
  explicit layout(const array_node& a) : from(a), lowest(a.offset) {
    for (int d = 0; d < a.extents.size(); ++d) {
      if (a.extents[d] == 1) continue;
      if (a.strides[d] < 0) lowest += a.strides[d] * (a.extents[d] - 1);
      axes[count++] = d;
    }
    std::sort(axes, axes + count, [&](int l, int r) { return std::abs(a.strides[l]) > std::abs(a.strides[r]); });
  }
  std::int64_t size() const {  // from the lowest element to the highest
    std::int64_t n = 1;
    for (int i = 0; i < count; ++i) n += std::abs(from.strides[axes[i]]) * (from.extents[axes[i]] - 1);
    return n;
  }
  // Where the element at `offset` is in an array of the same shape.
  std::int64_t place_in(const array_node& to, std::int64_t offset) const {
    std::int64_t left = offset - lowest, place = to.offset;
    for (int i = 0; i < count; ++i) {
      const std::int64_t stride = from.strides[axes[i]], steps = left / std::abs(stride);
      left -= steps * std::abs(stride);
      place += to.strides[axes[i]] * (stride < 0 ? from.extents[axes[i]] - 1 - steps : steps);
    }
    return place;
  }
  const array_node& from;
  std::int64_t lowest;
  int axes[max_rank], count = 0;
};

// The target's elements in storage of their own: laid out as they were where they have no gaps, else in C order.
array_node* detached(const array_node& whole) {
  const layout old(whole);
  const std::size_t size = byte_size(whole);
  if (old.size() != whole.extents.elements()) {
    request r{&whole, &whole.extents, nullptr};
    runtime::evaluate(&r, 1);
    runtime::bump(runtime::counter::bytes_copied, size);
    return r.into;
  }
  array_node* fresh = runtime::new_array_like(whole);
  const handle guard(fresh);
  runtime::copy(*fresh->memory, fresh->memory->data, *whole.memory,
                whole.memory->data + old.lowest * itemsize(whole.type), size);
  fresh->offset = whole.offset - old.lowest;
  std::copy(whole.strides, whole.strides + max_rank, fresh->strides);
  fresh->contiguous = whole.contiguous;
  return as_array_node(retain(fresh));
}

// The elements of `view`, a view of `whole`, in a copy of it.
array_node* same_view(const array_node& view, const array_node& whole, array_node& copy) {
  const layout old(whole);
  auto* a = runtime::new_node<array_node>(view.type, view.extents);
  a->offset = old.place_in(copy, view.offset);
  // A step may go along several axes at once, as a diagonal's does: it leads from the first element to the next.
  for (int d = 0; d < view.extents.size(); ++d)
    a->strides[d] =
        view.extents[d] <= 1 ? 0 : old.place_in(copy, view.offset + view.strides[d]) - old.place_in(copy, view.offset);
  a->contiguous = codegen::is_contiguous(a->extents, a->strides);
  runtime::hold(*a, *copy.memory);
  return a;
}

void log_copy(const array_node& whole, const array_node& to, const affected& seen) {
  if (runtime::log_level() < 1) return;
  const std::string why = seen.count      ? "an array of shape " + to_string(seen.of_one) + " shares these elements"
                          : seen.too_many ? "over " + std::to_string(most_holders) + " arrays share its storage"
                                          : std::string("another name, an expression or a thread holds it");
  runtime::log(1, "a store into %s of an array of shape %s copied it, %zu bytes: %s", to_string(to.extents).c_str(),
               to_string(whole.extents).c_str(), byte_size(whole), why.c_str());
}

// The target goes on with a copy of its elements. What `to`, a view of them, is of it.
handle move_to_copy(handle& target, const array_node& to, const affected& seen) {
  const array_node& whole = *as_array_node(target.get());
  log_copy(whole, to, seen);
  handle copy(detached(whole));
  handle view(same_view(to, whole, *as_array_node(copy.get())));
  runtime::pass_name_on(*whole.memory, *as_array_node(copy.get())->memory);
  target = std::move(copy);
  return view;
}

// ---- the elements that the statement itself reads

// May this array be read while `to` is written? Yes where it has none of its elements, or the same ones, each for itself.
bool is_safe(const array_node& read, bool elementwise, const array_node& to) {
  return read.memory != to.memory || (elementwise && runtime::same_elements(read, to)) || !runtime::overlap(read, to);
}

bool is_safe(const expression_view& e, const array_node& to) {
  for (int i = 0; i < e.code->nodes; ++i)
    if (const array_node* leaf = as_array_node(e.nodes[i]); leaf && !is_safe(*leaf, true, to)) return false;
  return true;
}

bool is_safe(const census& statement, const array_node& to) {
  for (const census::entry& e : statement.entries())
    if (e.node->kind == node_kind::array && !is_safe(*static_cast<const array_node*>(e.node), e.elementwise, to))
      return false;
  return true;
}

void write_in_place(const typed_node* root, array_node* to, void** hint, bool safe) {
  if (safe) return write(root, to, hint);
  array_node* value = runtime::new_array_like(*to);
  const handle guard(value);
  write(root, value, hint);
  write(value, to);
}

}  // namespace

void throw_rebound() {
  throw error("sinter: a store into a view whose array has been given another value since; write the index again");
}

void store(handle& target, node* view, const expression_view& e, const where& place) try {
  const runtime::statement here(place);
  shape scratch;
  runtime::borrowed_expression root(e, runtime::broadcast_shape(e, place, scratch));
  array_node* whole = as_array_node(target.get());
  array_node* to = view ? as_array_node(view) : whole;
  if (to->memory != whole->memory || (to != whole && !runtime::is_within(*to, *whole))) throw_rebound();
  if (!codegen::can_be_stored(root.extents, to->extents))
    throw shape_error(message("sinter: a value of shape %s does not fit the shape %s it is stored into%s",
                              to_string(root.extents).c_str(), to_string(to->extents).c_str(), at(place).c_str())
                          .c_str());
  if (to->extents.elements() == 0) return;
  void** const hint = e.code->last_plan;

  const bool names_known = are_only(whole, view, e);
  const bool read = is_read(*to->memory, e);
  if (names_known && is_sole(whole, view ? view : whole, e, read))
    return write_in_place(&root, to, hint, !read || is_safe(e, *to));
  if (to == whole) {
    if (const census statement(e, whole, view); statement.dies(whole) && statement.holds_all_of(*whole->memory))
      if (const bool safe = is_safe(statement, *whole); safe || is_of_graph(*whole->memory))
        return write_in_place(&root, whole, hint, safe);
    array_node* fresh = runtime::new_array_like(*whole);
    const handle guard(fresh);
    write(&root, fresh, hint);
    runtime::pass_name_on(*whole->memory, *fresh->memory);
    target = handle(retain(fresh));
    return;
  }
  // What looks at other elements only is nothing to this store, nor is what dies with the statement.
  const runtime::only_onlooker alone;
  affected seen = find_affected(to, whole, nullptr, false);
  if (may_write_beside(*whole->memory, static_cast<bool>(alone)) && names_known && seen.count == 0 && !seen.too_many)
    return write_in_place(&root, to, hint, is_safe(e, *to));
  const census statement(e, whole, view);
  if (make_way(to, whole, view, statement, static_cast<bool>(alone), seen))
    return write_in_place(&root, to, hint, is_safe(statement, *to));
  const handle destination = move_to_copy(target, *to, seen);
  write(&root, as_array_node(destination.get()), hint);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

void write_all(handle& target, const void* from, std::size_t count, transfer_options how, const where& place) try {
  const runtime::statement here(place);
  array_node* a = as_array_node(target.get());
  check_elements(a->extents, count);
  if (count == 0) return;
  const std::size_t size = count * static_cast<std::size_t>(itemsize(a->type));
  const bool alone = count_of(a) == 1 && __atomic_load_n(&a->memory->references, __ATOMIC_ACQUIRE) == 1;
  if (!alone || !a->contiguous) {
    array_node* fresh = runtime::new_array_like(*a);
    const handle guard(fresh);
    runtime::copy_in(*fresh->memory, fresh->data(), from, size, how);
    if (alone && is_of_graph(*a->memory)) return write(fresh, a);
    target = handle(retain(fresh));
    return;
  }
  runtime::copy_in(*a->memory, a->data(), from, size, how);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

const void* address_to_read(node* n, const where& place) try {
  const runtime::statement here(place);
  const array_node* a = as_array_node(n);
  if (a->memory->data) runtime::lend(*a->memory, runtime::current_stream(*a->memory->device), false);
  return a->data();
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

void* address_to_write(handle& target, const where& place) try {
  const runtime::statement here(place);
  const array_node* a = runtime::own_elements(target, "data() of");
  if (a->memory->data) runtime::lend(*a->memory, runtime::current_stream(*a->memory->device), true);
  return a->data();
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace sinter::detail

namespace sinter::runtime {

void make_room(detail::handle& target, detail::handle& part, const detail::expression_view& e,
               const detail::picking& list, std::optional<only_onlooker>& alone) {
  const detail::array_node *const whole = as_array_node(target.get()), *const to = as_array_node(part.get());
  if (detail::are_only(whole, to, e) && detail::is_sole(whole, to, e, detail::is_read(*whole->memory, e))) return;
  alone.emplace();
  const census statement(e, whole, to, {list.indices, static_cast<std::size_t>(list.arrays)});
  detail::affected seen;
  if (detail::make_way(to, whole, to, statement, static_cast<bool>(*alone), seen)) return;
  part = detail::move_to_copy(target, *to, seen);
}

detail::array_node* own_elements(detail::handle& target, const char* what) {
  detail::array_node* a = as_array_node(target.get());
  if (count_of(a) == 1 && __atomic_load_n(&a->memory->references, __ATOMIC_ACQUIRE) == 1) return a;
  if (log_level() >= 1)
    log(1, "%s an array of shape %s copied it, %zu bytes: another name or an expression shares it", what,
        detail::to_string(a->extents).c_str(), byte_size(*a));
  target = detail::handle(detail::detached(*a));
  return as_array_node(target.get());
}

}  // namespace sinter::runtime
