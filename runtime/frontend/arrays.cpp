// Making arrays, moving elements between host and device, and the evaluation entries of the seam.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include <sinter/error.hpp>

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
using runtime::byte_size;
using runtime::new_array;
using runtime::request;
using runtime::typed;

node* evaluate(const expression_view& e, const where& place) {
  const runtime::statement here(place);
  shape scratch;
  runtime::borrowed_expression root(e, runtime::broadcast_shape(e, place, scratch));
  request r{&root, &root.extents, nullptr, e.code->last_plan};
  runtime::evaluate(&r, 1);
  return r.into;
}

namespace {

// An array whose elements are all its own: one that is broadcast or of windows becomes that when it gets a name, or storing one
// would store many. Larger strides than all smaller ones reach say so; other arrays are copied without need.
bool is_plain(const array_node* a) {
  if (a->contiguous) return true;
  std::int64_t steps[max_rank], reach[max_rank];
  int count = 0;
  for (int d = 0; d < a->extents.size(); ++d) {
    if (a->extents[d] == 0) return true;
    if (a->extents[d] == 1) continue;
    const std::int64_t step = std::abs(a->strides[d]);
    int at = count++;
    for (; at > 0 && steps[at - 1] > step; --at) steps[at] = steps[at - 1], reach[at] = reach[at - 1];
    steps[at] = step;
    reach[at] = step * (a->extents[d] - 1);
  }
  std::int64_t below = 0;
  for (int i = 0; i < count; ++i) {
    if (steps[i] <= below) return false;
    below += reach[i];
  }
  return true;
}

}  // namespace

node* evaluate(node* n, const where& place) {
  const runtime::statement here(place);
  if (const array_node* a = as_array_node(n)) return is_plain(a) ? retain(n) : make_copy(n);
  request r{typed(n), &typed(n)->extents, nullptr};
  runtime::evaluate(&r, 1);
  return r.into;
}

