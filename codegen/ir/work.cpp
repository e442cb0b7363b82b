#include "codegen/ir/work.hpp"

#include <algorithm>
#include <cstdlib>

#include "codegen/ir/values.hpp"

namespace sinter::codegen {

using detail::array_node, detail::axis_map, detail::expression_node, detail::instruction, detail::node_kind,
    detail::typed_node, detail::view_node;

namespace {

constexpr bool of_special[] = {
#define SINTER_OP(...) false,
#define SINTER_SPECIAL_OP(...) true,
#define SINTER_PART(...) false,
#include <sinter/ops.def>
#undef SINTER_OP
#undef SINTER_SPECIAL_OP
#undef SINTER_PART
};

template <class F>
bool any_operation(const expression_node* e, F is) {
  return std::any_of(e->code->code, e->code->code + e->code->length, [&](const instruction& at) {
    return at.code == instruction::call || (at.code < instruction::call && is(static_cast<op>(at.code)));
  });
}

// Does a load follow from another one, and that from a third? So it is in searches, whose steps are nodes of their own.
bool searches(const typed_node* n) {
  constexpr int enough = 3, most_open = 32, most_looked_at = 128;
  struct {
    const typed_node* n;
    int loads;
  } open[most_open] = {{n, 0}};
  for (int count = 1, looked_at = 0; count > 0 && looked_at < most_looked_at; ++looked_at) {
    const auto at = open[--count];
    const bool loads = at.n->kind == node_kind::view && static_cast<const view_node*>(at.n)->indices > 0;
    if (at.loads + loads >= enough) return true;
    if (at.n->kind != node_kind::view && at.n->kind != node_kind::expression) continue;
    for (int i = 0; i < child_count(at.n) && count < most_open; ++i) open[count++] = {child(at.n, i), at.loads + loads};
  }
  return false;
}

// A view all of whose last axis is one element, as each element that `repeat` writes several times.
bool repeats_elements(const typed_node* n) {
  const int last = n->extents.size() - 1;
  if (last < 0 || n->extents[last] == 1) return false;
  if (n->kind == node_kind::array) return static_cast<const detail::array_node*>(n)->strides[last] == 0;
  if (n->kind != node_kind::view) return false;
  const auto* v = static_cast<const view_node*>(n);
  const auto is_driven = [last](const axis_map& m) { return m.axis == last; };
  return v->more_count() == 0 && std::none_of(v->map, v->map + v->child->extents.size(), is_driven);
}

// The elements that a view with computed indices, a choice between such views, or a repetition takes from; 0 where those depend on elements.
std::int64_t moved_by_place(const typed_node* n, int depth = 0) {
  constexpr int deepest = 32;
  if (n->kind == node_kind::view) {
    const auto* v = static_cast<const view_node*>(n);
    const auto is_place = [](const typed_node* more) { return !device_below(more); };
    const bool by_place = v->more_count() > 0 && std::all_of(v->more, v->more + v->more_count(), is_place);
    return by_place ? v->child->extents.elements() : 0;
  }
  if (n->kind == node_kind::reshape) {  // of two to four times each, memory is worth it
    const sinter::shape& apart = child(n, 0)->extents;
    return repeats_elements(child(n, 0)) ? 2 * (apart.elements() / apart[apart.size() - 1]) : 0;
  }
  if (n->kind != node_kind::expression || depth == deepest) return 0;
  const auto* e = static_cast<const expression_node*>(n);
  if (!any_operation(e, [](op code) { return code == op::where; })) return 0;
  std::int64_t elements = 0;
  for (int i = 0; i < child_count(n); ++i) elements += moved_by_place(child(n, i), depth + 1);
  return elements;
}

// Does an array have one element for several places?
bool is_spread(const array_node* a) {
  for (int d = 0; d < a->extents.size(); ++d)
    if (a->extents[d] > 1 && a->strides[d] == 0) return true;
  return false;
}

}  // namespace

bool moves_elements(const typed_node* n) { return n->extents.elements() <= 2 * moved_by_place(n); }

int nearest_axis(const array_node* a) {
  int best = -1;
  for (int d = 0; d < a->extents.size(); ++d)
    if (a->extents[d] > 1 && a->strides[d] != 0 &&
        (best < 0 || std::llabs(a->strides[d]) <= std::llabs(a->strides[best])))
      best = d;
  return best;
}

int next_along(const typed_node* n) {
  constexpr int most_open = 32, most_looked_at = 64;
  const typed_node* open[most_open] = {n};
  const sinter::shape& whole = n->extents;
  for (int count = 1, looked_at = 0; count > 0 && looked_at < most_looked_at; ++looked_at) {
    n = open[--count];
    if (n->kind == node_kind::array && n->extents == whole && !is_spread(static_cast<const array_node*>(n)))
      return nearest_axis(static_cast<const array_node*>(n));
    if (n->kind != node_kind::expression) continue;
    for (int i = child_count(n); i-- > 0 && count < most_open;) open[count++] = child(n, i);
  }
  return -1;
}

bool takes_long(const expression_node* e) {
  return any_operation(e, [](op code) { return is_costly(code); }) || searches(e);
}

bool leaves_loops(const expression_node* e) {
  const auto stays = [](op code) {
    const detail::rule of = detail::facts(code).of;
    return of_special[static_cast<int>(code)] || code == op::gammaln || of == detail::rule::step ||
           of == detail::rule::integral_step || detail::takes_words(of);
  };
  return !any_operation(e, stays) && !searches(e);
}

const runtime::device_impl* device_below(const detail::typed_node* n) {
  constexpr int most_open = 32, most_looked_at = 256;
  const detail::typed_node* open[most_open] = {n};
  for (int count = 1, looked_at = 0; count > 0 && looked_at < most_looked_at; ++looked_at) {
    n = open[--count];
    if (n->kind == detail::node_kind::array) return place_of(*static_cast<const detail::array_node*>(n)).device;
    for (int i = child_count(n); i-- > 0 && count < most_open;) open[count++] = child(n, i);
  }
  return nullptr;
}

}  // namespace sinter::codegen