void evaluate_all(node* const* roots, node** results, int count, const where&) try {
  constexpr int usual = 4;
  request few[usual];
  std::unique_ptr<request[]> many;
  request* const requests =
      count <= usual ? few : (many = std::make_unique<request[]>(static_cast<std::size_t>(count))).get();
  struct owned {
    node** nodes;
    int count;
    ~owned() {
      for (int i = 0; i < count; ++i) release(nodes[i]);
    }
  } until_done{results, count};
  int wanted = 0;
  for (int i = 0; i < count; ++i) {
    results[i] = nullptr;
    if (!as_array_node(roots[i])) requests[wanted++] = {typed(roots[i]), &typed(roots[i])->extents, nullptr};
  }
  for (int i = 0; i < count; ++i)
    if (as_array_node(roots[i])) results[i] = evaluate(roots[i], where{});
  if (wanted) runtime::evaluate(requests, wanted);
  const request* next = requests;
  for (int i = 0; i < count; ++i)
    if (!results[i]) results[i] = next++->into;
  until_done.count = 0;
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

node* as_array(node* owned, const where& place) {
  if (const array_node* a = as_array_node(owned); a && is_plain(a)) return owned;
  const handle root(owned);
  return evaluate(owned, place);
}

node* make_array(dtype t, const shape& s, const where& place) try {
  s.check();
  const runtime::statement here(place);
  return new_array(t, s, runtime::current_stream(runtime::current_device()));
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

node* make_zeros(dtype t, const shape& s, const where& place) try {
  array_node* a = as_array_node(make_array(t, s, place));
  const handle guard(a);
  runtime::zero(*a->memory, byte_size(*a));
  return retain(a);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

node* make_from_host(dtype t, const shape& s, const void* elements, const where& place) try {
  array_node* a = as_array_node(make_array(t, s, place));
  const handle guard(a);
  runtime::copy_in(*a->memory, a->memory->data, elements, byte_size(*a), {});
  return retain(a);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

node* empty_array(dtype t) try {
  static auto* const all = new std::atomic<node*>[runtime::most_devices][std::size(facts_of)]();
  std::atomic<node*>& place = all[runtime::current_device().index][static_cast<int>(t)];
  if (node* made = place.load(std::memory_order_acquire)) return made;
  node* const mine = make_array(t, shape{0});
  node* expected = nullptr;
  if (place.compare_exchange_strong(expected, mine, std::memory_order_acq_rel)) return mine;
  release(mine);  // another thread was first
  return expected;
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

node* make_iota(const shape& s, int axis) {
  s.check();
  auto* n = runtime::new_node<iota_node>(dtype::int64, s);
  n->axis = axis;
  return n;
}
node* make_positions(const shape& s) { return make_iota(s, iota_node::all_axes); }

node* make_copy(node* n, const where& place) try {
  const runtime::statement here(place);
  array_node* from = as_array_node(n);
  if (!from) return evaluate(n, place);
  array_node* to = runtime::new_array_like(*from);
  const handle guard(to);
  if (!from->contiguous) {
    request r{from, &from->extents, to};
    runtime::evaluate(&r, 1);
  } else {
    runtime::copy(*to->memory, to->data(), *from->memory, from->data(), byte_size(*from));
  }
  return retain(to);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

std::int64_t arange_length(std::int64_t start, std::int64_t stop, std::int64_t step) {
  if (step == 0) throw shape_error("sinter: arange with a step of zero");
  if (step > 0 ? start >= stop : start <= stop) return 0;
  // Unsigned: the distance between two integers, and the size of a step, need the 64th bit.
  const auto from = static_cast<std::uint64_t>(start), to = static_cast<std::uint64_t>(stop);
  const auto by = static_cast<std::uint64_t>(step);
  const std::uint64_t length = step > 0 ? (to - from - 1) / by + 1 : (from - to - 1) / (0 - by) + 1;
  if (length > static_cast<std::uint64_t>(INT64_MAX))
    throw shape_error("sinter: arange of more elements than can be counted");
  return static_cast<std::int64_t>(length);
}

std::int64_t arange_length(double start, double stop, double step) {
  const double distance = stop - start, steps = distance / step;
  if (steps == 0 && distance != 0)
    return std::signbit(steps) ? 0 : 1;  // too little to be a number, but more than nothing
  const double length = std::ceil(steps);
  if (!(std::abs(length) < 9e18)) throw shape_error("sinter: arange with bounds and a step that give no length");
  return length <= 0 ? 0 : static_cast<std::int64_t>(length);
}

void check_elements(const shape& s, std::size_t count) {
  s.check();
  if (static_cast<std::size_t>(s.elements()) == count) return;
  throw shape_error(message("sinter: %zu elements do not fill shape %s", count, to_string(s).c_str()).c_str());
}

void copy_strides(node* n, std::int64_t* to) {
  const array_node* a = as_array_node(n);
  std::copy(a->strides, a->strides + a->extents.size(), to);
}

bool is_contiguous(node* n) { return as_array_node(n)->contiguous; }

device device_of(node* n) { return as_array_node(n)->memory->device->id; }

void read_all(node* n, void* to, std::size_t count, transfer_options how, const where& place) try {
  const handle value(evaluate(n, place));
  array_node* a = as_array_node(value.get());
  check_elements(a->extents, count);
  if (count == 0) return;
  const handle packed(a->contiguous ? retain(a) : make_copy(a));
  a = as_array_node(packed.get());
  runtime::copy_out(to, *a->memory, a->data(), byte_size(*a), how, place);
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

void read_item(node* n, void* to, const where& place) {
  if (const shape& s = typed(n)->extents; s.elements() != 1) {
    const char* const instead = typed(n)->type == dtype::bool_ ? "; a condition is all(m) or any(m)" : "";
    throw shape_error(
        message("sinter: an array of shape %s has no single item%s%s", to_string(s).c_str(), instead, at(place).c_str())
            .c_str());
  }
  read_all(n, to, 1, {}, place);
}

}  // namespace sinter::detail
